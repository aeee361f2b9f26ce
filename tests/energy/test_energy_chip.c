/* Energy of runs, to the last femtojoule: banks by capacity, a kernel counted by hand in two
 * storage designs, leakage, and the effect of a reference run. */
#include "energy/chip.h"
#include "tests/rig/support_gpu.h"

#include "core/config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define KB 1024u

static void expect_bank(uint64_t bytes, uint64_t read_fj, uint64_t write_fj)
{
	struct bank_energy e = bank_energy(bytes);

	assert_int_equal(e.read_fj, read_fj);
	assert_int_equal(e.write_fj, write_fj);
}

static void a_bank_costs_what_table_4_7_says_for_its_capacity(void **state)
{
	(void)state;
	for (unsigned i = 0; i < BANK_ROWS; i++)
		expect_bank(bank_rows[i].kb * KB, (uint64_t)(bank_rows[i].read_pj * 1000 + 0.5),
			(uint64_t)(bank_rows[i].write_pj * 1000 + 0.5));
	expect_bank(6 * KB, 7450, 9550);    /* half way from 4 to 8 KB */
	expect_bank(1536, 3550, 4500);      /* from 1 to 2 KB */
	expect_bank(20 * KB, 13400, 16900); /* extrapolated from 12 and 16 KB */
	expect_bank(512, 3200, 3900);       /* as 1 KB */
	expect_bank(0, 3200, 3900);
}

static struct energy read_energy(const char *settings, struct err *err)
{
	struct config *config = config_new();
	struct energy e;
	char text[256], *save = NULL;

	memset(&e, 0, sizeof(e));
	snprintf(text, sizeof(text), "%s", settings);
	for (char *s = strtok_r(text, " ", &save); s; s = strtok_r(NULL, " ", &save))
		assert_int_equal(config_set_text(config, s, "test", err), 0);
	energy_read(&e, config, err);
	register_energy_read(&e.registers, config, err);
	config_free(config);
	return e;
}

static struct energy_sum sum_of(
	const char *settings, const struct energy_counts *c, const struct energy_reference *ref)
{
	struct err err = {0};
	struct energy e = read_energy(settings, &err);
	struct energy_sum sum;

	assert_int_equal(err.count, 0);
	energy_of(&e, c, ref, &sum);
	return sum;
}

/* Table 4 of Gebhart et al.: 12.1 and 14.85 pJ, which include the tenth for wiring. */
static void wiring_is_paid_once_and_for_memory_only(void **state)
{
	const struct bank_layout unified = {.bank_bytes = 16,
		.unified = true,
		.register_capacity = 12 * KB,
		.shared_capacity = 12 * KB,
		.cache_capacity = 12 * KB};
	const struct storage_accesses one = {1, 1, 1, 1, 1, 1};
	struct storage_sum sum;

	(void)state;
	storage_energy_sum(&unified, 1.1, &one, &sum);
	assert_int_equal(sum.registers_fj, 8 * (11000 + 13500));
	assert_int_equal(sum.shared_fj, 12100 + 14850);
	assert_int_equal(sum.cache_fj, 12100 + 14850);
}

/* A word of 4 bytes is a quarter of an access, a row of 32 words eight of them. */
static void a_word_of_four_bytes_costs_a_quarter(void **state)
{
	const struct bank_layout partitioned = {.bank_bytes = 4,
		.register_capacity = 8 * KB,
		.shared_capacity = 2 * KB,
		.cache_capacity = 2 * KB};
	const struct storage_accesses rows = {.shared_reads = 32, .cache_writes = 64};
	struct storage_sum sum;

	(void)state;
	storage_energy_sum(&partitioned, 1.1, &rows, &sum);
	assert_int_equal(sum.shared_fj, 8 * 3900);
	assert_int_equal(sum.cache_fj, 16 * 5100);
}

