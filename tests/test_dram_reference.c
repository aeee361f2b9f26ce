/* One channel against what two independent simulators say of the same traces. */
#include "tests/dram_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/dram_bands.h"

#define ACCESSES 50000u

struct setup {
	const char *map, *trace, *scheduler;
	unsigned queue;
	bool refresh;
	struct dram_load load;
};

static struct dram_replayed replay(struct setup setup)
{
	char queue[16];
	const char *settings[] = {"dram.device", "gtx480", "dram.map", setup.map, "dram.scheduler",
		setup.scheduler ? setup.scheduler : "read_first", "dram.queue", queue,
		"dram.write_queue", queue, "dram.refresh", setup.refresh ? "true" : "false", NULL};
	struct dram_access *trace = dram_trace(setup.trace, ACCESSES);
	struct dram_replayed result;
	struct dram_rig d;

	snprintf(queue, sizeof(queue), "%u", setup.queue);
	d = dram_rig_new(settings);
	dram_replay(d.r, trace, ACCESSES, &setup.load, &d.rig->arena, &result);
	dram_rig_free(d);
	test_free(trace);
	return result;
}

static void check_within(double ours, const double *band, double low, double high, const char *what,
	const struct setup *s)
{
	if (ours < band[0] - low || ours > band[1] + high)
		fail_msg("%s of %s, %s, %u places, load %g: %.4f is outside of %.4f .. %.4f", what,
			s->trace, s->map, s->queue, s->load.share, ours, band[0], band[1]);
}

static void saturated_traces_reach_the_bandwidth_and_row_hits_of_other_simulators(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(saturated_bands); i++) {
		const struct saturated_band *b = &saturated_bands[i];
		struct setup setup = {b->map, b->trace, NULL, b->queue, b->refresh, {0}};
		struct dram_replayed r = replay(setup);

		check_within(r.share, b->share, 0.03 * b->share[0], 0.03 * b->share[1], "bandwidth",
			&setup);
		check_within(r.row_hits, b->hits, 0.02, 0.02, "row hits", &setup);
	}
}

static void loaded_latencies_are_those_of_other_simulators(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(loaded_bands); i++) {
		const struct loaded_band *b = &loaded_bands[i];
		struct setup setup = {b->map, b->trace, NULL, 32, false,
			{b->constant ? DRAM_CONSTANT : DRAM_BERNOULLI, b->load, 1}};
		struct dram_replayed r = replay(setup);

		check_within(r.accepted.mean, b->latency, 0.1 * b->latency[0], 0.1 * b->latency[1],
			"latency", &setup);
	}
}

static void first_come_first_served_gives_the_same_figures_elsewhere(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(fcfs_figures); i++) {
		const struct fcfs_figure *f = &fcfs_figures[i];
		struct setup setup = {f->map, f->trace, "fcfs", 32, false, {0}};
		double share[] = {f->share, f->share}, hits[] = {f->hits, f->hits};
		struct dram_replayed r = replay(setup);

		check_within(r.share, share, 0.03 * f->share, 0.03 * f->share, "bandwidth", &setup);
		check_within(r.row_hits, hits, 0.02, 0.02, "row hits", &setup);
	}
}

/* Two rows of a bank in turn: where the simulators differ most, by a policy. Both choices. */
static void a_cap_on_row_hits_explains_the_ping_pong_of_rows(void **state)
{
	struct setup setup = {"RoBaBgCo", "pingpong", "frfcfs_cap", 32, false, {0}};
	static const double capped[] = {0.2927, 0.2927}, capped_hits[] = {0.8333, 0.8333};
	static const double free_[] = {0.5943, 0.5943}, free_hits[] = {0.9841, 0.9841};
	struct dram_replayed r = replay(setup);

	(void)state;
	check_within(r.share, capped, 0.01, 0.01, "bandwidth", &setup);
	check_within(r.row_hits, capped_hits, 0.01, 0.01, "row hits", &setup);
	setup.scheduler = "frfcfs";
	r = replay(setup);
	check_within(r.share, free_, 0.01, 0.01, "bandwidth", &setup);
	check_within(r.row_hits, free_hits, 0.01, 0.01, "row hits", &setup);
}

/* Rows one after another in one bank group: who sees further ahead opens the next one in time. */
static void a_longer_queue_explains_the_bandwidth_of_sequences(void **state)
{
	struct setup setup = {"RoBaBgCo", "seq", NULL, 32, false, {0}};
	static const double near[] = {0.8827, 0.8827}, far[] = {0.9961, 0.9961};

	(void)state;
	check_within(replay(setup).share, near, 0.005, 0.005, "bandwidth", &setup);
	setup.queue = 48;
	check_within(replay(setup).share, far, 0.005, 0.005, "bandwidth", &setup);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			saturated_traces_reach_the_bandwidth_and_row_hits_of_other_simulators),
		cmocka_unit_test(loaded_latencies_are_those_of_other_simulators),
		cmocka_unit_test(first_come_first_served_gives_the_same_figures_elsewhere),
		cmocka_unit_test(a_cap_on_row_hits_explains_the_ping_pong_of_rows),
		cmocka_unit_test(a_longer_queue_explains_the_bandwidth_of_sequences),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
