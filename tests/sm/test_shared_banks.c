/* Shared memory with banks of 8 bytes, as Kepler's. */
#include "tests/rig/support_sm.h"

#include "core/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define EIGHT ONE_SM " sm.shared_bank_bytes=8"

/* Passes of a warp's load whose lanes are `step` bytes apart. */
static unsigned passes(const char *settings, const char *load, unsigned step)
{
	struct text t = {0};
	struct probed d;
	unsigned extra;

	text_raw(&t,
		"mul.lo.u32 %%r9, %%r3, %u; mov.u32 %%r10, buf; add.u32 %%r9, %%r9, %%r10;\n"
		"%s, [%%r9]; add.u32 %%r11, %%r11, 1; st.global.u32 [%%r2], %%r11;\n",
		step, load);
	d = probe_run(&(struct probe){settings, text_str(&t), 1, 32});
	extra = (unsigned)probe_metric(&d, "l1tex__data_bank_conflicts_pipe_lsu.sum");
	probe_free(&d);
	text_clear(&t);
	return 1 + extra;
}

static void words_of_eight_bytes_do_not_conflict(void **state)
{
	static const struct {
		const char *load;
		unsigned step, four, eight;
	} rows[] = {
		{"ld.shared.u32 %r11", 0, 1, 1},
		{"ld.shared.u32 %r11", 4, 1, 1},
		{"ld.shared.u32 %r11", 8, 2, 1},
		{"ld.shared.u32 %r11", 12, 1, 2},
		{"ld.shared.u32 %r11", 16, 4, 2},
		{"ld.shared.u32 %r11", 128, 32, 16},
		{"ld.shared.u32 %r11", 256, 32, 32},
		{"ld.shared.v2.u32 {%r11,%r12}", 8, 2, 1},
		{"ld.shared.v2.u32 {%r11,%r12}", 16, 4, 2},
		{"ld.shared.v4.u32 {%r11,%r12,%r13,%r14}", 16, 4, 2},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		unsigned four = passes(ONE_SM, rows[i].load, rows[i].step);
		unsigned eight = passes(EIGHT, rows[i].load, rows[i].step);

		if (four != rows[i].four || eight != rows[i].eight)
			fail_msg("%s, %u apart: %u and %u passes", rows[i].load, rows[i].step, four,
				eight);
	}
}

/* Cycles that a warp's loads take, lanes `step` bytes apart, until the last one's result is used.
 */
static unsigned taken(const char *settings, const char *loads, unsigned step)
{
	struct text t = {0};
	unsigned cycles;

	text_raw(&t,
		"mul.lo.u32 %%r9, %%r3, %u; mov.u32 %%r10, buf; add.u32 %%r9, %%r9, %%r10;\n"
		"mov.u32 %%r12, %%r9;\n%s%s add.u32 %%r11, %%r11, 1;\n%s"
		"st.global.u32 [%%r2+4096], %%r11;\n",
		step, CLOCK_START, loads, CLOCK_STOP);
	cycles = probe_cycles(&(struct probe){settings, text_str(&t), 1, 32});
	text_clear(&t);
	return cycles;
}

#define PASS ONE_SM " sm.shared_pass_cycles=37.42"
#define LOAD "ld.shared.u32 %r11, [%r9];"
#define LOAD_AND_READ \
	LOAD " add.u32 %r13, %r12, %r9; add.u32 %r14, %r12, %r10; add.u32 %r15, %r9, %r10;"
#define THEN_ATOMIC "ld.shared.u32 %r13, [%r9]; atom.shared.add.u32 %r11, [%r10], 1;"
#define TWO_LOADS "ld.shared.u32 %r13, [%r12]; ld.shared.u32 %r11, [%r9];"

