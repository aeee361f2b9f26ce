/* Results are independent of the order of steps, early wakes, partitioning and the number of
 * threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/rig/toys.h"

/* Runs one network to its end and returns its digest; every request must get its reply. */
static uint64_t digest(struct toys_shape shape, struct sim_config config, uint64_t windows)
{
	struct err err = {0};
	struct toys *toys;
	enum run answer;
	uint64_t sum;

	if (!config.threads)
		config.threads = 1;
	toys = toys_new(shape, &config, &err);
	assert_string_equal(err_text(&err), "");
	do
		answer = sim_run(toys_sim(toys), windows, UINT64_MAX);
	while (answer == RUN_QUANTUM);
	assert_int_equal(answer, RUN_STARVED);
	assert_true(toys_replied(toys));
	sum = toys_digest(toys);
	toys_free(toys);
	return sum;
}

/* Every other network has clocks without a common divisor. */
static struct toys_shape whole(uint64_t seed)
{
	bool awkward = seed % 2;

	return (struct toys_shape){.seed = seed,
		.requests = 40,
		.cut = 1,
		.core_ps = awkward ? 714 : 0,
		.router_ps = awkward ? 1053 : 0,
		.server_ps = awkward ? 333 : 0};
}

static void different_networks_give_different_traces(void **state)
{
	(void)state;
	assert_int_not_equal(digest(whole(1), (struct sim_config){0}, 1000),
		digest(whole(2), (struct sim_config){0}, 1000));
}

static void the_division_into_calls_has_no_effect(void **state)
{
	(void)state;
	assert_int_equal(digest(whole(3), (struct sim_config){0}, 1),
		digest(whole(3), (struct sim_config){0}, UINT64_MAX));
}

static void the_order_of_steps_has_no_effect(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 12; seed++) {
		uint64_t plain = digest(whole(seed), (struct sim_config){0}, 1000);

		for (uint64_t order = 1; order < 5; order++)
			assert_int_equal(plain,
				digest(whole(seed),
					(struct sim_config){.shuffle = true, .seed = order}, 1000));
	}
}

static void early_wakes_have_no_effect(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 12; seed++) {
		uint64_t plain = digest(whole(seed), (struct sim_config){0}, 1000);

		for (uint64_t wakes = 1; wakes < 4; wakes++)
			assert_int_equal(plain, digest(whole(seed),
							(struct sim_config){.early_wakes = true,
								.shuffle = wakes > 1,
								.seed = wakes},
							1000));
	}
}

static void second_steps_have_no_effect(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 12; seed++) {
		struct sim_config config = {.hostile = true};
		uint64_t plain = digest(whole(seed), (struct sim_config){0}, 1000);

		assert_int_equal(plain, digest(whole(seed), config, 1000));
		config = (struct sim_config){
			.hostile = true, .shuffle = true, .early_wakes = true, .seed = seed};
		assert_int_equal(plain, digest(whole(seed), config, 1000));
	}
}

static void partitions_and_threads_have_no_effect(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 6; seed++) {
		uint64_t plain = digest(whole(seed), (struct sim_config){0}, 1000);

		for (unsigned cut = 1; cut <= 12; cut += cut < 4 ? 1 : 4) {
			struct toys_shape shape = whole(seed);
			struct sim_config config = {.threads = 1 + cut % 3};

			shape.cut = cut;
			for (shape.deal = 0; shape.deal < 3; shape.deal++) {
				if (config.threads > cut)
					config.threads = cut;
				assert_int_equal(plain, digest(shape, config, 1000));
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(different_networks_give_different_traces),
		cmocka_unit_test(the_division_into_calls_has_no_effect),
		cmocka_unit_test(the_order_of_steps_has_no_effect),
		cmocka_unit_test(early_wakes_have_no_effect),
		cmocka_unit_test(second_steps_have_no_effect),
		cmocka_unit_test(partitions_and_threads_have_no_effect),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
