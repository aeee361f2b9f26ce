/* Products of matrices and their fragments against references by element (PTX ISA, "Matrix
 * Fragments for mma"). */
#include "ptx/isa/matrix.h"

#include "core/rng.h"
#include "tests/rig/matrix_rig.h"

#include <math.h>

/* ---- products of registers: each lane has 16 words of A, B, C and D */
struct product {
	const char *shape, *types;
	unsigned m, k, bits; /* of an element of A and B */
	char a, b; /* u, s: integers; h, b, t, d: f16, bf16, tf32, f64; x, n: bits, exclusive or,
		      and */
	char c;    /* f, h, d, s */
	bool saturates;
};

static const struct product products[] = {
	{"m16n8k8", "f32.f16.f16.f32", 16, 8, 16, 'h', 'h', 'f', false},
	{"m16n8k16", "f32.f16.f16.f32", 16, 16, 16, 'h', 'h', 'f', false},
	{"m16n8k8", "f16.f16.f16.f16", 16, 8, 16, 'h', 'h', 'h', false},
	{"m16n8k16", "f16.f16.f16.f16", 16, 16, 16, 'h', 'h', 'h', false},
	{"m16n8k8", "f32.bf16.bf16.f32", 16, 8, 16, 'b', 'b', 'f', false},
	{"m16n8k16", "f32.bf16.bf16.f32", 16, 16, 16, 'b', 'b', 'f', false},
	{"m16n8k4", "f32.tf32.tf32.f32", 16, 4, 32, 't', 't', 'f', false},
	{"m16n8k8", "f32.tf32.tf32.f32", 16, 8, 32, 't', 't', 'f', false},
	{"m8n8k4", "f64.f64.f64.f64", 8, 4, 64, 'd', 'd', 'd', false},
	{"m16n8k4", "rn.f64.f64.f64.f64", 16, 4, 64, 'd', 'd', 'd', false},
	{"m16n8k8", "f64.f64.f64.f64.rn", 16, 8, 64, 'd', 'd', 'd', false},
	{"m8n8k16", "s32.u8.u8.s32", 8, 16, 8, 'u', 'u', 's', false},
	{"m16n8k16", "s32.s8.u8.s32", 16, 16, 8, 's', 'u', 's', false},
	{"m16n8k32", "s32.u8.s8.s32", 16, 32, 8, 'u', 's', 's', false},
	{"m16n8k32", "satfinite.s32.s8.s8.s32", 16, 32, 8, 's', 's', 's', true},
	{"m8n8k32", "s32.s4.u4.s32", 8, 32, 4, 's', 'u', 's', false},
	{"m16n8k32", "satfinite.s32.u4.u4.s32", 16, 32, 4, 'u', 'u', 's', true},
	{"m16n8k64", "s32.u4.s4.s32", 16, 64, 4, 'u', 's', 's', false},
	{"m8n8k128", "s32.b1.b1.s32.xor.popc", 8, 128, 1, 'x', 'x', 's', false},
	{"m16n8k128", "s32.b1.b1.s32.and.popc", 16, 128, 1, 'n', 'n', 's', false},
	{"m16n8k256", "s32.b1.b1.s32.xor.popc", 16, 256, 1, 'x', 'x', 's', false},
};

static unsigned registers_of(unsigned elements, unsigned bits)
{
	return elements * bits / 32 > elements ? elements : elements * bits / 32;
}

/* The lane's element e of A: of its row and depth; of B: of its depth. */
static void place_of_a(
	const struct product *p, unsigned lane, unsigned e, unsigned *row, unsigned *k)
{
	unsigned per = p->bits < 32 ? 32 / p->bits : 1, reg = e / per, rows = p->m / 8;

	*row = lane / 4 + 8 * (reg % rows);
	*k = lane % 4 * per + e % per + reg / rows * 4 * per;
}

static unsigned depth_of_b(const struct product *p, unsigned lane, unsigned e)
{
	unsigned per = p->bits < 32 ? 32 / p->bits : 1;

	return lane % 4 * per + e % per + e / per * 4 * per;
}

static uint64_t element(const unsigned char *registers, unsigned e, unsigned bits)
{
	uint64_t value = 0;

	if (bits >= 8)
		memcpy(&value, registers + e * bits / 8, bits / 8);
	else
		value = (uint64_t)registers[e * bits / 8] >> e * bits % 8;
	return bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
}

