/* warpbeam diff: what changed between two reports, the weightiest first, and its messages. */
#include "core/file.h"
#include "core/text.h"
#include "runs/results/results.h"
#include "tests/rig/rows.h"
#include "tests/rig/support_cli.h"

#include <stdio.h>
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
	assert_int_equal(desk_run(d, "diff %F/a.json %F/b.json"), 0);
	assert_says(d, "out", "\ncycles: 22,987, then ");
	assert_says(d, "out", "x as fast\n\ntime ");
	assert_says(d, "out", "\nfaulty gpc__cycles_elapsed.max ");
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

static void kernels_are_called_as_in_their_source(void **state)
{
	const struct desk *d = *state;

	make(d, "run", "%S/steps.yaml", "a.json");
	make(d, "run", "%S/steps.yaml --set l2.hit_cycles=200", "b.json");
	assert_int_equal(desk_run(d, "diff %F/a.json %F/b.json"), 0);
	assert_says(d, "out", "\nns::step gpc__cycles_elapsed.max ");
	assert_says(d, "out", "\ngather gpc__cycles_elapsed.max ");
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
	wrong(d, "%F/run.json", 2, "diff needs A B");
	wrong(d, "%F/run.json %F/absent.json", 3, "absent.json: No such file or directory");
	wrong(d, "%F/run.json absent", 2, "absent");
	write_file(d, "words.json", "cycles: 7");
	wrong(d, "%F/run.json %F/words.json", 3, "must be a report that run or profile wrote");
	wrong(d, "%F/run.json %F/profile.json", 3, "both must be of one command");
	write_file(d, "other.json", "{\"schema\": 7, \"metrics\": {}}");
	wrong(d, "%F/run.json %F/other.json", 3, "its schema is not 1");
	write_file(d, "empty.json", "{\"schema\": 1}");
	wrong(d, "%F/run.json %F/empty.json", 3, "has neither metrics nor a profile");
	wrong(d, "%F/run.json %F/run.json --json %F/run.json", 2, "run.json");
	wrong(d, "%F/run.json %F/run.json --set l2.bytes=0", 2, "is run now");
	wrong(d, "vectoradd %F/run.json --against l2.bytes=0", 2, "run.json is none");
}

#ifdef HAVE_SQLITE
/* ---- files of results */
static void same(const struct desk *d, const char *a, const char *b)
{
	json_t *x = desk_json(d, a), *y = desk_json(d, b);

	assert_true(json_array_size(json_object_get(x, "settings")) > 0);
	assert_true(json_equal(json_object_get(x, "settings"), json_object_get(y, "settings")));
	assert_true(json_equal(json_object_get(x, "tables"), json_object_get(y, "tables")));
	assert_true(
		json_equal(json_object_get(x, "build_before"), json_object_get(y, "build_before")));
	json_decref(x);
	json_decref(y);
}

#define FAULTY "%S/../advice/camping_faulty.yaml"
#define OTHER "chip.slice_hash=scatter"

static void a_profile_is_read_from_its_tables(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(
		desk_run(d, "profile " FAULTY " --quiet --json %F/a.json --sqlite %F/a.db"), 0);
	assert_int_equal(desk_run(d, "profile " FAULTY " --set " OTHER
				     " --quiet --json %F/b.json --sqlite %F/b.db"),
		0);
	assert_int_equal(desk_run(d, "diff %F/a.json %F/b.json --quiet --json %F/of_json"), 0);
	assert_int_equal(desk_run(d, "diff %F/a.db %F/b.db --quiet --json %F/of_tables"), 0);
	assert_int_equal(desk_run(d, "diff %F/a.json %F/b.db --quiet --json %F/of_both"), 0);
	same(d, "of_json", "of_tables");
	same(d, "of_json", "of_both");
	wrong(d, "%F/a.db@1 %F/b.db", 3, "a profile has one run, without a point");
}

static void works_are_run_and_profiled(void **state)
{
	const struct desk *d = *state;

	make(d, "profile", FAULTY, "a.json");
	make(d, "profile", FAULTY " --set " OTHER, "b.json");
	assert_int_equal(desk_run(d, "diff %F/a.json %F/b.json --quiet --json %F/of_json"), 0);
	assert_int_equal(
		desk_run(d, "diff " FAULTY " " FAULTY " --against " OTHER " --json %F/of_works"),
		0);
	assert_says(d, "out", "camping_faulty.yaml with chip.slice_hash=scatter\n");
	assert_int_equal(
		desk_run(d, "diff %F/a.json " FAULTY " --set " OTHER " --quiet --json %F/of_both"),
		0);
	same(d, "of_json", "of_works");
	same(d, "of_json", "of_both");
}

