/* A CUDA program as the work of run, exec, profile, compare, tune and sweep (their rows:
 * tests/long/test_cuda_rows.c). */
#include "tests/rig/support_cuda.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
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

static void a_program_without_launches_is_profiled(void **state)
{
	assert_int_equal(desk_run(*state, "profile -- %F/app idle"), 0);
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

/* As by the command cuda: a fault is the program's to hear of, in a run and without time. */
static void a_fault_does_not_end_the_program(void **state)
{
	static const char *const commands[] = {"run --quiet", "exec --quiet", "cuda --quiet"};
	const struct desk *d = *state;
	char command[64];

	for (unsigned i = 0; i < ARRAY_LEN(commands); i++) {
		snprintf(command, sizeof(command), "%s -- %%F/app outside", commands[i]);
		assert_int_equal(desk_run(d, command), 6);
		assert_says(d, "out",
			"wait: cudaErrorIllegalAddress\nmalloc: cudaErrorIllegalAddress\n"
			"last: cudaErrorIllegalAddress\n");
	}
}

/* A point is found again until the program, or a file among its arguments, has changed. */
static void a_sweep_runs_again_when_an_argument_file_has_changed(void **state)
{
	static const struct {
		const char *before, *words;
	} rows[] = {{"printf a >%s/in", "0 of them before"}, {"true %s", "1 of them before"},
		{"printf b >%s/in", "0 of them before"}, {"printf a >%s/in", "1 of them before"},
		{"printf x >>%s/app", "0 of them before"}};
	const struct desk *d = *state;
	char command[128];

	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		snprintf(command, sizeof(command), rows[i].before, d->folder);
		assert_int_equal(system(command), 0);
		assert_int_equal(
			desk_run(d,
				"sweep --over chip.sms=1 --out %F/o.db -- %F/app one %F/in %F /none"),
			0);
		assert_says(d, "out", rows[i].words);
	}
}

/* In the report of a run, and without time. */
static void json_has_the_words_of_the_program(void **state)
{
	static const char *const commands[] = {"run", "exec", "cuda"};
	const struct desk *d = *state;
	char command[128];

	for (unsigned i = 0; i < ARRAY_LEN(commands); i++) {
		json_t *j, *words;

		snprintf(command, sizeof(command),
			"%s --quiet --json %%F/r.json -- %%F/app one 'a b'", commands[i]);
		assert_int_equal(desk_run(d, command), 0);
		j = desk_json(d, "r.json");
		assert_null(json_object_get(json_object_get(j, "command"), "scenario"));
		words = json_object_get(json_object_get(j, "command"), "program");
		assert_int_equal(json_array_size(words), 3);
		assert_string_equal(json_string_value(json_array_get(words, 2)), "a b");
		json_decref(j);
	}
}

/* The first is a file or a program whose words end at the next "--". */
static void diff_runs_programs(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(desk_run(d, "profile --quiet --json %F/a.json -- %F/app one 'a b'"), 0);
	assert_int_equal(desk_run(d, "diff %F/a.json -- %F/app one 'a b'"), 0);
	assert_says(d, "out", "/app one a\\ b\n");
	assert_says(d, "out", "no change");
	assert_int_equal(
		desk_run(d, "diff --quiet --json %F/d.json -- %F/app one -- %F/app many"), 0);
	assert_says(d, "d.json", "\"count\": \"executed\"");
	assert_int_equal(desk_run(d, "diff -- %F/app one"), 2);
	assert_says(d, "err", "diff needs A B");
	assert_int_equal(desk_run(d, "diff %F/a.json -- %F/app status 3"), 1);
}

/* The PTX is in the program, or in what was recorded of it, and in no file. */
static void a_profile_has_the_lines_of_ptx(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(desk_run(d, "profile -- %F/app one"), 0);
	assert_says(d, "out", "    st.global.u32 [%a], %f;  -> ");
	assert_int_equal(desk_run(d, "run --quiet --record %F/rec -- %F/app one"), 0);
	assert_int_equal(desk_run(d, "profile %F/rec --html %F/p.html"), 0);
	assert_says(d, "out", "    st.global.u32 [%a], %f;  -> ");
	assert_says(d, "p.html", "st.global.u32 [%a], %f;");
	assert_int_equal(desk_run(d, "explain %F/rec --kernel fill"), 0);
	assert_says(d, "out", "kernel fill (");
}

