/* warpbeam reproduce: the paper's table as it was written down, the rule for the category, bands,
 * figures against closed forms, rows that are missing, and questions that are wrong. */
#include "tests/support_cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/table1_run.h"
#include "core/base.h"
#include "core/mem.h"
#include "core/text.h"

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
static json_t *report(double bytes)
{
	return json_pack("{s:[{s:s,s:[i,i,i],s:i,s:i,s:f,s:i,s:i,s:i,s:i},{s:s,s:[i,i,i],s:i,s:i,s:"
			 "i,s:i,s:i,s:i,s:i},{s:s,s:[i,i,i],s:i,s:i,s:i,s:i,s:i,s:i,s:i}],s:{},s:["
			 "]}",
		"launches", "kernel", "a", "block", 16, 2, 1, "max_live_registers", 9,
		"shared_bytes", 100, "dram_read_bytes", bytes, "dram_write_bytes", 0,
		"flushed_bytes", 0, "ctas", 1, "timed_ctas", 1, "kernel", "b", "block", 64, 1, 1,
		"max_live_registers", 7, "shared_bytes", 192, "dram_read_bytes", 0,
		"dram_write_bytes", 10, "flushed_bytes", 0, "ctas", 1, "timed_ctas", 1, "kernel",
		"b", "block", 8, 1, 1, "max_live_registers", 7, "shared_bytes", 192,
		"dram_read_bytes", 0, "dram_write_bytes", 0, "flushed_bytes", 0, "ctas", 1,
		"timed_ctas", 1, "metrics", "configuration");
}

/* Of kernel b only the launch of its largest CTA counts. */
static void a_row_takes_the_largest_kernel_of_each_kind(void **state)
{
	json_t *reports[REPRODUCE_CACHES] = {report(290), report(140), report(90)};
	struct reproduced_row row = {.paper = row_of("vectoradd")};

	(void)state;
	for (unsigned k = 0; k < REPRODUCE_CACHES; k++) {
		assert_non_null(reports[k]);
		row.report[k] = reports[k];
	}
	reproduce_read(&row);
	near(row.ours[TABLE1_REGISTERS], 9);
	near(row.ours[TABLE1_REGISTER_FILE], 36);
	near(row.ours[TABLE1_SHARED], 100.0 / 32);
	near(row.ours[TABLE1_DRAM_0], 3);
	near(row.ours[TABLE1_DRAM_64], 1.5);
	near(row.ours[TABLE1_DRAM_256], 1);
	assert_int_equal(row.category, TABLE1_CACHE_LIMITED);
	for (unsigned k = 0; k < REPRODUCE_CACHES; k++)
		json_decref(reports[k]);
}

static void a_missing_workload_is_told_and_not_counted(void **state)
{
	struct options o = {.seed = 1};
	struct reproduced_row rows[] = {
		{.paper = row_of("aes"), .missing = true},
		{.paper = row_of("needle"),
			.ours = {18, 72, 300, 0.85, 1.0, 1},
			.category = TABLE1_SHARED_LIMITED},
	};
	struct reproduction r = {.o = &o, .rows = rows, .n = 2};
	struct text text = {0}, csv = {0};

	(void)state;
	assert_int_equal(reproduce_figure_score(&r, TABLE1_REGISTERS).measured, 1);
	assert_int_equal(reproduce_figure_score(&r, TABLE1_REGISTERS).within, 1);
	assert_int_equal(reproduce_figure_score(&r, TABLE1_SHARED).within, 0);
	assert_int_equal(reproduce_category_score(&r).within, 1);
	reproduce_text(&r, &text);
	assert_non_null(strstr(text_str(&text), "aes: missing"));
	assert_non_null(strstr(text_str(&text), "1 of 2\n"));
	reproduce_csv(&r, &csv);
	assert_non_null(strstr(text_str(&csv), "aes,registers,28,,22.4"));
	assert_non_null(strstr(text_str(&csv), "aes,category,balanced or minimal,,,,missing,,\n"));
	assert_non_null(strstr(text_str(&csv), "needle,shared_bytes,264.1,300,"));
	assert_non_null(strstr(text_str(&csv), ",missed,bytes/thread,\n"));
	text_clear(&text);
	text_clear(&csv);
}

static void a_miss_tells_its_cause_and_a_hit_none(void **state)
{
	struct options o = {.seed = 1};
	struct reproduced_row rows[] = {
		{.paper = row_of("vectoradd"),
			.ours = {9, 36, 0, 1, 1, 1},
			.category = TABLE1_CACHE_LIMITED},
		{.paper = row_of("lps"),
			.ours = {15, 60, 19, 1.48, 1, 1},
			.category = TABLE1_CACHE_LIMITED},
	};
	struct reproduction r = {.o = &o, .rows = rows, .n = 2};
	const char *why = table1_cause(rows[0].paper, "dram_0");
	struct text text = {0};

	(void)state;
	assert_non_null(why);
	assert_non_null(table1_cause(rows[0].paper, TABLE1_CATEGORY));
	assert_null(table1_cause(rows[0].paper, "shared_bytes"));
	reproduce_text(&r, &text);
	assert_non_null(strstr(text_str(&text), why));
	assert_null(strstr(strstr(text_str(&text), why) + 1, why));
	assert_non_null(strstr(text_str(&text), "the rule says the same of the paper's"));
	text_clear(&text);
}

