/* warpbeam sweep in shards: plans, parts, merging, and all that goes wrong with them. */
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
#include "runs/keys.h"

#ifdef HAVE_SQLITE

#define SMALL "sweep %S/half.yaml --over chip.sms=1..2 --over l2.bytes=0,16K,16384 "
#define POINTS 4
#define SHARD(i) "sweep --quiet --plan %F/plan.json --shard " i
#define PARTS "%F/plan.1-of-2.r0.sqlite %F/plan.2-of-2.r0.sqlite "

/* Two shards, both run. */
static void run_shards(const struct desk *p)
{
	assert_int_equal(desk_run(p, SMALL "--quiet --plan %F/plan.json --shards 2"), 0);
	assert_int_equal(desk_run(p, SHARD("2/2")), 0);
	assert_int_equal(desk_run(p, SHARD("1/2")), 0);
}

static void run_local(const struct desk *p)
{
	assert_int_equal(desk_run(p, SMALL "--quiet --out %F/local.sqlite --csv %F/local.csv"), 0);
}

static void assert_same_files(const struct desk *p, const char *a, const char *b)
{
	char *x = desk_content(p, a), *y = desk_content(p, b);

	assert_string_equal(x, y);
	mem_free(x);
	mem_free(y);
}

/* ---- plans */
static void a_plan_is_the_same_each_time(void **state)
{
	struct desk *p = *state;

	assert_int_equal(desk_run(p, SMALL "--plan %F/a --shards 3 --jobs 1"), 0);
	assert_says(p, "out", "4 points in 3 shards, each ");
	assert_int_equal(desk_run(p, SMALL "--plan %F/b --shards 3 --jobs 3"), 0);
	assert_same_files(p, "a", "b");
}

/* The cost of a shard's points, and their number. */
static json_int_t load(json_t *plan, json_int_t shard, unsigned *n)
{
	json_t *j;
	json_int_t sum = 0;
	size_t i;

	*n = 0;
	json_array_foreach(json_object_get(plan, "points"), i, j)
	{
		if (json_integer_value(json_object_get(j, "shard")) != shard)
			continue;
		sum += json_integer_value(json_object_get(j, "cost"));
		++*n;
	}
	return sum;
}

static void the_expensive_point_has_a_shard_of_its_own(void **state)
{
	struct desk *p = *state;
	json_t *plan;
	unsigned n;

	assert_int_equal(desk_run(p, "sweep needle vectoradd --set chip.sms=4 --over "
				     "l2.bytes=64K,65536 --quiet --plan %F/plan --shards 4"),
		0);
	plan = desk_json(p, "plan");
	assert_true(load(plan, 1, &n) > load(plan, 2, &n));
	assert_true(load(plan, 1, &n) > 1000);
	assert_int_equal(n, 1);
	assert_int_equal(load(plan, 4, &n), 0);
	json_decref(plan);
}

static void measured_times_are_costs(void **state)
{
	struct desk *p = *state;
	json_t *plan;
	unsigned n;

	run_local(p);
	rows_change(p, "local.sqlite",
		"UPDATE times SET wall_s = 1; UPDATE times SET wall_s = 11 WHERE point = "
		"(SELECT min(point) FROM points)");
	assert_int_equal(desk_run(p, SMALL "--plan %F/plan --shards 2 --costs %F/local.sqlite"), 0);
	assert_says(p, "out", "each 3003 to 11001 ms");
	plan = desk_json(p, "plan");
	assert_int_equal(load(plan, 1, &n), 11001);
	assert_int_equal(n, 1);
	assert_int_equal(load(plan, 2, &n), 3 * 1001);
	assert_int_equal(n, POINTS - 1);
	json_decref(plan);
}