/* ---- a kernel counted by hand: one warp. After each line: warp operands read and written. */
static const char ptx[] = ".version 5.0\n.target sm_35\n.address_size 32\n"
			  ".visible .entry k(.param .u32 in, .param .u32 out)\n"
			  "{ .reg .b32 %r<9>; .shared .align 128 .b8 buf[128];\n"
			  "ld.param.u32 %r1, [in];\n"           /* 0 1 */
			  "ld.param.u32 %r2, [out];\n"          /* 0 1 */
			  "mov.u32 %r3, %tid.x;\n"              /* 0 1 */
			  "shl.b32 %r3, %r3, 2;\n"              /* 1 1 */
			  "add.u32 %r1, %r1, %r3;\n"            /* 2 1 */
			  "add.u32 %r2, %r2, %r3;\n"            /* 2 1 */
			  "ld.global.u32 %r4, [%r1];\n"         /* 1 1, a line is filled */
			  "add.u32 %r4, %r4, %r3;\n"            /* 2 1 */
			  "ld.global.u32 %r5, [%r1];\n"         /* 1 1, a hit */
			  "add.u32 %r4, %r4, %r5;\n"            /* 2 1 */
			  "mov.u32 %r7, buf;\n"                 /* 0 1 */
			  "add.u32 %r7, %r7, %r3;\n"            /* 2 1 */
			  "st.shared.u32 [%r7], %r4;\n"         /* 2 0, a row */
			  "ld.shared.u32 %r6, [%r7];\n"         /* 1 1, a row */
			  "st.global.u32 [%r2], %r6; ret; }\n"; /* 2 0, past the cache */
enum { READS = 18, WRITES = 13 };

static struct kit run_by_hand(const char *settings)
{
	char all[256];
	struct kit k;
	module_t m;
	buffer_t in, out;

	snprintf(all, sizeof(all), "%s rf.hierarchy=none", settings);
	k = kit_new(all);
	m = kit_module(&k, ptx);
	in = kit_buffer(&k, "in", 128);
	out = kit_buffer(&k, "out", 128);
	kit_launch(&k, m, "k", 1, 32, 2, (const uint64_t[]){KIT_BUF(in), KIT_BUF(out)});
	kit_run(&k);
	return k;
}

static void expect_fj(struct kit *k, const char *name, uint64_t fj)
{
	assert_true(kit_metric(k, name) == (double)fj / 1e6);
}

/* The row in words: `read` and `written` each, in fJ; and DRAM's 128 bytes in and out. */
static void expect_run(struct kit *k, const uint64_t registers, uint64_t row_read,
	uint64_t row_written, uint64_t sram_uw)
{
	uint64_t ns = (uint64_t)kit_metric(k, "gpc__cycles_elapsed.max");
	uint64_t dram = 2 * 128 * 8 * 40000, rows = row_read + row_written;

	assert_true(kit_metric(k, "rf__mrf_reads.sum") == READS);
	assert_true(kit_metric(k, "rf__mrf_writes.sum") == WRITES);
	expect_fj(k, "energy__registers.sum", registers);
	expect_fj(k, "energy__shared.sum", rows);
	expect_fj(k, "energy__cache.sum", rows);
	expect_fj(k, "energy__upper_registers.sum", 0);
	expect_fj(k, "energy__rest.sum", 1900000 * ns - registers - 2 * rows);
	expect_fj(k, "energy__core_leakage.sum", 700000 * ns);
	expect_fj(k, "energy__sram_leakage.sum", sram_uw * ns);
	expect_fj(k, "energy__dram.sum", dram);
	expect_fj(k, "energy__total.sum", (1900000 + 700000 + sram_uw) * ns + dram);
	expect_fj(k, "energy__l2.sum", 0);
}

static void a_kernel_counted_by_hand_costs_that_in_the_partitioned_design(void **state)
{
	struct kit k = run_by_hand("chip.sms=1 l2.bytes=0");

	(void)state;
	expect_run(&k, 8 * (READS * 9800 + WRITES * 11800), 8 * 3900, 8 * 5100, 199680);
	kit_free(&k);
}