static double number(char type, uint64_t bits, unsigned width)
{
	uint32_t word = (uint32_t)(type == 'b'   ? bits << 16
				   : type == 't' ? bits & 0xffffe000u
						 : bits);
	int exponent = (int)(bits >> 10 & 31);
	double mantissa = (double)(bits & 1023) / 1024;
	float f;
	double d;

	switch (type) {
	case 's':
		return (double)((int64_t)(bits << (64 - width)) >> (64 - width));
	case 'h':
		d = exponent ? ldexp(1 + mantissa, exponent - 15) : ldexp(mantissa, -14);
		return bits >> 15 ? -d : d;
	case 'd':
		memcpy(&d, &bits, 8);
		return d;
	case 'b':
	case 't':
	case 'f':
		memcpy(&f, &word, 4);
		return (double)f;
	default:
		return (double)bits;
	}
}

/* Small numbers of which all sums are exact, in every type. */
static uint64_t small_number(char type, unsigned bits, struct rng *r)
{
	static const uint16_t halves[] = {0, 0x3c00, 0xbc00, 0x4000, 0xc200, 0x3800};
	static const uint16_t bfloats[] = {0, 0x3f80, 0xbf80, 0x4000, 0xc040, 0x3f00};
	double d = (double)(rng_u64(r) % 13) - 6;
	uint64_t any = rng_u64(r), out = 0;
	float f = (float)d;

	if (type == 'h')
		return halves[any % 6];
	if (type == 'b')
		return bfloats[any % 6];
	if (type == 'd')
		memcpy(&out, &d, 8);
	else if (type == 't' || type == 'f')
		memcpy(&out, &f, 4);
	else
		out = any & ((UINT64_C(1) << (bits < 32 ? bits : 20)) - 1);
	return out;
}

static void put_element(unsigned char *registers, unsigned e, unsigned bits, uint64_t value)
{
	if (bits >= 8)
		memcpy(registers + e * bits / 8, &value, bits / 8);
	else
		registers[e * bits / 8] |= (unsigned char)(value << e * bits % 8);
}

#define LANE 64u /* bytes of a lane's registers in each of the four areas */

static unsigned sum_bits(const struct product *p)
{
	return p->c == 'h' ? 16 : p->c == 'd' ? 64 : 32;
}

static void fill(const struct product *p, uint64_t seed)
{
	struct rng r = rng_new(seed, 0);

	memset(rig.words, 0, sizeof(rig.words));
	for (unsigned lane = 0; lane < WARP_LANES; lane++) {
		for (unsigned e = 0; e < p->m * p->k / 32; e++)
			put_element(device(A_AT) + lane * LANE, e, p->bits,
				small_number(p->a, p->bits, &r));
		for (unsigned e = 0; e < 8 * p->k / 32; e++)
			put_element(device(B_AT) + lane * LANE, e, p->bits,
				small_number(p->b, p->bits, &r));
		for (unsigned e = 0; e < p->m / 4; e++)
			put_element(device(C_AT) + lane * LANE, e, sum_bits(p),
				small_number(p->c, sum_bits(p), &r));
	}
	if (p->saturates) /* above what fits */
		((int32_t *)(void *)device(C_AT))[0] = INT32_MAX - 1;
}

/* "{%r8, %r9}", loaded before. */
static void list(struct text *t, const char *class, unsigned first, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		text_raw(t, "%s%%%s%u", i ? ", " : "{", class, first + i);
	text_raw(t, "}");
}

static void load_list(struct text *t, const char *class, unsigned first, unsigned n, unsigned at)
{
	bool wide = class[strlen(class) - 1] == 'd';

	for (unsigned i = 0; i < n; i++)
		text_raw(t, "ld.global.b%u %%%s%u, [%%rd1+%u];\n", wide ? 64 : 32, class, first + i,
			at + i * (wide ? 8 : 4));
}

