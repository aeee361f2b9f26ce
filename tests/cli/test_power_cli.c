/* Power over time as a user gets it: in JSON, SQLite, traces and pages, with the run's sums. */
#include "tests/rig/markup.h"
#include "tests/rig/support_cli.h"
#include "tests/rig/trace_reader.h"

#ifdef HAVE_SQLITE
#include <sqlite3.h>
#endif
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/mem.h"

#define BFS "bfs --set bfs.n=500 --quiet "

static const char *const parts[] = {"total", "rest", "registers", "upper_registers", "shared",
	"cache", "core_leakage", "sram_leakage", "dram", "noc", "l2"};

static double metric_of(const json_t *j, const char *name)
{
	const json_t *metric = json_object_get(json_object_get(j, "metrics"), name);

	assert_non_null(metric);
	return json_number_value(json_object_get(metric, "value"));
}

static const char *named(char name[64], const char *format, const char *part)
{
	snprintf(name, 64, "%s%s", part, format);
	return name;
}

static json_int_t sum_of(const json_t *rows, const char *column)
{
	json_int_t sum = 0;
	const json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		sum += json_integer_value(json_object_get(row, column));
	}
	return sum;
}

static void intervals_sum_up_to_the_runs_energy(void **state)
{
	const struct desk *d = *state;
	json_t *j, *rows;

	assert_int_equal(desk_run(d, "run " BFS "--power --json %F/k.json"), 0);
	j = desk_json(d, "k.json");
	rows = json_object_get(j, "power_time");
	assert_true(json_array_size(rows) > 20);
	for (unsigned i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		char column[64], metric[96];

		snprintf(metric, sizeof(metric), "energy__%s.sum", parts[i]);
		assert_true((double)(int64_t)sum_of(rows, named(column, "_fj", parts[i])) / 1e6 ==
			    metric_of(j, metric));
	}
	assert_int_equal(
		sum_of(rows, "cycles"), (json_int_t)metric_of(j, "gpc__cycles_elapsed.max"));
	assert_true(metric_of(j, "energy__power.avg") ==
		    json_real_value(json_object_get(json_object_get(j, "power"), "mean_w")));
	json_decref(j);
}

static void a_warm_up_is_left_out(void **state)
{
	const struct desk *d = *state;
	json_t *j;

	assert_int_equal(desk_run(d, "run " BFS "--skip-cycles 3000 --power --json %F/k.json"), 0);
	j = desk_json(d, "k.json");
	assert_true((double)sum_of(json_object_get(j, "power_time"), "total_fj") / 1e6 ==
		    metric_of(j, "energy__total.sum"));
	json_decref(j);
}

static void without_it_nothing_of_it_is_there(void **state)
{
	const struct desk *d = *state;
	json_t *j;

	assert_int_equal(desk_run(d, "run " BFS "--json %F/k.json --html %F/page.html"), 0);
	j = desk_json(d, "k.json");
	assert_null(json_object_get(j, "power"));
	assert_null(json_object_get(j, "power_time"));
	json_decref(j);
}

/* Watts over nanoseconds are nanojoules. */
static void a_trace_has_a_counter_for_each_component(void **state)
{
	const struct desk *d = *state;
	struct read_trace t;
	char path[128];
	json_t *j;

	assert_int_equal(desk_run(d, "run " BFS "--json %F/k.json --trace %F/t"), 0);
	j = desk_json(d, "k.json");
	snprintf(path, sizeof(path), "%s/t", d->folder);
	t = read_trace(path);
	for (unsigned i = 0; i < 9; i++) { /* those in the total */
		char name[64], metric[96];
		double nj;
		unsigned track;

		snprintf(name, sizeof(name), "power: %s", parts[i]);
		snprintf(metric, sizeof(metric), "energy__%s.sum", parts[i]);
		nj = metric_of(j, metric);
		track = read_track_named(&t, "bfs", name);
		assert_true(track < t.ntracks);
		assert_true(fabs(read_integral(&t, track) - nj) <= 1e-9 * nj);
	}
	read_trace_free(&t);
	assert_int_equal(desk_run(d, "run " BFS "--trace %F/t --trace-filter sm.0"), 0);
	t = read_trace(path);
	for (unsigned i = 0; i < t.ntracks; i++)
		assert_null(strstr(t.tracks[i].name, "power"));
	read_trace_free(&t);
	json_decref(j);
}

