/* Links against closed forms: latency, credits, ports, clocks, and the invariance under sleeping
 * and partitioning. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/sim.h"

#define WINDOW 20
#define LOG 64

struct word {
	uint64_t number;
};
static const struct msg_type word_type = {"word", sizeof(struct word)};

/* Sends `count` words as soon as possible, or listens and takes at most `rate` words a cycle. */
struct toy {
	struct component c;
	struct link *out, *in;
	unsigned count, flits, rate, pause;
	unsigned sent, taken, steps;
	uint64_t last, log[LOG], words[LOG];
};

static enum step talk(struct component *c, uint64_t cycle)
{
	struct toy *t = (struct toy *)c;

	t->steps++;
	while (t->sent < t->count && link_can_send(t->out)) {
		*(struct word *)link_slot(t->out) = (struct word){t->sent};
		link_send(t->out, t->flits);
		t->log[t->sent++ % LOG] = cycle;
	}
	return STEP_SLEEP;
}

static bool talks(const struct component *c)
{
	const struct toy *t = (const struct toy *)c;

	return t->sent < t->count;
}

static enum step listen(struct component *c, uint64_t cycle)
{
	struct toy *t = (struct toy *)c;
	const struct word *w;

	t->steps++;
	if (t->taken && cycle < t->last + t->pause) {
		wake_at(c, t->last + t->pause);
		return STEP_SLEEP;
	}
	while ((w = link_peek(t->in)) != NULL) {
		t->last = cycle;
		t->words[t->taken % LOG] = w->number;
		t->log[t->taken++ % LOG] = cycle;
		link_pop(t->in);
		if (t->pause) {
			wake_at(c, cycle + t->pause);
			break;
		}
	}
	return STEP_SLEEP;
}

static bool never_busy(const struct component *c)
{
	(void)c;
	return false;
}

static bool listens(const struct component *c)
{
	const struct toy *t = (const struct toy *)c;

	return t->taken < t->count;
}

static const struct component_ops talker_ops = {.step = talk, .busy = talks};
static const struct component_ops listener_ops = {.step = listen, .busy = listens};

/* One talker and one listener. */
struct pair {
	jmp_buf escape;
	struct arena arena;
	struct sim *sim;
	struct partition *parts[2];
	struct toy talker, listener;
	struct err err;
};

struct shape {
	unsigned latency, depth, flits, pause;
	unsigned talker_ps, listener_ps;
	unsigned core_ps, latency_ps; /* of the core's cycle; of one of the latency's */
	unsigned window;              /* WINDOW unless given */
	bool two;
	bool listener_first; /* stepped first in a cycle */
};

static void prepare(struct pair *p, struct shape shape, unsigned words,
	const struct component_ops *talker, const struct component_ops *listener)
{
	struct sim_config config = {.window_cycles = WINDOW, .threads = 1, .hostile = true};

	if (shape.window)
		config.window_cycles = shape.window;
	config.cycle_ps = shape.core_ps;
	*p = (struct pair){0};
	p->arena.escape = &p->escape;
	p->sim = sim_new(&config, &p->arena);
	p->parts[0] = p->parts[1] = sim_partition(p->sim, "first", 1);
	if (shape.two)
		p->parts[1] = sim_partition(p->sim, "second", 1);
	p->talker.count = p->listener.count = words;
	p->talker.flits = shape.flits;
	p->listener.pause = shape.pause;
	for (unsigned i = 0; i < 2; i++)
		if (shape.listener_first == (i == 0))
			component_init(&p->listener.c, p->parts[1], listener, NULL, "listener",
				shape.listener_ps);
		else
			component_init(
				&p->talker.c, p->parts[0], talker, NULL, "talker", shape.talker_ps);
	port_declare(&p->talker.c, PORT_OUT, "out", 0, &word_type, &p->talker.out, false);
	port_declare(&p->listener.c, PORT_IN, "in", 0, &word_type, &p->listener.in, false);
	link_bind(p->sim, &p->talker.c, "out", 0, &p->listener.c, "in", 0,
		(struct link_config){.latency_cycles = shape.latency,
			.depth = shape.depth,
			.period_ps = shape.latency_ps});
	assert_int_equal(sim_elaborate(p->sim, &p->err), 0);
}

