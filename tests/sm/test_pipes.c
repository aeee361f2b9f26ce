/* Pipes in closed forms: latency, interval and pipe by class of operations, pipes of schedulers and
 * of the SM, two instructions a cycle, placement of warps, barriers. */
#include "tests/rig/support_cli.h"
#include "tests/rig/support_sm.h"

#include "core/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* A class, an instruction of it, "D" its result and "S" its operand, and the type of both. */
struct sample {
	const char *name, *code, *type;
};

static const struct sample samples[] = {
	{"int", "add.u32 D, S, S", "b32"},
	{"int64", "add.u64 D, S, S", "b64"},
	{"shift", "shl.b32 D, S, 1", "b32"},
	{"bits", "popc.b32 D, S", "b32"},
	{"compare", "set.lt.u32.u32 D, S, 5", "b32"},
	{"minmax", "min.u32 D, S, 5", "b32"},
	{"mul", "mul.lo.u32 D, S, S", "b32"},
	{"mad", "mad.lo.u32 D, S, S, S", "b32"},
	{"f32", "add.f32 D, S, S", "f32"},
	{"fma", "fma.rn.f32 D, S, S, S", "f32"},
	{"f16", "add.f16 D, S, S", "b16"},
	{"f64", "add.f64 D, S, S", "f64"},
	{"conversion", "cvt.rni.f32.f32 D, S", "f32"},
	{"shuffle", "shfl.sync.bfly.b32 D, S, 1, 31, 0xffffffff", "b32"},
	{"sfu", "sin.approx.f32 D, S", "f32"},
	{"idiv", "div.u32 D, S, S", "b32"},
	{"fdiv", "div.rn.f32 D, S, S", "f32"},
	{"ddiv", "div.rn.f64 D, S, S", "f64"},
};

#define MOST 24

static void add_code(struct text *t, const struct sample *s, unsigned d, unsigned from)
{
	for (const char *at = s->code; *at; at++) {
		bool operand = (*at == 'D' || *at == 'S') && at[-1] == ' ';

		if (operand)
			text_raw(t, "%%%s%u", s->name, *at == 'D' ? d : from);
		else
			text_raw(t, "%c", *at);
	}
	text_raw(t, ";\n");
}

static void declare(struct text *t, const struct sample *s)
{
	text_raw(t, ".reg .%s %%%s<%u>;\n", s->type, s->name, MOST + 1);
	if (!strcmp(s->type, "b16"))
		text_raw(t, "cvt.u16.u32 %%%s0, %%r1;\n", s->name);
	else if (strstr(s->type, "64"))
		text_raw(t, "mov.b64 %%%s0, {%%r1, %%r1};\n", s->name);
	else
		text_raw(t, "mov.b32 %%%s0, %%r1;\n", s->name);
}

static void use(struct text *t, const struct sample *s, unsigned n)
{
	unsigned bits = strstr(s->type, "64") ? 64 : strstr(s->type, "16") ? 16 : 32;

	for (unsigned i = 0; i < n; i++)
		text_raw(t, "st.global.b%u [%%r1], %%%s%u;\n", bits, s->name, i + 1);
}

/* A warp's clocks around n instructions of each of up to two classes, in turn: each in a chain, or
 * all independent. The first operands are available long before. */
struct timed {
	const char *settings;
	const struct sample *a, *b; /* b may be NULL */
	unsigned n;
	bool chain;
	unsigned warps;
};

static struct text body_of(const struct timed *x)
{
	struct text t = {0};

	declare(&t, x->a);
	if (x->b)
		declare(&t, x->b);
	text_raw(&t,
		"bar.sync 0; bar.sync 0;\nmov.u32 %%r9, %%r1; setp.eq.u32 %%p1, %%r9, 1;\n"
		"@%%p1 bra END;\nld.global.u32 %%r9, [%%r1]; add.u32 %%r9, %%r9, 1;\n%s",
		CLOCK_START);
	for (unsigned i = 0; i < x->n; i++) {
		add_code(&t, x->a, i + 1, x->chain ? i : 0);
		if (x->b)
			add_code(&t, x->b, i + 1, x->chain ? i : 0);
	}
	text_raw(&t, "%sst.global.u32 [%%r1], %%r9;\n", CLOCK_STOP);
	use(&t, x->a, x->n);
	if (x->b)
		use(&t, x->b, x->n);
	return t;
}

