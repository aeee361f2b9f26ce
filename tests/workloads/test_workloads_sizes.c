/* Workloads of many sizes without time, and what they refuse; the micro-benchmarks' latencies with
 * time, against closed forms (Mei et al., NPC 2014, for what they show). */
#include "tests/rig/support_cli.h"

#include <stdio.h>
#include <string.h>

#include "core/base.h"
#include "core/mem.h"

/* ---- sizes */
static void expect_right(void **state, const char *const *settings, size_t n)
{
	char command[256];

	for (size_t i = 0; i < n; i++) {
		snprintf(command, sizeof(command), "exec %s", settings[i]);
		if (desk_run(*state, command))
			fail_msg("%s", command);
		assert_says(*state, "out", "check: passed");
	}
}

static void sums_of_any_length_are_right(void **state)
{
	static const char *const settings[] = {
		"reduction --set reduction.n=1",
		"reduction --set reduction.n=31",
		"reduction --set reduction.n=512 --ptx 64",
		"reduction --set reduction.n=513 --set reduction.ctas=1",
		"reduction --set reduction.n=100000 --set reduction.ctas=3",
	};

	expect_right(state, settings, ARRAY_LEN(settings));
}

static void volumes_that_fill_no_whole_tile_are_right(void **state)
{
	static const char *const settings[] = {
		"fdtd3d --set fdtd3d.width=1 --set fdtd3d.depth=9 --set fdtd3d.steps=3",
		"fdtd3d --set fdtd3d.width=37 --set fdtd3d.depth=1 --set fdtd3d.steps=1 --ptx 64",
		"fdtd3d --set fdtd3d.width=64 --set fdtd3d.depth=3",
	};

	expect_right(state, settings, ARRAY_LEN(settings));
}

static void the_other_workloads_are_right_at_their_least_and_for_other_seeds(void **state)
{
	static const char *const settings[] = {
		"cfd --set cfd.edge=4 --set cfd.iterations=3 --seed 2",
		"cfd --set cfd.edge=4 --ptx 64",
		"dxtc --set dxtc.edge=4 --ptx 64",
		"dxtc --set dxtc.edge=12 --seed 2",
		"particles --set particles.n=256 --set particles.steps=3",
		"particles --set particles.n=2560 --set particles.grid=8 --seed 2 --ptx 64",
		"sharedstride --set sharedstride.stride=0 --set sharedstride.hop=0 --ptx 64",
		"pointerchase --set pointerchase.fine=false --set pointerchase.warmup=0",
		"pointerchase --set pointerchase.classic=false --ptx 64",
		"pointerchase --set pointerchase.far_stride=4096 --set pointerchase.far_every=3",
	};

	expect_right(state, settings, ARRAY_LEN(settings));
}

