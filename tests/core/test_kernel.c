/* The kernel without links: wake-ups, events, edges, ends of a run, faults of elaboration. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/sim.h"

#define WINDOW 20
#define LOG 64

static const struct msg_type word_type = {"word", sizeof(uint64_t)};

static bool never_busy(const struct component *c)
{
	(void)c;
	return false;
}

/* ---- a component with configurable behaviour */
struct habit {
	struct component c;
	uint64_t wishes[8], steps[LOG];
	unsigned nwishes, nsteps, nfired, ended;
	tick_t fired[LOG];
	char order[LOG];
	bool asks_edge, finishes, stops, again;
	tick_t edge;
};

static enum step habit_step(struct component *c, uint64_t cycle)
{
	struct habit *h = (struct habit *)c;

	h->steps[h->nsteps++ % LOG] = cycle;
	for (unsigned i = 0; i < h->nwishes; i++) {
		if (h->wishes[i] > cycle)
			wake_at(c, h->wishes[i]);
	}
	if (h->asks_edge)
		edge_request(c);
	if (h->finishes)
		sim_finish(c);
	if (h->stops)
		sim_stop(c->sim);
	return h->again ? STEP_AGAIN : STEP_SLEEP;
}

static const struct component_ops habit_ops = {.step = habit_step, .busy = never_busy};

struct lone {
	jmp_buf escape;
	struct arena arena;
	struct sim *sim;
	struct partition *part;
	struct habit h;
	struct err err;
};

static void set_up_lone(struct lone *l, unsigned period_ps)
{
	struct sim_config config = {.window_cycles = WINDOW, .threads = 1};

	*l = (struct lone){0};
	l->arena.escape = &l->escape;
	l->sim = sim_new(&config, &l->arena);
	l->part = sim_partition(l->sim, "part", 1);
	component_init(&l->h.c, l->part, &habit_ops, NULL, "habit", period_ps);
}

static void tear_down_lone(struct lone *l)
{
	sim_free(l->sim);
	arena_free(&l->arena);
}

static void wake_ups_are_kept_near_and_far(void **state)
{
	static const uint64_t wishes[] = {1, 63, 64, 1023, 1024, 1025, 90000, 7000000};
	struct lone l;

	(void)state;
	for (unsigned period = 750; period <= 1000; period += 250) {
		set_up_lone(&l, period);
		memcpy(l.h.wishes, wishes, sizeof(wishes));
		l.h.nwishes = ARRAY_LEN(wishes);
		assert_int_equal(sim_elaborate(l.sim, &l.err), 0);
		assert_int_equal(sim_run(l.sim, UINT64_MAX, UINT64_MAX), RUN_STARVED);
		assert_int_equal(l.h.nsteps, 1 + ARRAY_LEN(wishes));
		assert_memory_equal(l.h.steps + 1, wishes, sizeof(wishes));
		assert_true(sim_counts(l.sim).windows < 10);
		tear_down_lone(&l);
	}
}

static void a_wake_up_at_the_rings_end_comes_once(void **state)
{
	struct lone l;

	(void)state;
	for (uint64_t wish = 1023; wish <= 1026; wish++) {
		set_up_lone(&l, 1000);
		l.h.wishes[l.h.nwishes++] = wish;
		assert_int_equal(sim_elaborate(l.sim, &l.err), 0);
		assert_int_equal(sim_run(l.sim, UINT64_MAX, UINT64_MAX), RUN_STARVED);
		assert_int_equal(l.h.nsteps, 2);
		assert_int_equal(l.h.steps[1], wish);
		tear_down_lone(&l);
	}
}

