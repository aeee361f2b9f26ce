/* warpbeam compare: its arithmetic, its rungs against runs by hand, kernels that share a chip, and
 * questions that are wrong. */
#include "tests/rig/support_cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/together.h"
#include "core/mem.h"
#include "core/text.h"

/* ---- arithmetic */
static void near(double ours, double theirs)
{
	assert_true(fabs(ours - theirs) <= 1e-12 * fabs(theirs));
}

static void means_are_the_fields(void **state)
{
	struct means m = means_of((double[]){1, NAN, 2, 4}, 4);

	(void)state;
	assert_int_equal(m.n, 3);
	near(m.arithmetic, 7.0 / 3);
	near(m.geometric, 2);
	near(m.harmonic, 3 / 1.75);
	m = means_of((double[]){-1, 3}, 2);
	near(m.arithmetic, 1);
	assert_true(isnan(m.geometric) && isnan(m.harmonic));
	m = means_of((double[]){NAN}, 1);
	assert_true(!m.n && isnan(m.arithmetic) && isnan(m.geometric) && isnan(m.harmonic));
}

static void errors_are_relative_to_the_chip(void **state)
{
	(void)state;
	near(error_pct(3, 2), 50);
	near(error_pct(1, 2), -50);
	assert_true(isnan(error_pct(1, 0)) && isnan(error_pct(NAN, 2)) && isnan(error_pct(1, NAN)));
}

static void a_share_is_scaled_launch_by_launch(void **state)
{
	json_t *report = json_pack("{s:{s:{s:i}},s:[{s:i,s:i,s:i,s:i,s:i,s:i},{s:i,s:i,s:i,s:i,s:i,"
				   "s:i}],s:[{s:s,s:i}]}",
		"metrics", "gpc__cycles_elapsed.max", "value", 640, "launches", "ctas", 64,
		"timed_ctas", 2, "warp_instructions", 10, "dram_read_bytes", 100,
		"dram_write_bytes", 5, "flushed_bytes", 2, "ctas", 3, "timed_ctas", 1,
		"warp_instructions", 7, "dram_read_bytes", 50, "dram_write_bytes", 0,
		"flushed_bytes", 1, "configuration", "path", "l2.bytes", "value", 0);
	struct outcome o;

	(void)state;
	assert_non_null(report);
	outcome_read(&o, report, 32);
	near(o.figure[FIGURE_CYCLES], 640);
	near(o.figure[FIGURE_CHIP_CYCLES], 20);
	near(o.figure[FIGURE_INSTRUCTIONS], 10 * 32 + 7 * 3);
	near(o.figure[FIGURE_READ], 100 * 32 + 50 * 3);
	near(o.figure[FIGURE_WRITTEN], 7 * 32 + 1 * 3);
	near(o.figure[FIGURE_BYTES], 107 * 32 + 51 * 3);
	assert_true(isnan(o.figure[FIGURE_L2_HITS]));
	json_decref(report);
}

/* SM 0 waits from 60 to 100 while only launch 0 runs, from 240 to 250 for launch 2 alone, and for
 * launch 3, of which it has nothing. */
static void sm_0s_cycles_leave_out_its_waits_for_others(void **state)
{
	json_t *report = json_pack(
		"{s:{s:{s:i}},s:[{s:i,s:i,s:[ii]},{s:i,s:i,s:[ii]},{s:i,s:i,s:[ii]},"
		"{s:i,s:i,s:[ni]}]}",
		"metrics", "gpc__cycles_elapsed.max", "value", 320, "launches", "start_cycle", 0,
		"end_cycle", 100, "sm_end_cycles", 60, 100, "start_cycle", 200, "end_cycle", 250,
		"sm_end_cycles", 230, 250, "start_cycle", 110, "end_cycle", 240, "sm_end_cycles",
		240, 220, "start_cycle", 300, "end_cycle", 320, "sm_end_cycles", 320);
	struct outcome o;

	(void)state;
	assert_non_null(report);
	outcome_read(&o, report, 1);
	near(o.figure[FIGURE_OWN_CYCLES], 320 - 40 - 10 - 20);
	json_decref(report);
}

