/* What the command writes: never over what it reads, never two outputs in one file, with the mode
 * that it should have, all of it or nothing. */
#include "tests/rig/support_cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "core/file.h"

#define MOST 16

/* ---- the desk: one of each kind of input */
static const struct {
	const char *name, *text;
} files[] = {
	{"s.yaml", "chip: chip.yaml\n"
		   "buffers:\n  d: { file: data.bin }\n"
		   "launches:\n"
		   "  - { module: k.ptx, kernel: k, grid: 1, block: 32, args: [{buffer: d}] }\n"},
	{"chip.yaml", "chip.sms: 1\nchip.channels: 1\n"},
	{"data.bin", "0123456789abcdef"},
	{"k.cu", "a\nb\nc\n"},
	{"k.ptx", ".version 2.3\n.target sm_20\n.address_size 32\n.file 1 \"k.cu\"\n"
		  ".visible .entry k(.param .u32 p)\n{\n\t.reg .u32 %r<3>;\n\t.loc 1 2 0\n"
		  "\tld.param.u32 %r1, [p];\n\tst.global.u32 [%r1], %r1;\n\tret;\n}\n"},
	{"t.trace", "R 0x0\nR 0x40\n"},
	{"c.trace", "0 0\n1 40\n"},
	{"g.bin",
		"{\"schema\": \"warpbeam-hardware/1\", \"stand_in\": false, \"gpu\": {\"sms\": 1}, "
		"\"targets\": [], \"curves\": [{\"group\": \"latency\", \"what\": \"add.s32\", "
		"\"footprint\": 0, \"stride\": 0, \"warps\": 1, \"value\": 4, "
		"\"unit\": \"cycles\"}]}\n"},
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
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		put(*state, files[i].name, files[i].text);
	return 0;
}

static void assert_all_inputs_are_whole(const struct desk *d)
{
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		char *text = desk_content(d, files[i].name);

		assert_string_equal(text, files[i].text);
		mem_free(text);
	}
}

/* ---- command lines with an output, each with all its inputs */
static const struct {
	const char *only; /* the one output of its command's that it takes; NULL: all */
	enum command_bit bit;
	const char *arguments; /* %F is the folder; --quiet is left to the tests */
	const char *inputs[6];
} writing[] = {
	{NULL, COMMAND_RUN, "run %F/s.yaml", {"s.yaml", "chip.yaml", "data.bin", "k.ptx"}},
	{NULL, COMMAND_EXEC, "exec %F/s.yaml", {"s.yaml", "chip.yaml", "data.bin", "k.ptx"}},
	{NULL, COMMAND_PROFILE, "profile %F/s.yaml",
		{"s.yaml", "chip.yaml", "data.bin", "k.ptx", "k.cu"}},
	{"json", COMMAND_COMPARE, "compare %F/s.yaml",
		{"s.yaml", "chip.yaml", "data.bin", "k.ptx"}},
	{"csv", COMMAND_COMPARE, "compare %F/s.yaml", {"s.yaml", "chip.yaml", "data.bin", "k.ptx"}},
	{"svg", COMMAND_COMPARE, "compare %F/s.yaml", {"s.yaml", "chip.yaml", "data.bin", "k.ptx"}},
	{NULL, COMMAND_COMPARE, "compare --hardware %F/g.bin --chip %F/chip.yaml",
		{"g.bin", "chip.yaml"}},
	{NULL, COMMAND_CHECK, "check %F/k.ptx", {"k.ptx"}},
	{NULL, COMMAND_EXPLAIN, "explain %F/k.ptx --chip %F/chip.yaml",
		{"k.ptx", "k.cu", "chip.yaml"}},
	{NULL, COMMAND_SWEEP, "sweep %F/s.yaml --over l1.mshrs=8,9",
		{"s.yaml", "chip.yaml", "data.bin", "k.ptx"}},
	{NULL, COMMAND_TUNE, "tune %F/s.yaml", {"s.yaml", "chip.yaml", "data.bin", "k.ptx"}},
	{NULL, COMMAND_OCCUPANCY, "occupancy %F/k.ptx --block 32 --chip %F/chip.yaml",
		{"k.ptx", "chip.yaml"}},
	{"json", COMMAND_REPLAY, "replay dram %F/t.trace", {"t.trace"}},
	{"json", COMMAND_REPLAY, "replay cache %F/c.trace", {"c.trace"}},
	{NULL, COMMAND_REPLAY, "replay noc uniform:2x2", {NULL}},
	{NULL, COMMAND_REPRODUCE, "reproduce table1", {NULL}},
	{NULL, COMMAND_LIST, "list vectoradd", {NULL}},
};