static void and_that_in_the_unified_design(void **state)
{
	struct kit k = run_by_hand("chip.sms=1 l2.bytes=0 chip.storage=unified");

	(void)state;
	expect_run(&k, 8 * (READS * 11000 + WRITES * 13500), 8 * 12100, 8 * 14850, 199680);
	kit_free(&k);
}

/* Its memory's banks hold 128 KB / 32 each; no additional wiring. */
static void and_that_in_the_fermi_like_design(void **state)
{
	struct kit k = run_by_hand("chip.sms=1 l2.bytes=0 chip.storage=fermi");

	(void)state;
	expect_run(&k, 8 * (READS * 9800 + WRITES * 11800), 8 * 5100, 8 * 7300, 199680);
	kit_free(&k);
}

/* 128 KB instead of 384: banks of 4 KB, a third of the leakage. */
static void a_smaller_unified_store_costs_less(void **state)
{
	struct kit k = run_by_hand(
		"chip.sms=1 l2.bytes=0 chip.storage=unified storage.unified.bytes=128K");

	(void)state;
	expect_run(&k, 8 * (READS * 5100 + WRITES * 7300), 8 * 5610, 8 * 8030, 66560);
	kit_free(&k);
}

/* With an L2 and networks: the line is read through them and filled, the store has a header of one
 * flit and four of data, which alone are written to the L2. */
static void a_kernel_counted_by_hand_moves_that_through_the_l2(void **state)
{
	struct kit k = run_by_hand("chip.sms=1");
	struct energy_counts c;

	(void)state;
	chip_energy_counts(k.gpu, &c);
	assert_int_equal(c.l2_read_bytes, 128);
	assert_int_equal(c.l2_write_bytes, 128 + 128);
	assert_true(kit_metric(&k, "noc_request__flits.sum") == 1 + 5);
	assert_int_equal(
		c.noc_bytes, 32 * 6 + 32 * (uint64_t)kit_metric(&k, "noc_reply__flits.sum"));
	assert_int_not_equal(c.noc_bytes, 2 * 32 * 6);
	kit_free(&k);
}

/* The line is homed on the other side: it is read there, too, and its copy is written here. */
static void a_copy_is_read_and_written_once_more(void **state)
{
	struct kit k =
		run_by_hand("chip.sms=1 chip.channels=2 chip.slices=1 chip.slice_hash=polynomial "
			    "chip.sides=2 chip.side_cycles=40 chip.side_copies=true");
	struct energy_counts c;

	(void)state;
	chip_energy_counts(k.gpu, &c);
	assert_true(kit_metric(&k, "lts__t_sectors_srcunit_ltcfabric.sum") == 4);
	assert_int_equal(c.l2_read_bytes, 128 + 128);
	assert_int_equal(c.l2_write_bytes, 128 + 128 + 128);
	kit_free(&k);
}

static void levels_of_registers_are_counted_apart(void **state)
{
	static const struct {
		const char *reads, *writes;
	} levels[REGISTERS_LEVELS] = {
		[REGISTERS_ORF] = {"rf__orf_reads.sum", "rf__orf_writes.sum"},
		[REGISTERS_ORF_SHARED] = {"rf__orf_shared_reads.sum", "rf__orf_shared_writes.sum"},
		[REGISTERS_LRF] = {"rf__lrf_reads.sum", "rf__lrf_writes.sum"},
	};
	struct kit k = kit_new("chip.sms=1 rf.hierarchy=software rf.entries=1 rf.lrf=1");
	buffer_t in = kit_buffer(&k, "in", 128), out = kit_buffer(&k, "out", 128);
	struct energy_counts c;

	(void)state;
	kit_launch(&k, kit_module(&k, ptx), "k", 1, 32, 2,
		(const uint64_t[]){KIT_BUF(in), KIT_BUF(out)});
	kit_run(&k);
	chip_energy_counts(k.gpu, &c);
	for (unsigned i = REGISTERS_ORF; i < ARRAY_LEN(levels); i++) {
		assert_true((double)c.upper.reads[i] == kit_metric(&k, levels[i].reads));
		assert_true((double)c.upper.writes[i] == kit_metric(&k, levels[i].writes));
	}
	assert_int_not_equal(c.upper.writes[REGISTERS_LRF], c.upper.writes[REGISTERS_ORF]);
	kit_free(&k);
}

