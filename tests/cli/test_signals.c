/* Long commands: SIGUSR1, SIGINT and SIGTERM act alike, and a line comes now and then. */
#include "core/mem.h"
#include "tests/rig/support_cli.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
static void will_say(const struct desk *d, pid_t pid, int signum, const char *words)
{
	for (unsigned i = 0; i < 600; i++) {
		char *err;
		bool there;

		kill(pid, signum);
		usleep(100000);
		err = desk_has(d, "err") ? desk_content(d, "err") : NULL;
		there = err && strstr(err, words);
		mem_free(err);
		if (there)
			return;
	}
	kill(pid, SIGKILL);
	fail_msg("it does not say %s: %s", words, desk_content(d, "err"));
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

		will_say(*state, pid, SIGUSR1, commands[i].says);
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

		will_say(*state, pid, 0, commands[i].says);
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

	will_say(*state, pid, SIGUSR1, commands[2].says);
	kill(pid, SIGTERM);
	assert_int_equal(desk_finish(pid), 10);
	assert_says(*state, "err", "no checkpoint was written: the run was stopped within");
	assert_false(desk_has(*state, "c"));
}
#endif

/* Of runs that ended and one that does not end. */
static void a_stopped_command_leaves_a_page_of_its_runs(void **state)
{
	static const struct {
		const char *arguments, *says, *title, *row;
	} stopped[] = {
		{"diff vectoradd s.yaml", "runs: 1 of 2 done", "diff vectoradd s.yaml: stopped",
			"vectoradd</th><td class=\"w\">done</td><td>2,"},
		{"compare s.yaml", "runs: 0 of 1", "compare s.yaml: stopped",
			"s.yaml, share</th><td class=\"w\">not begun</td><td></td><td></td>"},
		{"tune s.yaml", "runs: 0 of ", "tune s.yaml: stopped",
			"</th><td class=\"w\">stopped</td><td></td><td></td><td></td>"},
	};
	const struct desk *d = *state;

	write_file(d, "kernels.ptx", kernels);
	write_file(d, "s.yaml", scenario);
	for (unsigned i = 0; i < sizeof(stopped) / sizeof(*stopped); i++) {
		char words[256];
		pid_t pid;

		snprintf(words, sizeof(words), "%s --jobs 1 --quiet --html page.html",
			stopped[i].arguments);
		pid = desk_start(d, words, 0);
		will_say(d, pid, SIGUSR1, stopped[i].says);
		kill(pid, i % 2 ? SIGTERM : SIGINT);
		assert_int_equal(desk_finish(pid), 10);
		assert_says(d, "page.html", stopped[i].title);
		assert_says(d, "page.html", "interrupted: the runs were ended");
		assert_says(d, "page.html", stopped[i].row);
	}
}

static void a_figure_whose_runs_fail_leaves_a_page_of_them(void **state)
{
	assert_int_equal(desk_run(*state, "reproduce fig2.7 vectoradd --max-cycles 100 --jobs 1 "
					  "--quiet --html %F/page.html"),
		8);
	assert_says(*state, "page.html", "reproduce fig2.7 vectoradd: failed");
	assert_says(*state, "page.html", "the limit of 100 cycles is reached");
	assert_says(*state, "page.html", "<th scope=\"row\">vectoradd</th>");
}

static void what_is_wrong_before_the_runs_leaves_no_page(void **state)
{
	assert_int_equal(
		desk_run(*state, "compare vectoradd --set chip.sms=0 --html %F/page.html"), 3);
	assert_false(desk_has(*state, "page.html"));
}

/* It waits for a reader of its report. */
static void outside_of_runs_a_signal_ends_it_at_once(void **state)
{
	const struct desk *d = *state;
	char path[128];

	snprintf(path, sizeof(path), "%s/fifo", d->folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	for (unsigned i = 0; i < 2; i++) {
		pid_t pid = desk_start(d, "occupancy vectoradd --json fifo", 0);

		will_say(d, pid, SIGUSR1, "no run at the moment: inputs or results are handled");
		kill(pid, i ? SIGTERM : SIGINT);
		assert_int_equal(desk_finish(pid), 10);
		assert_says(d, "err", "interrupted: no run at the moment, no report");
	}
}

#ifdef HAVE_SQLITE
/* Of points that ended and points that do not end. */
static void a_stopped_sweep_leaves_a_page_of_its_points(void **state)
{
	const struct desk *d = *state;
	pid_t pid;

	write_file(d, "kernels.ptx", kernels);
	write_file(d, "s.yaml", scenario);
	pid = desk_start(d,
		"sweep vectoradd s.yaml --over chip.sms=1,2 --jobs 1 --quiet "
		"--out r.sqlite --html page.html",
		0);
	will_say(d, pid, SIGUSR1, "points: 2 of 4 done");
	kill(pid, SIGINT);
	assert_int_equal(desk_finish(pid), 10);
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
		TEST(a_stopped_command_leaves_a_page_of_its_runs),
		TEST(a_figure_whose_runs_fail_leaves_a_page_of_them),
		TEST(outside_of_runs_a_signal_ends_it_at_once),
		TEST(what_is_wrong_before_the_runs_leaves_no_page),
#ifdef HAVE_SQLITE
		TEST(a_stopped_sweep_leaves_a_page_of_its_points),
#endif
#ifdef HAVE_ZSTD
		TEST(a_launch_without_time_has_no_checkpoint),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
