/* The simulation kernel alone: timed events, clocked activation, links, libev's share, the barrier.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "bench/bench.h"
#include "core/crew.h"
#include "core/host.h"
#include "core/pin.h"
#include "core/rng.h"

#define COMPONENTS 1024u
#define PAIRS 32u
#define SPARSE_CYCLES 100u /* a component acts once in this many cycles */
#define DELAYS 400u        /* ns, of the hold model */

struct stage {
	struct arena arena;
	jmp_buf escape;
	struct sim *sim;
	struct partition *part;
};

struct worker {
	struct component base;
	struct link *link;
	uint64_t due, count;
};

struct held {
	struct event event;
	struct rng *rng;
	uint64_t *fired;
};

static double now_s(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double spent_s(void)
{
	return now_s(CLOCK_PROCESS_CPUTIME_ID);
}

static bool idle(const struct component *c)
{
	(void)c;
	return false;
}

static void stage_open(struct stage *s)
{
	struct sim_config config = {.window_cycles = 20, .threads = 1};

	*s = (struct stage){0};
	s->arena.escape = &s->escape;
	s->sim = sim_new(&config, &s->arena);
	s->part = sim_partition(s->sim, "all", 1);
}

static void stage_elaborate(struct stage *s)
{
	struct err err = {0};

	BUG_ON(sim_elaborate(s->sim, &err));
}

static void stage_close(struct stage *s)
{
	sim_free(s->sim);
	arena_free(&s->arena);
}

/* ---- the hold model: each event that fires is set again, 1 .. 400 ns ahead */

static void hold(struct event *e)
{
	struct held *h = CONTAINER_OF(e, struct held, event);

	++*h->fired;
	event_notify(e, (1 + rng_below(h->rng, DELAYS)) * CORE_PERIOD_PS);
}

static double measure_events(uint32_t n)
{
	uint64_t fired = 0, first, wanted = 2000000;
	struct rng rng = rng_new(1, 0);
	struct stage s;
	struct held *all;
	double start, ns;

	stage_open(&s);
	all = arena_alloc(&s.arena, n, sizeof(*all));
	for (uint32_t i = 0; i < n; i++) {
		all[i] = (struct held){.rng = &rng, .fired = &fired};
		event_init(&all[i].event, s.part, hold);
	}
	stage_elaborate(&s);
	for (uint32_t i = 0; i < n; i++)
		event_notify(&all[i].event, (1 + rng_below(&rng, DELAYS)) * CORE_PERIOD_PS);
	while (fired < 2 * n)
		sim_run(s.sim, 1, UINT64_MAX);
	first = fired;
	start = spent_s();
	while (fired - first < wanted)
		sim_run(s.sim, 100, UINT64_MAX);
	ns = (spent_s() - start) * 1e9 / (double)(fired - first);
	stage_close(&s);
	return ns;
}

/* ---- clocked components */

static enum step step_always(struct component *c, uint64_t cycle)
{
	struct worker *w = CONTAINER_OF(c, struct worker, base);

	w->count += cycle & 1;
	return STEP_AGAIN;
}

/* Polls every cycle. */
static enum step step_polling(struct component *c, uint64_t cycle)
{
	struct worker *w = CONTAINER_OF(c, struct worker, base);

	if (cycle >= w->due) {
		w->count++;
		w->due = cycle + SPARSE_CYCLES;
	}
	return STEP_AGAIN;
}

static enum step step_sparse(struct component *c, uint64_t cycle)
{
	struct worker *w = CONTAINER_OF(c, struct worker, base);

	if (cycle >= w->due) {
		w->count++;
		w->due = cycle + SPARSE_CYCLES;
	}
	wake_at(c, w->due);
	return STEP_SLEEP;
}

static void add_workers(struct stage *s, const struct component_ops *ops)
{
	struct worker *all = arena_alloc(&s->arena, COMPONENTS, sizeof(*all));

	for (unsigned i = 0; i < COMPONENTS; i++) {
		component_init(&all[i].base, s->part, ops, NULL, "worker", CORE_PERIOD_PS);
		all[i].due = i % SPARSE_CYCLES;
	}
}

/* ns for each cycle of all components. */
static double measure_cycles(const struct component_ops *ops, uint64_t windows)
{
	struct stage s;
	double start, ns;

	stage_open(&s);
	add_workers(&s, ops);
	stage_elaborate(&s);
	sim_run(s.sim, 10, UINT64_MAX);
	start = spent_s();
	sim_run(s.sim, windows, UINT64_MAX);
	ns = (spent_s() - start) * 1e9 / (double)(windows * 20);
	stage_close(&s);
	return ns;
}

/* ---- links of depth 16: as many messages as fit, as early as they can */

struct message {
	uint64_t number, words[3];
};
static const struct msg_type message_type = {"message", sizeof(struct message)};

static enum step step_send(struct component *c, uint64_t cycle)
{
	struct worker *w = CONTAINER_OF(c, struct worker, base);

	(void)cycle;
	while (link_can_send(w->link)) {
		struct message *m = link_slot(w->link);

		*m = (struct message){.number = w->count++};
		link_send(w->link, 0);
	}
	return STEP_SLEEP;
}

static enum step step_take(struct component *c, uint64_t cycle)
{
	struct worker *w = CONTAINER_OF(c, struct worker, base);
	const struct message *m;

	(void)cycle;
	while ((m = link_peek(w->link))) {
		w->count += m->number & 1;
		link_pop(w->link);
		w->due++;
	}
	return STEP_SLEEP;
}

static double measure_links(void)
{
	static const struct component_ops send = {.step = step_send, .busy = idle};
	static const struct component_ops take = {.step = step_take, .busy = idle};
	struct worker *from, *to;
	uint64_t messages = 0;
	struct stage s;
	double start, ns;

	stage_open(&s);
	from = arena_alloc(&s.arena, PAIRS, sizeof(*from));
	to = arena_alloc(&s.arena, PAIRS, sizeof(*to));
	for (unsigned i = 0; i < PAIRS; i++) {
		component_init(&from[i].base, s.part, &send, NULL, "from", CORE_PERIOD_PS);
		component_init(&to[i].base, s.part, &take, NULL, "to", CORE_PERIOD_PS);
		port_declare(
			&from[i].base, PORT_OUT, "out", 0, &message_type, &from[i].link, false);
		port_declare(&to[i].base, PORT_IN, "in", 0, &message_type, &to[i].link, false);
		link_bind(s.sim, &from[i].base, "out", 0, &to[i].base, "in", 0,
			(struct link_config){.latency_cycles = 1, .depth = 16});
	}
	stage_elaborate(&s);
	start = spent_s();
	sim_run(s.sim, 1000, UINT64_MAX);
	ns = (spent_s() - start) * 1e9;
	for (unsigned i = 0; i < PAIRS; i++)
		messages += to[i].due;
	stage_close(&s);
	return ns / (double)messages;
}

/* ---- libev: the share of the loop's time outside quanta, in percent */

static double measure_loop(void)
{
	static const struct component_ops ops = {.step = step_always, .busy = idle};
	struct host_stats stats;
	struct err err = {0};
	enum run answer;
	bool interrupted;
	struct stage s;

	stage_open(&s);
	add_workers(&s, &ops);
	stage_elaborate(&s);
	BUG_ON(host_run(s.sim, 100000, NULL, &answer, &interrupted, &stats, &err));
	stage_close(&s);
	return (1 - stats.busy_s / stats.wall_s) * 100;
}

/* ---- the barrier of two threads, which other work on the host disturbs more than anything */

#define MEETINGS 20000u

struct meeting {
	struct crew *crew;
	pthread_barrier_t barrier;
};

static void meet_often(void *ctx, unsigned worker)
{
	struct meeting *m = ctx;

	for (unsigned i = 0; i < MEETINGS; i++)
		crew_meet(m->crew, worker);
}

static double measure_barrier(void)
{
	struct meeting m = {0};
	struct err err = {0};
	struct arena arena = {0};
	jmp_buf escape;
	struct pin *pin;
	double start, ns;

	arena.escape = &escape;
	pin = pin_new(&arena, 2);
	m.crew = crew_new(&arena, 2, pin, meet_often, &m, &err);
	BUG_ON(!m.crew);
	start = now_s(CLOCK_MONOTONIC);
	pin_bind(pin, 0);
	crew_run(m.crew, false);
	ns = (now_s(CLOCK_MONOTONIC) - start) * 1e9 / MEETINGS;
	crew_free(m.crew);
	pin_free(pin);
	arena_free(&arena);
	return ns;
}

static void *wait_often(void *ctx)
{
	struct meeting *m = ctx;

	for (unsigned i = 0; i < MEETINGS / 10; i++)
		pthread_barrier_wait(&m->barrier);
	return NULL;
}

static double measure_pthread_barrier(void)
{
	struct meeting m = {0};
	pthread_t other;
	double start;

	pthread_barrier_init(&m.barrier, NULL, 2);
	BUG_ON(pthread_create(&other, NULL, wait_often, &m));
	start = now_s(CLOCK_MONOTONIC);
	wait_often(&m);
	pthread_join(other, NULL);
	pthread_barrier_destroy(&m.barrier);
	return (now_s(CLOCK_MONOTONIC) - start) * 1e9 / (MEETINGS / 10.0);
}

double kernel_measure(enum kernel_test test)
{
	static const struct component_ops always = {.step = step_always, .busy = idle};
	static const struct component_ops polling = {.step = step_polling, .busy = idle};
	static const struct component_ops sparse = {.step = step_sparse, .busy = idle};

	switch (test) {
	case EVENTS_32:
		return measure_events(32);
	case EVENTS_1K:
		return measure_events(1000);
	case EVENTS_100K:
		return measure_events(100000);
	case CLOCKED:
		return measure_cycles(&always, 1000) / COMPONENTS;
	case POLLING:
		return measure_cycles(&polling, 1000);
	case SPARSE:
		return measure_cycles(&sparse, 10000);
	case LINKS:
		return measure_links();
	case LOOP:
		return measure_loop();
	case BARRIER:
		return measure_barrier();
	default:
		return measure_pthread_barrier();
	}
}
