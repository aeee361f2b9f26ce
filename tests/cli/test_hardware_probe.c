/* warpbeam hardware --probe on the stand-in for a GPU's driver. */
#include "tests/rig/standin.h"

#include "core/err.h"
#include "core/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *point_of(
	json_t *file, const char *group, const char *what, json_int_t warps, json_int_t ctas)
{
	json_t *list = json_object_get(file, "curves"), *p;
	size_t i;

	json_array_foreach(list, i, p)
	{
		if (!strcmp(json_text(p, "group"), group) && !strcmp(json_text(p, "what"), what) &&
			json_integer_value(json_object_get(p, "warps")) == warps &&
			json_integer_value(json_object_get(p, "ctas")) == ctas)
			return p;
	}
	fail_msg("no %s of %s", group, what);
	return NULL;
}

static json_t *point(json_t *file, const char *group, const char *what, json_int_t warps)
{
	return point_of(file, group, what, warps, 0);
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
	/* of each SM, as if CTAs of it were at the same time */
	assert_true(value(point_of(j, "throughput", "rcp.approx.ftz.f32", 8, 3)) ==
		    3 * value(point_of(j, "throughput", "rcp.approx.ftz.f32", 8, 1)));
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
	p = point(j, "chase", "tex", 1);
	assert_true(value(p) > 3.9 && value(p) < 4.1);
	json_decref(j);
	assert_nothing_left(d);
}

/* Without the line that says so it is like a GPU's. */
static void a_recording_of_no_gpu_is_not_replayed(void **state)
{
	static const char mark[] = "# by a stand-in for a driver, without a GPU\n";
	const struct desk *d = *state;
	char *text, *at;

	assert_int_equal(desk_run(d, "hardware --probe shared --record %F/r --quiet"), 0);
	assert_nothing_left(d);
	assert_int_equal(desk_run(d, "probe --replay %F/r"), ERR_INPUT);
	assert_one_line(d, "/r:2: was recorded by a stand-in for a driver, without a GPU");
	text = desk_content(d, "r");
	at = strstr(text, mark);
	assert_non_null(at);
	memmove(at, at + strlen(mark), strlen(at + strlen(mark)) + 1);
	assert_non_null(strstr(text, "\n# stand-in 7, "));
	desk_put(d, "r", text);
	mem_free(text);
	assert_int_equal(desk_run(d, "probe --replay %F/r"), 0);
	assert_says(d, "out", "shared memory");
}

/* Ctrl-C among the scripts: the one under way is the last, and no part of a recording is kept. */
static void an_interrupted_recording_is_not_written(void **state)
{
	const struct desk *d = *state;
	long calls, live;
	char text[24];
	json_t *j;

	assert_int_equal(desk_run(d, "hardware --probe shared --quiet"), 0);
	standin_counted(d, &calls, &live);
	snprintf(text, sizeof(text), "%ld", calls + 20);
	setenv("STANDIN_SIGNAL", text, 1);
	setenv("STANDIN_INT", "1", 1);
	assert_int_equal(desk_run(d, "hardware --probe shared --record %F/part --json %F/j"),
		ERR_INTERRUPTED);
	unsetenv("STANDIN_SIGNAL");
	unsetenv("STANDIN_INT");
	assert_one_line(d, "interrupted: not all was measured");
	assert_nothing_left(d);
	assert_false(desk_has(d, "part"));
	j = desk_json(d, "j");
	assert_non_null(json_object_get(j, "curves"));
	assert_null(json_object_get(j, "recorded"));
	json_decref(j);
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
	assert_each_call_fails_well(*state, "hardware --probe shared --quiet", 100);
}

/* NVIDIA's compiler, where it is, takes what a GPU's driver would be given. */
static void kernels_are_what_ptxas_takes(void **state)
{
	const struct desk *d = *state;
	json_t *j, *t;
	size_t i;

	if (system("ptxas --version >/dev/null 2>&1"))
		skip();
	setenv("STANDIN_PTXAS", "ptxas -arch=sm_90", 1);
	assert_int_equal(desk_run(d, "hardware --probe shared --quiet"), 0);
	assert_int_equal(desk_run(d, "hardware transpose --repeat 1 --json %F/j"), 0);
	assert_int_equal(desk_run(d, "hardware --forms setp.lt ld.mmio --json %F/f"), 0);
	unsetenv("STANDIN_PTXAS");
	j = desk_json(d, "j");
	json_array_foreach(json_object_get(j, "targets"), i, t)
		assert_true(json_is_null(json_object_get(t, "not_clocked")));
	json_decref(j);
	j = desk_json(d, "f");
	json_array_foreach(json_object_get(j, "forms"), i, t)
		assert_string_equal(json_text(t, "state"), "equal");
	json_decref(j);
}

static void words_that_name_nothing_are_wrong(void **state)
{
	const struct desk *d = *state;

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
		cmocka_unit_test(a_recording_of_no_gpu_is_not_replayed),
		cmocka_unit_test(an_interrupted_recording_is_not_written),
		cmocka_unit_test(compare_refuses_curves_of_no_gpu),
		cmocka_unit_test(failures_are_one_line_and_leave_nothing),
		cmocka_unit_test(kernels_are_what_ptxas_takes),
		cmocka_unit_test(words_that_name_nothing_are_wrong),
	};

	return cmocka_run_group_tests(tests, standin_set_up, desk_tear_down);
}