/* ---- power */
static const struct energy_counts second = {
	.time_ns = 1000000000, .sms = 2, .banks = {.bank_bytes = 4, .bytes = 384 * KB}};

static void leakage_is_nine_tenths_of_a_watt_at_384_kb(void **state)
{
	static const struct {
		const char *settings;
		uint64_t core_uw, sram_uw;
	} rows[] = {
		{"", 700000, 199680},
		{"energy.leakage=split", 700000, 199680},
		{"energy.leakage=literal", 0, 910080},
		{"energy.leakage=fit", 477600, 422400},
		{"energy.leakage=given energy.core_leakage_w=1 energy.sram_mw_per_kb=2", 1000000,
			768000},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		struct energy_sum s = sum_of(rows[i].settings, &second, NULL);

		assert_int_equal(s.core_leakage_fj, 2 * rows[i].core_uw * second.time_ns);
		assert_int_equal(s.sram_leakage_fj, 2 * rows[i].sram_uw * second.time_ns);
		assert_int_equal(s.leakage_fj[LEAKAGE_FIT], 2 * 900000 * second.time_ns);
		assert_int_equal(s.rest_fj, 2 * 1900000 * second.time_ns);
	}
}

/* Of 384 KB each, 128 KB of one SM are unused all the time, those of the other for half of it. */
static void storage_that_is_switched_off_does_not_leak(void **state)
{
	struct energy_counts c = second;
	struct energy_sum s;

	(void)state;
	c.unused_byte_ns = 128 * KB * c.time_ns * 3 / 2;
	assert_int_equal(sum_of("", &c, NULL).sram_leakage_fj, 2 * 199680 * c.time_ns);
	s = sum_of("energy.switch_off=yes", &c, NULL);
	assert_int_equal(s.sram_leakage_fj, (2 * 199680 - 66560 * 3 / 2) * c.time_ns);
	assert_int_equal(s.core_leakage_fj, 2 * 700000 * c.time_ns);
	assert_int_equal(s.leakage_fj[LEAKAGE_LITERAL],
		(2 * UINT64_C(910080) - UINT64_C(303360) * 3 / 2) * c.time_ns);
}

/* Storage is split for the kernel of one CTA in the cycle in which it starts: the first. Cache of
 * 32 KB; registers for 32 warps at the kernel's number, and 128 bytes of shared memory for each. */
static void storage_unused_by_a_run_is_switched_off(void **state)
{
	struct kit k = run_by_hand("chip.sms=1 l2.bytes=0 chip.storage=unified "
				   "storage.unified.cache_limit=32K energy.switch_off=yes");
	struct launch_report l;
	uint64_t ns, unused;

	(void)state;
	chip_launch_report(k.gpu, 0, &l);
	ns = (uint64_t)kit_metric(&k, "gpc__cycles_elapsed.max");
	unused = 384 * KB - l.sm_register_bytes - l.sm_shared_bytes - l.sm_cache_bytes;
	assert_int_equal(l.sm_cache_bytes, 32 * KB);
	assert_int_equal(l.sm_shared_bytes, 32 * 128);
	assert_int_equal(l.start_cycle, 0);
	expect_fj(&k, "energy__sram_leakage.sum",
		199680 * ns - (uint64_t)(520.0 / 1024 * (double)(unused * ns) + 0.5));
	kit_free(&k);
	k = run_by_hand("chip.sms=1 l2.bytes=0 energy.switch_off=yes");
	expect_fj(&k, "energy__sram_leakage.sum",
		199680 * (uint64_t)kit_metric(&k, "gpc__cycles_elapsed.max"));
	kit_free(&k);
}