/* The point of 64 B/ns gets a key that is known. */
#define RENAMED(table) \
	"UPDATE " table " SET point = 'a64' WHERE point = (SELECT point FROM settings WHERE " \
	"path = 'chip.bytes_per_ns' AND value = 64);"
#define SWEPT "sweep vectoradd --set vectoradd.n=4096 --quiet --out %F/q.db --over "

static void a_run_is_chosen_from_those_of_a_sweep(void **state)
{
	const struct desk *d = *state;
	json_t *j;

	assert_int_equal(desk_run(d, SWEPT "chip.bytes_per_ns=64"), 0);
	make(d, "run", "vectoradd --set vectoradd.n=4096", "run.json");
	make(d, "run", "vectoradd --set vectoradd.n=4096 --set chip.bytes_per_ns=64", "slow.json");
	assert_int_equal(desk_run(d, "diff %F/q.db %F/slow.json --quiet --json %F/d"), 0);
	j = desk_json(d, "d");
	assert_int_equal(json_array_size(json_object_get(j, "settings")), 0);
	assert_int_equal(
		json_array_size(json_object_get(json_object_get(j, "tables"), "metrics")), 0);
	assert_int_equal(
		json_array_size(json_object_get(json_object_get(j, "tables"), "launches")), 0);
	json_decref(j);
	assert_int_equal(
		desk_run(d, "diff %F/q.db vectoradd --set vectoradd.n=4096 --quiet --json %F/d"),
		0);
	j = desk_json(d, "d");
	find(json_object_get(json_object_get(j, "tables"), "metrics"), NULL,
		"gpc__cycles_elapsed.max");
	json_decref(j);
	assert_int_equal(desk_run(d, SWEPT "chip.bytes_per_ns=64,128"), 0);
	wrong(d, "%F/q.db %F/run.json", 3, "has 2 runs: choose one as ");
	assert_says(d, "err", "(vectoradd chip.bytes_per_ns=64");
	wrong(d, "%F/q.db@zz %F/run.json", 3, "has no run whose point begins with zz");
	rows_change(d, "q.db",
		RENAMED("points") RENAMED("metrics") RENAMED("launches") RENAMED("settings"));
	assert_int_equal(desk_run(d, "diff %F/q.db@a6 %F/slow.json --quiet --json %F/d"), 0);
	assert_says(d, "d", "\"metrics\": []");
}

static void put_byte(const struct desk *d, const char *name, long at, int byte)
{
	struct text path = {0};
	FILE *f;

	text_add(&path, "%s/%s", d->folder, name);
	f = fopen(text_str(&path), "r+b");
	assert_non_null(f);
	assert_int_equal(fseek(f, at, SEEK_SET), 0);
	assert_int_equal(fputc(byte, f), byte);
	fclose(f);
	text_clear(&path);
}

/* Bytes 60 to 63 of an SQLite file are user_version, 68 to 71 application_id. */
static void other_files_of_results_are_refused(void **state)
{
	const struct desk *d = *state;
	struct text path = {0};
	struct err err = {0};

	make(d, "profile", "vectoradd --set vectoradd.n=4096 --sqlite %F/a.db", "p.json");
	text_add(&path, "%s/none.db", d->folder);
	results_close(results_open(NULL, text_str(&path), &err));
	text_clear(&path);
	wrong(d, "%F/none.db %F/a.db", 3, "none.db: has no run");
	wrong(d, "%F/a.db %F/absent.db", 3, "absent.db: No such file or directory");
	put_byte(d, "a.db", 63, 9);
	wrong(d, "%F/a.db %F/p.json", 3, "tables are of version 9, ours of version 1");
	put_byte(d, "a.db", 68, 1);
	wrong(d, "%F/a.db %F/p.json", 3, "not one of profile, sweep or reproduce");
	write_file(d, "broken.db", "SQLite format 3");
	put_byte(d, "broken.db", 15, 0);
	put_byte(d, "broken.db", 200, 'x');
	wrong(d, "%F/broken.db %F/p.json", 3, "broken.db: is not an SQLite file");
}

#endif
#define TEST(f) cmocka_unit_test_setup_teardown(f, desk_set_up, desk_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(lines_and_settings_that_changed_are_told),
		TEST(kernels_are_called_as_in_their_source),
		TEST(equal_reports_have_no_change),
#ifdef HAVE_SQLITE
		TEST(a_profile_is_read_from_its_tables),
		TEST(works_are_run_and_profiled),
		TEST(a_run_is_chosen_from_those_of_a_sweep),
		TEST(other_files_of_results_are_refused),
#endif
		TEST(wrong_input_has_one_clear_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
