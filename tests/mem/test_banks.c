/* Bank conflicts in closed forms: passes, words and the busiest bank of hand-written access
 * patterns in each storage design; conflicts of registers, memory and both in a running SM. */
#include "mem/banks.h"
#include "mem/storage/storage.h"
#include "ptx/levels/levels.h"
#include "tests/rig/support_sm.h"

#include "core/base.h"
#include "core/config.h"
#include "core/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define UNIFIED " chip.storage=unified"
#define PENALTY " sm.bank_conflicts=penalty"

static const struct bank_layout partitioned = {.banks = 32, .bank_bytes = 4};
static const struct bank_layout unified = {.banks = 8, .bank_bytes = 16, .unified = true};
static const struct bank_layout combining = {
	.banks = 8, .bank_bytes = 16, .unified = true, .combines = true};

static struct access strided(uint64_t base, uint64_t stride, unsigned bytes)
{
	struct access a = {.space = SPACE_SHARED,
		.bytes = (uint8_t)bytes,
		.contiguous = stride == bytes,
		.mask = UINT32_MAX};

	for (unsigned i = 0; i < WARP_LANES; i++)
		a.addr[i] = base + i * stride;
	return a;
}

static void expect(const struct access *a, const struct bank_layout *layout, uint16_t reads,
	struct bank_use wanted)
{
	struct bank_use use = bank_use(a, layout, reads);

	assert_int_equal(use.passes, wanted.passes);
	assert_int_equal(use.words, wanted.words);
	assert_int_equal(use.most, wanted.most);
}

/* ---- patterns */

/* Words `stride` apart, of `bytes` each. */
static const struct pattern {
	unsigned stride, bytes;
	struct bank_use partitioned, unified, combining;
} patterns[] = {
	/* one row: a bank of every cluster */
	{1, 4, {1, 32, 1}, {1, 8, 1}, {1, 8, 1}},
	/* all lanes the same word */
	{0, 4, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
	/* two rows of the clusters, in two banks; 16 words in even banks */
	{2, 4, {2, 32, 2}, {2, 16, 1}, {1, 16, 1}},
	/* a row of 16 bytes for every lane: each of the 32 banks has one */
	{4, 4, {4, 32, 4}, {4, 32, 1}, {1, 32, 1}},
	/* every other cluster, and two rows of each of its banks */
	{8, 4, {8, 32, 8}, {8, 32, 2}, {2, 32, 2}},
	/* one cluster: 8 rows in each of its banks */
	{32, 4, {32, 32, 32}, {32, 32, 8}, {8, 32, 8}},
	/* the diagonal of a matrix 33 words wide: lanes 0 .. 3 in cluster 0, and so on */
	{33, 4, {1, 32, 1}, {4, 32, 1}, {1, 32, 1}},
	/* 8 bytes a lane: two halves of the warp, two lines */
	{2, 8, {2, 64, 2}, {2, 16, 1}, {2, 16, 1}},
	/* 16 bytes a lane: four quarters, four lines */
	{4, 16, {4, 128, 4}, {4, 32, 1}, {4, 32, 1}},
};

static void a_pattern_has_its_passes_in_each_design(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(patterns); i++) {
		const struct pattern *p = &patterns[i];
		struct access a = strided(256, 4 * p->stride, p->bytes);

		expect(&a, &partitioned, 0, p->partitioned);
		expect(&a, &unified, 0, p->unified);
		expect(&a, &combining, 0, p->combining);
		a.contiguous = false;
		expect(&a, &partitioned, 0, p->partitioned);
		expect(&a, &unified, 0, p->unified);
	}
}

/* Consecutive words from the middle of a row on: nine rows, the first and the last in one cluster,
 * which moves both at once only if it combines banks. */
static void a_run_that_starts_in_a_row_takes_a_pass_more_unless_clusters_combine(void **state)
{
	(void)state;
	for (unsigned words = 1; words < 4; words++) {
		struct access a = strided(256 + 4 * words, 4, 4);

		for (unsigned k = 0; k < 2; k++) {
			a.contiguous = !k;
			expect(&a, &partitioned, 0, (struct bank_use){1, 32, 1});
			expect(&a, &unified, 0, (struct bank_use){2, 9, 1});
			expect(&a, &combining, 0, (struct bank_use){1, 9, 1});
		}
	}
}

