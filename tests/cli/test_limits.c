/* Limits of runs among others, and signals: one run that does not end stops no other. */
#include "core/mem.h"
#include "tests/rig/support_cli.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The last CTA goes first, so that all must be resident; and a loop that takes an hour. */
static const char kernels[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".visible .entry turns(.param .u64 out)\n{\n"
	".reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>;\n"
	"ld.param.u64 %rd0, [out];\nmov.u32 %r0, %ctaid.x;\nmov.u32 %r1, %nctaid.x;\n"
	"sub.u32 %r1, %r1, 1;\nsub.u32 %r1, %r1, %r0;\n"
	"W: ld.volatile.global.u32 %r2, [%rd0];\nsetp.ne.u32 %p0, %r2, %r1;\n@%p0 bra W;\n"
	"add.u32 %r2, %r2, 1;\nst.volatile.global.u32 [%rd0], %r2;\nret;\n}\n"
	".visible .entry hour(.param .u64 out)\n{\n.reg .pred %p<4>; .reg .b32 %r<8>;\n"
	"mov.u32 %r3, 0;\nN: add.u32 %r3, %r3, 1;\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra "
	"N;\nret;\n}\n.visible .entry fine(.param .u64 out)\n{\nret;\n}\n";

static void write_file(const struct desk *d, const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", d->folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
	assert_int_equal(fclose(f), 0);
}

static void launch_on(
	const struct desk *d, const char *chip, const char *name, const char *kernel, unsigned grid)
{
	char text[512];

	snprintf(text, sizeof(text),
		"%sbuffers: { out: { type: u32, count: 4, fill: 0 } }\n"
		"launches:\n  - { module: kernels.ptx, kernel: %s, grid: %u, block: 32, args: [ { "
		"buffer: out } ] }\n",
		chip, kernel, grid);
	write_file(d, "kernels.ptx", kernels);
	write_file(d, name, text);
}

static void launch(const struct desk *d, const char *name, const char *kernel, unsigned grid)
{
	launch_on(d, "set: { chip.sms: 2 }\n", name, kernel, grid);
}

static void expect(const struct desk *d, const char *arguments, int code)
{
	if (desk_run(d, arguments) != code)
		fail_msg("warpbeam %s does not exit %d: %s", arguments, code,
			desk_content(d, "err"));
}

#define SWEEP "sweep %F/s.yaml --over sm.warps=2,16 --out %F/r.sqlite --csv %F/c "

static void a_point_that_reaches_a_limit_gets_a_row(void **state)
{
	launch(*state, "s.yaml", "turns", 20); /* 4 and 32 fit */
	expect(*state, SWEEP "--max-cycles 300", 8);
	assert_says(*state, "c", "sm.warps,");
	assert_says(*state, "c", ",2,,,,limit");
	assert_says(*state, "err", "sm.warps=2: the limit of 300 cycles is reached");
	assert_says(*state, "out", "2 failed");
	/* with another limit it is tried again, with the same one it is not */
	expect(*state, SWEEP "--max-cycles 30000", 8);
	assert_says(*state, "c", ",2,,,,limit");
	assert_says(*state, "out", "1 done, 0 of them before; 1 failed");
	assert_says(*state, "err", "sm.warps=2: the limit of 30000 cycles is reached");
	expect(*state, SWEEP "--max-cycles 30000", 8);
	assert_says(*state, "out", "1 done, 1 of them before; 1 failed");
	expect(*state, SWEEP "--timeout 1", 8);
	assert_says(*state, "err", "sm.warps=2: it took longer than --timeout allows");
	assert_says(*state, "err", "spin: ");
}

static void a_candidate_that_reaches_a_limit_is_not_the_best(void **state)
{
	json_t *j, *list;

	launch(*state, "s.yaml", "turns", 20);
	expect(*state, "tune %F/s.yaml --max-cycles 30000 --json %F/j --csv %F/c --svg %F/p.svg",
		8);
	assert_says(*state, "out", "stopped by a limit");
	assert_says(*state, "out", "best: threads ");
	assert_says(*state, "err", "sm.warps=2: the limit of 30000 cycles is reached");
	assert_says(*state, "c", ",,,,,,limit");
	j = desk_json(*state, "j");
	list = json_object_get(j, "candidates");
	assert_true(json_is_false(json_object_get(json_array_get(list, 0), "stopped")));
	list = json_array_get(list, json_array_size(list) - 1);
	assert_true(json_is_true(json_object_get(list, "stopped")));
	assert_true(json_is_null(json_object_get(list, "cycles")));
	assert_true(json_is_false(json_object_get(json_object_get(j, "best"), "stopped")));
	json_decref(j);
}

#define COMPARE "compare %F/s.yaml %F/fine.yaml --jobs 2 --json %F/j --csv %F/c --svg %F/p.svg "

/* Its figures are null; the runs of the other are whole. */
static void expect_stopped(const struct desk *d, const char *run, bool stopped)
{
	json_t *j = desk_json(d, "j"), *targets = json_object_get(j, "targets"), *one, *cycles;

	assert_int_equal(json_array_size(targets), 2);
	for (size_t i = 0; i < 2; i++) {
		one = json_object_get(json_object_get(json_array_get(targets, i), "runs"), run);
		assert_non_null(one);
		cycles = json_object_get(
			json_object_get(json_object_get(one, "figures"), "cycles"), "value");
		if (!i && stopped) {
			assert_true(json_is_true(json_object_get(one, "stopped")));
			assert_true(json_is_null(cycles));
			continue;
		}
		assert_true(json_is_false(json_object_get(one, "stopped")));
		assert_true(json_number_value(cycles) > 0);
	}
	json_decref(j);
}

static void a_target_that_never_ends_costs_the_others_nothing(void **state)
{
	launch(*state, "fine.yaml", "fine", 2);
	launch(*state, "s.yaml", "hour", 2);
	expect(*state, COMPARE "--max-cycles 20000 --wide", 8);
	assert_says(*state, "err", "s.yaml, chip: the limit of 20000 cycles is reached");
	assert_says(*state, "err", "s.yaml, l1_kept: the limit of 20000 cycles is reached");
	assert_says(*state, "out", " limit\n");
	assert_says(*state, "out", "A limit stopped 11 runs: figures that need such a run are -");
	assert_says(*state, "out", "s.yaml: limit: chip, whole, share, fixed, ");
	assert_says(*state, "c", "s.yaml,base,chip,status,limit,\n");
	assert_says(*state, "c", "s.yaml,base,chip,cycles,,cycles\n");
	assert_says(*state, "p.svg", "- (limit)");
	assert_says(*state, "p.svg", "</svg>");
	expect_stopped(*state, "chip", true);
	expect_stopped(*state, "whole", true);
}

/* One SM's share lacks the CTA that the other waits for. */
static void a_rung_that_reaches_a_limit_leaves_the_others(void **state)
{
	json_t *j, *means;

	launch(*state, "fine.yaml", "fine", 2);
	launch(*state, "s.yaml", "turns", 2);
	expect(*state, COMPARE "--max-cycles 30000", 8);
	assert_says(*state, "err", "s.yaml, share: the limit of 30000 cycles is reached");
	assert_says(*state, "c", "s.yaml,base,share,status,limit,\n");
	expect_stopped(*state, "share", true);
	expect_stopped(*state, "chip", false);
	j = desk_json(*state, "j");
	means = json_object_get(json_object_get(j, "means"), "share");
	means = json_object_get(json_object_get(means, "cycles_ratio"), "n");
	assert_int_equal(json_integer_value(means), 1);
	json_decref(j);
	expect(*state, "compare %F/s.yaml --max-cycles 30000 --against chip.sms=3", 8);
	assert_says(*state, "out", "s.yaml (against): limit: share");
	expect(*state, "compare %F/s.yaml --timeout 1 --quiet --json %F/j", 8);
	assert_says(*state, "err", "s.yaml, share: it took longer than --timeout allows");
}

static void those_who_share_a_chip_have_rows_at_limits(void **state)
{
	json_t *j, *parties, *one;

	launch_on(*state, "", "fine.yaml", "fine", 2);
	launch_on(*state, "", "s.yaml", "hour", 2);
	expect(*state,
		"compare --together %F/fine.yaml %F/s.yaml --set chip.sms=2 --max-cycles 2000 "
		"--json %F/j --csv %F/c",
		8);
	assert_says(*state, "err", "together: the limit of 2000 cycles is reached");
	assert_says(*state, "err", "s.yaml, alone: the limit of 2000 cycles is reached");
	assert_says(*state, "out", "  limit: together\n");
	assert_says(*state, "out", "  limit: alone together\n");
	assert_says(*state, "out", "fairness (least by greatest slowdown)      -\n");
	assert_says(*state, "c", "fine.yaml,together,status,limit,\n");
	j = desk_json(*state, "j");
	parties = json_object_get(j, "parties");
	one = json_object_get(json_array_get(parties, 0), "alone");
	assert_true(json_is_false(json_object_get(one, "stopped")));
	assert_true(json_number_value(json_object_get(one, "cycles")) > 0);
	one = json_object_get(json_array_get(parties, 1), "alone");
	assert_true(json_is_true(json_object_get(one, "stopped")));
	assert_true(json_is_null(json_object_get(one, "cycles")));
	assert_true(json_is_null(json_object_get(json_array_get(parties, 0), "slowdown")));
	json_decref(j);
}

#define REPRODUCE "reproduce section2.1 vectoradd --quiet --json %F/j "

/* An incomplete table is not printed, and the file does not keep a limit as a result. */
static void a_table_whose_runs_reach_a_limit_is_not_reported(void **state)
{
	json_t *j;
	char *told;

	expect(*state, REPRODUCE "--max-cycles 10", 8);
	assert_says(*state, "err",
		"vectoradd, and 3 more of the runs: the limit of 10 cycles is reached");
	assert_false(desk_has(*state, "j"));
	expect(*state, /* 17 billion pairs of bodies: no host runs them in a second */
		"reproduce section2.1 nbody --quiet --json %F/j --timeout 1 --set nbody.n=131072",
		8);
	told = desk_content(*state, "err"); /* after it the positions of unfinished runs */
	assert_ptr_equal(
		told, strstr(told, "warpbeam: nbody, and 3 more of the runs: it took longer "
				   "than --timeout allows, and was stopped\n"));
	mem_free(told);
	assert_false(desk_has(*state, "j"));
#ifdef HAVE_SQLITE
	expect(*state, REPRODUCE "--out %F/r.sqlite --max-cycles 10", 8);
	expect(*state, REPRODUCE "--out %F/r.sqlite --max-cycles 10", 8);
	assert_says(*state, "err", "the limit of 10 cycles is reached");
	expect(*state, REPRODUCE "--out %F/r.sqlite", 0);
#else
	expect(*state, REPRODUCE, 0);
#endif
	j = desk_json(*state, "j");
	assert_true(json_array_size(json_object_get(j, "rows")) > 0);
	json_decref(j);
}

/* Asks for the status line until stderr holds the words, a minute at most. */
static bool says_when_asked(const struct desk *d, pid_t pid, const char *words)
{
	for (unsigned i = 0; i < 600; i++) {
		char *err;
		bool there;

		kill(pid, SIGUSR1);
		usleep(100000);
		err = desk_has(d, "err") ? desk_content(d, "err") : NULL;
		there = err && strstr(err, words);
		mem_free(err);
		if (there)
			return true;
	}
	return false;
}

static void an_interrupt_ends_each_command_with_10_and_a_status_line_none(void **state)
{
	static const struct {
		const char *arguments, *says;
	} commands[] = {
		{"exec s.yaml --quiet", " warp instructions, "},
		{"sweep s.yaml --over chip.sms=1 --out r.sqlite --quiet", "points: 0 of 1 done"},
		{"compare s.yaml --quiet", "runs: "},
		{"run s.yaml --quiet", "cycle "},
	};

	launch(*state, "s.yaml", "hour", 2);
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		pid_t pid = desk_start(*state, commands[i].arguments, 0);

		if (!says_when_asked(*state, pid, commands[i].says))
			fail_msg("%s: no status line; %s", commands[i].arguments,
				desk_content(*state, "err"));
		kill(pid, SIGINT);
		assert_int_equal(desk_finish(pid), 10);
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, desk_set_up, desk_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
#ifdef HAVE_SQLITE
		TEST(a_point_that_reaches_a_limit_gets_a_row),
		TEST(an_interrupt_ends_each_command_with_10_and_a_status_line_none),
#endif
		TEST(a_table_whose_runs_reach_a_limit_is_not_reported),
		TEST(a_candidate_that_reaches_a_limit_is_not_the_best),
		TEST(a_target_that_never_ends_costs_the_others_nothing),
		TEST(a_rung_that_reaches_a_limit_leaves_the_others),
		TEST(those_who_share_a_chip_have_rows_at_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
