/* Recordings of CUDA programs: played without the program they give the same bytes. */
#include "tests/rig/schema.h"
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

static void shell(const struct desk *d, const char *format)
{
	char command[512];

	snprintf(command, sizeof(command), format, d->folder, d->folder, d->folder);
	assert_int_equal(system(command), 0);
}

static void assert_same(const struct desk *d, const char *a, const char *b)
{
	char *x = desk_content(d, a), *y = desk_content(d, b);

	assert_true(strlen(x) > 100);
	assert_string_equal(x, y);
	mem_free(x);
	mem_free(y);
}

/* Records it, takes the program away, and plays it. */
static void expect_played(const struct desk *d, const char *options, const char *what, int code)
{
	char command[256];

	shell(d, "rm -rf %s/rec");
	snprintf(command, sizeof(command),
		"cuda --set chip.sms=2 --quiet %s --record %%F/rec --json %%F/a --csv %%F/c -- "
		"%%F/app %s",
		options, what);
	assert_int_equal(desk_run(d, command), code);
	shell(d, "mv %s/app %s/away");
	assert_int_equal(
		desk_run(d, "run --set chip.sms=2 --quiet --json %F/b --csv %F/e %F/rec"), code);
	shell(d, "mv %s/away %s/app");
	assert_same(d, "a", "b");
	assert_same(d, "c", "e");
}

static void a_recording_gives_the_same_bytes_without_the_program(void **state)
{
	const struct desk *d = *state;

	expect_played(d, "", "plain", 0);
	expect_played(d, "--untimed", "many", 0);
	expect_played(d, "--timed fill:2", "plain", 0);
	expect_played(d, "", "shares", 0);
	expect_played(d, "", "registered", 0);
	expect_played(d, "", "leave", 0);
	expect_played(d, "", "outside", 6);
	expect_played(d, "", "fails 3", 1);
}

/* What the program wrote without a call decides what the kernels write. */
static void memory_is_as_it_was(void **state)
{
	const struct desk *d = *state;
	int *x, *y;

	shell(d, "rm -rf %s/rec");
	assert_int_equal(
		desk_run(d,
			"run --quiet --dump 'allocation 3=%F/a' --record %F/rec -- %F/app shares"),
		0);
	assert_says(d, "out", "got 38 39 38\ngot 1195 1196 1195\n");
	assert_int_equal(desk_run(d, "run --quiet --dump 'allocation 3=%F/b' %F/rec"), 0);
	x = (void *)desk_content(d, "a");
	y = (void *)desk_content(d, "b");
	assert_int_not_equal(x[1], x[0]);
	assert_memory_equal(x, y, 4096);
	mem_free(x);
	mem_free(y);
}

static void has_its_schema(const struct desk *d, const char *manifest)
{
	json_t *schema = schema_load("recording.schema.json"), *j = desk_json(d, manifest);
	struct text wrong = {0};

	assert_non_null(schema);
	if (!schema_holds(schema, j, &wrong))
		fail_msg("%s: %s", manifest, text_str(&wrong));
	text_clear(&wrong);
	json_decref(j);
	json_decref(schema);
}

static void other_commands_play_it_too(void **state)
{
	const struct desk *d = *state;

	shell(d, "rm -rf %s/rec");
	assert_int_equal(
		desk_run(d, "run --quiet --timed fill:2 --record %F/rec -- %F/app plain"), 0);
	has_its_schema(d, "rec/recording.json");
	shell(d, "rm -rf %s/rec");
	assert_int_equal(desk_run(d, "run --quiet --record %F/rec -- %F/app shares"), 0);
	has_its_schema(d, "rec/recording.json");
	assert_int_equal(desk_run(d, "exec --csv %F/a -- %F/app shares"), 0);
	assert_int_equal(desk_run(d, "exec --csv %F/b %F/rec"), 0);
	assert_same(d, "a", "b");
	assert_int_equal(desk_run(d, "profile --quiet %F/rec"), 0);
	assert_int_equal(desk_run(d, "sweep --over chip.sms=1,2 --out %F/o.db %F/rec"), 0);
	assert_says(d, "out", "2 points: 2 done, 0 of them before");
	assert_int_equal(desk_run(d, "sweep --over chip.sms=1,2 --out %F/o.db %F/rec"), 0);
	assert_says(d, "out", "2 points: 2 done, 2 of them before");
}