static void of_wake_ups_beyond_the_ring_the_earliest_comes_first(void **state)
{
	static const uint64_t wishes[] = {7000000, 90000, 2000, 5000};
	static const uint64_t steps[] = {0, 2000, 5000, 90000, 7000000};
	struct lone l;

	(void)state;
	set_up_lone(&l, 1000);
	memcpy(l.h.wishes, wishes, sizeof(wishes));
	l.h.nwishes = ARRAY_LEN(wishes);
	assert_int_equal(sim_elaborate(l.sim, &l.err), 0);
	assert_int_equal(sim_run(l.sim, UINT64_MAX, UINT64_MAX), RUN_STARVED);
	assert_int_equal(l.h.nsteps, ARRAY_LEN(steps));
	assert_memory_equal(l.h.steps, steps, sizeof(steps));
	tear_down_lone(&l);
}

static void a_limit_ends_the_run_before_the_window_that_begins_there(void **state)
{
	struct lone l;

	(void)state;
	for (unsigned limit = 2 * WINDOW - 1; limit <= 2 * WINDOW + 1; limit++) {
		unsigned end = limit <= 2 * WINDOW ? 2 * WINDOW : 3 * WINDOW;

		set_up_lone(&l, 1000);
		l.h.again = true;
		assert_int_equal(sim_elaborate(l.sim, &l.err), 0);
		assert_int_equal(sim_run(l.sim, UINT64_MAX, limit), RUN_LIMIT);
		assert_int_equal(l.h.nsteps, end);
		assert_int_equal(sim_time(l.sim), end * 1000);
		tear_down_lone(&l);
	}
}

static void again_means_the_next_cycle(void **state)
{
	struct lone l;

	(void)state;
	set_up_lone(&l, 750);
	l.h.again = true;
	assert_int_equal(sim_elaborate(l.sim, &l.err), 0);
	assert_int_equal(sim_run(l.sim, 3, UINT64_MAX), RUN_QUANTUM);
	assert_int_equal(l.h.nsteps, 80);
	assert_int_equal(l.h.steps[79 % LOG], 79);
	assert_int_equal(sim_time(l.sim), 60 * 1000);
	tear_down_lone(&l);
}

struct lettered {
	struct event event;
	struct habit *h;
	char letter;
};

static void note_event(struct event *e)
{
	struct lettered *l = CONTAINER_OF(e, struct lettered, event);
	struct habit *h = l->h;

	h->order[h->nfired] = l->letter;
	h->fired[h->nfired++] = sim_now(&h->c);
	if (l->letter == 'c' && h->nfired < 10)
		event_notify(e, 333);
	if (l->letter == 'a')
		event_cancel(&l[1].event); /* it was due in the same tick and has already run */
	if (l->letter == 'b')
		event_cancel(&l[1].event);
}

static void events_come_by_tick_then_by_order_of_notification(void **state)
{
	static const tick_t fired[] = {100, 433, 500, 500, 70000};
	struct lettered e[5];
	struct lone l;

	(void)state;
	set_up_lone(&l, 1000);
	for (unsigned i = 0; i < ARRAY_LEN(e); i++) {
		e[i] = (struct lettered){.h = &l.h, .letter = (char)('a' + i)};
		event_init(&e[i].event, l.part, note_event);
	}
	assert_int_equal(sim_elaborate(l.sim, &l.err), 0);
	event_notify(&e[0].event, 90000);
	event_notify(&e[1].event, 500);
	event_notify(&e[2].event, 100);
	event_notify(&e[3].event, 70000);
	event_notify(&e[4].event, 60000);
	event_notify(&e[0].event, 500); /* notified again: after b now */
	event_cancel(&e[4].event);
	event_cancel(&e[4].event);
	/* c repeats every 333 ps until b cancels it; d is far, e is cancelled. */
	assert_int_equal(sim_run(l.sim, UINT64_MAX, UINT64_MAX), RUN_STARVED);
	assert_string_equal(l.h.order, "ccbad");
	assert_memory_equal(l.h.fired, fired, sizeof(fired));
	assert_int_equal(sim_counts(l.sim).events, ARRAY_LEN(fired));
	tear_down_lone(&l);
}

static void wake_at_edge(void *ctx, tick_t end)
{
	struct lone *l = ctx;

	l->h.edge = end;
	assert_int_equal(sim_now(&l->h.c), end);
	l->h.asks_edge = false;
	if (l->h.ended++ == 0) {
		wake_at(&l->h.c, end / 1000 + 3);
		edge_request(&l->h.c);
	}
}