static struct probed timed_run(const struct timed *x)
{
	struct text body = body_of(x);
	struct probed d =
		probe_run(&(struct probe){x->settings, text_str(&body), 1, 32 * x->warps});

	text_clear(&body);
	return d;
}

static uint32_t timed_cycles(const struct timed *x)
{
	struct probed d = timed_run(x);
	uint32_t cycles = probe_u32(&d, 0);

	probe_free(&d);
	return cycles;
}

/* On a pipe without other classes: a cycle to the first, then the gaps, then one to the clock. */
static unsigned with_gaps(unsigned gaps, unsigned cycles)
{
	return 2 + gaps * cycles;
}

static const struct sample *sample(const char *name)
{
	for (unsigned i = 0; i < ARRAY_LEN(samples); i++)
		if (!strcmp(samples[i].name, name))
			return &samples[i];
	fail();
	return NULL;
}

static void expect(const struct timed *x, unsigned cycles)
{
	uint32_t taken = timed_cycles(x);

	if (taken != cycles)
		fail_msg("%s, %s: %u of %s%s%s take %u cycles, not %u", x->settings,
			x->chain ? "chain" : "independent", x->n, x->a->name, x->b ? " and " : "",
			x->b ? x->b->name : "", taken, cycles);
}

static void a_chain_takes_its_class_latencies(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(samples); i++) {
		const struct sample *s = &samples[i];
		char settings[96];
		bool special = i >= 14;

		expect(&(struct timed){ONE_SM, s, NULL, 5, true, 1},
			with_gaps(4, special ? 20 : 8));
		snprintf(settings, sizeof(settings), ONE_SM " pipe.%s_cycles=37", s->name);
		expect(&(struct timed){settings, s, NULL, 5, true, 1}, with_gaps(4, 37));
		/* the others keep theirs */
		expect(&(struct timed){settings, &samples[(i + 1) % 14], NULL, 5, true, 1},
			i == 13 && !special ? with_gaps(4, 8) : with_gaps(4, 8));
	}
}

static void independent_instructions_issue_at_the_pipes_interval(void **state)
{
	static const struct {
		const char *lanes;
		unsigned interval;
	} rates[] = {{"32", 1}, {"16", 2}, {"5", 7}, {"1", 32}, {"0.5", 64}};
	(void)state;

	for (unsigned i = 0; i < ARRAY_LEN(samples); i++)
		for (unsigned r = 0; r < ARRAY_LEN(rates); r++) {
			const struct sample *s = &samples[i];
			char settings[128];
			unsigned n = 4, clocks = i == 0 ? 2 * rates[r].interval - 2 : 0;

			snprintf(settings, sizeof(settings),
				ONE_SM " pipe.%s_lanes=%s pipe.%s_pipe=fp16 pipe.%s_shared=0",
				s->name, rates[r].lanes, s->name, s->name);
			/* reading the clock is itself of class int */
			expect(&(struct timed){settings, s, NULL, n, false, 1},
				with_gaps(n - 1, rates[r].interval) + clocks);
		}
}

static void classes_on_one_pipe_wait_for_each_other_and_others_do_not(void **state)
{
	static const char alone[] = ONE_SM " pipe.f64_lanes=8 pipe.f32_lanes=16";
	static const char together[] =
		ONE_SM " pipe.f64_lanes=8 pipe.f32_lanes=16 pipe.f64_pipe=fma";
	(void)state;

	/* f64 every 4 cycles, f32 in between */
	expect(&(struct timed){alone, sample("f64"), sample("f32"), 5, false, 1}, 2 + 4 * 4 + 1);
	/* 4 + 2 cycles for each pair; the last f32 leaves the pipe after the clock */
	expect(&(struct timed){together, sample("f64"), sample("f32"), 5, false, 1}, 2 + 4 * 6 + 4);
}