/* Each of these recordings is refused with one message. */
static void damaged_recordings_are_refused(void **state)
{
	static const struct {
		const char *act, *words;
	} rows[] = {{"cd %s/bad && sed -i 's/\"format\": 1,/\"format\": 2,/' recording.json",
			    "its format is 2; this warpbeam plays format 1"},
		{"cd %s/bad && head -c 60 recording.json >x && mv x recording.json",
			"it is damaged: "},
		{"cd %s/bad && echo '[]' >recording.json", "it is damaged: "},
		{"cd %s/bad && echo '{\"format\": 1}' >recording.json", "'program' or 'log'"},
		{"cd %s/bad/blobs && rm *", "blobs/"},
		{"cd %s/bad/blobs && for f in *; do printf x >>$f; done", "it was changed"},
		{"cd %s/bad/blobs && for f in *; do printf x >$f; done", "it was changed"},
		{"cd %s/bad && sed -i 's/\"messages\": [0-9]*/\"messages\": 7/' recording.json",
			"its log ends within a message"}};
	const struct desk *d = *state;
	char *err;

	shell(d, "rm -rf %s/rec");
	assert_int_equal(desk_run(d, "cuda --quiet --record %F/rec -- %F/app shares"), 0);
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		shell(d, "rm -rf %s/bad && cp -r %s/rec %s/bad");
		shell(d, rows[i].act);
		assert_int_equal(desk_run(d, "run --quiet %F/bad"), 3);
		assert_says(d, "err", rows[i].words);
		err = desk_content(d, "err");
		assert_ptr_equal(strchr(err, '\n'), err + strlen(err) - 1);
		mem_free(err);
	}
}

static void no_half_of_a_recording_stays(void **state)
{
	const struct desk *d = *state;
	pid_t pid, program;

	shell(d, "rm -rf %s/rec");
	assert_int_equal(desk_run(d, "cuda --quiet --record %F/rec -- %F/app one"), 0);
	assert_int_equal(desk_run(d, "cuda --quiet --record %F/rec -- %F/app one"), 2);
	assert_says(d, "err", "is there already; a recording has a folder of its own");
	assert_int_equal(desk_run(d, "cuda --quiet --record %F/no/rec -- %F/app one"), 9);
	assert_int_equal(desk_run(d, "cuda --quiet --record %F/new -- /bin/true"), 3);
	assert_false(desk_has(d, "new") || desk_has(d, "new.tmp"));
	assert_int_equal(desk_run(d, "run --record %F/x vectoradd"), 2);
	assert_int_equal(desk_run(d, "run --record %F/x %F/rec"), 2);
	assert_false(desk_has(d, "x") || desk_has(d, "x.tmp"));
	pid = cuda_start(d, "cuda --set chip.sms=1 --record new -- ./app spin", &program);
	assert_true(desk_has(d, "new.tmp"));
	kill(pid, SIGINT);
	assert_int_equal(desk_finish(pid), 10);
	assert_false(desk_has(d, "new") || desk_has(d, "new.tmp"));
}

static double cycles(const struct desk *d, const char *file)
{
	json_t *j = desk_json(d, file);
	double n = (double)json_metric(j, "gpc__cycles_elapsed.max");

	json_decref(j);
	return n;
}

