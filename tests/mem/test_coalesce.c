/* Coalescing, bank conflicts and storage occupancy: closed forms, and random accesses against a
 * byte-by-byte oracle. */
#include "mem/banks.h"
#include "mem/coalesce.h"
#include "mem/storage/storage.h"

#include "core/base.h"
#include "core/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define BASE UINT64_C(0x10000000)

extern const struct plugin storage_partitioned;

static struct access strided(uint64_t base, uint64_t stride, unsigned bytes)
{
	struct access a = {.space = SPACE_GLOBAL,
		.bytes = (uint8_t)bytes,
		.contiguous = stride == bytes,
		.mask = UINT32_MAX};

	for (unsigned i = 0; i < WARP_LANES; i++)
		a.addr[i] = base + i * stride;
	return a;
}

/* ---- the oracle: every byte of every lane in a list of lines. */
struct oracle_line {
	uint64_t line;
	uint32_t lanes;
	bool byte[LINE_BYTES];
};

static void oracle_byte(struct oracle_line *lines, unsigned *n, unsigned lane, uint64_t addr)
{
	unsigned i = 0;

	while (i < *n && lines[i].line != addr / LINE_BYTES * LINE_BYTES)
		i++;
	if (i == *n)
		lines[(*n)++] = (struct oracle_line){.line = addr / LINE_BYTES * LINE_BYTES};
	lines[i].lanes |= 1u << lane;
	lines[i].byte[addr % LINE_BYTES] = true;
}

static unsigned oracle(const struct access *a, struct oracle_line *lines)
{
	bool interleaved = a->space == SPACE_LOCAL;
	unsigned n = 0;

	for (unsigned lane = 0; lane < WARP_LANES; lane++)
		for (unsigned b = 0; b < a->bytes && a->mask >> lane & 1; b++)
			oracle_byte(lines, &n, lane,
				a->addr[lane] + (interleaved ? b / 4 * LINE_BYTES + b % 4 : b));
	return n;
}

static void check(const struct access *a)
{
	struct oracle_line expected[COALESCE_MAX];
	struct line_access got[COALESCE_MAX];
	unsigned n = coalesce(a, got);

	assert_int_equal(n, oracle(a, expected));
	for (unsigned i = 0; i < n; i++) {
		unsigned bytes = 0, granules = 0;

		for (unsigned b = 0; b < LINE_BYTES; b++) {
			bytes += expected[i].byte[b];
			granules |= (unsigned)expected[i].byte[b] << b / GRANULE_BYTES;
		}
		assert_int_equal(got[i].line, expected[i].line);
		assert_int_equal(got[i].lanes, expected[i].lanes);
		assert_int_equal(got[i].granules, granules);
		assert_int_equal(got[i].bytes, bytes);
	}
}

static void every_stride_of_words_touches_its_lines(void **state)
{
	struct line_access out[COALESCE_MAX];

	(void)state;
	for (unsigned stride = 0; stride <= 64; stride++) {
		struct access a = strided(BASE, stride * 4, 4);
		/* up to a line apart, no line is skipped */
		unsigned expected = stride <= 32 ? (31 * stride * 4) / LINE_BYTES + 1 : 32;

		assert_int_equal(coalesce(&a, out), expected);
		check(&a);
	}
}

static void a_full_warp_of_words_is_one_whole_line(void **state)
{
	struct line_access out[COALESCE_MAX];
	struct access a = strided(BASE + 256, 4, 4);

	(void)state;
	assert_int_equal(coalesce(&a, out), 1);
	assert_int_equal(out[0].line, BASE + 256);
	assert_int_equal(out[0].lanes, UINT32_MAX);
	assert_int_equal(out[0].granules, 0xff);
	assert_int_equal(out[0].bytes, 128);
	a = strided(BASE + 256, 0, 4);
	assert_int_equal(coalesce(&a, out), 1);
	assert_int_equal(out[0].lanes, UINT32_MAX);
	assert_int_equal(out[0].granules, 0x01);
	assert_int_equal(out[0].bytes, 4);
	a.mask = 0;
	assert_int_equal(coalesce(&a, out), 0);
}

static void contiguous_accesses_of_any_size_and_start_touch_their_bytes(void **state)
{
	(void)state;
	for (unsigned bytes = 1; bytes <= 32; bytes *= 2)
		for (unsigned start = 0; start < 256; start += bytes) {
			struct access a = strided(BASE + start, bytes, bytes);

			check(&a);
			a.contiguous = false;
			check(&a);
		}
}

