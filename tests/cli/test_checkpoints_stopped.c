/* Runs that are stopped or killed, and go on from the checkpoint that they left. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/mem.h"
#include "tests/rig/support_cli.h"

/* A run's command, with its two files. */
static void run_to(const struct desk *d, const char *target, const char *name, const char *more)
{
	char command[512];

	snprintf(command, sizeof(command), "run %s --quiet --json %%F/%s.json --csv %%F/%s.csv %s",
		target, name, name, more);
	assert_int_equal(desk_run(d, command), 0);
}

static void assert_same_files(const struct desk *d, const char *a, const char *b)
{
	char *one = desk_content(d, a), *other = desk_content(d, b);

	assert_string_equal(one, other);
	mem_free(one);
	mem_free(other);
}

/* It runs now: until then SIGUSR2 is ignored. */
static bool wrote_one(const struct desk *d, pid_t pid)
{
	bool wrote = false;

	for (unsigned i = 0; i < 3000 && !wrote; i++) {
		char *err;

		usleep(10000);
		kill(pid, SIGUSR2);
		err = desk_has(d, "err") ? desk_content(d, "err") : NULL;
		wrote = err && strstr(err, "a checkpoint of cycle");
		mem_free(err);
	}
	return wrote;
}

static void signals_write_one(void **state)
{
	const struct desk *d = *state;
	static const char run[] = "run needle --quiet --size full --set chip.sms=4 "
				  "--checkpoint c --checkpoint-term";
	char path[128];
	pid_t pid;

	signal(SIGUSR2, SIG_IGN);
	pid = desk_start(d, run, 0);
	snprintf(path, sizeof(path), "%s/c", d->folder);
	assert_true(wrote_one(d, pid));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(kill(pid, SIGTERM), 0);
	assert_int_equal(desk_finish(pid), 10);
	assert_int_equal(
		desk_run(d, "run needle --quiet --size full --set chip.sms=4 --resume %F/c "
			    "--max-cycles 10"),
		8);
}

/* Whenever it is killed, the last complete one is there. */
static void a_killed_run_goes_on(void **state)
{
	const struct desk *d = *state;
	pid_t pid;

	run_to(d, "mergesort --set chip.sms=4", "whole", "");
	pid = desk_start(d,
		"run mergesort --quiet --set chip.sms=4 --checkpoint c --checkpoint-every 300", 0);
	for (unsigned i = 0; i < 30000 && !desk_has(d, "c"); i++)
		usleep(1000);
	kill(pid, SIGKILL);
	desk_finish(pid);
	run_to(d, "mergesort --set chip.sms=4", "again", "--resume %F/c");
	assert_same_files(d, "whole.json", "again.json");
}

static void leave(const struct desk *d, const char *format, pid_t pid, char *name, size_t n)
{
	char path[160];
	FILE *f;

	snprintf(name, n, format, (int)pid);
	snprintf(path, sizeof(path), "%s/%s", d->folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fclose(f);
}

/* Those of processes that live, and other names, stay. */
static void what_a_killed_writer_left_is_removed(void **state)
{
	const struct desk *d = *state;
	char left[32], ours[32], other[32], none[32];
	pid_t pid = desk_start(d, "list --quiet", 0);

	desk_finish(pid);
	leave(d, "c.%d-0", pid, left, sizeof(left));
	leave(d, "c.%d-0", getpid(), ours, sizeof(ours));
	leave(d, "d.%d-0", pid, other, sizeof(other));
	leave(d, "c.%d-0.json", pid, none, sizeof(none));
	assert_int_equal(desk_run(d, "run vectoradd --quiet --set chip.sms=1 --max-cycles 100 "
				     "--checkpoint %F/c"),
		8);
	assert_false(desk_has(d, left));
	assert_true(desk_has(d, ours));
	assert_true(desk_has(d, other));
	assert_true(desk_has(d, none));
}

int main(void)
{
#ifndef HAVE_ZSTD
	return 77; /* skipped: this build cannot pack them */
#endif
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(signals_write_one, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(a_killed_run_goes_on, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			what_a_killed_writer_left_is_removed, desk_set_up, desk_tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