/* The second launch takes another split of the SM: storage is unused from when it was split. */
static void storage_counts_as_unused_from_its_split_on(void **state)
{
	static const char two[] =
		".version 5.0\n.target sm_35\n.address_size 32\n"
		".visible .entry first(.param .u32 out) { ret; }\n"
		".visible .entry second(.param .u32 out) {\n"
		".reg .b32 %r<3>; .shared .b8 s[16384];\n"
		"ld.param.u32 %r1, [out]; ld.shared.u32 %r2, [s]; st.global.u32 [%r1], %r2; ret; }\n";
	struct kit k = kit_new("chip.sms=1 l2.bytes=0 chip.storage=unified "
			       "storage.unified.cache_limit=32K energy.switch_off=yes");
	module_t m = kit_module(&k, two);
	buffer_t out = kit_buffer(&k, "out", 128);
	struct launch_report l[2];
	uint64_t unused[2], ns;

	(void)state;
	kit_launch(&k, m, "first", 40, 32, 1, (uint64_t[]){KIT_BUF(out)});
	kit_launch(&k, m, "second", 1, 32, 1, (uint64_t[]){KIT_BUF(out)});
	kit_run(&k);
	ns = (uint64_t)kit_metric(&k, "gpc__cycles_elapsed.max");
	for (unsigned i = 0; i < 2; i++) {
		chip_launch_report(k.gpu, i, &l[i]);
		unused[i] = 384 * KB - l[i].sm_register_bytes - l[i].sm_shared_bytes -
			    l[i].sm_cache_bytes;
	}
	assert_int_not_equal(unused[0], unused[1]);
	assert_int_not_equal(l[1].start_cycle, 0);
	unused[0] = unused[0] * l[1].start_cycle + unused[1] * (ns - l[1].start_cycle);
	expect_fj(&k, "energy__sram_leakage.sum",
		199680 * ns - (uint64_t)(520.0 / 1024 * (double)unused[0] + 0.5));
	kit_free(&k);
}

/* Half the time: half the power's energy, but all of the work's. */
static void a_reference_gives_its_power_or_its_work(void **state)
{
	struct energy_counts half = second;
	struct energy_sum before = sum_of("", &second, NULL);
	struct energy_reference ref = energy_reference_of(&second, &before);

	(void)state;
	half.time_ns /= 2;
	half.storage.register_reads = 1000;
	half.banks.register_capacity = 8 * KB;
	assert_int_equal(sum_of("", &half, &ref).rest_fj, before.rest_fj / 2);
	assert_int_equal(sum_of("energy.reading=work", &half, &ref).rest_fj, before.rest_fj);
	assert_int_equal(
		sum_of("", &half, NULL).rest_fj, before.rest_fj / 2 - 1000 * 8 * UINT64_C(9800));
}

static void banks_that_draw_more_than_the_sm_leave_nothing(void **state)
{
	(void)state;
	struct energy_counts c = second;

	c.storage.register_reads = 1;
	c.banks.register_capacity = 8 * KB;
	assert_int_equal(sum_of("energy.sm_w=0", &c, NULL).rest_fj, 0);
}

/* Banks alone: the wires of these levels are in the SM's dynamic power. */
static void upper_levels_cost_their_banks(void **state)
{
	struct energy_counts c = {.entries = 4, .sms = 1, .banks = {.bank_bytes = 4}};

	(void)state;
	c.upper.reads[REGISTERS_ORF] = c.upper.reads[REGISTERS_ORF_SHARED] = 1;
	c.upper.writes[REGISTERS_LRF] = 1;
	assert_int_equal(sum_of("", &c, NULL).upper_registers_fj, 8 * (1900 + 1900 + 2000));
	c.entries = 13; /* as 8 */
	assert_int_equal(sum_of("", &c, NULL).upper_registers_fj, 8 * (3400 + 3400 + 2000));
}

