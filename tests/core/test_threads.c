/* Several worker threads: the same result, no race (for ThreadSanitizer), and the ends of a run. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include "core/crew.h"
#include "core/kernel.h"
#include "core/pin.h"
#include "tests/rig/toys.h"

static struct toys *network(unsigned threads, unsigned cut, struct sim_config config)
{
	struct toys_shape shape = {.seed = 7, .requests = 20, .cut = cut};
	struct err err = {0};
	struct toys *toys;

	config.threads = threads;
	toys = toys_new(shape, &config, &err);
	assert_string_equal(err_text(&err), "");
	assert_non_null(toys);
	return toys;
}

static uint64_t digest(unsigned threads, uint64_t windows, struct sim_config config)
{
	struct toys *toys = network(threads, 6, config);
	enum run answer;
	uint64_t sum;

	do
		answer = sim_run(toys_sim(toys), windows, UINT64_MAX);
	while (answer == RUN_QUANTUM);
	assert_int_equal(answer, RUN_STARVED);
	assert_true(toys_replied(toys));
	sum = toys_digest(toys);
	toys_free(toys);
	return sum;
}

static void two_threads_and_three_give_the_result_of_one(void **state)
{
	struct sim_config plain = {0}, pinned = {.pin = true};
	uint64_t one = digest(1, 100, plain);

	(void)state;
	assert_int_equal(digest(2, 100, plain), one);
	assert_int_equal(digest(3, 100, plain), one);
	assert_int_equal(digest(2, 7, pinned), one);
}

static void test_modes_run_on_two_threads(void **state)
{
	struct sim_config plain = {0};
	struct sim_config hostile = {
		.shuffle = true, .early_wakes = true, .hostile = true, .seed = 5};

	(void)state;
	assert_int_equal(digest(2, 100, hostile), digest(1, 100, plain));
}

static void more_threads_than_partitions_are_refused(void **state)
{
	struct toys_shape shape = {.seed = 7, .requests = 1, .cut = 2};
	struct sim_config config = {.threads = 3};
	struct err err = {0};

	(void)state;
	assert_null(toys_new(shape, &config, &err));
	assert_string_equal(
		err_text(&err), "threads = 3: must be at most 2, the number of partitions\n");
	err_clear(&err);
}

static void elaboration_survives_each_failed_allocation(void **state)
{
	struct toys_shape shape = {.seed = 7, .requests = 1, .cut = 4};
	struct sim_config config = {.threads = 2};
	struct toys *toys = NULL;
	int64_t n = 0;

	(void)state;
	for (; !toys; n++) {
		struct err err = {0};

		mem_fail_after(n);
		toys = toys_new(shape, &config, &err);
		mem_fail_after(-1);
		err_clear(&err);
	}
	assert_true(n > 3);
	assert_int_equal(sim_run(toys_sim(toys), UINT64_MAX, UINT64_MAX), RUN_STARVED);
	toys_free(toys);
}

static void a_stop_from_outside_ends_all_threads(void **state)
{
	struct toys *toys = network(2, 4, (struct sim_config){0});

	(void)state;
	assert_int_equal(sim_run(toys_sim(toys), 3, UINT64_MAX), RUN_QUANTUM);
	sim_stop(toys_sim(toys));
	assert_int_equal(sim_run(toys_sim(toys), 3, UINT64_MAX), RUN_STOPPED);
	toys_free(toys);
	/* Threads that never ran are also joined. */
	toys_free(network(2, 4, (struct sim_config){0}));
}

/* ---- changes at the edge are visible to all threads, and theirs to the edge */
struct counter {
	struct component c;
	uint64_t steps, seen;
};

struct pair {
	jmp_buf escape;
	struct arena arena;
	struct counter counters[2];
	uint64_t edges;
};

static enum step count(struct component *c, uint64_t cycle)
{
	struct counter *k = (struct counter *)c;

	(void)cycle;
	k->steps++;
	edge_request(c);
	return STEP_SLEEP;
}

static bool idle(const struct component *c)
{
	(void)c;
	return false;
}

static const struct component_ops counter_ops = {.step = count, .busy = idle};

static void swap_counts(void *ctx, tick_t end)
{
	struct pair *p = ctx;

	p->edges++;
	for (int i = 0; i < 2; i++) {
		p->counters[i].seen = p->counters[!i].steps;
		wake_at(&p->counters[i].c, end / CORE_PERIOD_PS + p->edges % 50);
	}
	if (p->edges == 200)
		sim_finish(&p->counters[1].c);
}

