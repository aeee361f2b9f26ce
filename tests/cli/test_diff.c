/* warpbeam diff: what changed between two reports, the weightiest first, and its messages. */
#include "core/file.h"
#include "core/text.h"
#include "tests/rig/support_cli.h"

#include <string.h>

static void make(const struct desk *d, const char *command, const char *run, const char *file)
{
	struct text line = {0};

	text_add(&line, "%s %s --quiet --json %%F/%s", command, run, file);
	assert_int_equal(desk_run(d, text_str(&line)), 0);
	text_clear(&line);
}

static json_t *find(json_t *rows, const char *item, const char *count)
{
	json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		const char *name = json_string_value(json_object_get(row, "item"));

		if ((!item || (name && !strcmp(name, item))) &&
			!strcmp(json_string_value(json_object_get(row, "count")), count))
			return row;
	}
	fail_msg("no row has %s %s", item ? item : "", count);
	return NULL;
}

static void lines_and_settings_that_changed_are_told(void **state)
{
	const struct desk *d = *state;
	json_t *a, *b, *j, *row, *setting;
	double last = 2;
	size_t i;

	make(d, "profile", "%S/../advice/camping_faulty.yaml", "a.json");
	make(d, "profile", "%S/../advice/camping_faulty.yaml --set chip.slice_hash=scatter",
		"b.json");
	assert_int_equal(desk_run(d, "diff %F/a.json %F/b.json --quiet --json %F/d.json"), 0);
	a = desk_json(d, "a.json");
	b = desk_json(d, "b.json");
	j = desk_json(d, "d.json");
	setting = json_array_get(json_object_get(j, "settings"), 0);
	assert_string_equal(json_string_value(json_object_get(setting, "path")), "chip.slice_hash");
	row = find(json_object_get(json_object_get(j, "tables"), "total"), NULL, "cycles");
	assert_true(json_number_value(json_object_get(row, "before")) == 22987);
	find(json_object_get(json_object_get(j, "tables"), "lines"), "faulty:24",
		"caused_long_scoreboard");
	json_array_foreach(json_object_get(json_object_get(j, "tables"), "lines"), i, row)
	{
		double weight = json_number_value(json_object_get(row, "weight"));

		assert_true(weight <= last && weight > 0);
		last = weight;
	}
	json_decref(a);
	json_decref(b);
	json_decref(j);
}

static void equal_reports_have_no_change(void **state)
{
	const struct desk *d = *state;

	make(d, "run", "vectoradd --set vectoradd.n=4096", "a.json");
	make(d, "run", "vectoradd --set vectoradd.n=4096 --threads 2 --no-pin", "b.json");
	assert_int_equal(desk_run(d, "diff %F/a.json %F/b.json"), 0);
	assert_says(d, "out", "no change");
	assert_int_equal(desk_run(d, "diff %F/a.json %F/b.json --quiet --json %F/d.json"), 0);
	assert_says(d, "d.json", "\"metrics\": []");
}

static void write_file(const struct desk *d, const char *name, const char *content)
{
	struct text path = {0};
	struct err err = {0};

	text_add(&path, "%s/%s", d->folder, name);
	assert_int_equal(file_write(NULL, text_str(&path), content, strlen(content), &err), 0);
	text_clear(&path);
}

static void wrong(const struct desk *d, const char *arguments, int code, const char *says)
{
	struct text line = {0};

	text_add(&line, "diff %s", arguments);
	assert_int_equal(desk_run(d, text_str(&line)), code);
	assert_says(d, "err", says);
	text_clear(&line);
}

static void wrong_input_has_one_clear_message(void **state)
{
	const struct desk *d = *state;

	make(d, "run", "vectoradd --set vectoradd.n=4096", "run.json");
	make(d, "profile", "vectoradd --set vectoradd.n=4096", "profile.json");
	wrong(d, "%F/run.json", 2, "diff needs A.json B.json");
	wrong(d, "%F/run.json %F/absent.json", 3, "absent.json: No such file or directory");
	wrong(d, "%F/run.json %S/transpose.yaml", 3, "must be a report that run or profile wrote");
	wrong(d, "%F/run.json %F/profile.json", 3, "both must be of one command");
	write_file(d, "other.json", "{\"schema\": 7, \"metrics\": {}}");
	wrong(d, "%F/run.json %F/other.json", 3, "its schema is not 1");
	write_file(d, "empty.json", "{\"schema\": 1}");
	wrong(d, "%F/run.json %F/empty.json", 3, "has neither metrics nor a profile");
	wrong(d, "%F/run.json %F/run.json --json %F/run.json", 2, "run.json");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, desk_set_up, desk_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(lines_and_settings_that_changed_are_told),
		TEST(equal_reports_have_no_change),
		TEST(wrong_input_has_one_clear_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
