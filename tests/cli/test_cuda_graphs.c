/* warpbeam cuda: stream-ordered allocation, and graphs by nodes and by capture. */
#include "tests/rig/support_cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/mem.h"

#ifdef HAVE_CUDA

static const char ptx[] =
	".version 6.0\n.target sm_50\n.address_size 64\n"
	/* *p = 10 * *p + by: the order shows */
	".visible .entry append(.param .u64 p, .param .u32 by)\n{\n"
	"\t.reg .b64 %p;\n\t.reg .b32 %v, %b;\n\tld.param.u64 %p, [p];\n\tld.param.u32 %b, [by];\n"
	"\tld.global.u32 %v, [%p];\n\tmad.lo.u32 %v, %v, 10, %b;\n\tst.global.u32 [%p], %v;\n"
	"\tret;\n}\n"
	/* *p = n, late */
	".visible .entry spin(.param .u64 p, .param .u32 n)\n{\n"
	"\t.reg .b64 %p;\n\t.reg .b32 %v, %n;\n\t.reg .pred %q;\n\tld.param.u64 %p, [p];\n"
	"\tld.param.u32 %n, [n];\n\tmov.u32 %v, 0;\nagain:\n\tadd.u32 %v, %v, 1;\n"
	"\tsetp.lt.u32 %q, %v, %n;\n\t@%q bra again;\n\tst.global.u32 [%p], %v;\n\tret;\n}\n";

static int set_up(void **state)
{
	desk_set_up(state);
	cuda_put_fatbin(*state, ptx, PACK_PLAIN);
	return 0;
}

/* Builds a program, runs a part of it ("program part"), and compares what it prints. */
static void expect_of(const struct desk *d, const char *library, const char *what, const char *text)
{
	char command[128], source[32];
	int n = (int)strcspn(what, " ");

	snprintf(source, sizeof(source), "%.*s.c", n, what);
	cuda_build(d, source, library);
	snprintf(command, sizeof(command), "cuda --quiet --set chip.sms=4 -- %%F/app%s", what + n);
	assert_int_equal(desk_run(d, command), 0);
	assert_says(d, "out", text);
}

static void expect(const struct desk *d, const char *what, const char *text)
{
	expect_of(d, "libcudart.so.13", what, text);
}

/* The same with the functions as CUDA 12 and 11 have them. */
static void expect_versions(const struct desk *d, const char *what, const char *text)
{
	expect_of(d, "libcudart.so.13", what, text);
	expect_of(d, "libcudart.so.12", what, text);
	expect_of(d, "libcudart.so.11.0", what, text);
}

static void what_a_stream_frees_is_its_own_again(void **state)
{
	expect(*state, "captures memory",
		"default: cudaSuccess\n"
		"malloc: cudaSuccess\n"
		"free: cudaSuccess\n"
		"supported 1, other stream other memory 1, same stream same memory 1\n"
		"reserved 2048, used 2048\n"
		"reserved 0 of 2048, used 0 of 2048\n");
}

static void pools_keep_what_they_are_told(void **state)
{
	expect(*state, "captures pools",
		"create: cudaSuccess\n"
		"set: cudaSuccess\n"
		"current: cudaSuccess\n"
		"current 1, reserved 2048, used 0\n"
		"high: cudaSuccess\n"
		"reuse: cudaSuccess\n"
		"trim: cudaSuccess\n"
		"reuse 0, reserved 0, high 0\n"
		"access: cudaSuccess\n"
		"has: cudaSuccess\n"
		"of another: cudaErrorInvalidDevice\n"
		"too large: cudaErrorMemoryAllocation\n"
		"from pool: cudaSuccess\n"
		"destroy: cudaSuccess\n"
		"from destroyed: cudaErrorInvalidValue\n"
		"free: cudaSuccess\n"
		"gone: cudaErrorInvalidValue\n"
		"flags 3\n");
}

static void pools_refuse_what_is_wrong(void **state)
{
	expect(*state, "captures pools_wrong",
		"null: cudaErrorInvalidValue\n"
		"nothing: cudaSuccess\n"
		"huge: cudaErrorMemoryAllocation\n"
		"stream: cudaErrorInvalidResourceHandle\n"
		"free null: cudaErrorInvalidValue\n"
		"free what is not: cudaErrorInvalidValue\n"
		"no pool: cudaErrorInvalidValue\n"
		"kind: cudaErrorInvalidValue\n"
		"shared: cudaErrorNotSupported\n"
		"attribute: cudaErrorInvalidValue\n"
		"read only: cudaErrorInvalidValue\n"
		"high: cudaErrorInvalidValue\n"
		"default: cudaErrorInvalidValue\n"
		"device: cudaErrorInvalidDevice\n"
		"export: cudaErrorNotSupported\n"
		"twice: cudaErrorInvalidValue\n"
		"of cudaMalloc: cudaSuccess\n");
}

