/* warpbeam reproduce, the figures of MICRO 2012: the paper's numbers against each other, figures of
 * runs by hand, the command against the runs that it makes, and questions that are wrong. */
#include "tests/rig/support_cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base.h"
#include "core/mem.h"
#include "papers/m12/m12.h"
#include "papers/m12/table1_rows.h"

static void near(double ours, double theirs, double around)
{
	if (fabs(ours - theirs) > around)
		fail_msg("%.6f is not %.6f", ours, theirs);
}

/* ---- what the paper says */
static const struct table1_row *row_of(const char *workload)
{
	for (unsigned i = 0; i < TABLE1_ROWS; i++)
		if (!strcmp(table1_rows[i].workload, workload))
			return &table1_rows[i];
	fail_msg("no row %s", workload);
	return NULL;
}

/* Section 4.5: registers and shared memory of 1024 threads, the rest of 384 KB is cache. */
static void partitions_follow_from_table_1(void **state)
{
	(void)state;
	for (unsigned i = 0; i < M12_GAINS; i++) {
		const struct m12_gain *g = &m12_gains[i];
		const double *figure = row_of(g->workload)->figure;

		near(g->registers, figure[TABLE1_REGISTERS], 0);
		near(g->register_kb, figure[TABLE1_REGISTER_FILE], 0);
		near(g->shared_kb, figure[TABLE1_SHARED], 0);
		near(g->register_kb + g->shared_kb + g->cache_kb, 384, 0.06);
		near(g->dram, figure[TABLE1_DRAM_256] / figure[TABLE1_DRAM_64], 0.001);
		near(g->partitioned_threads,
			fmin(1024, 32 * floor(65536 / fmax(figure[TABLE1_SHARED], 1) / 32)), 0);
	}
}

/* The paper's averages: arithmetic of speeds, harmonic of energies. */
static void averages_follow_from_the_rows(void **state)
{
	static const double speeds[] = {0.97, 1.14, 1.16}, energies[] = {0.98, 0.87, 0.87};

	(void)state;
	for (unsigned k = 0; k < M12_CAPACITIES; k++) {
		double s[M12_GAINS], e[M12_GAINS];

		for (unsigned i = 0; i < M12_GAINS; i++) {
			s[i] = m12_gains[i].speedup[k];
			e[i] = m12_gains[i].energy[k];
		}
		near(means_of(s, M12_GAINS).arithmetic, speeds[k], 0.0051);
		near(means_of(e, M12_GAINS).harmonic, energies[k], 0.0051);
	}
}

static void eight_gain_and_eighteen_do_not(void **state)
{
	unsigned gain = 0, others = 0;

	(void)state;
	for (unsigned i = 0; i < TABLE1_ROWS; i++) {
		gain += m12_gains_from(table1_rows[i].workload);
		others += m12_is_other(table1_rows[i].workload);
	}
	assert_int_equal(gain, 8);
	assert_int_equal(others, 18);
	assert_false(m12_is_other("reduction"));
	assert_false(m12_gains_from("reduction"));
}

static void a_band_is_three_points_or_a_fifth_of_the_gain(void **state)
{
	(void)state;
	near(band_change(1.04, 20, 0.03).high, 1.07, 1e-9);
	near(band_change(1.15, 20, 0.03).high, 1.18, 1e-9);
	near(band_change(1.71, 20, 0.03).high, 1.852, 1e-9);
	near(band_change(0.64, 20, 0.03).high, 0.712, 1e-9);
}

/* ---- runs by hand */
static json_t *metrics(double cycles, double rest, double banks, double leakage, double dram)
{
	json_t *report = json_pack("{s:{s:{s:f},s:{s:f},s:{s:f},s:{s:f},s:{s:f},s:{s:f},s:{s:f},"
				   "s:{s:f},s:{s:f},s:{s:f},s:{s:f}}}",
		"metrics", "gpc__cycles_elapsed.max", "value", cycles, "energy__rest.sum", "value",
		rest, "energy__registers.sum", "value", banks, "energy__upper_registers.sum",
		"value", 0.0, "energy__shared.sum", "value", 0.0, "energy__cache.sum", "value", 0.0,
		"energy__leakage_split.sum", "value", leakage, "energy__leakage_fit.sum", "value",
		2 * leakage, "energy__dram.sum", "value", dram, "energy__core_leakage.sum", "value",
		leakage, "energy__sram_leakage.sum", "value", banks);

	assert_non_null(report);
	return report;
}

/* The power of the rest is that of the first run: half the time, half its energy, whatever the
 * second run's own was. With `work` all of it stays. */
