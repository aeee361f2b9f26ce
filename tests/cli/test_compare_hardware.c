/* warpbeam compare --hardware: scores, and what is in none, of a file of results by hand. */
#include "tests/rig/support_cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/err.h"
#include "core/file.h"
#include "core/mem.h"

static void put(const struct desk *d, const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", d->folder, name);
	assert_int_equal(file_write(NULL, path, text, strlen(text), NULL), 0);
}

/* A target whose launches take 2 us of the GPU's time each, at 1 GHz. */
#define TARGET(name, set, check, launches, us) \
	"{\"target\": \"" name "\", \"size\": \"small\", \"set\": [" set "], \"code\": 0, " \
	"\"check\": \"" check "\", \"launches\": " #launches ", \"us\": {\"median\": " #us "}, " \
	"\"clock_before\": {\"mhz\": 900, \"empty_launch_us\": 2}, " \
	"\"clock_after\": {\"mhz\": 1100, \"empty_launch_us\": 3}}"
#define HEAD(stand_in) \
	"{\"schema\": \"warpbeam-hardware/1\", \"date\": \"2026-01-31\", \"seed\": 1, " \
	"\"stand_in\": " stand_in ", \"gpu\": {\"name\": \"a GPU\"}, \"targets\": ["

static const char results[] = HEAD("false") TARGET("vectoradd", "\"vectoradd.n=1000\"", "passed", 1,
	12) "," TARGET("vectoradd", "\"vectoradd.n=4000\"", "passed", 2, 10) "," TARGET("vectoradd",
	"\"vectoradd.n=40000\"", "passed", 1,
	22) "," TARGET("vectoradd", "\"vectoradd.n=2000\"", "passed", 2, 5) "," TARGET("vectoradd",
	"\"vectoradd.n=3000\"", "failed", 1, 30) "," TARGET("throughput", "", "passed", 1, 30) "]}";

static double number(json_t *j, const char *key)
{
	assert_true(json_is_number(json_object_get(j, key)));
	return json_number_value(json_object_get(j, key));
}

static void scores_are_of_cycles_without_launches(void **state)
{
	static const double cycles[] = {10000, 6000, 20000};
	const struct desk *d = *state;
	double logs = 0, errors = 0;
	json_t *j, *t;

	put(d, "gpu.json", results);
	assert_int_equal(desk_run(d, "compare --hardware %F/gpu.json --chip m12 --set chip.sms=2 "
				     "--json %F/j --svg %F/s --csv %F/c"),
		0);
	j = desk_json(d, "j");
	t = json_object_get(j, "targets");
	assert_int_equal(json_array_size(t), 6);
	for (unsigned i = 0; i < 3; i++) {
		json_t *row = json_array_get(t, i);
		double ratio = number(row, "cycles") / cycles[i];

		assert_true(fabs(number(row, "gpu_cycles") - cycles[i]) < 1e-6);
		assert_true(fabs(number(row, "ratio") - ratio) < 1e-9);
		assert_true(json_is_null(json_object_get(row, "not_scored")));
		logs += log(ratio) / 3;
		errors += 100 * fabs(ratio - 1) / 3;
	}
	assert_int_equal((int)number(j, "scored"), 3);
	assert_true(fabs(number(j, "geometric_mean_ratio") - exp(logs)) < 1e-9);
	assert_true(fabs(number(j, "mean_error_pct") - errors) < 1e-6);
	/* ours grow with n; of the GPU's 1000, 4000, 40000 elements the ranks are 2, 1, 3 */
	assert_true(fabs(number(j, "rank_correlation") - 0.5) < 1e-9);
	assert_int_equal(json_array_size(json_object_get(j, "pairs")), 3);
	assert_int_equal((int)number(j, "same_signs"), 2);
	json_decref(j);
	assert_true(desk_has(d, "s") && desk_has(d, "c"));
}

static void what_failed_is_too_short_or_calibrates_is_not_scored(void **state)
{
	static const char *const why[] = {
		"shorter than its launches", "failed on the GPU", "calibrates machines"};
	const struct desk *d = *state;
	json_t *j;

	put(d, "gpu.json", results);
	assert_int_equal(desk_run(d, "compare vectoradd throughput --hardware %F/gpu.json "
				     "--chip m12 --set chip.sms=2 --json %F/j"),
		0);
	j = desk_json(d, "j");
	for (unsigned i = 0; i < 3; i++)
		assert_string_equal(json_text(json_array_get(json_object_get(j, "targets"), 3 + i),
					    "not_scored"),
			why[i]);
	json_decref(j);
}

static void files_of_no_gpu_are_refused(void **state)
{
	const struct desk *d = *state;

	put(d, "s.json", HEAD("true") TARGET("vectoradd", "", "passed", 1, 12) "]}");
	assert_int_equal(desk_run(d, "compare --hardware %F/s.json --chip m12"), ERR_INPUT);
	assert_says(d, "err", "was made by a stand-in for a driver, without a GPU");
	put(d, "o.json", "{\"schema\": 1}");
	assert_int_equal(desk_run(d, "compare --hardware %F/o.json --chip m12"), ERR_INPUT);
	assert_says(d, "err", "is no file of warpbeam hardware --json");
	put(d, "b.json", "{\"schema\": ");
	assert_int_equal(desk_run(d, "compare --hardware %F/b.json --chip m12"), ERR_INPUT);
	put(d, "gpu.json", results);
	assert_int_equal(
		desk_run(d, "compare needle --hardware %F/gpu.json --chip m12"), ERR_INPUT);
	assert_says(d, "err", "has none of the targets");
	assert_int_equal(desk_run(d, "compare --hardware %F/gpu.json"), ERR_USAGE);
	assert_says(d, "err", "--hardware needs --chip");
	assert_int_equal(
		desk_run(d, "compare --hardware %F/gpu.json --chip m12 --together"), ERR_USAGE);
	assert_int_equal(desk_run(d, "compare"), ERR_USAGE);
}

int main(void)
{
#define test(f) cmocka_unit_test_setup_teardown(f, desk_set_up, desk_tear_down)
	const struct CMUnitTest tests[] = {
		test(scores_are_of_cycles_without_launches),
		test(what_failed_is_too_short_or_calibrates_is_not_scored),
		test(files_of_no_gpu_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