static void graphs_of_nodes_run_in_order(void **state)
{
	expect_versions(*state, "graphs nodes",
		"host: cudaSuccess\n"
		"copy: cudaSuccess\n"
		"instantiate: cudaSuccess\n"
		"upload: cudaSuccess\n"
		"124 124, copied 124, calls 2\n"
		"7 nodes, 1 roots, 7 edges, type 5, 2 after, digit 4\n"
		"set: cudaSuccess\n"
		"graph's: cudaSuccess\n"
		"125\n"
		"fill: cudaSuccess\n"
		"off: cudaSuccess\n"
		"6554325\n"
		"destroy node: cudaSuccess\n"
		"4 edges\n"
		"destroy: cudaSuccess\n"
		"6554325\n"
		"destroy: cudaSuccess\n"
		"again: cudaErrorInvalidValue\n"
		"gone: cudaErrorInvalidValue\n");
}

static void children_events_and_clones(void **state)
{
	expect(*state, "graphs children",
		"child: cudaSuccess\n"
		"record: cudaSuccess\n"
		"wait: cudaSuccess\n"
		"any: cudaSuccess\n"
		"172, event cudaSuccess\n"
		"get: cudaSuccess\n"
		"not the child's: cudaErrorInvalidValue\n"
		"other nodes: cudaErrorGraphExecUpdateFailure\n"
		"same nodes: cudaSuccess\n"
		"192\n"
		"clone: cudaSuccess\n"
		"find: cudaSuccess\n"
		"not of it: cudaErrorInvalidValue\n"
		"172\n");
}

static void branches_of_a_graph_overlap(void **state)
{
	expect(*state, "graphs branches", "beside each other in less than half the time: 1\n");
}

static void objects_of_the_program_live_with_graphs(void **state)
{
	expect(*state, "graphs objects",
		"create: cudaSuccess\n"
		"retain: cudaSuccess\n"
		"destroyed 0, then 1\n"
		"gone: cudaErrorInvalidValue\n");
}

static void wrong_graphs_are_refused(void **state)
{
	expect(*state, "graphs wrong",
		"flags: cudaErrorInvalidValue\n"
		"null: cudaErrorInvalidValue\n"
		"no kernel: cudaErrorInvalidDeviceFunction\n"
		"no arguments: cudaErrorInvalidValue\n"
		"of another: cudaErrorInvalidValue\n"
		"twice: cudaErrorInvalidValue\n"
		"self: cudaErrorInvalidValue\n"
		"there: cudaErrorInvalidValue\n"
		"not there: cudaErrorInvalidValue\n"
		"element: cudaErrorInvalidValue\n"
		"host: cudaErrorInvalidValue\n"
		"event: cudaErrorInvalidValue\n"
		"type: cudaErrorInvalidValue\n"
		"back: cudaSuccess\n"
		"cycle: cudaErrorInvalidValue\n"
		"cycle: cudaErrorInvalidValue\n"
		"result 2, a node of it 1\n"
		"whole: cudaSuccess\n"
		"result 0\n"
		"flags: cudaErrorInvalidValue\n"
		"on the device: cudaErrorNotSupported\n"
		"not of it: cudaErrorInvalidValue\n"
		"stream: cudaErrorInvalidResourceHandle\n"
		"node: cudaSuccess\n"
		"stale: cudaErrorInvalidValue\n"
		"graph: cudaSuccess\n"
		"stale: cudaErrorInvalidValue\n"
		"stale: cudaErrorInvalidValue\n");
}

static void updates_keep_the_shape(void **state)
{
	expect_versions(*state, "graphs update",
		"15\n"
		"update: cudaSuccess\n"
		"result 0: 25\n"
		"update: cudaErrorGraphExecUpdateFailure\n"
		"result 3: 25\n"
		"update: cudaErrorGraphExecUpdateFailure\n"
		"result 2: 25\n");
}

static void nodes_allocate_and_free(void **state)
{
	expect(*state, "graphs memory_nodes",
		"allocate: cudaSuccess\n"
		"3030303, again: cudaErrorInvalidValue\n"
		"free: cudaSuccess\n"
		"again: cudaSuccess\n"
		"free: cudaSuccess\n"
		"twice: cudaErrorInvalidValue\n"
		"whole: cudaSuccess\n"
		"twice: cudaSuccess\n"
		"used 4096, reserved 0\n"
		"captured: cudaSuccess\n"
		"captured: cudaSuccess\n"
		"1010101\n"
		"trim: cudaSuccess\n"
		"none: cudaErrorInvalidValue\n");
}

