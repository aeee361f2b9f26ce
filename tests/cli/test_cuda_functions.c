/* The runtime's functions that programs use most, each called well and wrongly. */
#include "tests/rig/support_cuda.h"

#include "core/base.h"

#ifdef HAVE_CUDA

static int set_up(void **state)
{
	desk_set_up(state);
	cuda_put_fatbin(*state, cuda_ptx, PACK_PLAIN);
	return 0;
}

/* tests/preload/functions.c prints what is not as documented. */
static void each_function_returns_what_is_documented(void **state)
{
	const struct desk *d = *state;

	cuda_build(d, "functions.c", "libcudart.so.13");
	assert_int_equal(
		desk_run(d, "cuda --set chip.sms=2 --quiet --json %F/r.json -- %F/app"), 0);
	assert_says(d, "out", "71 functions, 0 with few calls; 0 of ");
}

/* tests/preload/queries.c: the same, rarer ones. */
static void queries_and_preferences_are_kept(void **state)
{
	const struct desk *d = *state;

	cuda_build(d, "queries.c", "libcudart.so.13");
	assert_int_equal(desk_run(d, "cuda --set chip.sms=2 --quiet -- %F/app"), 0);
	assert_says(d, "out", "19 functions, 0 with few calls; 0 of ");
}

static void the_executor_alone_gives_the_same_results(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(desk_run(d, "exec --quiet -- %F/app"), 0);
	assert_says(d, "out", "71 functions, 0 with few calls; 0 of ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_function_returns_what_is_documented),
		cmocka_unit_test(the_executor_alone_gives_the_same_results),
		cmocka_unit_test(queries_and_preferences_are_kept),
	};

	return cmocka_run_group_tests(tests, set_up, desk_tear_down);
}

#else

int main(void)
{
	return 77;
}

#endif
