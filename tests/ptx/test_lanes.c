/* Every lane operation at every level of the host, against the semantics of its opcode. */
#include "core/base.h"
#include "core/rng.h"
#include "ptx/isa/lanes.h"
#include "tests/rig/lanes_reference_more.h"
#include "tests/rig/spellings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define VALUES 5
#define PLANES (VALUES * 2 * WARP_LANES)

/* The operands of an operation: values by lane as numbers, and as the operation reads them. */
struct trial {
	struct rng rng;
	const struct lanes *levels[3];
	unsigned nlevels;
	bool covered[LANE_COUNT];
	struct form_match form;
	struct spelled spelled;
	const char *spelling;
	uint64_t in[WARP_LANES][VALUES], out[WARP_LANES][VALUES];
	unsigned nsrc, ndst;
	enum ptx_type src_type[VALUES], dst_type[VALUES];
	uint32_t src[VALUES][2 * WARP_LANES], dst[VALUES][2 * WARP_LANES];
};

static const char *const extra[] = {"%pack.v2.b64", "%pack.v2.b32", "%pack.v2.b16", "%pack.v4.b64",
	"%pack.v4.b32", "%unpack.v2.b64", "%unpack.v2.b32", "%unpack.v2.b16", "%unpack.v4.b64",
	"%unpack.v4.b32", "%isspacep.global.u32", "%isspacep.shared.u32", "%isspacep.local.u32",
	"%isspacep.const.u32", "%isspacep.param.u32"};
static const char *const extra_patterns[] = {
	"%min3{|.ftz}{|.NaN}{|.abs}{.f32}", "%max3{|.ftz}{|.NaN}{|.abs}{.f32}"};
static const uint16_t edge_halves[] = {0, 1, 2, 0x3f, 0x7f, 0x80, 0x81, 0x3ff, 0x400, 0x401, 0x3bff,
	0x3c00, 0x3c01, 0x4000, 0x6400, 0x6801, 0x7800, 0x7bff, 0x7c00, 0x7c01, 0x7d00, 0x7e00,
	0x7fff, 0x3f7f, 0x3f80, 0x3f81, 0x4f00, 0x5f00, 0x7f00, 0x7f7f, 0x7f80, 0x7f81, 0x7fc0};

static const uint64_t edge_ints[] = {0, 1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 0x7fff,
	0x8000, 0xffff, 0x10000, 0x7fffff, 0x800000, 0x1000000, 0x1000fff, 0x2000000, 0x3ffffff,
	0x4000000, 0x10000000, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x7fffffffffffffff,
	0x8000000000000000, 0xfffffffffffffffe, 0xffffffffffffffff, 0xffffffff80000000,
	0xfffffffffffffff0, 0x20000000000001, 0x7fffff4000000001, 0x8000008000000000};
static const double edge_floats[] = {0, 0.5, 1, 1.5, 2, 2.5, 3.5, 0.25, 0.75, 127, 127.5, 128, 255,
	255.5, 256, 32767.5, 65504, 65520, 65536, 8388607.5, 8388608.5, 16777217, 2147483647,
	2147483648.0, 4294967295.0, 4294967296.0, 9007199254740993.0, 0x1p63, 0x1p64, 1e30,
	3.4028234663852886e38, 0x1p-24, 0x1p-25, 0x1.8p-25, 0x1p-14, 0x1p-126, 0x1p-127, 0x1p-149,
	0x1.fffffep-127, 0x1p-150, 1e39, 1e300, 0x1p-1022, 0x1p-1074, 3.14159274101257324,
	1.57079637050628662, 0x1p19, 1e6, 12345678, 0x1.921fb6p40, INFINITY};

static uint64_t random_float(struct rng *r, unsigned bits)
{
	uint64_t raw = rng_u64(r);
	double f = edge_floats[rng_below(r, (uint32_t)ARRAY_LEN(edge_floats))];

	switch (rng_below(r, 8)) {
	case 0:
	case 1:
	case 2:
		f = rng_below(r, 2) ? -f : f;
		return bits == 32 ? raw32((float)f) : raw64(f);
	case 3:
	case 4: /* around one */
		f = (rng_unit(r) - 0.5) * (double)(1u << rng_below(r, 12));
		return bits == 32 ? raw32((float)f) : raw64(f);
	case 5: /* NaNs with payloads, of both signs and kinds */
		return bits == 32 ? raw | 0x7f800001 : raw | UINT64_C(0x7ff0000000000001);
	default:
		return raw;
	}
}

