/* The SM's timing in closed forms: pipelines, branches, the two-level scheduler, cycle counts. */
#include "tests/rig/support_sm.h"

#include "core/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* A timed body: n instructions in a chain, or without any dependence. */
static struct text timed(const char *op, const char *reg, unsigned n, bool chain)
{
	struct text t = {0};

	text_raw(&t, "mov.b32 %s20, %%r1; mov.b32 %%r9, %s20; setp.eq.u32 %%p1, %%r9, 1;\n", reg,
		reg);
	text_raw(&t, "@%%p1 bra END;\n%s", CLOCK_START);
	for (unsigned i = 0; i < n; i++)
		text_raw(&t, "%s %s%u, %s%u;\n", op, reg, 21 + i, reg, chain ? 20 + i : 20);
	text_raw(&t, "mov.u32 %%r7, %%clock; sub.u32 %%r8, %%r7, %%r6;\n"
		     "st.global.u32 [%%r2], %%r8;\n");
	for (unsigned i = 0; i < n; i++)
		text_raw(&t, "st.global.b32 [%%r2+65536], %s%u;\n", reg, 21 + i);
	return t;
}

static uint32_t timed_cycles(
	const char *settings, const char *op, const char *reg, unsigned n, bool chain)
{
	struct text t = timed(op, reg, n, chain);
	uint32_t cycles = probe_cycles(&(struct probe){.settings = settings, .body = text_str(&t)});

	text_clear(&t);
	return cycles;
}

/* From the first clock to the second: one cycle to the first instruction, then the gaps, then one
 * cycle to the second clock. */
static unsigned with_gaps(unsigned gaps, unsigned cycles)
{
	return 2 + gaps * cycles;
}

static void dependent_alu_instructions_issue_8_cycles_apart(void **state)
{
	(void)state;
	for (unsigned n = 1; n <= 9; n += 4)
		assert_int_equal(
			timed_cycles(ONE_SM, "neg.s32", "%r", n, true), with_gaps(n - 1, 8));
	assert_int_equal(
		timed_cycles(ONE_SM " sm.alu_cycles=3", "neg.s32", "%r", 5, true), with_gaps(4, 3));
	assert_int_equal(timed_cycles(ONE_SM, "neg.f32", "%f", 5, true), with_gaps(4, 8));
}

static void independent_alu_instructions_issue_every_cycle(void **state)
{
	(void)state;
	for (unsigned n = 1; n <= 33; n += 16)
		assert_int_equal(
			timed_cycles(ONE_SM, "neg.s32", "%r", n, false), with_gaps(n - 1, 1));
}

static void special_functions_take_20_cycles_and_8_lanes_a_cycle(void **state)
{
	static const char op[] = "sin.approx.f32";
	(void)state;

	assert_int_equal(timed_cycles(ONE_SM, op, "%f", 4, true), with_gaps(3, 20));
	assert_int_equal(timed_cycles(ONE_SM, op, "%f", 4, false), with_gaps(3, 4));
	assert_int_equal(
		timed_cycles(ONE_SM " sm.sfu_lanes=32", op, "%f", 4, false), with_gaps(3, 1));
	assert_int_equal(
		timed_cycles(ONE_SM " sm.sfu_lanes=3", op, "%f", 4, false), with_gaps(3, 11));
	assert_int_equal(
		timed_cycles(ONE_SM " sm.sfu_cycles=31", op, "%f", 4, true), with_gaps(3, 31));
}

static void a_warp_issues_8_cycles_after_its_branch(void **state)
{
	static const char body[] = CLOCK_START "bra.uni L;\nadd.u32 %r9, %r1, 1;\nL:\n" CLOCK_STOP;
	static const char not_taken[] = CLOCK_START "@%p0 bra END;\n" CLOCK_STOP;
	(void)state;

	assert_int_equal(probe_cycles(&(struct probe){ONE_SM, body, 1, 32}), 9);
	assert_int_equal(probe_cycles(&(struct probe){ONE_SM, not_taken, 1, 32}), 9);
	assert_int_equal(
		probe_cycles(&(struct probe){ONE_SM " sm.branch_cycles=1", body, 1, 32}), 2);
}

