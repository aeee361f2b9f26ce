/* Conversions to and from the narrow formats: all codes, all halves, floats around every tie,
 * stochastic rounding around every carry, and mixed precision, at every level of the host. */
#include "core/base.h"
#include "core/rng.h"
#include "ptx/isa/lanes.h"
#include "tests/rig/lanes_reference_more.h"
#include "tests/rig/seeds.h"
#include "tests/rig/spellings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define SOURCES 3
#define FLOATS 16384

/* Lanes are collected until there are 32, then executed and compared. */
struct trial {
	const struct lanes *levels[4];
	unsigned nlevels, nlanes;
	const char *spelling;
	struct form_match form;
	struct spelled spelled;
	unsigned bits; /* of the result */
	struct rng rng;
	uint64_t in[WARP_LANES][SOURCES];
	uint32_t floats[FLOATS];
	unsigned nfloats;
	unsigned spellings;
};

static void levels_of_host(struct trial *t)
{
	static const char *const names[] = {"baseline", "x86-64-v3", "x86-64-v4", "arm64"};
	unsigned i;

	for (i = 0; i < ARRAY_LEN(names); i++) {
		struct err err = {0};
		const struct lanes *lanes = lanes_select(names[i], &err);

		if (lanes)
			t->levels[t->nlevels++] = lanes;
		err_clear(&err);
	}
}

static void begin(struct trial *t, const char *spelling)
{
	char why[512];
	bool unsupported;

	if (form_match(spelling, &t->form, why, sizeof(why), &unsupported) != 0)
		fail_msg("%s: %s", spelling, why);
	t->spelling = spelling;
	t->spelled = spelled_cut(spelling);
	t->bits = 8 * ptx_type_bytes((enum ptx_type)t->form.operand[0].type);
	t->nlanes = 0;
	t->spellings++;
}

static void check(struct trial *t, const struct lanes *lanes, const uint32_t *out, unsigned i)
{
	uint64_t should[5], is = out[i];

	reference(&t->spelled, t->in[i], should);
	if (is == keep(should[0], t->bits)) /* the upper bits are zeros */
		return;
	print_error("%s at %s: operands %llx %llx %llx give %llx, not %llx\n", t->spelling,
		lanes->name, (unsigned long long)t->in[i][0], (unsigned long long)t->in[i][1],
		(unsigned long long)t->in[i][2], (unsigned long long)is,
		(unsigned long long)should[0]);
	fail();
}

static void run(struct trial *t)
{
	uint32_t planes[SOURCES][2 * WARP_LANES] = {{0}}, out[2 * WARP_LANES];
	const uint32_t *s[SOURCES] = {planes[0], planes[1], planes[2]};
	uint32_t *d[1] = {out};
	unsigned i, k, level;

	for (i = 0; i < WARP_LANES; i++)
		for (k = 0; k < SOURCES; k++)
			planes[k][i] = (uint32_t)t->in[i][k];
	for (level = 0; level < t->nlevels; level++) {
		t->levels[level]->fn[t->form.op](d, s, FULL_MASK);
		for (i = 0; i < t->nlanes; i++)
			check(t, t->levels[level], out, i);
	}
	t->nlanes = 0;
}

static void try(struct trial *t, uint64_t a, uint64_t b, uint64_t c)
{
	t->in[t->nlanes][0] = a;
	t->in[t->nlanes][1] = b;
	t->in[t->nlanes++][2] = c;
	if (t->nlanes == WARP_LANES)
		run(t);
}

/* ---- critical floats: neighbours of the numbers and ties of every format, and limits. */

static void add_float(struct trial *t, uint64_t raw)
{
	if (t->nfloats < FLOATS)
		t->floats[t->nfloats++] = (uint32_t)raw;
}

static void add_around(struct trial *t, double v)
{
	uint64_t raw = raw32((float)v), sign;
	int step;

	for (sign = 0; sign < 2; sign++)
		for (step = -1; step < 2; step++)
			add_float(t, (raw + (uint64_t)(int64_t)step) ^ sign << 31);
}

static void add_format(struct trial *t, const char *pair)
{
	const struct narrow *f = narrow_of(pair);
	double last = 0, next;
	unsigned code;

	for (code = 1; code <= f->most; code++, last = next) {
		next = narrow_magnitude(f, code);
		add_around(t, next);
		add_around(t, (last + next) / 2);
	}
	for (code = 1; code < 9; code++)
		add_around(t, last * (1 + 0.0625 * code)); /* beyond the largest */
}