static void run_product(const struct product *p)
{
	const char *in = p->bits == 64 ? "fd" : "r", *out = p->c == 'f'   ? "f"
							    : p->c == 'd' ? "fd"
							    : p->c == 's' ? "s"
									  : "r";
	unsigned a = registers_of(p->m * p->k / 32, p->bits), b = registers_of(p->k / 4, p->bits);
	unsigned c = registers_of(p->m / 4, sum_bits(p));
	struct text t = {0};

	text_raw(&t, "mul.wide.u32 %%rd1, %%r0, %u;\nadd.u64 %%rd1, %%rd1, %%rd0;\n", LANE);
	load_list(&t, in, 1, a, A_AT);
	load_list(&t, in, 10, b, B_AT);
	load_list(&t, out, 16, c, C_AT);
	text_raw(&t, "mma.sync.aligned.%s.row.col.%s ", p->shape, p->types);
	list(&t, out, 24, c);
	text_raw(&t, ", ");
	list(&t, in, 1, a);
	text_raw(&t, ", ");
	list(&t, in, 10, b);
	text_raw(&t, ", ");
	list(&t, out, 16, c);
	text_raw(&t, ";\n");
	for (unsigned i = 0; i < c; i++)
		text_raw(&t, "st.global.b%u [%%rd1+%u], %%%s%u;\n", p->c == 'd' ? 64 : 32,
			D_AT + i * (p->c == 'd' ? 8 : 4), out, 24 + i);
	run(&t);
	text_clear(&t);
}

static double expected(const struct product *p, double a[16][256], double b[256][8], unsigned row,
	unsigned column, double sum)
{
	for (unsigned k = 0; k < p->k; k++) {
		bool x = a[row][k] != 0, y = b[k][column] != 0;

		sum += p->a == 'x' ? x != y : p->a == 'n' ? x && y : a[row][k] * b[k][column];
	}
	if (p->saturates && sum > INT32_MAX)
		return INT32_MAX;
	return sum;
}

static void check_product(const struct product *p)
{
	static double a[16][256], b[256][8];

	for (unsigned lane = 0; lane < WARP_LANES; lane++) {
		for (unsigned e = 0; e < p->m * p->k / 32; e++) {
			unsigned row, k;

			place_of_a(p, lane, e, &row, &k);
			a[row][k] = number(
				p->a, element(device(A_AT) + lane * LANE, e, p->bits), p->bits);
		}
		for (unsigned e = 0; e < 8 * p->k / 32; e++)
			b[depth_of_b(p, lane, e)][lane / 4] = number(
				p->b, element(device(B_AT) + lane * LANE, e, p->bits), p->bits);
	}
	for (unsigned lane = 0; lane < WARP_LANES; lane++)
		for (unsigned e = 0; e < p->m / 4; e++) {
			unsigned bits = sum_bits(p);
			double c = number(p->c, element(device(C_AT) + lane * LANE, e, bits), bits);
			double d = number(p->c, element(device(D_AT) + lane * LANE, e, bits), bits);
			double want =
				expected(p, a, b, lane / 4 + e / 2 * 8, lane % 4 * 2 + e % 2, c);

			if (d != want)
				fail_msg("%s.%s: element %u of lane %u is %g, not %g", p->shape,
					p->types, e, lane, d, want);
		}
}

static void products_are_those_of_the_elements(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(products); i++) {
		fill(&products[i], i);
		run_product(&products[i]);
		check_product(&products[i]);
	}
}

static void sums_of_halves_are_rounded_once(void **state)
{
	static const struct product p = {
		"m16n8k16", "f16.f16.f16.f16", 16, 16, 16, 'h', 'h', 'h', false};
	(void)state;

	/* 1024 and 16 products of a quarter: each alone would be lost */
	memset(rig.words, 0, sizeof(rig.words));
	for (unsigned lane = 0; lane < WARP_LANES; lane++) {
		for (unsigned e = 0; e < 8; e++)
			put_element(device(A_AT) + lane * LANE, e, 16, 0x3800);
		for (unsigned e = 0; e < 4; e++) {
			put_element(device(B_AT) + lane * LANE, e, 16, 0x3800);
			put_element(device(C_AT) + lane * LANE, e, 16, 0x6400);
		}
	}
	run_product(&p);
	for (unsigned lane = 0; lane < WARP_LANES; lane++)
		for (unsigned e = 0; e < 4; e++)
			assert_int_equal(element(device(D_AT) + lane * LANE, e, 16), 0x6404);
}

