/* What an issue costs and how a scheduler's cycle is counted: register bank conflicts, instructions
 * of several issues, the order of reasons; then loads. */
#include "tests/rig/support_sm.h"

#include "core/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

/* All operands in the main registers. */
#define PLAIN ONE_SM " rf.hierarchy=none gpu.spread_banks=false"

/* Seven instructions, each of which needs the one before. */
static const char chain[] =
	"mov.u32 %r9, 3; mov.u32 %r10, 5;\n" CLOCK_START
	"mad.lo.u32 %r11, %r3, %r4, %r5; mad.lo.u32 %r12, %r11, %r4, %r3;\n"
	"mad.lo.u32 %r13, %r12, %r11, %r9; mad.lo.u32 %r14, %r13, %r12, %r11;\n"
	"mad.lo.u32 %r15, %r14, %r13, %r10; mad.lo.u32 %r16, %r15, %r14, %r13;\n"
	"mad.lo.u32 %r17, %r16, %r12, %r9;\n" CLOCK_STOP "st.global.u32 [%r2+65536], %r17;\n";
enum { LINKS = 7 };

/* The cycles that each instruction of the chain costs beyond its first, by the compiler's notes. */
static unsigned extra_of(struct probed *d, unsigned extra[LINKS])
{
	const struct program *p = gpu_compiled(d->k.gpu, 0)->kernels[0];
	unsigned n = 0, sum = 0;

	for (uint32_t i = 0; i < p->ninstr; i++) {
		unsigned met = p->levels->notes[i].met;

		if (p->code[i].unit != UNIT_ALU || p->code[i].nsrc != 3)
			continue;
		assert_true(n < LINKS);
		extra[n] = met < 2 ? 0 : met - 1;
		sum += extra[n++];
	}
	assert_int_equal(n, LINKS);
	return sum;
}

/* An operand that another one of its bank delays makes the result late by a cycle; `penalty` takes
 * the issue slot, too, which the second clock needs. Warp 1 has a scheduler of its own. */
static void operands_of_one_bank_delay_the_result_and_the_issue_slot_of_their_scheduler(
	void **state)
{
	static const struct {
		const char *settings;
		bool late, slot;
	} cases[] = {{PLAIN, false, false}, {PLAIN " sm.bank_conflicts=delay", true, false},
		{PLAIN " sm.bank_conflicts=penalty", true, true},
		{PLAIN " sm.bank_conflicts=penalty sm.schedulers=2", true, true}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		bool two = i == 3;
		struct probed d =
			probe_run(&(struct probe){cases[i].settings, chain, 1, two ? 64 : 32});
		unsigned extra[LINKS], sum = extra_of(&d, extra), last = extra[LINKS - 1];
		unsigned cycles = 2 + (LINKS - 1) * 8;

		assert_true(last > 0 && sum > last);
		cycles += cases[i].late ? sum - last : 0;
		cycles += cases[i].slot ? last : 0;
		for (unsigned warp = 0; warp <= two; warp++)
			if (probe_u32(&d, 32 * warp) != cycles)
				fail_msg("%s: warp %u takes %u cycles, not %u", cases[i].settings,
					warp, probe_u32(&d, 32 * warp), cycles);
		probe_free(&d);
	}
}

/* Half of the lanes mean global memory, half shared: a store and a load take two issues each. */
static void an_instruction_of_two_issues_is_executed_once(void **state)
{
	static const char body[] =
		"mov.u32 %r10, %r1; mov.u32 %r11, buf; cvta.shared.u32 %r11, %r11;\n"
		"setp.gt.u32 %p1, %r3, 15; selp.b32 %r10, %r11, %r10, %p1;\n"
		"add.u32 %r10, %r10, %r4; st.u32 [%r10], %r3; ld.u32 %r12, [%r10];\n"
		"st.global.u32 [%r2], %r12;\n";
	struct probed d = probe_run(&(struct probe){ONE_SM, body, 1, 32});

	(void)state;
	assert_true(probe_metric(&d, "smsp__inst_issued.sum") -
			    probe_metric(&d, "smsp__inst_executed.sum") ==
		    2);
	for (unsigned i = 0; i < 32; i++)
		assert_int_equal(probe_u32(&d, i), i);
	probe_free(&d);
}