static void set_up(struct pair *p, struct shape shape, unsigned words)
{
	prepare(p, shape, words, &talker_ops, &listener_ops);
}

static void tear_down(struct pair *p)
{
	sim_free(p->sim);
	arena_free(&p->arena);
}

static void run_pair(struct pair *p, struct shape shape, unsigned words)
{
	set_up(p, shape, words);
	assert_int_equal(sim_run(p->sim, UINT64_MAX, UINT64_MAX), RUN_STARVED);
	assert_int_equal(p->talker.sent, words);
	assert_int_equal(p->listener.taken, words);
	for (unsigned i = 0; i < words; i++)
		assert_int_equal(p->listener.words[i], i);
}

static void a_message_is_visible_after_its_latency_exactly(void **state)
{
	static const unsigned latencies[] = {
		1, 2, 19, 20, 21, 39, 40, 399, 1022, 1023, 1024, 1025, 5000, 1000000};
	struct pair p;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(latencies); i++) {
		run_pair(&p, (struct shape){.latency = latencies[i], .depth = 4, .flits = 1}, 2);
		assert_int_equal(p.talker.log[0], 0);
		assert_int_equal(p.talker.log[1], 1);
		assert_int_equal(p.listener.log[0], latencies[i]);
		assert_int_equal(p.listener.log[1], latencies[i] + 1);
		tear_down(&p);
	}
}

static void a_window_may_be_longer_than_the_ring_of_wake_ups(void **state)
{
	struct pair p;

	(void)state;
	for (unsigned latency = 1000; latency < 4000; latency += 311) {
		run_pair(&p,
			(struct shape){.latency = latency, .depth = 2, .flits = 1, .window = 5000},
			20);
		for (unsigned i = 0; i < 20; i++)
			assert_int_equal(p.talker.log[i], i / 2 * (latency + 1) + i % 2);
		tear_down(&p);
	}
}

static void a_near_credit_is_usable_one_cycle_after_the_pop(void **state)
{
	struct pair p;

	(void)state;
	for (unsigned depth = 1; depth <= 4; depth++) {
		for (unsigned latency = 3; latency < WINDOW; latency += 5) {
			run_pair(&p, (struct shape){.latency = latency, .depth = depth, .flits = 1},
				40);
			for (unsigned i = 0; i < 40; i++)
				assert_int_equal(
					p.talker.log[i], i / depth * (latency + 1) + i % depth);
			tear_down(&p);
		}
	}
}

static enum step talk_again(struct component *c, uint64_t cycle)
{
	talk(c, cycle);
	return ((const struct toy *)c)->sent < ((const struct toy *)c)->count ? STEP_AGAIN
									      : STEP_SLEEP;
}

static const struct component_ops eager_ops = {.step = talk_again, .busy = talks};

/* A talker that is stepped after the listener in the same cycle sees none of its pops. */
static void credits_of_several_pops_are_usable_one_cycle_later(void **state)
{
	struct pair p;

	(void)state;
	for (unsigned first = 0; first < 2; first++) {
		prepare(&p, (struct shape){.latency = 3, .depth = 4, .listener_first = first}, 12,
			&eager_ops, &listener_ops);
		assert_int_equal(sim_run(p.sim, UINT64_MAX, UINT64_MAX), RUN_STARVED);
		for (unsigned i = 0; i < 12; i++)
			assert_int_equal(p.talker.log[i], i / 4 * 4);
		tear_down(&p);
	}
}