static double stalls(const char *settings, const char *name, unsigned n, const char *reason)
{
	struct probed d = timed_run(&(struct timed){settings, sample(name), NULL, n, false, 1});
	double cycles = probe_metric(&d, reason);

	probe_free(&d);
	return cycles;
}

static void a_busy_pipe_has_the_stall_reason_of_its_kind(void **state)
{
	static const char math[] = "sched__cycles_math_pipe_throttle.sum";
	static const char mio[] = "sched__cycles_mio_throttle.sum";
	static const char f64[] = ONE_SM " pipe.f64_lanes=2";
	static const char shuffle[] = ONE_SM " pipe.shuffle_lanes=8 pipe.shuffle_pipe=lsu";
	(void)state;

	assert_true(stalls(f64, "f64", 6, math) == 5 * 15);
	assert_true(stalls(f64, "f64", 6, mio) == 0);
	assert_true(stalls(ONE_SM, "f64", 6, math) == 0);
	assert_true(
		stalls(shuffle, "shuffle", 6, mio) - stalls(ONE_SM, "shuffle", 6, mio) >= 5 * 3);
	assert_true(stalls(shuffle, "shuffle", 6, math) == 0);
}

static void loads_wait_for_their_pipe(void **state)
{
	static const char body[] =
		"mov.u32 %r6, %clock;\nld.shared.u32 %r20, [buf];\nld.shared.u32 %r21, [buf+4];\n"
		"ld.shared.u32 %r22, [buf+8];\nld.shared.u32 %r23, [buf+12];\n"
		"mov.u32 %r7, %clock; sub.u32 %r8, %r7, %r6; st.global.u32 [%r2], %r8;\n"
		"add.u32 %r20, %r20, %r21; add.u32 %r20, %r20, %r22; add.u32 %r20, %r20, %r23;\n"
		"st.global.u32 [%r2+4096], %r20;\n";
	(void)state;

	assert_int_equal(probe_cycles(&(struct probe){ONE_SM, body, 1, 32}), with_gaps(3, 1));
	assert_int_equal(probe_cycles(&(struct probe){ONE_SM " pipe.memory_lanes=8", body, 1, 32}),
		with_gaps(3, 4));
	assert_int_equal(probe_cycles(&(struct probe){
				 ONE_SM " pipe.memory_shared=1 pipe.memory_lanes=16", body, 1, 32}),
		with_gaps(3, 2));
}

/* Elapsed cycles until both warps' clocks are read; each has n independent instructions. */
static unsigned both_warps(const char *settings, const char *name, unsigned n)
{
	struct probed d = timed_run(&(struct timed){settings, sample(name), NULL, n, false, 2});
	uint32_t a = probe_u32(&d, 0), b = probe_u32(&d, 32);

	probe_free(&d);
	return a > b ? a : b;
}

#define TWO ONE_SM " sm.schedulers=2 sm.scheduler=round_robin"

static void a_pipe_belongs_to_each_scheduler_or_to_all(void **state)
{
	(void)state;
	/* 16 lanes each: no warp hinders the other */
	assert_int_equal(both_warps(TWO " pipe.f64_lanes=16", "f64", 16), with_gaps(15, 2));
	/* both warps take turns */
	assert_in_range(both_warps(TWO " pipe.f64_lanes=16 pipe.f64_shared=1", "f64", 16),
		with_gaps(15, 4), with_gaps(15, 4) + 2);
	assert_int_equal(both_warps(TWO " pipe.f64_lanes=16 pipe.f64_shared=2", "f64", 16),
		with_gaps(15, 2));
	assert_int_equal(both_warps(TWO " pipe.f64_lanes=16 sm.placement=interleaved", "f64", 16),
		with_gaps(15, 2));
	/* one SFU for all by default, or one for each */
	assert_in_range(both_warps(TWO, "sfu", 16), with_gaps(15, 8), with_gaps(15, 8) + 4);
	assert_int_equal(both_warps(TWO " pipe.sfu_shared=0 pipe.idiv_shared=0 "
					"pipe.fdiv_shared=0 pipe.ddiv_shared=0",
				 "sfu", 16),
		with_gaps(15, 4));
}