/* Warp 0 waits for special functions, 20 cycles each, while warp 1 waits for additions: cycles in
 * which both do are the special functions'. */
static void a_cycle_counts_as_short_scoreboard_before_wait(void **state)
{
	struct text t = {0};
	struct probed d;

	(void)state;
	text_raw(&t, "setp.gt.u32 %%p1, %%r3, 31; mov.u32 %%r9, %%r1; @%%p1 bra ADDS;\n"
		     "mov.b32 %%f1, %%r1;\n");
	for (unsigned i = 0; i < 40; i++)
		text_raw(&t, "sin.approx.f32 %%f1, %%f1;\n");
	text_raw(&t, "st.global.f32 [%%r2], %%f1; bra END;\nADDS:\n");
	for (unsigned i = 0; i < 40; i++)
		text_raw(&t, "neg.s32 %%r9, %%r9;\n");
	text_raw(&t, "st.global.u32 [%%r2], %%r9;\n");
	d = probe_run(&(struct probe){ONE_SM, text_str(&t), 1, 64});
	/* 39 times 19 cycles without the 40 in which warp 1 issues; its waits alone are 280. */
	assert_true(probe_metric(&d, "sched__cycles_short_scoreboard.sum") > 39 * 19 - 60);
	assert_true(probe_metric(&d, "sched__cycles_wait.sum") < 100);
	probe_free(&d);
	text_clear(&t);
}

static void a_scheduler_without_warps_is_idle(void **state)
{
	struct probed d = probe_run(&(struct probe){ONE_SM " sm.schedulers=4", chain, 1, 32});
	double all = probe_metric(&d, "chip__cycles_simulated.max");

	(void)state;
	assert_true(probe_metric(&d, "sched__cycles_idle.sum") ==
		    4 * all - probe_metric(&d, "sm__cycles_active.sum"));
	assert_true(probe_metric(&d, "sched__cycles_not_selected.sum") == 0);
	probe_free(&d);
}

static void a_fence_ends_with_its_window(void **state)
{
	static const char body[] =
		"st.global.u32 [%r1], 5; mov.u32 %r6, %clock; membar.gl; mov.u32 %r7, %clock;\n"
		"st.global.u32 [%r2], %r6; st.global.u32 [%r2+4], %r7;\n";

	(void)state;
	for (unsigned window = 1; window <= 20; window++) {
		char settings[64];
		struct probed d;
		uint32_t fence;

		snprintf(settings, sizeof(settings), ONE_SM " chip.window=%u", window);
		d = probe_run(&(struct probe){settings, body, 1, 1});
		fence = probe_u32(&d, 0) + 1;
		assert_int_equal(probe_u32(&d, 1), (fence / window + 1) * window);
		probe_free(&d);
	}
}

/* ---- loads */
/* Cycles between the clocks around n loads of a line each, all in the L1, and an addition that
 * needs the first or the last of them. */
static unsigned hits(const char *settings, unsigned n, bool last)
{
	struct text t = {0};
	unsigned cycles;

	text_raw(&t, "add.u32 %%r1, %%r1, %%r4; mov.u32 %%r9, 0;\n");
	for (unsigned i = 0; i < n; i++)
		text_raw(&t, "ld.global.u32 %%r10, [%%r1+%u]; add.u32 %%r9, %%r9, %%r10;\n",
			128 * i);
	text_raw(&t, "setp.eq.u32 %%p1, %%r9, 77; @%%p1 bra END;\n%s", CLOCK_START);
	for (unsigned i = 0; i < n; i++)
		text_raw(&t, "ld.global.u32 %%r%u, [%%r1+%u];\n", 20 + i, 128 * i);
	text_raw(&t, "add.u32 %%r9, %%r%u, 1;\n%s", last ? 19 + n : 20, CLOCK_STOP);
	for (unsigned i = 0; i < n; i++)
		text_raw(&t, "add.u32 %%r9, %%r9, %%r%u;\n", 20 + i);
	text_raw(&t, "st.global.u32 [%%r2+65536], %%r9;\n");
	cycles = probe_cycles(&(struct probe){settings, text_str(&t), 1, 32});
	text_clear(&t);
	return cycles;
}

