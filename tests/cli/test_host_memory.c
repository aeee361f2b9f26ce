/* Hosts without memory or file descriptors: each allocation of the program and of its libraries
 * fails in turn, once or from there on. WARPBEAM_ALL_ALLOCATIONS=1 tries all, =7 every seventh,
 * "=1 sweep" of the commands that begin so; else a few of each command. */
#include "tests/rig/support_cli.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/command.h"
#include "core/file.h"

#define SAMPLE 4 /* points of each command and mode */

#ifndef __has_feature
#define __has_feature(x) 0 /* clang's */
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
	__has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
	__has_feature(memory_sanitizer)
#define HAS_OWN_ALLOCATOR true /* the sanitizer */
#else
#define HAS_OWN_ALLOCATOR false
#endif

static const char scenario[] =
	"chip: m12\nset: { chip.sms: 1, chip.channels: 1 }\n"
	"buffers:\n  d: { type: u32, data: [1, 2] }\n"
	"launches:\n"
	"  - { module: k.ptx, kernel: k, grid: 1, block: 32, args: [{buffer: d}] }\n";
static const char ptx[] = ".version 2.3\n.target sm_20\n.address_size 32\n"
			  ".visible .entry k(.param .u32 p)\n{\n\t.reg .u32 %r<3>;\n"
			  "\tld.param.u32 %r1, [p];\n\tst.global.u32 [%r1], %r1;\n\tret;\n}\n";

static const char *const commands[] = {
	"run s.yaml --quiet --json j",
	"run vectoradd --set vectoradd.n=32 --set chip.sms=1 --quiet --json j",
	"exec s.yaml --quiet --json j",
	"check k.ptx --quiet --json j",
	"explain k.ptx --html j",
	"explain k.ptx --json j",
	"diff a.json a.json --quiet --json j",
	"diff s.yaml s.yaml --quiet --json j",
	"occupancy k.ptx --block 32 --quiet --json j",
	"profile s.yaml --quiet --json j",
	"profile s.yaml --quiet --html j",
	"run s.yaml --quiet --checkpoint c --checkpoint-every 100 --html j",
	"compare s.yaml --no-pin --jobs 1 --quiet --json j",
	"compare --together m.yaml n.yaml --set chip.sms=2 --no-pin --jobs 1 --quiet --json j",
	"tune s.yaml --set sm.warps=1 --no-pin --jobs 1 --quiet --json j",
	"replay dram t.trace --quiet --json j",
	"replay cache c.trace --quiet --json j",
	"replay noc uniform:2x2 --loads 0.1 --quiet --json j",
	"reproduce table4.5 --quiet --json j",
#ifdef HAVE_SQLITE
	"profile s.yaml --quiet --sqlite q --json j",
	"sweep s.yaml --over l1.mshrs=8,9 --no-pin --jobs 1 --quiet --out q --json j",
	"sweep s.yaml --over l1.mshrs=8,9 --no-pin --jobs 1 --quiet --plan j --shards 2",
	"sweep --merge q x.r0.sqlite --quiet --json j",
	"reproduce fig6.1 vectoradd --no-pin --jobs 1 --quiet --out q --json j",
#endif
};

static void put(const struct desk *d, const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", d->folder, name);
	assert_int_equal(file_write(NULL, path, text, strlen(text), NULL), 0);
}

static int set_up(void **state)
{
	desk_set_up(state);
	put(*state, "s.yaml", scenario);
	put(*state, "k.ptx", ptx);
	put(*state, "m.yaml", strchr(scenario, 'b'));
	put(*state, "n.yaml", strchr(scenario, 'b'));
	put(*state, "t.trace", "R 0x0\nW 0x40\n");
	put(*state, "c.trace", "0 0\n1 40\n");
	assert_int_equal(desk_run(*state, "profile %F/s.yaml --quiet --json %F/a.json"), 0);
#ifdef HAVE_SQLITE
	assert_int_equal(desk_run(*state, "sweep %F/s.yaml --over l1.mshrs=8,9 --quiet --plan %F/p "
					  "--shards 1"),
		0);
	assert_int_equal(
		desk_run(*state, "sweep --plan %F/p --shard 1/1 --quiet --out %F/x.sqlite"), 0);
#endif
	return 0;
}