static void halves_of_a_warp_touch_what_their_lanes_do(void **state)
{
	struct rng r = rng_new(5, 1);

	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		unsigned bytes = 1u << rng_below(&r, 6), first = rng_below(&r, 40);
		bool rows = rng_below(&r, 2);
		struct access a = strided(BASE + bytes * first, rows ? bytes : 0, bytes);
		uint64_t second = BASE + bytes * rng_below(&r, 80);

		a.contiguous = false;
		a.halves = rows ? HALVES_ROWS : HALVES_SAME;
		for (unsigned lane = 16; lane < WARP_LANES; lane++)
			a.addr[lane] = second + (rows ? lane - 16 : 0) * bytes;
		check(&a);
	}
}

static void vectors_take_two_four_and_eight_lines(void **state)
{
	struct line_access out[COALESCE_MAX];
	struct access a = strided(BASE, 8, 8);

	(void)state;
	assert_int_equal(coalesce(&a, out), 2);
	assert_int_equal(out[1].lanes, 0xffff0000);
	a = strided(BASE, 16, 16);
	assert_int_equal(coalesce(&a, out), 4);
	assert_int_equal(out[2].lanes, 0x00ff0000);
	assert_int_equal(out[2].bytes, 128);
	a = strided(BASE, 32, 32);
	assert_int_equal(coalesce(&a, out), 8);
	assert_int_equal(out[7].lanes, 0xf0000000);
	assert_int_equal(out[7].bytes, 128);
}

static void a_local_double_takes_its_two_interleaved_words(void **state)
{
	struct line_access out[COALESCE_MAX];
	struct access a = strided(BASE, 4, 8);

	(void)state;
	a.space = SPACE_LOCAL;
	assert_int_equal(coalesce(&a, out), 2);
	assert_int_equal(out[0].line, BASE);
	assert_int_equal(out[1].line, BASE + 128);
	assert_int_equal(out[1].lanes, UINT32_MAX);
	assert_int_equal(out[1].bytes, 128);
	check(&a);
	a.bytes = 32;
	assert_int_equal(coalesce(&a, out), 8);
	check(&a);
	/* every lane in a line of its own: the maximum number of lines */
	for (unsigned i = 0; i < WARP_LANES; i++)
		a.addr[i] = BASE + i * 8 * LINE_BYTES + i * 4;
	assert_int_equal(coalesce(&a, out), COALESCE_MAX);
	assert_int_equal(COALESCE_MAX, 256);
	check(&a);
}

static void random_local_accesses_agree_with_the_bytes(void **state)
{
	struct rng r = rng_new(7, 0);

	(void)state;
	for (unsigned i = 0; i < 3000; i++) {
		unsigned words = 1u << rng_below(&r, 4), places = 1u << rng_below(&r, 7);
		struct access a = {.space = SPACE_LOCAL,
			.bytes = (uint8_t)(4 * words),
			.mask = i % 3 ? (uint32_t)rng_u64(&r) : UINT32_MAX};

		for (unsigned lane = 0; lane < WARP_LANES; lane++)
			a.addr[lane] = BASE + rng_below(&r, places) * words * LINE_BYTES + 4 * lane;
		check(&a);
	}
}

static void random_accesses_agree_with_the_bytes(void **state)
{
	struct rng r = rng_new(5, 0);

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		unsigned bytes = 1u << rng_below(&r, 6);
		uint32_t span = 32u << rng_below(&r, 12);
		struct access a = {.space = SPACE_GLOBAL,
			.bytes = (uint8_t)bytes,
			.mask = (uint32_t)rng_u64(&r)};

		if (i % 3 == 0)
			a.mask = UINT32_MAX;
		for (unsigned lane = 0; lane < WARP_LANES; lane++)
			a.addr[lane] = BASE + rng_below(&r, span) / bytes * bytes;
		check(&a);
	}
}

/* ---- banks */
static unsigned bank_passes(const struct access *a, struct bank_layout layout)
{
	return bank_use(a, &layout, 0).passes;
}

static const struct bank_layout words = {.banks = 32, .bank_bytes = 4};
static const struct bank_layout quads = {.banks = 32, .bank_bytes = 16};

static unsigned gcd(unsigned a, unsigned b)
{
	return b ? gcd(b, a % b) : a;
}

static void a_stride_of_words_conflicts_by_its_common_divisor_with_the_banks(void **state)
{
	(void)state;
	for (unsigned stride = 1; stride <= 256; stride++) {
		struct access a = strided(stride * 4, stride * 4, 4);

		assert_int_equal(bank_passes(&a, words), gcd(stride, 32));
	}
}

