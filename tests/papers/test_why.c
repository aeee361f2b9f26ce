/* reproduce --why: each limit's outcome follows from the figures beside it, and a run
 * without a limit is the run with that limit's settings. */
#include "core/base.h"
#include "core/mem.h"
#include "tests/rig/support_cli.h"

#include <math.h>
#include <string.h>

#define FIGURE "reproduce fig9 needle --set needle.n=64 --quiet "

static double number(json_t *object, const char *key)
{
	json_t *v = json_object_get(object, key);

	return json_is_null(v) ? NAN : json_number_value(v);
}

static json_t *rows_of(json_t *report)
{
	json_t *rows = json_object_get(report, "rows");

	assert_true(json_array_size(rows) > 0);
	return rows;
}

static json_t *limit_named(json_t *row, const char *name)
{
	json_t *limit;
	size_t i;

	json_array_foreach(json_object_get(row, "limits"), i,
		limit) if (!strcmp(json_text(limit, "limit"), name)) return limit;
	fail_msg("no limit '%s'", name);
	return NULL;
}

static double outside(json_t *row, double ours)
{
	return fmax(0, fmax(number(row, "low") - ours, ours - number(row, "high")));
}

/* Of these limits the observable grows when they are lifted; of the others it shrinks. */
static bool rises(const char *name)
{
	static const char *const names[] = {"cache_capacity", "cache_ways", "cache_kept",
		"registers", "shared_memory", "slots"};

	for (unsigned i = 0; i < ARRAY_LEN(names); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

/* What the manual says of a limit that the row's runs have. */
static const char *expected(json_t *row, json_t *limit)
{
	double far = outside(row, number(row, "ours")), rest = outside(row, number(limit, "ours"));
	double before = number(limit, "observable"), after = number(limit, "observable_without");
	double change = rises(json_text(limit, "limit")) ? after - before : before - after;

	if (far == 0)
		return rest == 0 ? "within its band without" : "not within its band without";
	if (isnan(change) || change <= fabs(before) / 10)
		return "idle";
	return rest == 0 ? "consistent" : rest <= 0.75 * far ? "in part" : "refuted";
}

static void check_outcomes(json_t *report)
{
	json_t *row, *limit;
	unsigned misses = 0, moved = 0;
	size_t i, k;

	json_array_foreach(rows_of(report), i, row)
	{
		misses += outside(row, number(row, "ours")) > 0;
		json_array_foreach(json_object_get(row, "limits"), k, limit)
		{
			const char *outcome = json_text(limit, "outcome");

			if (!strcmp(outcome, "no part of its runs"))
				assert_true(number(limit, "ours") == number(row, "ours"));
			else
				assert_string_equal(outcome, expected(row, limit));
			moved += !strcmp(outcome, "refuted") || !strcmp(outcome, "in part");
		}
		assert_true(json_integer_value(json_object_get(report, "limits_tried")) ==
			    (json_int_t)k);
	}
	assert_true(misses > 0 && moved > 0);
}

/* All of the report's runs have the machine of the papers, which is named once. */
static void assert_names_machine(const json_t *report)
{
	const json_t *machines = json_object_get(report, "machines");

	assert_int_equal(json_array_size(machines), 1);
	assert_non_null(strstr(json_text(json_array_get(machines, 0), "title"), "MICRO 2012"));
	assert_true(*json_text(json_array_get(machines, 0), "validated"));
}

static void outcomes_follow_from_figures_and_figures_from_settings(void **state)
{
	const struct desk *d = *state;
	json_t *why, *set, *row;
	size_t i;

	assert_int_equal(desk_run(d, FIGURE "--why --json %F/why.json"), 0);
	assert_int_equal(desk_run(d, FIGURE "--set sm.alu_cycles=1 --set sm.branch_cycles=1 "
					    "--json %F/set.json"),
		0);
	why = desk_json(d, "why.json");
	check_outcomes(why);
	assert_names_machine(why);
	set = desk_json(d, "set.json");
	assert_names_machine(set);
	json_array_foreach(rows_of(why), i, row)
	{
		json_t *same = json_array_get(rows_of(set), i);

		assert_string_equal(json_text(same, "text"), json_text(row, "text"));
		assert_true(
			number(same, "ours") == number(limit_named(row, "alu_latency"), "ours"));
		assert_true(number(same, "low") == number(row, "low"));
	}
	json_decref(why);
	json_decref(set);
}

/* 32 ways need 4 KB; what counts uses of values has no time that a limit could take part in. */
static void limits_that_cannot_be_lifted_are_told(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(desk_run(d, "reproduce fig9 needle --set needle.n=64 --why "
				     "--set storage.partitioned.cache_bytes=2K"),
		0);
	assert_says(d, "out", "cache_ways: missing: without them its runs fail\n");
	/* counted without time: only the register hierarchy's limits take part */
	assert_int_equal(desk_run(d, "reproduce fig6.16 scalarprod --why"), 0);
	assert_says(d, "out", "  strand_waits, strands: refuted");
	assert_says(d, "out", "texture: no part: its runs do not have them\n");
	assert_says(d, "out", "none found: 2 limits tried, 2 had an effect\n");
	assert_int_equal(desk_run(d, FIGURE "--why --set sm.alu_cycles=9999"), 3);
	assert_says(d, "err", "sm.alu_cycles = 9999: must be 1 .. 1000 cycles");
}

static void settings_that_the_machines_override_are_noted(void **state)
{
	const struct desk *d = *state;
	char *words;

	assert_int_equal(desk_run(d, FIGURE "--set sm.bank_conflicts=none --set l1.ways=8"), 0);
	assert_says(d, "err", "note: --set sm.bank_conflicts=none changes nothing");
	words = desk_content(d, "err");
	assert_null(strstr(words, "l1.ways"));
	mem_free(words);
}

static double reading(json_t *row, size_t k)
{
	return json_number_value(json_array_get(json_object_get(row, "ours"), k));
}

static json_t *first_row(json_t *report, const char *text)
{
	json_t *row = json_array_get(rows_of(report), 0);

	assert_string_equal(json_text(row, "text"), text);
	assert_int_equal(json_array_size(json_object_get(row, "ours")), 9);
	return row;
}

static void readings_differ_by_their_settings(void **state)
{
	const struct desk *d = *state;
	json_t *report, *row;

	assert_int_equal(desk_run(d, FIGURE "--readings --json %F/readings.json"), 0);
	report = desk_json(d, "readings.json");
	assert_names_machine(report);
	row = first_row(report, "needle: speed");
	/* the other price of a conflict, and the other clusters */
	assert_true(reading(row, 2) != reading(row, 0) && reading(row, 3) != reading(row, 0));
	/* a parameter of another workload */
	assert_true(reading(row, 8) == reading(row, 0));
	json_decref(report);
}

/* Of the settings that a reading tries the fastest counts; the last one is as many as fit. Eleven
 * CTAs of 32 threads are more than the first one lets in. */
static void one_reading_takes_the_fastest_another_goes_through_textures(void **state)
{
	const struct desk *d = *state;
	json_t *report, *row;

	assert_int_equal(desk_run(d, "reproduce fig9 mummer --set mummer.n=256 "
				     "--set mummer.queries=330 --readings --quiet "
				     "--json %F/readings.json"),
		0);
	report = desk_json(d, "readings.json");
	row = first_row(report, "GPU-mummer: speed");
	assert_true(reading(row, 7) >= reading(row, 0));
	assert_true(reading(row, 8) != reading(row, 0));
	json_decref(report);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, desk_set_up, desk_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(outcomes_follow_from_figures_and_figures_from_settings),
		TEST(limits_that_cannot_be_lifted_are_told),
		TEST(readings_differ_by_their_settings),
		TEST(one_reading_takes_the_fastest_another_goes_through_textures),
		TEST(settings_that_the_machines_override_are_noted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
