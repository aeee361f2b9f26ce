/* warpbeam reproduce table1: the paper's table as it was written down, the rule for the category,
 * bands, figures against closed forms, notes, and questions that are wrong. */
#include "tests/rig/support_cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base.h"
#include "core/mem.h"
#include "core/text.h"
#include "papers/m12/m12.h"
#include "papers/m12/table1_rows.h"

static void near(double ours, double theirs)
{
	assert_true(fabs(ours - theirs) <= 1e-12 * fabs(theirs));
}

/* ---- the paper's figures */
static const struct table1_row *row_of(const char *workload)
{
	for (unsigned i = 0; i < TABLE1_ROWS; i++)
		if (!strcmp(table1_rows[i].workload, workload))
			return &table1_rows[i];
	fail_msg("no row %s", workload);
	return NULL;
}

static void a_full_register_file_is_4_kb_for_each_register(void **state)
{
	(void)state;
	for (unsigned i = 0; i < TABLE1_ROWS; i++) {
		near(table1_rows[i].figure[TABLE1_REGISTER_FILE],
			4 * table1_rows[i].figure[TABLE1_REGISTERS]);
		near(table1_rows[i].figure[TABLE1_DRAM_256], 1);
	}
}

static void the_rule_gives_the_papers_category_but_for_three_rows(void **state)
{
	static const char *const others[] = {"hotspot", "lps", "nn"};
	unsigned n = 0;

	(void)state;
	for (unsigned i = 0; i < TABLE1_ROWS; i++) {
		const struct table1_row *row = &table1_rows[i];

		if (table1_categorise(row->figure) == row->category)
			continue;
		assert_true(n < ARRAY_LEN(others));
		assert_string_equal(row->workload, others[n++]);
	}
	assert_int_equal(n, ARRAY_LEN(others));
}

static enum table1_category category(double registers, double shared, double dram_0, double dram_64)
{
	double f[TABLE1_FIGURES] = {[TABLE1_REGISTERS] = registers,
		[TABLE1_SHARED] = shared,
		[TABLE1_DRAM_0] = dram_0,
		[TABLE1_DRAM_64] = dram_64,
		[TABLE1_DRAM_256] = 1};

	return table1_categorise(f);
}

static void a_workload_is_limited_by_what_it_exceeds_most(void **state)
{
	(void)state;
	assert_int_equal(category(32, 64, 1.1, 1.1), TABLE1_BALANCED);
	assert_int_equal(category(33, 64, 5, 5), TABLE1_REGISTER_LIMITED);
	assert_int_equal(category(32, 65, 5, 5), TABLE1_SHARED_LIMITED);
	assert_int_equal(category(64, 127, 1, 1), TABLE1_REGISTER_LIMITED);
	assert_int_equal(category(64, 129, 1, 1), TABLE1_SHARED_LIMITED);
	assert_int_equal(category(32, 64, 1.11, 1), TABLE1_CACHE_LIMITED);
	assert_int_equal(category(32, 64, 0.8, 1.11), TABLE1_CACHE_LIMITED);
}

static void a_figure_on_the_bound_is_within(void **state)
{
	const struct table1_row *needle = row_of("needle"), *bfs = row_of("bfs");

	(void)state;
	assert_true(table1_within(needle, TABLE1_REGISTERS, 18 * 1.2));
	assert_true(table1_within(needle, TABLE1_REGISTERS, 18 * 0.8));
	assert_false(table1_within(needle, TABLE1_REGISTERS, 22));
	assert_false(table1_within(needle, TABLE1_REGISTERS, 14));
	assert_true(table1_within(needle, TABLE1_SHARED, 264.1 * 1.1));
	assert_false(table1_within(needle, TABLE1_SHARED, 264.1 * 1.11));
	assert_true(table1_within(bfs, TABLE1_SHARED, 0));
	assert_false(table1_within(bfs, TABLE1_SHARED, 1));
	assert_false(table1_within(bfs, TABLE1_DRAM_0, NAN));
}