/* Section 4.3's example: three accesses to one bank and two to another take two cycles more. */
static void three_in_one_bank_and_two_in_another_take_three_passes(void **state)
{
	static const uint64_t addr[] = {0, 128, 256, 4, 132};
	static const uint64_t rows[] = {0, 512, 1024, 16, 528};
	struct access a = {.space = SPACE_SHARED, .bytes = 4, .mask = 0x1f};

	(void)state;
	memcpy(a.addr, addr, sizeof(addr));
	expect(&a, &partitioned, 0, (struct bank_use){3, 5, 3});
	memcpy(a.addr, rows, sizeof(rows));
	expect(&a, &unified, 0, (struct bank_use){3, 5, 3});
}

/* Line 256 / 128 is in bank 2 of each cluster. */
static void memory_conflicts_with_registers_in_the_bank_of_its_row(void **state)
{
	struct access row = strided(256, 4, 4), wide = strided(256, 8, 8);

	(void)state;
	expect(&row, &unified, 0x0100, (struct bank_use){1, 8, 2});
	expect(&row, &unified, 0x0200, (struct bank_use){1, 8, 3});
	expect(&row, &unified, 0x3033, (struct bank_use){1, 8, 1});
	expect(&wide, &unified, 0x1000, (struct bank_use){2, 16, 2});
	expect(&wide, &unified, 0x0011, (struct bank_use){2, 16, 1});
	/* only clusters that memory accesses use */
	row.mask = 1;
	row.contiguous = false;
	expect(&row, &unified, 0x0100, (struct bank_use){1, 1, 2});
}

static void registers_of_the_next_warp_are_one_bank_further(void **state)
{
	(void)state;
	assert_int_equal(bank_rotated(0x4321, 0), 0x4321);
	assert_int_equal(bank_rotated(0x4321, 1), 0x3214);
	assert_int_equal(bank_rotated(0x4321, 7), 0x1432);
	assert_int_equal(bank_most(0x1302), 3);
	assert_int_equal(bank_most(0), 0);
}

/* ---- random accesses against row after row */
static unsigned naive_most(const struct access *a, uint16_t reads)
{
	uint64_t rows[WARP_LANES * 2];
	unsigned n = 0, most = 0;

	for (uint32_t m = a->mask; m; m &= m - 1) {
		uint64_t row = a->addr[low_bit(m)] / 16,
			 last = (a->addr[low_bit(m)] + a->bytes - 1) / 16;

		for (; row <= last; row++) {
			unsigned k = 0;

			while (k < n && rows[k] != row)
				k++;
			rows[k] = row;
			n += k == n;
		}
	}
	for (unsigned i = 0; i < n; i++) {
		unsigned same = bank_reads(reads, rows[i] / 8 % 4);

		for (unsigned k = 0; k < n; k++)
			same += rows[k] % 32 == rows[i] % 32;
		most = same > most ? same : most;
	}
	return most;
}

static void the_busiest_bank_is_the_one_that_counting_rows_finds(void **state)
{
	struct rng r = rng_new(7, 1);

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		uint16_t reads = (uint16_t)(rng_u64(&r) & 0x3333);
		unsigned bytes = 1u << rng_below(&r, 6);
		struct access a = strided(bytes * rng_below(&r, 64), bytes, bytes);

		assert_int_equal(bank_use(&a, &unified, reads).most, naive_most(&a, reads));
		a.contiguous = false;
		a.mask = (uint32_t)rng_u64(&r) | 1;
		for (unsigned lane = 0; lane < WARP_LANES; lane++)
			a.addr[lane] = bytes * rng_below(&r, 1u << (4 + i % 8));
		assert_int_equal(bank_use(&a, &unified, reads).most, naive_most(&a, reads));
	}
}