static void predicates_and_guards_wait_for_their_writer(void **state)
{
	static const char body[] = CLOCK_START "setp.eq.u32 %p1, %r3, 77;\n"
					       "@%p1 add.u32 %r9, %r1, 1;\n" CLOCK_STOP
					       "st.global.u32 [%r2+4096], %r9;\n";
	(void)state;

	assert_int_equal(probe_cycles(&(struct probe){ONE_SM, body, 1, 32}), with_gaps(1, 8));
}

static void a_second_write_waits_for_the_first(void **state)
{
	/* overwriting a special function's pending result */
	static const char body[] =
		CLOCK_START "sin.approx.f32 %f1, %f2;\n"
			    "mov.b32 %f1, %r1;\n" CLOCK_STOP "st.global.f32 [%r2+4096], %f1;\n";
	(void)state;

	assert_int_equal(probe_cycles(&(struct probe){ONE_SM " rf.hierarchy=none", body, 1, 1}),
		with_gaps(1, 20));
	/* one goes to an upper level, the other to the main registers: nothing to wait for */
	assert_int_equal(probe_cycles(&(struct probe){ONE_SM, body, 1, 1}), with_gaps(1, 1));
}

/* A special function's result is the low half of what is read, to which a copy takes it, or is in
 * the high one. */
#define HALVES(pair) \
	"mov.u32 %r11, 5;\n" CLOCK_START "sin.approx.f32 %f1, %f2;\nmov.b32 %r10, %f1;\n" \
	"mov.b64 %rd1, " pair ";\nnot.b64 %rd2, %rd1;\n" CLOCK_STOP \
	"st.global.b64 [%r2+4096], %rd2;\n"

static void a_wide_operand_waits_for_both_halves(void **state)
{
	static const char *const bodies[] = {HALVES("{%r10, %r11}"), HALVES("{%r11, %r10}")};
	(void)state;

	for (unsigned i = 0; i < ARRAY_LEN(bodies); i++)
		assert_int_equal(
			probe_cycles(&(struct probe){ONE_SM " rf.hierarchy=none", bodies[i], 1, 1}),
			with_gaps(1, i ? 20 : 20 + 8));
}

static void clocks_of_both_widths_agree(void **state)
{
	static const char body[] =
		"mov.u32 %r6, %clock; mov.u64 %rd1, %clock64; cvt.u32.u64 %r7, %rd1;\n"
		"sub.u32 %r8, %r7, %r6; st.global.u32 [%r2], %r8;\n";
	(void)state;

	assert_int_equal(probe_cycles(&(struct probe){ONE_SM, body, 1, 1}), 1);
}

/* Cycles of n dependent instructions in each of `warps` warps. */
static struct probed chains(const char *settings, unsigned warps, unsigned n)
{
	struct text t = {0};
	struct probed d;

	text_raw(&t, "mov.u32 %%r20, %%r1;\n");
	for (unsigned i = 0; i < n; i++)
		text_raw(&t, "neg.s32 %%r20, %%r20;\n");
	text_raw(&t, "st.global.u32 [%%r2], %%r20;\n");
	d = probe_run(&(struct probe){settings, text_str(&t), 1, warps * 32});
	for (unsigned i = 0; i < warps * 32; i++)
		assert_int_equal(probe_u32(&d, i), probe_u32(&d, 0));
	text_clear(&t);
	return d;
}

static void active_warps_hide_latency_up_to_eight_of_eight_cycles(void **state)
{
	static const unsigned actives[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 32};
	(void)state;

	for (unsigned i = 0; i < ARRAY_LEN(actives); i++) {
		unsigned active = actives[i];
		char settings[64];
		struct probed d;
		double ipc, best;

		snprintf(
			settings, sizeof(settings), ONE_SM " sm.two_level.active_warps=%u", active);
		d = chains(settings, active < 12 ? active * 2 : 32, 256);
		ipc = probe_metric(&d, "smsp__inst_executed.sum") /
		      probe_metric(&d, "sm__cycles_active.sum");
		best = active < 8 ? active / 8.0 : 1;
		if (!(ipc > best * 0.97 && ipc < best * 1.03))
			fail_msg("%u active warps: %.3f instructions a cycle, not %.3f", active,
				ipc, best);
		probe_free(&d);
	}
}