/* ---- a run */
struct trial_of_memory {
	const char *arguments;
	long at;            /* the call that fails; 0: none */
	bool on;            /* and all later ones */
	rlim_t descriptors; /* 0: as many as there are */
};

static void become(const struct desk *d, const struct trial_of_memory *t)
{
	char words[256], program[512], number[24], *argv[32], *rest = NULL;
	const struct rlimit few = {t->descriptors, t->descriptors};
	unsigned n = 1;

	if (!realpath(d->program, program) || chdir(d->folder))
		_exit(98);
	argv[0] = program;
	snprintf(words, sizeof(words), "%s", t->arguments);
	for (char *w = strtok_r(words, " ", &rest); w; w = strtok_r(NULL, " ", &rest))
		argv[n++] = w;
	argv[n] = NULL;
	snprintf(number, sizeof(number), "%ld", t->at);
	setenv("FAIL_AT", number, 1);
	setenv("REPORT", "report", 1);
	if (t->on)
		setenv("FAIL_ON", "1", 1);
	if (!t->descriptors)
		setenv("LD_PRELOAD", "./fail.so", 1);
	dup2(open("out", O_WRONLY | O_CREAT | O_TRUNC, 0644), 1);
	dup2(open("err", O_WRONLY | O_CREAT | O_TRUNC, 0644), 2);
	for (int fd = 3; fd < 64; fd++)
		close(fd);
	if (t->descriptors)
		setrlimit(RLIMIT_NOFILE, &few);
	execv(program, argv);
	_exit(99);
}

/* The exit code, or minus the signal. Files of an earlier run are gone before. */
static int try(const struct desk *d, const struct trial_of_memory *t)
{
	static const char *const made[] = {"j", "q", "report"};
	char path[128];
	pid_t pid;

	for (unsigned i = 0; i < ARRAY_LEN(made); i++) {
		snprintf(path, sizeof(path), "%s/%s", d->folder, made[i]);
		unlink(path);
	}
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		become(d, t);
	return desk_finish(pid);
}

/* What the interposer counted; false when the process ended without its destructors. A block is not
 * held against us: when its document can have no more nodes, libyaml (0.2.5) forgets the items of
 * the sequence or mapping that it just began. */
static bool counted(const struct desk *d, long *calls, long *live)
{
	char *text, *rest;

	if (!desk_has(d, "report"))
		return false;
	text = desk_content(d, "report");
	*calls = strtol(text, &rest, 10);
	*live = strtol(rest, &rest, 10);
	*live -= strtol(rest, NULL, 10) && *live > 0;
	mem_free(text);
	return true;
}

/* One line of ours; with a file of results, of several runs, one of each and what it holds. */
static bool is_told(const struct desk *d, const char *arguments)
{
	char *text = desk_content(d, "err");
	unsigned lines = 0, most = strstr(arguments, "--out") ? 4 : 1;
	bool told = true;

	for (const char *line = text; told && *line; line = strchr(line, '\n') + 1, lines++)
		told = !strncmp(line, "warpbeam: ", 10) && strchr(line, '\n');
	told &= lines && lines <= most;
	mem_free(text);
	return told;
}

static bool is_result(const struct desk *d, const char *whole)
{
	char *json = desk_has(d, "j") ? desk_content(d, "j") : NULL;
	bool same = json && !strcmp(json, whole);

	mem_free(json);
	return same;
}

/* What a command leaves that failed: nothing, or all of a report, which then says so. */
static bool is_whole_or_absent(const struct desk *d, const char *whole)
{
	char *text = desk_has(d, "j") ? desk_content(d, "j") : NULL;
	json_t *j = text ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;
	bool good = !text || j || !strcmp(text, whole);

	json_decref(j);
	mem_free(text);
	return good;
}

