/* The host loop: results, signals, progress, and that its quanta change nothing. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/host.h"

/* Steps in every cycle; raises a signal or stops in one of them. */
struct clockwork {
	struct component c;
	uint64_t steps, last, signal_at, finish_at, stop_at;
	int signum;
};

static enum step tick(struct component *c, uint64_t cycle)
{
	struct clockwork *w = (struct clockwork *)c;

	w->steps++;
	w->last = cycle;
	if (w->signum && cycle == w->signal_at)
		raise(w->signum);
	if (w->stop_at && cycle == w->stop_at)
		sim_stop(c->sim);
	if (w->finish_at && cycle >= w->finish_at)
		sim_finish(c);
	return STEP_AGAIN;
}

static bool idle(const struct component *c)
{
	(void)c;
	return false;
}

static const struct component_ops clockwork_ops = {.step = tick, .busy = idle};

struct bench {
	jmp_buf escape;
	struct arena arena;
	struct sim *sim;
	struct clockwork works[2];
	struct err err;
	unsigned statuses, progresses;
	enum run result;
	bool interrupted;
	struct host_stats stats;
};

static void set_up(struct bench *b, unsigned threads)
{
	struct sim_config config = {.window_cycles = 20, .threads = threads};

	*b = (struct bench){0};
	b->arena.escape = &b->escape;
	b->sim = sim_new(&config, &b->arena);
	for (int i = 0; i < 2; i++)
		component_init(&b->works[i].c, sim_partition(b->sim, "part", 1), &clockwork_ops,
			NULL, "clockwork", CORE_PERIOD_PS);
	assert_int_equal(sim_elaborate(b->sim, &b->err), 0);
}

static void count_status(void *ctx, const struct sim *sim)
{
	struct bench *b = ctx;

	assert_ptr_equal(sim, b->sim);
	b->statuses++;
	b->works[0].finish_at = 1;
}

static void interrupt_third(void *ctx, const struct sim *sim)
{
	struct bench *b = ctx;

	assert_true(sim_time(sim) > 0);
	if (++b->progresses == 3)
		raise(SIGTERM);
}

static void run(struct bench *b, uint64_t max_cycles, const struct host_hooks *hooks)
{
	assert_int_equal(host_run(b->sim, max_cycles, hooks, &b->result, &b->interrupted, &b->stats,
				 &b->err),
		0);
	assert_true(b->stats.quanta > 0);
	assert_true(b->stats.wall_s > 0);
	sim_free(b->sim);
	arena_free(&b->arena);
}

static void a_run_ends_with_the_kernels_result(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b, 1);
	run(&b, 100000, NULL);
	assert_int_equal(b.result, RUN_LIMIT);
	assert_int_equal(b.works[0].steps, 100000);
	assert_false(b.interrupted);
	set_up(&b, 2);
	b.works[1].finish_at = 70001;
	run(&b, UINT64_MAX, NULL);
	assert_int_equal(b.result, RUN_DONE);
	assert_int_equal(b.works[0].steps, 70020);
	assert_int_equal(b.works[1].steps, 70020);
}

static void a_step_may_stop_the_run_on_any_thread(void **state)
{
	struct bench b;

	(void)state;
	for (unsigned threads = 1; threads <= 2; threads++) {
		set_up(&b, threads);
		b.works[1].stop_at = 5000;
		run(&b, UINT64_MAX, NULL);
		assert_int_equal(b.result, RUN_STOPPED);
		assert_false(b.interrupted);
	}
}

static void sigint_stops_at_a_windows_end(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b, 1);
	b.works[0].signum = SIGINT;
	b.works[0].signal_at = 12345;
	run(&b, UINT64_MAX, NULL);
	assert_int_equal(b.result, RUN_STOPPED);
	assert_true(b.interrupted);
	assert_true(b.works[0].last >= 12345);
	assert_int_equal(b.works[0].last % 20, 19);
	assert_int_equal(b.works[0].steps, b.works[1].steps);
}

static void sigusr1_asks_for_the_status_and_nothing_else(void **state)
{
	struct bench b;
	struct host_hooks hooks = {.ctx = &b, .status = count_status};

	(void)state;
	set_up(&b, 1);
	b.works[0].signum = SIGUSR1;
	b.works[0].signal_at = 12345;
	run(&b, UINT64_MAX, &hooks);
	assert_int_equal(b.result, RUN_DONE);
	assert_false(b.interrupted);
	assert_int_equal(b.statuses, 1);
}

static void progress_comes_while_it_runs_in_short_quanta(void **state)
{
	struct bench b;
	struct host_hooks hooks = {.ctx = &b, .progress = interrupt_third};

	(void)state;
	set_up(&b, 1);
	run(&b, UINT64_MAX, &hooks);
	assert_int_equal(b.result, RUN_STOPPED);
	assert_true(b.interrupted);
	assert_int_equal(b.progresses, 3);
	/* 0.3 s in quanta of about 2 ms, on a machine that may be busy. */
	assert_true(b.stats.quanta > 15);
}

static void signal_actions_are_restored(void **state)
{
	struct sigaction before, after;
	struct bench b;

	(void)state;
	sigaction(SIGINT, NULL, &before);
	set_up(&b, 1);
	run(&b, 100, NULL);
	sigaction(SIGINT, NULL, &after);
	assert_true(before.sa_handler == after.sa_handler);
}

/* Of two runs the first ends in the cycle of the signal. */
static void a_blocked_signal_that_comes_at_the_end_stops_the_next_run(void **state)
{
	sigset_t held, before, after;
	struct bench b;

	(void)state;
	sigemptyset(&held);
	sigaddset(&held, SIGTERM);
	sigprocmask(SIG_BLOCK, &held, &before);
	set_up(&b, 1);
	b.works[0].signum = SIGTERM;
	b.works[0].signal_at = b.works[0].finish_at = 5;
	run(&b, UINT64_MAX, NULL);
	assert_int_equal(b.result, RUN_DONE);
	assert_false(b.interrupted);
	set_up(&b, 1);
	run(&b, UINT64_MAX, NULL);
	assert_int_equal(b.result, RUN_STOPPED);
	assert_true(b.interrupted);
	sigprocmask(SIG_SETMASK, &before, &after);
	assert_true(sigismember(&after, SIGTERM));
	assert_false(sigismember(&after, SIGINT));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_ends_with_the_kernels_result),
		cmocka_unit_test(a_step_may_stop_the_run_on_any_thread),
		cmocka_unit_test(sigint_stops_at_a_windows_end),
		cmocka_unit_test(sigusr1_asks_for_the_status_and_nothing_else),
		cmocka_unit_test(progress_comes_while_it_runs_in_short_quanta),
		cmocka_unit_test(signal_actions_are_restored),
		cmocka_unit_test(a_blocked_signal_that_comes_at_the_end_stops_the_next_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
