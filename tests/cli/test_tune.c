/* warpbeam tune as a user runs it: the curve equals runs with its settings, the best is the
 * fastest, and nothing depends on the order of the runs. */
#include "tests/rig/support_cli.h"

#include <stdio.h>
#include <string.h>

#include "core/mem.h"

static json_int_t cycles_of_run(const struct desk *d, const char *work, const char *setting)
{
	char line[512];
	json_t *report;
	json_int_t n;

	snprintf(line, sizeof(line), "run %s --set %s --json -", work, setting);
	assert_int_equal(desk_run(d, line), 0);
	report = desk_json(d, "out");
	n = json_metric(report, "gpc__cycles_elapsed.max");
	json_decref(report);
	return n;
}

static json_t *tuned(const struct desk *d, const char *work, const char *options)
{
	char line[512];

	snprintf(line, sizeof(line), "tune %s %s --json -", work, options);
	assert_int_equal(desk_run(d, line), 0);
	return desk_json(d, "out");
}

static double field(const json_t *candidate, const char *name)
{
	return json_number_value(json_object_get(candidate, name));
}

/* Every candidate by a run of its own; the best has the least cycles and is the first such. */
static void check_curve(const struct desk *d, const char *work, const char *options, size_t want)
{
	json_t *j = tuned(d, work, options), *list = json_object_get(j, "candidates"), *c;
	json_t *best = json_object_get(j, "best"), *first = NULL;
	double least = 0;
	size_t i;

	assert_int_equal(json_array_size(list), want);
	json_array_foreach(list, i, c)
	{
		const char *setting = json_text(c, "setting");

		assert_true(field(c, "cycles") == (double)cycles_of_run(d, work, setting));
		if (!first || field(c, "cycles") < least) {
			first = c;
			least = field(c, "cycles");
		}
	}
	assert_true(json_equal(first, best));
	json_decref(j);
}

static void the_curve_is_what_runs_measure(void **state)
{
	/* CTAs of 8 warps in 32 slots: 1 to 4 of them */
	check_curve(*state, "matrixmul --set matrixmul.n=64 --set chip.sms=2", "", 4);
	check_curve(*state,
		"matrixmul --set matrixmul.n=64 --set chip.sms=2 --set chip.storage=unified", "",
		4);
	/* no more than 3 at once */
	check_curve(
		*state, "matrixmul --set matrixmul.n=64 --set chip.sms=2 --set sm.ctas=3", "", 3);
	check_curve(*state,
		"lu --set lu.n=96 --set chip.storage=fermi --set "
		"storage.fermi.splits=16/48,48/16,128/0",
		"--splits", 3);
}

/* Of two kernels with CTAs of different sizes every change of either counts, down to one of each.
 */
static void one_partitioning_for_all_is_tried_as_one(void **state)
{
	json_t *j = tuned(*state,
		"lu --set lu.n=96 --set chip.sms=2 --set chip.storage=unified --set chip.partition=application",
		"");
	json_t *list = json_object_get(j, "candidates");
	size_t n = json_array_size(list);

	assert_true(n > 2);
	assert_true(field(json_array_get(list, 0), "room_threads") == 1024);
	for (size_t i = 1; i < n; i++)
		assert_true(field(json_array_get(list, i), "room_threads") <=
			    field(json_array_get(list, i - 1), "room_threads"));
	json_decref(j);
}

/* A CTA of needle has 32 threads and no more than one runs at once: all splits are as fast. */
static void of_equals_the_most_threads_are_best(void **state)
{
	json_t *j = tuned(*state,
		"needle --set needle.n=64 --set chip.storage=fermi --set "
		"storage.fermi.splits=16/48,48/16",
		"--splits");
	const json_t *best = json_object_get(j, "best");

	assert_true(field(best, "room_threads") == 160);
	json_decref(j);
}

static void who_ran_when_changes_nothing(void **state)
{
	char *first, *second;

	assert_int_equal(desk_run(*state, "tune matrixmul --set chip.sms=2 --jobs 1 --csv %F/a "
					  "--svg %F/a.svg --quiet"),
		0);
	assert_int_equal(desk_run(*state, "tune matrixmul --set chip.sms=2 --jobs 4 --csv %F/b "
					  "--svg %F/b.svg --quiet"),
		0);
	assert_says(*state, "out", "");
	first = desk_content(*state, "a");
	second = desk_content(*state, "b");
	assert_string_equal(first, second);
	assert_non_null(strstr(first, "1024,1024,sm.warps=32,"));
	mem_free(first);
	mem_free(second);
	first = desk_content(*state, "a.svg");
	second = desk_content(*state, "b.svg");
	assert_string_equal(first, second);
	assert_non_null(strstr(first, "<path"));
	mem_free(first);
	mem_free(second);
}

static void a_scenario_is_tuned_like_a_workload(void **state)
{
	assert_int_equal(desk_run(*state, "tune %S/half.yaml"), 0);
	assert_says(*state, "out", "best: threads ");
}

static void wrong_options_are_reported(void **state)
{
	static const struct {
		const char *line, *says;
		int code;
	} wrong[] = {
		{"tune", "tune needs WORKLOAD|FILE.yaml", 2},
		{"tune matrxmul", "did you mean 'matrixmul'", 2},
		{"tune lu --splits", "chip.storage is partitioned; only fermi has splits", 2},
		{"tune lu --json - --csv -", "only one of --json, --csv and --svg", 2},
		{"tune lu --set storage.partitioned.shared_bytes=1K",
			"lu: kernel 'lu_perimeter': a CTA can never fit: a CTA needs 3072 bytes of "
			"shared memory; storage.partitioned.shared_bytes is 1024",
			5},
		{"tune lu --set sm.warps=1",
			"a CTA can never fit: it needs 8 warps; an SM has 1 warp slot", 5},
		{"tune lu --set chip.storage=fermi --splits --set storage.fermi.splits=1/127",
			"a CTA needs 3072 bytes of shared memory; the split has 1 KB of it", 5},
		{"tune lu --set chip.storage=fermi --set storage.fermi.splits=16", "must be a list",
			3},
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		int code = desk_run(*state, wrong[i].line);

		if (code != wrong[i].code)
			print_error("%s: exit code %d\n", wrong[i].line, code);
		assert_int_equal(code, wrong[i].code);
		assert_says(*state, "err", wrong[i].says);
	}
}

#define COMMAND_TEST(f) cmocka_unit_test_setup_teardown(f, desk_set_up, desk_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		COMMAND_TEST(the_curve_is_what_runs_measure),
		COMMAND_TEST(one_partitioning_for_all_is_tried_as_one),
		COMMAND_TEST(of_equals_the_most_threads_are_best),
		COMMAND_TEST(who_ran_when_changes_nothing),
		COMMAND_TEST(a_scenario_is_tuned_like_a_workload),
		COMMAND_TEST(wrong_options_are_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
