/* Atomics on vectors: every operation and type, with operands of every kind, element by element. */
#include "tests/rig/lanes_reference_more.h"
#include "tests/rig/wide_rig.h"

struct vector_row {
	const char *op, *type;
	unsigned vec;
};

static const struct vector_row vectors[] = {{"add", "f32", 2}, {"add", "f32", 4}, {"add", "f16", 2},
	{"add", "f16", 4}, {"add", "f16", 8}, {"add", "bf16", 2}, {"add", "bf16", 4},
	{"add", "bf16", 8}, {"add", "f16x2", 2}, {"add", "f16x2", 4}, {"add", "bf16x2", 2},
	{"add", "bf16x2", 4}, {"min", "f16", 2}, {"min", "f16", 4}, {"min", "f16", 8},
	{"min", "bf16", 2}, {"min", "bf16", 4}, {"min", "bf16", 8}, {"min", "f16x2", 2},
	{"min", "f16x2", 4}, {"min", "bf16x2", 2}, {"min", "bf16x2", 4}, {"max", "f16", 2},
	{"max", "f16", 4}, {"max", "f16", 8}, {"max", "bf16", 2}, {"max", "bf16", 4},
	{"max", "bf16", 8}, {"max", "f16x2", 2}, {"max", "f16x2", 4}, {"max", "bf16x2", 2},
	{"max", "bf16x2", 4}};

static unsigned bytes_of(const struct vector_row *row)
{
	return row->vec * ptx_type_bytes(ptx_type_parse(row->type));
}

static uint64_t half_expected(const struct vector_row *row, uint64_t x, uint64_t y)
{
	struct format f = format_of(row->type);
	struct exact a = exact_of(f, x, false), b = exact_of(f, y, false);
	int which;

	if (row->op[1] == 'd')
		return encode(f, exact_sum(a, b), FE_TONEAREST, false);
	which = pick(double_of_exact(a), double_of_exact(b), row->op[1] == 'i', false);
	return which < 0 ? 0x7fff : which ? y : x;
}

/* A lane's bytes after the operation. */
static void expect(const struct vector_row *row, const unsigned char *old, const unsigned char *a,
	unsigned char *new)
{
	unsigned size = strcmp(row->type, "f32") ? 2 : 4;

	for (unsigned k = 0; k < bytes_of(row); k += size) {
		uint64_t x = 0, y = 0, z;

		memcpy(&x, old + k, size);
		memcpy(&y, a + k, size);
		if (size == 4) {
			volatile float sum = f32_of(x) + f32_of(y);

			z = sum != sum ? 0x7fffffff : raw32(sum);
		} else {
			z = half_expected(row, x, y);
		}
		memcpy(new + k, &z, size);
	}
}

/* Numbers of every kind: zeros, subnormals, infinities, NaNs, neighbours. */
static void fill_numbers(uint64_t seed, bool words)
{
	static const uint16_t halves[] = {0, 0x8000, 1, 0x8001, 0x3ff, 0x400, 0x7bff, 0xfbff,
		0x7c00, 0xfc00, 0x7c01, 0x7e00, 0xffff, 0x3c00, 0xbc00, 0x7f80, 0xff80, 0x7f7f,
		0x7f81};
	static const uint32_t singles[] = {0, 0x80000000, 1, 0x807fffff, 0x7f7fffff, 0x7f800000,
		0xff800000, 0x7fc00001, 0xff800001, 0x3f800000, 0xbf800000, 0x00800000};
	struct rng r = rng_new(seed, 0);

	fill_cells(seed);
	for (unsigned i = 0; i < WARP_LANES * CELL; i += words ? 4 : 2) {
		unsigned char *at = (unsigned char *)rig.words + i;

		if (words && rng_below(&r, 2))
			memcpy(at, &singles[rng_below(&r, ARRAY_LEN(singles))], 4);
		else if (!words && rng_below(&r, 2))
			memcpy(at, &halves[rng_below(&r, ARRAY_LEN(halves))], 2);
	}
}

/* {%r4, %r5}, loaded from `at` of the cell or stored there. */
static void list_registers(struct text *t, const struct vector_row *row, unsigned first)
{
	unsigned size = bytes_of(row) / row->vec;

	for (unsigned k = 0; k < row->vec; k++)
		text_raw(t, "%s%s%u", k ? ", " : "{", size == 2 ? "%h" : "%r", first + k);
	text_raw(t, "}");
}