static void more_schedulers_issue_as_many_instructions(void **state)
{
	double cycles[5];
	(void)state;

	for (unsigned n = 1; n <= 4; n++) {
		char settings[64];
		struct probed d;

		snprintf(settings, sizeof(settings),
			ONE_SM " sm.scheduler=round_robin sm.schedulers=%u", n);
		d = chains(settings, 32, 256);
		cycles[n] = probe_metric(&d, "sm__cycles_active.sum");
		probe_free(&d);
	}
	assert_true(cycles[1] > 1.95 * cycles[2] && cycles[1] < 2.05 * cycles[2]);
	assert_true(cycles[1] > 3.7 * cycles[4] && cycles[1] < 4.1 * cycles[4]);
	/* three schedulers: the one with 11 of the 32 warps is last */
	assert_true(cycles[1] > 2.8 * cycles[3] && cycles[1] < 2.95 * cycles[3]);
}

/* Every warp loads a line of its own, 1..n times, and uses it. */
static const char lines_of_own[] = "mov.u32 %r6, %clock; shr.u32 %r9, %r3, 5;\n"
				   "shl.b32 %r9, %r9, 12; add.u32 %r9, %r9, %r1;\n"
				   "ld.global.u32 %r10, [%r9]; add.u32 %r10, %r10, 1;\n"
				   "mov.u32 %r7, %clock; st.global.u32 [%r2], %r6;\n"
				   "st.global.u32 [%r2+65536], %r7;\n";

static void a_warp_that_waits_for_memory_is_descheduled(void **state)
{
	struct probed d = probe_run(
		&(struct probe){ONE_SM " sm.two_level.active_warps=1", lines_of_own, 1, 32 * 16});
	(void)state;

	/* the last one starts before the first, whose turn comes again then, has seen its data */
	assert_true(probe_u32(&d, 32 * 15) < probe_u32(&d, 16384));
	assert_true(probe_metric(&d, "sm__cycles_active.sum") < 16 * (400 + 100) / 4.0);
	probe_free(&d);
}

static void a_cta_of_32_warps_passes_barriers_with_one_active_warp(void **state)
{
	static const char body[] =
		"mov.u32 %r9, buf; add.u32 %r9, %r9, %r4; xor.b32 %r10, %r4, 128;\n"
		"mov.u32 %r11, buf; add.u32 %r11, %r11, %r10; mov.u32 %r12, %r3;\n"
		"mov.u32 %r13, 5;\n"
		"L: st.shared.u32 [%r9], %r12; bar.sync 0; ld.shared.u32 %r12, [%r11];\n"
		"bar.sync 0; sub.u32 %r13, %r13, 1; setp.ne.u32 %p1, %r13, 0; @%p1 bra L;\n"
		"st.global.u32 [%r2], %r12;\n";
	static const char *const settings[] = {ONE_SM " sm.two_level.active_warps=1", ONE_SM,
		ONE_SM " sm.scheduler=greedy", ONE_SM " sm.scheduler=round_robin",
		ONE_SM " sm.two_level.active_warps=2 sm.schedulers=4",
		ONE_SM " sm.scheduler=round_robin sm.schedulers=3"};
	(void)state;

	for (unsigned s = 0; s < ARRAY_LEN(settings); s++) {
		struct probed d = probe_run(&(struct probe){settings[s], body, 2, 1024});

		for (unsigned i = 0; i < 2048; i++)
			assert_int_equal(probe_u32(&d, i), (i % 1024) ^ 32);
		probe_free(&d);
	}
}