/* Three multiply-adds of which the third needs the first, again and again: 8 cycles with a latency
 * of 4 and two cycles a warp. Alone a warp fills 3/4 of its pipe, as on V100 (Jia et al.,
 * arXiv:1903.07486, table 2.1: two warps reach 66.0 GFLOP/s on two schedulers, 42.0 on one). */
static double rate_of_two_warps(const char *settings)
{
	struct text t = {0};
	struct probed d;
	uint32_t cycles;
	unsigned n = 32;

	text_raw(&t,
		"mov.b32 %%f1, %%r1; mov.b32 %%f2, %%r1; mov.b32 %%f3, %%r1;\n"
		"bar.sync 0; bar.sync 0;\n%s",
		CLOCK_START);
	for (unsigned i = 0; i < n; i++)
		text_raw(&t, "fma.rn.f32 %%f1, %%f1, %%f3, %%f3; fma.rn.f32 %%f2, %%f2, %%f3, "
			     "%%f3;\nfma.rn.f32 %%f1, %%f1, %%f3, %%f3;\n");
	text_raw(&t, "%sst.global.f32 [%%r2+65536], %%f1; st.global.f32 [%%r2+65536], %%f2;\n",
		CLOCK_STOP);
	d = probe_run(&(struct probe){settings, text_str(&t), 1, 64});
	cycles = (uint32_t)max_u64(probe_u32(&d, 0), probe_u32(&d, 32));
	text_clear(&t);
	probe_free(&d);
	return 2 * 3 * n / (double)cycles;
}

static void two_warps_on_one_scheduler_share_its_pipe(void **state)
{
#define HALF ONE_SM " sm.scheduler=round_robin pipe.fma_lanes=16 pipe.fma_cycles=4"
	static const char one[] = HALF, two[] = HALF " sm.schedulers=2",
			  blocks[] = HALF " sm.schedulers=2 sm.placement=blocks";
	(void)state;

	assert_true(rate_of_two_warps(one) > 0.49 && rate_of_two_warps(one) <= 0.5);
	assert_true(rate_of_two_warps(two) > 0.74 && rate_of_two_warps(two) <= 0.76);
	/* neighbours on one scheduler */
	assert_true(rate_of_two_warps(blocks) == rate_of_two_warps(one));
}

static void blocks_of_neighbours_belong_to_one_scheduler(void **state)
{
	/* of 32 slots and 3 schedulers: 11, 11 and 10 */
	static const struct {
		unsigned warps;
		const char *placement;
		unsigned most;
	} cases[] = {{11, "blocks", 11}, {12, "blocks", 11}, {32, "blocks", 11},
		{11, "interleaved", 4}, {32, "interleaved", 11}};
	(void)state;

	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		char settings[128];
		struct probed d;
		uint32_t longest = 0;

		snprintf(settings, sizeof(settings),
			ONE_SM " sm.schedulers=3 sm.scheduler=round_robin sm.placement=%s",
			cases[i].placement);
		d = timed_run(&(struct timed){
			settings, sample("f32"), NULL, MOST, false, cases[i].warps});
		for (unsigned w = 0; w < cases[i].warps; w++)
			longest = (uint32_t)max_u64(longest, probe_u32(&d, 32 * w));
		assert_in_range(longest, MOST * cases[i].most, (MOST + 2) * cases[i].most);
		probe_free(&d);
	}
}

/* Two CTAs of whose two warps the first one works: cycles of the slower. */
static uint32_t first_warps(const char *placement)
{
	char settings[160];
	struct text t = {0};
	struct probed d;
	uint32_t cycles;

	snprintf(settings, sizeof(settings),
		ONE_SM
		" sm.scheduler=round_robin pipe.fma_lanes=16 sm.schedulers=2 sm.placement=%s",
		placement);
	text_raw(&t,
		"mov.u32 %%r20, %%tid.x; setp.ge.u32 %%p1, %%r20, 32; @%%p1 bra E;\n"
		"mov.b32 %%f2, %%r1;\n%s",
		CLOCK_START);
	for (unsigned i = 0; i < 64; i++)
		text_raw(&t, "fma.rn.f32 %%f%u, %%f2, %%f2, %%f2;\n", 3 + i);
	text_raw(&t, "%s", CLOCK_STOP);
	for (unsigned i = 0; i < 64; i++)
		text_raw(&t, "st.global.f32 [%%r2+65536], %%f%u;\n", 3 + i);
	text_raw(&t, "E:\n");
	d = probe_run(&(struct probe){settings, text_str(&t), 2, 64});
	cycles = (uint32_t)max_u64(probe_u32(&d, 0), probe_u32(&d, 64));
	text_clear(&t);
	probe_free(&d);
	return cycles;
}

