/* warpbeam sweep --slurm, with stand-ins of Slurm's commands. tests/slurm/check runs it with Slurm
 * itself. */
#include "tests/rig/rows.h"
#include "tests/rig/slurm.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef HAVE_SQLITE

#define SWEEP "sweep %S/half.yaml --over chip.sms=1..2 --over l2.bytes=0,16K,16384 --quiet "
#define SLURM SWEEP "--slurm --out %F/s.sqlite "

static const char refusing[] = "#!/bin/sh\necho 'sbatch: error: invalid partition' >&2\n"
			       "echo 'sbatch: more' >&2\nexit 1\n";

static void run_local(const struct desk *p)
{
	assert_int_equal(desk_run(p, SWEEP "--out %F/local.sqlite"), 0);
}

/* ---- what it does */
static void a_watched_array_ends_with_the_rows_of_a_local_sweep(void **state)
{
	const struct desk *p = *state;

	run_local(p);
	assert_int_equal(desk_run(p, SLURM "--watch --partition low --time 10 --jobs 1"), 0);
	assert_same_rows(p, "local.sqlite", "s.sqlite");
	assert_says(p, "bin/calls", "show config");
	assert_says(p, "bin/calls", "--requeue");
	assert_says(p, "bin/calls", "--partition low --time 10");
	assert_says(p, "bin/calls", "--cpus-per-task=1");
	assert_says(p, "bin/calls", "--signal=B:TERM@60");
	assert_says(p, "bin/calls", "--array=0-2"); /* four shards */
	assert_says(p, "bin/script", "--grace 50");
}

static void the_same_command_goes_on_from_where_things_are(void **state)
{
	const struct desk *p = *state;

	run_local(p);
	assert_int_equal(desk_run(p, SLURM "--array-size 1 --grace 5"), 0);
	assert_says(p, "bin/calls", "--array=0-0");
	assert_says(p, "bin/calls", "--signal=B:TERM@15");
	assert_false(desk_has(p, "s.sqlite"));
	slurm_tool(p, "queue", "RUNNING\nPENDING\nPENDING\n");
	assert_int_equal(desk_run(p, "sweep %S/half.yaml --over chip.sms=1..2 --over "
				     "l2.bytes=0,16K,16384 --slurm --out %F/s.sqlite"),
		0);
	assert_says(p, "out", "points: 4 of 4 done; tasks: 1 running, 2 waiting;");
	slurm_tool(p, "queue", "");
	assert_int_equal(desk_run(p, SLURM), 0);
	assert_same_rows(p, "local.sqlite", "s.sqlite");
}

/* The second submission is of the unfinished shard only. */
static void what_the_host_failed_is_submitted_again(void **state)
{
	const struct desk *p = *state;

	run_local(p);
	assert_int_equal(desk_run(p, SLURM), 0);
	rows_change(p, "s.plan.2-of-4.r0.sqlite",
		"UPDATE points SET status = 'failed'; INSERT INTO failures SELECT point, 9, "
		"'host', 'no disk' FROM points");
	assert_int_equal(desk_run(p, SLURM "--watch"), 0);
	assert_says(p, "bin/script", "shards='2'\n");
	assert_int_equal(
		rows_count(p, "s.plan.2-of-4.r1.sqlite", "SELECT count(*) FROM points"), 1);
	assert_same_rows(p, "local.sqlite", "s.sqlite");
}

/* Of a task that ended before it had made its file a part. */
static void what_is_no_part_yet_is_left_out(void **state)
{
	const struct desk *p = *state;

	run_local(p);
	assert_int_equal(desk_run(p, SLURM), 0);
	assert_int_equal(desk_run(p, "--version; cd %F; cp s.plan.2-of-4.r0.sqlite keep; : "
				     ">s.plan.3-of-4.r7.sqlite; cp keep s.plan.2-of-4.r1.sqlite"),
		0);
	rows_change(p, "s.plan.2-of-4.r1.sqlite", "DROP TABLE plan; DELETE FROM points");
	assert_int_equal(desk_run(p, SLURM "--watch"), 0);
	assert_says(p, "err", "not used: ");
	assert_says(p, "err", "s.plan.2-of-4.r1.sqlite: is a file of results, but no part");
	assert_says(p, "err", "s.plan.3-of-4.r7.sqlite: is no file of results: it is empty");
	assert_same_rows(p, "local.sqlite", "s.sqlite");
}

