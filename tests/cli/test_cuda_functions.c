/* The runtime's functions that programs use most, each called well and wrongly. */
#include "tests/rig/support_cuda.h"

#include <stdio.h>
#include <string.h>

#include "core/base.h"
#include "core/mem.h"

#ifdef HAVE_CUDA

static const char named_ptx[] =
	".version 6.0\n.target sm_50\n.address_size 64\n.global .texref named;\n"
	".visible .entry k()\n{\nret;\n}\n";

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

/* Those that 98 of 100 programs need no more than; a template calls another. */
static void no_function_that_programs_use_most_is_left_out(void **state)
{
	static const char *const wanted[] = {"Memcpy", "Malloc", "DeviceSynchronize",
		"GetErrorString", "GetLastError", "Free", "Memset", "GetDeviceProperties",
		"MemcpyAsync", "MemcpyToSymbol", "DeviceGetAttribute", "MallocManaged", "FreeHost",
		"MallocHost", "GetDeviceCount", "SetDevice", "ThreadSynchronize", "GetDevice",
		"PeekAtLastError", "MemsetAsync", "StreamCreate", "StreamDestroy",
		"StreamSynchronize", "HostAlloc", "StreamCreateWithFlags", "MemcpyFromSymbol",
		"FuncSetCacheConfig", "MemGetInfo", "EventCreate", "EventDestroy",
		"EventElapsedTime", "EventRecord", "EventSynchronize", "FuncSetAttribute",
		"DeviceSetLimit", "DeviceReset", "LaunchCooperativeKernel",
		"OccupancyMaxActiveBlocksPerMultiprocessor", "StreamAddCallback",
		"MemPrefetchAsync", "MallocPitch", "Malloc3D", "LaunchKernel", "GetErrorName",
		"FuncGetAttributes", "DeviceGetLimit", "CreateChannelDesc", "CreateTextureObject",
		"DestroyTextureObject", "BindTexture", "UnbindTexture", "FreeArray", "MallocArray",
		"MemcpyToArray", "Memcpy2DToArray", "Memcpy2D", "StreamAttachMemAsync", "Memset2D",
		"HostGetDevicePointer", "Malloc3DArray", "Memcpy3D", "EventCreateWithFlags",
		"HostRegister", "HostUnregister", "SetDeviceFlags", "StreamWaitEvent",
		"DeviceGetStreamPriorityRange", "StreamCreateWithPriority", "DeviceCanAccessPeer",
		"DeviceEnablePeerAccess", "DeviceDisablePeerAccess", "MemcpyPeerAsync", "MemAdvise",
		"EventQuery", "ProfilerStart", "ProfilerStop"};
	const struct desk *d = *state;
	char *out[2];

	cuda_build(d, "functions.c", "libcudart.so.13");
	assert_int_equal(desk_run(d, "exec --quiet -- %F/app names"), 0);
	out[0] = desk_content(d, "out");
	cuda_put_fatbin(d, named_ptx, PACK_PLAIN);
	cuda_build(d, "array_functions.c", "libcudart.so.13");
	assert_int_equal(desk_run(d, "exec --quiet -- %F/app names"), 0);
	cuda_put_fatbin(d, cuda_ptx, PACK_PLAIN);
	out[1] = desk_content(d, "out");
	assert_non_null(strstr(out[1], "11 functions, 0 with few calls; 0 of "));
	for (size_t i = 0; i < ARRAY_LEN(wanted); i++) {
		char name[80];

		snprintf(name, sizeof(name), "called cuda%s ", wanted[i]);
		if (!strstr(out[0], name) && !strstr(out[1], name))
			fail_msg("%sis missing", name);
	}
	mem_free(out[0]);
	mem_free(out[1]);
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
		cmocka_unit_test(no_function_that_programs_use_most_is_left_out),
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