static void halves_of_a_warp_take_the_passes_of_their_lanes(void **state)
{
	static const struct bank_layout *const layouts[] = {&partitioned, &unified, &combining};
	struct rng r = rng_new(7, 2);

	(void)state;
	for (unsigned i = 0; i < 6000; i++) {
		const struct bank_layout *layout = layouts[i % 3];
		uint16_t reads = (uint16_t)(rng_u64(&r) & 0x3333);
		unsigned bytes = 1u << rng_below(&r, 6);
		bool rows = rng_below(&r, 2);
		struct access a = strided(bytes * rng_below(&r, 64), rows ? bytes : 0, bytes);
		uint64_t second = bytes * rng_below(&r, 64);
		struct bank_use lanes;

		a.contiguous = false;
		for (unsigned lane = 16; lane < WARP_LANES; lane++)
			a.addr[lane] = second + (rows ? lane - 16 : 0) * bytes;
		lanes = bank_use(&a, layout, reads);
		a.halves = rows ? HALVES_ROWS : HALVES_SAME;
		expect(&a, layout, reads, lanes);
	}
}

/* The order of lanes does not matter; without it, no stride is seen. */
static void a_stride_takes_the_passes_of_its_lanes_in_any_order(void **state)
{
	struct rng r = rng_new(7, 3);

	(void)state;
	for (unsigned i = 0; i < 6000; i++) {
		unsigned bytes = 1u << rng_below(&r, 3), n = 2 + rng_below(&r, 31);
		uint64_t step = 0u - (uint64_t)512 + bytes * rng_below(&r, 1024 / bytes);
		struct access a = strided(65536 + bytes * rng_below(&r, 64), step, bytes);
		uint16_t reads = (uint16_t)(rng_u64(&r) & 0x3333);
		struct access mixed;

		a.contiguous = false;
		a.mask = UINT32_MAX >> (WARP_LANES - n) << rng_below(&r, WARP_LANES + 1 - n);
		mixed = a;
		for (unsigned lane = 0; lane < WARP_LANES / 2; lane++) {
			mixed.addr[lane] = a.addr[2 * lane + 1];
			mixed.addr[lane + WARP_LANES / 2] = a.addr[2 * lane];
		}
		mixed.mask = 0;
		for (unsigned lane = 0; lane < WARP_LANES; lane++) {
			unsigned to = lane / 2 + (lane % 2 ? 0 : WARP_LANES / 2);

			mixed.mask |= (a.mask >> lane & 1) << to;
		}
		expect(&a, &partitioned, 0, bank_use(&mixed, &partitioned, 0));
		expect(&a, &unified, reads, bank_use(&mixed, &unified, reads));
	}
}

/* ---- capacities and tags of the designs */
static double metric_of(const char *settings, const char *body, const char *name)
{
	struct probed d = probe_run(&(struct probe){settings, body, 1, 32});
	double value = probe_metric(&d, name);

	probe_free(&d);
	return value;
}

static struct bank_layout layout_of(const char *design)
{
	struct err err = {0};
	struct config *config = config_new();
	const struct plugin *p = plugin_find("storage", design, "test", &err);
	const struct storage_ops *ops = p->ops;
	uint64_t self[32];
	struct bank_layout layout;

	assert_true(p->size <= sizeof(self));
	config_load(config, p->path, p->params, p->nparams, self, &err);
	assert_int_equal(err.count, 0);
	layout = ops->banks(self);
	config_free(config);
	return layout;
}

/* Table 4 of Gebhart et al.: banks of 8 and 2 KB, unified 12; the Fermi-like memory holds 128 KB.
 */
static void banks_hold_a_32nd_of_their_memory(void **state)
{
	static const struct {
		const char *design;
		unsigned banks, bank_bytes, registers_kb, shared_kb, cache_kb;
	} rows[] = {{"partitioned", 32, 4, 8, 2, 2}, {"fermi", 32, 4, 8, 4, 4},
		{"unified", 8, 16, 12, 12, 12}, {"carveout", 32, 4, 8, 4, 4}};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		struct bank_layout l = layout_of(rows[i].design);

		assert_int_equal(l.banks, rows[i].banks);
		assert_int_equal(l.bank_bytes, rows[i].bank_bytes);
		assert_int_equal(l.register_capacity, rows[i].registers_kb * 1024);
		assert_int_equal(l.shared_capacity, rows[i].shared_kb * 1024);
		assert_int_equal(l.cache_capacity, rows[i].cache_kb * 1024);
		assert_int_equal(l.bytes, 384 * 1024);
		assert_int_equal(l.unified, i == 2);
	}
}

