/* CUDA programs that use what they have destroyed, or lost with the device's reset. */
#include "tests/rig/support_cuda.h"

#include <stdio.h>

#include "core/base.h"

#ifdef HAVE_CUDA

#define GONE ": cudaErrorInvalidResourceHandle\n"
#define WRONG ": cudaErrorInvalidValue\n"
#define FINE ": cudaSuccess\n"

static int set_up(void **state)
{
	desk_set_up(state);
	cuda_put_fatbin(*state, cuda_ptx, PACK_PLAIN);
	cuda_build(*state, "reset.c", "libcudart.so.13");
	return 0;
}

static int run(const struct desk *d, const char *what)
{
	char command[256];

	snprintf(command, sizeof(command),
		"cuda --set chip.sms=2 --quiet --record %%F/%s -- %%F/app %s", what, what);
	return desk_run(d, command);
}

static void what_was_destroyed_is_refused_though_its_place_is_taken(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(run(d, "stale"), 0);
	assert_says(d, "out",
		"synchronize" GONE "query" GONE "flags" GONE "wait" GONE "launch" GONE "set" GONE
		"record" GONE "allocate" GONE "destroy" GONE "new stream" FINE "record" GONE
		"synchronize" GONE "query" GONE "elapsed" GONE "waited for" GONE "destroy" GONE
		"new event" FINE "array" GONE "array" GONE "new array" FINE "level" GONE
		"mipmap" GONE "new mipmap" FINE "graph" WRONG "graph" WRONG "executable" WRONG
		"new executable" FINE "pool" WRONG "pool" WRONG "new pool" FINE "many\n");
}

static void a_reset_frees_all_and_the_program_goes_on(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(run(d, "reset"), 0);
	assert_says(d, "out",
		"register" FINE "launch" FINE "reset" FINE "free as before: 1\nstream" GONE
		"event" GONE "array" GONE "mipmap" GONE "graph" WRONG "executable" WRONG
		"pool" WRONG "managed" WRONG "mapped" WRONG "pinned" WRONG "texture" WRONG
		"surface" WRONG "mipmapped" WRONG "memory" WRONG "memory of a pool" WRONG
		"unregister: cudaErrorHostMemoryNotRegistered\n"
		"kept: 7 6 6\ntextures: 1\nlaunch" FINE "wait" FINE "filled: 1\n"
		"handles used again: 0\n");
	assert_int_equal(desk_run(d, "run --set chip.sms=2 --quiet %F/reset"), 0);
}

static void variables_have_their_first_values_after_a_reset(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(run(d, "variable"), 0);
	assert_says(d, "out",
		"0: step 1, 1\n0: then 5\nreset" FINE "1: step 1, 1\n1: then 5\nreset" FINE);
	assert_int_equal(desk_run(d, "run --set chip.sms=2 --quiet %F/variable"), 0);
	assert_int_equal(desk_run(d, "scenario %F/variable %F/s"), 0);
	assert_int_equal(desk_run(d, "run --set chip.sms=2 %F/s/scenario.yaml"), 0);
	assert_says(d, "out", "check: passed");
}

static void a_reset_waits_for_the_end_of_captures(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(run(d, "captured"), 0);
	assert_says(d, "out",
		"begin" FINE "reset: cudaErrorStreamCaptureUnsupported\nend" FINE "reset" FINE
		"end" WRONG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test(name)
		TEST(what_was_destroyed_is_refused_though_its_place_is_taken),
		TEST(a_reset_frees_all_and_the_program_goes_on),
		TEST(variables_have_their_first_values_after_a_reset),
		TEST(a_reset_waits_for_the_end_of_captures),
#undef TEST
	};

	return cmocka_run_group_tests(tests, set_up, desk_tear_down);
}

#else

int main(void)
{
	return 77; /* no such programs here */
}

#endif
