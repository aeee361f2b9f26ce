/* The options of traces as a user meets them: files, messages, exit codes. */
#include "tests/rig/support_cli.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base.h"
#include "core/mem.h"
#include "core/text.h"
#include "tests/rig/trace_reader.h"
#include "tests/rig/vcd_reader.h"

static const struct {
	const char *arguments;
	int code;
	const char *file, *says;
} commands[] = {
	{"run --help", 0, "out", "--trace-window A:B"},
	{"topology --signals", 0, "out", "* sm.0.warps_resident"},
	{"topology --signals", 0, "out", "  sm.31.scheduler_0"},
	{"topology --signals --set chip.dram=banked", 0, "out", "* dram.5.reads_queued"},
	{"run vectoradd --trace", 2, "err", "--trace needs FILE"},
	{"run vectoradd --trace -", 2, "err", "--trace -: must be a file"},
	{"run vectoradd --vcd -", 2, "err", "--vcd -: must be a file"},
	{"run vectoradd --trace %F/x --vcd %F/x", 2, "err", "both are written to"},
	{"run vectoradd --trace-filter sm.0", 2, "err", "--trace-filter goes with --trace"},
	{"run vectoradd --vcd %F/x --trace-every 3", 2, "err", "--trace-every goes with --trace"},
	{"run vectoradd --trace %F/x --vcd-filter sm.0", 2, "err", "--vcd-filter goes with --vcd"},
	{"run vectoradd --trace-window 1:2", 2, "err", "goes with --trace or --vcd"},
	{"run vectoradd --trace-limit 1", 2, "err", "--trace-limit goes with --trace or --vcd"},
	{"run vectoradd --trace %F/x --trace-window 5", 2, "err", "--trace-window 5: must be A:B"},
	{"run vectoradd --trace %F/x --trace-window 5:5", 2, "err", "5:5: must be A:B"},
	{"run vectoradd --trace %F/x --trace-window 9:5", 2, "err", "9:5: must be A:B"},
	{"run vectoradd --trace %F/x --trace-window :5", 2, "err", ":5: must be A:B"},
	{"run vectoradd --trace %F/x --trace-window 1:2x", 2, "err", "1:2x: must be A:B"},
	{"run vectoradd --trace %F/x --trace-window -1:2", 2, "err", "-1:2: must be A:B"},
	{"run vectoradd --trace %F/x --trace-window 1:99999999999999999999", 2, "err", "A:B"},
	{"run vectoradd --trace %F/x --trace-limit 0", 2, "err", "--trace-limit 0: must be"},
	{"run vectoradd --trace %F/x --trace-every 0", 2, "err", "--trace-every 0: must be"},
	{"run vectoradd --trace %F/x --trace-filter sn.0", 2, "err",
		"--trace-filter 'sn.0': no part and no signal"},
	{"run vectoradd --trace %F/x --trace-filter sm.0,,sm.1", 2, "err", "--trace-filter ''"},
	{"run vectoradd --vcd %F/x --vcd-filter 'sm.[0'", 2, "err", "--vcd-filter 'sm.[0'"},
	{"run vectoradd --trace %F/no/x", 9, "err", "no/x: cannot write"},
	{"run vectoradd --trace %F/x --vcd %F/no/x", 9, "err", "no/x: cannot write"},
	{"compare vectoradd --trace %F/x", 2, "err", "unknown option --trace"},
};

static void bad_inputs_have_one_message_and_leave_no_file(void **state)
{
	const struct desk *d = *state;

	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		int code = desk_run(d, commands[i].arguments);
		char *said;

		if (code != commands[i].code)
			print_error("%s: exit code %d\n", commands[i].arguments, code);
		assert_int_equal(code, commands[i].code);
		assert_says(d, commands[i].file, commands[i].says);
		said = desk_content(d, "err");
		if (code)
			assert_ptr_equal(strchr(said, '\n'), strrchr(said, '\n'));
		mem_free(said);
		assert_int_equal(desk_run(d, "--version >/dev/null; ls %F | grep -c x"), 1);
	}
}

static void results_do_not_depend_on_traces(void **state)
{
	const struct desk *d = *state;
	char *with, *without;

	assert_int_equal(desk_run(d, "run needle --json %F/a.json"), 0);
	assert_int_equal(desk_run(d, "run needle --json %F/b.json --trace %F/t --vcd %F/v "
				     "--threads 2"),
		0);
	without = desk_content(d, "a.json");
	with = desk_content(d, "b.json");
	assert_string_equal(with, without);
	mem_free(with);
	mem_free(without);
}