/* A line of 128 bytes takes four beats of 32; those of a later hit follow them. */
static void hits_occupy_the_port_one_after_the_other(void **state)
{
	static const char narrow[] = ONE_SM " sm.memory_bytes=32 rf.hierarchy=none";

	(void)state;
	for (unsigned n = 1; n < 6; n++) {
		assert_int_equal(hits(ONE_SM " rf.hierarchy=none", n, true), 2 + 20 + n - 1);
		assert_int_equal(hits(narrow, n, true), 2 + 20 + 4 * n - 1);
	}
}

/* A new strand begins when all long results are there, not only those that it needs first. */
static void a_strand_waits_for_all_long_results(void **state)
{
	(void)state;
	for (unsigned n = 1; n < 6; n++)
		assert_int_equal(hits(ONE_SM, n, false), 2 + 20 + n - 1);
}

/* Cycles between the clocks around n loads of 32 lines each, whose results are not needed. */
static unsigned queued(unsigned queue, unsigned n)
{
	char settings[100];
	struct text t = {0};
	unsigned cycles;

	snprintf(settings, sizeof(settings), ONE_SM " rf.hierarchy=none sm.lsu_queue=%u", queue);
	text_raw(&t,
		"shl.b32 %%r9, %%r3, 7; add.u32 %%r10, %%r1, %%r9; setp.eq.u32 %%p1, %%r10, 1;\n"
		"@%%p1 bra END;\n%s",
		CLOCK_START);
	for (unsigned i = 0; i < n; i++)
		text_raw(&t, "ld.global.u32 %%r%u, [%%r10+%u];\n", 20 + i, 4 * i);
	text_raw(&t, "%s", CLOCK_STOP);
	for (unsigned i = 0; i < n; i++)
		text_raw(&t, "add.u32 %%r9, %%r9, %%r%u;\n", 20 + i);
	text_raw(&t, "st.global.u32 [%%r2+65536], %%r9;\n");
	cycles = probe_cycles(&(struct probe){settings, text_str(&t), 1, 32});
	text_clear(&t);
	return cycles;
}

/* One more waits until the first has looked up its 32 lines, one a cycle. */
static void the_queue_of_memory_instructions_holds_its_entries(void **state)
{
	(void)state;
	for (unsigned queue = 8; queue; queue--) {
		assert_int_equal(queued(queue, queue), 1 + queue);
		assert_true(queued(queue, queue + 1) > 32);
	}
}

/* Half of the lanes load from a line that was requested before `delay` additions of 8 cycles, the
 * others from one in the L1: cycles until both are there. */
static unsigned two_lines(unsigned delay)
{
	struct text t = {0};
	unsigned cycles;

	text_raw(&t, "setp.lt.u32 %%p2, %%r3, 16; add.u32 %%r10, %%r1, %%r4;\n"
		     "add.u32 %%r11, %%r10, 4096; selp.b32 %%r11, %%r11, %%r10, %%p2;\n"
		     "ld.global.u32 %%r9, [%%r10]; setp.eq.u32 %%p1, %%r9, 77; @%%p1 bra END;\n"
		     "ld.global.u32 %%r12, [%%r10+4096];\n");
	for (unsigned i = 0; i < delay; i++)
		text_raw(&t, "neg.s32 %%r9, %%r9;\n");
	text_raw(&t, "%sld.global.u32 %%r13, [%%r11]; add.u32 %%r14, %%r13, 1;\n%s", CLOCK_START,
		CLOCK_STOP "add.u32 %r9, %r9, %r12; add.u32 %r9, %r9, %r14;\n"
			   "st.global.u32 [%r2+65536], %r9;\n");
	cycles = probe_cycles(&(struct probe){ONE_SM " rf.hierarchy=none", text_str(&t), 1, 32});
	text_clear(&t);
	return cycles;
}

/* The hit, which is looked up second, takes its time, also when the other line comes before it. */
static void a_result_is_there_with_the_last_of_its_lines(void **state)
{
	unsigned most = 0;

	(void)state;
	for (unsigned delay = 36; delay < 60; delay++) {
		unsigned cycles = two_lines(delay);

		assert_true(cycles >= 2 + 20 + 1);
		most = cycles > most ? cycles : most;
	}
	assert_true(most > 2 + 20 + 1);
	assert_int_equal(two_lines(60), 2 + 20 + 1);
}