/* ---- rows made by hand */
static json_t *report(void)
{
	return json_pack("{s:[{s:s,s:[i,i,i],s:i,s:i},{s:s,s:[i,i,i],s:i,s:i},{s:s,s:[i,i,i],s:i,s:"
			 "i}]}",
		"launches", "kernel", "a", "block", 16, 2, 1, "max_live_registers", 9,
		"shared_bytes", 100, "kernel", "b", "block", 64, 1, 1, "max_live_registers", 7,
		"shared_bytes", 192, "kernel", "b", "block", 8, 1, 1, "max_live_registers", 7,
		"shared_bytes", 192);
}

/* Of kernel b only the launch of its largest CTA counts. */
static void a_row_takes_the_largest_kernel_of_each_kind(void **state)
{
	json_t *r = report();
	double ours[TABLE1_FIGURES];

	(void)state;
	assert_non_null(r);
	table1_read(r, ours);
	near(ours[TABLE1_REGISTERS], 9);
	near(ours[TABLE1_REGISTER_FILE], 36);
	near(ours[TABLE1_SHARED], 100.0 / 32);
	json_decref(r);
}

static void instructions_are_counted_where_the_registers_run_out(void **state)
{
	const struct table1_row *nn = row_of("nn"); /* 13 */

	(void)state;
	assert_int_equal(table1_shift(nn, 13), 0);
	assert_int_equal(table1_shift(nn, 15), 0);
	assert_int_equal(table1_shift(nn, 20), 7);
	assert_int_equal(table1_shift(nn, 10), -3);
}

/* ---- the command */
/* The row of a workload's figure; its label is table1_figures'. */
static const json_t *find(const json_t *j, const char *workload, const char *label)
{
	const json_t *row;
	char text[112];
	size_t i;

	snprintf(text, sizeof(text), "%s: %s", workload, label);
	json_array_foreach(json_object_get(j, "rows"), i, row)
	{
		if (!strcmp(json_string_value(json_object_get(row, "text")), text))
			return row;
	}
	fail_msg("no row '%s'", text);
	return NULL;
}

static const char *note_of(const json_t *row)
{
	return json_string_value(json_object_get(row, "note"));
}

static double ours(const json_t *j, const char *workload, enum table1_figure f, const char *column)
{
	return json_number_value(
		json_object_get(find(j, workload, table1_figures[f].label), column));
}

/* lps at size small: its category is not the paper's, and the paper's own figures give ours. */
static void notes_are_what_runs_measured_and_no_causes(void **state)
{
	const struct desk *p = *state;
	json_t *j;

	assert_int_equal(desk_run(p, "reproduce table1 lps nn --quiet --jobs 2 --json %F/json"), 0);
	j = desk_json(p, "json");
	assert_string_equal(note_of(find(j, "lps", "category, balanced or minimal")),
		"cache limited: the rule says the same of the paper's own figures");
	assert_non_null(strstr(
		note_of(find(j, "nn", table1_figures[TABLE1_DRAM_256].label)), "the L1 hits "));
	assert_null(note_of(find(j, "nn", table1_figures[TABLE1_DRAM_0].label)));
	json_decref(j);
}

/* Four CTAs load two pairs of 16 x 16 tiles each; the matrices are 4 KB each, and one is written.
 */