static void what_no_task_finishes_is_named(void **state)
{
	const struct desk *p = *state;

	slurm_tool(p, "lazy", "");
	assert_int_equal(desk_run(p, SLURM "--watch --retries 1"), 10);
	assert_says(p, "err", "no task has written a part; ");
	assert_int_equal(desk_run(p, "sweep --quiet --plan %F/s.plan.json --shard 1/4"), 0);
	assert_int_equal(desk_run(p, SLURM "--watch --retries 0"), 10);
	assert_says(p, "err", "' is missing: no part of shard 2/4 has it");
	assert_int_equal(rows_count(p, "s.sqlite", "SELECT count(*) FROM points"), 1);
}

/* The batch shell hands the notice on, then asks to be queued again. */
static void a_notice_reaches_the_shard_and_requeues_the_task(void **state)
{
	const struct desk *p = *state;

	slurm_tool(p, "lazy", "");
	slurm_tool(p, "scontrol",
		"#!/bin/sh\necho \"$*\" >>$BIN/calls\ncase $1 in requeue) exit 1 ;; esac\n"
		"echo 'MaxArraySize = 3'\n");
	assert_int_equal(desk_run(p, SLURM), 0);
	assert_int_equal(desk_run(p, "--version; sed 's/^\\t.* sweep --quiet .* &$/\\t"
				     "sh $BIN\\/stub \\&/' $BIN/script >$BIN/changed"),
		0);
	slurm_tool(p, "stub",
		"trap 'echo noticed >>$BIN/calls; exit 10' TERM\n: >$BIN/begun\n"
		"while :; do sleep 0.01; done\n");
	assert_int_equal(desk_run(p, "--version; SLURM_JOB_ID=23 SLURM_ARRAY_TASK_ID=0 sh "
				     "$BIN/changed & while ! [ -e $BIN/begun ]; do sleep 0.01; "
				     "done; kill -TERM $!; wait $!"),
		10);
	assert_says(p, "bin/calls", "noticed\nrequeue 23\n");
}

/* ---- what is wrong */
static void what_slurm_refuses_is_one_line(void **state)
{
	const struct desk *p = *state;

	slurm_tool(p, "sbatch", refusing);
	assert_int_equal(desk_run(p, SLURM), 9);
	assert_says(p, "err", "warpbeam: sbatch: sbatch: error: invalid partition\n");
	slurm_tool(p, "scontrol", "#!/bin/sh\necho 'MaxArraySize = 0'\n");
	assert_int_equal(desk_run(p, SLURM), 9);
	assert_says(p, "err", "MaxArraySize allows no array");
	setenv("PATH", "/nowhere", 1);
	assert_int_equal(desk_run(p, SLURM), 9);
	setenv("PATH", "/usr/bin:/bin", 1);
	assert_says(p, "err", "squeue: is not on the PATH: --slurm needs Slurm's commands");
	assert_false(desk_has(p, "s.sqlite"));
}

static void another_sweep_s_plan_is_refused(void **state)
{
	static const struct {
		const char *arguments;
		int code;
		const char *says;
	} wrong[] = {
		{"sweep %S/half.yaml --over chip.sms=1..3 --slurm --out %F/s.sqlite", 3,
			"s.plan.json: is the plan of another sweep, build or number of shards"},
		{SLURM "--shards 3", 3, "is the plan of another sweep, build or number"},
		{"sweep vectoradd --slurm", 2, "--slurm needs --out FILE.sqlite"},
		{"sweep vectoradd --watch --out %F/x", 2, "--watch goes with --slurm"},
		{"sweep vectoradd --slurm --shard 1/2", 2, "only one can be given"},
		{"sweep vectoradd --slurm --array-size 0", 2, "must be a whole number, 1 .."},
	};
	const struct desk *p = *state;

	assert_int_equal(desk_run(p, SLURM), 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		assert_int_equal(desk_run(p, wrong[i].arguments), wrong[i].code);
		assert_says(p, "err", wrong[i].says);
	}
}

#define COMMAND_TEST(f) cmocka_unit_test_setup_teardown(f, slurm_set_up, desk_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		COMMAND_TEST(a_watched_array_ends_with_the_rows_of_a_local_sweep),
		COMMAND_TEST(the_same_command_goes_on_from_where_things_are),
		COMMAND_TEST(what_the_host_failed_is_submitted_again),
		COMMAND_TEST(what_is_no_part_yet_is_left_out),
		COMMAND_TEST(what_no_task_finishes_is_named),
		COMMAND_TEST(a_notice_reaches_the_shard_and_requeues_the_task),
		COMMAND_TEST(another_sweep_s_plan_is_refused),
		COMMAND_TEST(what_slurm_refuses_is_one_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	return 0;
}

#endif