static void warps_released_by_an_exit_continue_at_once(void **state)
{
	/* warp 1 exits without reaching the barrier where warp 0 waits */
	static const char body[] = "setp.gt.u32 %p1, %r3, 31; @%p1 bra WAIT;\n"
				   "bar.sync 0; mov.u32 %r6, %clock; st.global.u32 [%r2], %r6;\n"
				   "bra END;\n"
				   "WAIT: add.u32 %r9, %r1, 1; add.u32 %r9, %r9, 1;\n"
				   "add.u32 %r9, %r9, 1; add.u32 %r9, %r9, 1;\n"
				   "add.u32 %r9, %r9, 1; add.u32 %r9, %r9, 1;\n"
				   "mov.u32 %r7, %clock; st.global.u32 [%r2], %r7; exit;\n";
	struct probed d = probe_run(&(struct probe){ONE_SM, body, 1, 64});
	(void)state;

	/* the clock's value, store, exit, then the barrier is open */
	assert_int_equal(probe_u32(&d, 0), probe_u32(&d, 32) + 8 + 1 + 1);
	probe_free(&d);
}

static void warps_released_by_a_barrier_do_not_wait_for_its_last_warp(void **state)
{
	/* warp 1 comes last, and then waits for its special function */
	static const char body[] =
		"mov.b32 %f1, %r1; setp.lt.u32 %p1, %r3, 32; @%p1 bra GO;\n"
		"add.u32 %r9, %r1, 1; add.u32 %r9, %r9, 1; add.u32 %r9, %r9, 1;\n"
		"add.u32 %r9, %r9, 1; add.u32 %r9, %r9, 1; add.u32 %r9, %r9, 1;\n"
		"sin.approx.f32 %f1, %f1; mov.u32 %r6, %clock;\n"
		"GO: bar.sync 0; @%p1 mov.u32 %r6, %clock; add.f32 %f1, %f1, %f1;\n"
		"st.global.u32 [%r2], %r6; st.global.f32 [%r2+4096], %f1;\n";
	struct probed d = probe_run(&(struct probe){ONE_SM, body, 1, 64});
	(void)state;

	/* clock, a cycle to the barrier, a cycle to the released warp */
	assert_int_equal(probe_u32(&d, 0), probe_u32(&d, 32) + 2);
	probe_free(&d);
}

static void round_robin_is_fair_and_greedy_is_not(void **state)
{
	struct text t = {0};
	struct probed d;
	uint32_t first, last;
	(void)state;

	for (unsigned i = 0; i < 64; i++)
		text_raw(&t, "neg.s32 %%r20, %%r1;\nneg.s32 %%r21, %%r1;\n");
	text_raw(&t, "mov.u32 %%r7, %%clock; st.global.u32 [%%r2], %%r7;\n");
	for (unsigned greedy = 0; greedy < 3; greedy++) {
		static const char *const settings[] = {
			ONE_SM " sm.scheduler=round_robin", ONE_SM " sm.scheduler=greedy", ONE_SM};

		d = probe_run(&(struct probe){settings[greedy], text_str(&t), 1, 8 * 32});
		first = probe_u32(&d, 0);
		last = probe_u32(&d, 7 * 32);
		if (!greedy)
			assert_int_equal(last, first + 7);
		else
			assert_true(last > first + 8);
		probe_free(&d);
	}
	text_clear(&t);
}

static void resident_warps_are_counted_from_arrival_to_exit(void **state)
{
	static const char kernel[] = ".version 5.0\n.target sm_35\n.address_size 32\n"
				     ".visible .entry k()\n{ .reg .b32 %r<4>;\n"
				     "mov.u32 %r1, 1; ret; }\n";
	(void)state;

	for (unsigned warps = 1; warps <= 8; warps += 7) {
		struct kit k = kit_new(ONE_SM);
		double sum = 0;

		kit_launch(&k, kit_module(&k, kernel), "k", 1, warps * 32, 0, NULL);
		kit_run(&k);
		expect_balanced_counters(&k);
		/* greedy: warp by warp, two instructions each, from one cycle after arrival */
		for (unsigned w = 1; w <= warps; w++)
			sum += 1 + 2 * w;
		assert_true(kit_metric(&k, "smsp__inst_executed.sum") == 2 * warps);
		assert_true(kit_metric(&k, "sm__warps_active.sum") == sum);
		assert_true(kit_metric(&k, "sm__cycles_active.sum") == 1 + 2 * warps);
		assert_true(kit_metric(&k, "smsp__thread_inst_executed.sum") == 2 * warps * 32);
		kit_free(&k);
	}
}

