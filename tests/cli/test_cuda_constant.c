/* CUDA programs that make and end things many times: memory does not grow. */
#include "tests/rig/support_cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/mem.h"
#include "tests/rig/seeds.h"

#if defined(HAVE_CUDA) && !SANITIZED /* AddressSanitizer keeps freed blocks */

#define FEW_KB 600 /* what an allocator of the host may take of a sudden */

static int set_up(void **state)
{
	desk_set_up(state);
	cuda_put_fatbin(*state, cuda_ptx, PACK_PLAIN);
	cuda_build(*state, "constant.c", "libcudart.so.13");
	return 0;
}

/* How many more KB the program and warpbeam have after n times than after the first ones. */
static void growth(const struct desk *d, const char *command_of, const char *what, unsigned first,
	unsigned n, long kb[2])
{
	char command[128], *out;
	const char *at;

	snprintf(command, sizeof(command), "%s --quiet --set chip.sms=2 -- %%F/app %s %u %u",
		command_of, what, first, n);
	assert_int_equal(desk_run(d, command), 0);
	out = desk_content(d, "out");
	at = strstr(out, "wrong 0\n");
	assert_non_null(at);
	assert_int_equal(sscanf(at, "wrong 0\n%ld %ld", &kb[0], &kb[1]), 2);
	mem_free(out);
}

/* The names of 65,535 allocations are kept. */
static void what_has_ended_takes_no_memory(void **state)
{
	static const struct {
		const char *what;
		unsigned first, n;
	} acts[] = {{"allocations", 66000, 80000}, {"managed", 200, 2200}, {"all", 200, 2200}};

	for (size_t i = 0; i < ARRAY_LEN(acts); i++) {
		long kb[2];

		growth(*state, "exec", acts[i].what, acts[i].first, acts[i].n, kb);
		if (kb[0] > FEW_KB || kb[1] > FEW_KB)
			fail_msg("%s: the program has %ld KB more, warpbeam %ld", acts[i].what,
				kb[0], kb[1]);
	}
}

/* Many more than may be queued. */
static void a_launch_leaves_no_more_than_200_bytes(void **state)
{
	long kb[2], most = 20000L * 200 / 1024 + FEW_KB;

	growth(*state, "cuda", "launches", 2000, 22000, kb);
	assert_true(kb[0] <= FEW_KB);
	if (kb[1] > most)
		fail_msg("%ld KB more", kb[1]);
	growth(*state, "exec", "launches", 2000, 22000, kb);
	assert_true(kb[0] <= FEW_KB);
	if (kb[1] > most)
		fail_msg("exec: %ld KB more", kb[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_has_ended_takes_no_memory),
		cmocka_unit_test(a_launch_leaves_no_more_than_200_bytes),
	};

	return cmocka_run_group_tests(tests, set_up, desk_tear_down);
}

#else

int main(void)
{
	return 77; /* no such programs here */
}

#endif
