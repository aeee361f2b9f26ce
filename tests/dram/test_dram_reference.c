/* One channel against two independent simulators on the same traces. */
#include "tests/rig/dram_rig.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/rig/dram_bands.h"

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
		fail_msg("%s of %s, %s, %u entries, load %g: %.4f is outside of %.4f .. %.4f", what,
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

static void first_come_first_served_agrees_with_another_simulator(void **state)
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

/* Two rows of a bank in turn: where the simulators differ most, because of their policies. Both
 * choices. */
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

/* Rows in sequence in one bank group: a scheduler that sees further ahead opens the next one in
 * time. */
static void a_longer_queue_explains_the_bandwidth_of_sequences(void **state)
{
	struct setup setup = {"RoBaBgCo", "seq", NULL, 32, false, {0}};
	static const double near[] = {0.8827, 0.8827}, far[] = {0.9961, 0.9961};

	(void)state;
	check_within(replay(setup).share, near, 0.005, 0.005, "bandwidth", &setup);
	setup.queue = 48;
	check_within(replay(setup).share, far, 0.005, 0.005, "bandwidth", &setup);
}

static struct dram_replayed replay_with(const char *const *settings, const char *trace_name,
	struct dram_load load, struct dram_stats *stats)
{
	struct dram_access *trace = dram_trace(trace_name, ACCESSES);
	struct dram_rig d = dram_rig_new(settings);
	struct dram_replayed result;

	dram_replay(d.r, trace, ACCESSES, &load, &d.rig->arena, &result);
	*stats = d.r->s;
	dram_rig_free(d);
	test_free(trace);
	return result;
}

/* Copies need a long queue, or the bus changes direction too often: DRAMsim3 has it in its banks.
 */
static void queues_of_banks_copy_as_dramsim3_does(void **state)
{
	const char *settings[] = {"dram.device", "gddr5_6000", "dram.map", "RoBaBgCo", "dram.queue",
		"32", "dram.write_queue", "32", "dram.bank_queue", NULL, NULL};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(copy_figures); i++) {
		const struct copy_figure *f = &copy_figures[i];
		double share[2];

		for (unsigned banks = 0; banks < 2; banks++) {
			struct dram_stats s;

			settings[9] = banks ? "8" : "0";
			share[banks] =
				replay_with(settings, f->trace, (struct dram_load){0}, &s).share;
		}
		if (share[0] > 0.93 * f->share || share[1] < 0.95 * f->share ||
			share[1] > 1.05 * f->share)
			fail_msg("%s: %.4f, with queues of banks %.4f, not %.4f", f->trace,
				share[0], share[1], f->share);
	}
}

/* When reads and writes alternate, the bursts that rows were opened for are served first. */
static void no_row_is_opened_without_use(void **state)
{
	static const char *const scheds[] = {"frfcfs", "frfcfs_cap", "read_first"};
	const char *settings[] = {"dram.device", "gtx480", "dram.map", "RoBaBgCo", "dram.refresh",
		"false", "dram.queue", "32", "dram.write_queue", "32", "dram.scheduler", NULL,
		"dram.bank_queue", NULL, NULL};
	struct dram_stats s;

	(void)state;
	for (unsigned i = 0; i < 2 * ARRAY_LEN(scheds); i++) {
		settings[11] = scheds[i / 2];
		settings[13] = i % 2 ? "8" : "0";
		for (unsigned k = 0; k < (i % 2 ? 0 : ARRAY_LEN(mix_figures)); k++) {
			const struct dram_load load = {DRAM_CONSTANT, mix_figures[k].load, 1};
			const struct dram_replayed r =
				replay_with(settings, "random_mix75", load, &s);

			assert_in_range(s.activates, 1, ACCESSES);
			assert_true(r.row_hits >= 0 && r.row_hits < 0.01);
			if (r.accepted.mean > 1.1 * mix_figures[k].latency)
				fail_msg("load %g: %.1f CK, not %.1f", mix_figures[k].load,
					r.accepted.mean, mix_figures[k].latency);
		}
		(void)replay_with(settings, "random_mix75", (struct dram_load){0}, &s);
		assert_in_range(s.activates, 1, ACCESSES);
	}
}

