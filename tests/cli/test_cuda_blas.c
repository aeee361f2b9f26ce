/* Programs that call cuBLAS: what is computed on the host instead. */
#include "tests/rig/support_cuda.h"

#include "core/base.h"

#ifdef HAVE_CUDA

static int set_up(void **state)
{
	desk_set_up(state);
	cuda_put_fatbin(*state, cuda_ptx, PACK_PLAIN);
	cuda_build(*state, "blas.c", "libcudart.so.13 libcublas.so.13");
	return 0;
}

static void functions_compute_what_loops_do(void **state)
{
	static const char results[] =
		"create: 0\nsgemm: 0\nsgemm: 0\nsgemm: 0\nsgemm: 0\nbatched: 0\nbatched: 0\n"
		"strided: 0\nnarrow: 0, right\naxpy: 0\nscal: 0\nswap: 0\nand back: 0\ncopy: 0\n"
		"sums: 0, right\nlargest: 0, right\nsmallest: 0, right\ngemv: 0\ngemv: 0\nger: 0\n"
		"geam: 0\nset: 0\nget: 0, right\nafter the kernel: 1\n";
	static const char wrong[] =
		"no handle: 1\nanother: 1\nnegative: 7\ntoo narrow: 7\noperation: 7\n"
		"no factor: 7\ncomplex: 15\non the host: 13\ntrsm: 15, 15\n"
		"mode: 1, version: 130000\n"
		"CUBLAS_STATUS_EXECUTION_FAILED, there is no such handle\nlt: 0, 0\nend: 0\n";
	const struct desk *d = *state;

	assert_int_equal(desk_run(d, "cuda --set chip.sms=1 -- %F/app"), 0);
	assert_says(d, "out", results);
	assert_says(d, "out", wrong);
	assert_says(d, "err",
		"warpbeam: cuBLAS is computed on the host: its calls take no simulated time\n"
		"warpbeam: cublasStrsm_v2 is not supported; it returns "
		"CUBLAS_STATUS_NOT_SUPPORTED\n");
}

/* What the host computed is data of the tape. */
static void a_recording_needs_no_cublas(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(
		desk_run(d, "cuda --set chip.sms=1 --quiet --record %F/tape -- %F/app"), 0);
	assert_int_equal(desk_run(d, "run --set chip.sms=1 %F/tape"), 0);
	assert_says(d, "err", "");
}

static void a_program_without_a_launch_is_noted(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(desk_run(d, "cuda -- %F/app handle"), 0);
	assert_says(d, "out", "create: 0\n");
	assert_says(d, "err", "the program launched no kernel: there is no report\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			functions_compute_what_loops_do, set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			a_recording_needs_no_cublas, set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			a_program_without_a_launch_is_noted, set_up, desk_tear_down)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else
int main(void)
{
	return 77;
}
#endif
