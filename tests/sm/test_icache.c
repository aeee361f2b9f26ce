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

/* ---- the stream buffer */
#define AHEAD(n) " icache.prefetch_lines=" #n

/* A round of eleven lines or more: of a cold cache only the first one is waited for as a whole, the
 * stream asks for all others, and for those behind the end. */
static void a_stream_buffer_asks_for_the_lines_that_follow(void **state)
{
	struct probed none = rounds(REAL, 1, 1), eight = rounds(REAL AHEAD(8), 1, 1);
	double lines = probe_metric(&none, "icache__lines.sum");
	double asked = probe_metric(&eight, "icache__lines_prefetched.sum");

	(void)state;
	assert_true(probe_metric(&none, "icache__lines_prefetched.sum") == 0);
	assert_true(probe_metric(&none, "icache__lines_missed.sum") == lines);
	assert_true(probe_metric(&eight, "icache__lines_missed.sum") == 1);
	assert_true(probe_metric(&eight, "icache__stream_lines_lookup_hit.sum") == lines - 1);
	assert_true(asked == lines - 1 + 8);
	assert_true(probe_metric(&eight, "icache__l2_read_bytes.sum") == (1 + asked) * 128);
	assert_true(probe_u32(&eight, 0) < probe_u32(&none, 0) / 2);
	probe_free(&none);
	probe_free(&eight);
}

/* Cycles of three rounds in warm code, without an L0, of instructions of a cycle: 16 of a line. */
static unsigned streamed(const char *settings)
{
	struct text t = {0};
	unsigned cycles[2];

	text_raw(&t, "%s sm.alu_cycles=1 sm.branch_cycles=1 icache.l0_bytes=0 %s", REAL, settings);
	for (unsigned i = 0; i < 2; i++) {
		struct probed d = rounds(text_str(&t), 2 + 3 * i, 1);

		cycles[i] = probe_u32(&d, 0);
		probe_free(&d);
	}
	text_clear(&t);
	return cycles[1] - cycles[0];
}

/* Ten lines or eleven in each of three rounds. A line is asked for when the one before it is
 * entered, which itself is not there yet: two lines in l1_cycles + 1 + 15. */
static void a_line_of_the_stream_is_taken_when_it_is_there(void **state)
{
	unsigned at30 = streamed("icache.l1_cycles=30" AHEAD(1));
	unsigned at40 = streamed("icache.l1_cycles=40" AHEAD(1));
	unsigned none30 = streamed("icache.l1_cycles=30"), none40 = streamed("icache.l1_cycles=40");

	(void)state;
	assert_in_range(at40 - at30, 3 * 10 * 5, 3 * 12 * 5);
	assert_in_range(none40 - none30, 3 * 10 * 10, 3 * 12 * 10);
	assert_in_range(none30 - at30, 3 * 9 * 23, 3 * 12 * 23);
	assert_true(streamed("icache.l1_cycles=30" AHEAD(2)) < at30);
	assert_int_equal(
		streamed("icache.l1_cycles=10" AHEAD(1)), streamed("icache.l1_cycles=10" AHEAD(4)));
}

/* The clock starts in the first line: the warp waits for the stream's tenth line, which was asked
 * for when it entered the second, eight lines of 128 cycles before. */
static void a_line_from_the_l2_takes_its_time_to_fill(void **state)
{
	struct probed at0 = rounds(REAL AHEAD(8) " icache.fill_cycles=0", 1, 1);
	struct probed slow = rounds(REAL AHEAD(8) " icache.fill_cycles=1000", 1, 1);

	(void)state;
	assert_in_range(probe_u32(&slow, 0) - probe_u32(&at0, 0), 150, 1000);
	probe_free(&at0);
	probe_free(&slow);
}

/* A branch over two lines of three, ten times: what is between is asked for, and not used. */
static void lines_before_the_one_that_is_taken_go(void **state)
{
	struct text t = {0};
	struct probed d;
	double lines;

	text_raw(&t, "mov.u32 %%r20, 7; mov.u32 %%r21, 9; setp.lt.u32 %%p1, %%r3, 1000;\n");
	for (unsigned i = 0; i < 480; i++) {
		if (i % 48 == 16)
			text_raw(&t, "@%%p1 bra L%u;\n", i / 48);
		text_raw(&t, "xor.b32 %%r21, %%r21, %%r20;\n");
		if (i % 48 == 47)
			text_raw(&t, "L%u:\n", i / 48);
	}
	text_raw(&t, "st.global.u32 [%%r2+4096], %%r21;\n");
	d = probe_run(&(struct probe){REAL AHEAD(8), text_str(&t), 1, 32});
	lines = probe_metric(&d, "icache__lines.sum");
	(void)state;
	assert_in_range((unsigned)lines, 11, 22);
	assert_true(probe_metric(&d, "icache__lines_missed.sum") == 1);
	assert_true(probe_metric(&d, "icache__stream_lines_lookup_hit.sum") == lines - 1);
	assert_in_range((unsigned)probe_metric(&d, "icache__lines_prefetched.sum"), 31 + 7, 32 + 8);
	probe_free(&d);
	text_clear(&t);
}

/* Two warps of a scheduler in lines that are far from each other take the stream from each other;
 * those of two schedulers do not. */
static double asked_apart(const char *settings)
{
	struct text t = {0};
	struct probed d;
	double asked;

	text_raw(&t, "mov.u32 %%r20, 7; mov.u32 %%r21, %%tid.x;\n"
		     "setp.lt.u32 %%p1, %%r21, 32;\n@%%p1 bra L;\n");
	for (unsigned i = 0; i < 640; i++)
		text_raw(&t, "%sxor.b32 %%r21, %%r21, %%r20;\n", i == 320 ? "bra E;\nL:\n" : "");
	text_raw(&t, "E:\nst.global.u32 [%%r2+4096], %%r21;\n");
	d = probe_run(&(struct probe){settings, text_str(&t), 1, 64});
	text_clear(&t);
	asked = probe_metric(&d, "icache__lines_prefetched.sum");
	probe_free(&d);
	return asked;
}

static void each_scheduler_has_its_stream(void **state)
{
	double one = asked_apart(REAL AHEAD(8)),
	       two = asked_apart(REAL " sm.schedulers=2" AHEAD(8));

	(void)state;
	/* 41 lines; each stream starts twice and reaches behind the end */
	assert_in_range((unsigned)two, 41, 41 + 4 * 8);
	assert_true(one > 2 * two);
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
		cmocka_unit_test(a_stream_buffer_asks_for_the_lines_that_follow),
		cmocka_unit_test(a_line_of_the_stream_is_taken_when_it_is_there),
		cmocka_unit_test(each_scheduler_has_its_stream),
		cmocka_unit_test(a_line_from_the_l2_takes_its_time_to_fill),
		cmocka_unit_test(lines_before_the_one_that_is_taken_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