static void a_page_has_it(void **state)
{
	const struct desk *d = *state;
	char message[400], *page;

	assert_int_equal(desk_run(d, "run " BFS "--html %F/page.html"), 0);
	page = desk_content(d, "page.html");
	assert_null(markup_wrong(page, message, sizeof(message)));
	assert_non_null(strstr(page, "<h3 id=\"power\">Power over time</h3>"));
	assert_non_null(strstr(page, "<caption>Energy by interval, nJ</caption>"));
	mem_free(page);
}

static void text_tells_the_peak(void **state)
{
	const struct desk *d = *state;
	char *out;

	assert_int_equal(desk_run(d, "run bfs --set bfs.n=500 --power"), 0);
	assert_says(d, "out", "power       peak, cycles ");
	assert_int_equal(desk_run(d, "run bfs --set bfs.n=500"), 0);
	out = desk_content(d, "out");
	assert_null(strstr(out, "peak, cycles"));
	mem_free(out);
}

#ifdef HAVE_SQLITE
static void a_profile_has_it_in_sqlite(void **state)
{
	const struct desk *d = *state;
	char path[128];
	sqlite3_stmt *q;
	sqlite3 *db;
	json_t *j;

	assert_int_equal(desk_run(d, "profile " BFS "--sqlite %F/p.sqlite --json %F/k.json"), 0);
	j = desk_json(d, "k.json");
	snprintf(path, sizeof(path), "%s/p.sqlite", d->folder);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db,
				 "SELECT sum(total_fj), sum(rest_fj + registers_fj + "
				 "upper_registers_fj + shared_fj + cache_fj + core_leakage_fj + "
				 "sram_leakage_fj + dram_fj), max(power_w), (SELECT peak_w FROM "
				 "power) FROM power_time",
				 -1, &q, NULL),
		SQLITE_OK);
	assert_int_equal(sqlite3_step(q), SQLITE_ROW);
	assert_int_equal(sqlite3_column_int64(q, 0),
		sum_of(json_object_get(json_object_get(j, "profile"), "power_time"), "total_fj"));
	assert_int_equal(sqlite3_column_int64(q, 0), sqlite3_column_int64(q, 1));
	assert_true(sqlite3_column_double(q, 2) == sqlite3_column_double(q, 3));
	sqlite3_finalize(q);
	sqlite3_close(db);
	json_decref(j);
}
#endif

/* What was stopped and went on has the same intervals as one run. */
static void a_checkpoint_has_it(void **state)
{
	const struct desk *d = *state;
	char *whole, *parts_of;

	assert_int_equal(desk_run(d, "run " BFS "--power --json %F/whole.json"), 0);
	assert_int_equal(
		desk_run(d, "run " BFS "--power --checkpoint %F/c --checkpoint-every 9000"), 0);
	assert_int_equal(desk_run(d, "run " BFS "--power --resume %F/c --json %F/parts.json"), 0);
	whole = desk_content(d, "whole.json");
	parts_of = desk_content(d, "parts.json");
	assert_string_equal(strstr(whole, "\"power_time\""), strstr(parts_of, "\"power_time\""));
	mem_free(whole);
	mem_free(parts_of);
	assert_int_equal(desk_run(d, "run " BFS "--resume %F/c"), 3);
	assert_says(d, "err", "counts of power");
}

static void only_run_has_the_option(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(desk_run(d, "profile " BFS "--power"), 2);
	assert_says(d, "err", "unknown option --power");
}

int main(void)
{
#define test(f) cmocka_unit_test_setup_teardown(f, desk_set_up, desk_tear_down)
	const struct CMUnitTest tests[] = {
		test(intervals_sum_up_to_the_runs_energy),
		test(a_warm_up_is_left_out),
		test(without_it_nothing_of_it_is_there),
		test(a_trace_has_a_counter_for_each_component),
		test(a_page_has_it),
		test(text_tells_the_peak),
#ifdef HAVE_SQLITE
		test(a_profile_has_it_in_sqlite),
#endif
		test(a_checkpoint_has_it),
		test(only_run_has_the_option),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
