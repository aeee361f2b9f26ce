/* warpbeam hardware --probe and --all on the stand-in for a GPU's driver. */
#include "tests/rig/standin.h"

#include "core/err.h"
#include "core/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *point(json_t *file, const char *group, const char *what, json_int_t warps)
{
	json_t *list = json_object_get(file, "curves"), *p;
	size_t i;

	json_array_foreach(list, i, p)
	{
		if (!strcmp(json_text(p, "group"), group) && !strcmp(json_text(p, "what"), what) &&
			json_integer_value(json_object_get(p, "warps")) == warps)
			return p;
	}
	fail_msg("no %s of %s", group, what);
	return NULL;
}

static double value(json_t *p)
{
	assert_true(json_is_number(json_object_get(p, "value")));
	return json_number_value(json_object_get(p, "value"));
}

/* The executor gives a warp instruction a cycle: 32 steps and the loop's three are 35 of 32. */
static void curves_are_slopes_of_the_clock(void **state)
{
	const struct desk *d = *state;
	json_t *j;

	assert_int_equal(
		desk_run(d, "hardware --probe latency throughput atomic --json %F/j --out %F/q"),
		0);
	j = desk_json(d, "j");
	assert_true(json_is_true(json_object_get(j, "stand_in")));
	assert_true(value(point(j, "latency", "fma.rn.f32", 1)) == 35.0 / 32);
	assert_true(value(point(j, "throughput", "fma.rn.f32", 1)) == 32 * 32 / 35.0);
	assert_true(value(point(j, "throughput", "fma.rn.f32", 32)) > 29);
	assert_true(value(point(j, "atomic", "one address", 1)) == 4);
	json_decref(j);
	assert_nothing_left(d);
}

static void a_chase_goes_round_its_footprint(void **state)
{
	const struct desk *d = *state;
	json_t *j, *p;

	assert_int_equal(desk_run(d, "hardware --probe chase shared bandwidth --json %F/j"), 0);
	j = desk_json(d, "j");
	p = point(j, "chase", "cg", 1);
	/* a load, and three instructions of the loop */
	assert_true(value(p) > 3.9 && value(p) < 4.1);
	assert_string_equal(json_text(p, "unit"), "cycles");
	json_decref(j);
	assert_nothing_left(d);
}

static void a_recording_is_what_probe_replays(void **state)
{
	const struct desk *d = *state;
	char *text;

	assert_int_equal(desk_run(d, "hardware --probe shared --record %F/r --quiet"), 0);
	assert_nothing_left(d);
	text = desk_content(d, "r");
	assert_non_null(strstr(text, "\n# stand-in 7 (a stand-in: no GPU), "));
	mem_free(text);
	assert_int_equal(desk_run(d, "probe --replay %F/r"), 0);
	assert_says(d, "out", "shared memory");
}

static void compare_refuses_curves_of_no_gpu(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(desk_run(d, "hardware --probe shared --json %F/j"), 0);
	assert_int_equal(desk_run(d, "compare --hardware %F/j --chip m12"), ERR_INPUT);
	assert_one_line(d, "was made by a stand-in for a driver, without a GPU");
}

static void failures_are_one_line_and_leave_nothing(void **state)
{
	const struct desk *d = *state;
	long calls, live, all;
	char number[24];

	assert_int_equal(desk_run(d, "hardware --probe shared --record %F/r --quiet"), 0);
	standin_counted(d, &all, &live);
	assert_true(all > 100);
	for (long at = 1; at <= all; at = at < 40 ? at + 1 : at + at / 3) {
		int code;

		snprintf(number, sizeof(number), "%ld", at);
		setenv("STANDIN_FAIL", number, 1);
		code = desk_run(d, "hardware --probe shared --record %F/r --quiet");
		standin_counted(d, &calls, &live);
		if (code != ERR_HOST || live)
			fail_msg("call %ld: exit %d, %ld objects left", at, code, live);
		assert_one_line(d, ": error 999 (CUDA_ERROR_UNKNOWN): unknown error");
	}
	unsetenv("STANDIN_FAIL");
}

/* The file has forms already, which are not run again; curves and both sizes are added. */
static void all_continues_what_its_file_has(void **state)
{
	const struct desk *d = *state;
	json_t *j, *t;
	char *first, *second;

	assert_int_equal(desk_run(d, "hardware --forms mul24 --json %F/a"), 0);
	assert_int_equal(desk_run(d, "hardware --all vectoradd --set vectoradd.n=100 --repeat 1 "
				     "--json %F/a --out %F/q"),
		0);
	assert_nothing_left(d);
	j = desk_json(d, "a");
	assert_int_equal(json_array_size(json_object_get(j, "forms")), 4);
	assert_true(json_array_size(json_object_get(j, "curves")) > 100);
	t = json_object_get(j, "targets");
	assert_int_equal(json_array_size(t), 2);
	assert_string_equal(json_text(json_array_get(t, 0), "size"), "small");
	assert_string_equal(json_text(json_array_get(t, 1), "size"), "full");
	json_decref(j);
	first = desk_content(d, "a");
	assert_int_equal(desk_run(d, "hardware --all vectoradd --set vectoradd.n=100 --repeat 1 "
				     "--json %F/a"),
		0);
	second = desk_content(d, "a");
	assert_string_equal(first, second);
	mem_free(first);
	mem_free(second);
}

static void all_refuses_other_files_and_wrong_words(void **state)
{
	const struct desk *d = *state;

	desk_put(d, "other", "{\"schema\": \"warpbeam-hardware/1\"}");
	assert_int_equal(desk_run(d, "hardware --all vectoradd --json %F/other"), ERR_INPUT);
	assert_one_line(d, "--all continues its own files only");
	assert_int_equal(desk_run(d, "hardware --all vectoradd"), ERR_USAGE);
	assert_one_line(d, "--all needs --json FILE");
	assert_int_equal(desk_run(d, "hardware --forms --probe"), ERR_USAGE);
	assert_one_line(d, "--all, --forms and --probe exclude each other");
	assert_int_equal(desk_run(d, "hardware --probe nonesuch"), ERR_USAGE);
	assert_one_line(d, "nothing is named 'nonesuch'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(curves_are_slopes_of_the_clock),
		cmocka_unit_test(a_chase_goes_round_its_footprint),
		cmocka_unit_test(a_recording_is_what_probe_replays),
		cmocka_unit_test(compare_refuses_curves_of_no_gpu),
		cmocka_unit_test(failures_are_one_line_and_leave_nothing),
		cmocka_unit_test(all_continues_what_its_file_has),
		cmocka_unit_test(all_refuses_other_files_and_wrong_words),
	};

	return cmocka_run_group_tests(tests, standin_set_up, desk_tear_down);
}