static void gather_floats(struct trial *t)
{
	static const uint32_t edges[] = {0, 0x80000000, 1, 0x80000001, 0x7fffff, 0x807fffff,
		0x3fffff, 0x400000, 0x400001, 0xc00000, 0x7f7fffff, 0xff7fffff, 0x7f800000,
		0xff800000, 0x7f800001, 0xff800001, 0x7fbfffff, 0x7fc00000, 0x7fffffff, 0xffffffff,
		0x7f7fe000, 0x7f7ff000, 0x7f7fefff, 0x7f7f8000, 0x7f7f7fff, 0x477fe000, 0x477ff000,
		0x477fefff, 0x47800000, 0x4b000000};
	static const uint32_t tails[] = {0, 1, 0xfff, 0x1000, 0x1001, 0x1fff, 0x2000, 0x2fff,
		0x3000, 0x3001, 0x7fff, 0x8000, 0x8001, 0xffff, 0x10000, 0x18000};
	unsigned i, e;

	t->nfloats = 0;
	add_format(t, "e4m3x2");
	add_format(t, "e5m2x2");
	add_format(t, "e2m3x2");
	add_format(t, "e3m2x2");
	add_format(t, "e2m1x2");
	for (i = 0; i < ARRAY_LEN(edges); i++)
		add_float(t, edges[i]);
	for (e = 0; e < 256; e++)
		for (i = 0; i < ARRAY_LEN(tails); i++)
			add_float(t, e << 23 | (i & 1) << 31 | tails[i]);
	for (i = 0; i < 4096; i++) /* around the narrow formats' numbers */
		add_float(t, (rng_u64(&t->rng) & 0x807fffff) | (95 + rng_below(&t->rng, 50)) << 23);
	assert_true(t->nfloats < FLOATS);
}

/* Every float as either operand. */
static void try_floats(void *ctx, const char *spelling)
{
	struct trial *t = ctx;
	unsigned i, n = t->nfloats;

	begin(t, spelling);
	for (i = 0; i < n; i++)
		try(t, t->floats[i], t->floats[(i + 7) % n], 0);
	for (i = 0; i < 20000; i++)
		try(t, keep(rng_u64(&t->rng), 32), keep(rng_u64(&t->rng), 32), 0);
}

/* Random bits on both sides of a carry. */
static void try_random_bits(void *ctx, const char *spelling)
{
	struct trial *t = ctx;
	bool half = strstr(spelling, "bf16") == NULL;
	unsigned i, step, n = t->nfloats;

	begin(t, spelling);
	for (i = 0; i < n; i++) {
		uint32_t a = t->floats[i], b = t->floats[(i + 5) % n];

		for (step = 0; step < 3; step++) {
			uint32_t above = half ? 0x2000 - (a & 0x1fff) : 0x10000 - (a & 0xffff);
			uint32_t below = half ? 0x2000 - (b & 0x1fff) : 0x10000 - (b & 0xffff);

			try(t, a, b, ((above + step - 1) << 16) | ((below + step - 1) & 0xffff));
		}
		try(t, a, b, 0);
		try(t, a, b, UINT32_MAX);
		try(t, a, b, keep(rng_u64(&t->rng), 32));
	}
}

static void try_codes(void *ctx, const char *spelling)
{
	uint64_t code;

	begin(ctx, spelling);
	for (code = 0; code < 0x10000; code++)
		try(ctx, code, 0, 0);
}

/* All halves in the upper position, and all in the lower one. */
static void try_halves(void *ctx, const char *spelling)
{
	uint64_t half;

	begin(ctx, spelling);
	for (half = 0; half < 0x10000; half += stride())
		try(ctx, half << 16 | (half * 40503 + 12345) % 0x10000, 0, 0);
}

/* All halves with a float of the same magnitude, small, or random. */
static void try_mixed(void *ctx, const char *spelling)
{
	struct trial *t = ctx;
	bool fma = strncmp(spelling, "fma", 3) == 0;
	uint64_t half, other, sum;

	begin(t, spelling);
	for (half = 0; half < 0x10000; half++) {
		other = keep(rng_u64(&t->rng), 16);
		sum = half & 1 ? t->floats[rng_below(&t->rng, t->nfloats)]
			       : keep(rng_u64(&t->rng), 32);
		if (half % 4 == 0)
			sum = (half & 0x8000) << 16 | (100 + rng_below(&t->rng, 48)) << 23 |
			      (sum & 0x7fffff);
		try(t, half, fma ? other : sum, fma ? sum : 0);
	}
}