static void a_mix_is_summed_up(void **state)
{
	struct together_party p[] = {{.alone.cycles = 100, .shared.cycles = 200},
		{.alone.cycles = 100, .shared.cycles = 125}};
	struct together t = {.parties = p, .n = 2};
	struct together_summary s = together_summary(&t);

	(void)state;
	near(s.throughput, 1.3);
	near(s.turnaround, 1.625);
	near(s.fairness, 0.625);
}

static void the_ladder_goes_from_the_share_to_the_chip_and_beyond(void **state)
{
	(void)state;
	assert_int_equal(rungs[0].variant, VARIANT_SHARE);
	assert_int_equal(rungs[nrungs - 5].variant, VARIANT_CHIP);
	assert_int_equal(rungs[nrungs - 4].variant, VARIANT_BURSTS_32);
	assert_int_equal(rungs[nrungs - 3].variant, VARIANT_BURSTS_64);
	assert_int_equal(rungs[nrungs - 2].variant, VARIANT_BANKS);
	assert_int_equal(rungs[nrungs - 1].variant, VARIANT_KEPT);
	for (unsigned i = 0; i < nrungs; i++)
		if (i != nrungs - 5)
			assert_int_not_equal(variants[rungs[i].variant].knobs[0].kind, KNOB_END);
}

/* ---- the command */
static json_t *target(json_t *j, unsigned i)
{
	return json_array_get(json_object_get(j, "targets"), i);
}

/* One comparison that several tests read: equal work and unequal, one launch and many, atomics,
 * textures, CTAs for a few SMs only. */
enum { VECTORADD, BFS, HOTSPOT, SUBJECTS = 6 };
static struct desk *compared;
static json_t *comparison;

static int compare_once(void **state)
{
	desk_set_up((void **)&compared);
	assert_int_equal(
		desk_run(compared, "compare vectoradd bfs hotspot bicubictexture reduction "
				   "needle --json %F/j --csv %F/c --svg %F/s"),
		0);
	comparison = desk_json(compared, "j");
	assert_int_equal(json_array_size(json_object_get(comparison, "targets")), SUBJECTS);
	(void)state;
	return 0;
}

static int forget_comparison(void **state)
{
	json_decref(comparison);
	(void)state;
	return desk_tear_down((void **)&compared);
}

static double figure(json_t *subject, const char *run, const char *name)
{
	json_t *f = json_object_get(
		json_object_get(json_object_get(json_object_get(subject, "runs"), run), "figures"),
		name);

	assert_non_null(f);
	return json_number_value(json_object_get(f, "value"));
}

/* "--set a=1 --set b=2", as JSON has a run's settings. */
static void add_settings(json_t *settings, struct text *out)
{
	const char *path;
	json_t *v;

	json_object_foreach(settings, path, v)
	{
		char *plain = json_dumps(v, JSON_ENCODE_ANY);

		text_raw(out, " --set %s=%s", path,
			json_is_string(v) ? json_string_value(v) : plain);
		free(plain);
	}
}

/* Launches of one stream: none runs beside another. */
static double sm_0s_cycles(json_t *report)
{
	json_t *launches = json_object_get(report, "launches"), *l;
	double sum = (double)json_metric(report, "gpc__cycles_elapsed.max");
	size_t i;

	json_array_foreach(launches, i, l)
	{
		json_t *end = json_array_get(json_object_get(l, "sm_end_cycles"), 0);

		sum -= json_number_value(json_object_get(l, "end_cycle")) - json_number_value(end);
	}
	return sum;
}

/* The run by hand must give the figures of the comparison's run. */
static void run_by_hand(const struct desk *p, json_t *subject, const char *run)
{
	json_t *told = json_object_get(json_object_get(subject, "runs"), run), *j;
	struct text command = {0};
	json_int_t bytes;

	text_raw(&command, "run %s --quiet --json %%F/hand", json_text(subject, "target"));
	add_settings(json_object_get(told, "settings"), &command);
	assert_int_equal(desk_run(p, text_str(&command)), 0);
	text_clear(&command);
	j = desk_json(p, "hand");
	assert_true(json_equal(json_object_get(j, "metrics"), json_object_get(told, "metrics")));
	assert_int_equal(json_metric(j, "gpc__cycles_elapsed.max"), figure(subject, run, "cycles"));
	near(sm_0s_cycles(j), figure(subject, run, "sm0_cycles"));
	bytes = json_metric(j, "dram__bytes.sum") + json_metric(j, "lts__bytes_flushed.sum");
	if (strcmp(run, "share"))
		assert_int_equal(bytes, figure(subject, run, "dram_bytes"));
	json_decref(j);
}

