/* Advice of warpbeam profile: the planted cause comes first, in text, JSON and on the page, and a
 * kernel without a fault has none. */
#include "core/base.h"
#include "core/text.h"
#include "tests/rig/support_cli.h"

#include <stdio.h>
#include <string.h>

static json_t *advice_of(const struct desk *d, const char *arguments)
{
	struct text command = {0};
	json_t *j, *list;
	int code;

	text_add(&command, "profile %s --quiet --json %%F/p.json", arguments);
	code = desk_run(d, text_str(&command));
	if (code)
		fail_msg("warpbeam %s: %d: %s", text_str(&command), code, desk_content(d, "err"));
	text_clear(&command);
	j = desk_json(d, "p.json");
	list = json_incref(json_object_get(j, "advice"));
	json_decref(j);
	assert_true(json_is_array(list));
	return list;
}

static const char *string_of(json_t *row, const char *name)
{
	return json_string_value(json_object_get(row, name));
}

static void the_first_names_the_cause_and_its_line(void **state)
{
	static const struct {
		const char *run, *limit;
		int line;
	} cases[] = {{"%S/../advice/camping_faulty.yaml", "camping", 24},
		{"%S/../advice/sharing_faulty.yaml", "sharing", 33},
		{"%S/../advice/store_faulty.yaml", "coalescing", 22}};

	for (unsigned i = 0; i < 3; i++) {
		json_t *list = advice_of(*state, cases[i].run), *first = json_array_get(list, 0);

		assert_string_equal(string_of(first, "limit"), cases[i].limit);
		assert_int_equal(
			json_integer_value(json_object_get(first, "ptx_line")), cases[i].line);
		assert_string_equal(string_of(first, "kernel"), "faulty");
		assert_true(json_is_null(json_object_get(first, "proved_cycles")));
		json_decref(list);
	}
}

/* Of an atomic on one word all requests are in one slice, on machines with many of them, too; warps
 * that exchange values wait less than they issue; what few warps wait for, more would hide; a slice
 * that binds the run makes warps wait for arithmetic; loads wait behind lines that miss nothing. */
static void the_first_is_the_same_on_products(void **state)
{
	static const char *const cases[][2] = {
		{"%S/../advice/atomics_faulty.yaml --chip a100", "atomics"},
		{"%S/../advice/exchange_faulty.yaml --chip v100", "barriers"},
		{"%S/../advice/bytes_faulty.yaml --chip v100", "narrow"},
		{"%S/../advice/blocks_faulty.yaml --chip v100", "blocks"},
		{"%S/../advice/first/pitch.yaml", "camping"},
		{"%S/../advice/first/lists.yaml", "load_waits"},
		{"%S/../advice/first/counts.yaml", "coalescing"}};

	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		json_t *list = advice_of(*state, cases[i][0]);

		assert_string_equal(string_of(json_array_get(list, 0), "limit"), cases[i][1]);
		json_decref(list);
	}
}

/* CTAs with the same instructions that take turns on an SM end one after the other: no work of
 * theirs could be shared. */
static void alike_ctas_have_no_advice_on_balance(void **state)
{
	json_t *list = advice_of(*state, "%S/../advice/sines_faulty.yaml"), *row;
	size_t i;

	assert_true(json_array_size(list) > 0);
	json_array_foreach(list, i, row)
		assert_string_not_equal(string_of(row, "limit"), "balance");
	json_decref(list);
}

/* Each comes first where it is what a kernel waits for, and promises about what its proof shows;
 * where the lines that loads keep fill a unit, of its peak, which they reach four fifths of. */
static void waits_have_rules_that_are_proved(void **state)
{
	static const struct {
		const char *kernel, *rule;
	} cases[] = {{"barriers", "barriers"}, {"dependency", "dependency"}, {"mshrs", "mshrs"},
		{"refetch", "refetch"}, {"walk", "latency"}, {"nodes", "latency"},
		{"leaders", "latency"}, {"search", "latency"}};

	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		char run[96];
		json_t *list, *first;
		double ratio;

		snprintf(run, sizeof(run), "%%S/../advice/first/%s.yaml --prove", cases[i].kernel);
		list = advice_of(*state, run);
		first = json_array_get(list, 0);
		assert_string_equal(string_of(first, "rule"), cases[i].rule);
		ratio = json_number_value(json_object_get(first, "promised_by_proved"));
		if (ratio < 0.7 || ratio > (strcmp(cases[i].kernel, "walk") ? 1.1 : 1.25))
			fail_msg("%s: promised by proved %.2f", cases[i].rule, ratio);
		assert_int_equal(json_integer_value(json_object_get(first, "observable_moved")), 1);
		json_decref(list);
	}
}

