/* Twelve well-tuned kernels (tests/advice/tuned/tuned.txt): each keeps a unit near its peak, and no
 * advice on it promises more than 5 %. */
#include "core/text.h"
#include "tests/rig/support_cli.h"

#include <stdio.h>
#include <string.h>

#define KERNELS WARPBEAM_SRCDIR "/tests/advice/tuned/tuned.txt"
#define MOST 1.05

static json_t *result_of(const struct desk *d, const char *command, const char *kernel)
{
	struct text line = {0};

	text_add(
		&line, "%s %%S/../advice/tuned/%s.yaml --quiet --json %%F/r.json", command, kernel);
	if (desk_run(d, text_str(&line)))
		fail_msg("warpbeam %s: %s", text_str(&line), desk_content(d, "err"));
	text_clear(&line);
	return desk_json(d, "r.json");
}

static double pct_of(json_t *report, const char *unit)
{
	json_t *row;
	size_t i;

	json_array_foreach(json_object_get(report, "speed_of_light"), i, row)
	{
		if (!strcmp(json_string_value(json_object_get(row, "unit")), unit))
			return json_number_value(json_object_get(row, "pct"));
	}
	fail_msg("no unit %s", unit);
	return 0;
}

static void check_promises(json_t *report, const char *kernel)
{
	json_t *row, *advice = json_object_get(report, "advice");
	size_t i;

	assert_true(json_is_array(advice));
	json_array_foreach(advice, i, row)
	{
		double gain = json_number_value(json_object_get(row, "estimated_speedup"));

		if (gain > MOST)
			fail_msg("%s: %s promises %.3f", kernel,
				json_string_value(json_object_get(row, "rule")), gain);
	}
}

static unsigned check_kernel(const struct desk *d, const char *line)
{
	char kernel[32], unit[32];
	double least;
	json_t *j;

	if (sscanf(line, "%31s %31s %lf", kernel, unit, &least) != 3)
		return 0;
	j = result_of(d, "run", kernel);
	if (pct_of(j, unit) < least)
		fail_msg("%s: %s is at %.1f %% of its peak", kernel, unit, pct_of(j, unit));
	json_decref(j);
	j = result_of(d, "profile", kernel);
	check_promises(j, kernel);
	json_decref(j);
	return 1;
}

static void none_gets_advice_that_promises_much(void **state)
{
	FILE *f = fopen(KERNELS, "r");
	char line[200];
	unsigned n = 0;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		n += line[0] != '#' ? check_kernel(*state, line) : 0;
	fclose(f);
	assert_int_equal(n, 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(
		none_gets_advice_that_promises_much, desk_set_up, desk_tear_down)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