static void traffic_without_a_cache_is_that_of_the_tiles(void **state)
{
	const struct desk *p = *state;
	json_t *j;

	assert_int_equal(desk_run(p, "reproduce table1 matrixmul --set matrixmul.n=32 --json "
				     "%F/json --csv %F/csv"),
		0);
	assert_says(p, "csv", "table1,,matrixmul: shared memory,8,8,7.2,8.8,within,bytes/thread,");
	j = desk_json(p, "json");
	near(ours(j, "matrixmul", TABLE1_DRAM_0, "ours"), (4 * 4 * 1024.0 + 4096) / (3 * 4096));
	near(ours(j, "matrixmul", TABLE1_DRAM_64, "ours"), 1);
	near(ours(j, "matrixmul", TABLE1_DRAM_0, "chip"), 1); /* the L2 holds the matrices */
	near(ours(j, "matrixmul", TABLE1_REGISTER_FILE, "ours"),
		4 * ours(j, "matrixmul", TABLE1_REGISTERS, "ours"));
	assert_true(json_is_null(json_object_get(
		find(j, "matrixmul", table1_figures[TABLE1_REGISTERS].label), "chip")));
	json_decref(j);
}

static void what_is_loaded_once_needs_no_cache(void **state)
{
	const struct desk *p = *state;
	json_t *j;

	assert_int_equal(desk_run(p, "reproduce table1 vectoradd --set vectoradd.n=2048 --quiet "
				     "--json %F/json"),
		0);
	j = desk_json(p, "json");
	near(ours(j, "vectoradd", TABLE1_DRAM_0, "ours"), 1);
	near(ours(j, "vectoradd", TABLE1_DRAM_64, "chip"), 1);
	near(ours(j, "vectoradd", TABLE1_SHARED, "ours"), 0);
	json_decref(j);
}

static void answers_do_not_depend_on_the_jobs(void **state)
{
	const struct desk *p = *state;
	char *one, *three;

	assert_int_equal(desk_run(p, "reproduce table1 needle --set needle.n=64 --jobs 1 "
				     "--quiet --json %F/one"),
		0);
	assert_int_equal(desk_run(p, "reproduce table1 needle --set needle.n=64 --jobs 3 "
				     "--threads 2 --quiet --json %F/three"),
		0);
	one = desk_content(p, "one");
	three = desk_content(p, "three");
	assert_string_equal(one, three);
	mem_free(one);
	mem_free(three);
}

static void questions_that_are_wrong_are_refused(void **state)
{
	const struct desk *p = *state;

	assert_int_equal(desk_run(p, "reproduce table7"), 2);
	assert_says(p, "err", "reproduce table7: there is no such table; did you mean 'table1'?");
	assert_int_equal(desk_run(p, "reproduce fig6.13 needel"), 2);
	assert_says(p, "err", "there is no workload 'needel'");
	assert_int_equal(desk_run(p, "reproduce table1 needel"), 2);
	assert_says(p, "err", "there is no workload 'needel'");
	assert_int_equal(desk_run(p, "reproduce table1 reduction"), 2);
	assert_says(p, "err", "reproduce table1: it does not have 'reduction'");
	assert_int_equal(desk_run(p, "reproduce table1 needle --json - --csv -"), 2);
	assert_int_equal(desk_run(p, "reproduce table1 needle --ptx 64"), 2);
	assert_int_equal(desk_run(p, "reproduce table1 needle --set needle.n=40 --json %F/no"), 3);
	assert_says(p, "err", "needle.n = 40");
	assert_false(desk_has(p, "no"));
}

#define AT_DESK(test) cmocka_unit_test_setup_teardown(test, desk_set_up, desk_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_full_register_file_is_4_kb_for_each_register),
		cmocka_unit_test(the_rule_gives_the_papers_category_but_for_three_rows),
		cmocka_unit_test(a_workload_is_limited_by_what_it_exceeds_most),
		cmocka_unit_test(a_figure_on_the_bound_is_within),
		cmocka_unit_test(a_row_takes_the_largest_kernel_of_each_kind),
		cmocka_unit_test(instructions_are_counted_where_the_registers_run_out),
		AT_DESK(notes_are_what_runs_measured_and_no_causes),
		AT_DESK(traffic_without_a_cache_is_that_of_the_tiles),
		AT_DESK(what_is_loaded_once_needs_no_cache),
		AT_DESK(answers_do_not_depend_on_the_jobs),
		AT_DESK(questions_that_are_wrong_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
