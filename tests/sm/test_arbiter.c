/* Banks in time (sm.bank_conflicts=cycle): rows against counting them one by one, and in a running
 * SM the cycle of each access. */
#include "mem/banks.h"
#include "tests/rig/support_sm.h"

#include "core/base.h"
#include "core/config.h"
#include "core/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define CYCLE " sm.bank_conflicts=cycle"
#define PLAIN ONE_SM " rf.hierarchy=none gpu.spread_banks=false"
#define UNIFIED " chip.storage=unified"

static const struct bank_layout unified = {.banks = 8, .bank_bytes = 16, .unified = true};
static const struct bank_layout combining = {
	.banks = 8, .bank_bytes = 16, .unified = true, .combines = true};

/* ---- rows */
static struct access random_access(struct rng *r, unsigned spread)
{
	unsigned bytes = 1u << rng_below(r, 5);
	struct access a = {
		.space = SPACE_SHARED, .bytes = (uint8_t)bytes, .mask = (uint32_t)rng_u64(r) | 1};

	for (unsigned i = 0; i < WARP_LANES; i++)
		a.addr[i] = bytes * rng_below(r, 1u << spread);
	return a;
}

static unsigned count_of(const struct bank_rows *rows, unsigned bank, unsigned cluster)
{
	return rows->bank[bank] >> cluster * 8 & 255;
}

/* Distinct rows of 16 bytes, by bank and cluster. */
static void count_naively(const struct access *a, unsigned count[BANK_REGISTERS][BANK_CLUSTERS])
{
	uint64_t seen[WARP_LANES];
	unsigned n = 0;

	memset(count, 0, sizeof(unsigned) * BANK_REGISTERS * BANK_CLUSTERS);
	for (uint32_t m = a->mask; m; m &= m - 1) {
		uint64_t row = a->addr[low_bit(m)] / 16;
		unsigned k = 0;

		while (k < n && seen[k] != row)
			k++;
		if (k < n)
			continue;
		seen[n++] = row;
		count[row / 8 % 4][row % 8]++;
	}
}

static void rows_are_those_that_counting_finds(void **state)
{
	unsigned want[BANK_REGISTERS][BANK_CLUSTERS];
	struct rng r = rng_new(11, 1);

	(void)state;
	for (unsigned i = 0; i < 5000; i++) {
		struct access a = random_access(&r, 4 + i % 8);
		struct bank_rows rows;

		if (i % 5 == 0) {
			a.contiguous = true;
			a.mask = UINT32_MAX;
			for (unsigned lane = 1; lane < WARP_LANES; lane++)
				a.addr[lane] = a.addr[0] + lane * a.bytes;
		}
		bank_rows_of(&a, &rows);
		count_naively(&a, want);
		for (unsigned b = 0; b < BANK_REGISTERS; b++)
			for (unsigned c = 0; c < BANK_CLUSTERS; c++)
				assert_int_equal(count_of(&rows, b, c), want[b][c]);
	}
}

/* With all banks free: as many cycles as passes, of accesses that are not wider than all banks. */
static void rows_alone_take_as_many_cycles_as_passes(void **state)
{
	const struct bank_layout *layouts[] = {&unified, &combining};
	struct rng r = rng_new(12, 1);

	(void)state;
	for (unsigned i = 0; i < 4000; i++) {
		struct access a = random_access(&r, 4 + i % 8);
		const struct bank_layout *layout = layouts[i % 2];
		struct bank_rows rows;
		unsigned cycles = 0, passes;

		a.bytes = 4;
		for (unsigned lane = 0; lane < WARP_LANES; lane++)
			a.addr[lane] &= ~UINT64_C(3);
		passes = bank_use(&a, layout, 0).passes;
		bank_rows_of(&a, &rows);
		if (layout == &unified)
			assert_int_equal(bank_rows_length(&rows, layout), passes);
		assert_true(bank_rows_length(&rows, layout) <= passes);
		for (unsigned left; (left = bank_rows_length(&rows, layout)); cycles++) {
			bank_rows_move(&rows, layout, 15);
			assert_int_equal(bank_rows_length(&rows, layout), left - 1);
		}
		assert_true(cycles <= passes);
	}
}

/* A cluster with rows in a bank that registers read takes those of another. */
static void a_cluster_moves_what_registers_leave_free(void **state)
{
	struct bank_rows rows = {{0x0101, 0x01, 0, 0}};

	(void)state;
	bank_rows_move(&rows, &unified, 14); /* not bank 0 */
	assert_int_equal(rows.bank[0], 0x0101);
	assert_int_equal(rows.bank[1], 0);
	bank_rows_move(&rows, &unified, 15);
	assert_int_equal(rows.bank[0], 0);
	rows = (struct bank_rows){{0x0101, 0x01, 0, 0}};
	bank_rows_move(&rows, &combining, 15);
	assert_int_equal(rows.bank[0] | rows.bank[1], 0);
	bank_rows_of_line(2, &rows);
	bank_rows_twice(&rows);
	assert_int_equal(count_of(&rows, 2, 7), 2);
	assert_int_equal(bank_rows_length(&rows, &unified), 2);
}