static void a_far_credit_is_usable_in_the_window_after_the_pop(void **state)
{
	struct pair p;

	(void)state;
	for (unsigned two = 0; two < 2; two++) {
		/* Sent in window 0, received in window 1, credits back in window 2. */
		run_pair(&p, (struct shape){.latency = 20, .depth = 4, .flits = 1, .two = two}, 40);
		for (unsigned i = 0; i < 40; i++) {
			assert_int_equal(p.talker.log[i], i / 4 * 40 + i % 4);
			assert_int_equal(p.listener.log[i], i / 4 * 40 + i % 4 + 20);
		}
		tear_down(&p);
		/* One at a time; it is received in the window after the next one. */
		run_pair(&p, (struct shape){.latency = 45, .depth = 1, .two = two}, 10);
		for (unsigned i = 0; i < 10; i++)
			assert_int_equal(p.talker.log[i], i * 60);
		tear_down(&p);
	}
}

static void two_windows_of_depth_and_latency_keep_a_far_link_at_full_rate(void **state)
{
	struct pair p;

	(void)state;
	run_pair(&p, (struct shape){.latency = 20, .depth = 40 + 20, .flits = 1, .two = true}, 60);
	for (unsigned i = 0; i < 60; i++)
		assert_int_equal(p.listener.log[i], 20 + i);
	tear_down(&p);
}

static void flits_occupy_the_port(void **state)
{
	struct pair p;

	(void)state;
	run_pair(&p, (struct shape){.latency = 5, .depth = 8, .flits = 3}, 20);
	for (unsigned i = 0; i < 20; i++)
		assert_int_equal(p.talker.log[i], 3 * i);
	tear_down(&p);
	run_pair(&p, (struct shape){.latency = 5, .depth = 60, .flits = 0}, 20);
	for (unsigned i = 0; i < 20; i++)
		assert_int_equal(p.talker.log[i], 0);
	tear_down(&p);
	run_pair(&p, (struct shape){.latency = 25, .depth = 8, .flits = 3000, .two = true}, 3);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(p.talker.log[i], 3000 * i);
	tear_down(&p);
}

static void a_slow_listener_throttles_the_talker(void **state)
{
	struct pair p;

	(void)state;
	run_pair(&p, (struct shape){.latency = 2, .depth = 3, .flits = 1, .pause = 7}, 30);
	for (unsigned i = 0; i < 30; i++)
		assert_int_equal(p.listener.log[i], 2 + 7 * i);
	for (unsigned i = 3; i < 30; i++)
		assert_int_equal(p.talker.log[i], p.listener.log[i - 3] + 1);
	tear_down(&p);
}

static void a_message_waits_for_the_next_edge_of_the_listeners_clock(void **state)
{
	struct pair p;

	(void)state;
	run_pair(&p, (struct shape){.latency = 3, .depth = 60, .flits = 1, .listener_ps = 750}, 30);
	for (unsigned i = 0; i < 30; i++)
		assert_int_equal(p.listener.log[i], div_up((i + 3) * 1000, 750));
	tear_down(&p);
	/* A flit takes a cycle of the talker. */
	run_pair(&p, (struct shape){.latency = 30, .depth = 60, .flits = 1, .talker_ps = 750}, 30);
	for (unsigned i = 0; i < 30; i++) {
		assert_int_equal(p.talker.log[i], i);
		assert_int_equal(p.listener.log[i], div_up(i * 750 + 30000, 1000));
	}
	tear_down(&p);
}

