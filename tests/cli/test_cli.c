/* The command itself: every command, its reports, threads, signals. */
#include "tests/rig/support_cli.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/option_rows.h"
#include "core/file.h"
#include "runs/report.h"

/* ---- commands */
static const struct {
	const char *arguments;
	int code;
	const char *file, *says;
} runs[] = {
	{"--help", 0, "out", "topology"},
	{"--version", 0, "out", "warpbeam "},
	{"", 2, "err", "warpbeam: a command is missing"},
	{"lisst", 2, "err", "did you mean 'list'?"},
	{"run --help", 0, "out", "--max-cycles N"},
	{"list --help", 0, "out", "--plugins"},
	{"list vectoradd needle", 0, "out", "\nvectoradd: Vector addition"},
	{"list vectorad", 2, "err", "did you mean 'vectoradd'?"},
	{"list vectoradd --machines", 2, "err", "names are of workloads"},
	{"list --plugins", 0, "out", "two_level"},
	{"list --machines", 0, "out", "m12: the chip of Gebhart"},
	{"list --chip m12", 2, "err", "unknown option --chip; run, exec, cuda and others have it"},
	{"exec needle --resume x", 2, "err",
		"unknown option --resume; run, cuda and profile have it"},
	{"cuda --resume x -- true", 2, "err",
		"a CUDA program's live run cannot be in a checkpoint"},
	{"profile needle --dump a=b", 2, "err", "unknown option --dump; run has it"},
	{"params", 0, "out", "storage.partitioned.register_bytes"},
	{"params sm.w", 0, "out", "1 .. 64 warps"},
	{"params --chip dis40 chip.sms", 0, "out", "16 "},
	{"params nothing", 2, "err", "'nothing'"},
	{"params --set chip.smss=3", 3, "err", "did you mean 'chip.sms'?"},
	{"stats", 0, "out", "smsp__inst_executed.sum"},
	{"topology", 0, "out", "\nsm.31\nnoc.request\n"},
	{"topology --set chip.channels=3", 0, "out", "3 channels"},
	{"run", 2, "err", "run needs WORKLOAD|FILE.yaml"},
	{"run a b", 2, "err", "'b'"},
	{"run vectorad", 2, "err", "did you mean 'vectoradd'?"},
	{"run vectoradd --threads 0", 2, "err", "--threads 0: must be"},
	{"run vectoradd --threads -1", 2, "err", "--threads -1: must be"},
	{"run vectoradd --threads 1x", 2, "err", "--threads 1x: must be"},
	{"run vectoradd --max-cycles ''", 2, "err", "--max-cycles needs N"},
	{"run vectoradd --seed", 2, "err", "--seed needs N"},
	{"run vectoradd --size=medium", 2, "err", "must be small|full"},
	{"run vectoradd --ptx 16", 2, "err", "must be 32|64"},
	{"run vectoradd --quiet=1", 2, "err", "takes no value"},
	{"run vectoradd --sed 3", 2, "err", "did you mean --seed?"},
	{"run vectoradd --set chip.sms", 2, "err", "path=value"},
	{"run vectoradd --set chip.sms=0", 3, "err", "chip.sms = 0: must be 1 .. 256"},
	{"run vectoradd --set tex.line_bytes=48", 3, "err", "tex.line_bytes = 48: must be a power"},
	{"run vectoradd --set tex.set_bytes=96", 3, "err", "tex.set_bytes = 96: must be a power"},
	{"run vectoradd --set tex.bytes=12289", 3, "err",
		"tex.bytes = 12289: must be a multiple of 96 ways of 32 bytes"},
	{"run vectoradd --set chip.sm=1", 3, "err", "--set: unknown parameter"},
	{"run vectoradd --set sm.active_warps=4", 3, "err",
		"--set: unknown parameter 'sm.active_warps': it was renamed to "
		"'sm.two_level.active_warps'"},
	{"run vectoradd --set l2.drrip.bits=3", 3, "err",
		"'l2.drrip.bits': the replacement 'drrip' is not used here"},
	{"run vectoradd --set l2.replacement=drrip --set l2.drrip.bits=9", 3, "err",
		"l2.drrip.bits = 9: must be 1 .. 7 bits"},
	{"params tex.ship", 0, "out", "tex.ship.entries"},
	{"stats --set l2.replacement=drrip", 0, "out", "lts__drrip_fills_brrip.sum"},
	{"topology --signals --set sm.scheduler=ccws", 0, "out", "sm.0.ccws_lost_lines"},
	{"run vectoradd --set storage.unified.bytes=128K", 3, "err",
		"'storage.unified.bytes': the storage 'unified' is not used here"},
	{"run vectoradd --set chip.network=x", 3, "err", "crossbar, ideal"},
	{"run vectoradd --chip m13", 3, "err", "dis40"},
	{"run vectoradd --dump d", 2, "err", "BUFFER=FILE"},
	{"run vectoradd --dump d=%F/d", 2, "err", "no buffer 'd'"},
	{"run vectoradd --json - --csv -", 2, "err", "stdout"},
	{"run vectoradd --json %F/no/j", 9, "err", "cannot write"},
	{"run %S/nowhere.yaml", 3, "err", "nowhere.yaml: No such file"},
	{"run %S/add.yaml --seed 2", 2, "err", "--seed goes with a workload"},
	{"run -- vectoradd", 0, "out", "check: passed"},
	{"run vectoradd --set vectoradd.n=1000", 0, "out", "check: passed"},
	{"run vectoradd --ptx 64 --seed 9", 0, "out", "64-bit addresses"},
};