/* 32 bytes over 10 mm, 16 bytes out of and into a bank of 16 KB. */
static void networks_and_l2_are_reported_separately(void **state)
{
	struct energy_counts c = {.noc_bytes = 32,
		.l2_read_bytes = 16,
		.l2_write_bytes = 16,
		.sms = 1,
		.banks = {.bank_bytes = 4}};
	struct energy_sum s = sum_of("", &c, NULL);

	(void)state;
	assert_int_equal(s.noc_fj, 8 * 19000);
	assert_int_equal(s.l2_fj, 12200 + 15200);
	assert_int_equal(s.total_fj, 0);
}

/* A day of 256 SMs with the maximum of storage, 100 mW/KB: more than 64 bits of fJ. */
static void long_runs_do_not_wrap(void **state)
{
	struct energy_counts c = {.time_ns = UINT64_C(86400000000000),
		.sms = 256,
		.banks = {.bank_bytes = 16, .bytes = 1 << 30}};
	struct energy_sum s = sum_of("energy.leakage=given energy.sram_mw_per_kb=100", &c, NULL);
	double want = 1e5 * (1 << 20) * 86400e9 * 256;

	(void)state;
	assert_true(fabs(s.sram_leakage_fj / want - 1) < 1e-9);
	assert_true(s.total_fj > s.sram_leakage_fj);
}

static void absurd_energies_are_refused(void **state)
{
	static const struct {
		const char *settings, *message;
	} wrong[] = {
		{"energy.leakage=none",
			"energy.leakage = none: must be literal, split, fit or given"},
		{"energy.reading=both", "energy.reading = both: must be power or work"},
		{"energy.dram_pj_per_bit=-1", "energy.dram_pj_per_bit"},
		{"energy.sm_w=-0.1", "energy.sm_w"},
		{"energy.wiring=0.9", "energy.wiring"},
		{"energy.sm_w=nan", "energy.sm_w"},
		{"energy.sram_mw_per_kb=1e9", "energy.sram_mw_per_kb"},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(wrong); i++) {
		struct err err = {0};

		read_energy(wrong[i].settings, &err);
		assert_int_equal(err.count, 1);
		assert_non_null(strstr(err_text(&err), wrong[i].message));
		err_clear(&err);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_bank_costs_what_table_4_7_says_for_its_capacity),
		cmocka_unit_test(wiring_is_paid_once_and_for_memory_only),
		cmocka_unit_test(a_word_of_four_bytes_costs_a_quarter),
		cmocka_unit_test(a_kernel_counted_by_hand_costs_that_in_the_partitioned_design),
		cmocka_unit_test(and_that_in_the_unified_design),
		cmocka_unit_test(and_that_in_the_fermi_like_design),
		cmocka_unit_test(a_smaller_unified_store_costs_less),
		cmocka_unit_test(leakage_is_nine_tenths_of_a_watt_at_384_kb),
		cmocka_unit_test(storage_that_is_switched_off_does_not_leak),
		cmocka_unit_test(a_kernel_counted_by_hand_moves_that_through_the_l2),
		cmocka_unit_test(a_copy_is_read_and_written_once_more),
		cmocka_unit_test(levels_of_registers_are_counted_apart),
		cmocka_unit_test(storage_unused_by_a_run_is_switched_off),
		cmocka_unit_test(storage_counts_as_unused_from_its_split_on),
		cmocka_unit_test(a_reference_gives_its_power_or_its_work),
		cmocka_unit_test(banks_that_draw_more_than_the_sm_leave_nothing),
		cmocka_unit_test(upper_levels_cost_their_banks),
		cmocka_unit_test(networks_and_l2_are_reported_separately),
		cmocka_unit_test(long_runs_do_not_wrap),
		cmocka_unit_test(absurd_energies_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