/* Latency and window are in core cycles of 714 ps, or the latency in cycles of its own. */
static void latencies_and_windows_are_in_cycles_of_the_core(void **state)
{
	struct shape near = {.latency = 3, .depth = 60, .flits = 2, .core_ps = 714};
	struct shape far = {.latency = 20, .depth = 4, .core_ps = 714, .two = true};
	struct pair p;

	(void)state;
	near.listener_ps = 1053;
	run_pair(&p, near, 30);
	for (unsigned i = 0; i < 30; i++) {
		assert_int_equal(p.talker.log[i], 2 * i);
		assert_int_equal(p.listener.log[i], div_up((2 * i + 3) * 714, 1053));
	}
	tear_down(&p);
	near.latency_ps = near.talker_ps = 333;
	run_pair(&p, near, 30);
	for (unsigned i = 0; i < 30; i++)
		assert_int_equal(p.listener.log[i], div_up((2 * i + 3) * 333, 1053));
	tear_down(&p);
	/* credits come back in window 2 and are seen at the first edge in it */
	far.talker_ps = 1053;
	run_pair(&p, far, 40);
	for (unsigned i = 0; i < 40; i++) {
		uint64_t sent = div_up(i / 4 * 40 * 714, 1053);

		assert_int_equal(p.talker.log[i], sent);
		assert_int_equal(p.listener.log[i], div_up(sent * 1053 + 20 * 714, 714));
	}
	assert_int_equal(sim_time(p.sim) % (20 * 714), 0);
	tear_down(&p);
}

static void a_limit_counts_cycles_of_the_core(void **state)
{
	struct pair p;

	(void)state;
	set_up(&p, (struct shape){.latency = 5, .depth = 1, .pause = 100, .core_ps = 333}, 50);
	assert_int_equal(sim_run(p.sim, UINT64_MAX, 1000), RUN_LIMIT);
	assert_int_equal(sim_time(p.sim), 1000 * 333);
	tear_down(&p);
}

static void sleepers_are_not_stepped(void **state)
{
	struct pair p;

	(void)state;
	for (unsigned two = 0; two < 2; two++) {
		unsigned latency = two ? 400 : 7;

		run_pair(&p, (struct shape){.latency = latency, .depth = 1, .flits = 1, .two = two},
			5);
		/* Hostile mode steps twice: the first cycle, then once per message, or requested
		 * credit. */
		assert_int_equal(p.talker.steps, 2 * 5);
		assert_int_equal(p.listener.steps, 2 * 6);
		tear_down(&p);
	}
}

static void a_run_cut_into_calls_is_the_same_run(void **state)
{
	struct shape shape = {.latency = 21, .depth = 3, .flits = 2, .pause = 30, .two = true};
	struct pair whole, cut;
	enum run answer;

	(void)state;
	run_pair(&whole, shape, 50);
	set_up(&cut, shape, 50);
	assert_int_equal(sim_run(cut.sim, 0, UINT64_MAX), RUN_QUANTUM);
	assert_int_equal(sim_time(cut.sim), 0);
	while ((answer = sim_run(cut.sim, 1, UINT64_MAX)) == RUN_QUANTUM)
		continue;
	assert_int_equal(answer, RUN_STARVED);
	assert_memory_equal(whole.talker.log, cut.talker.log, sizeof(cut.talker.log));
	assert_memory_equal(whole.listener.log, cut.listener.log, sizeof(cut.listener.log));
	assert_int_equal(sim_time(whole.sim), sim_time(cut.sim));
	assert_int_equal(sim_counts(whole.sim).steps, sim_counts(cut.sim).steps);
	assert_int_equal(sim_counts(whole.sim).windows, sim_counts(cut.sim).windows);
	tear_down(&whole);
	tear_down(&cut);
}

static void nothing_is_allocated_while_running(void **state)
{
	struct pair p;
	uint64_t before;

	(void)state;
	set_up(&p, (struct shape){.latency = 2000, .depth = 3, .flits = 1500, .two = true}, 60);
	before = mem_calls();
	assert_int_equal(sim_run(p.sim, UINT64_MAX, UINT64_MAX), RUN_STARVED);
	assert_int_equal(mem_calls(), before);
	tear_down(&p);
}