/* One half, of either format. */
static uint64_t random_half(struct rng *r)
{
	uint64_t sign = rng_u64(r) & 0x8000;

	switch (rng_below(r, 4)) {
	case 0:
		return sign | edge_halves[rng_below(r, (uint32_t)ARRAY_LEN(edge_halves))];
	case 1: /* around one */
		return sign | (0x3c00 + rng_below(r, 0x400));
	default:
		return rng_u64(r) & 0xffff;
	}
}

static uint64_t random_int(struct rng *r)
{
	switch (rng_below(r, 4)) {
	case 0:
		return edge_ints[rng_below(r, (uint32_t)ARRAY_LEN(edge_ints))];
	case 1:
		return rng_below(r, 70);
	case 2:
		return rng_u64(r) >> rng_below(r, 64);
	default:
		return rng_u64(r);
	}
}

static uint64_t random_value(struct rng *r, enum ptx_type type)
{
	if (type == T_PRED)
		return rng_u64(r) & 1;
	if (type == T_F16 || type == T_BF16)
		return random_half(r);
	if (type == T_F16X2 || type == T_BF16X2)
		return random_half(r) << 16 | random_half(r);
	if (type == T_F32 || type == T_F64)
		return random_float(r, ptx_type_bytes(type) * 8);
	return random_int(r);
}

static void fill_operands(struct trial *t)
{
	bool two_floats = strstr(t->spelling, ".f32x2") != NULL;
	unsigned i, k;

	memset(t->src, 0, sizeof(t->src));
	for (k = 0; k < t->nsrc; k++) {
		for (i = 0; i < WARP_LANES; i++) {
			t->in[i][k] = random_value(&t->rng, t->src_type[k]);
			if (two_floats)
				t->in[i][k] = random_float(&t->rng, 32) << 32 |
					      keep(random_float(&t->rng, 32), 32);
			if (t->src_type[k] == T_PRED) {
				t->src[k][0] |= (uint32_t)t->in[i][k] << i;
				continue;
			}
			t->src[k][i] = (uint32_t)t->in[i][k];
			t->src[k][WARP_LANES + i] = (uint32_t)(t->in[i][k] >> 32);
		}
	}
	for (i = 0; i < WARP_LANES; i++)
		reference(&t->spelled, t->in[i], t->out[i]);
}

/* The operation's result for lane i of destination k. */
static uint64_t result(const struct trial *t, unsigned k, unsigned i, unsigned *bits)
{
	enum ptx_type type = t->dst_type[k];

	*bits = type == T_PRED ? 1 : ptx_type_bytes(type) * 8;
	if (type == T_PRED)
		return t->dst[k][0] >> i & 1;
	return keep((uint64_t)t->dst[k][WARP_LANES + i] << 32 | t->dst[k][i], *bits);
}

static bool is_approximate(const char *op)
{
	return strcmp(op, "ex2") == 0 || strcmp(op, "tanh") == 0 || strcmp(op, "lg2") == 0 ||
	       strcmp(op, "sin") == 0 || strcmp(op, "cos") == 0;
}

static bool near_enough(uint64_t is, uint64_t should)
{
	return is == should || is + 1 == should || should + 1 == is;
}

/* Approximations may differ by one ulp from the correctly rounded value. */
static bool agrees(const struct trial *t, uint64_t is, uint64_t should)
{
	bool pair = strstr(t->spelled.word[t->spelled.n - 1], "x2") != NULL;
	unsigned half = pair ? 16 : 64;

	if (!is_approximate(t->spelled.word[0]))
		return is == should;
	return near_enough(keep(is, half), keep(should, half)) &&
	       (!pair || near_enough(is >> 16, should >> 16));
}

static void check_lane(const struct trial *t, const struct lanes *lanes, unsigned k, unsigned i)
{
	unsigned bits;
	uint64_t is = result(t, k, i, &bits), should = keep(t->out[i][k], bits);

	if (agrees(t, is, should))
		return;
	print_error("%s at %s, lane %u: operands %llx %llx %llx %llx give %llx, not %llx\n",
		t->spelling, lanes->name, i, (unsigned long long)t->in[i][0],
		(unsigned long long)t->in[i][1], (unsigned long long)t->in[i][2],
		(unsigned long long)t->in[i][3], (unsigned long long)is,
		(unsigned long long)should);
	fail();
}

