/* warpbeam sweep: its file of results, and all interruptions. */
#include "tests/rig/rows.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base.h"
#include "core/file.h"
#include "core/mem.h"
#include "core/text.h"

#ifdef HAVE_SQLITE

#define SMALL "sweep vectoradd scalarprod --over chip.sms=2..8:*2 --over l2.bytes=0,16K "
#define SMALL_POINTS 12

/* ---- results */
static void a_point_has_what_a_run_reports(void **state)
{
	struct desk *p = *state;
	json_t *run, *sweep, *metrics;
	char sql[160];

	assert_int_equal(desk_run(p, "run vectoradd --set chip.sms=3 --json %F/run --quiet"), 0);
	assert_int_equal(desk_run(p, "sweep vectoradd --over chip.sms=3 --out %F/s.sqlite --metric "
				     "smsp__inst_executed.sum,gpc__cycles_elapsed.max --json "
				     "%F/sweep --csv %F/csv"),
		0);
	run = desk_json(p, "run");
	sweep = desk_json(p, "sweep");
	metrics = json_object_get(json_array_get(json_object_get(sweep, "points"), 0), "metrics");
	assert_int_equal(json_object_size(metrics), 2);
	assert_true(json_equal(json_object_get(metrics, "gpc__cycles_elapsed.max"),
		json_object_get(json_object_get(run, "metrics"), "gpc__cycles_elapsed.max")));
	snprintf(sql, sizeof(sql),
		"SELECT value = %lld FROM metrics WHERE name = 'gpc__cycles_elapsed.max'",
		(long long)json_metric(run, "gpc__cycles_elapsed.max"));
	assert_int_equal(rows_count(p, "s.sqlite", sql), 1);
	assert_int_equal(rows_count(p, "s.sqlite", "SELECT count(*) FROM metrics"),
		(int)json_object_size(json_object_get(run, "metrics")));
	assert_int_equal(rows_count(p, "s.sqlite", "SELECT count(*) FROM settings"),
		(int)json_array_size(json_object_get(run, "configuration")));
	assert_int_equal(
		rows_count(p, "s.sqlite", "SELECT value FROM settings WHERE path='chip.sms'"), 3);
	assert_int_equal(rows_count(p, "s.sqlite",
				 "SELECT count(*) FROM launches WHERE grid='256x1x1' AND ctas=256"),
		1);
	assert_int_equal(rows_count(p, "s.sqlite", "SELECT count(*) FROM inputs"), 1);
	assert_int_equal(rows_count(p, "s.sqlite", "SELECT wall_s > 0 FROM times"), 1);
	assert_says(p, "csv", "target,chip.sms,smsp__inst_executed.sum,gpc__cycles_elapsed.max,");
	json_decref(run);
	json_decref(sweep);
}

static void rows_do_not_depend_on_jobs(void **state)
{
	struct desk *p = *state;
	char *csv[2];

	assert_int_equal(desk_run(p, SMALL "--out %F/a.sqlite --jobs 1 --csv %F/a"), 0);
	assert_int_equal(desk_run(p, SMALL "--out %F/b.sqlite --jobs 5 --no-pin --csv %F/b"), 0);
	assert_same_rows(p, "a.sqlite", "b.sqlite");
	csv[0] = desk_content(p, "a");
	csv[1] = desk_content(p, "b");
	assert_string_equal(csv[0], csv[1]);
	mem_free(csv[0]);
	mem_free(csv[1]);
}

static void a_finished_point_is_not_run_again(void **state)
{
	struct desk *p = *state;

	assert_int_equal(desk_run(p, "sweep vectoradd --over chip.sms=2,4 --out %F/s.sqlite"), 0);
	assert_says(p, "out", "2 points: 2 done, 0 of them before; 0 failed.");
	assert_int_equal(desk_run(p, "sweep vectoradd --over chip.sms=1..4 --out %F/s.sqlite"), 0);
	assert_says(p, "out", "4 points: 4 done, 2 of them before; 0 failed.");
	assert_int_equal(desk_run(p, "sweep vectoradd --set chip.sms=4 --seed 1 --chip m12 --out "
				     "%F/s.sqlite"),
		0);
	assert_says(p, "out", "1 point: 1 done, 1 of them before;");
	assert_int_equal(rows_count(p, "s.sqlite", "SELECT count(*) FROM points"), 4);
}