/* Where warps wait for memory, too, most of what arithmetic's latency costs is kept: 0.06 more of a
 * speedup were promised than the model gains. */
static void what_memory_keeps_is_not_promised(void **state)
{
	json_t *list = advice_of(*state, "%S/../advice/first/gather.yaml --prove"), *row;
	double ratio = 0;
	size_t i;

	assert_string_equal(string_of(json_array_get(list, 0), "rule"), "occupancy_registers");
	json_array_foreach(list, i, row)
	{
		if (!strcmp(string_of(row, "rule"), "dependency"))
			ratio = json_number_value(json_object_get(row, "promised_by_proved"));
	}
	if (ratio < 0.97 || ratio > 1.03)
		fail_msg("promised by proved %.3f", ratio);
	json_decref(list);
}

static double promised(json_t *list, const char *rule)
{
	json_t *row;
	size_t i;

	json_array_foreach(list, i, row)
	{
		if (!strcmp(string_of(row, "rule"), rule))
			return json_number_value(json_object_get(row, "estimated_speedup"));
	}
	return 1;
}

/* A sum that DRAM binds: four chains, other slices and more MSHRs would make queues longer only.
 * Promised were 1.37, 1.10 and, where 21 of 24 MSHRs are needed, 1.22, of which proofs show at most
 * 1.05; and 1.18 for the SMs' idle time. Of 96 SMs eight have a warp that walks: 1.59 for the
 * others.
 */
static void what_queues_hold_is_not_promised(void **state)
{
	static const struct {
		const char *rule;
		double most;
	} cases[] = {{"latency", 1.08}, {"camping", 1.02}, {"tail", 1.12}};
	json_t *list = advice_of(*state, "%S/../advice/tuned/reduce.yaml --chip v100");

	for (unsigned i = 0; i < ARRAY_LEN(cases); i++)
		if (promised(list, cases[i].rule) > cases[i].most)
			fail_msg("%s promises %.3f", cases[i].rule, promised(list, cases[i].rule));
	json_decref(list);
	list = advice_of(*state, "%S/../advice/tuned/reduce.yaml --set l1.mshrs=24");
	assert_true(promised(list, "mshrs") > 1.02 && promised(list, "mshrs") < 1.08);
	json_decref(list);
	list = advice_of(*state, "%S/../advice/first/walk.yaml --set chip.sms=96");
	assert_true(promised(list, "tail") < 1.1);
	json_decref(list);
}

/* The list is sorted, and nothing in it promises less than 2 %. */
static void lines_missed_again_are_told_by_launch(void **state)
{
	const struct desk *d = *state;
	json_t *j, *total;

	assert_int_equal(
		desk_run(d, "profile %S/../advice/first/twice.yaml --quiet --json %F/p.json"), 0);
	j = desk_json(d, "p.json");
	total = json_array_get(json_object_get(json_object_get(j, "profile"), "total"), 0);
	assert_int_equal(json_integer_value(json_object_get(total, "missed_again")), 0);
	assert_int_equal(json_integer_value(json_object_get(total, "missed_later")), 256);
	json_decref(j);
}

/* Half of their time is that of the longest. */
static void ctas_that_end_early_are_imbalance(void **state)
{
	json_t *list = advice_of(*state, "%S/../advice/first/longer.yaml"), *row;
	double gain = 1;
	size_t i;

	json_array_foreach(list, i, row)
	{
		if (!strcmp(string_of(row, "rule"), "imbalance"))
			gain = json_number_value(json_object_get(row, "estimated_speedup"));
	}
	if (gain < 1.5 || gain > 2.1)
		fail_msg("%.2f times as fast if all were alike", gain);
	json_decref(list);
}

