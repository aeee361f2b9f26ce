/* SMs that change their partitioning between kernels, as a user sees it: results stay right, every
 * change is counted, and what was cached is gone. */
#include "tests/support_cli.h"

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
			a_capacity_that_cannot_be_is_refused_before_anything_runs, desk_set_up,
			desk_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