static void all_that_decides_the_result_makes_a_point(void **state)
{
	struct desk *p = *state;

	assert_int_equal(desk_run(p, "sweep vectoradd --over seed=1..2 --over ptx=32,64 --over "
				     "vectoradd.n=1000,2000 --set chip.sms=2 --out %F/s.sqlite"),
		0);
	assert_says(p, "out", "8 points: 8 done, 0 of them before;");
	assert_int_equal(rows_count(p, "s.sqlite", "SELECT count(DISTINCT point) FROM metrics"), 8);
	assert_int_equal(rows_count(p, "s.sqlite",
				 "SELECT count(*) FROM points WHERE address_bits=64 AND seed=2"),
		2);
}

static void values_that_mean_the_same_run_once(void **state)
{
	struct desk *p = *state;

	assert_int_equal(desk_run(p, "sweep vectoradd --over l2.bytes=64K,65536,0x10000 --set "
				     "chip.sms=2 --out %F/s.sqlite --csv -"),
		0);
	assert_says(p, "out", "vectoradd,0x10000,");
	assert_int_equal(rows_count(p, "s.sqlite", "SELECT count(*) FROM points"), 1);
}

/* ---- failures */
static void a_failing_point_stops_no_other(void **state)
{
	struct desk *p = *state;

	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(desk_run(p, "sweep needle vectoradd --over "
					     "needle.block=16,17,18 --out %F/s.sqlite --csv -"),
			3);
		assert_says(p, "err", "needle, needle.block=17: needle.block = 17: must be 16,");
		assert_says(p, "err", "vectoradd, needle.block=16: --over: unknown parameter");
		assert_says(p, "out", "needle,17,,,,failed");
		assert_int_equal(rows_count(p, "s.sqlite", "SELECT count(*) FROM failures"), 5);
		assert_int_equal(rows_count(p, "s.sqlite",
					 "SELECT count(*) FROM points WHERE status='done'"),
			1);
		assert_int_equal(rows_count(p, "s.sqlite",
					 "SELECT count(*) FROM failures JOIN settings USING "
					 "(point) WHERE code=3 AND path='needle.block'"),
			5);
	}
}

static void write_words(const struct desk *p, const char *name, const char *words)
{
	struct err err = {0};
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", p->folder, name);
	assert_int_equal(file_write(NULL, path, words, strlen(words), &err), 0);
}

static void a_mended_scenario_leaves_no_failure(void **state)
{
	static const char good[] = "buffers: { n: { bytes: 4 } }\nlaunches:\n"
				   "  - { module: k.ptx, kernel: count, grid: 1, block: 1,"
				   " args: [{buffer: n}] }\n";
	struct desk *p = *state;
	struct err err = {0};
	char *ptx, path[600];
	size_t bytes;

	write_words(p, "s.yaml", good);
	assert_int_equal(desk_run(p, "sweep vectoradd %F/s.yaml --over chip.sms=1,2 --out "
				     "%F/s.sqlite"),
		3);
	assert_int_equal(rows_count(p, "s.sqlite", "SELECT count(*) FROM failures"), 2);
	snprintf(path, sizeof(path), "%s/kernels.ptx", p->scenarios);
	ptx = file_read(NULL, path, &bytes, ERR_INPUT, &err);
	assert_non_null(ptx);
	write_words(p, "k.ptx", ptx);
	assert_int_equal(desk_run(p, "sweep vectoradd %F/s.yaml --over chip.sms=1,2 --out "
				     "%F/s.sqlite"),
		0);
	assert_says(p, "out", "4 points: 4 done, 2 of them before; 0 failed.");
	assert_int_equal(rows_count(p, "s.sqlite", "SELECT count(*) FROM failures"), 0);
	assert_int_equal(rows_count(p, "s.sqlite", "SELECT count(*) FROM points"), 4);
	ptx[strlen(ptx) - 1] = ' '; /* other bytes are another input */
	write_words(p, "k.ptx", ptx);
	assert_int_equal(desk_run(p, "sweep %F/s.yaml --over chip.sms=1,2 --out %F/s.sqlite"), 0);
	assert_says(p, "out", "2 points: 2 done, 0 of them before; 0 failed.");
	mem_free(ptx);
}