/* Records it with these options, and runs the scenario of the recording. */
static void expect_same_cycles(const struct desk *d, const char *options, const char *what)
{
	char command[256];

	shell(d, "rm -rf %s/rec %s/s");
	snprintf(command, sizeof(command),
		"cuda --quiet %s --json %%F/a --record %%F/rec -- %%F/app %s", options, what);
	assert_int_equal(desk_run(d, command), 0);
	assert_int_equal(desk_run(d, "scenario %F/rec %F/s"), 0);
	snprintf(command, sizeof(command), "run %s --json %%F/b %%F/s/scenario.yaml", options);
	assert_int_equal(desk_run(d, command), 0);
	assert_says(d, "out", "check: passed");
	assert_true(cycles(d, "a") > 0);
	assert_true(cycles(d, "a") == cycles(d, "b"));
}

static void a_scenario_of_it_has_the_same_launches(void **state)
{
	const struct desk *d = *state;

	expect_same_cycles(d, "", "leave");
	assert_says(d, "s/scenario.yaml",
		"kernel: \"fill\", grid: [1, 1, 1],\n      block: [32, 1, 1], shared_bytes: 0, "
		"stream: 0,\n      args: [ {buffer: b1},\n        {u32: 4} ] }\n");
	shell(d, "sed -i 's/u32: 4/u32: 5/' %s/s/scenario.yaml");
	assert_int_equal(desk_run(d, "exec --quiet %F/s/scenario.yaml"), 1);
	shell(d, "rm -rf %s/rec %s/s");
	assert_int_equal(desk_run(d, "cuda --quiet --untimed --record %F/rec -- %F/app many"), 0);
	assert_int_equal(desk_run(d, "scenario %F/rec %F/s"), 0);
	assert_int_equal(desk_run(d, "exec %F/s/scenario.yaml"), 0);
	assert_says(d, "out", "check: passed");
}

/* Variables, shared memory, copies, memory that is used again, pointers in memory. */
static void it_has_what_the_host_does_between_launches(void **state)
{
	const struct desk *d = *state;

	expect_same_cycles(d, "--set chip.sms=2", "shares");
	assert_says(d, "s/scenario.yaml", "variables:\n  v");
	assert_says(d, "s/scenario.yaml", "name: \"step\"");
	expect_same_cycles(d, "--set chip.sms=2", "again");
	assert_says(d, "s/scenario.yaml", "{ copy: b1, to: b2, to_offset: 128, bytes: 64 }");
	assert_says(d, "s/scenario.yaml", "fields: [{at: 8, buffer: b1, offset: 4}, {at: 16, ");
	assert_says(d, "s/scenario.yaml", "type: u8, count: 64, fill: 7 }");
}

static void what_no_scenario_can_hold_is_refused(void **state)
{
	const struct desk *d = *state;

	shell(d, "rm -rf %s/rec %s/s");
	assert_int_equal(desk_run(d, "cuda --quiet --record %F/rec -- %F/app idle"), 0);
	assert_int_equal(desk_run(d, "scenario %F/rec %F/s"), 4);
	assert_says(d, "err", "a scenario cannot hold it: it has no launch");
	assert_int_equal(desk_run(d, "scenario %F/rec %F/rec"), 2);
	assert_says(d, "err", "is there already");
	assert_int_equal(desk_run(d, "scenario %F/app %F/s"), 2);
	assert_says(d, "err", "is no recording");
	assert_false(desk_has(d, "s") || desk_has(d, "s.tmp"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test(name)
		TEST(a_recording_gives_the_same_bytes_without_the_program),
		TEST(memory_is_as_it_was),
		TEST(other_commands_play_it_too),
		TEST(damaged_recordings_are_refused),
		TEST(no_half_of_a_recording_stays),
		TEST(a_scenario_of_it_has_the_same_launches),
		TEST(it_has_what_the_host_does_between_launches),
		TEST(what_no_scenario_can_hold_is_refused),
#undef TEST
	};

	return cmocka_run_group_tests(tests, set_up, desk_tear_down);
}

#else

int main(void)
{
	return 77; /* no such programs here */
}

#endif