/* ---- parts and merging */
static void merged_parts_are_the_local_sweep(void **state)
{
	struct desk *p = *state;

	run_local(p);
	run_shards(p);
	assert_int_equal(
		desk_run(p, "sweep --merge %F/out.sqlite " PARTS "--quiet --csv %F/out.csv"), 0);
	assert_same_rows(p, "local.sqlite", "out.sqlite");
	assert_same_files(p, "local.csv", "out.csv");
	assert_int_equal(rows_count(p, "out.sqlite", "SELECT count(*) FROM times"), POINTS);
	assert_int_equal(rows_count(p, "out.sqlite",
				 "SELECT count(*) FROM sqlite_master WHERE name = 'plan'"),
		0);
	/* the local sweep goes on with it */
	assert_int_equal(desk_run(p, SMALL "--out %F/out.sqlite"), 0);
	assert_says(p, "out", "6 points: 6 done, 6 of them before;");
}

static void a_requeued_shard_runs_only_what_is_left(void **state)
{
	struct desk *p = *state;

	run_local(p);
	run_shards(p);
	setenv("SLURM_RESTART_COUNT", "1", 1);
	assert_int_equal(desk_run(p, "sweep --plan %F/plan.json --shard 1/2"), 0);
	assert_says(p, "out", "shard 1 of 2: 2 points: 2 done, 2 of all before; 0 failed.\n");
	assert_false(desk_has(p, "plan.1-of-2.r1.sqlite"));
	rows_change(p, "plan.1-of-2.r0.sqlite",
		"DELETE FROM points WHERE point = (SELECT max(point) FROM points)");
	assert_int_equal(desk_run(p, "sweep --plan %F/plan.json --shard 1/2"), 0);
	unsetenv("SLURM_RESTART_COUNT");
	assert_says(p, "out", "1 of all before; 0 failed. The part is ");
	assert_int_equal(rows_count(p, "plan.1-of-2.r1.sqlite", "SELECT count(*) FROM points"), 1);
	assert_int_equal(desk_run(p, "sweep --quiet --merge %F/out.sqlite " PARTS
				     "%F/plan.1-of-2.r1.sqlite"),
		0);
	assert_same_rows(p, "local.sqlite", "out.sqlite");
}

static void each_start_has_a_part_of_its_own(void **state)
{
	struct desk *p = *state;

	assert_int_equal(
		desk_run(p, "sweep %S/half.yaml --over chip.sms=2,4 --plan %F/plan --shards 1"), 0);
	assert_int_equal(desk_run(p, "sweep --plan %F/plan --shard 1/1 --out %F/x.sqlite"), 0);
	rows_change(p, "x.r0.sqlite",
		"UPDATE points SET status = 'failed' WHERE point = (SELECT max(point) FROM points); "
		"INSERT INTO failures SELECT max(point), 9, 'host', 'the disk was away' FROM points");
	assert_int_equal(desk_run(p, "sweep --plan %F/plan --shard 1/1 --out %F/x.sqlite"), 0);
	assert_int_equal(rows_count(p, "x.r1.sqlite", "SELECT count(*) FROM points"), 1);
	/* what the host caused gives way to the later result, in any order */
	assert_int_equal(
		desk_run(p, "sweep --quiet --merge %F/new %F/x.r1.sqlite %F/x.r0.sqlite"), 0);
	assert_int_equal(rows_count(p, "new", "SELECT count(*) FROM failures"), 0);
	/* and is kept where there is none */
	assert_int_equal(desk_run(p, "sweep --quiet --merge %F/new2 %F/x.r0.sqlite"), 9);
	assert_says(p, "err", "half.yaml, chip.sms=");
	assert_says(p, "err", ": the disk was away");
	assert_int_equal(desk_run(p, "sweep --quiet --merge %F/new2 %F/x.r1.sqlite"), 0);
	assert_same_rows(p, "new", "new2");
}

static void a_damaged_part_is_left_out_by_its_shard(void **state)
{
	struct desk *p = *state;

	run_shards(p);
	assert_int_equal(desk_run(p, "--version; echo none of a file of results, but words, "
				     "words, words >%F/plan.1-of-2.r0.sqlite"),
		0);
	assert_int_equal(desk_run(p, SHARD("1/2")), 0);
	assert_says(p, "err", "note: not used: ");
	assert_says(p, "err", "r0.sqlite: is not an SQLite file");
	assert_int_equal(
		rows_count(p, "plan.1-of-2.r1.sqlite", "SELECT count(*) FROM points"), POINTS / 2);
}