static void every_rung_is_what_its_settings_give_by_hand(void **state)
{
	static const char *const runs[] = {"chip", "whole", "share", "fixed", "even", "shared",
		"network", "bursts_32", "bursts_64", "banks", "l1_kept"};

	for (unsigned i = VECTORADD; i <= BFS; i++)
		for (unsigned k = 0; k < ARRAY_LEN(runs); k++)
			run_by_hand(*state, target(comparison, i), runs[k]);
}

static json_t *rung(json_t *subject, unsigned i)
{
	return json_array_get(json_object_get(subject, "ladder"), i);
}

static double on_rung(json_t *subject, unsigned i, const char *key)
{
	json_t *v = json_object_get(rung(subject, i), key);

	assert_true(json_is_number(v));
	return json_number_value(v);
}

static void the_first_two_rungs_agree_within_three_per_cent(void **state)
{
	(void)state;
	for (unsigned i = 0; i < SUBJECTS; i++) {
		json_t *t = target(comparison, i);

		assert_string_equal(json_text(rung(t, 1), "rung"), "even_share");
		assert_true(fabs(on_rung(t, 1, "cycles_change_pct")) <= 3);
	}
}

static void imbalance_is_what_the_slowest_sm_adds(void **state)
{
	static const struct {
		unsigned subject;
		double least, most;
	} cases[] = {{BFS, 15, 30}, {HOTSPOT, 8, 15}, {VECTORADD, 0, 0}};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		json_t *t = target(comparison, cases[i].subject);
		double change = on_rung(t, 2, "cycles_change_pct");

		assert_string_equal(json_text(rung(t, 2), "rung"), "imbalance");
		near(on_rung(t, 1, "cycles"), figure(t, "fixed", "sm0_cycles"));
		near(on_rung(t, 2, "cycles"), figure(t, "fixed", "cycles"));
		near(on_rung(t, 3, "cycles"), figure(t, "even", "cycles"));
		assert_true(change >= cases[i].least && change <= cases[i].most);
	}
}

/* The banks take the chip's bandwidth; where they cannot be, their rung is empty and all others
 * stay.
 */
static void the_banks_rung_is_left_out_where_it_means_nothing(void **state)
{
	json_t *j;

	assert_int_equal(desk_run(*state, "compare vectoradd --set chip.bytes_per_ns=128 "
					  "--quiet --json %F/j"),
		0);
	j = desk_json(*state, "j");
	assert_int_equal(
		json_integer_value(json_object_get(
			json_object_get(
				json_object_get(json_object_get(target(j, 0), "runs"), "banks"),
				"settings"),
			"dram.tck_ps")),
		1500);
	json_decref(j);
	assert_int_equal(desk_run(*state, "compare vectoradd --set dram.min_bytes=32 --csv %F/c "
					  "--svg %F/s --json %F/j"),
		0);
	j = desk_json(*state, "j");
	assert_true(json_is_null(json_object_get(rung(target(j, 0), 9), "cycles")));
	assert_true(on_rung(target(j, 0), 6, "cycles") > 0);
	json_decref(j);
}

static void changes_by_hand(json_t *subject, unsigned i, unsigned from)
{
	static const char *const figures[][2] = {
		{"cycles", "cycles_change_pct"}, {"dram_bytes", "dram_bytes_change_pct"}};

	assert_string_equal(
		json_text(rung(subject, i), "from"), json_text(rung(subject, from), "rung"));
	for (unsigned k = 0; k < ARRAY_LEN(figures); k++)
		assert_true(fabs(on_rung(subject, i, figures[k][1]) -
				    100 * (on_rung(subject, i, figures[k][0]) /
							  on_rung(subject, from, figures[k][0]) -
						  1)) < 1e-9);
}