static void each_further_way_takes_its_cycles(void **state)
{
	static const struct {
		const char *load;
		unsigned step, ways, more;
	} rows[] = {
		{LOAD, 0, 1, 0},
		{LOAD, 4, 1, 0},
		{LOAD, 8, 2, 37},
		{LOAD, 16, 4, 112},
		{LOAD, 32, 8, 262},
		{LOAD, 128, 32, 1160},
		/* two half-warps are no conflict */
		{"ld.shared.v2.u32 {%r11,%r12}, [%r9];", 8, 1, 0},
		{"ld.shared.v2.u32 {%r11,%r12}, [%r9];", 16, 3, 75},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		unsigned plain = taken(ONE_SM, rows[i].load, rows[i].step);
		unsigned late = taken(PASS, rows[i].load, rows[i].step);

		if (late + rows[i].ways - 1 != plain + rows[i].more)
			fail_msg("%s, %u apart: %u and %u cycles", rows[i].load, rows[i].step,
				plain, late);
	}
}

/* Shared memory is free again after the passes, so that further loads overlap the latency. */
static void conflicts_occupy_a_cycle_each_way(void **state)
{
	(void)state;
	assert_int_equal(taken(PASS, TWO_LOADS, 16), taken(PASS, LOAD, 16) + 4);
	assert_int_equal(taken(PASS, THEN_ATOMIC, 16), taken(ONE_SM, THEN_ATOMIC, 16));
	assert_int_equal(taken(PASS " sm.bank_conflicts=none", LOAD, 16),
		taken(ONE_SM " sm.bank_conflicts=none", LOAD, 16));
}

/* In the second design registers that are read delay the passes. */
static void so_they_do_cycle_by_cycle(void **state)
{
	static const char fermi[] = " chip.storage=fermi sm.bank_conflicts=cycle";
	static const char unified[] =
		" chip.storage=unified sm.bank_conflicts=cycle rf.hierarchy=none";
	char plain[256], pass[256];

	(void)state;
	snprintf(plain, sizeof(plain), "%s%s", ONE_SM, fermi);
	snprintf(pass, sizeof(pass), "%s%s", PASS, fermi);
	assert_int_equal(taken(pass, LOAD, 16), taken(plain, LOAD, 16) + 112 - 3);
	snprintf(plain, sizeof(plain), "%s%s", ONE_SM, unified);
	snprintf(pass, sizeof(pass), "%s%s", PASS, unified);
	assert_int_equal(
		taken(pass, LOAD_AND_READ, 512), taken(plain, LOAD_AND_READ, 512) + 1160 - 31);
}

#define SLOW ONE_SM " sm.shared_bank_cycles=2"

/* As a Fermi's, of which a pass takes two cycles: a lone access is not later, each further pass by
 * two, or by shared_pass_cycles if that is more. */
static void slow_banks_take_several_cycles_a_pass(void **state)
{
	(void)state;
	assert_int_equal(taken(SLOW, LOAD, 4), taken(ONE_SM, LOAD, 4));
	assert_int_equal(taken(SLOW, TWO_LOADS, 4), taken(ONE_SM, TWO_LOADS, 4) + 1);
	assert_int_equal(taken(SLOW, LOAD, 16), taken(ONE_SM, LOAD, 16) + 3);
	assert_int_equal(taken(SLOW, "ld.shared.v2.u32 {%r11,%r12}, [%r9];", 8),
		taken(ONE_SM, "ld.shared.v2.u32 {%r11,%r12}, [%r9];", 8) + 1);
	assert_int_equal(taken(PASS " sm.shared_bank_cycles=2", LOAD, 16), taken(PASS, LOAD, 16));
	assert_int_equal(taken(SLOW " sm.bank_conflicts=none", LOAD, 16),
		taken(ONE_SM " sm.bank_conflicts=none", LOAD, 16));
	kit_refused("sm.bank_conflicts=cycle sm.shared_bank_cycles=2",
		"sm.shared_bank_cycles = 2: with sm.bank_conflicts = cycle a bank moves a word");
	kit_refused("chip.storage=unified sm.shared_bank_cycles=2",
		"sm.shared_bank_cycles = 2: registers are in the unified storage's banks");
}

/* Fermi's rule for 128 bits a lane (CUDA C Programming Guide 4.2, F.4.3.2): a way more in each
 * quarter-warp. */