/* ---- in an SM */
static uint32_t cycles_of(const char *settings, const char *body)
{
	return probe_cycles(&(struct probe){settings, body, 1, 32});
}

static double metric_of(const char *settings, const char *body, const char *name)
{
	struct probed d = probe_run(&(struct probe){settings, body, 1, 32});
	double value;

	expect_balanced_counters(&d.k);
	value = probe_metric(&d, name);
	probe_free(&d);
	return value;
}

/* Words `stride` apart, alone: 20 cycles and those of further passes, as by the penalty. */
static void an_access_that_nothing_meets_takes_what_it_takes_by_penalty(void **state)
{
	static const char *const designs[] = {
		"", " chip.storage=fermi", UNIFIED, UNIFIED " storage.unified.combine=yes"};
	char body[400], settings[200];

	(void)state;
	for (unsigned shift = 2; shift < 8; shift++) {
		snprintf(body, sizeof(body),
			"mov.u32 %%r9, buf; shl.b32 %%r10, %%r3, %u; add.u32 %%r9, %%r9, %%r10;\n"
			"%sld.shared.u32 %%r11, [%%r9]; add.u32 %%r12, %%r11, 1;\n%s",
			shift, CLOCK_START, CLOCK_STOP);
		for (unsigned i = 0; i < ARRAY_LEN(designs); i++) {
			uint32_t by_memory, by_cycle;

			snprintf(settings, sizeof(settings), PLAIN "%s", designs[i]);
			by_memory = cycles_of(settings, body);
			snprintf(settings, sizeof(settings), PLAIN CYCLE "%s", designs[i]);
			by_cycle = cycles_of(settings, body);
			assert_int_equal(by_cycle, by_memory);
		}
	}
}

/* The row is read in the cycle in which the next instruction reads %r3: of four lines in the four
 * banks, one finds its bank taken and waits a cycle. */
static void of_four_lines_one_waits_for_the_next_instructions_register(void **state)
{
	uint32_t cycles[4], least = UINT32_MAX, sum = 0;
	double slips = 0;
	char body[400];

	(void)state;
	for (unsigned k = 0; k < 4; k++) {
		snprintf(body, sizeof(body),
			"mov.u32 %%r9, buf; add.u32 %%r9, %%r9, %%r4;\n"
			"%sld.shared.u32 %%r11, [%%r9+%u]; xor.b32 %%r12, %%r3, %%r3;\n"
			"add.u32 %%r13, %%r11, 1;\n%s",
			CLOCK_START, k * 128, CLOCK_STOP);
		cycles[k] = cycles_of(PLAIN UNIFIED CYCLE, body);
		slips += metric_of(PLAIN UNIFIED CYCLE, body, "bank__conflicts_arbitration.sum");
		least = cycles[k] < least ? cycles[k] : least;
		sum += cycles[k];
		assert_int_equal(cycles_of(PLAIN CYCLE, body), cycles_of(PLAIN, body));
	}
	assert_int_equal(sum, 4 * least + 1);
	assert_true(slips == 1);
}

/* 32 lines that the cache has, and behind the first of them 32 passes over shared memory. */
static const char lines_and_column[] =
	"mov.u32 %r9, buf; shl.b32 %r10, %r3, 7; add.u32 %r9, %r9, %r10; add.u32 %r10, %r10, %r1;\n"
	"ld.global.u32 %r14, [%r10]; add.u32 %r14, %r14, 1;\n" CLOCK_START
	"ld.global.u32 %r12, [%r10]; st.shared.u32 [%r9], %r14;\n"
	"add.u32 %r13, %r12, 1;\n" CLOCK_STOP;

static void lines_wait_for_shared_memorys_passes_in_one_store(void **state)
{
	static const char *const designs[] = {"", " chip.storage=fermi", UNIFIED};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(designs); i++) {
		char settings[200];
		uint32_t apart, together;

		snprintf(settings, sizeof(settings), PLAIN " sm.conflicts_block_issue=no%s",
			designs[i]);
		apart = cycles_of(settings, lines_and_column);
		snprintf(settings, sizeof(settings), PLAIN CYCLE " sm.conflicts_block_issue=no%s",
			designs[i]);
		together = cycles_of(settings, lines_and_column);
		/* the column comes behind the first line, 31 lines behind the column; in the
		 * unified design the first may wait for the store's registers */
		assert_in_range(together - apart, i ? 32 : 0, i == 2 ? 33 : i ? 32 : 0);
	}
}