static void move_registers(
	struct text *t, const struct vector_row *row, unsigned first, unsigned at, bool load)
{
	unsigned size = bytes_of(row) / row->vec;

	for (unsigned k = 0; k < row->vec; k++) {
		const char *reg = size == 2 ? "%h" : "%r";

		if (load)
			text_raw(t, "ld.global.b%u %s%u, [%%a0+%u];\n", 8 * size, reg, first + k,
				at + k * size);
		else
			text_raw(t, "st.global.b%u [%%a0+%u], %s%u;\n", 8 * size, at + k * size,
				reg, first + k);
	}
}

/* Old values at 0, operands at 16; the returned values go to 32. */
static void check_vector(
	const struct vector_row *row, const char *space, bool returns, bool guarded, unsigned bits)
{
	unsigned char before[WARP_LANES * CELL];
	unsigned bytes = bytes_of(row);
	struct text body = {0};

	fill_numbers(bits + bytes + row->vec, strcmp(row->type, "f32") == 0);
	memcpy(before, rig.words, sizeof(before));
	move_registers(&body, row, 4, 16, true);
	move_registers(&body, row, 12, 48, true);
	text_raw(&body, "%s%s%s.%s%s.v%u.%s ", guarded ? "@%p1 " : "", returns ? "atom" : "red",
		space, row->op, strcmp(row->type, "f32") ? ".noftz" : "", row->vec, row->type);
	if (returns) {
		list_registers(&body, row, 12);
		text_raw(&body, ", ");
	}
	text_raw(&body, "[%%a0], ");
	list_registers(&body, row, 4);
	text_raw(&body, ";\n");
	move_registers(&body, row, 12, 32, false);
	run_body(&body, bits);
	for (unsigned lane = 0; lane < WARP_LANES; lane++) {
		const unsigned char *b = before + lane * CELL;
		bool acts = takes_part(guarded, lane);
		unsigned char new[16];

		memcpy(new, b, bytes);
		if (acts)
			expect(row, b, b + 16, new);
		if (memcmp(cell(lane, 0), new, bytes) != 0 ||
			memcmp(cell(lane, bytes), b + bytes, 32 - bytes) != 0 ||
			memcmp(cell(lane, 32), returns && acts ? b : b + 48, bytes) != 0)
			fail_msg("lane %u of\n%s", lane, text_str(&body));
	}
	text_clear(&body);
}

static void atomics_on_vectors_act_on_each_element(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(vectors); i++)
		for (unsigned how = 0; how < 16; how++)
			check_vector(&vectors[i], how & 1 ? "" : ".global", how & 2, how & 4,
				how & 8 ? 32 : 64);
}

/* Lanes with the same address add one after the other; the old value of one element is unused. */
static void lanes_add_vectors_at_one_address(void **state)
{
	static const char body[] =
		"cvt.rn.f32.u32 %f0, %r0;\nmov.f32 %f1, 1.0;\nld.param.u# %a2, [out];\n"
		"mov.f32 %f3, -1.0;\natom.global.add.v4.f32 {_, %f4, _, %f5}, [%a2+4096], "
		"{%f0, %f1, 0.5, %f3};\nst.global.f32 [%a0], %f4;\nst.global.f32 [%a0+4], %f5;\n";
	(void)state;

	for (unsigned bits = 32; bits <= 64; bits += 32) {
		float sum[4];

		memset(rig.words, 0, sizeof(rig.words));
		assert_int_equal(try_body(body, bits), 0);
		memcpy(sum, (unsigned char *)rig.words + 4096, sizeof(sum));
		assert_true(sum[0] == 496 && sum[1] == 32 && sum[2] == 16 && sum[3] == -32);
		for (unsigned lane = 0; lane < WARP_LANES; lane++) {
			float old[2];

			memcpy(old, cell(lane, 0), sizeof(old));
			assert_true(old[0] == (float)lane && old[1] == -(float)lane);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(atomics_on_vectors_act_on_each_element),
		cmocka_unit_test(lanes_add_vectors_at_one_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