/* ---- the tests. */

static struct trial *fresh(void)
{
	static _Thread_local struct trial t;

	memset(&t, 0, sizeof(t));
	t.rng = rng_new(3, 0);
	levels_of_host(&t);
	assert_true(t.nlevels >= 1);
	gather_floats(&t);
	return &t;
}

#define NARROW "{.e4m3x2|.e5m2x2|.e2m3x2|.e3m2x2|.e2m1x2}"

static void every_narrow_code_becomes_its_number(void **state)
{
	struct trial *t = fresh();

	(void)state;
	spellings_of("cvt{.rn}{|.relu}{.f16x2}" NARROW, try_codes, t);
	spellings_of("cvt{.rn}{.bf16x2}{.ue8m0x2}", try_codes, t);
	assert_int_equal(t->spellings, 11);
}

static void every_half_becomes_the_nearest_narrow_number(void **state)
{
	struct trial *t = fresh();

	(void)state;
	spellings_of("cvt{.rn}{.satfinite}{|.relu}" NARROW "{.f16x2|.bf16x2}", try_halves, t);
	spellings_of("cvt{.rn}{.relu}{.satfinite}" NARROW "{.f16x2|.bf16x2}", try_halves, t);
	spellings_of("cvt{.rz|.rp}{|.satfinite}{.ue8m0x2}{.bf16x2}", try_halves, t);
	assert_int_equal(t->spellings, 34);
}

static void floats_around_every_tie_become_the_nearest_narrow_number(void **state)
{
	struct trial *t = fresh();

	(void)state;
	spellings_of("cvt{.rn}{.satfinite}{|.relu}" NARROW "{.f32}", try_floats, t);
	spellings_of("cvt{.rz|.rp}{|.satfinite}{.ue8m0x2}{.f32}", try_floats, t);
	spellings_of("cvt{.rn|.rz}{|.satfinite}{|.relu}{.tf32}{.f32}", try_floats, t);
	spellings_of("cvt{.rna}{|.satfinite}{.tf32}{.f32}", try_floats, t);
	assert_int_equal(t->spellings, 24);
}

static void random_bits_round_away_from_zero(void **state)
{
	struct trial *t = fresh();

	(void)state;
	spellings_of("cvt{.rs}{|.relu}{|.satfinite}{.f16x2|.bf16x2}{.f32}", try_random_bits, t);
	spellings_of("cvt{.rs}{.satfinite}{.relu}{.f16x2|.bf16x2}{.f32}", try_random_bits, t);
	assert_int_equal(t->spellings, 10);
}

static void every_half_meets_a_float(void **state)
{
	struct trial *t = fresh();

	(void)state;
	spellings_of("add{|.rn|.rz|.rm|.rp}{|.sat}{.f32}{.f16|.bf16}", try_mixed, t);
	spellings_of("sub{|.rn|.rz|.rm|.rp}{|.sat}{.f32}{.f16|.bf16}", try_mixed, t);
	spellings_of("fma{.rn|.rz|.rm|.rp}{|.sat}{.f32}{.f16|.bf16}", try_mixed, t);
	assert_int_equal(t->spellings, 56);
}

