/* Limits of runs among others, and signals: one run that does not end stops no other. */
#include "core/mem.h"
#include "support_cli.h"

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
	"N;\nret;\n}\n";

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

static void launch(const struct desk *d, const char *name, const char *kernel, unsigned grid)
{
	char text[512];

	snprintf(text, sizeof(text),
		"set: { chip.sms: 2 }\nbuffers: { out: { type: u32, count: 4, fill: 0 } }\n"
		"launches:\n  - { module: kernels.ptx, kernel: %s, grid: %u, block: 32, args: [ { "
		"buffer: out } ] }\n",
		kernel, grid);
	write_file(d, "kernels.ptx", kernels);
	write_file(d, name, text);
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

static void a_comparison_ends_at_its_limits(void **state)
{
	launch(*state, "s.yaml", "turns", 100);
	expect(*state, "compare %F/s.yaml --max-cycles 2000", 8);
	assert_says(*state, "err", "the limit of 2000 cycles is reached");
}

/* Waits until stderr holds the words, five seconds at most. */
static bool says_soon(const struct desk *d, const char *words)
{
	for (unsigned i = 0; i < 500; i++) {
		char *err = desk_has(d, "err") ? desk_content(d, "err") : NULL;
		bool there = err && strstr(err, words);

		mem_free(err);
		if (there)
			return true;
		usleep(10000);
	}
	return false;
}

static void an_interrupt_ends_each_command_with_10_and_a_status_line_none(void **state)
{
	static const struct {
		const char *arguments, *says;
	} commands[] = {
		{"exec s.yaml --quiet", " warp instructions, "},
		{"sweep s.yaml --over chip.sms=1 --out r.sqlite --quiet", "of 1 points are done"},
		{"compare s.yaml --quiet", "runs are done"},
		{"run s.yaml --quiet", "cycle "},
	};

	launch(*state, "s.yaml", "hour", 2);
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		pid_t pid = desk_start(*state, commands[i].arguments, 0);

		usleep(700000);
		kill(pid, SIGUSR1);
		assert_true(says_soon(*state, commands[i].says));
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
		TEST(a_candidate_that_reaches_a_limit_is_not_the_best),
		TEST(a_comparison_ends_at_its_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