/* Two reads of one bank hold the issue slot for a cycle, whatever the design. */
static void reads_that_meet_hold_the_issue_slot(void **state)
{
	const char *const body = "add.u32 %r11, %r3, %r4; mad.lo.u32 %r12, %r11, %r4, %r3;\n"
				 "mad.lo.u32 %r13, %r12, %r11, %r4; mul.lo.u32 %r14, %r13, %r12;\n"
				 "mad.lo.u32 %r15, %r14, %r13, %r12; xor.b32 %r16, %r15, %r14;\n"
				 "mad.lo.u32 %r17, %r16, %r15, %r13; st.global.u32 [%r2], %r17;\n";
	const char *const name = "bank__conflicts_register.sum";
	double cycles = metric_of(PLAIN CYCLE, body, name);

	(void)state;
	assert_true(cycles > 0);
	assert_true(cycles == metric_of(PLAIN, body, name));
	assert_true(metric_of(PLAIN CYCLE UNIFIED, body, name) == cycles);
	assert_true(metric_of(PLAIN CYCLE, body, "sched__cycles_mio_throttle.sum") == cycles);
}

/* ---- all sorts at once */
static const char mixed[] =
	"mov.u32 %r9, buf; shl.b32 %r10, %r3, 5; and.b32 %r10, %r10, 8191; add.u32 %r9, %r9, "
	"%r10;\n"
	"ld.global.u32 %r11, [%r1]; st.shared.u32 [%r9], %r11; bar.sync 0;\n"
	"add.u32 %r20, %r1, %r10; ld.global.u32 %r12, [%r20]; ld.shared.u32 %r13, [%r9+4];\n"
	"atom.shared.add.u32 %r14, [%r9], %r3; ld.global.u32 %r15, [%r20+4];\n"
	"mad.lo.u32 %r16, %r12, %r13, %r15; st.global.u32 [%r20], %r16; ld.shared.u32 %r17, "
	"[%r9];\n"
	"add.u32 %r16, %r16, %r17; ld.global.u32 %r18, [%r20]; add.u32 %r16, %r16, %r18;\n"
	"st.global.u32 [%r2], %r16;\n";

static struct text everything(const char *settings, const struct chip_host *host)
{
	struct text ptx = probe_ptx(mixed), out;
	struct kit k = kit_new_host(settings, host);
	module_t m = kit_module(&k, text_str(&ptx));
	buffer_t in = kit_buffer(&k, "in", PROBE_IN), result = kit_buffer(&k, "out", PROBE_OUT);

	kit_launch(&k, m, "k", 12, 256, 2, (const uint64_t[]){KIT_BUF(in), KIT_BUF(result)});
	kit_run(&k);
	expect_balanced_counters(&k);
	out = kit_everything(&k);
	kit_free(&k);
	text_clear(&ptx);
	return out;
}

static void disorder_of_the_host_changes_nothing(void **state)
{
	static const char *const settings[] = {
		"chip.sms=2 chip.storage=unified sm.bank_conflicts=cycle sm.bank_queue=1 "
		"storage.unified.one_port=yes",
		"chip.sms=2 chip.storage=unified sm.bank_conflicts=cycle sm.schedulers=4 "
		"sm.conflicts_block_issue=no rf.hierarchy=none",
		"chip.sms=2 chip.storage=fermi sm.bank_conflicts=cycle sm.bank_queue=2",
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(settings); i++) {
		struct chip_host hosts[] = {{.threads = 1},
			{.threads = 2, .shuffle = true, .early_wakes = true, .seed = 5},
			{.threads = 1, .hostile = true, .seed = 6}};
		struct text first = everything(settings[i], &hosts[0]);

		for (unsigned k = 1; k < ARRAY_LEN(hosts); k++) {
			struct text other = everything(settings[i], &hosts[k]);

			assert_string_equal(text_str(&first), text_str(&other));
			text_clear(&other);
		}
		text_clear(&first);
	}
}

static void a_shared_memory_of_one_cycle_is_refused(void **state)
{
	struct config *config = config_new();
	struct chip_host host = {.threads = 1};
	struct err err = {0};
	struct gpu *g;

	(void)state;
	assert_int_equal(config_set_text(config, "sm.bank_conflicts=cycle", "test", &err), 0);
	assert_int_equal(config_set_text(config, "sm.shared_cycles=1", "test", &err), 0);
	g = gpu_new(config, NULL, &err);
	assert_non_null(g);
	assert_int_equal(chip_new(g, &host, &err), -1);
	assert_non_null(strstr(err_text(&err), "sm.bank_conflicts = cycle at least 2"));
	gpu_free(g);
	err_clear(&err);
	config_free(config);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_those_that_counting_finds),
		cmocka_unit_test(rows_alone_take_as_many_cycles_as_passes),
		cmocka_unit_test(a_cluster_moves_what_registers_leave_free),
		cmocka_unit_test(an_access_that_nothing_meets_takes_what_it_takes_by_penalty),
		cmocka_unit_test(of_four_lines_one_waits_for_the_next_instructions_register),
		cmocka_unit_test(lines_wait_for_shared_memorys_passes_in_one_store),
		cmocka_unit_test(reads_that_meet_hold_the_issue_slot),
		cmocka_unit_test(disorder_of_the_host_changes_nothing),
		cmocka_unit_test(a_shared_memory_of_one_cycle_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