/* Of 96 SMs 64 have none of them, whatever work each has. */
static void imbalance_leaves_sms_without_a_cta(void **state)
{
	json_t *list =
		advice_of(*state, "%S/../advice/first/longer.yaml --set chip.sms=96 --prove");
	json_t *row;
	size_t i;
	double gain = 1, proved = 1;

	json_array_foreach(list, i, row)
	{
		if (strcmp(string_of(row, "rule"), "imbalance") != 0)
			continue;
		gain = json_number_value(json_object_get(row, "estimated_speedup"));
		proved = json_number_value(json_object_get(row, "proved_speedup"));
	}
	if (gain < 1.8 || gain > 2.1 || proved < 1.8 || proved > 2.1)
		fail_msg("%.2f times as fast, %.2f by proof", gain, proved);
	json_decref(list);
}

/* Without its only barrier the CTA waits for the same warp. */
static void a_single_barrier_is_no_fault(void **state)
{
	json_t *list = advice_of(*state, "%S/../advice/first/once.yaml"), *row;
	size_t i;

	json_array_foreach(list, i, row)
	{
		assert_string_not_equal(string_of(row, "rule"), "barriers");
	}
	json_decref(list);
}

/* Neither limit alone lets an SM hold more: only both together are advised, and removed. */
static void limits_that_bind_together_are_removed_together(void **state)
{
	const struct desk *d = *state;
	json_t *list = advice_of(d, "%S/../advice/fit_faulty.yaml --prove"), *row;
	size_t i;

	assert_string_equal(string_of(json_array_get(list, 0), "limit"), "registers");
	assert_string_equal(string_of(json_array_get(list, 0), "also_limit"), "shared_memory");
	assert_int_equal(
		json_integer_value(json_object_get(json_array_get(list, 0), "observable_moved")),
		1);
	json_array_foreach(list, i, row)
	{
		if (strcmp(string_of(row, "limit"), "registers") != 0)
			continue;
		assert_int_equal(i, 0);
	}
	json_decref(list);
	assert_int_equal(desk_run(d, "profile %S/../advice/fit_faulty.yaml --prove"), 0);
	assert_says(d, "out", "cycles without registers and shared_memory (capacity of the");
}

static void the_most_promising_comes_first(void **state)
{
	json_t *list = advice_of(*state, "%S/../advice/sharing_faulty.yaml"), *row;
	double last = 1e9;
	size_t i;

	assert_true(json_array_size(list) > 1);
	json_array_foreach(list, i, row)
	{
		double gain = json_number_value(json_object_get(row, "estimated_speedup"));

		assert_true(gain <= last && gain >= 1.02);
		last = gain;
	}
	json_decref(list);
}

static json_int_t whole_of(json_t *row, const char *name)
{
	return json_integer_value(json_object_get(row, name));
}

/* Here not in the order of estimates; those that gain less than any may promise have a heading; of
 * atomics, what each warp adds up is also tried. */
static void proofs_decide_the_order(void **state)
{
	const struct desk *d = *state;
	json_t *list = advice_of(d, "%S/../advice/first/barriers.yaml --prove"), *row, *fixes;
	json_int_t proved = 0, estimated = 0;
	bool other = false;
	size_t i;

	json_array_foreach(list, i, row)
	{
		assert_true(whole_of(row, "proved_cycles") >= proved);
		other |= whole_of(row, "estimated_cycles") < estimated;
		proved = whole_of(row, "proved_cycles");
		estimated = whole_of(row, "estimated_cycles");
	}
	assert_true(other);
	json_decref(list);
	list = advice_of(d, "%S/../advice/sums_faulty.yaml --prove");
	fixes = json_object_get(json_array_get(list, 0), "proved_fixes");
	assert_int_equal(json_array_size(fixes), 1);
	assert_true(whole_of(json_array_get(fixes, 0), "cycles") >
		    2 * whole_of(json_array_get(list, 0), "proved_cycles"));
	json_decref(list);
	list = advice_of(d, "%S/../advice/chains_faulty.yaml --prove");
	fixes = json_object_get(json_array_get(list, 0), "proved_fixes");
	proved = whole_of(json_array_get(list, 0), "proved_cycles");
	assert_true(whole_of(json_array_get(fixes, 0), "cycles") > proved);
	assert_true(whole_of(json_array_get(fixes, 1), "cycles") <= proved);
	json_decref(list);
	assert_int_equal(desk_run(d, "profile %S/../advice/chains_faulty.yaml --prove"), 0);
	assert_says(d, "out", "or else: two chains");
	assert_int_equal(desk_run(d, "profile %S/../advice/first/pitch.yaml --prove"), 0);
	assert_says(d, "out",
		"denied advice: estimates of which the model without the limit gained less than 2%\n"
		"   1.01x  latency:");
}