static void first_warps_of_ctas_can_have_schedulers_in_turn(void **state)
{
	(void)state;
	assert_in_range(first_warps("rotated"), 2 * 63, 2 * 63 + 8);
	assert_in_range(first_warps("interleaved"), 4 * 60, 4 * 64);
}

static void blocks_are_as_even_as_whole_warps_can_be(void **state)
{
	/* five slots and four schedulers: two, one, one, one */
	struct probed d = timed_run(&(struct timed){ONE_SM
		" sm.warps=5 sm.schedulers=4 sm.scheduler=round_robin sm.placement=blocks",
		sample("f32"), NULL, 16, false, 5});
	(void)state;

	assert_true(probe_u32(&d, 0) >= 2 * 15);
	for (unsigned w = 2; w < 5; w++)
		assert_int_equal(probe_u32(&d, 32 * w), with_gaps(15, 1));
	probe_free(&d);
}

/* As in a Kepler SM: two units for f32, of which integers can use the first. */
static void a_class_can_use_fewer_of_the_units_that_classes_share(void **state)
{
	static const char kepler[] =
		TWO " pipe.f64_shared=2 pipe.int_pipe=fp64 pipe.int_shared=1 pipe.f64_lanes=16";
	(void)state;

	/* f64 takes the second unit first, for two cycles, and leaves the first to integers */
	expect(&(struct timed){kepler, sample("f64"), sample("int"), 8, false, 1}, 2 * 8 + 1);
}

#define DUAL ONE_SM " sm.issue_width=2"

static void two_independent_instructions_issue_in_a_cycle(void **state)
{
	struct probed d;
	(void)state;

	/* the clock with the first f32, then int with f32, the last int, the clock */
	expect(&(struct timed){ONE_SM, sample("f32"), sample("int"), 20, false, 1}, 2 * 20 + 1);
	expect(&(struct timed){DUAL, sample("f32"), sample("int"), 20, false, 1}, 20 + 1);
	/* one pipe for both */
	expect(&(struct timed){DUAL " pipe.f32_pipe=alu", sample("f32"), sample("int"), 20, false,
		       1},
		2 * 20 + 1);
	/* in chains only the clock is no longer alone */
	expect(&(struct timed){ONE_SM, sample("f32"), sample("int"), 20, true, 1}, 2 + 19 * 8 + 1);
	expect(&(struct timed){DUAL, sample("f32"), sample("int"), 20, true, 1}, 1 + 19 * 8 + 1);
	expect(&(struct timed){DUAL, sample("f32"), NULL, 20, true, 1}, 19 * 8);
	/* two pipes of the same kind */
	expect(&(struct timed){DUAL " pipe.f32_shared=2 pipe.fma_shared=2 pipe.mul_shared=2 "
				    "pipe.mad_shared=2",
		       sample("f32"), NULL, 20, false, 1},
		20 / 2);
	d = timed_run(&(struct timed){DUAL, sample("f32"), sample("int"), 20, false, 1});
	assert_true(probe_metric(&d, "smsp__inst_issued_second.sum") >= 20);
	assert_true(probe_metric(&d, "smsp__inst_issued.sum") ==
		    probe_metric(&d, "sched__cycles_selected.sum") +
			    probe_metric(&d, "smsp__inst_issued_second.sum"));
	probe_free(&d);
}