static const char loops[] = "and.b32 %r9, %r3, 7; mov.u32 %r10, 0;\n"
			    "L: add.u32 %r10, %r10, %r9; sub.u32 %r9, %r9, 1;\n"
			    "setp.gt.s32 %p1, %r9, 0; @%p1 bra L;\n"
			    "setp.lt.u32 %p2, %r10, 9; @%p2 bra SMALL;\n"
			    "mul.lo.u32 %r10, %r10, 3; bra DONE;\n"
			    "SMALL: @%p1 add.u32 %r10, %r10, 1; sub.u32 %r10, %r10, 5;\n"
			    "DONE: st.global.u32 [%r2], %r10;\n";

static void instructions_are_those_of_the_untimed_run(void **state)
{
	struct probe p = {"chip.sms=3", loops, 7, 77};
	struct probed d = probe_run(&p);
	struct kit u = {.config = config_new()};
	struct untimed_counts n = {0};
	struct text ptx = probe_ptx(loops);
	struct launch_report r;
	buffer_t in, out;
	(void)state;

	u.gpu = gpu_new(u.config, NULL, &u.err);
	in = kit_buffer(&u, "in", PROBE_IN);
	out = kit_buffer(&u, "out", PROBE_OUT);
	kit_launch(&u, kit_module(&u, text_str(&ptx)), "k", p.ctas, p.threads, 2,
		(uint64_t[]){KIT_BUF(in), KIT_BUF(out)});
	assert_int_equal(gpu_run_untimed(u.gpu, &n, &u.err), 0);
	chip_launch_report(d.k.gpu, 0, &r);
	assert_int_equal(r.warp_instructions, n.warp_instructions);
	assert_true(probe_metric(&d, "smsp__inst_executed.sum") == (double)n.warp_instructions);
	assert_true(probe_metric(&d, "smsp__thread_inst_executed.sum") ==
		    (double)n.thread_instructions);
	for (unsigned i = 0; i < p.ctas * p.threads; i++)
		assert_int_equal(kit_u32(&u, out, i), probe_u32(&d, i));
	text_clear(&ptx);
	probe_free(&d);
	kit_free(&u);
}

static void divergent_branches_are_counted(void **state)
{
	/* lanes leave the loop after 1 (lanes 0 and 1), 2 .. 7 rounds: six divergent branches; the
	 * second branch diverges once more */
	struct probed d = probe_run(&(struct probe){ONE_SM, loops, 1, 32});
	struct probed none = probe_run(&(struct probe){ONE_SM, loops, 1, 1});
	(void)state;

	assert_true(probe_metric(&d, "smsp__sass_branch_targets_divergent.sum") == 7);
	assert_true(probe_metric(&none, "smsp__sass_branch_targets_divergent.sum") == 0);
	probe_free(&d);
	probe_free(&none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dependent_alu_instructions_issue_8_cycles_apart),
		cmocka_unit_test(independent_alu_instructions_issue_every_cycle),
		cmocka_unit_test(special_functions_take_20_cycles_and_8_lanes_a_cycle),
		cmocka_unit_test(a_warp_issues_8_cycles_after_its_branch),
		cmocka_unit_test(predicates_and_guards_wait_for_their_writer),
		cmocka_unit_test(a_second_write_waits_for_the_first),
		cmocka_unit_test(a_wide_operand_waits_for_both_halves),
		cmocka_unit_test(clocks_of_both_widths_agree),
		cmocka_unit_test(active_warps_hide_latency_up_to_eight_of_eight_cycles),
		cmocka_unit_test(more_schedulers_issue_as_many_instructions),
		cmocka_unit_test(a_warp_that_waits_for_memory_is_descheduled),
		cmocka_unit_test(a_cta_of_32_warps_passes_barriers_with_one_active_warp),
		cmocka_unit_test(warps_released_by_an_exit_continue_at_once),
		cmocka_unit_test(warps_released_by_a_barrier_do_not_wait_for_its_last_warp),
		cmocka_unit_test(round_robin_is_fair_and_greedy_is_not),
		cmocka_unit_test(resident_warps_are_counted_from_arrival_to_exit),
		cmocka_unit_test(instructions_are_those_of_the_untimed_run),
		cmocka_unit_test(divergent_branches_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