static void the_limit_is_the_first_edge_at_or_after_it(void **state)
{
	struct pair p;

	(void)state;
	set_up(&p, (struct shape){.latency = 5, .depth = 60, .flits = 1}, 60);
	assert_int_equal(sim_run(p.sim, UINT64_MAX, 30), RUN_LIMIT);
	assert_int_equal(sim_time(p.sim), 40 * 1000);
	assert_int_equal(p.talker.sent, 40);
	assert_int_equal(sim_run(p.sim, UINT64_MAX, 40), RUN_LIMIT);
	assert_int_equal(p.talker.sent, 40);
	assert_int_equal(sim_run(p.sim, UINT64_MAX, UINT64_MAX), RUN_STARVED);
	assert_int_equal(p.talker.sent, 60);
	tear_down(&p);
	/* Idle time is not skipped beyond the limit. */
	set_up(&p, (struct shape){.latency = 100000, .depth = 1, .flits = 1}, 1);
	assert_int_equal(sim_run(p.sim, UINT64_MAX, 5001), RUN_LIMIT);
	assert_int_equal(sim_time(p.sim), 5020 * 1000);
	assert_int_equal(sim_run(p.sim, UINT64_MAX, UINT64_MAX), RUN_STARVED);
	assert_int_equal(p.listener.log[0], 100000);
	tear_down(&p);
}

/* ---- components that break the laws */
static enum step babble(struct component *c, uint64_t cycle)
{
	struct toy *t = (struct toy *)c;

	if (t->sent < t->count && link_can_send(t->out)) {
		*(struct word *)link_slot(t->out) = (struct word){cycle};
		link_send(t->out, 0);
		t->sent++;
	}
	return STEP_SLEEP;
}

static enum step doze(struct component *c, uint64_t cycle)
{
	(void)c;
	(void)cycle;
	return STEP_SLEEP;
}

static const struct component_ops babbler_ops = {.step = babble, .busy = never_busy};
static const struct component_ops dozer_ops = {.step = doze, .busy = never_busy};

/* Runs these two in hostile mode in a process; returns the signal that ends it, 0 when it ends
 * normally. */
static int death(const struct component_ops *talker, const struct component_ops *listener)
{
	static struct pair p;
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child) {
		assert_int_equal(waitpid(child, &status, 0), child);
		return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	}
	close(STDERR_FILENO);
	signal(SIGABRT, SIG_DFL);
	prepare(&p, (struct shape){.latency = 3, .depth = 4, .flits = 1}, 2, talker, listener);
	sim_run(p.sim, UINT64_MAX, UINT64_MAX);
	_exit(0);
}

static void hostile_mode_finds_violations_of_the_laws(void **state)
{
	(void)state;
	assert_int_equal(death(&talker_ops, &listener_ops), 0);
	assert_int_equal(death(&babbler_ops, &listener_ops), SIGABRT);
	assert_int_equal(death(&talker_ops, &dozer_ops), SIGABRT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_message_is_visible_after_its_latency_exactly),
		cmocka_unit_test(a_window_may_be_longer_than_the_ring_of_wake_ups),
		cmocka_unit_test(a_near_credit_is_usable_one_cycle_after_the_pop),
		cmocka_unit_test(credits_of_several_pops_are_usable_one_cycle_later),
		cmocka_unit_test(a_far_credit_is_usable_in_the_window_after_the_pop),
		cmocka_unit_test(two_windows_of_depth_and_latency_keep_a_far_link_at_full_rate),
		cmocka_unit_test(flits_occupy_the_port),
		cmocka_unit_test(a_slow_listener_throttles_the_talker),
		cmocka_unit_test(a_message_waits_for_the_next_edge_of_the_listeners_clock),
		cmocka_unit_test(latencies_and_windows_are_in_cycles_of_the_core),
		cmocka_unit_test(a_limit_counts_cycles_of_the_core),
		cmocka_unit_test(sleepers_are_not_stepped),
		cmocka_unit_test(a_run_cut_into_calls_is_the_same_run),
		cmocka_unit_test(nothing_is_allocated_while_running),
		cmocka_unit_test(the_limit_is_the_first_edge_at_or_after_it),
		cmocka_unit_test(hostile_mode_finds_violations_of_the_laws),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
