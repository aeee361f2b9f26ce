/* warpbeam reproduce, the dissertation's figures: what is listed, rows against the runs they are
 * computed from, verdicts, and that what cannot be compared is not judged. */
#include "tests/rig/support_cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "papers/dissertation/dis.h"
#include "papers/papers.h"

static void near(double ours, double theirs)
{
	assert_true(fabs(ours - theirs) <= 1e-9 * fabs(theirs));
}

/* ---- rows */
static void a_row_is_judged_by_its_band_or_not_at_all(void **state)
{
	struct book_row row = {.low = 1, .high = 2, .ours = 2, .judge = BOOK_BAND};

	(void)state;
	assert_string_equal(book_verdict(&row, row.ours), "within");
	row.ours = 2.01;
	assert_string_equal(book_verdict(&row, row.ours), "near");
	row.ours = 3.01; /* farther than the band is wide */
	assert_string_equal(book_verdict(&row, row.ours), "missed");
	row.ours = NAN;
	assert_string_equal(book_verdict(&row, row.ours), "missing");
	row.judge = BOOK_TOLD;
	assert_string_equal(book_verdict(&row, row.ours), "");
	row.judge = BOOK_PRIVATE;
	assert_string_equal(book_verdict(&row, row.ours), "not comparable");
}

static json_t *hand_made(void)
{
	return json_pack("{s:{s:{s:i},s:{s:i}},s:{s:{s:i}},s:{s:{s:i}},s:{s:i}}", "energy", "total",
		"count", 46, "single_level", "count", 100, "reads", "mrf", "count", 41, "work",
		"instructions", "count", 100, "traffic", "writebacks", 7);
}

static void figures_are_read_from_a_report(void **state)
{
	json_t *j = hand_made();

	(void)state;
	assert_non_null(j);
	near(dis_saved(j), 54);
	near(dis_mrf_reads(j), 0.41);
	near(dis_ratio(j, "traffic.writebacks", "work.instructions"), 0.07);
	assert_true(isnan(dis_ratio(j, "reads.lrf", "work.instructions")));
	assert_true(isnan(dis_ratio(j, "reads.mrf", "work.nothing")));
	json_decref(j);
}

/* ---- the command */
static void all_tables_are_listed(void **state)
{
	assert_int_equal(desk_run(*state, "reproduce"), 0);
	assert_says(*state, "out", "table1 ");
	assert_says(*state, "out", "dis ");
	for (unsigned i = 0; targets[i]; i++) {
		assert_says(*state, "out", targets[i]->name);
		assert_says(*state, "out", targets[i]->text);
	}
}

static const json_t *row_of(const json_t *j, const char *text)
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

static double ours(const json_t *j, const char *text)
{
	return json_number_value(json_object_get(row_of(j, text), "ours"));
}

static double share(const json_t *registers, const char *group, const char *key)
{
	return json_number_value(
		json_object_get(json_object_get(json_object_get(registers, group), key), "share"));
}

/* One workload's mean is its own figure, and exec reports the same for the same run. */
static void a_row_says_what_exec_says_of_the_same_run(void **state)
{
	const struct desk *p = *state;
	json_t *table, *run, *registers;

	assert_int_equal(desk_run(p, "reproduce fig6.15 scalarprod --quiet --json %F/table"), 0);
	assert_int_equal(desk_run(p, "exec scalarprod --registers --quiet --json %F/run --set "
				     "rf.hierarchy=software --set rf.entries=3 --set rf.lrf=3"),
		0);
	table = desk_json(p, "table");
	run = desk_json(p, "run");
	registers = json_object_get(run, "registers");
	near(ours(table, "MRF, banks"), 100 * share(registers, "energy", "mrf_bank"));
	near(ours(table, "ORF, wires"), 100 * share(registers, "energy", "orf_wire"));
	near(ours(table, "LRF, banks"), 100 * share(registers, "energy", "lrf_bank"));
	json_decref(table);
	json_decref(run);
}

static void values_are_shares_of_all_values(void **state)
{
	const struct desk *p = *state;
	json_t *j;

	assert_int_equal(desk_run(p, "reproduce fig6.1 vectoradd --json %F/j --csv %F/c"), 0);
	assert_says(p, "out", "32-bit addresses; 1 workload\n");
	assert_says(p, "c",
		"table,claim,text,paper,ours,low,high,verdict,unit,note,long_strands,kept,no_"
		"addresses,not_fitted\n");
	assert_says(p, "c", "fig6.1,DIS-071,read more than once,20,");
	j = desk_json(p, "j");
	near(ours(j, "never read") + ours(j, "read once") + ours(j, "read twice") +
			ours(j, "read more often"),
		100);
	json_decref(j);
}

