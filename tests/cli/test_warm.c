/* Launches that are executed only, with warm caches: what would have moved, and what a launch in
 * time finds behind them. */
#include "tests/rig/support_cli.h"

#include <math.h>
#include <stdio.h>

#include "core/base.h"

static json_t *run(const struct desk *d, const char *target, const char *options)
{
	char command[256];

	snprintf(command, sizeof(command), "run --quiet --json %%F/r.json %s %s", target, options);
	assert_int_equal(desk_run(d, command), 0);
	return desk_json(d, "r.json");
}

/* Summed over the launches from `first` on. */
static double sum(const json_t *j, const char *key, size_t first)
{
	json_t *rows = json_object_get(j, "launches"), *row;
	double all = 0;
	size_t i;

	json_array_foreach(rows, i, row) all +=
		i < first ? 0 : json_number_value(json_object_get(row, key));
	return all;
}

static void expect_near(double is, double truth, double share)
{
	assert_true(truth > 0);
	assert_true(fabs(is - truth) <= share * truth);
}

/* In each: short of capacity, stores by several SMs, texels, atomics. */
static void execution_moves_what_a_timed_run_moves(void **state)
{
	static const char *const targets[] = {"cfd", "dct8x8", "convolutiontexture", "histogram"};
	const struct desk *d = *state;

	for (unsigned i = 0; i < ARRAY_LEN(targets); i++) {
		json_t *whole = run(d, targets[i], "");
		json_t *warm = run(d, targets[i], "--untimed --warm");
		double flushed = (double)json_metric(warm, "lts__bytes_flushed.sum");

		expect_near(sum(warm, "warm_dram_read_bytes", 0),
			(double)json_metric(whole, "dram__bytes_read.sum"), 0.01);
		expect_near(sum(warm, "warm_dram_write_bytes", 0) + flushed,
			(double)(json_metric(whole, "dram__bytes_write.sum") +
				 json_metric(whole, "lts__bytes_flushed.sum")),
			0.05);
		json_decref(whole);
		json_decref(warm);
	}
}

/* The last six launches of bfs take what they take behind timed ones; without warm caches they
 * fetch all again. */
static void a_timed_launch_finds_the_lines_of_executed_ones(void **state)
{
	const struct desk *d = *state;
	json_t *whole = run(d, "bfs", ""), *warm = run(d, "bfs", "--from-launch 13 --warm");
	json_t *cold = run(d, "bfs", "--from-launch 13");
	double truth = sum(whole, "dram_read_bytes", 12);

	assert_true(sum(cold, "dram_read_bytes", 12) > 1.5 * truth + 1000);
	assert_true(fabs(sum(warm, "dram_read_bytes", 12) - truth) <= 0.05 * truth + 1000);
	assert_null(json_object_get(
		json_array_get(json_object_get(cold, "launches"), 0), "warm_dram_read_bytes"));
	json_decref(whole);
	json_decref(warm);
	json_decref(cold);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(execution_moves_what_a_timed_run_moves),
		cmocka_unit_test(a_timed_launch_finds_the_lines_of_executed_ones),
	};

	return cmocka_run_group_tests(tests, desk_set_up, desk_tear_down);
}