static void put_source(const struct desk *d, time_t second)
{
	const struct timespec times[2] = {{.tv_sec = second}, {.tv_sec = second}};
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/k.cu", d->folder);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs("first\nsecond line\n", f) >= 0);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* A program that is older than its source was compiled from another one. */
static void a_source_that_the_program_is_not_of_is_not_shown(void **state)
{
	const struct desk *d = *state;
	const char *kernel = strstr(cuda_ptx, ".visible .entry fill");
	const char *load = strstr(cuda_ptx, "\tld.global");
	char ptx[2000];

	snprintf(ptx, sizeof(ptx), "%.*s.file 1 \"%s/k.cu\"\n%.*s.loc 1 2 0\n%s",
		(int)(kernel - cuda_ptx), cuda_ptx, d->folder, (int)(load - kernel), kernel, load);
	cuda_put_fatbin(d, ptx, PACK_PLAIN);
	cuda_build(d, "program.c", "libcudart.so.13");
	put_source(d, 1000000);
	assert_int_equal(desk_run(d, "profile -- %F/app one"), 0);
	assert_says(d, "out", "/k.cu:2  second line\n");
	put_source(d, time(NULL) + 10);
	assert_int_equal(desk_run(d, "profile -- %F/app one"), 0);
	assert_says(d, "out", "/k.cu is newer than the PTX: its text is not shown");
	assert_says(d, "out", "/k.cu:2  \n");
}

/* Without a run; its launches only with one. */
static void explain_and_occupancy_take_programs(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(desk_run(d, "explain %F/app.fatbin --kernel fill"), 0);
	assert_says(d, "out", "kernel fill (");
	assert_int_equal(desk_run(d, "explain -- %F/app.fatbin one 2"), 0);
	assert_says(d, "out", "kernel spin (");
	assert_int_equal(desk_run(d, "explain %F/app.fatbin --kernel fil"), 2);
	assert_says(d, "err", "has no kernel 'fil'; there is 'fill'");
	assert_int_equal(desk_run(d, "occupancy %F/app.fatbin"), 2);
	assert_says(d, "err", "needs --block X");
	assert_int_equal(desk_run(d, "occupancy %F/app.fatbin --block 64"), 0);
	assert_says(d, "out", "spin: CTAs of 64 threads");
	assert_int_equal(desk_run(d, "occupancy -- %F/app one"), 0);
	assert_says(d, "out", "fill: CTAs of 32 threads");
	assert_int_equal(desk_run(d, "occupancy --block 64 -- %F/app one"), 2);
	assert_says(d, "err", "has launches");
	assert_int_equal(desk_run(d, "occupancy /bin/true --block 64"), 3);
	assert_says(d, "err", "no section .nv_fatbin");
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
	pid_t program, pid = cuda_start(d, "run --set chip.sms=1 -- ./app spin", &program);

	kill(pid, SIGINT);
	assert_int_equal(desk_finish(pid), 10);
	assert_int_equal(kill(program, 0), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, desk_tear_down)
		TEST(run_reports_what_the_command_cuda_does),
		TEST(a_program_without_launches_is_profiled),
		TEST(words_of_the_command_line_reach_the_program),
		TEST(how_a_program_ends_is_the_commands_exit_code),
		TEST(a_fault_does_not_end_the_program),
		TEST(a_sweep_runs_again_when_an_argument_file_has_changed),
		TEST(json_has_the_words_of_the_program),
		TEST(diff_runs_programs),
		TEST(a_profile_has_the_lines_of_ptx),
		TEST(a_source_that_the_program_is_not_of_is_not_shown),
		TEST(explain_and_occupancy_take_programs),
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