/* The options of a command that write, from the program's own table. */
static unsigned outputs_of(enum command_bit bit, const char *names[MOST])
{
	unsigned n = 0;

	for (unsigned i = 0; i < OPTION_COUNT; i++) {
		const char *name = options_output((enum option_id)i, bit);

		if (name && n < MOST)
			names[n++] = name;
	}
	return n;
}

/* "--json PATH", with the buffer's name before it where that is asked for. */
static void add_output(struct text *line, const char *option, const char *path)
{
	text_add(line, " --%s %s%s", option, strcmp(option, "dump") ? "" : "d=", path);
}

static int run_text(const struct desk *d, struct text *line)
{
	int code = desk_run(d, text_str(line));

	text_clear(line);
	return code;
}

/* Every command that has an output is in the table above. */
static void every_command_that_writes_is_tried(void **state)
{
	(void)state;
	for (unsigned bit = 1; bit <= COMMAND_TUNE; bit <<= 1) {
		const char *names[MOST];
		bool found = !outputs_of((enum command_bit)bit, names);

		for (size_t i = 0; i < ARRAY_LEN(writing); i++)
			found |= writing[i].bit == bit;
		assert_true(found);
	}
}

static void assert_refused(const struct desk *d, int code, const char *arguments, const char *says)
{
	char *told;

	told = desk_content(d, "err");
	if (code != ERR_USAGE)
		print_error("%s: exit code %d: %s\n", arguments, code, told);
	mem_free(told);
	assert_int_equal(code, ERR_USAGE);
	assert_says(d, "err", says);
	told = desk_content(d, "err");
	assert_null(strstr(strchr(told, '\n') + 1, "\n")); /* one line */
	mem_free(told);
}

/* ---- inputs */
static void no_output_overwrites_an_input(void **state)
{
	static const char *const spellings[] = {"%F/", "%F/./", "%F/hard/", "%F/soft/", "%F/way/"};
	const struct desk *d = *state;
	unsigned turn = 0;

	assert_int_equal(desk_run(d, "--version; cd %F; mkdir hard soft; for f in *.* ; do "
				     "case $f in *.yaml|*.bin|*.cu|*.ptx|*.trace) ln $f hard/$f; "
				     "ln -s ../$f soft/$f;; esac; done; ln -s . way"),
		0);
	for (size_t i = 0; i < ARRAY_LEN(writing); i++) {
		const char *names[MOST];
		unsigned n = outputs_of(writing[i].bit, names);

		for (unsigned k = 0; k < n; k++)
			for (const char *const *in = writing[i].inputs; *in; in++, turn++) {
				struct text line = {0}, path = {0};

				if (writing[i].only && strcmp(writing[i].only, names[k]))
					continue;
				if (!strcmp(names[k], "checkpoint") && !strcmp(*in, "k.cu"))
					continue; /* source is read after the last checkpoint */
				/* Each option with each input, each spelling in its turn. */
				text_add(
					&path, "%s%s", spellings[turn % ARRAY_LEN(spellings)], *in);
				text_add(&line, "%s --quiet", writing[i].arguments);
				if (writing[i].bit == COMMAND_EXPLAIN) {
					line.len = 0;
					text_add(&line, "%s", writing[i].arguments);
				}
				if (writing[i].bit == COMMAND_SWEEP && strcmp(names[k], "out"))
					text_add(&line, " --out %%F/new.sqlite");
				add_output(&line, names[k], text_str(&path));
				assert_refused(
					d, run_text(d, &line), names[k], "this file is read");
				text_clear(&path);
			}
	}
	assert_all_inputs_are_whole(d);
	assert_false(desk_has(d, "new.sqlite"));
}

static void a_page_beside_which_results_are_kept_does_not_take_another_output(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(desk_run(d, "--version; ln -s p.sqlite %F/p.html"), 0);
	assert_refused(d, desk_run(d, "reproduce --all --html %F/p.html"), "--all",
		"--html and the file of results: both are written to");
	assert_refused(d, desk_run(d, "profile %F/s.yaml --sqlite %F/p --json %F/p-journal"),
		"journal", "the journal of --sqlite");
}