static void a_branch_has_its_cycle_alone(void **state)
{
	static const char body[] = CLOCK_START "bra.uni L;\nadd.u32 %r9, %r1, 1;\nL:\n"
					       "add.f32 %f1, %f2, %f2;\n" CLOCK_STOP
					       "st.global.f32 [%r2+4096], %f1;\n";
	(void)state;

	/* the branch a cycle after the clock, then f32 and the second clock together */
	assert_int_equal(probe_cycles(&(struct probe){DUAL, body, 1, 32}), 1 + 8);
	assert_int_equal(probe_cycles(&(struct probe){ONE_SM, body, 1, 32}), 1 + 8 + 1);
	assert_int_equal(
		probe_cycles(&(struct probe){DUAL " sm.branch_cycles=1", body, 1, 32}), 1 + 1);
}

static void dual_issue_changes_no_result(void **state)
{
	static const char body[] =
		"mov.u32 %r9, buf; add.u32 %r9, %r9, %r4; xor.b32 %r10, %r4, 128;\n"
		"mov.u32 %r11, buf; add.u32 %r11, %r11, %r10; mov.u32 %r12, %r3;\n"
		"mov.u32 %r13, 5;\n"
		"L: st.shared.u32 [%r9], %r12; bar.sync 0; ld.shared.u32 %r12, [%r11];\n"
		"bar.sync 0; sub.u32 %r13, %r13, 1; setp.ne.u32 %p1, %r13, 0; @%p1 bra L;\n"
		"st.global.u32 [%r2], %r12;\n";
	static const char *const settings[] = {DUAL, DUAL " sm.schedulers=4",
		DUAL " sm.bank_conflicts=cycle", DUAL " rf.hierarchy=software rf.entries=3",
		DUAL " rf.hierarchy=hardware rf.entries=3",
		DUAL " sm.schedulers=2 pipe.memory_shared=1 pipe.memory_lanes=16"};
	(void)state;

	for (unsigned s = 0; s < ARRAY_LEN(settings); s++) {
		struct probed d = probe_run(&(struct probe){settings[s], body, 2, 1024});

		for (unsigned i = 0; i < 2048; i++)
			assert_int_equal(probe_u32(&d, i), (i % 1024) ^ 32);
		probe_free(&d);
	}
}

/* Cycles from one barrier to the next of a CTA of that many warps, which does nothing else. */
static unsigned barrier_period(const char *settings, unsigned warps)
{
	uint32_t cycles[2];

	for (unsigned i = 0; i < 2; i++) {
		struct text t = {0};
		struct probed d;

		text_raw(&t, "bar.sync 0; bar.sync 0;\n%s", CLOCK_START);
		for (unsigned k = 0; k < (i ? 12 : 2); k++)
			text_raw(&t, "bar.sync 0;\n");
		text_raw(&t, "%s", CLOCK_STOP);
		d = probe_run(&(struct probe){settings, text_str(&t), 1, 32 * warps});
		cycles[i] = probe_u32(&d, 0);
		probe_free(&d);
		text_clear(&t);
	}
	assert_int_equal((cycles[1] - cycles[0]) % 10, 0);
	return (cycles[1] - cycles[0]) / 10;
}

static void a_barrier_costs_cycles_and_more_for_each_warp(void **state)
{
	static const char a100[] = ONE_SM " sm.schedulers=4 sm.scheduler=round_robin "
					  "sm.barrier_cycles=23 sm.barrier_warp_cycles=2";
	static const unsigned measured[][2] = {
		{1, 23}, {2, 25}, {4, 29}, {8, 37}, {16, 53}, {32, 85}};
	(void)state;

	for (unsigned i = 0; i < ARRAY_LEN(measured); i++)
		assert_int_equal(barrier_period(a100, measured[i][0]), measured[i][1]);
	assert_int_equal(barrier_period(ONE_SM, 1), 1);
	assert_int_equal(barrier_period(ONE_SM " sm.barrier_cycles=9", 1), 9);
	/* one arrival a cycle, then the barrier's own time */
	assert_int_equal(
		barrier_period(ONE_SM " sm.barrier_cycles=9 sm.scheduler=greedy", 8), 7 + 9);
}