static bool is_clean(const struct desk *d)
{
	return desk_run(d, "--version; ! ls %F/*.*-[0-9]* %F/[jq]-* %F/[jq].*") == 0;
}

/* The error in the handling of the failure; NULL: none. */
static const char *fault_of(const struct desk *d, const struct trial_of_memory *t, int code,
	const char *whole, long most_live)
{
	long calls, live;

	if (code && code != ERR_RESOURCE && code != ERR_HOST)
		return "exit code";
	if (code && !is_told(d, t->arguments))
		return "message";
	if (code ? !is_whole_or_absent(d, whole) : !is_result(d, whole))
		return "output";
	if (counted(d, &calls, &live) && live > most_live)
		return "leak";
	return NULL;
}

static bool has_interposer(const struct desk *d)
{
	const char *compiler = getenv("CC"), *source = getenv("srcdir");
	char command[512];

	snprintf(command, sizeof(command),
		"%s -shared -fPIC -O1 -o %s/fail.so %s/tests/preload/fail.c -ldl 2>%s/err",
		compiler ? compiler : "cc", d->folder, source ? source : ".", d->folder);
	return system(command) == 0;
}

/* How far from one call that fails to the next; 0: the command is left out. */
static long step_of(const char *arguments, long calls)
{
	const char *asked = getenv("WARPBEAM_ALL_ALLOCATIONS");
	char *rest = NULL;
	long step = asked ? strtol(asked, &rest, 10) : 0;

	if (!asked)
		return calls / SAMPLE + 1;
	rest += *rest == ' ';
	return strncmp(arguments, rest, strlen(rest)) ? 0 : step > 1 ? step : 1;
}

static unsigned try_all(const struct desk *d, const char *arguments, bool on)
{
	long calls = 0, live = 0, step;
	unsigned faults = 0;
	char *whole;

	assert_int_equal(try(d, &(struct trial_of_memory){.arguments = arguments}), 0);
	assert_true(counted(d, &calls, &live) && calls > 0);
	whole = desk_content(d, "j");
	step = step_of(arguments, calls);
	for (long at = 1 + (on ? step / 2 : 0); step && at <= calls; at += step) {
		struct trial_of_memory t = {.arguments = arguments, .at = at, .on = on};
		int code = try(d, &t);
		const char *fault = fault_of(d, &t, code, whole, live);
		char *told = fault ? desk_content(d, "err") : NULL;

		if (fault)
			print_error("%s: allocation %ld fails%s: %s (exit %d): %s\n", arguments, at,
				on ? " and all later ones" : "", fault, code, told);
		faults += fault != NULL;
		mem_free(told);
	}
	mem_free(whole);
	return faults;
}

static void every_failed_allocation_is_reported(void **state)
{
	const struct desk *d = *state;
	unsigned faults = 0;

	if (HAS_OWN_ALLOCATOR || !has_interposer(d))
		skip();
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		for (int on = 0; on < 2; on++)
			faults += try_all(d, commands[i], on);
	assert_int_equal(faults, 0);
	assert_true(is_clean(d));
}

/* With three descriptors the loader cannot open the libraries: that is before the program. */
static void too_few_file_descriptors_are_reported(void **state)
{
	const struct desk *d = *state;

	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		for (rlim_t n = 4; n <= 12; n += 2) {
			struct trial_of_memory t = {commands[i], 0, false, n};
			int code = try(d, &t);

			bool known = !code || code == ERR_HOST || code == ERR_INPUT;
			char *told = desk_content(d, "err");

			if (!known || (code && !is_told(d, commands[i])))
				print_error("%s with %d descriptors: exit %d: %s\n", commands[i],
					(int)n, code, told);
			assert_true(known && (!code || is_told(d, commands[i])));
			mem_free(told);
		}
}

int main(void)
{
#define test(f) cmocka_unit_test_setup_teardown(f, set_up, desk_tear_down)
	const struct CMUnitTest tests[] = {
		test(every_failed_allocation_is_reported),
		test(too_few_file_descriptors_are_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