/* bfs writes single words here and there, and reads one graph in many launches. */
static void bursts_and_a_kept_l1_are_told_from_what_they_add_to(void **state)
{
	json_t *bfs = target(comparison, BFS);

	(void)state;
	assert_says(compared, "out", "the chip, L1s kept between launches");
	assert_says(compared, "s", "the chip, L1s kept between launches");
	assert_says(compared, "c", "bfs,base,bursts_64,ladder_dram_bytes_change,");
	changes_by_hand(bfs, 7, 6);
	changes_by_hand(bfs, 8, 7);
	changes_by_hand(bfs, 9, 8);
	changes_by_hand(bfs, 10, 6);
	assert_true(on_rung(bfs, 7, "dram_bytes_change_pct") > 0);
	assert_true(on_rung(bfs, 8, "dram_bytes_change_pct") > 0);
	assert_true(on_rung(bfs, 10, "cycles_change_pct") < 0);
	assert_true(figure(bfs, "l1_kept", "l1_hit_rate") > figure(bfs, "chip", "l1_hit_rate"));
}

/* A chip whose own bursts are longer has no rung of shorter ones: what comes next is compared with
 * it.
 */
static void bursts_shorter_than_the_chips_are_left_out(void **state)
{
	json_t *j, *t;

	assert_int_equal(
		desk_run(*state, "compare vectoradd --set dram.min_bytes=64 --quiet --json %F/j"),
		0);
	j = desk_json(*state, "j");
	t = target(j, 0);
	assert_true(json_is_null(json_object_get(rung(t, 7), "cycles")));
	assert_true(json_is_null(json_object_get(rung(t, 7), "cycles_change_pct")));
	assert_string_equal(json_text(rung(t, 8), "from"), "l2");
	assert_true(on_rung(t, 8, "cycles_change_pct") == 0);
	assert_string_equal(json_text(rung(t, 10), "from"), "l2");
	json_decref(j);
}

/* Which instructions run does not depend on the machine. */
static void all_runs_execute_the_same_instructions(void **state)
{
	json_t *runs, *r;
	const char *run;

	(void)state;
	for (unsigned i = 0; i < SUBJECTS; i++) {
		double chip = figure(target(comparison, i), "chip", "warp_instructions");

		runs = json_object_get(target(comparison, i), "runs");
		json_object_foreach(runs, run, r)
		{
			assert_int_equal(json_metric(r, "smsp__inst_executed.sum") +
						 json_metric(r, "chip__inst_executed_untimed.sum"),
				chip);
		}
	}
}

static void results_do_not_depend_on_jobs_and_threads(void **state)
{
	static const char *const files[] = {"json", "csv", "svg"};
	char name[2][32];

	assert_int_equal(desk_run(*state, "compare vectoradd needle --set chip.sms=8 --against "
					  "chip.bytes_per_ns=64 --jobs 1 --json %F/json1 --csv "
					  "%F/csv1 --svg %F/svg1"),
		0);
	assert_int_equal(desk_run(*state, "compare vectoradd needle --set chip.sms=8 --against "
					  "chip.bytes_per_ns=64 --jobs 5 --threads 2 --json "
					  "%F/json2 --csv %F/csv2 --svg %F/svg2"),
		0);
	for (unsigned i = 0; i < ARRAY_LEN(files); i++) {
		char *text[2];

		for (unsigned k = 0; k < 2; k++) {
			snprintf(name[k], sizeof(name[k]), "%s%u", files[i], k + 1);
			text[k] = desk_content(*state, name[k]);
		}
		assert_string_equal(text[0], text[1]);
		mem_free(text[0]);
		mem_free(text[1]);
	}
}

static void a_second_configuration_is_told_as_speedup(void **state)
{
	json_t *j, *speedup;

	assert_int_equal(
		desk_run(*state, "compare vectoradd --against chip.bytes_per_ns=128 --json "
				 "%F/j"),
		0);
	assert_says(*state, "out", "speedup against chip.bytes_per_ns=128");
	j = desk_json(*state, "j");
	speedup = json_object_get(target(j, 0), "speedup");
	near(json_real_value(json_object_get(speedup, "chip")),
		figure(target(j, 0), "chip", "cycles") /
			figure(json_object_get(target(j, 0), "against"), "chip", "cycles"));
	near(json_real_value(json_object_get(json_object_get(speedup, "errors_pct"), "share")),
		100 * (json_real_value(json_object_get(speedup, "share")) /
				      json_real_value(json_object_get(speedup, "chip")) -
			      1));
	assert_true(json_real_value(json_object_get(speedup, "chip")) < 0.8);
	json_decref(j);
}

