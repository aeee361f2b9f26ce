/* CUDA programs that die of SIGSEGV: which memory their host code touched. */
#include "tests/rig/support_cuda.h"

#include <stdio.h>
#include <string.h>

#include "core/base.h"
#include "core/mem.h"

#ifdef HAVE_CUDA

static int set_up(void **state)
{
	desk_set_up(state);
	cuda_put_fatbin(*state, cuda_ptx, PACK_PLAIN);
	cuda_build(*state, "touch.c", "libcudart.so.13");
	return 0;
}

static int run(const struct desk *d, const char *what)
{
	char command[256];

	snprintf(command, sizeof(command), "cuda --set chip.sms=2 --quiet -- %%F/app %s", what);
	return desk_run(d, command);
}

/* How often the library explained a fault. */
static unsigned lines(const struct desk *d)
{
	char *err = desk_content(d, "err");
	unsigned n = 0;

	for (const char *at = err; (at = strstr(at, "warpbeam: the program's host code")); at++)
		n++;
	mem_free(err);
	return n;
}

static void a_touch_is_explained_before_the_program_dies(void **state)
{
	static const struct {
		const char *what, *line;
	} touches[] = {{"managed", ", managed memory, while launches were pending; call "
				   "cudaDeviceSynchronize() first\n"},
		{"mapped", ", pinned memory that is mapped, while launches were pending; call "
			   "cudaDeviceSynchronize() first\n"},
		{"registered", ", memory registered as mapped, while launches were pending; call "
			       "cudaDeviceSynchronize() first\n"},
		{"device", ", an address of device memory, which the host cannot use; copy with "
			   "cudaMemcpy()\n"},
		{"freed", ", an address of device memory"},
		{"nothing", "touched 0x64, which is not memory of CUDA\n"}};
	const struct desk *d = *state;

	for (size_t i = 0; i < ARRAY_LEN(touches); i++) {
		assert_int_equal(run(d, touches[i].what), 1);
		assert_says(d, "err", touches[i].line);
		assert_int_equal(lines(d), 1);
		assert_says(d, "err", "the program was ended by signal 11");
	}
}

static void a_program_keeps_its_own_handler(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(run(d, "managed recover"), 0);
	assert_says(d, "out", "recovered\n");
	assert_int_equal(lines(d), 1);
	assert_int_equal(run(d, "nothing recover"), 0);
	assert_says(d, "out", "recovered\n");
	assert_int_equal(lines(d), 0);
	assert_int_equal(run(d, "device leave"), 1);
	assert_says(d, "out", "handled\n");
	assert_says(d, "err", "the program ended with status 11");
	assert_int_equal(lines(d), 1);
	assert_int_equal(run(d, "device ignore"), 1); /* a fault cannot be ignored */
	assert_says(d, "err", "ended by signal 11");
}

static void a_program_sets_its_handler_in_main(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(run(d, "managed recover late"), 0);
	assert_says(d, "out", "recovered\n");
	assert_int_equal(lines(d), 1);
	assert_int_equal(run(d, "device leave late"), 1);
	assert_says(d, "out", "handled\n");
	assert_says(d, "err", "the program ended with status 11");
	assert_int_equal(lines(d), 1);
	assert_int_equal(run(d, "nothing recover late twice"), 0);
	assert_says(d, "out", "recovered\n");
	assert_int_equal(lines(d), 0);
	/* its handler calls ours, which it found: the default action follows */
	assert_int_equal(run(d, "managed chain late"), 1);
	assert_says(d, "out", "chained\n");
	assert_says(d, "err", "ended by signal 11");
	assert_int_equal(lines(d), 1);
}

static void a_signal_that_is_sent_is_no_touch(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(run(d, "sent"), 1);
	assert_says(d, "err", "the program was ended by signal 11");
	assert_int_equal(lines(d), 0);
	assert_int_equal(run(d, "sent ignore"), 0);
	assert_says(d, "out", "not ended\n");
	assert_int_equal(run(d, "sent leave"), 1);
	assert_says(d, "out", "handled\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test(name)
		TEST(a_touch_is_explained_before_the_program_dies),
		TEST(a_program_keeps_its_own_handler),
		TEST(a_program_sets_its_handler_in_main),
		TEST(a_signal_that_is_sent_is_no_touch),
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