static void every_command_runs(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(runs); i++) {
		int code = desk_run(*state, runs[i].arguments);

		if (code != runs[i].code)
			print_error("%s: exit code %d\n", runs[i].arguments, code);
		assert_int_equal(code, runs[i].code);
		assert_says(*state, runs[i].file, runs[i].says);
	}
}

/* A document's text, freed by the caller; NULL: there is none. */
static char *document(const struct desk *p, const char *name)
{
	struct err err = {0};
	char path[600], *text;
	size_t n;

	snprintf(path, sizeof(path), "%s/../../%s", p->scenarios, name);
	text = file_read(NULL, path, &n, ERR_INPUT, &err);
	err_clear(&err);
	return text;
}

static unsigned count(const char *text, const char *part)
{
	unsigned n = 0;

	for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
		n++;
	return n;
}

static void the_manual_page_has_what_the_tables_say(void **state)
{
	char *tables, *manual = document(*state, "doc/warpbeam.1");

	assert_non_null(manual);
	assert_int_equal(desk_run(*state, "--help --man"), 0);
	tables = desk_content(*state, "out");
	if (!strstr(manual, tables))
		fail_msg("doc/warpbeam.1 has not what `warpbeam --help --man` prints: make "
			 "doc-pages");
	mem_free(tables);
	mem_free(manual);
}

static void the_manual_page_describes_every_command_and_option_once(void **state)
{
	char *tables, head[80];

	assert_int_equal(desk_run(*state, "--help --man"), 0);
	tables = desk_content(*state, "out");
	for (unsigned i = 0; i < OPTION_COUNT; i++) {
		char *to = head + snprintf(head, sizeof(head), ".TP\n\\fB\\-\\-");
		unsigned rows = 0; /* an option may be another one of another command */

		for (unsigned k = 0; k < OPTION_COUNT; k++)
			rows += !strcmp(option_rows[k].name, option_rows[i].name);

		for (const char *c = option_rows[i].name; *c; c++)
			to += snprintf(to, 3, *c == '-' ? "\\-" : "%c", *c);
		snprintf(to, 5, "\\fR");
		assert_int_equal(count(tables, head), rows);
	}
	for (const struct command *c = command_rows; c->name; c++) {
		if (!strcmp(c->name, "replay"))
			continue;
		snprintf(head, sizeof(head), ".TP\n\\fB%s\\fR", c->name);
		assert_int_equal(count(tables, head), 1);
	}
	for (const struct replay_kind *k = replay_kinds; k->name; k++) {
		snprintf(head, sizeof(head), ".TP\n\\fBreplay %s\\fR", k->name);
		assert_int_equal(count(tables, head), 1);
	}
	mem_free(tables);
}

/* The guide has both tables; another document that has the head of one has all of it. */
static void documents_have_the_tables_of_help(void **state)
{
	static const char *const documents[] = {"doc/guide.md", "README.md"};
	char *tables, *end;

	assert_int_equal(desk_run(*state, "--help --markdown"), 0);
	tables = desk_content(*state, "out");
	assert_int_equal(count(tables, "\n\n"), 2);
	for (char *table = tables; (end = strstr(table, "\n\n")); table = end + 2) {
		size_t head = strcspn(table, "\n");

		for (size_t i = 0; i < ARRAY_LEN(documents); i++) {
			char *text = document(*state, documents[i]), *at = text;

			while (at && strncmp(at, table, head + 1))
				at = (at = strchr(at, '\n')) ? at + 1 : NULL;
			assert_true(at || i); /* the guide has it */
			if (at && strncmp(at, table, (size_t)(end - table) + 1))
				fail_msg("%s: a table is not as `warpbeam --help --markdown` "
					 "prints it",
					documents[i]);
			mem_free(text);
		}
	}
	mem_free(tables);
}

