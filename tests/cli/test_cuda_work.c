/* A CUDA program as the work of run, exec, profile, compare, tune and sweep (their rows:
 * tests/long/test_cuda_rows.c). */
#include "tests/rig/support_cuda.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base.h"
#include "core/mem.h"

#ifdef HAVE_CUDA

static int set_up(void **state)
{
	desk_set_up(state);
	cuda_put_fatbin(*state, cuda_ptx, PACK_PLAIN);
	cuda_build(*state, "program.c", "libcudart.so.13");
	return 0;
}

static void run_reports_what_the_command_cuda_does(void **state)
{
	static const char *const acts[] = {"many", "leave"};
	const struct desk *d = *state;
	char command[100], *x, *y;

	for (unsigned i = 0; i < ARRAY_LEN(acts); i++) {
		snprintf(command, sizeof(command), "cuda --quiet --csv %%F/a.csv -- %%F/app %s",
			acts[i]);
		assert_int_equal(desk_run(d, command), 0);
		snprintf(command, sizeof(command), "run --quiet --csv %%F/b.csv -- %%F/app %s",
			acts[i]);
		assert_int_equal(desk_run(d, command), 0);
		x = desk_content(d, "a.csv");
		y = desk_content(d, "b.csv");
		assert_true(strlen(x) > 1000);
		assert_string_equal(x, y);
		mem_free(x);
		mem_free(y);
	}
	assert_int_equal(
		desk_run(d,
			"run --quiet --set chip.storage=unified --set chip.partition=application "
			"-- %F/app one"),
		0);
}

static void words_of_the_command_line_reach_the_program(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(desk_run(d, "exec -- /bin/echo 'a  b' '' 'c\\d' --set"), 3);
	assert_says(d, "out", "a  b  c\\d --set\n");
	assert_says(d, "err", "made no CUDA call");
}

static void how_a_program_ends_is_the_commands_exit_code(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(desk_run(d, "exec -- %F/app status 3"), 1);
	assert_says(d, "err", "the program ended with status 3");
	assert_int_equal(desk_run(d, "compare --set chip.sms=2 -- %F/app abort"), 1);
	assert_says(d, "err", "ended by signal 6");
	assert_int_equal(desk_run(d, "run --quiet -- %F/app outside"), 6);
	assert_says(d, "err", "out-of-bounds 4-byte store to global address 0x40");
	assert_int_equal(desk_run(d, "profile -- %F/none"), 2);
	assert_says(d, "err", "/none: cannot be started: No such file");
}

static void what_a_program_cannot_be_is_refused(void **state)
{
	static const struct {
		const char *command, *words;
	} rows[] = {{"tune --concurrency -- %F/app one", "--concurrency does not take a program"},
		{"run --concurrency auto -- %F/app one", "--concurrency does not take a program"},
		{"compare --together needle -- %F/app one", "--together does not take a program"},
		{"compare --hardware m60 -- %F/app one", "--hardware does not take a program"},
		{"run --size full -- %F/app one", "a program has its own inputs"},
		{"sweep --out %F/o.db --over seed=1,2 -- %F/app one", "goes with workloads"}};
	const struct desk *d = *state;

	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		assert_int_equal(desk_run(d, rows[i].command), 2);
		assert_says(d, "err", rows[i].words);
	}
}

static void an_interrupt_leaves_no_process(void **state)
{
	const struct desk *d = *state;
	pid_t pid = desk_start(d, "run --set chip.sms=1 -- ./app spin", 0), program;
	char *out;

	usleep(300000);
	kill(pid, SIGINT);
	assert_int_equal(desk_finish(pid), 10);
	out = desk_content(d, "out");
	assert_int_equal(sscanf(out, "pid %d", &program), 1);
	assert_int_equal(kill(program, 0), -1);
	mem_free(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, desk_tear_down)
		TEST(run_reports_what_the_command_cuda_does),
		TEST(words_of_the_command_line_reach_the_program),
		TEST(how_a_program_ends_is_the_commands_exit_code),
		TEST(what_a_program_cannot_be_is_refused),
		TEST(an_interrupt_leaves_no_process),
#undef TEST
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	return 77; /* no such programs here */
}

#endif
