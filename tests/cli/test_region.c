/* The region of interest of workloads and scenarios: which launches run in time. Programs':
 * tests/cli/test_cuda_launches.c. */
#include "tests/rig/support_cli.h"

#include <stdio.h>
#include <string.h>

#include "core/base.h"

/* bfs launches bfs_expand and bfs_advance by turns, nine times each. */
static int run(const struct desk *d, const char *options, const char *target)
{
	char command[256];

	snprintf(command, sizeof(command), "run --quiet --set chip.sms=4 --json %%F/r.json %s %s",
		options, target);
	return desk_run(d, command);
}

/* Of each launch in order: a capital when it ran in time. */
static void expect_timed(const struct desk *d, const char *letters)
{
	json_t *j = desk_json(d, "r.json"), *rows = json_object_get(j, "launches");

	assert_int_equal(json_array_size(rows), strlen(letters));
	for (unsigned i = 0; letters[i]; i++) {
		json_t *row = json_array_get(rows, i);
		bool timed = json_integer_value(json_object_get(row, "timed_ctas"));
		bool expand = strstr(json_string_value(json_object_get(row, "kernel")), "expand");

		assert_int_equal(letters[i], (expand ? 'e' : 'a') - (timed ? 32 : 0));
	}
	json_decref(j);
}

static void chosen_launches_run_in_time_and_the_check_passes(void **state)
{
	static const struct {
		const char *options, *timed;
	} rows[] = {{"--from-launch 17", "eaeaeaeaeaeaeaeaEA"},
		{"--launches 3", "EAEaeaeaeaeaeaeaea"},
		{"--from-launch 4 --launches 2", "eaeAEaeaeaeaeaeaea"},
		{"--from-launch 5 --launches 18446744073709551615", "eaeaEAEAEAEAEAEAEA"},
		{"--timed bfs_expand:2-3", "eaEaEaeaeaeaeaeaea"},
		{"--timed bfs_expand,*:9 --from-launch 15", "eaeaeaeaeaeaeaEaEA"},
		{"--untimed", "eaeaeaeaeaeaeaeaea"}};
	const struct desk *d = *state;

	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		assert_int_equal(run(d, rows[i].options, "bfs"), 0);
		expect_timed(d, rows[i].timed);
	}
}

static void a_region_of_all_launches_changes_no_byte(void **state)
{
	static const char *const all[] = {"--from-launch 1", "--launches 18", "--timed '*'",
		"--timed bfs_advance,bfs_expand"};
	const struct desk *d = *state;

	json_t *whole, *some;

	assert_int_equal(run(d, "", "bfs"), 0);
	whole = desk_json(d, "r.json");
	for (unsigned i = 0; i < ARRAY_LEN(all); i++) {
		assert_int_equal(run(d, all[i], "bfs"), 0);
		some = desk_json(d, "r.json");
		assert_true(json_equal(whole, some));
		json_decref(some);
	}
	json_decref(whole);
}

static void choices_that_no_launch_meets_are_named(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(run(d, "--from-launch 19", "bfs"), 3);
	assert_says(d, "err", "--from-launch 19: the run has 18 launches");
	assert_int_equal(run(d, "--timed bfs_expand,expand", "bfs"), 3);
	assert_says(d, "err",
		"--timed: no kernel 'expand' was launched; launched were: bfs_expand, bfs_advance");
	assert_int_equal(run(d, "--from-launch 0", "bfs"), 2);
	assert_int_equal(run(d, "--launches 0", "bfs"), 2);
	assert_int_equal(run(d, "--untimed --launches 2", "bfs"), 2);
	assert_says(d, "err", "--untimed times no launch, --launches the launches that it names");
	assert_int_equal(run(d, "--timed bfs_expand:3-2", "bfs"), 2);
	assert_says(d, "err", "a range of launches is FIRST-LAST, FIRST- or FIRST");
}

/* A sweep's file has both runs; the second time nothing runs. */
static void a_sweep_keeps_regions_apart(void **state)
{
	static const char sweep[] = "sweep bfs --set chip.sms=4 --over seed=1 --out "
				    "%F/s.sqlite --csv %F/s.csv ";
	const struct desk *d = *state;
	char command[256], cycles[64];
	json_t *j;

	assert_int_equal(run(d, "--launches 2", "bfs"), 0);
	j = desk_json(d, "r.json");
	snprintf(cycles, sizeof(cycles), ",%lld,",
		(long long)json_metric(j, "gpc__cycles_elapsed.max"));
	json_decref(j);
	assert_int_equal(desk_run(d, sweep), 0);
	for (unsigned i = 0; i < 2; i++) {
		snprintf(command, sizeof(command), "%s --launches 2", sweep);
		assert_int_equal(desk_run(d, command), 0);
		assert_says(d, "s.csv", cycles);
	}
	assert_says(d, "out", "1 of them before");
}

static void a_region_is_of_one_target_on_one_chip(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(desk_run(d, "compare bfs --set chip.sms=4 --timed bfs_expand"), 0);
	assert_int_equal(desk_run(d, "compare bfs lps --together --launches 1"), 2);
	assert_says(d, "err", "do not go with --together and --hardware");
	assert_int_equal(desk_run(d, "tune bfs --set chip.sms=4 --launches 1 --timed none"), 3);
	assert_says(d, "err", "no kernel 'none' was launched");
}

/* What the metrics leave out is what a run that is stopped there has counted. */
static void skipped_cycles_are_not_counted(void **state)
{
	static const char *const names[] = {"smsp__inst_executed.sum", "dram__bytes_read.sum",
		"lts__t_sectors_op_read.sum", "gpc__cycles_elapsed.max"};
	const struct desk *d = *state;
	json_t *whole, *left, *before;

	assert_int_equal(run(d, "", "bfs"), 0);
	whole = desk_json(d, "r.json");
	assert_int_equal(run(d, "--skip-cycles 60000", "bfs"), 0);
	left = desk_json(d, "r.json");
	assert_int_equal(json_integer_value(json_object_get(left, "skipped_cycles")), 60000);
	assert_int_not_equal(run(d, "--max-cycles 60000", "bfs"), 0);
	before = desk_json(d, "r.json");
	for (unsigned i = 0; i < ARRAY_LEN(names); i++) {
		assert_true(json_metric(before, names[i]) > 0);
		assert_int_equal(json_metric(left, names[i]) + json_metric(before, names[i]),
			json_metric(whole, names[i]));
	}
	json_decref(whole);
	json_decref(left);
	json_decref(before);
	assert_int_equal(desk_run(d, "run bfs --set chip.sms=4 --skip-cycles 60000"), 0);
	assert_says(d, "out", "The run's figures are those from cycle 60000 on");
	assert_int_equal(run(d, "--skip-cycles 10000000", "bfs"), 3);
	assert_says(d, "err", "--skip-cycles 10000000: the run has");
	assert_int_equal(run(d, "--skip-cycles 1 --sample auto", "bfs"), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chosen_launches_run_in_time_and_the_check_passes),
		cmocka_unit_test(a_region_of_all_launches_changes_no_byte),
		cmocka_unit_test(choices_that_no_launch_meets_are_named),
		cmocka_unit_test(skipped_cycles_are_not_counted),
		cmocka_unit_test(a_sweep_keeps_regions_apart),
		cmocka_unit_test(a_region_is_of_one_target_on_one_chip),
	};

	return cmocka_run_group_tests(tests, desk_set_up, desk_tear_down);
}