static void the_edge_is_between_all_windows(void **state)
{
	struct sim_config config = {.window_cycles = 20, .threads = 2};
	struct pair *p = mem_alloc(1, sizeof(*p));
	struct err err = {0};
	struct sim *sim;

	(void)state;
	p->arena.escape = &p->escape;
	sim = sim_new(&config, &p->arena);
	for (int i = 0; i < 2; i++)
		component_init(&p->counters[i].c, sim_partition(sim, "part", 1), &counter_ops, NULL,
			"counter", CORE_PERIOD_PS);
	sim_on_edge(sim, swap_counts, p);
	assert_int_equal(sim_elaborate(sim, &err), 0);
	assert_int_equal(sim_run(sim, UINT64_MAX, UINT64_MAX), RUN_DONE);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(p->counters[i].steps, 200);
		assert_int_equal(p->counters[i].seen, 200);
	}
	sim_free(sim);
	arena_free(&p->arena);
	mem_free(p);
}

/* Steps in every cycle, or never again. */
static enum step step_if_hot(struct component *c, uint64_t cycle)
{
	(void)cycle;
	return ((struct counter *)c)->steps ? STEP_AGAIN : STEP_SLEEP;
}

static void partitions_of_high_cost_get_separate_workers(void **state)
{
	static const struct component_ops ops = {.step = step_if_hot, .busy = idle};
	struct sim_config config = {.window_cycles = 20, .threads = 2};
	struct counter counters[4] = {0};
	struct partition *parts[4];
	struct arena arena = {0};
	struct err err = {0};
	jmp_buf escape;
	struct sim *sim;

	(void)state;
	arena.escape = &escape;
	sim = sim_new(&config, &arena);
	for (int i = 0; i < 4; i++) {
		parts[i] = sim_partition(sim, "part", 1);
		component_init(&counters[i].c, parts[i], &ops, NULL, "counter", CORE_PERIOD_PS);
		counters[i].steps =
			i % 2 == 0; /* by weight, the two hot ones would share a worker */
	}
	assert_int_equal(sim_elaborate(sim, &err), 0);
	assert_ptr_equal(sim->shares[0].parts[0], parts[0]);
	assert_ptr_equal(sim->shares[0].parts[1], parts[2]);
	assert_int_equal(sim_run(sim, 1000, UINT64_MAX), RUN_QUANTUM);
	assert_int_equal(sim_run(sim, 1000, UINT64_MAX), RUN_QUANTUM);
	for (int i = 0; i < 2; i++) {
		unsigned hot = 0;

		for (uint32_t k = 0; k < sim->shares[i].nparts; k++)
			hot += sim->shares[i].parts[k] == parts[0] ||
			       sim->shares[i].parts[k] == parts[2];
		assert_int_equal(hot, 1);
	}
	sim_free(sim);
	arena_free(&arena);
}

/* Programs that bind their threads would else all have the first cores. */
static void the_first_thread_keeps_its_core(void **state)
{
	struct arena arena = {0};
	cpu_set_t before, one;
	struct pin *pin;
	jmp_buf escape;

	(void)state;
	arena.escape = &escape;
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	for (unsigned i = 0; i < CPU_SETSIZE; i++) {
		if (!CPU_ISSET(i, &before))
			continue;
		CPU_ZERO(&one);
		CPU_SET(i, &one);
		assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
		pin = pin_new(&arena, 1);
		assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
		pin_bind(pin, 0);
		assert_int_equal(sched_getaffinity(0, sizeof(one), &one), 0);
		assert_true(CPU_ISSET(i, &one));
		pin_free(pin);
	}
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
	arena_free(&arena);
}

/* ---- a worker that has no core */
struct held {
	struct component c;
	pthread_t first; /* the thread that is not held up */
	unsigned windows, late;
};

static enum step step_late(struct component *c, uint64_t cycle)
{
	struct held *h = (struct held *)c;

	h->windows += cycle % 20 == 0;
	if (cycle % 20 == 0 && !pthread_equal(pthread_self(), h->first)) {
		h->late++;
		nanosleep(&(struct timespec){.tv_nsec = 3000000}, NULL);
	}
	return STEP_AGAIN;
}