/* ---- fragments: loaded, multiplied and stored in every layout */
struct fragments {
	unsigned m, n, k;
	const char *type, *sum;
	char a, c;
	unsigned bits, registers_a, registers_b, registers_c;
};

static const struct fragments fragments[] = {
	{16, 16, 16, "f16", "f32", 'h', 'f', 16, 8, 8, 8},
	{32, 8, 16, "f16", "f16", 'h', 'h', 16, 8, 8, 4},
	{8, 32, 16, "f16", "f16", 'h', 'h', 16, 8, 8, 4},
	{8, 32, 16, "f16", "f32", 'h', 'f', 16, 8, 8, 8},
	{16, 16, 16, "bf16", "f32", 'b', 'f', 16, 4, 4, 8},
	{32, 8, 16, "bf16", "f32", 'b', 'f', 16, 8, 2, 8},
	{8, 32, 16, "bf16", "f32", 'b', 'f', 16, 2, 8, 8},
	{16, 16, 8, "tf32", "f32", 't', 'f', 32, 4, 4, 8},
	{8, 8, 4, "f64", "f64", 'd', 'd', 64, 1, 1, 2},
	{16, 16, 16, "u8", "s32", 'u', 's', 8, 2, 2, 8},
	{32, 8, 16, "s8", "s32", 's', 's', 8, 4, 1, 8},
	{8, 32, 16, "s8", "s32", 's', 's', 8, 1, 4, 8},
	{8, 8, 32, "s4", "s32", 's', 's', 4, 1, 1, 2},
	{8, 8, 128, "b1", "s32", 'x', 's', 1, 1, 1, 2},
};

static unsigned pad; /* elements between the lines of a matrix: whole words */

/* Element (i, j) of rows x columns at `at`, stored by rows or by columns. */
static unsigned index_of(bool rows, unsigned n_rows, unsigned n_columns, unsigned i, unsigned j)
{
	return rows ? i * (n_columns + pad) + j : j * (n_rows + pad) + i;
}

struct layouts {
	bool a, b, c; /* by rows */
	bool shared;  /* A and B are in shared memory */
};

static const char *layout(bool rows)
{
	return rows ? "row" : "col";
}

static void move_fragment(struct text *t, const struct fragments *f, const char *what, bool rows,
	bool shared, unsigned lines, const char *class, unsigned first, unsigned n, unsigned at)
{
	bool store = *what == 's';
	unsigned stride = what[5] == 'a' ? 1 : 60;

	text_raw(t, "%s %u;\nmov.u32 %%r%u, %u;\nwmma.%s.sync.aligned.%s.m%un%uk%u.%s.%s ",
		shared ? "mov.u64 %rd2," : "add.u64 %rd2, %rd0,", shared ? at / 8 : at, stride,
		lines, what, layout(rows), f->m, f->n, f->k, shared ? "shared" : "global",
		what[5] == 'c' || store ? f->sum : f->type);
	if (store)
		text_raw(t, "[%%rd2], ");
	list(t, class, first, n);
	text_raw(t, store ? ", %%r%u;\n" : ", [%%rd2], %%r%u;\n", stride);
}