/* ---- reports */
static void the_text_report_has_every_line_of_its_table(void **state)
{
	assert_int_equal(
		desk_run(*state, "run vectoradd --host-stats --set mmu.page_bytes=131072"), 0);
	for (unsigned i = 0; i < nreport_lines; i++)
		assert_says(*state, "out", report_lines[i].label);
	assert_says(*state, "out", "of 256");
	assert_says(*state, "out", "selected");
	assert_says(*state, "out", "memory, at most");
	assert_says(*state, "err", "");
}

static void json_reports_the_whole_run(void **state)
{
	json_t *j, *launch, *stats;

	assert_int_equal(desk_run(*state, "run vectoradd --json %F/j --set chip.sms=8 --quiet"), 0);
	j = desk_json(*state, "j");
	assert_int_equal(json_integer_value(json_object_get(j, "schema")), 1);
	assert_true(json_is_true(json_object_get(j, "complete")));
	assert_string_equal(json_text(j, "check"), "passed");
	assert_true(json_is_null(json_object_get(j, "error")));
	assert_null(json_object_get(j, "host"));
	assert_string_equal(json_text(json_object_get(j, "command"), "workload"), "vectoradd");
	assert_string_equal(json_text(json_array_get(json_object_get(j, "inputs"), 0), "path"),
		"vectoradd/vectoradd.ptx");
	launch = json_array_get(json_object_get(j, "launches"), 0);
	assert_int_equal(json_integer_value(json_object_get(launch, "ctas")), 256);
	assert_int_equal(json_metric(j, "chip__ctas.sum"), 256);
	assert_int_equal(json_integer_value(json_object_get(launch, "warp_instructions")),
		json_metric(j, "smsp__inst_executed.sum"));
	stats = json_object_get(json_object_get(j, "parts"), "sm.7");
	assert_non_null(json_object_get(stats, "smsp__inst_executed.sum"));
	assert_null(json_object_get(json_object_get(j, "parts"), "sm.8"));
	json_decref(j);
	assert_says(*state, "out", "");
}

static void stdout_holds_only_json_when_json_goes_there(void **state)
{
	assert_int_equal(desk_run(*state, "run vectoradd --json -"), 0);
	json_decref(desk_json(*state, "out"));
}

static void csv_has_four_columns_in_every_row(void **state)
{
	char *text, *save = NULL;
	unsigned rows = 0;

	assert_int_equal(desk_run(*state, "run vectoradd --csv -"), 0);
	text = desk_content(*state, "out");
	assert_int_equal(strncmp(text, "part,metric,value,unit\n", 23), 0);
	for (char *row = strtok_r(text, "\n", &save); row; row = strtok_r(NULL, "\n", &save)) {
		unsigned commas = 0;
		bool quoted = false;

		for (const char *c = row; *c; c++) {
			quoted ^= *c == '"';
			commas += *c == ',' && !quoted;
		}
		assert_int_equal(commas, 3);
		rows++;
	}
	assert_true(rows > 500);
	mem_free(text);
}

#define FEW "--set scalarprod.pairs=8 "

static void results_do_not_depend_on_host_threads(void **state)
{
	assert_int_equal(
		desk_run(*state, "run scalarprod " FEW "--quiet --json %F/one --csv %F/c1"), 0);
	assert_int_equal(desk_run(*state, "run scalarprod " FEW
					  "--quiet --json %F/two --csv %F/c2 --threads 2 "
					  "--no-pin"),
		0);
	assert_int_equal(desk_run(*state, "list; cmp %F/one %F/two && cmp %F/c1 %F/c2"), 0);
}

static void host_stats_appear_only_when_asked_for(void **state)
{
	json_t *j;

	assert_int_equal(desk_run(*state, "run vectoradd --json %F/j --host-stats --threads 2"), 0);
	j = desk_json(*state, "j");
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(j, "host"), "threads")), 2);
	json_decref(j);
}

static void a_reader_that_went_away_ends_the_command_quietly(void **state)
{
	assert_int_equal(desk_run(*state, "run vectoradd >&-"), 9);
	assert_says(*state, "err", "");
	assert_int_equal(desk_run(*state, "--help >&-"), 9);
}