static struct read_trace trace_of(const struct desk *d, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", d->folder, name);
	return read_trace(path);
}

static void a_partial_run_leaves_a_whole_trace(void **state)
{
	const struct desk *d = *state;
	struct read_trace t;
	struct vcd_file f;
	char path[128];

	assert_int_equal(
		desk_run(d,
			"run vectoradd --set chip.sms=4 --max-cycles 1000 --trace %F/t --vcd %F/v"),
		8);
	t = trace_of(d, "t");
	snprintf(path, sizeof(path), "%s/v", d->folder);
	f = read_vcd(path);
	assert_true(t.end == 1000 && f.end == 1000);
	assert_true(t.nslices > 10);
	read_trace_free(&t);
	read_vcd_free(&f);
}

static void a_run_that_never_starts_leaves_nothing(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(desk_run(d, "run vectoradd --set chip.sms=0 --trace %F/t"), 3);
	assert_int_equal(desk_run(d, "run vectoradd --dump nothing=%F/d --trace %F/t"), 2);
	assert_int_equal(desk_run(d, "run %S/nowhere.yaml --trace %F/t --vcd %F/v"), 3);
	assert_false(desk_has(d, "t") || desk_has(d, "v"));
	assert_int_equal(desk_run(d, "--version >/dev/null; ls %F | grep -c '[tv]\\.'"), 1);
}

static void a_limit_is_reported_with_what_is_missing(void **state)
{
	const struct desk *d = *state;
	struct read_trace t;

	assert_int_equal(desk_run(d, "run vectoradd --trace %F/t --vcd %F/v --trace-every 1 "
				     "--trace-limit 1"),
		0);
	assert_says(d, "err", "t: --trace-limit was reached at cycle ");
	assert_says(d, "err", "v: --trace-limit was reached at cycle ");
	t = trace_of(d, "t");
	assert_true(t.full && t.bytes <= 1000000);
	read_trace_free(&t);
}

static void a_window_behind_the_end_is_warned_of(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(
		desk_run(d, "run vectoradd --trace %F/t --trace-window 1000000:2000000"), 0);
	assert_says(d, "err", "t: the run ended before --trace-window began");
	assert_says(d, "out", "check: passed");
}

/* The host refuses to let a file grow: as on a disk that is full. */
static void a_file_that_cannot_grow_is_an_error_and_not_there(void **state)
{
	const struct desk *d = *state;
	struct text arguments = {0};

	text_raw(&arguments,
		"--version; ulimit -f 64; '%s' run vectoradd --quiet --trace-every 1 --trace %%F/t",
		d->program);
	assert_int_equal(desk_run(d, text_str(&arguments)), 9);
	assert_says(d, "err", "t: cannot write: File too large");
	assert_int_equal(desk_run(d, "--version >/dev/null; ls %F | grep -c '^t'"), 1);
	text_clear(&arguments);
}

static void a_scenario_is_traced_by_stream(void **state)
{
	const struct desk *d = *state;
	struct read_trace t;

	assert_int_equal(desk_run(d, "run %S/add.yaml --trace %F/t --trace-every 1"), 0);
	t = trace_of(d, "t");
	assert_true(t.nslices > 0);
	assert_string_equal(t.tracks[0].name + strlen(t.tracks[0].name) - 8, "add.yaml");
	assert_int_not_equal(read_track_named(&t, t.tracks[0].name, "stream 0"), UINT_MAX);
	read_trace_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define ON_DESK(test) cmocka_unit_test_setup_teardown(test, desk_set_up, desk_tear_down)
		ON_DESK(bad_inputs_have_one_message_and_leave_no_file),
		ON_DESK(results_do_not_depend_on_traces),
		ON_DESK(a_partial_run_leaves_a_whole_trace),
		ON_DESK(a_run_that_never_starts_leaves_nothing),
		ON_DESK(a_limit_is_reported_with_what_is_missing),
		ON_DESK(a_window_behind_the_end_is_warned_of),
		ON_DESK(a_file_that_cannot_grow_is_an_error_and_not_there),
		ON_DESK(a_scenario_is_traced_by_stream),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