/* cvt to a narrow type extends to the whole word, because its register may be that wide. */
static void check_extension(const struct trial *t, unsigned i)
{
	unsigned bits = ptx_type_bytes(t->dst_type[0]) * 8;
	uint32_t word = t->dst[0][i];

	if (strcmp(t->spelled.word[0], "cvt") != 0 || bits >= 32)
		return;
	if (ptx_type_class(t->dst_type[0]) == 's')
		assert_int_equal((int32_t)word, (int32_t)(word << (32 - bits)) >> (32 - bits));
	else
		assert_int_equal(word >> bits, 0);
}

static void check_untouched(const struct trial *t, unsigned k, unsigned i)
{
	if (t->dst_type[k] == T_PRED) {
		assert_int_equal(t->dst[k][0] >> i & 1, 0xa5a5a5a5u >> i & 1);
		return;
	}
	assert_int_equal(t->dst[k][i], 0xa5a5a5a5u);
	assert_int_equal(t->dst[k][WARP_LANES + i], 0xa5a5a5a5u);
}

static void run_level(struct trial *t, const struct lanes *lanes, uint32_t mask)
{
	uint32_t *d[VALUES];
	const uint32_t *s[VALUES];
	unsigned i, k;

	memset(t->dst, 0xa5, sizeof(t->dst));
	for (k = 0; k < VALUES; k++) {
		d[k] = t->dst[k];
		s[k] = t->src[k];
	}
	lanes->fn[t->form.op](d, s, mask);
	for (k = 0; k < t->ndst; k++) {
		for (i = 0; i < WARP_LANES; i++) {
			if (mask >> i & 1) {
				check_lane(t, lanes, k, i);
				check_extension(t, i);
			} else {
				check_untouched(t, k, i);
			}
		}
	}
}

/* The destination may be a source. */
static void run_in_place(struct trial *t, const struct lanes *lanes)
{
	uint32_t *d[VALUES] = {t->src[0], t->dst[1], t->dst[2], t->dst[3], t->dst[4]};
	const uint32_t *s[VALUES] = {t->src[0], t->src[1], t->src[2], t->src[3], t->src[4]};
	unsigned i;

	if (t->ndst != 1 || t->src_type[0] == T_PRED || t->dst_type[0] == T_PRED)
		return;
	lanes->fn[t->form.op](d, s, FULL_MASK);
	memcpy(t->dst[0], t->src[0], sizeof(t->dst[0]));
	for (i = 0; i < WARP_LANES; i++)
		check_lane(t, lanes, 0, i);
}

static void all_levels_agree(
	const struct trial *t, uint32_t (*first)[2 * WARP_LANES], unsigned level)
{
	if (level == 0)
		memcpy(first, t->dst, sizeof(t->dst));
	assert_memory_equal(first, t->dst, sizeof(t->dst));
}

static void read_operands(struct trial *t)
{
	unsigned i;

	t->nsrc = t->ndst = 0;
	for (i = 0; i < t->form.noperands; i++) {
		const struct form_operand *o = &t->form.operand[i];

		if (!o->is_dst) {
			t->src_type[t->nsrc++] = (enum ptx_type)o->type;
			continue;
		}
		t->dst_type[t->ndst++] = (enum ptx_type)o->type;
		if (o->role == ROLE_PRED_PAIR || o->role == ROLE_VALUE_PAIR)
			t->dst_type[t->ndst++] = T_PRED;
	}
}

static void check_spelling(void *ctx, const char *spelling)
{
	struct trial *t = ctx;
	uint32_t first[VALUES][2 * WARP_LANES];
	char why[512];
	bool unsupported;
	unsigned round, level;

	assert_int_equal(form_match(spelling, &t->form, why, sizeof(why), &unsupported), 0);
	if (t->form.action != ACT_LANES || t->form.mem_type == T_B128)
		return; /* 128 bits are moved by mov.b64, twice */
	t->covered[t->form.op] = true;
	t->spelling = spelling;
	t->spelled = spelled_cut(spelling);
	read_operands(t);
	for (round = 0; round < 6; round++) {
		uint32_t mask = round < 4 ? FULL_MASK : (uint32_t)rng_u64(&t->rng);

		fill_operands(t);
		for (level = 0; level < t->nlevels; level++) {
			run_level(t, t->levels[level], mask);
			all_levels_agree(t, first, level);
		}
		run_in_place(t, t->levels[round % t->nlevels]);
	}
}