/* ---- interruptions */
static void what_sigkill_leaves_is_whole(void **state)
{
	struct desk *p = *state;
	useconds_t wait_us = 30000;
	unsigned killed = 0;
	int code;

	assert_int_equal(desk_run(p, SMALL "--out %F/whole.sqlite"), 0);
	for (;;) {
		pid_t pid = desk_start(p, SMALL "--jobs 3 --quiet --out s.sqlite", 0);

		usleep(wait_us);
		kill(pid, SIGKILL);
		code = desk_finish(pid);
		if (!code)
			break;
		assert_int_equal(code, -SIGKILL);
		killed++;
		wait_us += 7919 * (killed % 13);
	}
	assert_true(killed > 0);
	assert_same_rows(p, "whole.sqlite", "s.sqlite");
	assert_int_equal(rows_count(p, "s.sqlite", "SELECT count(*) FROM times"), SMALL_POINTS);
}

static void sigint_keeps_what_is_finished(void **state)
{
	struct desk *p = *state;
	bool begun = false; /* earlier, nothing had run */
	int code = 0, kept = 0;

	assert_int_equal(desk_run(p, "sweep vectoradd --over chip.sms=2 --out %F/s.sqlite"), 0);
	for (useconds_t wait_us = 100000; !begun && wait_us < 30000000; wait_us *= 2) {
		pid_t pid = desk_start(p,
			"sweep vectoradd needle --size full --over chip.sms=2 --out "
			"s.sqlite",
			0);
		char *err;

		usleep(wait_us);
		kill(pid, SIGINT);
		code = desk_finish(pid);
		kept = rows_count(p, "s.sqlite", "SELECT count(*) FROM points");
		assert_true(code == 10 || code == -SIGINT);
		err = desk_content(p, "err");
		begun = strstr(err, "the same command continues");
		mem_free(err);
	}
	assert_int_equal(code, 10);
	assert_true(kept >= 1);
	assert_says(p, "err", "the same command continues");
	assert_int_equal(rows_count(p, "s.sqlite", "SELECT count(*) FROM failures"), 0);
}

static void two_sweeps_share_a_file(void **state)
{
	struct desk *p = *state;
	pid_t pid;

	assert_int_equal(desk_run(p, SMALL "--out %F/whole.sqlite"), 0);
	pid = desk_start(p, SMALL "--quiet --jobs 2 --no-pin --out s.sqlite", 0);
	assert_int_equal(desk_run(p, SMALL "--quiet --jobs 3 --no-pin --out %F/s.sqlite"), 0);
	assert_int_equal(desk_finish(pid), 0);
	assert_same_rows(p, "whole.sqlite", "s.sqlite");
	assert_int_equal(rows_count(p, "s.sqlite", "SELECT count(*) FROM times"), SMALL_POINTS);
}

static void a_full_disk_is_reported_and_costs_nothing(void **state)
{
	struct desk *p = *state;
	unsigned long limits[] = {4096, 60000, 100000};

	assert_int_equal(desk_run(p, SMALL "--out %F/whole.sqlite"), 0);
	for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
		assert_int_equal(desk_finish(desk_start(p, SMALL "--out s.sqlite", limits[i])), 9);
		assert_says(p, "err", "s.sqlite: ");
	}
	assert_says(p, "err", "the same command continues");
	assert_true(rows_count(p, "s.sqlite", "SELECT count(*) FROM points") > 0);
	assert_int_equal(desk_run(p, SMALL "--out %F/s.sqlite"), 0);
	assert_same_rows(p, "whole.sqlite", "s.sqlite");
}

/* ---- files and questions that are wrong */
static void another_file_is_left_alone(void **state)
{
	static const char version[] =
		"PRAGMA application_id = 2002940791; PRAGMA user_version = 77";
	static const char *const sqls[] = {
		"CREATE TABLE mine (a)", "PRAGMA application_id = 7", version};
	static const char *const says[] = {
		"not one of warpbeam sweep", "not one of warpbeam sweep", "by another version"};
	struct desk *p = *state;
	char *before, *after;

	for (size_t i = 0; i < ARRAY_LEN(sqls); i++) {
		write_words(p, "s.sqlite", "");
		rows_change(p, "s.sqlite", sqls[i]);
		before = desk_content(p, "s.sqlite");
		assert_int_equal(desk_run(p, "sweep vectoradd --out %F/s.sqlite"), 3);
		assert_says(p, "err", says[i]);
		after = desk_content(p, "s.sqlite");
		assert_memory_equal(before, after, 4096);
		mem_free(before);
		mem_free(after);
	}
}