/* ---- two outputs */
static void two_outputs_are_two_files_however_they_are_spelled(void **state)
{
	static const char *const second[] = {"%F/a", "%F/./a", "%F/soft", "%F/way/a", "%F/hard"};
	const struct desk *d = *state;
	unsigned turn = 0;

	put(d, "a", "");
	assert_int_equal(desk_run(d, "--version; cd %F; ln a hard; ln -s a soft; ln -s . way"), 0);
	for (size_t i = 0; i < ARRAY_LEN(writing); i++) {
		const char *names[MOST];
		unsigned n = outputs_of(writing[i].bit, names);

		for (unsigned k = 1; k < n; k++, turn++) {
			struct text line = {0};

			text_add(&line, "%s", writing[i].arguments);
			add_output(&line, names[k - 1], "%F/a");
			add_output(&line, names[k], second[turn % ARRAY_LEN(second)]);
			assert_refused(d, run_text(d, &line), names[k], "both are written to");
		}
	}
	assert_refused(d, desk_run(d, "run %F/s.yaml --dump d=%F/a --dump d=%F/./a"), "dump",
		"both are written to");
}

static void a_file_that_is_not_there_yet_is_known_by_its_folder(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(desk_run(d, "--version; cd %F; ln -s new soft; ln -s . way"), 0);
	assert_refused(d, desk_run(d, "run %F/s.yaml --json %F/new --csv %F/way/way/new"), "way",
		"both are written to");
	assert_refused(d, desk_run(d, "run %F/s.yaml --json %F/new --csv %F/soft"), "soft",
		"both are written to");
	assert_false(desk_has(d, "new"));
	/* A dangling link stays, and its target is created. */
	assert_int_equal(desk_run(d, "run %F/s.yaml --quiet --json %F/soft && test -h %F/soft"), 0);
	assert_true(desk_has(d, "new"));
}

static void stdout_in_a_file_is_an_output_too(void **state)
{
	const struct desk *d = *state;

	assert_refused(d, desk_run(d, "run %F/s.yaml --json %F/out"), "out",
		"stdout and --json: both are written to");
	assert_int_equal(
		desk_run(d, "run %F/s.yaml --json /dev/stdout --csv /dev/fd/1 --quiet"), 0);
	assert_says(d, "out", "\"schema\"");
	assert_says(d, "out", "smsp__inst_executed.sum");
}

static void devices_and_pipes_take_any_number_of_outputs(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(desk_run(d, "run %F/s.yaml --quiet --json /dev/null --csv /dev/null "
				     "--dump d=/dev/null --trace /dev/null --vcd /dev/null"),
		0);
	assert_int_equal(desk_run(d, "--version; mkfifo %F/pipe"), 0);
	assert_int_equal(desk_run(d, "run %F/s.yaml --quiet --dump d=%F/pipe 3<>%F/pipe; "
				     "test -p %F/pipe"),
		0);
}

/* ---- what cannot be read */
static void what_is_no_file_is_refused_at_once(void **state)
{
	static const char *const paths[] = {"%F/pipe.yaml", "/dev/zero", "%F"};
	static const char *const says[] = {"is a pipe", "is a device", "is a folder"};
	static const char *const before[] = {
		"check ", "explain vectoradd --chip ", "replay dram ", "replay cache ", "run "};
	const struct desk *d = *state;

	assert_int_equal(desk_run(d, "--version; mkfifo %F/pipe.yaml"), 0);
	for (size_t i = 0; i < ARRAY_LEN(paths); i++)
		for (size_t k = 0; k < ARRAY_LEN(before); k++) {
			struct text line = {0};

			text_add(&line, "%s%s", before[k], paths[i]);
			assert_int_equal(run_text(d, &line), ERR_INPUT);
			assert_says(d, "err", says[i]);
		}
	assert_int_equal(desk_run(d, "check /dev/fd/3 3<>%F/pipe.yaml"), ERR_INPUT);
	assert_says(d, "err", "/dev/fd/3: is a pipe");
}

/* ---- modes */
static mode_t mode_of(const struct desk *d, const char *name)
{
	char path[128];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", d->folder, name);
	assert_int_equal(stat(path, &st), 0);
	return st.st_mode & 07777;
}