static void tags_have_the_bits_of_the_paper(void **state)
{
	(void)state;
	assert_true(metric_of(ONE_SM, "", "l1tex__tag_bytes.max") == 1.125 * 1024);
	assert_true(metric_of(ONE_SM UNIFIED, "", "l1tex__tag_bytes.max") == 7.125 * 1024);
}

/* ---- in an SM */

/* Registers of all sorts; no instruction reads one twice, except `mul`. */
static const char *const operands =
	"add.u32 %r11, %r3, %r4; mad.lo.u32 %r12, %r11, %r4, %r3; mul.lo.u32 %r13, %r12, %r12;\n"
	"mad.lo.u32 %r14, %r13, %r12, %r11; mad.lo.u32 %r15, %r14, %r13, %r12;\n"
	"cvt.u64.u32 %rd2, %r3; cvt.u64.u32 %rd3, %r15; add.u64 %rd1, %rd2, %rd3;\n"
	"add.u64 %rd4, %rd1, %rd2; xor.b32 %r16, %r15, %r14; cvt.u32.u64 %r18, %rd4;\n"
	"mad.lo.u32 %r17, %r16, %r15, %r13; st.global.u32 [%r2], %r17;\n"
	"st.global.u32 [%r2+1024], %r18;";

/* Expected from the compiled program, for one execution of each of its instructions except the
 * branch's target that is not taken. */
static void expected_of(const struct probed *d, unsigned hist[5], unsigned *cycles)
{
	const struct program *p = gpu_compiled(d->k.gpu, 0)->kernels[0];

	memset(hist, 0, 5 * sizeof(*hist));
	*cycles = 0;
	for (uint32_t i = 0; i < p->ninstr; i++) {
		unsigned met = p->levels->notes[i].met;

		assert_int_equal(met, bank_most(p->levels->notes[i].banks));
		hist[met < 2 ? 0 : met - 1]++;
		*cycles += met < 2 ? 0 : met - 1;
	}
}

/* All operands in the main registers. */
#define PLAIN ONE_SM " rf.hierarchy=none gpu.spread_banks=false"

static void conflicting_reads_cost_a_cycle_each_except_the_first(void **state)
{
	static const char *const bins[] = {"bank__inst_most_1.sum", "bank__inst_most_2.sum",
		"bank__inst_most_3.sum", "bank__inst_most_4.sum", "bank__inst_most_more.sum"};
	static const char *const prices[] = {PLAIN " sm.bank_conflicts=none", PLAIN, PLAIN PENALTY};

	(void)state;
	for (unsigned k = 0; k < ARRAY_LEN(prices); k++) {
		struct probed d = probe_run(&(struct probe){prices[k], operands, 1, 32});
		unsigned hist[5], cycles;

		expected_of(&d, hist, &cycles);
		assert_true(cycles > 0);
		for (unsigned i = 0; i < ARRAY_LEN(bins); i++)
			assert_true(probe_metric(&d, bins[i]) == hist[i]);
		assert_true(probe_metric(&d, "bank__conflicts_register.sum") == cycles);
		assert_true(probe_metric(&d, "sched__cycles_mio_throttle.sum") ==
			    (k == 2 ? cycles : 0));
		probe_free(&d);
	}
}

static void four_loads(const char *space, const char *base, char *out, size_t n)
{
	snprintf(out, n,
		"mov.u32 %%r9, buf; add.u32 %%r9, %%r9, %%r4;\n"
		"ld.%s.u32 %%r11, [%s]; ld.%s.u32 %%r12, [%s+128];\n"
		"ld.%s.u32 %%r13, [%s+256]; ld.%s.u32 %%r14, [%s+384];\n"
		"add.u32 %%r11, %%r11, %%r12; add.u32 %%r11, %%r11, %%r13;\n"
		"add.u32 %%r11, %%r11, %%r14; st.global.u32 [%%r2], %%r11;\n",
		space, base, space, base, space, base, space, base);
}

