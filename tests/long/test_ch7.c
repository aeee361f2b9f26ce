/* warpbeam reproduce, chapter 7 of the dissertation: rows against the runs they are computed from,
 * what does not fit, and which of several ways a design is run. */
#include "tests/rig/support_cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "papers/dissertation/ch7.h"

static void near(double ours, double theirs)
{
	if (fabs(ours - theirs) > 1e-9 * fabs(theirs) || isnan(ours))
		fail_msg("%.17g is not %.17g", ours, theirs);
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

static double value(const json_t *j, const char *text, const char *column)
{
	return json_number_value(json_object_get(row_of(j, text), column));
}

/* Runs the program and returns a metric of its report. */
static double run(const struct desk *p, const char *arguments, const char *metric)
{
	struct text command = {0};
	double v;
	json_t *j;

	text_raw(&command, "run %s --quiet --json %%F/run", arguments);
	assert_int_equal(desk_run(p, text_str(&command)), 0);
	text_clear(&command);
	j = desk_json(p, "run");
	v = (double)json_metric(j, metric);
	json_decref(j);
	return v;
}

#define SM \
	" --set rf.hierarchy=software --set sm.bank_conflicts=penalty --set " \
	"chip.partition=application"
#define ONE_SM \
	" --set chip.sms=1 --set chip.channels=1 --set chip.slices=1 --set chip.bytes_per_ns=8 " \
	"--set chip.network=ideal --set l2.bytes=0 --set sm.invalidate_l1=false"
#define CYCLES "gpc__cycles_elapsed.max"

static void a_gain_is_of_two_runs_in_each_column(void **state)
{
	const struct desk *p = *state;
	double before, after;
	json_t *j;

	assert_int_equal(desk_run(p, "reproduce fig7.7 hotspot --quiet --json %F/j"), 0);
	j = desk_json(p, "j");
	before = run(p, "hotspot" SM ONE_SM, CYCLES);
	after = run(p,
		"hotspot" SM ONE_SM " --set storage.partitioned.register_bytes=128K --set "
		"storage.partitioned.shared_bytes=32K --set storage.partitioned.cache_bytes=32K",
		CYCLES);
	near(value(j, "hotspot: 128/32/32", "ours"), before / after);
	before = run(p, "hotspot" SM, CYCLES);
	after = run(p,
		"hotspot" SM " --set chip.storage=unified --set storage.unified.bytes=256K --set "
		"storage.unified.listed_caches=true --set storage.unified.cache_limit=256K",
		CYCLES);
	near(value(j, "hotspot: unified 256", "chip"), before / after);
	json_decref(j);
}

static void a_design_is_run_as_it_serves_best(void **state)
{
	const struct desk *p = *state;
	double fastest = INFINITY;
	char command[400];
	json_t *j;

	for (unsigned i = 0; i < CH7_THREADS; i++) {
		unsigned threads = ch7_thread_counts[i] == 1024 ? 0 : ch7_thread_counts[i];
		double cycles;

		snprintf(command, sizeof(command),
			"hotspot" SM " --set chip.storage=unified --set "
			"storage.unified.listed_caches=true --set "
			"storage.unified.cache_limit=256K --set storage.unified.threads=%u",
			threads);
		cycles = run(p, command, CYCLES);
		if (cycles < fastest)
			fastest = cycles;
	}
	assert_int_equal(desk_run(p, "reproduce fig7.7 hotspot --quiet --json %F/j"), 0);
	j = desk_json(p, "j");
	near(value(j, "hotspot: unified 384", "chip"), run(p, "hotspot" SM, CYCLES) / fastest);
	json_decref(j);
}

static void what_does_not_fit_is_no_fault(void **state)
{
	const struct desk *p = *state;
	json_t *j;

	/* Blocks of 64 take 33 KB, which 128/32/32 does not have: smaller ones are taken. */
	assert_int_equal(desk_run(p, "run needle --quiet --set needle.block=64 --set "
				     "storage.partitioned.shared_bytes=32K"),
		5);
	assert_int_equal(desk_run(p, "reproduce fig7.2 needle --quiet --set needle.n=256 "
				     "--json %F/j"),
		0);
	j = desk_json(p, "j");
	assert_true(json_is_null(json_object_get(row_of(j, "blocks of 64, 32 KB"), "ours")));
	assert_true(value(j, "blocks of 16, 16 KB", "ours") > 0);
	json_decref(j);
}

static void tags_are_those_of_the_largest_cache_in_the_list(void **state)
{
	const struct desk *p = *state;

	assert_int_equal(desk_run(p, "reproduce section7.3 bfs --csv -"), 0);
	assert_says(p, "out", "section7.3,DIS-122,");
	assert_says(p, "out", ",4.75,4.75,4.75,4.75,within,KB,");
}

static void a_book_without_all_six_judges_no_order(void **state)
{
	const struct desk *p = *state;
	json_t *j;

	assert_int_equal(desk_run(p, "reproduce fig7.7 pcr --quiet --json %F/j"), 0);
	j = desk_json(p, "j");
	assert_string_equal(
		json_string_value(json_object_get(row_of(j, "gains in their order: 1"), "verdict")),
		"missing");
	assert_true(value(j, "pcr: 512/512/512", "ours") > 0.5);
	json_decref(j);
}

#define AT_DESK(test) cmocka_unit_test_setup_teardown(test, desk_set_up, desk_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		AT_DESK(a_gain_is_of_two_runs_in_each_column),
		AT_DESK(a_design_is_run_as_it_serves_best),
		AT_DESK(what_does_not_fit_is_no_fault),
		AT_DESK(tags_are_those_of_the_largest_cache_in_the_list),
		AT_DESK(a_book_without_all_six_judges_no_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
