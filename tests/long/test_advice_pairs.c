/* Pairs of kernels, faulty and fixed (tests/advice/bands.txt): the first advice on the faulty one
 * names the planted cause, and the run without that limit takes as long as the fixed kernel. */
#include "core/text.h"
#include "tests/rig/support_cli.h"

#include <stdio.h>
#include <string.h>

#define BANDS WARPBEAM_SRCDIR "/tests/advice/bands.txt"

static json_t *result_of(
	const struct desk *d, const char *command, const char *pair, const char *which)
{
	struct text line = {0};

	text_add(&line, "%s %%S/../advice/%s_%s.yaml --quiet --json %%F/r.json", command, pair,
		which);
	if (desk_run(d, text_str(&line)))
		fail_msg("warpbeam %s: %s", text_str(&line), desk_content(d, "err"));
	text_clear(&line);
	return desk_json(d, "r.json");
}

static double fixed_cycles(const struct desk *d, const char *pair)
{
	json_t *j = result_of(d, "run", pair, "fixed");
	double cycles = (double)json_metric(j, "gpc__cycles_elapsed.max");

	json_decref(j);
	return cycles;
}

/* "registers", or "registers+shared_memory". */
static void assert_limits(json_t *advice, const char *wanted)
{
	const char *also = json_string_value(json_object_get(advice, "also_limit"));
	struct text found = {0};

	text_add(&found, "%s%s%s", json_string_value(json_object_get(advice, "limit")),
		also ? "+" : "", also ? also : "");
	assert_string_equal(text_str(&found), wanted);
	text_clear(&found);
}

static unsigned check_pair(const struct desk *d, const char *line)
{
	char pair[32], limit[64];
	double low, high, proved;
	json_t *j, *first;

	if (sscanf(line, "%31s %63s %lf %lf", pair, limit, &low, &high) != 4)
		return 0;
	j = result_of(d, "profile --prove", pair, "faulty");
	first = json_array_get(json_object_get(j, "advice"), 0);
	assert_limits(first, limit);
	proved = json_number_value(json_object_get(first, "proved_cycles")) / fixed_cycles(d, pair);
	if (proved < low || proved > high)
		fail_msg("%s: without %s %.3f of the fixed kernel's cycles", pair, limit, proved);
	json_decref(j);
	return 1;
}

static void each_cause_is_named_and_proved(void **state)
{
	FILE *f = fopen(BANDS, "r");
	char line[200];
	unsigned n = 0;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		n += line[0] != '#' ? check_pair(*state, line) : 0;
	fclose(f);
	assert_int_equal(n, 41);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(
		each_cause_is_named_and_proved, desk_set_up, desk_tear_down)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
