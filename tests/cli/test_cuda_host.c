/* Workloads as CUDA programs: the same cycles and metrics as `warpbeam run NAME`. */
#include "tests/rig/host_log_write.h"

#include "core/base.h"

#ifdef HAVE_CUDA

static int set_up(void **state)
{
	desk_set_up(state);
	cuda_build(*state, "host.c", "libcudart.so.13");
	return 0;
}

static void workloads_as_programs_have_the_same_metrics(void **state)
{
	static const char *const names[] = {"vectoradd", "bicubictexture", "volumerender"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		assert_int_equal(host_log_compare(*state, names[i]), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(workloads_as_programs_have_the_same_metrics),
	};

	return cmocka_run_group_tests(tests, set_up, desk_tear_down);
}

#else

int main(void)
{
	return 77; /* no such programs here */
}

#endif