static void a_scenario_is_compared_like_a_workload(void **state)
{
	json_t *j, *command;

	assert_int_equal(desk_run(*state, "compare %S/half.yaml --json %F/j"), 0);
	assert_says(*state, "out", "one SM (share)");
	j = desk_json(*state, "j");
	command = json_object_get(j, "command");
	assert_true(json_is_null(json_object_get(command, "chip")));
	assert_null(json_object_get(command, "size")); /* a workload's, as seed and address size */
	assert_null(json_object_get(command, "seed"));
	assert_null(json_object_get(command, "address_bits"));
	assert_string_equal(json_text(target(j, 0), "chip"), "m12");
	json_decref(j);
}

/* ---- kernels that share a chip */
static json_t *party(json_t *j, unsigned i)
{
	return json_array_get(json_object_get(j, "parties"), i);
}

static double had(json_t *one, const char *run, const char *name)
{
	json_t *v = json_object_get(json_object_get(one, run), name);

	assert_non_null(v);
	return json_number_value(v);
}

static void kernels_that_share_channels_slow_each_other_down(void **state)
{
	double bytes = 0;
	json_t *j;

	assert_int_equal(
		desk_run(*state, "compare vectoradd vectoradd --together --sms vectoradd=0-15 "
				 "--sms vectoradd=16-31 --set chip.bytes_per_ns=64 "
				 "--quiet --json %F/j"),
		0);
	j = desk_json(*state, "j");
	for (unsigned i = 0; i < 2; i++) {
		double slowdown = json_number_value(json_object_get(party(j, i), "slowdown"));

		assert_true(slowdown > 1.5 && slowdown < 3);
		near(slowdown, had(party(j, i), "together", "cycles") /
				       had(party(j, i), "alone", "cycles"));
		bytes += had(party(j, i), "together", "dram_bytes_read");
		assert_int_equal(json_array_size(json_object_get(party(j, i), "launches")), 1);
	}
	assert_int_equal(bytes, json_metric(j, "dram__bytes_read.sum"));
	json_decref(j);
}

static void kernels_with_little_traffic_on_own_sms_leave_each_other_alone(void **state)
{
	json_t *j;

	assert_int_equal(
		desk_run(*state, "compare needle matrixmul --together --sms needle=0-7 --sms "
				 "matrixmul=8-31 --quiet --json %F/j --csv %F/c"),
		0);
	assert_says(*state, "c", "matrixmul,together,slowdown,");
	j = desk_json(*state, "j");
	for (unsigned i = 0; i < 2; i++) {
		double slowdown = json_number_value(json_object_get(party(j, i), "slowdown"));

		assert_true(slowdown > 0.98 && slowdown < 1.05);
	}
	json_decref(j);
}

/* bfs queues its levels one after the other: it need not wait for its neighbour's end. */
static void a_party_goes_on_when_its_own_launches_are_complete(void **state)
{
	json_t *j;

	assert_int_equal(desk_run(*state, "compare bfs needle --together --sms bfs=0-15 --sms "
					  "needle=16-31 --json %F/j"),
		0);
	assert_says(*state, "out", "fairness");
	j = desk_json(*state, "j");
	assert_true(had(party(j, 0), "together", "cycles") <
		    had(party(j, 1), "together", "cycles") / 2);
	json_decref(j);
}