/* With few registers, fewer instructions than the paper's are another thing than more. */
static void instructions_below_the_paper_are_told_from_those_above(void **state)
{
	struct options o = {.seed = 1};
	struct reproduced_row rows[] = {
		{.paper = row_of("dgemm"), .ours = {57, 228, 66.5, 1, 1, 1, 1.42, 1.1, 1.2, 1}},
		{.paper = row_of("pcr"), .ours = {33, 132, 20, 2.88, 1.29, 1, 1.39, 1.1, 1.03, 1}},
	};
	struct reproduction r = {.o = &o, .rows = rows, .n = 2};
	struct text text = {0};
	const char *first, *second;

	(void)state;
	assert_int_equal(reproduce_figure_score(&r, TABLE1_SPILLED_24).below, 2);
	assert_int_equal(reproduce_figure_score(&r, TABLE1_SPILLED_24).above, 0);
	assert_int_equal(reproduce_figure_score(&r, TABLE1_SPILLED_32).below, 0);
	assert_int_equal(reproduce_figure_score(&r, TABLE1_SPILLED_32).above, 1);
	assert_int_equal(reproduce_figure_score(&r, TABLE1_REGISTERS).below, 0);
	reproduce_text(&r, &text);
	first = strstr(text_str(&text), "below the paper, it spills less: ");
	assert_non_null(first);
	second = strstr(first, "above the paper: ");
	assert_non_null(second);
	assert_non_null(strstr(second, "below the paper, it spills less: "));
	assert_non_null(strstr(second, "0 of 2; 2 below, 0 above\n"));
	assert_non_null(strstr(second, "1 of 2; 0 below, 1 above\n"));
	text_clear(&text);
}

/* ---- the command */
static double ours(json_t *j, const char *figure)
{
	json_t *rows = json_object_get(j, "rows"),
	       *figures = json_object_get(json_array_get(rows, 0), "figures");

	return json_number_value(json_object_get(json_object_get(figures, figure), "ours"));
}

static bool is_missed(const json_t *figure, const char *workload, const char *name)
{
	const char *verdict = json_string_value(json_object_get(figure, "verdict"));
	bool missed = !strcmp(verdict, "missed");

	if (missed != json_is_string(json_object_get(figure, "cause")))
		fail_msg("%s, %s: %s with%s a cause", workload, name, verdict, missed ? "out" : "");
	return missed;
}

/* Misses of the whole table at size small: all have causes, and no cause is left over. */
static void every_miss_has_a_cause_and_every_cause_a_miss(void **state)
{
	const struct desk *p = *state;
	bool used[64] = {false};
	const json_t *row, *figure;
	const char *name;
	json_t *j;
	size_t i;

	assert_true(table1_ncauses <= ARRAY_LEN(used));
	assert_int_equal(desk_run(p, "reproduce table1 --quiet --jobs 2 --json %F/json"), 0);
	j = desk_json(p, "json");
	json_array_foreach(json_object_get(j, "rows"), i, row)
	{
		const char *workload = json_string_value(json_object_get(row, "workload"));
		json_t *figures = json_copy(json_object_get(row, "figures"));

		json_object_set(figures, TABLE1_CATEGORY, json_object_get(row, TABLE1_CATEGORY));
		json_object_foreach(figures, name, figure)
		{
			bool missed = is_missed(figure, workload, name);

			for (unsigned k = 0; k < table1_ncauses; k++)
				used[k] |= missed &&
					   table1_cause_is(&table1_causes[k], workload, name);
		}
		json_decref(figures);
	}
	for (unsigned k = 0; k < table1_ncauses; k++)
		if (!used[k])
			fail_msg("%s does not miss %s any longer", table1_causes[k].workload,
				table1_causes[k].figure);
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
	assert_says(p, "out", "matrixmul (MatrixMul)");
	assert_says(p, "csv", "matrixmul,shared_bytes,8,8,7.2,8.8,within,bytes/thread,");
	j = desk_json(p, "json");
	near(ours(j, "dram_0"), (4 * 4 * 1024.0 + 4096) / (3 * 4096));
	near(ours(j, "dram_64"), 1);
	near(ours(j, "shared_bytes"), 8);
	near(ours(j, "register_file"), 4 * ours(j, "registers"));
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
	near(ours(j, "dram_0"), 1);
	near(ours(j, "dram_64"), 1);
	near(ours(j, "shared_bytes"), 0);
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
	assert_says(p, "err", "table1 has no row 'needel'; did you mean 'needle'?");
	assert_int_equal(desk_run(p, "reproduce table1 needle --json - --csv -"), 2);
	assert_int_equal(desk_run(p, "reproduce table1 needle --ptx 64"), 2);
	assert_int_equal(desk_run(p, "reproduce table1 needle --set needle.n=40 --json %F/no"), 3);
	assert_says(p, "err", "needle, 0 KB of cache: needle.n = 40");
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
		cmocka_unit_test(a_missing_workload_is_told_and_not_counted),
		cmocka_unit_test(a_miss_tells_its_cause_and_a_hit_none),
		cmocka_unit_test(instructions_below_the_paper_are_told_from_those_above),
		AT_DESK(every_miss_has_a_cause_and_every_cause_a_miss),
		AT_DESK(traffic_without_a_cache_is_that_of_the_tiles),
		AT_DESK(what_is_loaded_once_needs_no_cache),
		AT_DESK(answers_do_not_depend_on_the_jobs),
		AT_DESK(questions_that_are_wrong_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