static void run_fragments(const struct fragments *f, const struct layouts *l)
{
	const char *in = f->bits == 64 ? "fd" : "r";
	const char *out = f->c == 'f' ? "f" : f->c == 'd' ? "fd" : f->c == 's' ? "s" : "r";
	unsigned d = 22 + f->registers_c / 2; /* D overlaps C; A overlaps its stride */
	struct text t = {0};

	text_raw(&t, "mov.u32 %%r63, sh;\n");
	for (unsigned i = 0; i < 2048 && l->shared; i += 128)
		text_raw(&t,
			"mad.lo.u32 %%r61, %%r0, 4, %u;\ncvt.u64.u32 %%rd3, %%r61;\nadd.u64 %%rd3, %%rd3, %%rd0;\n"
			"ld.global.b32 %%r62, [%%rd3+%u];\nst.shared.b32 [%%r61+%u], %%r62;\n"
			"ld.global.b32 %%r62, [%%rd3+%u];\nst.shared.b32 [%%r61+%u], %%r62;\n",
			i, A_AT, A_AT / 8, B_AT, B_AT / 8);

	move_fragment(&t, f, "load.a", l->a, l->shared, (l->a ? f->k : f->m) + pad, in, 1,
		f->registers_a, A_AT);
	move_fragment(&t, f, "load.b", l->b, l->shared, (l->b ? f->n : f->k) + pad, in, 12,
		f->registers_b, B_AT);
	move_fragment(&t, f, "load.c", l->c, false, (l->c ? f->n : f->m) + pad, out, 22,
		f->registers_c, C_AT);
	text_raw(&t, "wmma.mma%s.sync.aligned.%s.%s.m%un%uk%u.", f->bits == 1 ? ".xor.popc" : "",
		layout(l->a), layout(l->b), f->m, f->n, f->k);
	if (f->a == 'h')
		text_raw(&t, "%s.%s ", f->sum, f->sum);
	else
		text_raw(&t, "%s.%s.%s.%s ", f->sum, f->type, f->type, f->sum);
	list(&t, out, d, f->registers_c);
	text_raw(&t, ", ");
	list(&t, in, 1, f->registers_a);
	text_raw(&t, ", ");
	list(&t, in, 12, f->registers_b);
	text_raw(&t, ", ");
	list(&t, out, 22, f->registers_c);
	text_raw(&t, ";\n");
	move_fragment(&t, f, "store.d", l->c, false, (l->c ? f->n : f->m) + pad, out, d,
		f->registers_c, D_AT);
	run(&t);
	text_clear(&t);
}

static void fill_matrix(
	unsigned at, unsigned lines, unsigned n, char type, unsigned bits, struct rng *r)
{
	for (unsigned i = 0; i < lines * (n + pad); i++)
		put_element(device(at), i, bits, small_number(type, bits, r));
}

static double value_at(unsigned at, unsigned index, char type, unsigned bits)
{
	return number(type, element(device(at), index, bits), bits);
}

static void check_fragments(const struct fragments *f, const struct layouts *l, unsigned sum)
{
	for (unsigned i = 0; i < f->m; i++)
		for (unsigned j = 0; j < f->n; j++) {
			unsigned at = index_of(l->c, f->m, f->n, i, j);
			double want = value_at(C_AT, at, f->c, sum), d;

			for (unsigned k = 0; k < f->k; k++) {
				double a = value_at(
					A_AT, index_of(l->a, f->m, f->k, i, k), f->a, f->bits);
				double b = value_at(
					B_AT, index_of(l->b, f->k, f->n, k, j), f->a, f->bits);

				want += f->a == 'x' ? a != b : a * b;
			}
			d = value_at(D_AT, at, f->c, sum);
			if (d != want)
				fail_msg(
					"m%un%uk%u %s %s: A by %s, B by %s, C by %s: (%u, %u) is %g, not %g",
					f->m, f->n, f->k, f->type, f->sum, layout(l->a),
					layout(l->b), layout(l->c), i, j, d, want);
		}
}

static void fragments_hold_their_matrices_in_every_layout(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(fragments); i++)
		for (unsigned which = 0; which < 16; which++) {
			const struct fragments *f = &fragments[i];
			struct layouts l = {which & 1, which & 2, which & 4, which & 8};
			unsigned sum = f->c == 'h' ? 16 : f->c == 'd' ? 64 : 32;
			struct rng r = rng_new(i, which);

			if (f->bits < 8 && !(l.a && !l.b))
				continue;
			pad = f->bits == 1 ? 128 : 16;
			memset(rig.words, 0, sizeof(rig.words));
			fill_matrix(A_AT, l.a ? f->m : f->k, l.a ? f->k : f->m, f->a, f->bits, &r);
			fill_matrix(B_AT, l.b ? f->k : f->n, l.b ? f->n : f->k, f->a, f->bits, &r);
			fill_matrix(C_AT, l.c ? f->m : f->n, l.c ? f->n : f->m, f->c, sum, &r);
			run_fragments(f, &l);
			check_fragments(f, &l, sum);
		}
}