static void energy_holds_the_power_of_the_first_run(void **state)
{
	json_t *before = metrics(1000, 100, 10, 50, 40), *after = metrics(500, 77, 5, 25, 20);
	struct store_energy split = {"split", false}, fit = {"fit", false}, work = {"split", true},
			    own = {NULL, false};

	(void)state;
	near(store_energy_of(before, after, &split), (50 + 5 + 25 + 20) / 200.0, 1e-12);
	near(store_energy_of(before, after, &fit), (50 + 5 + 50 + 20) / 250.0, 1e-12);
	near(store_energy_of(before, after, &work), (100 + 5 + 25 + 20) / 200.0, 1e-12);
	near(store_energy_of(before, before, &work), 1, 1e-12);
	near(store_energy_of(before, after, &own), (50 + 5 + 25 + 5 + 20) / 210.0, 1e-12);
	json_decref(before);
	json_decref(after);
}

static void a_partitioning_is_that_of_the_kernel_that_executes_most(void **state)
{
	json_t *report = json_pack("{s:[{s:i,s:[i,i,i],s:i,s:i,s:i,s:i,s:i,s:i},"
				   "{s:i,s:[i,i,i],s:i,s:i,s:i,s:i,s:i,s:i}]}",
		"launches", "warp_instructions", 10, "block", 64, 1, 1, "ctas_per_sm", 2,
		"registers", 9, "sm_register_bytes", 1024, "sm_shared_bytes", 0, "sm_cache_bytes",
		2048, "shared_bytes", 0, "warp_instructions", 11, "block", 16, 8, 1, "ctas_per_sm",
		3, "registers", 20, "sm_register_bytes", 40960, "sm_shared_bytes", 8192,
		"sm_cache_bytes", 4096, "shared_bytes", 2048);
	struct store_partition p;

	(void)state;
	assert_non_null(report);
	p = store_partition_of(report);
	near(p.threads, 384, 0);
	near(p.registers, 20, 0);
	near(p.register_kb, 40, 0);
	near(p.shared_kb, 8, 0);
	near(p.shared_used_kb, 6, 0);
	near(p.cache_kb, 4, 0);
	assert_true(isnan(store_partition_of(NULL).threads));
	json_decref(report);
}

static void a_step_of_the_ladder_is_the_variant_of_compare(void **state)
{
	struct design plain = store_partitioned(""), fixed = store_variant(VARIANT_FIXED, &plain),
		      whole = store_variant(VARIANT_WHOLE, &plain);

	(void)state;
	assert_true(fixed.as_it_is);
	assert_non_null(strstr(fixed.set, "chip.dispatch=static chip.even_share=true "));
	assert_non_null(strstr(whole.set, "chip.sms=1 "));
	assert_non_null(strstr(whole.set, "chip.bytes_per_ns=8 "));
	assert_non_null(strstr(whole.set, "chip.storage=partitioned"));
}

/* ---- the command */
static const json_t *row_named(const json_t *j, const char *text)
{
	const json_t *row;
	size_t i;

	json_array_foreach(json_object_get(j, "rows"), i, row)
	{
		if (!strcmp(json_string_value(json_object_get(row, "text")), text))
			return row;
	}
	fail_msg("no row '%s'", text);
	return NULL;
}

static double number(const json_t *j, const char *text, const char *key)
{
	return json_number_value(json_object_get(row_named(j, text), key));
}

#define SM " --set rf.entries=4 --set sm.bank_conflicts=penalty --set chip.partition=application "
#define ONE \
	" --set chip.sms=1 --set chip.channels=1 --set chip.slices=1 --set chip.bytes_per_ns=8 " \
	"--set chip.network=ideal --set l2.bytes=0 --set sm.invalidate_l1=false "
#define LITTLE " --set lps.nz=8 --quiet"

static double cycles_of(const struct desk *p, const char *settings)
{
	char words[900];
	json_t *j;
	double cycles;

	snprintf(words, sizeof(words), "run lps" LITTLE " --json %%F/run" SM "%s", settings);
	assert_int_equal(desk_run(p, words), 0);
	j = desk_json(p, "run");
	cycles = point_metric(j, "gpc__cycles_elapsed.max");
	json_decref(j);
	return cycles;
}