static void the_edge_callback_runs_on_request_and_may_wake(void **state)
{
	struct lone l;

	(void)state;
	set_up_lone(&l, 1000);
	l.h.asks_edge = true;
	sim_on_edge(l.sim, wake_at_edge, &l);
	assert_int_equal(sim_elaborate(l.sim, &l.err), 0);
	assert_int_equal(sim_run(l.sim, 1, UINT64_MAX), RUN_QUANTUM);
	assert_int_equal(l.h.edge, 20000);
	assert_int_equal(sim_run(l.sim, UINT64_MAX, UINT64_MAX), RUN_STARVED);
	assert_int_equal(l.h.ended, 2);
	assert_int_equal(l.h.steps[1], 23);
	assert_int_equal(l.h.edge, 40000);
	tear_down_lone(&l);
}

static void note_edge(void *ctx, tick_t end)
{
	struct lone *l = ctx;

	l->h.fired[l->h.nfired++] = end;
	if (end == 60000)
		sim_edge_at(l->sim, 90000);
}

/* Once for each request: not in windows before the tick, nor in those after it. */
static void an_edge_asked_for_by_time_ends_the_first_window_behind_it(void **state)
{
	struct lone l;

	(void)state;
	set_up_lone(&l, 1000);
	l.h.again = true;
	sim_on_edge(l.sim, note_edge, &l);
	assert_int_equal(sim_elaborate(l.sim, &l.err), 0);
	sim_edge_at(l.sim, 60000);
	assert_int_equal(sim_run(l.sim, UINT64_MAX, 200), RUN_LIMIT);
	assert_int_equal(l.h.nfired, 2);
	assert_int_equal(l.h.fired[0], 60000);
	assert_int_equal(l.h.fired[1], 100000);
	tear_down_lone(&l);
}

static void finishing_and_stopping_end_the_window_first(void **state)
{
	struct lone l;

	(void)state;
	for (int stop = 0; stop < 2; stop++) {
		set_up_lone(&l, 1000);
		l.h.again = true;
		l.h.finishes = true;
		l.h.stops = stop;
		assert_int_equal(sim_elaborate(l.sim, &l.err), 0);
		for (int i = 0; i < 2; i++) {
			assert_int_equal(
				sim_run(l.sim, 9, UINT64_MAX), stop ? RUN_STOPPED : RUN_DONE);
			assert_int_equal(l.h.nsteps, 20);
			assert_int_equal(sim_time(l.sim), 20000);
		}
		tear_down_lone(&l);
	}
	set_up_lone(&l, 1000);
	assert_int_equal(sim_elaborate(l.sim, &l.err), 0);
	sim_stop(l.sim);
	assert_int_equal(sim_run(l.sim, 9, UINT64_MAX), RUN_STOPPED);
	assert_int_equal(l.h.nsteps, 0);
	tear_down_lone(&l);
}

/* ---- a deadlock: each of two receives only after it has sent two */
struct toy {
	struct component c;
	struct link *out, *in;
	unsigned sent;
};

static enum step quarrel(struct component *c, uint64_t cycle)
{
	struct toy *t = (struct toy *)c;

	while (t->sent < 2 && link_can_send(t->out)) {
		*(uint64_t *)link_slot(t->out) = cycle;
		link_send(t->out, 1);
		t->sent++;
	}
	while (t->sent == 2 && link_peek(t->in))
		link_pop(t->in);
	return STEP_SLEEP;
}

static bool quarrels(const struct component *c)
{
	return ((const struct toy *)c)->sent < 2;
}

static void own_words(const struct component *c, struct text *text)
{
	text_raw(text, "    %u of 2 sent\n", ((const struct toy *)c)->sent);
}

static const struct component_ops quarrel_ops = {
	.step = quarrel, .busy = quarrels, .stuck = own_words};