static void what_came_from_private_traces_is_not_judged(void **state)
{
	const struct desk *p = *state;
	const json_t *row;
	json_t *j;
	size_t i;

	assert_int_equal(desk_run(p, "reproduce chapter5 vectoradd --quiet --json %F/j"), 0);
	j = desk_json(p, "j");
	assert_true(json_array_size(json_object_get(j, "rows")) > 10);
	json_array_foreach(json_object_get(j, "rows"), i, row)
	{
		assert_string_equal(
			json_string_value(json_object_get(row, "verdict")), "not comparable");
		assert_true(json_is_number(json_object_get(row, "ours")));
	}
	json_decref(j);
}

static void tables_of_inputs_run_nothing_and_judge_nothing(void **state)
{
	const struct desk *p = *state;

	assert_int_equal(desk_run(p, "reproduce table4.5"), 0);
	assert_says(p, "out", "ORF or RFC of 5: write");
	assert_int_equal(desk_run(p, "reproduce table4.6 --csv -"), 0);
	assert_says(p, "out", "table4.6,,ORF to the shared datapath,0.4,0.4,,,,mm,");
}

static void the_limits_that_need_no_run_hold(void **state)
{
	const struct desk *p = *state;
	json_t *j;

	assert_int_equal(desk_run(p, "reproduce section6.6 vectoradd --quiet --json %F/j"), 0);
	j = desk_json(p, "j");
	near(ours(j, "all accesses in the LRF, banks alone"), 100 * (1 - 246.1 / 1864));
	near(ours(j, "all accesses in an ORF of 5, banks alone"), 100 * (1 - 726.0 / 1864));
	near(ours(j, "all accesses in the LRF, with wires"), 100 * (1 - 323.24 / 3406.8));
	json_decref(j);
}

/* A load's address, and what is stored: an address is no operand of the other way to count. */
static void addresses_can_be_left_out(void **state)
{
	const struct desk *p = *state;
	json_t *j;

	assert_int_equal(desk_run(p, "reproduce table6.1 vectoradd --quiet --json %F/j"), 0);
	j = desk_json(p, "j");
	assert_true(json_number_value(json_object_get(row_of(j, "single level"), "no_addresses")) <
		    ours(j, "single level") - 0.15);
	json_decref(j);
}

/* dct8x8's layout was chosen by a table (warpbeam list). */
static void fitted_workloads_are_in_no_score_and_means_stand_without_them(void **state)
{
	const struct desk *p = *state;
	json_t *both, *one;
	double mean;

	assert_int_equal(
		desk_run(p, "reproduce table6.1 dct8x8 vectoradd --quiet --json %F/both"), 0);
	assert_int_equal(desk_run(p, "reproduce table6.1 vectoradd --quiet --json %F/one"), 0);
	both = desk_json(p, "both");
	one = desk_json(p, "one");
	mean = json_number_value(json_object_get(row_of(both, "single level"), "not_fitted"));
	near(mean, ours(one, "single level"));
	assert_true(fabs(mean - ours(both, "single level")) > 0.05);
	json_decref(both);
	json_decref(one);
	assert_int_equal(desk_run(p, "reproduce fig7 dct8x8 vectoradd"), 0);
	assert_says(p, "out", "2 workloads\nfitted, in no score: dct8x8\n");
	assert_says(p, "out", "energy: arithmetic mean without fitted");
	assert_says(p, "out", "within the band, one SM: 1 of 1\n");
}

static void eight_warps_need_no_more_than_eight_active_ones(void **state)
{
	const struct desk *p = *state;
	json_t *j;

	/* One CTA of eight warps: more active ones cannot matter. */
	assert_int_equal(
		desk_run(p, "reproduce fig2.7 vectoradd --set vectoradd.n=32 --quiet --json %F/j "
			    "--svg %F/s"),
		0);
	j = desk_json(p, "j");
	near(ours(j, "16 active warps"), 1);
	near(ours(j, "8 active warps lose nothing"), 1);
	assert_string_equal(json_string_value(json_object_get(
				    row_of(j, "8 active warps lose nothing"), "verdict")),
		"within");
	json_decref(j);
	assert_says(p, "s", ">active warps</text>");
	assert_says(p, "s", ">paper</text>"); /* its points beside ours, dashed */
	assert_says(p, "s", "stroke-dasharray");
}

#define AT_DESK(test) cmocka_unit_test_setup_teardown(test, desk_set_up, desk_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_row_is_judged_by_its_band_or_not_at_all),
		cmocka_unit_test(figures_are_read_from_a_report),
		AT_DESK(all_tables_are_listed),
		AT_DESK(a_row_says_what_exec_says_of_the_same_run),
		AT_DESK(values_are_shares_of_all_values),
		AT_DESK(what_came_from_private_traces_is_not_judged),
		AT_DESK(tables_of_inputs_run_nothing_and_judge_nothing),
		AT_DESK(the_limits_that_need_no_run_hold),
		AT_DESK(addresses_can_be_left_out),
		AT_DESK(fitted_workloads_are_in_no_score_and_means_stand_without_them),
		AT_DESK(eight_warps_need_no_more_than_eight_active_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
