/* SMs that change their split between kernels, as a user sees it: results stay right, every change
 * is counted, and the cache is invalidated. */
#include "tests/rig/support_cli.h"

#include <stdio.h>

static json_int_t repartitions(const struct desk *d, const char *run)
{
	char line[512];
	json_t *report;
	json_int_t n;

	snprintf(line, sizeof(line), "run %s --json -", run);
	assert_int_equal(desk_run(d, line), 0);
	report = desk_json(d, "out");
	n = json_metric(report, "storage__repartitions.sum");
	json_decref(report);
	return n;
}

static void kernels_with_different_needs_take_turns_and_compute_right(void **state)
{
	/* two kernels, one after the other: every SM changes once, or never where sizes are fixed
	 */
	assert_int_equal(repartitions(*state, "backprop --set chip.storage=unified"), 32);
	assert_int_equal(repartitions(*state, "backprop --set chip.storage=partitioned"), 0);
	/* twice two kernels */
	assert_int_equal(repartitions(*state, "srad --set chip.storage=unified"), 96);
	assert_int_equal(repartitions(*state, "srad --set chip.storage=fermi "
					      "--set storage.fermi.splits=48/16,16/48"),
		0);
}

/* Many kernels in a small memory: the cache grows and shrinks all the time. */
static void many_partitionings_follow_each_other(void **state)
{
	assert_true(repartitions(*state, "particles --set chip.storage=unified "
					 "--set storage.unified.bytes=128K") > 100);
	assert_true(repartitions(*state, "lu --set chip.storage=fermi "
					 "--set storage.fermi.splits=128/16,16/128") > 0);
}

static void one_size_for_all_changes_nothing(void **state)
{
	assert_int_equal(repartitions(*state, "srad --set chip.storage=unified "
					      "--set storage.unified.register_bytes=128K "
					      "--set storage.unified.shared_bytes=64K"),
		0);
}

/* The split of the k-th launch: registers, shared memory, cache. */
static void sizes_of(const json_t *report, size_t k, json_int_t sizes[3])
{
	static const char *const names[] = {
		"sm_register_bytes", "sm_shared_bytes", "sm_cache_bytes"};
	const json_t *l = json_array_get(json_object_get(report, "launches"), k);

	assert_non_null(l);
	for (unsigned i = 0; i < 3; i++)
		sizes[i] = json_integer_value(json_object_get(l, names[i]));
}

static json_t *report_of(const struct desk *d, const char *run, const char *partition)
{
	char line[512];

	snprintf(line, sizeof(line), "run %s --set chip.partition=%s --json -", run, partition);
	assert_int_equal(desk_run(d, line), 0);
	return desk_json(d, "out");
}

/* Every launch has the sizes of the first, no SM ever changes; registers and shared memory are the
 * most that any launch had when each was partitioned for alone. */
static void check_once(const struct desk *d, const char *run)
{
	json_t *alone = report_of(d, run, "kernel"), *once = report_of(d, run, "application");
	json_int_t most[3] = {0}, first[3], sizes[3];

	sizes_of(once, 0, first);
	for (size_t i = 0; i < json_array_size(json_object_get(once, "launches")); i++) {
		sizes_of(once, i, sizes);
		assert_memory_equal(sizes, first, sizeof(first));
	}
	for (size_t i = 0; i < json_array_size(json_object_get(alone, "launches")); i++) {
		sizes_of(alone, i, sizes);
		for (unsigned k = 0; k < 3; k++)
			most[k] = sizes[k] > most[k] ? sizes[k] : most[k];
	}
	assert_int_equal(json_metric(once, "storage__repartitions.sum"), 0);
	assert_true(json_metric(alone, "storage__repartitions.sum") > 0);
	assert_int_equal(first[0], most[0]);
	assert_int_equal(first[1], most[1]);
	assert_int_equal(first[2], (384 * 1024 - first[0] - first[1]) / 512 * 512);
	json_decref(alone);
	json_decref(once);
}

/* What bfs launches later depends on what the earlier launches found. */
static void once_for_an_application_no_sm_changes_and_results_are_right(void **state)
{
	check_once(*state, "backprop --set chip.storage=unified");
	check_once(*state, "lu --set chip.storage=unified");
	check_once(*state, "bfs --set chip.storage=unified");
	assert_int_equal(repartitions(*state, "%S/add.yaml --set chip.storage=unified "
					      "--set chip.partition=application"),
		0);
	assert_int_equal(repartitions(*state, "lu --set chip.storage=fermi "
					      "--set chip.partition=application "
					      "--set storage.fermi.splits=128/16,16/128"),
		0);
}

static json_int_t together(const struct desk *d, const char *partition)
{
	char line[256];
	json_t *report;
	json_int_t n;

	snprintf(line, sizeof(line),
		"compare --together backprop srad --set chip.storage=unified "
		"--set chip.partition=%s --json -",
		partition);
	assert_int_equal(desk_run(d, line), 0);
	report = desk_json(d, "out");
	n = json_metric(report, "storage__repartitions.sum");
	json_decref(report);
	return n;
}

/* backprop comes first, but srad has more shared memory. */
static void programs_that_share_a_chip_are_partitioned_for_together(void **state)
{
	assert_true(together(*state, "kernel") > 0);
	assert_int_equal(together(*state, "application"), 0);
}

static void what_an_application_cannot_share_is_reported_before_anything_runs(void **state)
{
	assert_int_equal(desk_run(*state, "run lu --set chip.storage=unified "
					  "--set chip.partition=application "
					  "--set storage.unified.bytes=16K"),
		5);
	assert_says(*state, "err", "one split for all kernels");
	assert_int_equal(desk_run(*state, "run lu --set chip.partition=program"), 3);
	assert_says(*state, "err", "chip.partition = program: must be kernel or application");
}

static void a_capacity_that_cannot_be_is_refused_before_anything_runs(void **state)
{
	assert_int_equal(desk_run(*state, "run srad --set chip.storage=unified "
					  "--set storage.unified.bytes=100000"),
		3);
	assert_says(*state, "err", "need a multiple of 512");
	assert_int_equal(desk_run(*state, "run srad --set chip.storage=unified "
					  "--set storage.unified.bytes=16384"),
		5);
	assert_says(*state, "err", "storage.unified.bytes is 16384");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			kernels_with_different_needs_take_turns_and_compute_right, desk_set_up,
			desk_tear_down),
		cmocka_unit_test_setup_teardown(
			many_partitionings_follow_each_other, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			one_size_for_all_changes_nothing, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			once_for_an_application_no_sm_changes_and_results_are_right, desk_set_up,
			desk_tear_down),
		cmocka_unit_test_setup_teardown(
			programs_that_share_a_chip_are_partitioned_for_together, desk_set_up,
			desk_tear_down),
		cmocka_unit_test_setup_teardown(
			what_an_application_cannot_share_is_reported_before_anything_runs,
			desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			a_capacity_that_cannot_be_is_refused_before_anything_runs, desk_set_up,
			desk_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
