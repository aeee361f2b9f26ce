/* Instruction caches: which lines are fetched, what a miss costs, and how its cycles are named. */
#include "tests/rig/support_sm.h"

#include "core/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define REAL ONE_SM " icache.mode=real"

/* `times` rounds over 160 dependent instructions: ten lines of 16 and more. */
static struct probed rounds(const char *settings, unsigned times, unsigned threads)
{
	struct text t = {0};
	struct probed d;

	text_raw(&t, "mov.u32 %%r20, 0; mov.u32 %%r21, %%r3;\n%sL:\n", CLOCK_START);
	for (unsigned i = 0; i < 160; i++)
		text_raw(&t, "xor.b32 %%r21, %%r21, %%r20;\n");
	text_raw(&t,
		"add.u32 %%r20, %%r20, 1; setp.lt.u32 %%p1, %%r20, %u; @%%p1 bra L;\n%s"
		"st.global.u32 [%%r2+4096], %%r21;\n",
		times, CLOCK_STOP);
	d = probe_run(&(struct probe){settings, text_str(&t), 1, threads});
	text_clear(&t);
	return d;
}

static void a_cold_cache_misses_each_line_once(void **state)
{
	struct probed off = rounds(ONE_SM, 3, 1),
		      perfect = rounds(ONE_SM " icache.mode=perfect", 3, 1);
	struct probed real = rounds(REAL, 3, 1),
		      wide = rounds(REAL " icache.instruction_bytes=16", 3, 1);
	double lines = probe_metric(&real, "icache__lines.sum");
	double cold = probe_metric(&real, "icache__lines_missed.sum");

	(void)state;
	assert_true(probe_metric(&off, "icache__lines.sum") == 0);
	assert_int_equal(probe_u32(&perfect, 0), probe_u32(&off, 0));
	assert_true(probe_metric(&perfect, "icache__lines.sum") == lines);
	assert_true(probe_metric(&perfect, "icache__lines_lookup_hit.sum") == lines);
	/* 163 instructions of 8 bytes a round are in 11 lines or 12, and a few around them */
	assert_true(cold >= 11 && cold <= 13);
	assert_true(lines >= 3 * 10 + 1 && lines <= 3 * 12 + 2);
	assert_true(probe_metric(&real, "icache__lines_lookup_hit.sum") == lines - cold);
	assert_true(probe_metric(&real, "icache__l2_read_bytes.sum") == cold * 128);
	assert_true(probe_metric(&real, "sched__cycles_no_instruction.sum") > cold * 200);
	assert_true(probe_metric(&off, "sched__cycles_no_instruction.sum") == 0);
	assert_true(probe_metric(&wide, "icache__lines_missed.sum") >= 2 * cold - 2);
	probe_free(&off);
	probe_free(&perfect);
	probe_free(&real);
	probe_free(&wide);
}

/* Without an L0 all lines after the first round come from the L1, all between the clocks. */
static void a_miss_in_the_l0_costs_the_l1s_cycles(void **state)
{
	struct probed d20 = rounds(REAL " icache.l0_bytes=0", 4, 1);
	struct probed d30 = rounds(REAL " icache.l0_bytes=0 icache.l1_cycles=30", 4, 1);
	double hits = probe_metric(&d20, "icache__l1_lines_lookup_hit.sum");

	(void)state;
	assert_true(hits >= 30 && hits <= 36);
	assert_true(probe_metric(&d20, "icache__lines_lookup_hit.sum") == 0);
	assert_int_equal(probe_u32(&d30, 0) - probe_u32(&d20, 0), 10 * (unsigned)hits);
	probe_free(&d20);
	probe_free(&d30);
}

/* Fourteen lines in an L0 of eight, and of sixteen. */
static void a_loop_that_fits_stays(void **state)
{
	struct probed small = rounds(REAL " icache.l0_bytes=1024 icache.l0_ways=8", 4, 1);
	struct probed large = rounds(REAL " icache.l0_bytes=2048 icache.l0_ways=16", 4, 1);

	(void)state;
	assert_true(probe_metric(&small, "icache__lines_lookup_hit.sum") == 0);
	assert_true(probe_metric(&large, "icache__l1_lines_lookup_hit.sum") == 0);
	probe_free(&small);
	probe_free(&large);
}

/* A second warp goes the way of the first when that has ended: what its lines cost. */
static double lines_from_l1(const char *settings)
{
	struct text t = {0};
	struct probed d;
	double hits;

	text_raw(&t,
		"mov.u32 %%r20, 0; mov.u32 %%r21, %%tid.x;\n"
		"setp.lt.u32 %%p1, %%r21, 32;\n@%%p1 bra L;\n"
		"W:\nadd.u32 %%r20, %%r20, 1; setp.lt.u32 %%p1, %%r20, 999;\n@%%p1 bra W;\nL:\n");
	for (unsigned i = 0; i < 160; i++)
		text_raw(&t, "xor.b32 %%r21, %%r21, %%r20;\n");
	text_raw(&t, "st.global.u32 [%%r2+4096], %%r21;\n");
	d = probe_run(&(struct probe){settings, text_str(&t), 1, 64});
	text_clear(&t);
	hits = probe_metric(&d, "icache__l1_lines_lookup_hit.sum");
	probe_free(&d);
	return hits;
}