static void check_pattern(void *ctx, const char *pattern, const char *operands, const char *text)
{
	(void)operands;
	(void)text;
	if (*pattern != '*') /* those are memory or warp-wide operations */
		spellings_of(pattern, check_spelling, ctx);
}

static void levels_of_host(struct trial *t)
{
	static const char *const names[] = {"baseline", "x86-64-v3", "x86-64-v4", "arm64"};
	unsigned i;

	for (i = 0; i < ARRAY_LEN(names); i++) {
		struct err err = {0};
		const struct lanes *lanes = lanes_select(names[i], &err);

		if (lanes && t->nlevels < ARRAY_LEN(t->levels))
			t->levels[t->nlevels++] = lanes;
		err_clear(&err);
	}
}

static void every_operation_computes_what_its_opcode_says_at_every_level(void **state)
{
	static const struct trial blank;
	struct trial t = blank;
	unsigned i;

	(void)state;
	t.rng = rng_new(1, 0);
	levels_of_host(&t);
	assert_true(t.nlevels >= 1);
	form_list(check_pattern, &t);
	for (i = 0; i < ARRAY_LEN(extra_patterns); i++)
		spellings_of(extra_patterns[i], check_spelling, &t);
	for (i = 0; i < ARRAY_LEN(extra); i++)
		check_spelling(&t, extra[i]);
	for (i = 0; i < LANE_COUNT; i++)
		if (!t.covered[i])
			fail_msg("no opcode selects lane operation %u of %u", i,
				(unsigned)LANE_COUNT);
}

/* One lane of one opcode at the best level. */
static uint64_t one(const char *spelling, uint64_t a, uint64_t b, uint64_t c)
{
	const struct lanes *lanes = lanes_select(NULL, NULL);
	uint32_t planes[VALUES][2 * WARP_LANES] = {0}, out[2][2 * WARP_LANES];
	const uint32_t *s[VALUES] = {planes[0], planes[1], planes[2], planes[3], planes[4]};
	uint32_t *d[VALUES] = {out[0], out[1], out[1], out[1], out[1]};
	uint64_t in[3] = {a, b, c};
	struct form_match form;
	char why[512];
	bool unsupported;
	unsigned k;

	for (k = 0; k < 3; k++) {
		planes[k][0] = (uint32_t)in[k];
		planes[k][WARP_LANES] = (uint32_t)(in[k] >> 32);
	}
	assert_int_equal(form_match(spelling, &form, why, sizeof(why), &unsupported), 0);
	lanes->fn[form.op](d, s, FULL_MASK);
	return (uint64_t)out[0][WARP_LANES] << 32 | out[0][0];
}

#define ONE32(...) ((uint32_t)one(__VA_ARGS__))

static void bits_known_by_heart(void **state)
{
	(void)state;
	assert_int_equal(ONE32("add.f32", 0x3f800000, 0x33800000, 0), 0x3f800000);
	assert_int_equal(ONE32("add.rp.f32", 0x3f800000, 0x33800000, 0), 0x3f800001);
	assert_int_equal(ONE32("add.rm.f32", 0x3f800000, 0xb3000000, 0), 0x3f7fffff);
	assert_int_equal(ONE32("add.f32", 0x7f800000, 0xff800000, 0), 0x7fffffff);
	assert_int_equal(ONE32("mul.ftz.f32", 0x00400000, 0x40000000, 0), 0);
	assert_int_equal(ONE32("mul.f32", 0x00400000, 0x40000000, 0), 0x00800000);
	assert_int_equal(ONE32("fma.rn.f32", 0x3f800001, 0x3f800001, 0xbf800002), 0x28800000);
	assert_int_equal(ONE32("fma.rz.f32", 0x3f800001, 0x3f800001, 0x3f800000), 0x40000001);
	assert_int_equal(ONE32("div.rn.f32", 0x3f800000, 0x40400000, 0), 0x3eaaaaab);
	assert_int_equal(ONE32("div.rz.f32", 0x3f800000, 0x40400000, 0), 0x3eaaaaaa);
	assert_int_equal(ONE32("min.f32", 0x80000000, 0, 0), 0x80000000);
	assert_int_equal(ONE32("max.f32", 0x80000000, 0, 0), 0);
	assert_int_equal(ONE32("max.f32", 0x7fc12345, 0xbf800000, 0), 0xbf800000);
	assert_int_equal(ONE32("cvt.rzi.s32.f32", 0xcf800000, 0, 0), 0x80000000);
	assert_int_equal(ONE32("cvt.rzi.u32.f32", 0xbf800000, 0, 0), 0);
	assert_int_equal(ONE32("cvt.rni.s32.f32", 0x7fc00000, 0, 0), 0);
	assert_int_equal(ONE32("cvt.rni.s32.f32", 0x40200000, 0, 0), 2);
	assert_int_equal(ONE32("cvt.rn.f16.f32", 0x477ff000, 0, 0), 0x7c00);
	assert_int_equal(ONE32("shl.b32", 1, 32, 0), 0);
	assert_int_equal(ONE32("shr.s32", 0x80000000, 99, 0), 0xffffffff);
	assert_int_equal(ONE32("div.s32", 0x80000000, 0xffffffff, 0), 0x80000000);
	assert_int_equal(ONE32("rem.s32", 0x80000000, 0xffffffff, 0), 0);
	assert_int_equal(ONE32("div.u32", 5, 0, 0), 0xffffffff);
	assert_int_equal(ONE32("sin.approx.f32", 0x80000000, 0, 0), 0x80000000);
	assert_int_equal(ONE32("lg2.approx.f32", 0, 0, 0), 0xff800000);
	assert_int_equal(ONE32("ex2.approx.f32", 0xff800000, 0, 0), 0);
	assert_true(one("mul.hi.u64", UINT64_MAX, UINT64_MAX, 0) == UINT64_MAX - 1);
	assert_true(
		one("add.f64", 0x3ff0000000000000, 0x3ca0000000000000, 0) == 0x3ff0000000000000);
	assert_true(
		one("add.f64", 0x7ff0000000000000, 0xfff0000000000000, 0) == 0xfff8000000000000);
	assert_true(one("cvt.rzi.s64.f64", 0x43e0000000000000, 0, 0) == 0x7fffffffffffffff);
}