static void a_broadcast_takes_one_pass(void **state)
{
	struct access a = strided(64, 0, 4);

	(void)state;
	assert_int_equal(bank_passes(&a, words), 1);
	assert_int_equal(bank_passes(&a, quads), 1);
	for (unsigned i = 0; i < WARP_LANES; i++)
		a.addr[i] = 128 * (i % 4); /* four words of one bank, eight lanes each */
	assert_int_equal(bank_passes(&a, words), 4);
	a.bytes = 1; /* four lanes share a word */
	for (unsigned i = 0; i < WARP_LANES; i++)
		a.addr[i] = i;
	assert_int_equal(bank_passes(&a, words), 1);
	a.mask = 0;
	assert_int_equal(bank_passes(&a, words), 0);
}

static void wide_lanes_take_passes_of_a_half_a_quarter_or_an_eighth(void **state)
{
	struct access a = strided(256, 8, 8);

	(void)state;
	assert_int_equal(bank_passes(&a, words), 2);
	assert_int_equal(bank_passes(&a, quads), 1);
	a.contiguous = false;
	assert_int_equal(bank_passes(&a, words), 2);
	a.mask = 0xffff;
	assert_int_equal(bank_passes(&a, words), 1);
	a = strided(256, 16, 16);
	assert_int_equal(bank_passes(&a, words), 4);
	assert_int_equal(bank_passes(&a, quads), 1);
	a.contiguous = false;
	assert_int_equal(bank_passes(&a, words), 4);
	a = strided(0, 32, 8); /* each half-warp: 16 lanes, four apart: 4 rows */
	assert_int_equal(bank_passes(&a, words), 8);
	a = strided(0, 128, 16); /* each quarter-warp: 8 lanes on the same four banks */
	assert_int_equal(bank_passes(&a, words), 32);
	a = strided(256, 32, 32);
	assert_int_equal(bank_passes(&a, words), 8);
	assert_int_equal(bank_passes(&a, quads), 2);
	a.contiguous = false;
	assert_int_equal(bank_passes(&a, words), 8);
	assert_int_equal(bank_passes(&a, quads), 2);
}

static unsigned naive_passes(const struct access *a, struct bank_layout layout)
{
	unsigned group = layout.banks * layout.bank_bytes / a->bytes, sum = 0;

	if (group > WARP_LANES)
		group = WARP_LANES;
	for (unsigned first = 0; first < WARP_LANES; first += group) {
		uint64_t met[128];
		unsigned n = 0, most = 0;

		for (unsigned lane = first; lane < first + group; lane++)
			for (unsigned b = 0; b < a->bytes && a->mask >> lane & 1; b++) {
				uint64_t word = (a->addr[lane] + b) / layout.bank_bytes;
				unsigned same = 0, i = 0;

				while (i < n && met[i] != word)
					i++;
				if (i < n)
					continue;
				met[n++] = word;
				for (i = 0; i < n; i++)
					same += met[i] % layout.banks == word % layout.banks;
				most = same > most ? same : most;
			}
		sum += most;
	}
	return sum;
}

static void random_shared_accesses_agree_with_counted_rows(void **state)
{
	static const struct bank_layout layouts[] = {{.banks = 32, .bank_bytes = 4},
		{.banks = 32, .bank_bytes = 16}, {.banks = 8, .bank_bytes = 16},
		{.banks = 16, .bank_bytes = 4}, {.banks = 64, .bank_bytes = 4}};
	struct rng r = rng_new(6, 0);

	(void)state;
	for (unsigned i = 0; i < 30000; i++) {
		unsigned bytes = 1u << rng_below(&r, 6);
		uint32_t span = 64u << rng_below(&r, 9), start = rng_below(&r, 64) * bytes;
		struct access a = strided(start, bytes, bytes);
		struct bank_layout layout = layouts[rng_below(&r, ARRAY_LEN(layouts))];

		assert_int_equal(bank_passes(&a, layout), naive_passes(&a, layout));
		a.contiguous = false;
		a.mask = (uint32_t)rng_u64(&r);
		for (unsigned lane = 0; lane < WARP_LANES; lane++)
			a.addr[lane] = rng_below(&r, span) / bytes * bytes;
		assert_int_equal(bank_passes(&a, layout), naive_passes(&a, layout));
	}
}

/* ---- storage: the plugin's state is its parameters, in the order of its table. */
struct sizes {
	uint64_t register_bytes, shared_bytes, cache_bytes;
};