/* ---- 8 x 8 halves: rows in reverse, so that addresses count */
static void check_rows(unsigned n, bool turned, bool store)
{
	static const char *const of[] = {"", "{%r8}", "{%r8, %r9}", "", "{%r8, %r9, %r10, %r11}"};
	struct text t = {0};

	for (unsigned i = 0; i < 1024; i++)
		((uint16_t *)(void *)device(A_AT))[i] = (uint16_t)(7 * i + 1);
	/* lane l has words l, 32 + l .. of A; row r of the rows is at 16 * (31 - r) */
	text_raw(&t,
		"mul.wide.u32 %%rd1, %%r0, 4;\nadd.u64 %%rd1, %%rd1, %%rd0;\nmov.u32 %%r5, sh;\n"
		"mad.lo.u32 %%r6, %%r0, 4, %%r5;\nsub.u32 %%r7, 31, %%r0;\nmad.lo.u32 %%r7, %%r7, 16, %%r5;\n");
	for (unsigned i = 0; i < 4; i++) {
		text_raw(&t, "ld.global.b32 %%r%u, [%%rd1+%u];\n", 8 + i, 128 * i);
		text_raw(&t, "st.shared.b32 [%%r6+%u], %s;\n", 128 * i, store ? "0" : "%r8");
		if (!store && i)
			text_raw(&t, "st.shared.b32 [%%r6+%u], %%r%u;\n", 128 * i, 8 + i);
	}
	text_raw(&t, "bar.warp.sync 0xffffffff;\n");
	if (store)
		text_raw(&t, "stmatrix.sync.aligned.m8n8.x%u%s.shared.b16 [%%r7], %s;\n", n,
			turned ? ".trans" : "", of[n]);
	else
		text_raw(&t, "ldmatrix.sync.aligned.m8n8.x%u%s.shared.b16 %s, [%%r7];\n", n,
			turned ? ".trans" : "", of[n]);
	text_raw(&t, "bar.warp.sync 0xffffffff;\n");
	for (unsigned i = 0; i < 4; i++) {
		if (store)
			text_raw(&t, "ld.shared.b32 %%r%u, [%%r6+%u];\n", 8 + i, 128 * i);
		text_raw(&t, "st.global.b32 [%%rd1+%u], %%r%u;\n", D_AT + 128 * i, 8 + i);
	}
	run(&t);
	text_clear(&t);
}

static uint16_t half_of(unsigned at, unsigned i)
{
	uint16_t v;

	memcpy(&v, device(at) + 2 * i, 2);
	return v;
}

static void rows_of_halves_are_loaded_and_stored(void **state)
{
	(void)state;
	for (unsigned which = 0; which < 12; which++) {
		unsigned n = 1u << which % 3;
		bool turned = which / 3 % 2, store = which >= 6;

		check_rows(n, turned, store);
		for (unsigned j = 0; j < n; j++)
			for (unsigned r = 0; r < 8; r++)
				for (unsigned c = 0; c < 8; c++) {
					/* in registers and in rows */
					unsigned held = 64 * j + (turned ? 8 * c + r : 8 * r + c);
					unsigned row = 8 * (31 - 8 * j - r) + c;

					assert_int_equal(half_of(D_AT, store ? row : held),
						half_of(A_AT, store ? held : row));
				}
	}
}

static void a_matrix_is_transposed_in_registers(void **state)
{
	struct text t = {0};
	(void)state;

	for (unsigned i = 0; i < 64; i++)
		((uint16_t *)(void *)device(A_AT))[i] = (uint16_t)(100 + i);
	text_raw(&t,
		"mul.wide.u32 %%rd1, %%r0, 4;\nadd.u64 %%rd1, %%rd1, %%rd0;\nld.global.b32 %%r1, [%%rd1];\n"
		"movmatrix.sync.aligned.m8n8.trans.b16 %%r1, %%r1;\nst.global.b32 [%%rd1+%u], %%r1;\n",
		D_AT);
	run(&t);
	text_clear(&t);
	for (unsigned i = 0; i < 64; i++)
		assert_int_equal(half_of(D_AT, i), 100 + i % 8 * 8 + i / 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(products_are_those_of_the_elements),
		cmocka_unit_test(sums_of_halves_are_rounded_once),
		cmocka_unit_test(fragments_hold_their_matrices_in_every_layout),
		cmocka_unit_test(rows_of_halves_are_loaded_and_stored),
		cmocka_unit_test(a_matrix_is_transposed_in_registers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