static void wide_accesses_can_take_more_passes(void **state)
{
	static const char more[] = ONE_SM " sm.shared_more_128=1";

	(void)state;
	assert_int_equal(passes(more, "ld.shared.v4.u32 {%r11,%r12,%r13,%r14}", 16), 4 + 4);
	assert_int_equal(passes(more, "ld.shared.v4.u32 {%r11,%r12,%r13,%r14}", 32), 8 + 4);
	assert_int_equal(passes(more, "ld.shared.v2.u32 {%r11,%r12}", 8), 2);
	assert_int_equal(passes(more, "ld.shared.u32 %r11", 4), 1);
}

static void wide_loads_of_one_address_can_take_fewer_passes(void **state)
{
	static const char load[] = "ld.shared.v4.u32 {%r11,%r12,%r13,%r14}";

	(void)state;
	assert_int_equal(passes(ONE_SM, load, 0), 4);
	assert_int_equal(passes(ONE_SM " sm.shared_merges=true", load, 0), 2);
	assert_int_equal(passes(ONE_SM " sm.shared_merges=true", load, 16), 4);
}

/* Mei et al., NPC 2014, section 4.1: the rows, of 64 words, in the busiest of 32 banks. */
static unsigned rows_of_busiest(unsigned mode, unsigned stride)
{
	unsigned most = 0;

	for (unsigned bank = 0; bank < 32; bank++) {
		unsigned rows = 0, last = ~0u;

		for (unsigned lane = 0; lane < 32; lane++) {
			unsigned word = lane * stride;

			if ((mode == 4 ? word : word / 2) % 32 != bank || word / 64 == last)
				continue;
			last = word / 64;
			rows++;
		}
		most = rows > most ? rows : most;
	}
	return most;
}

static void banks_of_two_words_have_the_paper_s_degrees(void **state)
{
	static const char four[] = EIGHT " sm.shared_bank_mode=4";

	(void)state;
	for (unsigned s = 0; s <= 64; s++) {
		assert_int_equal(passes(four, "ld.shared.u32 %r11", 4 * s), rows_of_busiest(4, s));
		assert_int_equal(passes(EIGHT, "ld.shared.u32 %r11", 4 * s), rows_of_busiest(8, s));
	}
	assert_int_equal(passes(four, "ld.shared.u32 %r11", 24), 2);
	assert_int_equal(passes(EIGHT, "ld.shared.u32 %r11", 24), 1);
	assert_int_equal(passes(four, "ld.shared.v2.u32 {%r11,%r12}", 8), 1);
}

static void only_banks_of_two_words_have_modes(void **state)
{
	(void)state;
	kit_refused("sm.shared_bank_bytes=8 sm.shared_bank_mode=5",
		"sm.shared_bank_mode = 5: must be 4 or 8");
	kit_refused("sm.shared_bank_mode=4", "only banks of 8 bytes have modes");
}

static void banks_of_the_unified_storage_stay(void **state)
{
	(void)state;
	kit_refused("sm.shared_bank_bytes=6", "sm.shared_bank_bytes = 6: must be 0, 4 or 8");
	kit_refused("chip.storage=unified sm.shared_bank_bytes=8",
		"sm.shared_bank_bytes = 8: the unified storage has banks of 16 bytes; must be 0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_of_eight_bytes_do_not_conflict),
		cmocka_unit_test(each_further_way_takes_its_cycles),
		cmocka_unit_test(conflicts_occupy_a_cycle_each_way),
		cmocka_unit_test(so_they_do_cycle_by_cycle),
		cmocka_unit_test(slow_banks_take_several_cycles_a_pass),
		cmocka_unit_test(wide_accesses_can_take_more_passes),
		cmocka_unit_test(wide_loads_of_one_address_can_take_fewer_passes),
		cmocka_unit_test(banks_of_two_words_have_the_paper_s_degrees),
		cmocka_unit_test(only_banks_of_two_words_have_modes),
		cmocka_unit_test(banks_of_the_unified_storage_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