static enum run run_quarrel(unsigned depth, struct text *report)
{
	struct sim_config config = {.window_cycles = WINDOW, .threads = 1};
	static struct arena arena;
	jmp_buf escape;
	struct toy toys[2] = {0};
	static const char *const names[] = {"hawk", "crow"};
	struct err err = {0};
	struct sim *sim;
	enum run answer;

	arena = (struct arena){.escape = &escape};
	sim = sim_new(&config, &arena);
	for (int i = 0; i < 2; i++) {
		component_init(&toys[i].c, sim_partition(sim, names[i], 1), &quarrel_ops, NULL,
			names[i], 1000);
		port_declare(&toys[i].c, PORT_OUT, "out", 0, &word_type, &toys[i].out, false);
		port_declare(&toys[i].c, PORT_IN, "in", 0, &word_type, &toys[i].in, false);
	}
	for (int i = 0; i < 2; i++)
		link_bind(sim, &toys[i].c, "out", 0, &toys[!i].c, "in", 0,
			(struct link_config){.latency_cycles = 20, .depth = depth});
	assert_int_equal(sim_elaborate(sim, &err), 0);
	answer = sim_run(sim, UINT64_MAX, UINT64_MAX);
	sim_report_stuck(sim, report);
	sim_free(sim);
	arena_free(&arena);
	return answer;
}

static void a_deadlock_is_distinguished_from_idleness_and_named(void **state)
{
	struct text report = {0};

	(void)state;
	assert_int_equal(run_quarrel(2, &report), RUN_STARVED);
	text_clear(&report);
	assert_int_equal(run_quarrel(1, &report), RUN_DEADLOCK);
	assert_string_equal(text_str(&report),
		"at cycle 40:\n"
		"  hawk (hawk) has unfinished work\n"
		"    out[0] -> crow.in[0]: messages: 1 of 1, waits for a credit\n"
		"    in[0] <- crow.out[0]: messages to receive: 1 of 1\n"
		"    1 of 2 sent\n"
		"  crow (crow) has unfinished work\n"
		"    out[0] -> hawk.in[0]: messages: 1 of 1, waits for a credit\n"
		"    in[0] <- hawk.out[0]: messages to receive: 1 of 1\n"
		"    1 of 2 sent\n");
	text_clear(&report);
}

struct warmed {
	struct component c;
	unsigned *early, *late, steps;
};

static enum step warmed_step(struct component *c, uint64_t cycle)
{
	struct warmed *w = (struct warmed *)c;

	(void)cycle;
	return ++w->steps < 100 ? STEP_AGAIN : STEP_SLEEP;
}

static bool warmed_busy(const struct component *c)
{
	(void)c;
	return false;
}

static void warmed_warm(const struct component *c, bool early)
{
	const struct warmed *w = (const struct warmed *)c;

	++*(early ? w->early : w->late);
}

static void partitions_are_warmed_while_those_before_them_run(void **state)
{
	static const struct component_ops ops = {
		.step = warmed_step, .busy = warmed_busy, .warm = warmed_warm};
	struct sim_config config = {.window_cycles = WINDOW, .threads = 1};
	static struct arena arena;
	unsigned early[4] = {0}, late[4] = {0};
	struct warmed all[4] = {0};
	struct err err = {0};
	jmp_buf escape;
	struct sim *sim;

	(void)state;
	arena = (struct arena){.escape = &escape};
	sim = sim_new(&config, &arena);
	for (int i = 0; i < 4; i++) {
		all[i].early = &early[i];
		all[i].late = &late[i];
		component_init(
			&all[i].c, sim_partition(sim, "part", 1), &ops, NULL, "warmed", 1000);
	}
	assert_int_equal(sim_elaborate(sim, &err), 0);
	assert_int_equal(sim_run(sim, UINT64_MAX, UINT64_MAX), RUN_STARVED);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(all[i].steps, 100);
		assert_int_equal(late[i], i >= 1 ? 100 / WINDOW : 0);
		assert_int_equal(early[i], i >= 2 ? 100 / WINDOW : 0);
	}
	sim_free(sim);
	arena_free(&arena);
}