/* Computed by hand from the definitions of the formats. */
static void bits_known_by_heart(void **state)
{
	static const struct {
		const char *spelling;
		uint32_t a, b, c, should;
	} table[] = {
		{"cvt.rn.satfinite.e4m3x2.f32", 0x43e00000, 0x43e80000, 0, 0x7e7e}, /* 448, 464 */
		{"cvt.rn.satfinite.e4m3x2.f32", 0xff800000, 0x7fc00000, 0, 0xfe7f},
		{"cvt.rn.satfinite.e4m3x2.f32", 0x3f880000, 0x3f980000, 0, 0x383a}, /* two ties */
		{"cvt.rn.satfinite.e4m3x2.f32", 0x3b000000, 0x3a800000, 0,
			0x0100}, /* 2^-9, 2^-10 */
		{"cvt.rn.satfinite.relu.e5m2x2.f32", 0xc2c80000, 0x47700000, 0, 0x007b},
		{"cvt.rn.relu.satfinite.e5m2x2.f16x2", 0x3c00fc00, 0, 0, 0x3c00},
		{"cvt.rn.satfinite.e2m3x2.f32", 0x40f00000, 0xbe000000, 0, 0x1f21}, /* 7.5, -1/8 */
		{"cvt.rn.satfinite.e3m2x2.f32", 0x41e00000, 0xffffffff, 0, 0x1f1f}, /* 28, NaN */
		{"cvt.rn.satfinite.e2m1x2.f32", 0x40a00000, 0xbe800000, 0, 0x68},   /* 5, -1/4 */
		{"cvt.rn.satfinite.e2m1x2.bf16x2", 0x3f80c0c0, 0, 0, 0x2f},         /* 1, -6 */
		{"cvt.rn.f16x2.e4m3x2", 0x7e01, 0, 0, 0x5f001800},
		{"cvt.rn.f16x2.e4m3x2", 0xffb8, 0, 0, 0x7fffbc00},
		{"cvt.rn.f16x2.e5m2x2", 0xfc7b, 0, 0, 0xfc007b00},
		{"cvt.rn.relu.f16x2.e2m1x2", 0xf7, 0, 0, 0x00004600},
		{"cvt.rn.f16x2.e3m2x2", 0x1f21, 0, 0, 0x4f00ac00},
		{"cvt.rz.ue8m0x2.f32", 0x3f800000, 0xc0400000, 0, 0x7f80},
		{"cvt.rp.ue8m0x2.f32", 0x3fc00000, 0x00400001, 0, 0x8001},
		{"cvt.rp.ue8m0x2.f32", 0x7f7fffff, 0, 0, 0xff00},
		{"cvt.rp.satfinite.ue8m0x2.f32", 0x7f7fffff, 0x7fc00000, 0, 0xfeff},
		{"cvt.rn.bf16x2.ue8m0x2", 0x00fe, 0, 0, 0x00407f00},
		{"cvt.rn.tf32.f32", 0x3f801000, 0, 0, 0x3f800000}, /* a tie */
		{"cvt.rna.tf32.f32", 0xbf801000, 0, 0, 0xbf802000},
		{"cvt.rz.tf32.f32", 0x3f803fff, 0, 0, 0x3f802000},
		{"cvt.rn.tf32.f32", 0x7f7fffff, 0, 0, 0x7f800000},
		{"cvt.rn.satfinite.tf32.f32", 0xff800000, 0, 0, 0xff7fe000},
		{"cvt.rn.relu.tf32.f32", 0xffc00000, 0, 0, 0x7fffe000},
		{"cvt.rs.f16x2.f32", 0x3f800001, 0x3f800001, 0x1fff1ffe, 0x3c013c00},
		{"cvt.rs.bf16x2.f32", 0x3f800001, 0xbf808000, 0xfffe8000, 0x3f80bf81},
		{"cvt.rs.satfinite.bf16x2.f32", 0x7f7fffff, 0xff800000, 0xffffffff, 0x7f7fff7f},
		{"add.f32.f16", 0x3c00, 0x33800000, 0, 0x3f800000},
		{"add.rp.f32.f16", 0x3c00, 0x33800000, 0, 0x3f800001},
		{"sub.sat.f32.bf16", 0x4000, 0x3f000000, 0, 0x3f800000},
		{"fma.rn.f32.bf16", 0x3f81, 0x3f81, 0xbf820000, 0x38800000},
	};
	struct trial *t = fresh();
	unsigned i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(table); i++) {
		uint32_t planes[SOURCES][2 * WARP_LANES] = {{0}}, out[2 * WARP_LANES];
		const uint32_t *s[SOURCES] = {planes[0], planes[1], planes[2]};
		uint32_t *d[1] = {out};

		planes[0][0] = table[i].a;
		planes[1][0] = table[i].b;
		planes[2][0] = table[i].c;
		begin(t, table[i].spelling);
		t->levels[0]->fn[t->form.op](d, s, FULL_MASK);
		if (out[0] != table[i].should)
			fail_msg("%s of %x %x %x is %x, not %x", table[i].spelling, table[i].a,
				table[i].b, table[i].c, out[0], table[i].should);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_narrow_code_becomes_its_number),
		cmocka_unit_test(every_half_becomes_the_nearest_narrow_number),
		cmocka_unit_test(floats_around_every_tie_become_the_nearest_narrow_number),
		cmocka_unit_test(random_bits_round_away_from_zero),
		cmocka_unit_test(every_half_meets_a_float),
		cmocka_unit_test(bits_known_by_heart),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