/* Each column is the quotient of two runs of the command run. */
static void a_speed_is_the_quotient_of_two_runs(void **state)
{
	const struct desk *p = *state;
	json_t *j;

	assert_int_equal(desk_run(p, "reproduce fig7 lps" LITTLE " --json %F/j"), 0);
	j = desk_json(p, "j");
	near(number(j, "lps: speed", "ours"),
		cycles_of(p, ONE) / cycles_of(p, ONE "--set chip.storage=unified"), 1e-12);
	near(number(j, "lps: speed", "chip"),
		cycles_of(p, "") / cycles_of(p, "--set chip.storage=unified"), 1e-12);
	json_decref(j);
}

static void any_number_of_processes_tells_the_same(void **state)
{
	const struct desk *p = *state;
	char *one, *two;

	assert_int_equal(desk_run(p, "reproduce table6 lps" LITTLE " --jobs 1 --csv %F/one"), 0);
	assert_int_equal(desk_run(p, "reproduce table6 lps" LITTLE " --jobs 4 --csv %F/two"), 0);
	one = desk_content(p, "one");
	two = desk_content(p, "two");
	assert_string_equal(one, two);
	assert_non_null(strstr(one, "\"the others: speed, arithmetic mean, 128 KB\""));
	assert_null(strstr(one, "M12-036"));
	mem_free(one);
	mem_free(two);
}

/* 1024 threads of which each has 132 bytes, and so on: at most what the storage holds. */
static void partitions_leave_nothing_and_exceed_nothing(void **state)
{
	static const char *const parts[] = {"ray: registers", "ray: shared memory", "ray: cache"};
	const struct desk *p = *state;
	double sum = 0;
	json_t *j;

	assert_int_equal(desk_run(p, "reproduce fig8 ray --quiet --json %F/j"), 0);
	j = desk_json(p, "j");
	for (unsigned i = 0; i < ARRAY_LEN(parts); i++)
		sum += number(j, parts[i], "ours");
	assert_true(sum <= 384 && sum > 383.4);
	near(number(j, "ray: threads that fit, unified", "chip"), 1024, 0);
	json_decref(j);
}

/* An input of one's own replaces the documented one; curves are drawn, and reported. */
static void what_a_figure_sets_itself_is_said(void **state)
{
	const struct desk *p = *state;
	char *err;

	assert_int_equal(desk_run(p, "reproduce fig7 lps" LITTLE " --set chip.storage=fermi "
				     "--set chip.read_cycles=390 --set storage.unified.bytes=256K"),
		0);
	assert_says(p, "err", "note: --set chip.storage=fermi changes nothing: every machine of");
	assert_says(p, "err", "machines of these tables have their own storage.unified.bytes");
	err = desk_content(p, "err");
	assert_null(strstr(err, "read_cycles"));
	mem_free(err);
}

static void needle_has_a_curve_for_each_blocking_factor_in_each_column(void **state)
{
	const struct desk *p = *state;
	char *svg;
	json_t *j;

	assert_int_equal(desk_run(p, "reproduce fig11 needle --set needle.n=64 --quiet --svg "
				     "%F/svg --json %F/j"),
		0);
	j = desk_json(p, "j");
	near(number(j, "blocks of 64, 1024 threads", "ours"), 16 * 33284 / 1024.0, 1e-9);
	near(number(j, "blocks of 16", "ours"), 2180, 1e-9);
	near(number(j, "blocks of 32", "chip"), 8452, 1e-9);
	near(number(j, "blocks of 64, 521 KB: 1024 threads", "ours"), 1, 0);
	assert_int_equal(json_array_size(json_object_get(j, "curves")), 2 * (6 + 8 + 9));
	svg = desk_content(p, "svg");
	assert_non_null(strstr(svg, "fig11, needle: one SM"));
	assert_non_null(strstr(svg, "fig11, needle: chip"));
	mem_free(svg);
	json_decref(j);
}

/* The best of the runs, of which all threads that fit are one; a mean of one is not the paper's of
 * eight. */
static void the_best_number_of_threads_is_as_fast_as_any(void **state)
{
	const struct desk *p = *state;
	const json_t *dot;
	double best = 0;
	json_t *j;
	size_t i;

	assert_int_equal(desk_run(p, "reproduce tuned pcr --set pcr.n=256 --set pcr.systems=4 "
				     "--quiet --json %F/j"),
		0);
	j = desk_json(p, "j");
	json_array_foreach(json_object_get(j, "curves"), i, dot)
	{
		double y = json_number_value(json_object_get(dot, "y"));

		if (!strcmp(json_string_value(json_object_get(dot, "column")), "ours"))
			best = y > best ? y : best;
	}
	assert_true(i >= 8);
	near(number(j, "pcr: speed, best number of threads", "ours"), best, 1e-12);
	near(number(j, "speed: arithmetic mean", "ours"), best, 1e-12);
	json_decref(j);
	assert_says(p, "j", "of 1 of the paper's 8 workloads");
}