#define WORDS_1K "this is a text and no file of results, but one that its owner may want to keep."

static const struct {
	const char *arguments;
	int code;
	const char *says;
} wrong[] = {
	{"", 2, "sweep needs WORKLOAD|FILE.yaml"},
	{"vectoradd", 2, "sweep needs --out FILE.sqlite"},
	{"vectorad --out %F/x", 2, "did you mean 'vectoradd'?"},
	{"vectoradd vectoradd --out %F/x", 2, "vectoradd is given twice"},
	{"vectoradd --over chip.sms --out %F/x", 2, "must have the form"},
	{"vectoradd --over chip.sms=4..2 --out %F/x", 2, "is not a range"},
	{"vectoradd --over chip.sms=1 --over chip.sms=2 --out %F/x", 2, "swept twice"},
	{"vectoradd --over chip.sms=1,2 --set chip.sms=8 --out %F/x", 2, "which is meant?"},
	{"vectoradd --over chip.smss=1,2 --out %F/x", 3, "did you mean 'chip.sms'?"},
	{"vectoradd --over chip.sms=900 --out %F/x", 3, "chip.sms = 900: must be"},
	{"vectoradd --over size=huge --out %F/x", 2, "must be small or full"},
	{"vectoradd --over ptx=33 --out %F/x", 2, "must be 32 or 64"},
	{"vectoradd --over seed=-1 --out %F/x", 2, "must be a whole number"},
	{"%S/half.yaml --over seed=1 --out %F/x", 2, "goes with workloads"},
	{"vectoradd --metric gpc__cycles --out %F/x", 2, "no such metric"},
	{"vectoradd --over seed=1..1000 --over chip.sms=1..100 --out %F/x", 2, "more than 65536"},
	{"vectoradd --out %F/x --csv - --json -", 2, "only one of"},
	{"vectoradd --out %F/no/x", 9, "no/x: cannot write: No such file"},
	{"vectoradd --out %F", 9, "cannot write: Is a directory"},
	{"vectoradd --out %F/words", 3, "words: is not an SQLite file"},
};

static void wrong_options_are_reported_and_make_no_file(void **state)
{
	struct desk *p = *state;
	struct text words = {0};

	for (unsigned i = 0; i < 20; i++)
		text_raw(&words, "%s", WORDS_1K);
	write_words(p, "words", text_str(&words));
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		char command[256];
		int code;

		snprintf(command, sizeof(command), "sweep %s", wrong[i].arguments);
		code = desk_run(p, command);
		if (code != wrong[i].code)
			print_error("%s: exit code %d\n", command, code);
		assert_int_equal(code, wrong[i].code);
		assert_says(p, "err", wrong[i].says);
		assert_says(p, "out", "");
		assert_false(desk_has(p, "x"));
	}
	assert_says(p, "words", text_str(&words));
	text_clear(&words);
}

#else

static void without_sqlite_it_says_what_is_missing(void **state)
{
	assert_int_equal(desk_run(*state, "sweep vectoradd --out %F/x"), 9);
	assert_says(*state, "err", "built without SQLite: install libsqlite3-dev");
}

#endif

#define COMMAND_TEST(f) cmocka_unit_test_setup_teardown(f, desk_set_up, desk_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
#ifdef HAVE_SQLITE
		COMMAND_TEST(a_point_has_what_a_run_reports),
		COMMAND_TEST(rows_do_not_depend_on_jobs),
		COMMAND_TEST(a_finished_point_is_not_run_again),
		COMMAND_TEST(all_that_decides_the_result_makes_a_point),
		COMMAND_TEST(values_that_mean_the_same_run_once),
		COMMAND_TEST(a_failing_point_stops_no_other),
		COMMAND_TEST(a_mended_scenario_leaves_no_failure),
		COMMAND_TEST(what_sigkill_leaves_is_whole),
		COMMAND_TEST(sigint_keeps_what_is_finished),
		COMMAND_TEST(two_sweeps_share_a_file),
		COMMAND_TEST(a_full_disk_is_reported_and_costs_nothing),
		COMMAND_TEST(another_file_is_left_alone),
		COMMAND_TEST(wrong_options_are_reported_and_make_no_file),
#else
		COMMAND_TEST(without_sqlite_it_says_what_is_missing),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