/* ---- questions that are wrong */
static const struct {
	const char *arguments;
	int code;
	const char *says;
} wrong[] = {
	{"", 2, "compare needs WORKLOAD|FILE.yaml"},
	{"vectorad", 2, "did you mean 'vectoradd'?"},
	{"vectoradd --set chip.share=4", 3, "leaves CTAs out"},
	{"vectoradd --set chip.share=0", 3, "chip.share = 0: must be 1"},
	{"vectoradd --set chip.even_share=true", 3, "divides the bandwidth"},
	{"vectoradd --share-bytes-per-ns 0", 2, "must be a bandwidth above 0"},
	{"vectoradd --share-bytes-per-ns -8", 2, "must be a bandwidth above 0"},
	{"vectoradd --share-bytes-per-ns nan", 2, "must be a bandwidth above 0"},
	{"vectoradd --against vectoradd.n=100", 2, "differ in more than the chip"},
	{"vectoradd --against chip.smss=1", 3, "did you mean 'chip.sms'?"},
	{"vectoradd --against chip.sms", 3, "no such machine"},
	{"vectoradd --against =", 2, "names no parameter"},
	{"vectoradd --set chip.dispatch=statik", 3, "chip.dispatch"},
	{"vectoradd --against m13", 3, "no such machine"},
	{"vectoradd --against %F/no.yaml", 3, "no.yaml"},
	{"vectoradd --against %S/half.yaml", 2, "alone"},
	{"%S/half.yaml --against %S/placed.yaml", 3, "differ in more than the chip: in launches"},
	{"%S/add.yaml", 3, "a launch names its SMs"},
	{"%S/half.yaml --size full", 2, "--size goes with a workload"},
	{"%S/failing.yaml", 1, "failing.yaml, chip:"},
	{"needle --set needle.block=17", 3, "needle, chip: needle.block = 17"},
	{"vectoradd --jobs 0", 2, "--jobs 0: must be"},
	{"vectoradd --sms vectoradd=1", 2, "--sms needs --together"},
	{"vectoradd --json - --svg -", 2, "only one of"},
	{"vectoradd --together", 2, "at least two targets"},
	{"vectoradd needle --together --svg %F/x", 2, "--svg draws the ladder"},
	{"vectoradd needle --together --against m12", 2, "--against does not go"},
	{"vectoradd needle --together --share-bytes-per-ns 8", 2, "does not go with --together"},
	{"vectoradd needle --together --sms bfs=1", 2, "there is no target 'bfs'"},
	{"vectoradd needle --together --sms needle=1 --sms needle=2", 2, "has its SMs already"},
	{"vectoradd needle --together --sms needle=", 2, "TARGET=0-15"},
	{"vectoradd needle --together --sms needle=3-1", 2, "must be a list such as"},
	{"vectoradd needle --together --sms needle=30-40", 3, "the chip has SMs 0 .. 31"},
	{"vectoradd %S/add.yaml --together", 3, "a chip or settings of its own"},
};

static void wrong_questions_are_told_before_anything_is_written(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		struct text command = {0};
		int code;

		text_raw(&command, "compare %s --json %%F/j --csv %%F/c", wrong[i].arguments);
		if (strstr(wrong[i].arguments, "--json"))
			text_clear(&command), text_raw(&command, "compare %s", wrong[i].arguments);
		code = desk_run(*state, text_str(&command));
		text_clear(&command);
		if (code != wrong[i].code)
			print_error("compare %s: exit code %d\n", wrong[i].arguments, code);
		assert_int_equal(code, wrong[i].code);
		assert_says(*state, "err", wrong[i].says);
		assert_says(*state, "out", "");
		assert_false(
			desk_has(*state, "j") || desk_has(*state, "c") || desk_has(*state, "x"));
	}
}

#define COMMAND_TEST(f) cmocka_unit_test_setup_teardown(f, desk_set_up, desk_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(means_are_the_fields),
		cmocka_unit_test(errors_are_relative_to_the_chip),
		cmocka_unit_test(a_share_is_scaled_launch_by_launch),
		cmocka_unit_test(sm_0s_cycles_leave_out_its_waits_for_others),
		cmocka_unit_test(a_mix_is_summed_up),
		cmocka_unit_test(the_ladder_goes_from_the_share_to_the_chip_and_beyond),
		COMMAND_TEST(every_rung_is_what_its_settings_give_by_hand),
		COMMAND_TEST(the_banks_rung_is_left_out_where_it_means_nothing),
		cmocka_unit_test(bursts_and_a_kept_l1_are_told_from_what_they_add_to),
		COMMAND_TEST(bursts_shorter_than_the_chips_are_left_out),
		cmocka_unit_test(the_first_two_rungs_agree_within_three_per_cent),
		cmocka_unit_test(imbalance_is_what_the_slowest_sm_adds),
		cmocka_unit_test(all_runs_execute_the_same_instructions),
		COMMAND_TEST(results_do_not_depend_on_jobs_and_threads),
		COMMAND_TEST(a_second_configuration_is_told_as_speedup),
		COMMAND_TEST(a_scenario_is_compared_like_a_workload),
		COMMAND_TEST(kernels_that_share_channels_slow_each_other_down),
		COMMAND_TEST(kernels_with_little_traffic_on_own_sms_leave_each_other_alone),
		COMMAND_TEST(a_party_goes_on_when_its_own_launches_are_complete),
		COMMAND_TEST(wrong_questions_are_told_before_anything_is_written),
	};

	return cmocka_run_group_tests(tests, compare_once, forget_comparison);
}