static void one_worker_goes_on_where_others_have_no_core(void **state)
{
	static const struct component_ops ops = {.step = step_late, .busy = idle};
	struct sim_config config = {.window_cycles = 20, .threads = 2};
	struct held held[2] = {0};
	struct arena arena = {0};
	struct err err = {0};
	jmp_buf escape;
	struct sim *sim;
	unsigned late;

	(void)state;
	arena.escape = &escape;
	sim = sim_new(&config, &arena);
	for (int i = 0; i < 2; i++) {
		held[i].first = pthread_self();
		component_init(&held[i].c, sim_partition(sim, "part", 1), &ops, NULL, "held",
			CORE_PERIOD_PS);
	}
	assert_int_equal(sim_elaborate(sim, &err), 0);
	assert_int_equal(sim_run(sim, 400, UINT64_MAX), RUN_QUANTUM);
	assert_int_equal(sim->rounds, 400);
	assert_true(held[0].windows == 400 && held[1].windows == 400);
	late = held[0].late + held[1].late;
	assert_true(late < 50);
	alarm(60);
	while (pin_cores() > 1 && held[0].late + held[1].late == late) /* they try again */
		assert_int_equal(sim_run(sim, 1, UINT64_MAX), RUN_QUANTUM);
	alarm(0);
	sim_free(sim);
	arena_free(&arena);
}

/* ---- workers that meet late */
#define LATE 3u

struct late {
	struct crew *crew;
	unsigned meetings, every; /* of `every` meetings a worker is late to one */
	long late_ns;
	unsigned count[LATE]; /* each worker's own */
	unsigned wrong;       /* worker 0's: others' counts that were not those of the meeting */
};

static void meet_late(void *ctx, unsigned worker)
{
	struct late *l = ctx;

	for (unsigned i = 0; i < l->meetings; i++) {
		if (i % (LATE * l->every) == worker * l->every)
			nanosleep(&(struct timespec){.tv_nsec = l->late_ns}, NULL);
		l->count[worker]++;
		crew_meet(l->crew, worker);
		for (unsigned k = 0; !worker && k < LATE; k++)
			l->wrong += l->count[k] != i + 1;
		crew_meet(l->crew, worker);
	}
}

static void expect_all_met(struct late *l)
{
	struct arena arena = {0};
	struct err err = {0};
	jmp_buf escape;

	arena.escape = &escape;
	l->crew = crew_new(&arena, LATE, NULL, meet_late, l, &err);
	assert_non_null(l->crew);
	crew_run(l->crew, false);
	crew_free(l->crew);
	arena_free(&arena);
	for (unsigned i = 0; i < LATE; i++)
		assert_int_equal(l->count[i], l->meetings);
	assert_int_equal(l->wrong, 0);
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* 0.3 s, in which two workers wait for the third one. */
static void workers_that_wait_long_leave_their_cores(void **state)
{
	struct late l = {.meetings = 30, .every = 1, .late_ns = 10000000};
	double before = cpu_seconds();

	(void)state;
	expect_all_met(&l);
	assert_true(cpu_seconds() - before < 0.1);
}

/* About as late as others go to sleep. */
static void no_worker_is_left_asleep(void **state)
{
	static const long late_ns[] = {1, 20000, 60000, 120000};

	(void)state;
	alarm(60); /* one that is would not come back */
	for (unsigned i = 0; i < ARRAY_LEN(late_ns); i++) {
		struct late l = {.meetings = 300, .every = 2, .late_ns = late_ns[i]};

		expect_all_met(&l);
	}
	alarm(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_threads_and_three_give_the_result_of_one),
		cmocka_unit_test(test_modes_run_on_two_threads),
		cmocka_unit_test(more_threads_than_partitions_are_refused),
		cmocka_unit_test(elaboration_survives_each_failed_allocation),
		cmocka_unit_test(a_stop_from_outside_ends_all_threads),
		cmocka_unit_test(the_edge_is_between_all_windows),
		cmocka_unit_test(partitions_of_high_cost_get_separate_workers),
		cmocka_unit_test(the_first_thread_keeps_its_core),
		cmocka_unit_test(one_worker_goes_on_where_others_have_no_core),
		cmocka_unit_test(workers_that_wait_long_leave_their_cores),
		cmocka_unit_test(no_worker_is_left_asleep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