/* Four loads by one address register, from lines in the four banks: one conflicts with the
 * register. */
static void one_of_four_lines_conflicts_with_the_address_register(void **state)
{
	char shared[600], global[600];

	(void)state;
	four_loads("shared", "%r9", shared, sizeof(shared));
	four_loads("global", "%r1", global, sizeof(global));
	assert_true(metric_of(PLAIN UNIFIED, shared, "bank__conflicts_arbitration.sum") == 1);
	assert_true(metric_of(PLAIN UNIFIED, global, "bank__conflicts_arbitration.sum") == 1);
	assert_true(metric_of(PLAIN, shared, "bank__conflicts_arbitration.sum") == 0);
	assert_true(
		metric_of(PLAIN UNIFIED PENALTY, shared, "sched__cycles_mio_throttle.sum") -
			metric_of(PLAIN UNIFIED PENALTY, shared, "bank__conflicts_register.sum") ==
		1);
}

/* Lanes 128 bytes apart, from 32 lines: passes by design. */
static void a_column_takes_32_passes_unless_clusters_combine_banks(void **state)
{
	static const char *const column = "mov.u32 %r9, buf; shl.b32 %r10, %r3, 7;\n"
					  "add.u32 %r9, %r9, %r10; ld.shared.u32 %r11, [%r9];\n"
					  "st.global.u32 [%r2], %r11;\n";
	const char *const conflicts = "l1tex__data_bank_conflicts_pipe_lsu.sum";

	(void)state;
	assert_true(metric_of(PLAIN, column, conflicts) == 31);
	assert_true(metric_of(PLAIN UNIFIED, column, conflicts) == 31);
	assert_true(
		metric_of(PLAIN UNIFIED " storage.unified.combine=true", column, conflicts) == 7);
	assert_true(metric_of(PLAIN UNIFIED, column, "bank__inst_most_more.sum") == 1);
}

static void registers_of_upper_levels_have_no_conflicts(void **state)
{
	const char *const chain = "add.u32 %r11, %r3, %r4; add.u32 %r12, %r11, %r11;\n"
				  "mad.lo.u32 %r13, %r12, %r11, %r12;\n"
				  "mad.lo.u32 %r14, %r13, %r12, %r13;\n"
				  "st.global.u32 [%r2], %r14;\n";
	const char *const software = " rf.hierarchy=software rf.entries=8";
	const char *const hardware = " rf.hierarchy=hardware rf.entries=8 rf.lrf=0";
	char settings[128];

	(void)state;
	snprintf(settings, sizeof(settings), "%s%s", ONE_SM, software);
	assert_true(metric_of(settings, chain, "bank__conflicts_register.sum") == 0);
	snprintf(settings, sizeof(settings), "%s%s", ONE_SM, hardware);
	assert_true(metric_of(settings, chain, "bank__conflicts_register.sum") == 0);
	/* in which values are in the MRF after all, when it is too small for them */
	snprintf(settings, sizeof(settings),
		"%s rf.hierarchy=hardware rf.entries=1 rf.lrf=0 gpu.spread_banks=false", ONE_SM);
	assert_true(metric_of(settings, operands, "bank__conflicts_register.sum") > 0);
}

static void an_unknown_conflict_model_is_refused(void **state)
{
	struct config *config = config_new();
	struct chip_host host = {.threads = 1};
	struct err err = {0};
	struct gpu *g;

	(void)state;
	assert_int_equal(config_set_text(config, "sm.bank_conflicts=some", "test", &err), 0);
	g = gpu_new(config, NULL, &err);
	assert_non_null(g);
	assert_int_equal(chip_new(g, &host, &err), -1);
	assert_non_null(strstr(err_text(&err),
		"sm.bank_conflicts = some: must be none, memory, penalty, cycle or delay"));
	gpu_free(g);
	err_clear(&err);
	config_free(config);
}