/* A share is never below 0, also where refreshes close rows that were not used. */
static void row_hits_are_a_share_of_the_bursts(void **state)
{
	static const char *const traces[] = {"random", "random_mix75", "pingpong", "seq"};
	static const char *const scheds[] = {"fcfs", "frfcfs", "frfcfs_cap"};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(traces) * ARRAY_LEN(scheds); i++) {
		const char *settings[] = {"dram.refi", "600", "dram.scheduler", scheds[i % 3],
			"dram.hash", i % 2 ? "xor" : "none", NULL};
		struct dram_stats s;
		struct dram_replayed r =
			replay_with(settings, traces[i / 3], (struct dram_load){0}, &s);

		assert_true(r.row_hits >= 0 && r.row_hits <= 1);
		assert_int_equal(s.row_hits + s.row_misses + s.row_conflicts, ACCESSES);
	}
}

/* A policy of each kind: the cap decides between rows, whatever the write policy. */
static void a_cap_and_draining_combine(void **state)
{
	const char *settings[] = {"dram.device", "gtx480", "dram.map", "RoBaBgCo", "dram.refresh",
		"false", "dram.queue", "32", "dram.write_queue", "32", "dram.scheduler", NULL,
		"dram.writes", NULL, NULL};
	double capped[2], drained[2];
	struct dram_stats s;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		settings[13] = i ? "drain" : "mixed";
		settings[11] = "frfcfs_cap";
		capped[i] = replay_with(settings, "pingpong", (struct dram_load){0}, &s).share;
		drained[i] = replay_with(settings, "mix50", (struct dram_load){0}, &s).share;
		assert_true(capped[i] > 0.28 && capped[i] < 0.30);
		settings[11] = "frfcfs";
		assert_true(
			replay_with(settings, "pingpong", (struct dram_load){0}, &s).share > 0.55);
	}
	/* For a saturated mix, draining agrees with the simulators, which also drain. */
	assert_true(drained[1] > 0.97 * 0.7743 && drained[1] < 1.03 * 0.8254);
	assert_true(drained[0] > 1.03 * 0.8254);
}

/* Random lines with each device's own map: a line is in one row, whatever its bursts. */
static void a_line_opens_one_row_on_every_device(void **state)
{
	(void)state;
	for (const struct dram_device *d = dram_devices; d->name; d++) {
		const char *settings[] = {"dram.device", d->name, "dram.refresh", "false", NULL};
		struct dram_rig rig = dram_rig_new(settings);
		uint32_t per_line = 128 / d->burst_bytes, n = 10000 * per_line;
		struct dram_access *trace = dram_trace("random", n);
		struct dram_replayed r;

		for (uint32_t i = 0; i < n; i++)
			trace[i].address = trace[i / per_line * per_line].address / 128 * 128 +
					   i % per_line * d->burst_bytes;
		dram_replay(rig.r, trace, n, &(struct dram_load){0}, &rig.rig->arena, &r);
		assert_true(fabs(r.row_hits - (1 - 1.0 / per_line)) < 0.01);
		/* The limit: activates, one every tRRD, four in tFAW, or the bus. */
		assert_true(r.share * d->t.faw / 4 <= per_line * d->burst_ck);
		assert_true(r.share >= 0.85 * fmin(1, per_line * d->burst_ck /
							      (double)max_u64(d->t.rrds,
								      div_up(d->t.faw, 4))));
		test_free(trace);
		dram_rig_free(rig);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			saturated_traces_reach_the_bandwidth_and_row_hits_of_other_simulators),
		cmocka_unit_test(loaded_latencies_are_those_of_other_simulators),
		cmocka_unit_test(first_come_first_served_agrees_with_another_simulator),
		cmocka_unit_test(a_cap_on_row_hits_explains_the_ping_pong_of_rows),
		cmocka_unit_test(a_longer_queue_explains_the_bandwidth_of_sequences),
		cmocka_unit_test(queues_of_banks_copy_as_dramsim3_does),
		cmocka_unit_test(no_row_is_opened_without_use),
		cmocka_unit_test(row_hits_are_a_share_of_the_bursts),
		cmocka_unit_test(a_cap_and_draining_combine),
		cmocka_unit_test(a_line_opens_one_row_on_every_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
