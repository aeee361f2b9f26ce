/* Programs that call cuRAND: numbers of the same distributions, made on the host. */
#include "tests/rig/support_cuda.h"

#include "core/base.h"

#ifdef HAVE_CUDA

static void numbers_have_the_distributions_that_are_asked_for(void **state)
{
	const struct desk *d = *state;

	cuda_build(d, "random.c", "libcudart.so.13 libcurand.so.10");
	assert_int_equal(desk_run(d, "cuda --set chip.sms=1 -- %F/app"), 0);
	assert_says(d, "out",
		"create: 0\nseed: 0, 0\nwords: 0, right\nuniform: 0, right\ndouble: 0, right\n"
		"normal: 0, right\nexponent: 0, right\npoisson: 0, right\npoisson: 0, right\n"
		"poisson: 0, right\n"
		"6627e8d5 e169c58d bc57ac4c 9b00dbd8\noffset: 0\nparts: 0\n"
		"host: 0, 0\nright\noffset: 103\n");
	assert_says(d, "out",
		"odd: 105\nmean: 104, 104\nnone: 0, 201\nnot on the device: 201\n"
		"types: 103, 103, 1\nno generator: 101, 101\nordering: 0, 104\n"
		"quasi: 103, 103\nversion: 0, 10; 0, 10\nend: 0\n");
	assert_says(d, "err",
		"warpbeam: cuRAND is computed on the host: its calls take no simulated time, and "
		"its numbers are not NVIDIA's\n"
		"warpbeam: quasirandom generators are not supported; CURAND_STATUS_TYPE_ERROR is "
		"returned\n"
		"warpbeam: curandGetDirectionVectors32 is not supported; CURAND_STATUS_TYPE_ERROR "
		"is returned\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(
		numbers_have_the_distributions_that_are_asked_for, desk_set_up, desk_tear_down)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else
int main(void)
{
	return 77;
}
#endif