static void what_is_missing_is_named(void **state)
{
	struct desk *p = *state;

	run_local(p);
	run_shards(p);
	assert_int_equal(desk_run(p, "sweep --merge %F/out.sqlite %F/plan.2-of-2.r0.sqlite"), 10);
	assert_says(p, "err", "' is missing: no part of shard 1/2 has it");
	assert_says(p, "out", "6 points: 4 done, 4 of them before; 0 failed, 2 missing.");
	assert_int_equal(rows_count(p, "out.sqlite", "SELECT count(*) FROM points"), POINTS / 2);
	assert_int_equal(
		desk_run(p, "sweep --quiet --merge %F/out.sqlite %F/plan.1-of-2.r0.sqlite"), 0);
	assert_same_rows(p, "local.sqlite", "out.sqlite");
}

static void different_results_are_an_error_that_names_the_point(void **state)
{
	struct desk *p = *state;

	assert_int_equal(
		desk_run(p, "sweep %S/half.yaml --over chip.sms=2,4 --plan %F/plan --shards 1"), 0);
	assert_int_equal(desk_run(p, "sweep --plan %F/plan --shard 1/1"), 0);
	assert_int_equal(desk_run(p, "--version; cp %F/plan.1-of-1.r0.sqlite %F/b"), 0);
	rows_change(p, "b",
		"UPDATE metrics SET value = value + 1 WHERE name = 'dram__bytes.sum' AND point = "
		"(SELECT point FROM settings WHERE path = 'chip.sms' AND value = 4)");
	assert_int_equal(
		desk_run(p, "sweep --merge %F/out.sqlite %F/b %F/plan.1-of-1.r0.sqlite"), 3);
	assert_says(p, "err", "half.yaml, chip.sms=4': ");
	assert_says(p, "err", "has other results than");
	assert_false(desk_has(p, "out.sqlite"));
}

static void failures_are_kept_with_their_messages(void **state)
{
	static const char *const sweep = "sweep vectoradd needle --over needle.block=17,18 ";
	struct desk *p = *state;
	char line[160];

	snprintf(line, sizeof(line), "%s--out %%F/local.sqlite --csv %%F/local.csv", sweep);
	assert_int_equal(desk_run(p, line), 3);
	snprintf(line, sizeof(line), "%s--plan %%F/plan.json --shards 2", sweep);
	assert_int_equal(desk_run(p, line), 0);
	assert_int_equal(desk_run(p, SHARD("1/2")), 0);
	assert_int_equal(desk_run(p, SHARD("2/2")), 0);
	assert_says(p, "err", ": must be 16, 32 or 64");
	assert_int_equal(
		desk_run(p, "sweep --quiet --merge %F/out.sqlite " PARTS "--csv %F/out.csv"), 3);
	assert_says(p, "err", "needle, needle.block=17: needle.block = 17: must be 16,");
	assert_same_rows(p, "local.sqlite", "out.sqlite");
	assert_same_files(p, "local.csv", "out.csv");
}

#define COMMAND_TEST(f) cmocka_unit_test_setup_teardown(f, desk_set_up, desk_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		COMMAND_TEST(a_plan_is_the_same_each_time),
		COMMAND_TEST(the_expensive_point_has_a_shard_of_its_own),
		COMMAND_TEST(measured_times_are_costs),
		COMMAND_TEST(merged_parts_are_the_local_sweep),
		COMMAND_TEST(a_requeued_shard_runs_only_what_is_left),
		COMMAND_TEST(each_start_has_a_part_of_its_own),
		COMMAND_TEST(a_damaged_part_is_left_out_by_its_shard),
		COMMAND_TEST(what_is_missing_is_named),
		COMMAND_TEST(different_results_are_an_error_that_names_the_point),
		COMMAND_TEST(failures_are_kept_with_their_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	return 0;
}

#endif