static void what_does_not_fit_is_refused(void **state)
{
	static const struct {
		const char *command, *message;
	} cases[] = {
		{"exec boxfilter --set boxfilter.width=96",
			"boxfilter.width = 96: must be a multiple of boxfilter.threads = 64"},
		{"exec boxfilter --set boxfilter.height=20",
			"boxfilter.height = 20: must be more than 2 * boxfilter.radius = 20"},
		{"exec cfd --set cfd.edge=6", "cfd.edge = 6: must be a multiple of 4"},
		{"exec dxtc --set dxtc.edge=6", "dxtc.edge = 6: must be a multiple of 4"},
		{"exec histogram --set histogram.bytes=24",
			"histogram.bytes = 24: must be a multiple of 16"},
		{"exec particles --set particles.n=100",
			"particles.n = 100: must be a multiple of 256"},
		{"exec particles --set particles.grid=9",
			"particles.grid = 9: must be a power of two"},
		{"exec pointerchase --set pointerchase.stride=6",
			"pointerchase.stride = 6: must be a multiple of 4 bytes"},
		{"exec pointerchase --set pointerchase.far_stride=1M",
			"pointerchase.far_stride = 1048576: must be at most "
			"pointerchase.bytes = 98304"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(desk_run(*state, cases[i].command), 3);
		assert_says(*state, "err", cases[i].message);
	}
}

/* ---- latencies */
#define ACCESSES 64

/* The buffer's first words after a run with these settings. */
static void words_of(
	void **state, const char *settings, const char *buffer, uint32_t *words, size_t n)
{
	const struct desk *p = *state;
	char command[512], path[128];
	FILE *file;

	snprintf(command, sizeof(command), "run %s --quiet --dump %s=%%F/words", settings, buffer);
	assert_int_equal(desk_run(p, command), 0);
	snprintf(path, sizeof(path), "%s/words", p->folder);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_int_equal(fread(words, sizeof(*words), n, file), n);
	fclose(file);
}

static void chase(void **state, const char *settings, uint32_t *latency)
{
	char all[384];

	snprintf(all, sizeof(all), "pointerchase --set pointerchase.accesses=%d %s", ACCESSES,
		settings);
	words_of(state, all, "latencies", latency, ACCESSES);
}

/* A cache of 16 KB, to be filled by few accesses. */
#define SMALL_CACHE "--set storage.partitioned.cache_bytes=16K --set l2.bytes=0 "

/* After the array has been walked through: hits when it fits, misses when it is one set longer. */
static void the_chase_sees_where_the_cache_ends(void **state)
{
	uint32_t fits[ACCESSES], longer[ACCESSES];

	chase(state, SMALL_CACHE "--set pointerchase.bytes=16K --set pointerchase.warmup=128",
		fits);
	chase(state, SMALL_CACHE "--set pointerchase.bytes=20K --set pointerchase.warmup=160",
		longer);
	for (unsigned i = 2; i < ACCESSES; i++) {
		assert_int_equal(fits[i], fits[1]);
		assert_int_equal(longer[i], longer[1]);
	}
	assert_int_equal(longer[1] - fits[1], 400 - 20);
}

/* Four bytes further each time: a line of 128 bytes gives one miss and 31 hits. */
static void the_chase_sees_how_long_a_line_is(void **state)
{
	uint32_t latency[ACCESSES];

	chase(state, "--set l2.bytes=0 --set pointerchase.stride=4 --set pointerchase.warmup=0",
		latency);
	for (unsigned i = 1; i < ACCESSES; i++)
		assert_int_equal(latency[i], i % 32 ? latency[1] : latency[1] + 380);
}

/* Every second access goes a line further, the others four bytes: they find the line that the one
 * before has loaded. */
static void strides_may_differ(void **state)
{
	uint32_t latency[ACCESSES];

	chase(state,
		"--set l2.bytes=0 --set pointerchase.stride=4 --set pointerchase.far_stride=128 "
		"--set pointerchase.far_every=2 --set pointerchase.warmup=0",
		latency);
	for (unsigned i = 1; i < 60; i++)
		assert_int_equal(latency[i], i % 2 ? latency[1] : latency[1] + 380);
}

/* Cycles of a step by the lanes that meet in a bank: gcd(stride, 32), and one for each more. */
static void lanes_that_meet_in_a_bank_wait_for_each_other(void **state)
{
	static const struct {
		unsigned stride, meet;
	} cases[] = {{0, 1}, {1, 1}, {2, 2}, {3, 1}, {4, 4}, {12, 4}, {32, 32}, {33, 1}};
	uint32_t cycles[ARRAY_LEN(cases)];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char settings[128];

		snprintf(settings, sizeof(settings),
			"sharedstride --set sharedstride.stride=%u --set sharedstride.iterations=3",
			cases[i].stride);
		words_of(state, settings, "cycles", &cycles[i], 1);
		assert_int_equal(cycles[i] - cycles[0], 2 * 64 * (cases[i].meet - 1));
	}
}

#define AT_DESK(test) cmocka_unit_test_setup_teardown(test, desk_set_up, desk_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		AT_DESK(sums_of_any_length_are_right),
		AT_DESK(volumes_that_fill_no_whole_tile_are_right),
		AT_DESK(the_other_workloads_are_right_at_their_least_and_for_other_seeds),
		AT_DESK(what_does_not_fit_is_refused),
		AT_DESK(the_chase_sees_where_the_cache_ends),
		AT_DESK(the_chase_sees_how_long_a_line_is),
		AT_DESK(strides_may_differ),
		AT_DESK(lanes_that_meet_in_a_bank_wait_for_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
