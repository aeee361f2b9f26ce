/* reproduce --readings: each reading is the run that its settings ask for. */
#include "core/base.h"
#include "tests/rig/support_cli.h"

#include <string.h>

#define FIGURE "reproduce table6 needle --set needle.n=128 --quiet "

static json_t *row_named(json_t *report, const char *text)
{
	json_t *row;
	size_t i;

	json_array_foreach(json_object_get(report, "rows"), i,
		row) if (!strcmp(json_text(row, "text"), text)) return row;
	fail_msg("no row '%s'", text);
	return NULL;
}

static double in_case(json_t *report, const char *text, size_t k)
{
	return json_number_value(
		json_array_get(json_object_get(row_named(report, text), "ours"), k));
}

static void readings_are_runs_with_their_settings(void **state)
{
	static const char *const rows[] = {"needle: speed, 128 KB", "needle: speed, 384 KB"};
	const struct desk *d = *state;
	json_t *readings, *plain;

	assert_int_equal(desk_run(d, FIGURE "--readings --json %F/readings.json"), 0);
	assert_int_equal(desk_run(d, FIGURE "--json %F/plain.json"), 0);
	readings = desk_json(d, "readings.json");
	plain = desk_json(d, "plain.json");
	assert_int_equal(json_array_size(json_object_get(readings, "cases")), 9);
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		double stated =
			json_number_value(json_object_get(row_named(plain, rows[i]), "ours"));

		assert_true(stated > 0);
		assert_true(in_case(readings, rows[i], 0) == stated);
		assert_true(in_case(readings, rows[i], 3) != stated);
		/* autotuned: no slower than as many threads as fit */
		assert_true(in_case(readings, rows[i], 7) >= in_case(readings, rows[i], 0));
		assert_true(in_case(readings, rows[i], 2) != in_case(readings, rows[i], 0));
	}
	json_decref(readings);
	json_decref(plain);
}

static void what_readings_do_not_go_with(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(desk_run(d, "reproduce fig9 --readings --html %F/page.html"), 2);
	assert_says(d, "err", "--html and --svg go without --readings");
	assert_int_equal(desk_run(d, "reproduce --all --readings --html %F/page.html"), 2);
	assert_says(d, "err", "--readings and --why go with one table or paper");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, desk_set_up, desk_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(readings_are_runs_with_their_settings),
		TEST(what_readings_do_not_go_with),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