static void a_miss_without_an_entry_stalls_the_tags_on_mshrs(void **state)
{
	static const char body[] = "ld.global.u32 %r9, [%r1]; ld.global.u32 %r10, [%r1+4096];\n"
				   "add.u32 %r9, %r9, %r10; st.global.u32 [%r2], %r9;\n";
	struct probed one = probe_run(&(struct probe){ONE_SM " l1.mshrs=1", body, 1, 1});
	struct probed two = probe_run(&(struct probe){ONE_SM " l1.mshrs=2", body, 1, 1});

	(void)state;
	assert_in_range(probe_metric(&one, "l1tex__cycles_tag_stalled_mshr.sum"), 350, 400);
	assert_true(probe_metric(&one, "l1tex__cycles_tag_stalled_network.sum") == 0);
	assert_true(probe_metric(&two, "l1tex__cycles_tag_stalled_mshr.sum") == 0);
	probe_free(&one);
	probe_free(&two);
}

/* A line that a thread reads in each of three launches. */
static void a_new_launch_finds_an_invalid_l1(void **state)
{
	static const char body[] = "ld.global.u32 %r9, [%r1]; st.global.u32 [%r2], %r9;\n";
	static const char *const settings[] = {ONE_SM, ONE_SM " sm.invalidate_l1=false"};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(settings); i++) {
		struct kit k = kit_new(settings[i]);
		struct text ptx = probe_ptx(body);
		module_t m = kit_module(&k, text_str(&ptx));
		buffer_t in = kit_buffer(&k, "in", 128), out = kit_buffer(&k, "out", 128);

		for (unsigned n = 0; n < 3; n++)
			kit_launch(&k, m, "k", 1, 1, 2, (uint64_t[]){KIT_BUF(in), KIT_BUF(out)});
		kit_run(&k);
		assert_true(kit_metric(&k, "l1tex__t_lines_load_lookup_hit.sum") == (i ? 2 : 0));
		text_clear(&ptx);
		kit_free(&k);
	}
}

/* Every fourth word of four lines, twice: the hits read 32 words of 4 bytes, or 32 of 16. */
static void hits_read_the_banks_words(void **state)
{
	static const char body[] = "shl.b32 %r9, %r3, 4; add.u32 %r9, %r9, %r1;\n"
				   "ld.global.u32 %r10, [%r9]; setp.eq.u32 %p1, %r10, 77;\n"
				   "@%p1 bra END;\nld.global.u32 %r11, [%r9];\n"
				   "st.global.u32 [%r2], %r11;\n";
	static const char contiguous[] = "add.u32 %r9, %r1, %r4; ld.global.u32 %r10, [%r9];\n"
					 "setp.eq.u32 %p1, %r10, 77; @%p1 bra END;\n"
					 "ld.global.u32 %r11, [%r9]; st.global.u32 [%r2], %r11;\n";
	static const struct {
		const char *settings;
		unsigned apart, together;
	} cases[] = {{ONE_SM, 32, 32}, {ONE_SM " chip.storage=unified", 32, 8}};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		struct probed apart = probe_run(&(struct probe){cases[i].settings, body, 1, 32});
		struct probed together =
			probe_run(&(struct probe){cases[i].settings, contiguous, 1, 32});

		assert_true(probe_metric(&apart, "bank__words_cache_read.sum") == cases[i].apart);
		assert_true(
			probe_metric(&together, "bank__words_cache_read.sum") == cases[i].together);
		probe_free(&apart);
		probe_free(&together);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			operands_of_one_bank_delay_the_result_and_the_issue_slot_of_their_scheduler),
		cmocka_unit_test(an_instruction_of_two_issues_is_executed_once),
		cmocka_unit_test(a_cycle_counts_as_short_scoreboard_before_wait),
		cmocka_unit_test(a_scheduler_without_warps_is_idle),
		cmocka_unit_test(a_fence_ends_with_its_window),
		cmocka_unit_test(the_queue_of_memory_instructions_holds_its_entries),
		cmocka_unit_test(hits_occupy_the_port_one_after_the_other),
		cmocka_unit_test(a_strand_waits_for_all_long_results),
		cmocka_unit_test(a_result_is_there_with_the_last_of_its_lines),
		cmocka_unit_test(a_miss_without_an_entry_stalls_the_tags_on_mshrs),
		cmocka_unit_test(a_new_launch_finds_an_invalid_l1),
		cmocka_unit_test(hits_read_the_banks_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