static void captured_streams_become_a_graph(void **state)
{
	expect_versions(*state, "captures capture",
		"begin: cudaSuccess\n"
		"fork: cudaSuccess\n"
		"join: cudaSuccess\n"
		"done: 0; 0 1 1, capture 1, 1 last\n"
		"end: cudaSuccess\n"
		"123, calls 10, 5 nodes, 5 edges, filled 1010101\n"
		"to graph: cudaSuccess\n"
		"end: cudaSuccess\n"
		"the same 1\n"
		"5123\n"
		"external: cudaSuccess\n"
		"external: cudaSuccess\n"
		"2 nodes, event cudaSuccess\n");
}

static void captures_are_invalidated(void **state)
{
	expect(*state, "captures capture_wrong",
		"default: cudaErrorStreamCaptureUnsupported\n"
		"mode: cudaErrorInvalidValue\n"
		"not begun: cudaErrorIllegalState\n"
		"begun: cudaErrorIllegalState\n"
		"  then: cudaSuccess\n"
		"synchronise: cudaErrorStreamCaptureUnsupported\n"
		"  then: cudaErrorStreamCaptureInvalidated\n"
		"callback: cudaErrorStreamCaptureUnsupported\n"
		"  then: cudaErrorStreamCaptureInvalidated\n"
		"implicit: cudaErrorStreamCaptureImplicit\n"
		"  then: cudaErrorStreamCaptureInvalidated\n"
		"apart: cudaSuccess\n"
		"  then: cudaSuccess\n"
		"malloc: cudaErrorStreamCaptureUnsupported\n"
		"  then: cudaErrorStreamCaptureInvalidated\n"
		"device: cudaErrorStreamCaptureUnsupported\n"
		"  then: cudaErrorStreamCaptureInvalidated\n"
		"relaxed: cudaSuccess\n"
		"  then: cudaSuccess\n"
		"exchanged: cudaSuccess\n"
		"  then: cudaSuccess\n"
		"mode 0\n");
}

static void captures_do_not_cross(void **state)
{
	expect(*state, "captures capture_cross",
		"isolation: cudaErrorStreamCaptureIsolation\n"
		"  then: cudaErrorStreamCaptureInvalidated\n"
		"merge: cudaErrorStreamCaptureMerge\n"
		"  then: cudaErrorStreamCaptureInvalidated\n"
		"merged: cudaSuccess\n"
		"  then: cudaErrorStreamCaptureInvalidated\n"
		"unjoined: cudaSuccess\n"
		"  then: cudaErrorStreamCaptureUnjoined\n"
		"unmatched: cudaErrorStreamCaptureUnmatched\n"
		"  then: cudaSuccess\n"
		"captured event: cudaErrorCapturedEvent\n"
		"  then: cudaErrorStreamCaptureInvalidated\n"
		"of an ended one: cudaErrorCapturedEvent\n"
		"invalid: cudaErrorStreamCaptureInvalidated\n"
		"  then: cudaErrorStreamCaptureInvalidated\n"
		"thread: cudaErrorStreamCaptureWrongThread\n"
		"  then: cudaSuccess\n"
		"left: cudaSuccess\n"
		"  then: cudaSuccess\n"
		"still works: cudaSuccess\n");
}

static void streams_have_properties(void **state)
{
	expect(*state, "captures streams",
		"flags: cudaSuccess\n"
		"1 0 0 1\n"
		"null: cudaErrorInvalidValue\n"
		"no stream: cudaErrorInvalidResourceHandle\n");
}

static void a_recorded_graph_plays(void **state)
{
	const struct desk *d = *state;
	char *a, *b;

	cuda_build(d, "graphs.c", "libcudart.so.13");
	assert_int_equal(
		desk_run(d, "cuda --quiet --set chip.sms=4 --json %F/a.json --record %F/r -- "
			    "%F/app nodes"),
		0);
	assert_int_equal(desk_run(d, "run --quiet --set chip.sms=4 --json %F/b.json %F/r"), 0);
	a = desk_content(d, "a.json");
	b = desk_content(d, "b.json");
	assert_string_equal(a, b);
	mem_free(a);
	mem_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, desk_tear_down)
		TEST(what_a_stream_frees_is_its_own_again),
		TEST(pools_keep_what_they_are_told),
		TEST(pools_refuse_what_is_wrong),
		TEST(graphs_of_nodes_run_in_order),
		TEST(children_events_and_clones),
		TEST(branches_of_a_graph_overlap),
		TEST(objects_of_the_program_live_with_graphs),
		TEST(wrong_graphs_are_refused),
		TEST(updates_keep_the_shape),
		TEST(nodes_allocate_and_free),
		TEST(captured_streams_become_a_graph),
		TEST(captures_are_invalidated),
		TEST(captures_do_not_cross),
		TEST(streams_have_properties),
		TEST(a_recorded_graph_plays),
#undef TEST
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	return 77; /* no such programs here */
}

#endif