static void each_scheduler_has_its_l0(void **state)
{
	(void)state;
	assert_true(lines_from_l1(REAL) == 0);
	assert_true(lines_from_l1(REAL " sm.schedulers=2") >= 10);
}

/* Warps of a scheduler that miss a line together request it once. */
static void warps_share_lines(void **state)
{
	struct probed one = rounds(REAL, 1, 32), many = rounds(REAL, 1, 256);
	struct probed two = rounds(REAL " sm.schedulers=2", 1, 64);
	double bytes = probe_metric(&one, "icache__l2_read_bytes.sum");

	(void)state;
	assert_true(probe_metric(&many, "icache__l2_read_bytes.sum") == bytes);
	assert_true(probe_metric(&many, "icache__lines.sum") ==
		    8 * probe_metric(&one, "icache__lines.sum"));
	assert_true(probe_metric(&two, "icache__l2_read_bytes.sum") == bytes);
	assert_true(probe_metric(&two, "icache__lines_lookup_hit.sum") == 0);
	probe_free(&one);
	probe_free(&many);
	probe_free(&two);
}

/* A cycle for each instruction; one warp, or one for each of two schedulers. */
#define FAST "sm.alu_cycles=1 sm.branch_cycles=1 sm.schedulers=2 icache.mode=perfect "
static unsigned buffered(const char *settings, unsigned threads)
{
	struct text t = {0};
	struct probed d;
	unsigned cycles;

	text_raw(&t, "%s %s%s", ONE_SM, FAST, settings);
	d = rounds(text_str(&t), 1, threads);
	cycles = probe_u32(&d, 0);
	probe_free(&d);
	text_clear(&t);
	return cycles;
}

/* 160 instructions and up to four more between the clocks. */
static void a_buffer_is_filled_when_it_is_empty(void **state)
{
	unsigned line = buffered("", 32);
	unsigned two3 = buffered("icache.buffer_instructions=2 icache.fetch_cycles=3", 32);
	unsigned two5 = buffered("icache.buffer_instructions=2 icache.fetch_cycles=5", 32);
	unsigned four3 = buffered("icache.buffer_instructions=4 icache.fetch_cycles=3", 32);
	unsigned fetches = (two3 - line) / 2;

	(void)state;
	assert_int_equal(buffered("icache.buffer_instructions=2 icache.fetch_cycles=1", 32), line);
	assert_int_equal((two3 - line) % 2, 0);
	assert_in_range(fetches, 80, 84);
	assert_int_equal(two5 - two3, 2 * fetches);
	assert_in_range((four3 - line) / 2, 40, 43);
}

static void an_sm_fetches_for_one_warp_a_cycle(void **state)
{
	unsigned one = buffered("icache.buffer_instructions=1 icache.fetch_cycles=1", 32);
	unsigned both = buffered("icache.buffer_instructions=1 icache.fetch_cycles=1", 64);
	unsigned pairs = buffered("icache.buffer_instructions=2 icache.fetch_cycles=1", 64);

	(void)state;
	assert_int_equal(one, buffered("", 32));
	assert_in_range(both, 2 * one - 6, 2 * one + 6);
	assert_in_range(pairs, one, one + 6);
}

/* A second launch of the kernel finds its code. */
static void code_stays_between_launches(void **state)
{
	static const char body[] = "st.global.u32 [%r2], %r3;\n";
	struct text ptx = probe_ptx(body);
	struct kit k = kit_new(REAL);
	buffer_t in = kit_buffer(&k, "in", 4096), out = kit_buffer(&k, "out", 4096);
	module_t m = kit_module(&k, text_str(&ptx));
	double missed;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		kit_launch(&k, m, "k", 1, 32, 2, (uint64_t[]){KIT_BUF(in), KIT_BUF(out)});
		kit_run(&k);
		if (i == 0)
			missed = kit_metric(&k, "icache__lines_missed.sum");
	}
	assert_true(missed >= 1 && kit_metric(&k, "icache__lines_missed.sum") == missed);
	assert_true(kit_metric(&k, "icache__lines.sum") == 2 * missed);
	text_clear(&ptx);
	kit_free(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cold_cache_misses_each_line_once),
		cmocka_unit_test(a_miss_in_the_l0_costs_the_l1s_cycles),
		cmocka_unit_test(a_loop_that_fits_stays),
		cmocka_unit_test(warps_share_lines),
		cmocka_unit_test(each_scheduler_has_its_l0),
		cmocka_unit_test(a_buffer_is_filled_when_it_is_empty),
		cmocka_unit_test(an_sm_fetches_for_one_warp_a_cycle),
		cmocka_unit_test(code_stays_between_launches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
