/* The level of concurrency that is chosen without running: figure 5 of Hayes and Zhang (ICS 2014).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/levels.h"

#include <math.h>
#include <string.h>

#define LEVELS 6u

/* Six levels of 256, 512 .. threads; bit k of `high`: level k's intensity is high; the first
 * `unspilt` have no local spills. */
static void make(struct thread_level *l, unsigned high, unsigned unspilt)
{
	memset(l, 0, LEVELS * sizeof(*l));
	for (unsigned k = 0; k < LEVELS; k++) {
		l[k].threads = 256 * (k + 1);
		l[k].local = k >= unspilt;
		l[k].interval = 3;
		l[k].intensity = high >> k & 1 ? 201 : 199;
	}
}

static void upwards_the_largest_level_that_passes_is_kept(void **state)
{
	struct thread_level l[LEVELS];

	(void)state;
	for (unsigned high = 0; high < 1u << LEVELS; high++)
		for (unsigned begin = 0; begin < LEVELS; begin++) {
			unsigned got, want = LEVELS - 1;

			make(l, high, LEVELS);
			got = levels_choose(l, LEVELS, 256.0 * (begin + 1) / 3 - 1);
			while (want > begin && !(high >> want & 1))
				want--;
			if (high >> begin & 1)
				assert_int_equal(got, want);
		}
}

/* It begins at the last level, which does not pass. */
static void downwards_the_first_that_passes_ends_the_search(void **state)
{
	struct thread_level l[LEVELS];

	(void)state;
	for (unsigned high = 0; high < 1u << (LEVELS - 1); high++)
		for (unsigned unspilt = 1; unspilt <= LEVELS; unspilt++) {
			unsigned want = LEVELS - 1;

			make(l, high, unspilt);
			while (want > unspilt - 1 && !(high >> want & 1))
				want--;
			if (!(high >> want & 1))
				want = 0;
			assert_int_equal(levels_choose(l, LEVELS, 1000), want);
		}
}

static void below_the_level_without_spills_the_original_stays(void **state)
{
	struct thread_level l[LEVELS];

	(void)state;
	make(l, 63 - 2, 4);
	assert_int_equal(levels_choose(l, LEVELS, 512.0 / 3 - 1), 0);
}

static void the_threshold_is_200_and_not_met_by_it(void **state)
{
	static const double intensity[] = {199.9, 200, 200.1, INFINITY};
	struct thread_level l[LEVELS];

	(void)state;
	for (unsigned k = 0; k < 4; k++) {
		make(l, 0, LEVELS);
		l[5].intensity = intensity[k];
		assert_int_equal(levels_choose(l, LEVELS, 1000), k < 2 ? 0 : 5);
	}
}

static void a_kernel_that_issues_in_every_cycle_is_left_as_it_is(void **state)
{
	struct thread_level l[LEVELS];

	(void)state;
	make(l, 63, LEVELS);
	l[0].interval = 1.05;
	assert_int_equal(levels_choose(l, LEVELS, 1000), 0);
	l[0].interval = 1.06;
	assert_int_equal(levels_choose(l, LEVELS, 1000), 5);
}

static void the_search_begins_at_the_interval_times_the_lanes(void **state)
{
	struct thread_level l[LEVELS];

	(void)state;
	make(l, 1u << 2, LEVELS); /* 768 threads: 3 cycles, 256 lanes */
	assert_int_equal(levels_choose(l, LEVELS, 256), 2);
	assert_int_equal(levels_choose(l, LEVELS, 257), 0); /* begins above, where none passes */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(upwards_the_largest_level_that_passes_is_kept),
		cmocka_unit_test(downwards_the_first_that_passes_ends_the_search),
		cmocka_unit_test(below_the_level_without_spills_the_original_stays),
		cmocka_unit_test(the_threshold_is_200_and_not_met_by_it),
		cmocka_unit_test(a_kernel_that_issues_in_every_cycle_is_left_as_it_is),
		cmocka_unit_test(the_search_begins_at_the_interval_times_the_lanes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