static void partitioned_storage_is_256_64_64_kilobytes(void **state)
{
	const struct param_def *p = storage_partitioned.params;

	(void)state;
	assert_int_equal(storage_partitioned.size, sizeof(struct sizes));
	assert_int_equal(storage_partitioned.nparams, 3);
	assert_string_equal(p[0].name, "register_bytes");
	assert_true(p[0].value == 256 * 1024);
	assert_string_equal(p[1].name, "shared_bytes");
	assert_true(p[1].value == 64 * 1024);
	assert_string_equal(p[2].name, "cache_bytes");
	assert_true(p[2].value == 64 * 1024);
}

static void ctas_fit_by_registers_and_by_shared_memory(void **state)
{
	const struct sizes sizes = {256 * 1024, 64 * 1024, 64 * 1024};
	const struct storage_ops *ops = storage_partitioned.ops;
	const struct {
		struct storage_need need;
		uint32_t ctas;
	} cases[] = {
		{{.regs_per_thread = 57, .warps_per_cta = 1}, 35}, /* 262144 / (57 * 128) = 35.9 */
		{{.regs_per_thread = 57, .warps_per_cta = 8}, 4},
		{{.regs_per_thread = 64, .warps_per_cta = 32}, 1},
		{{.regs_per_thread = 64, .warps_per_cta = 1}, 32},
		{{.regs_per_thread = 16, .warps_per_cta = 8, .shared_per_cta = 8192}, 8},
		{{.regs_per_thread = 16, .warps_per_cta = 8, .shared_per_cta = 8193}, 7},
		{{.regs_per_thread = 16, .warps_per_cta = 8, .shared_per_cta = 65536}, 1},
		{{.regs_per_thread = 63, .warps_per_cta = 16, .shared_per_cta = 16384}, 2},
	};
	struct storage_split split;
	struct err err = {0};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(ops->split(&sizes, &cases[i].need, 1, &split, &err), 0);
		assert_int_equal(split.cache_bytes, 64 * 1024);
		assert_int_equal(storage_ctas(&split, &cases[i].need), cases[i].ctas);
	}
	assert_int_equal(ops->banks(&sizes).banks, 32);
	assert_int_equal(ops->banks(&sizes).bank_bytes, 4);
}

static void a_cta_that_can_never_fit_is_an_error_that_says_what_it_needs(void **state)
{
	const struct sizes sizes = {256 * 1024, 64 * 1024, 64 * 1024};
	const struct storage_ops *ops = storage_partitioned.ops;
	struct storage_need wide = {.regs_per_thread = 65, .warps_per_cta = 32};
	struct storage_need deep = {
		.regs_per_thread = 8, .warps_per_cta = 1, .shared_per_cta = 65537};
	struct storage_split split;
	struct err err = {0};

	(void)state;
	assert_int_equal(ops->split(&sizes, &wide, 1, &split, &err), -1);
	assert_int_equal(err.code, ERR_RESOURCE);
	assert_non_null(strstr(err_text(&err), "266240"));
	assert_non_null(strstr(err_text(&err), "storage.partitioned.register_bytes"));
	err_clear(&err);
	assert_int_equal(ops->split(&sizes, &deep, 1, &split, &err), -1);
	assert_non_null(strstr(err_text(&err), "65537"));
	assert_non_null(strstr(err_text(&err), "storage.partitioned.shared_bytes"));
	err_clear(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_stride_of_words_touches_its_lines),
		cmocka_unit_test(a_full_warp_of_words_is_one_whole_line),
		cmocka_unit_test(contiguous_accesses_of_any_size_and_start_touch_their_bytes),
		cmocka_unit_test(halves_of_a_warp_touch_what_their_lanes_do),
		cmocka_unit_test(vectors_take_two_four_and_eight_lines),
		cmocka_unit_test(a_local_double_takes_its_two_interleaved_words),
		cmocka_unit_test(random_accesses_agree_with_the_bytes),
		cmocka_unit_test(random_local_accesses_agree_with_the_bytes),
		cmocka_unit_test(a_stride_of_words_conflicts_by_its_common_divisor_with_the_banks),
		cmocka_unit_test(a_broadcast_takes_one_pass),
		cmocka_unit_test(wide_lanes_take_passes_of_a_half_a_quarter_or_an_eighth),
		cmocka_unit_test(random_shared_accesses_agree_with_counted_rows),
		cmocka_unit_test(partitioned_storage_is_256_64_64_kilobytes),
		cmocka_unit_test(ctas_fit_by_registers_and_by_shared_memory),
		cmocka_unit_test(a_cta_that_can_never_fit_is_an_error_that_says_what_it_needs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
