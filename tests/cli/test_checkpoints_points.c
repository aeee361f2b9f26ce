/* Checkpoints of a sweep's points, which go on where they were stopped, and variants that begin
 * from one warm state. */
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base.h"
#include "core/mem.h"
#include "tests/rig/support_cli.h"

static void assert_same_files(const struct desk *d, const char *a, const char *b)
{
	char *one = desk_content(d, a), *other = desk_content(d, b);

	assert_int_equal(strcmp(one, other), 0);
	mem_free(one);
	mem_free(other);
}

static unsigned states(const struct desk *d)
{
	char pattern[128];
	glob_t found;
	unsigned n;

	snprintf(pattern, sizeof(pattern), "%s/*.state", d->folder);
	n = glob(pattern, 0, NULL, &found) ? 0 : (unsigned)found.gl_pathc;
	if (n)
		globfree(&found);
	return n;
}

/* ---- sweeps */
#define SWEEP "sweep needle --quiet --jobs 1 --set chip.sms=4 --over sm.alu_cycles=8,9 "

static void a_stopped_point_goes_on(void **state)
{
	const struct desk *d = *state;
	pid_t pid;

	assert_int_equal(desk_run(d, SWEEP "--out %F/a.sqlite --csv %F/a.csv"), 0);
	pid = desk_start(d, SWEEP "--out b.sqlite --checkpoint-every 20000", 0);
	for (unsigned i = 0; i < 30000 && !states(d); i++)
		usleep(1000);
	assert_int_equal(kill(pid, SIGTERM), 0);
	assert_int_equal(desk_finish(pid), 10);
	assert_int_equal(states(d), 1);
	assert_int_equal(desk_run(d, SWEEP "--out %F/b.sqlite --csv %F/b.csv"), 0);
	assert_says(d, "err", "needle, sm.alu_cycles=8: goes on from");
	assert_int_equal(states(d), 0);
	assert_same_files(d, "a.csv", "b.csv");
}

/* Whatever is under its name: the point begins. */
static void a_point_whose_file_is_damaged_begins(void **state)
{
	const struct desk *d = *state;
	char command[256];
	pid_t pid;

	pid = desk_start(d, SWEEP "--out b.sqlite --checkpoint-every 20000", 0);
	for (unsigned i = 0; i < 30000 && !states(d); i++)
		usleep(1000);
	assert_int_equal(kill(pid, SIGTERM), 0);
	assert_int_equal(desk_finish(pid), 10);
	snprintf(command, sizeof(command),
		"cd %s && for f in *.state; do head -c 5000 $f >x && mv x $f; done", d->folder);
	assert_int_equal(system(command), 0);
	assert_int_equal(desk_run(d, SWEEP "--out %F/b.sqlite"), 0);
	assert_says(d, "err", "the checkpoint is damaged or incomplete");
	assert_int_equal(states(d), 0);
}

static void the_option_needs_a_file_of_results(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(desk_run(d, "reproduce table1 --checkpoint-every 60s"), 2);
	assert_says(d, "err", "--checkpoint-every goes with --out FILE");
	assert_int_equal(desk_run(d, SWEEP "--out %F/b.sqlite --checkpoint-every 1m"), 2);
	assert_says(d, "err", "must be cycles (1000000), or seconds (60s)");
}

/* ---- variants */
static int run(const struct desk *d, const char *target, const char *more)
{
	char command[512];

	snprintf(command, sizeof(command), "run %s --quiet --set chip.sms=2 %s", target, more);
	return desk_run(d, command);
}

/* In the first window no parameter of these has been used: from there the variant is the run that
 * had it from its beginning, and not the run without it. */
static void a_variant_has_what_its_parameter_does(void **state)
{
#define BANKED "--set chip.channels=1 --set chip.dram=banked "
	static const struct {
		const char *target, *changed;
	} rows[] = {
		{"reduction", "energy.sm_w=2.5"},
		{"reduction", "sm.alu_cycles=11"},
		{"mriq", "sm.sfu_cycles=31"},
		{"reduction", "sm.branch_cycles=13"},
		{"reduction", "pipe.shift_cycles=17"},
		{"transpose " BANKED "--set dram.scheduler=frfcfs_cap", "dram.frfcfs_cap.cap=1"},
		{"reduction " BANKED "--set dram.scheduler=parbs", "dram.parbs.cap=2"},
		{"transpose " BANKED, "dram.drain.write_high=40"},
		{"transpose " BANKED, "dram.drain.write_low=79"},
	};
	const struct desk *d = *state;
	char more[128];

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char *plain, *changed;

		print_message("%s\n", rows[i].changed);
		assert_int_equal(run(d, rows[i].target,
					 "--checkpoint %F/c --checkpoint-every 20 --max-cycles 25"),
			8);
		assert_int_equal(run(d, rows[i].target, "--csv %F/plain"), 0);
		snprintf(more, sizeof(more), "--set %s --csv %%F/a", rows[i].changed);
		assert_int_equal(run(d, rows[i].target, more), 0);
		snprintf(more, sizeof(more), "--from %%F/c --set %s --csv %%F/b", rows[i].changed);
		assert_int_equal(run(d, rows[i].target, more), 0);
		assert_same_files(d, "a", "b");
		plain = desk_content(d, "plain");
		changed = desk_content(d, "b");
		assert_true(strcmp(plain, changed) != 0);
		mem_free(plain);
		mem_free(changed);
	}
}

static void variants_of_a_warm_state_are_right_and_repeatable(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(
		run(d, "reduction", "--checkpoint %F/c --checkpoint-every 2000 --json %F/a"), 0);
	assert_int_equal(run(d, "reduction", "--from %F/c --json %F/b"), 0);
	assert_same_files(d, "a", "b");
	assert_int_equal(
		run(d, "reduction", "--from %F/c --set pipe.mad_cycles=40 --json %F/x"), 0);
	assert_int_equal(
		run(d, "reduction", "--from %F/c --set pipe.mad_cycles=40 --threads 2 --json %F/y"),
		0);
	assert_same_files(d, "x", "y");
}

static void other_parameters_are_refused_by_name(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(run(d, "reduction", "--checkpoint %F/c --checkpoint-every 2000"), 0);
	assert_int_equal(run(d, "reduction", "--from %F/c --set l1.ways=2"), 2);
	assert_says(d, "err",
		"'l1.ways = 4' there, 'l1.ways = 2' here: the state depends on this parameter");
	assert_int_equal(run(d, "reduction", "--from %F/c --seed 2"), 3);
	assert_says(d, "err", "it is of a run with 'seed 1', this one has 'seed 2'");
	assert_int_equal(run(d, "reduction", "--from %F/c --set chip.dram=banked"), 2);
	assert_says(d, "err", "chip.dram = bandwidth");
	assert_int_equal(run(d, "reduction", "--from %F/c --resume %F/c"), 2);
	assert_says(d, "err", "of --resume and --from only one can be given");
}

int main(void)
{
#ifndef HAVE_ZSTD
	return 77; /* skipped: this build cannot pack them */
#endif
	const struct CMUnitTest tests[] = {
#ifdef HAVE_SQLITE
		cmocka_unit_test_setup_teardown(
			a_stopped_point_goes_on, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			a_point_whose_file_is_damaged_begins, desk_set_up, desk_tear_down),
#endif
		cmocka_unit_test_setup_teardown(
			the_option_needs_a_file_of_results, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			a_variant_has_what_its_parameter_does, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(variants_of_a_warm_state_are_right_and_repeatable,
			desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			other_parameters_are_refused_by_name, desk_set_up, desk_tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
