/* warpbeam reproduce --all by several processes, with stand-ins of Slurm's commands. */
#include "tests/rig/rows.h"
#include "tests/rig/slurm.h"

#include <stdio.h>

#include "core/mem.h"

#ifdef HAVE_SQLITE

#define ALL "reproduce --all vectoradd --quiet "

static void tasks_of_slurm_make_the_page_of_one_process(void **state)
{
	const struct desk *p = *state;
	char *a, *b;

	assert_int_equal(desk_run(p, ALL "--html %F/local.html --out %F/local.sqlite"), 0);
	assert_int_equal(
		desk_run(p, ALL "--html %F/s.html --out %F/s.sqlite --slurm --shards 4"), 0);
	assert_same_rows(p, "local.sqlite", "s.sqlite");
	a = desk_content(p, "local.html");
	b = desk_content(p, "s.html");
	assert_string_equal(a, b);
	mem_free(a);
	mem_free(b);
	assert_says(p, "bin/calls", "--array=0-2"); /* of four shards */
	assert_says(p, "bin/script", "reproduce --all");
	assert_true(rows_count(p, "s.4-of-4.r0.sqlite", "SELECT count(*) FROM points") > 1);
}

static void what_no_task_finishes_is_told(void **state)
{
	const struct desk *p = *state;

	slurm_tool(p, "lazy", "");
	assert_int_equal(
		desk_run(p, ALL "--html %F/s.html --out %F/s.sqlite --slurm --retries 1"), 10);
	assert_says(p, "err", "runs were not finished by other processes");
	assert_says(p, "err", "the same command continues");
	assert_says(p, "s.html", "runs were not finished by other processes");
}

static void wrong_options_are_told(void **state)
{
	static const struct {
		const char *arguments;
		int code;
		const char *says;
	} wrong[] = {
		{"table1 --slurm", 2, "--shard and --slurm go with --all"},
		{"--all --shard 1/2", 2, "--shard needs --out FILE.sqlite"},
		{"--all --shard 3/2 --out %F/x", 2, "--shard 3/2: must be 1/2 .. 2/2"},
		{"--all --shard 1/2 --html %F/x --out %F/y", 2, "--shard writes no page"},
		{"--all --slurm --html %F/x", 2, "--slurm needs --out FILE.sqlite"},
	};
	const struct desk *p = *state;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		char line[128];

		snprintf(line, sizeof(line), "reproduce %s", wrong[i].arguments);
		assert_int_equal(desk_run(p, line), wrong[i].code);
		assert_says(p, "err", wrong[i].says);
		assert_false(desk_has(p, "x"));
	}
}

#define COMMAND_TEST(f) cmocka_unit_test_setup_teardown(f, slurm_set_up, desk_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		COMMAND_TEST(tasks_of_slurm_make_the_page_of_one_process),
		COMMAND_TEST(what_no_task_finishes_is_told),
		COMMAND_TEST(wrong_options_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	return 0;
}

#endif
