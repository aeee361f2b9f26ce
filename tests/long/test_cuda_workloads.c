/* More workloads as CUDA programs: the same cycles and metrics as `warpbeam run NAME`. With
 * WARPBEAM_HOST_WORKLOADS="aes bfs", those. */
#include "tests/rig/host_log_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	static const char some[] = "convolutionseparable reduction mrifhd hotspot scalarprod aes "
				   "boxfilter convolutiontexture rpes sobelfilter texturechase";
	const char *given = getenv("WARPBEAM_HOST_WORKLOADS");
	char names[1024], *name;
	unsigned wrong = 0;

	snprintf(names, sizeof(names), "%s", given ? given : some);
	for (name = strtok(names, " "); name; name = strtok(NULL, " ")) {
		unsigned n = host_log_compare(*state, name);

		if (given)
			print_message("%s: %u differences\n", name, n);
		wrong += n;
	}
	assert_int_equal(wrong, 0);
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
