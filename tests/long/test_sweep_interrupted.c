/* Shards of a sweep that are interrupted: signals, full disks, two at a time. */
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

/* ---- interruptions */
static void two_merges_at_once_lose_and_double_nothing(void **state)
{
	struct desk *p = *state;
	pid_t pid;

	run_local(p);
	run_shards(p);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(desk_run(p, "--version; rm -f %F/out.sqlite"), 0);
		pid = desk_start(p, "sweep --quiet --merge out.sqlite plan.1-of-2.r0.sqlite", 0);
		desk_run(p, "sweep --quiet --merge %F/out.sqlite %F/plan.2-of-2.r0.sqlite");
		desk_finish(pid);
		assert_same_rows(p, "local.sqlite", "out.sqlite");
	}
}

static void a_killed_merge_leaves_all_or_nothing(void **state)
{
	struct desk *p = *state;

	run_local(p);
	run_shards(p);
	for (useconds_t wait_us = 1000; wait_us < 40000; wait_us += 3000) {
		pid_t pid = desk_start(p,
			"sweep --quiet --merge out.sqlite plan.1-of-2.r0.sqlite "
			"plan.2-of-2.r0.sqlite",
			0);
		int n;

		usleep(wait_us);
		kill(pid, SIGKILL);
		desk_finish(pid);
		if (!desk_has(p, "out.sqlite"))
			continue;
		n = rows_count(p, "out.sqlite", "SELECT count(*) FROM points");
		assert_int_equal(n, POINTS);
		assert_int_equal(desk_run(p, "--version; rm -f %F/out.sqlite*"), 0);
	}
	assert_int_equal(desk_run(p, "sweep --quiet --merge %F/out.sqlite " PARTS), 0);
	assert_same_rows(p, "local.sqlite", "out.sqlite");
}

static void a_full_disk_leaves_no_file_and_an_old_one_as_it_was(void **state)
{
	static const char merge[] = "sweep --quiet --merge out.sqlite plan.1-of-2.r0.sqlite "
				    "plan.2-of-2.r0.sqlite";
	struct desk *p = *state;

	run_local(p);
	run_shards(p);
	assert_int_equal(desk_finish(desk_start(p, merge, 100000)), 9);
	assert_says(p, "err", "out.sqlite: ");
	assert_int_equal(desk_run(p, "--version; ! ls %F/out.sqlite*"), 0);
	assert_int_equal(
		desk_run(p, "sweep --quiet --merge %F/out.sqlite %F/plan.1-of-2.r0.sqlite"), 10);
	assert_int_equal(desk_finish(desk_start(p, merge, 150000)), 9);
	assert_int_equal(rows_count(p, "out.sqlite", "SELECT count(*) FROM points"), POINTS / 2);
	assert_int_equal(desk_run(p, "sweep --quiet --merge %F/out.sqlite " PARTS), 0);
	assert_same_rows(p, "local.sqlite", "out.sqlite");
}

/* Once the first point runs. */
static void send_notice(const struct desk *p, pid_t pid, const char *part)
{
	bool runs = false;

	while (!desk_has(p, part))
		usleep(1000);
	while (!runs) {
		char *told;

		kill(pid, SIGUSR1);
		usleep(1000);
		told = desk_content(p, "err");
		runs = strstr(told, ", 1 running");
		mem_free(told);
	}
	kill(pid, SIGTERM);
}

static void on_sigterm_running_points_may_end(void **state)
{
	struct desk *p = *state;
	pid_t pid;
	char says[64];
	int n;

	assert_int_equal(desk_run(p, "sweep vectoradd --over chip.sms=1..16 --quiet "
				     "--plan %F/plan.json --shards 1"),
		0);
	pid = desk_start(p, "sweep --plan plan.json --shard 1/1 --jobs 1 --grace 1000", 0);
	send_notice(p, pid, "plan.1-of-1.r0.sqlite");
	assert_int_equal(desk_finish(pid), 10);
	n = rows_count(p, "plan.1-of-1.r0.sqlite", "SELECT count(*) FROM points");
	assert_in_range(n, 1, 15);
	snprintf(says, sizeof(says), "points: %d of 16 are in plan.1-of-1.r0.sqlite;", n);
	assert_says(p, "err", "interrupted: the runs were ended");
	assert_says(p, "err", says);
	pid = desk_start(p, "sweep --plan plan.json --shard 1/1 --jobs 1", 0);
	send_notice(p, pid, "plan.1-of-1.r1.sqlite");
	assert_int_equal(desk_finish(pid), 10);
	assert_int_equal(
		rows_count(p, "plan.1-of-1.r1.sqlite", "SELECT count(*) FROM failures"), 0);
}

#define COMMAND_TEST(f) cmocka_unit_test_setup_teardown(f, desk_set_up, desk_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		COMMAND_TEST(two_merges_at_once_lose_and_double_nothing),
		COMMAND_TEST(a_killed_merge_leaves_all_or_nothing),
		COMMAND_TEST(a_full_disk_leaves_no_file_and_an_old_one_as_it_was),
		COMMAND_TEST(on_sigterm_running_points_may_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	return 0;
}

#endif