static void waiting_for_a_barrier_to_open_is_waiting_at_it(void **state)
{
	struct probed d = probe_run(&(struct probe){ONE_SM " sm.barrier_cycles=500",
		"bar.sync 0; bar.sync 0; bar.sync 0; mov.u32 %r8, 1; st.global.u32 [%r2], %r8;\n",
		1, 64});
	(void)state;

	assert_true(probe_metric(&d, "sched__cycles_barrier.sum") >= 3 * 499);
	assert_true(probe_metric(&d, "sched__cycles_wait.sum") < 400);
	probe_free(&d);
}

static void instructions_are_counted_by_pipe(void **state)
{
	struct probed d = timed_run(&(struct timed){ONE_SM
		" pipe.conversion_pipe=xu pipe.conversion_shared=1 pipe.conversion_lanes=16",
		sample("conversion"), sample("f64"), 7, false, 1});
	(void)state;

	assert_true(probe_metric(&d, "smsp__inst_executed_pipe_xu.sum") == 7);
	assert_true(probe_metric(&d, "smsp__inst_executed_pipe_fp64.sum") == 7);
	assert_true(probe_metric(&d, "smsp__inst_executed_pipe_fp16.sum") == 0);
	assert_true(probe_metric(&d, "smsp__inst_executed_pipe_sfu.sum") == 0);
	assert_true(probe_metric(&d, "smsp__inst_executed_pipe_lsu.sum") == 17);
	probe_free(&d);
	d = timed_run(&(struct timed){ONE_SM, sample("idiv"), sample("fma"), 7, false, 1});
	assert_true(probe_metric(&d, "smsp__inst_executed_pipe_xu.sum") == 7);
	assert_true(probe_metric(&d, "smsp__inst_executed_pipe_sfu.sum") == 7);
	/* and the thread's offset: a product */
	assert_true(probe_metric(&d, "smsp__inst_executed_pipe_fma.sum") == 7 + 1);
	probe_free(&d);
}

static void what_cannot_be_meant_is_refused(void **state)
{
	static const struct {
		const char *set, *said;
	} cases[] = {
		{"pipe.f32_shared=2",
			"pipe.f32_shared = 2: it is on the pipe fma with pipe.mul_shared = 0; both "
			"must be 0, or none"},
		{"pipe.f64_lanes=0.001",
			"pipe.f64_lanes = 0.001: must be at least 0.01, 3200 cycles for a warp, or "
			"0"},
		{"pipe.f64_lanes=33", "pipe.f64_lanes"},
		{"sm.issue_width=3", "sm.issue_width"},
		{"sm.placement=random", "interleaved"},
	};

	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		char command[160];

		snprintf(command, sizeof(command), "run vectoradd --quiet --set %s", cases[i].set);
		assert_int_not_equal(desk_run(*state, command), 0);
		assert_says(*state, "err", cases[i].said);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_chain_takes_its_class_latencies),
		cmocka_unit_test(independent_instructions_issue_at_the_pipes_interval),
		cmocka_unit_test(classes_on_one_pipe_wait_for_each_other_and_others_do_not),
		cmocka_unit_test(a_busy_pipe_has_the_stall_reason_of_its_kind),
		cmocka_unit_test(loads_wait_for_their_pipe),
		cmocka_unit_test(a_pipe_belongs_to_each_scheduler_or_to_all),
		cmocka_unit_test(two_warps_on_one_scheduler_share_its_pipe),
		cmocka_unit_test(blocks_of_neighbours_belong_to_one_scheduler),
		cmocka_unit_test(first_warps_of_ctas_can_have_schedulers_in_turn),
		cmocka_unit_test(blocks_are_as_even_as_whole_warps_can_be),
		cmocka_unit_test(a_class_can_use_fewer_of_the_units_that_classes_share),
		cmocka_unit_test(two_independent_instructions_issue_in_a_cycle),
		cmocka_unit_test(a_branch_has_its_cycle_alone),
		cmocka_unit_test(dual_issue_changes_no_result),
		cmocka_unit_test(a_barrier_costs_cycles_and_more_for_each_warp),
		cmocka_unit_test(waiting_for_a_barrier_to_open_is_waiting_at_it),
		cmocka_unit_test(instructions_are_counted_by_pipe),
		cmocka_unit_test_setup_teardown(
			what_cannot_be_meant_is_refused, desk_set_up, desk_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