/* Lane t's address is (t / per % of) * step. */
static const struct {
	unsigned per, of, step, bytes, apart, together;
} pairs[] = {
	/* one address: of 16 bytes two passes, of 8 one */
	{1, 1, 0, 16, 4, 2},
	{1, 1, 0, 8, 2, 1},
	/* measured on an A10 and an H100: half-warps of one address, and lanes 16 apart */
	{16, 2, 32, 16, 4, 2},
	{1, 16, 32, 16, 8, 8},
	/* pairs: eight addresses side by side in each half-warp, and in one bank */
	{2, 16, 16, 16, 4, 2},
	{2, 16, 128, 16, 16, 16},
	{2, 16, 8, 8, 2, 1},
	{1, 32, 16, 16, 4, 4},
	{1, 32, 4, 4, 1, 1},
	/* more than 16 bytes a lane */
	{1, 1, 0, 32, 8, 8},
};

static void wide_loads_of_pairs_of_lanes_take_half_the_passes(void **state)
{
	struct bank_layout merging = partitioned;

	(void)state;
	merging.merges = true;
	for (unsigned i = 0; i < ARRAY_LEN(pairs); i++) {
		struct access a = {.space = SPACE_SHARED,
			.action = ACT_LOAD,
			.bytes = (uint8_t)pairs[i].bytes,
			.mask = UINT32_MAX};

		for (unsigned t = 0; t < WARP_LANES; t++)
			a.addr[t] = t / pairs[i].per % pairs[i].of * pairs[i].step;
		assert_int_equal(bank_use(&a, &partitioned, 0).passes, pairs[i].apart);
		assert_int_equal(bank_use(&a, &merging, 0).passes, pairs[i].together);
		a.action = ACT_STORE;
		assert_int_equal(bank_use(&a, &merging, 0).passes, pairs[i].apart);
	}
}

/* Lanes t and t ^ 2, and a lane that is not active beside its neighbour. */
static void pairs_are_of_lanes_one_or_two_apart(void **state)
{
	struct bank_layout merging = partitioned;
	struct access a = {
		.space = SPACE_SHARED, .action = ACT_LOAD, .bytes = 16, .mask = UINT32_MAX};

	(void)state;
	merging.merges = true;
	for (unsigned t = 0; t < WARP_LANES; t++)
		a.addr[t] = (t & 1) * 16 + t / 4 * 32;
	assert_int_equal(bank_use(&a, &merging, 0).passes, 2);
	a.addr[5] += 16;
	assert_int_equal(bank_use(&a, &merging, 0).passes, 3);
	a.mask &= ~(1u << 5);
	assert_int_equal(bank_use(&a, &merging, 0).passes, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pattern_has_its_passes_in_each_design),
		cmocka_unit_test(
			a_run_that_starts_in_a_row_takes_a_pass_more_unless_clusters_combine),
		cmocka_unit_test(three_in_one_bank_and_two_in_another_take_three_passes),
		cmocka_unit_test(memory_conflicts_with_registers_in_the_bank_of_its_row),
		cmocka_unit_test(registers_of_the_next_warp_are_one_bank_further),
		cmocka_unit_test(the_busiest_bank_is_the_one_that_counting_rows_finds),
		cmocka_unit_test(halves_of_a_warp_take_the_passes_of_their_lanes),
		cmocka_unit_test(a_stride_takes_the_passes_of_its_lanes_in_any_order),
		cmocka_unit_test(banks_hold_a_32nd_of_their_memory),
		cmocka_unit_test(tags_have_the_bits_of_the_paper),
		cmocka_unit_test(conflicting_reads_cost_a_cycle_each_except_the_first),
		cmocka_unit_test(one_of_four_lines_conflicts_with_the_address_register),
		cmocka_unit_test(a_column_takes_32_passes_unless_clusters_combine_banks),
		cmocka_unit_test(registers_of_upper_levels_have_no_conflicts),
		cmocka_unit_test(wide_loads_of_pairs_of_lanes_take_half_the_passes),
		cmocka_unit_test(pairs_are_of_lanes_one_or_two_apart),
		cmocka_unit_test(an_unknown_conflict_model_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