static const char every_fault[] =
	"b.in[3]: messages of type other have 300 bytes: must be 1 .. 256\n"
	"a.out[0] is declared twice\n"
	"a.out[0] -> b.in[0]: latency 0: must be 1 .. 1000000 cycles\n"
	"a.out[0] -> b.in[0]: depth 0: must be 1 .. 1048576 messages\n"
	"a.out[0] is connected twice\n"
	"a.out[1] -> b.in[1]: latency 19: between partitions it must be at least "
	"the window\n"
	"a.out[3] sends word, but b.in[3] takes other\n"
	"a has no output exit[0]\n"
	"b has no input in[7]\n"
	"a.out[2] is not connected\n"
	"b.in[2] is not connected\n"
	"threads = 3: must be at most 2, the number of partitions\n";

static void elaboration_lists_every_fault_at_once(void **state)
{
	struct sim_config config = {.window_cycles = WINDOW, .threads = 3};
	static const struct msg_type other = {"other", 300};
	static struct arena arena;
	jmp_buf escape;
	struct habit a = {0}, b = {0};
	struct err err = {0};
	struct partition *p, *q;
	struct link *unused = NULL;
	struct sim *sim;

	(void)state;
	arena = (struct arena){.escape = &escape};
	sim = sim_new(&config, &arena);
	p = sim_partition(sim, "p", 1);
	q = sim_partition(sim, "q", 1);
	component_init(&a.c, p, &habit_ops, NULL, "a", 1000);
	component_init(&b.c, q, &habit_ops, NULL, "b", 1000);
	for (unsigned i = 0; i < 4; i++) {
		port_declare(&a.c, PORT_OUT, "out", i, &word_type, &unused, false);
		port_declare(&b.c, PORT_IN, "in", i, i == 3 ? &other : &word_type, &unused, false);
	}
	port_declare(&a.c, PORT_OUT, "debug", 0, &word_type, &unused, true);
	port_declare(&a.c, PORT_OUT, "out", 0, &word_type, &unused, true);
	link_bind(sim, &a.c, "out", 0, &b.c, "in", 0,
		(struct link_config){.latency_cycles = 0, .depth = 0});
	link_bind(sim, &a.c, "out", 0, &b.c, "in", 1,
		(struct link_config){.latency_cycles = 20, .depth = 1});
	link_bind(sim, &a.c, "out", 1, &b.c, "in", 1,
		(struct link_config){.latency_cycles = 19, .depth = 1});
	link_bind(sim, &a.c, "out", 3, &b.c, "in", 3,
		(struct link_config){.latency_cycles = 20, .depth = 1});
	link_bind(sim, &a.c, "exit", 0, &b.c, "in", 7,
		(struct link_config){.latency_cycles = 20, .depth = 1});
	assert_int_equal(sim_elaborate(sim, &err), -1);
	assert_int_equal(err.code, ERR_INPUT);
	assert_string_equal(err_text(&err), every_fault);
	err_clear(&err);
	sim_free(sim);
	arena_free(&arena);
	sim_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wake_ups_are_kept_near_and_far),
		cmocka_unit_test(a_wake_up_at_the_rings_end_comes_once),
		cmocka_unit_test(of_wake_ups_beyond_the_ring_the_earliest_comes_first),
		cmocka_unit_test(a_limit_ends_the_run_before_the_window_that_begins_there),
		cmocka_unit_test(again_means_the_next_cycle),
		cmocka_unit_test(events_come_by_tick_then_by_order_of_notification),
		cmocka_unit_test(the_edge_callback_runs_on_request_and_may_wake),
		cmocka_unit_test(an_edge_asked_for_by_time_ends_the_first_window_behind_it),
		cmocka_unit_test(finishing_and_stopping_end_the_window_first),
		cmocka_unit_test(a_deadlock_is_distinguished_from_idleness_and_named),
		cmocka_unit_test(partitions_are_warmed_while_those_before_them_run),
		cmocka_unit_test(elaboration_lists_every_fault_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