/* With less time the rest's power takes less energy; its work does not. */
static void figures_compare_energy_as_the_settings_say(void **state)
{
	static const char *const readings[] = {"power", "work"};
	const struct desk *p = *state;
	double energy[2];

	for (unsigned i = 0; i < ARRAY_LEN(readings); i++) {
		char command[160];
		json_t *j;

		snprintf(command, sizeof(command),
			"reproduce fig9 needle --set needle.n=512 --set energy.reading=%s --quiet "
			"--json %%F/j",
			readings[i]);
		assert_int_equal(desk_run(p, command), 0);
		j = desk_json(p, "j");
		energy[i] = number(j, "needle: energy", "ours");
		assert_true(number(j, "needle: speed", "ours") > 1.05);
		json_decref(j);
	}
	assert_true(energy[0] < energy[1] - 0.02);
}

/* A setting of a workload is for that workload. */
static void a_workload_keeps_its_own_settings(void **state)
{
	const struct desk *p = *state;
	json_t *one, *two;

	assert_int_equal(desk_run(p, "reproduce fig7 lps" LITTLE " --quiet --json %F/one"), 0);
	assert_int_equal(desk_run(p, "reproduce fig7 lps vectoradd" LITTLE
				     " --set vectoradd.n=2048 --quiet --json %F/two"),
		0);
	one = desk_json(p, "one");
	two = desk_json(p, "two");
	near(number(two, "lps: speed", "ours"), number(one, "lps: speed", "ours"), 0);
	json_decref(one);
	json_decref(two);
}

static const struct {
	const char *words;
	int code;
	const char *says;
} wrong[] = {
	{"reproduce fig99", 2, "reproduce fig99: there is no such table; did you mean 'fig9'?"},
	{"reproduce fig9 vectoradd", 2, "reproduce fig9: it does not have 'vectoradd'"},
	{"reproduce fig7 needle", 2, "reproduce fig7: it does not have 'needle'"},
	{"reproduce fig11 bfs", 2, "reproduce fig11: it does not have 'bfs'"},
	{"reproduce fig2 neddle", 2, "there is no workload 'neddle'; did you mean 'needle'?"},
	{"reproduce fig9 --svg x", 2, "reproduce fig9 has no curves that --svg could draw"},
	{"reproduce table1 --svg x", 2, "reproduce table1 has no curves that --svg could draw"},
	{"reproduce fig2 --svg - --csv -", 2, "only one of --json, --csv and --svg can be"},
	{"reproduce fig9 ray --set ray.colour=1", 3, "ray, and 3 more of the runs: --set: unknown"},
	{"reproduce fig9 ray --set needle.n=64", 2, "'needle' is not among the workloads"},
};

static void wrong_questions_get_one_clear_answer(void **state)
{
	const struct desk *p = *state;

	for (unsigned i = 0; i < ARRAY_LEN(wrong); i++) {
		int code = desk_run(p, wrong[i].words);

		if (code != wrong[i].code)
			fail_msg("%s: %d", wrong[i].words, code);
		assert_says(p, "err", wrong[i].says);
		assert_says(p, "out", "");
	}
}

#define AT_DESK(test) cmocka_unit_test_setup_teardown(test, desk_set_up, desk_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(partitions_follow_from_table_1),
		cmocka_unit_test(averages_follow_from_the_rows),
		cmocka_unit_test(eight_gain_and_eighteen_do_not),
		cmocka_unit_test(a_band_is_three_points_or_a_fifth_of_the_gain),
		cmocka_unit_test(energy_holds_the_power_of_the_first_run),
		cmocka_unit_test(a_partitioning_is_that_of_the_kernel_that_executes_most),
		cmocka_unit_test(a_step_of_the_ladder_is_the_variant_of_compare),
		AT_DESK(a_speed_is_the_quotient_of_two_runs),
		AT_DESK(any_number_of_processes_tells_the_same),
		AT_DESK(partitions_leave_nothing_and_exceed_nothing),
		AT_DESK(what_a_figure_sets_itself_is_said),
		AT_DESK(needle_has_a_curve_for_each_blocking_factor_in_each_column),
		AT_DESK(the_best_number_of_threads_is_as_fast_as_any),
		AT_DESK(figures_compare_energy_as_the_settings_say),
		AT_DESK(a_workload_keeps_its_own_settings),
		AT_DESK(wrong_questions_get_one_clear_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
