/* Long commands: SIGUSR1, SIGINT and SIGTERM act alike, and a line comes now and then. */
#include "core/mem.h"
#include "tests/rig/support_cli.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A loop that takes an hour. */
static const char kernels[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".visible .entry hour(.param .u64 out)\n{\n.reg .pred %p<4>; .reg .b32 %r<8>;\n"
	"mov.u32 %r3, 0;\nN: add.u32 %r3, %r3, 1;\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra "
	"N;\nret;\n}\n";
static const char scenario[] =
	"set: { chip.sms: 2 }\nbuffers: { out: { type: u32, count: 4, fill: 0 } }\nlaunches:\n"
	"  - { module: kernels.ptx, kernel: hour, grid: 2, block: 32, args: [ { buffer: out } ] }\n";

static const struct {
	const char *arguments, *says;
} commands[] = {
	{"exec s.yaml", " warp instructions, "},
	{"run s.yaml", "cycle "},
	{"run s.yaml --untimed", "cycle "},
	{"profile s.yaml", "cycle "},
	{"compare s.yaml", "runs: 0 of "},
	{"tune s.yaml", "runs: 0 of "},
	{"probe --chip gtx780 --set chip.sms=1", "cycle "},
#ifdef HAVE_SQLITE
	{"sweep s.yaml --over chip.sms=1 --out r.sqlite", "points: 0 of 1 done"},
	{"sweep s.yaml --over chip.sms=1 --plan p.json --shards 1", "costs: 0 of 1 counted"},
#endif
};
#define COMMANDS (sizeof(commands) / sizeof(*commands))

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

/* Within a minute; `signum`: sent meanwhile (0: none). */
static void will_say(const struct desk *d, pid_t pid, int signum, unsigned which)
{
	for (unsigned i = 0; i < 600; i++) {
		char *err;
		bool there;

		kill(pid, signum);
		usleep(100000);
		err = desk_has(d, "err") ? desk_content(d, "err") : NULL;
		there = err && strstr(err, commands[which].says);
		mem_free(err);
		if (there)
			return;
	}
	kill(pid, SIGKILL);
	fail_msg("%s does not say %s: %s", commands[which].arguments, commands[which].says,
		desk_content(d, "err"));
}

static pid_t start(const struct desk *d, unsigned which, const char *more)
{
	char words[256];

	write_file(d, "kernels.ptx", kernels);
	write_file(d, "s.yaml", scenario);
	snprintf(words, sizeof(words), "%s%s", commands[which].arguments, more);
	return desk_start(d, words, 0);
}

static void each_says_how_far_it_is_when_asked(void **state)
{
	for (unsigned i = 0; i < COMMANDS; i++) {
		pid_t pid = start(*state, i, " --quiet");

		will_say(*state, pid, SIGUSR1, i);
		kill(pid, SIGTERM);
		if (desk_finish(pid) != 10)
			fail_msg("%s does not exit 10 on SIGTERM", commands[i].arguments);
	}
}

static void each_says_how_far_it_is_now_and_then(void **state)
{
	setenv("WARPBEAM_LINE_SECONDS", "0.2", 1);
	for (unsigned i = 0; i < COMMANDS; i++) {
		pid_t pid = start(*state, i, "");

		will_say(*state, pid, 0, i);
		kill(pid, SIGINT);
		if (desk_finish(pid) != 10)
			fail_msg("%s does not exit 10 on SIGINT", commands[i].arguments);
	}
	unsetenv("WARPBEAM_LINE_SECONDS");
}

static void a_quiet_command_says_nothing(void **state)
{
	char *err;
	pid_t pid;

	setenv("WARPBEAM_LINE_SECONDS", "0.1", 1);
	pid = start(*state, 0, " --quiet");
	usleep(1000000);
	kill(pid, SIGINT);
	assert_int_equal(desk_finish(pid), 10);
	unsetenv("WARPBEAM_LINE_SECONDS");
	err = desk_content(*state, "err");
	assert_null(strstr(err, "CTAs done"));
	mem_free(err);
}

#ifdef HAVE_ZSTD
static void a_launch_without_time_has_no_checkpoint(void **state)
{
	pid_t pid = start(*state, 2, " --quiet --checkpoint c --checkpoint-term");

	will_say(*state, pid, SIGUSR1, 2);
	kill(pid, SIGTERM);
	assert_int_equal(desk_finish(pid), 10);
	assert_says(*state, "err", "no checkpoint was written: the run was stopped within");
	assert_false(desk_has(*state, "c"));
}
#endif

#ifdef HAVE_SQLITE
/* Of points that ended and points that do not end. */
static void a_stopped_sweep_leaves_a_page_of_its_points(void **state)
{
	const struct desk *d = *state;
	bool there = false;
	pid_t pid;

	write_file(d, "kernels.ptx", kernels);
	write_file(d, "s.yaml", scenario);
	pid = desk_start(d,
		"sweep vectoradd s.yaml --over chip.sms=1,2 --jobs 1 --quiet "
		"--out r.sqlite --html page.html",
		0);
	for (unsigned i = 0; i < 600 && !there; i++) {
		char *err;

		kill(pid, SIGUSR1);
		usleep(100000);
		err = desk_has(d, "err") ? desk_content(d, "err") : NULL;
		there = err && strstr(err, "points: 2 of 4 done");
		mem_free(err);
	}
	kill(pid, SIGINT);
	assert_int_equal(desk_finish(pid), 10);
	assert_true(there);
	assert_says(d, "page.html", "The sweep was stopped: 2 of 4 points are missing.");
	assert_says(d, "page.html", "<td class=\"w\">done</td>");
	assert_says(d, "page.html", "<td class=\"w\">missing</td>");
}
#endif

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, desk_set_up, desk_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(each_says_how_far_it_is_when_asked),
		TEST(each_says_how_far_it_is_now_and_then),
		TEST(a_quiet_command_says_nothing),
#ifdef HAVE_SQLITE
		TEST(a_stopped_sweep_leaves_a_page_of_its_points),
#endif
#ifdef HAVE_ZSTD
		TEST(a_launch_without_time_has_no_checkpoint),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