static void a_new_file_obeys_the_umask_and_an_old_one_keeps_its_mode(void **state)
{
	const struct desk *d = *state;
	mode_t before = umask(0077);

	put(d, "closed", "");
	umask(0002);
	put(d, "shared", "");
	put(d, "closed", "again");
	umask(0022);
	put(d, "shared", "again");
	assert_int_equal(mode_of(d, "closed"), 0600);
	assert_int_equal(mode_of(d, "shared"), 0664);
	umask(0007);
	assert_int_equal(desk_run(d, "profile %F/s.yaml --quiet --json %F/j --csv %F/shared "
				     "--html %F/closed"),
		0);
#ifdef HAVE_SQLITE
	assert_int_equal(desk_run(d, "profile %F/s.yaml --quiet --sqlite %F/q"), 0);
	assert_int_equal(mode_of(d, "q"), 0660);
#endif
	umask(before);
	assert_int_equal(mode_of(d, "j"), 0660);
	assert_int_equal(mode_of(d, "shared"), 0664);
	assert_int_equal(mode_of(d, "closed"), 0600);
}

/* ---- power cuts: this program's own fsync, rename and link replace the C library's */
static struct {
	char at[16];
	unsigned n;
	int fail; /* errno of the next fsync of a file */
} seen;

static void see(char what)
{
	if (seen.n < sizeof(seen.at) - 1)
		seen.at[seen.n++] = what;
	seen.at[seen.n] = '\0';
}

int fsync(int fd)
{
	struct stat st;

	fstat(fd, &st);
	see(S_ISDIR(st.st_mode) ? 'd' : 'f');
	if (!seen.fail || S_ISDIR(st.st_mode))
		return 0;
	errno = seen.fail;
	return -1;
}

int rename(const char *from, const char *to)
{
	see('r');
	return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

static void a_file_is_on_the_disk_before_its_name_leads_to_it(void **state)
{
	const struct desk *d = *state;

	memset(&seen, 0, sizeof(seen));
	put(d, "new", "text");
	assert_string_equal(seen.at, "frd"); /* the file, its name, the folder */
}

static void a_disk_that_fails_leaves_the_old_file(void **state)
{
	const struct desk *d = *state;
	struct err err = {0};
	char path[128], *old;

	put(d, "new", "old");
	snprintf(path, sizeof(path), "%s/new", d->folder);
	memset(&seen, 0, sizeof(seen));
	seen.fail = EIO;
	assert_int_equal(file_write(NULL, path, "text", 4, &err), -1);
	seen.fail = 0;
	assert_int_equal(err.code, ERR_HOST);
	assert_string_equal(seen.at, "f");
	old = desk_content(d, "new");
	assert_string_equal(old, "old");
	mem_free(old);
	err_clear(&err);
	assert_int_equal(desk_run(d, "--version; ! ls %F/new?*"), 0);
}

/* ---- full disks */
static void a_full_disk_leaves_nothing(void **state)
{
	static const char *const lines[] = {
#ifdef HAVE_SQLITE
		"sweep s.yaml --over l1.mshrs=8,9 --out q --quiet",
		"profile s.yaml --quiet --sqlite q", "reproduce table1 --out q --quiet",
#endif
		"run s.yaml --quiet --json q", "run s.yaml --quiet --trace q",
		"run s.yaml --quiet --vcd q", "profile s.yaml --quiet --html q"};
	const struct desk *d = *state;

	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		assert_int_equal(desk_finish(desk_start(d, lines[i], 512)), ERR_HOST);
		assert_says(d, "err", "warpbeam: q: ");
		assert_int_equal(desk_run(d, "--version; ! ls %F/q*"), 0);
	}
	if (access("/dev/full", W_OK))
		return;
	assert_int_equal(desk_run(d, "run %F/s.yaml --quiet --json /dev/full"), ERR_HOST);
	assert_says(d, "err", "/dev/full: cannot write: No space left on device");
}

int main(void)
{
#define test(f) cmocka_unit_test_setup_teardown(f, set_up, desk_tear_down)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_command_that_writes_is_tried),
		test(no_output_overwrites_an_input),
		test(a_page_beside_which_results_are_kept_does_not_take_another_output),
		test(two_outputs_are_two_files_however_they_are_spelled),
		test(a_file_that_is_not_there_yet_is_known_by_its_folder),
		test(stdout_in_a_file_is_an_output_too),
		test(devices_and_pipes_take_any_number_of_outputs),
		test(what_is_no_file_is_refused_at_once),
		test(a_new_file_obeys_the_umask_and_an_old_one_keeps_its_mode),
		test(a_file_is_on_the_disk_before_its_name_leads_to_it),
		test(a_disk_that_fails_leaves_the_old_file),
		test(a_full_disk_leaves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