/* ---- outputs */
static void assert_kind(const struct desk *p, const char *name, mode_t kind)
{
	char path[128];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", p->folder, name);
	assert_int_equal(lstat(path, &st), 0);
	assert_int_equal(st.st_mode & S_IFMT, kind);
}

/* A file is replaced as a whole; devices and links are not. */
static void links_and_pipes_stay_what_they_are(void **state)
{
	const struct desk *p = *state;
	char link[128], pipe[128];

	snprintf(link, sizeof(link), "%s/link", p->folder);
	snprintf(pipe, sizeof(pipe), "%s/pipe", p->folder);
	assert_int_equal(symlink("target", link), 0);
	assert_int_equal(mkfifo(pipe, 0600), 0);
	assert_int_equal(desk_run(p, "--version >%F/target; true"), 0);
	assert_int_equal(desk_run(p, "occupancy vectoradd --quiet --csv %F/link"), 0);
	assert_kind(p, "link", S_IFLNK);
	assert_says(p, "target", "partitioned,");
	desk_run(p, "occupancy vectoradd --quiet --csv %F/pipe & cat %F/pipe >%F/got; wait");
	assert_kind(p, "pipe", S_IFIFO);
	assert_says(p, "got", "partitioned,");
}

static void two_outputs_want_two_files(void **state)
{
	const struct desk *p = *state;

	assert_int_equal(desk_run(p, "run vectoradd --json %F/x --csv %F/x"), 2);
	assert_says(p, "err", "--json and --csv: both are written to");
	assert_false(desk_has(p, "x"));
	assert_int_equal(desk_run(p, "occupancy vectoradd --quiet --csv %F/x"), 0);
	assert_int_equal(desk_run(p, "occupancy vectoradd --json %F/x --csv %F/./x"), 2);
	assert_int_equal(
		desk_run(p, "occupancy vectoradd --quiet --json /dev/null --csv /dev/null"), 0);
}

static void a_file_that_may_not_grow_is_reported(void **state)
{
	const struct desk *p = *state;

	assert_int_equal(desk_finish(desk_start(p, "run vectoradd --quiet --json grown", 4096)), 9);
	assert_says(p, "err", "grown: cannot write: ");
	assert_false(desk_has(p, "grown"));
}

/* ---- signals */
static void nap(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
}

/* Starts a run that never ends by itself. */
static pid_t start_endless(const struct desk *p)
{
	char scenario[600], json_path[128], err_path[128];
	pid_t child;

	snprintf(scenario, sizeof(scenario), "%s/endless.yaml", p->scenarios);
	snprintf(json_path, sizeof(json_path), "%s/j", p->folder);
	snprintf(err_path, sizeof(err_path), "%s/err", p->folder);
	signal(SIGUSR1, SIG_IGN); /* in the child from the start, as in the program once it runs */
	child = fork();
	assert_true(child >= 0);
	if (child)
		return child;
	dup2(open(err_path, O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
	execl(p->program, p->program, "run", scenario, "--quiet", "--json", json_path,
		(char *)NULL);
	_exit(127);
}

static void an_interrupt_ends_in_a_partial_report_and_a_status_line_comes_on_demand(void **state)
{
	pid_t child = start_endless(*state);
	bool told = false;
	int status;
	json_t *j;

	for (unsigned i = 0; i < 1200 && !told; i++) {
		char *text;

		nap();
		kill(child, SIGUSR1);
		text = desk_has(*state, "err") ? desk_content(*state, "err") : NULL;
		told = text && strstr(text, "warp instructions/s, CTAs 0/1");
		mem_free(text);
	}
	assert_true(told);
	kill(child, SIGINT);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 10);
	j = desk_json(*state, "j");
	assert_true(json_is_false(json_object_get(j, "complete")));
	json_decref(j);
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, desk_set_up, desk_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(every_command_runs),
		TEST(the_manual_page_has_what_the_tables_say),
		TEST(the_manual_page_describes_every_command_and_option_once),
		TEST(documents_have_the_tables_of_help),
		TEST(the_text_report_has_every_line_of_its_table),
		TEST(json_reports_the_whole_run),
		TEST(stdout_holds_only_json_when_json_goes_there),
		TEST(csv_has_four_columns_in_every_row),
		TEST(results_do_not_depend_on_host_threads),
		TEST(host_stats_appear_only_when_asked_for),
		TEST(links_and_pipes_stay_what_they_are),
		TEST(two_outputs_want_two_files),
		TEST(a_file_that_may_not_grow_is_reported),
		TEST(a_reader_that_went_away_ends_the_command_quietly),
		TEST(an_interrupt_ends_in_a_partial_report_and_a_status_line_comes_on_demand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