static void text_and_page_tell_it(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(
		desk_run(d, "profile %S/../advice/camping_faulty.yaml --html %F/p.html"), 0);
	assert_says(d, "out", "x  camping: addresses that are accessed together");
	assert_says(d, "out", "measured: the busiest slice of the L2 has 11.4 times");
	assert_says(d, "out", "at faulty:24: ld.global.u32");
	assert_says(d, "p.html", "<h2 id=\"advice\">Advice</h2>");
	assert_says(d, "p.html", "the busiest slice of the L2");
}

/* The run without the limit is the same on any number of processes; the report stays that of the
 * run with it. */
static void a_proof_is_a_run_without_the_limit(void **state)
{
	const struct desk *d = *state;
	json_t *first, *list = advice_of(d, "%S/../advice/camping_faulty.yaml --prove --jobs 2");
	json_int_t proved;

	first = json_array_get(list, 0);
	proved = json_integer_value(json_object_get(first, "proved_cycles"));
	assert_true(json_integer_value(json_object_get(first, "observable_moved")) == 1);
	json_decref(list);
	assert_int_equal(desk_run(d, "run %S/../advice/camping_faulty.yaml --set "
				     "chip.slice_hash=scatter --set l2.set_hash=scatter --quiet "
				     "--json %F/r.json"),
		0);
	list = desk_json(d, "r.json");
	assert_int_equal(proved, json_metric(list, "gpc__cycles_elapsed.max"));
	json_decref(list);
	assert_int_equal(desk_run(d, "profile %S/../advice/camping_faulty.yaml --prove"), 0);
	assert_says(d, "out", "cycles without camping");
}

/* Warps that wait for each other for ever once nothing orders them. */
static void a_proof_that_does_not_end_is_stopped(void **state)
{
	const struct desk *d = *state;
	json_t *list = advice_of(d, "%S/../advice/spin.yaml --prove"), *row;
	size_t i;

	json_array_foreach(list, i, row)
	{
		if (!strcmp(string_of(row, "rule"), "barriers"))
			break;
	}
	assert_true(i < json_array_size(list));
	assert_true(json_is_null(json_object_get(row, "proved_cycles")));
	json_decref(list);
	assert_int_equal(desk_run(d, "profile %S/../advice/spin.yaml --prove"), 0);
	assert_says(d, "out", "not proved: the run without barriers did not end within");
}

static void proofs_do_not_go_with_levels(void **state)
{
	assert_int_equal(desk_run(*state, "profile bfs --prove --concurrency auto"), 2);
	assert_says(*state, "err", "--prove does not go with --concurrency");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, desk_set_up, desk_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_first_names_the_cause_and_its_line),
		TEST(the_first_is_the_same_on_products),
		TEST(alike_ctas_have_no_advice_on_balance),
		TEST(waits_have_rules_that_are_proved),
		TEST(what_memory_keeps_is_not_promised),
		TEST(what_queues_hold_is_not_promised),
		TEST(lines_missed_again_are_told_by_launch),
		TEST(ctas_that_end_early_are_imbalance),
		TEST(imbalance_leaves_sms_without_a_cta),
		TEST(a_single_barrier_is_no_fault),
		TEST(limits_that_bind_together_are_removed_together),
		TEST(the_most_promising_comes_first),
		TEST(proofs_decide_the_order),
		TEST(text_and_page_tell_it),
		TEST(a_proof_is_a_run_without_the_limit),
		TEST(a_proof_that_does_not_end_is_stopped),
		TEST(proofs_do_not_go_with_levels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