/* PTX ISA 9.0, cvt: the highest bit where source or result has 64 bits, else 0. */
static void a_nan_becomes_the_integer_that_ptx_9_says(void **state)
{
	const uint64_t nan32 = 0x7fc00000, nan64 = 0xfff8000000000000, top = UINT64_C(1) << 63;

	(void)state;
	assert_true(one("cvt.rzi.u64.f32", nan32, 0, 0) == top);
	assert_true(one("cvt.rpi.ftz.s64.f32", nan32, 0, 0) == top);
	assert_true(one("cvt.rzi.u64.f64", nan64, 0, 0) == top);
	assert_true(one("cvt.rmi.s64.f64", nan64, 0, 0) == top);
	assert_true(one("cvt.rzi.s64.f16", 0x7e00, 0, 0) == top);
	assert_true(one("cvt.rzi.u64.bf16", 0x7fc0, 0, 0) == top);
	assert_int_equal((uint32_t)one("cvt.rzi.u32.f64", nan64, 0, 0), 0x80000000);
	assert_int_equal((uint32_t)one("cvt.rni.s32.f64", nan64, 0, 0), 0x80000000);
	assert_int_equal((uint16_t)one("cvt.rni.u16.f64", nan64, 0, 0), 0x8000);
	assert_int_equal((uint16_t)one("cvt.rni.s16.f64", nan64, 0, 0), 0x8000);
	assert_int_equal((uint8_t)one("cvt.rni.u8.f64", nan64, 0, 0), 0x80);
	assert_int_equal((uint8_t)one("cvt.rni.s8.f64", nan64, 0, 0), 0x80);
	assert_int_equal(ONE32("cvt.rni.u32.f32", 0x7fc00000, 0, 0), 0);
	assert_int_equal(ONE32("cvt.rni.s32.f16", 0x7e00, 0, 0), 0);
	assert_int_equal((uint16_t)one("cvt.rni.s16.f32", nan32, 0, 0), 0);
}

static void an_unknown_level_is_an_error_that_names_one(void **state)
{
	struct err err = {0};

	(void)state;
	assert_null(lanes_select("x86-64-v9", &err));
	assert_non_null(strstr(err_text(&err),
		"instruction-set level 'x86-64-v9': this build does not include it; it has "
		"'baseline'"));
	err_clear(&err);
	assert_string_equal(lanes_name(lanes_select("baseline", NULL)), "baseline");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_operation_computes_what_its_opcode_says_at_every_level),
		cmocka_unit_test(bits_known_by_heart),
		cmocka_unit_test(a_nan_becomes_the_integer_that_ptx_9_says),
		cmocka_unit_test(an_unknown_level_is_an_error_that_names_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
