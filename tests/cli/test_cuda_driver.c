/* warpbeam cuda: programs that use CUDA's driver, alone and beside the runtime. */
#include "tests/rig/support_cuda.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/base.h"
#include "core/mem.h"

#ifdef HAVE_CUDA

static int set_up(void **state)
{
	desk_set_up(state);
	cuda_put_fatbin(*state, cuda_ptx, PACK_PLAIN);
	return 0;
}

/* Runs a part of the program, and compares what it prints. */
static void expect(
	const struct desk *d, const char *libraries, const char *part, int code, const char *text)
{
	char command[128];

	cuda_build(d, *part ? "driver.c" : "link.c", libraries);
	snprintf(command, sizeof(command), "cuda --quiet --set chip.sms=4 -- %%F/app %s", part);
	assert_int_equal(desk_run(d, command), code);
	assert_says(d, "out", text);
}

static void the_device_and_contexts(void **state)
{
	expect(*state, "libcuda.so.1", "contexts", 0,
		"before: ERROR_NOT_INITIALIZED\n"
		"flags: ERROR_INVALID_VALUE\n"
		"init: SUCCESS\n"
		"no context: ERROR_INVALID_CONTEXT\n"
		"current: SUCCESS\n"
		"1 device, warpbeam, 9, 1, 1\n"
		"second: ERROR_INVALID_DEVICE\n"
		"create: SUCCESS\n"
		"create: SUCCESS\n"
		"current 1\n"
		"pop: SUCCESS\n"
		"version: SUCCESS\n"
		"popped 1, flags 4, version 3020\n"
		"set: SUCCESS\n"
		"destroy: SUCCESS\n"
		"gone: ERROR_INVALID_CONTEXT\n"
		"stale: ERROR_INVALID_CONTEXT\n"
		"push: SUCCESS\n"
		"device: SUCCESS\n"
		"wrong flags: ERROR_INVALID_VALUE\n"
		"not retained: ERROR_INVALID_CONTEXT\n"
		"retain: SUCCESS\n"
		"active 1\n"
		"primary: ERROR_INVALID_CONTEXT\n"
		"release: SUCCESS\n"
		"null: ERROR_INVALID_VALUE\n");
}

static void arrays_are_filled_and_read_as_textures(void **state)
{
	expect(*state, "libcuda.so.1", "arrays", 0,
		"array: SUCCESS\n"
		"in: SUCCESS\n"
		"row: SUCCESS\n"
		"got 4\n"
		"texture: SUCCESS\n"
		"module: SUCCESS\n"
		"launch: SUCCESS\n"
		"fetched 36\n"
		"destroy: SUCCESS\n"
		"volume: SUCCESS\n"
		"described: SUCCESS\n"
		"4 x 4 x 2, format 1, 4 channels\n"
		"in: SUCCESS\n"
		"out: SUCCESS\n"
		"same 1\n"
		"beyond: ERROR_INVALID_VALUE\n"
		"surface: SUCCESS\n"
		"destroy: SUCCESS\n"
		"mipmap: SUCCESS\n"
		"level: SUCCESS\n"
		"none: ERROR_INVALID_VALUE\n"
		"destroy: SUCCESS\n"
		"destroy: SUCCESS\n"
		"again: ERROR_INVALID_HANDLE\n"
		"format: ERROR_INVALID_VALUE\n");
}

static void modules_are_loaded_and_their_kernels_launched(void **state)
{
	expect(*state, "libcuda.so.1", "modules", 0,
		"module: SUCCESS\n"
		"function: SUCCESS\n"
		"launch: SUCCESS\n"
		"the same 1, filled 1\n"
		"global: SUCCESS\n"
		"extra: SUCCESS\n"
		"4 bytes, filled 1\n"
		"extended: SUCCESS\n"
		"filled 1\n"
		"potential: SUCCESS\n"
		"fill of it 1, registers 1, threads 1024, CTAs 1, block 1024, grid 1\n"
		"event: SUCCESS\n"
		"filled 1, time 1\n"
		"fat binary: SUCCESS\n"
		"moved: SUCCESS\n"
		"its own 1\n"
		"stream: SUCCESS\n"
		"unload: SUCCESS\n"
		"stale: ERROR_INVALID_HANDLE\n");
}

static void memory_is_copied_and_filled(void **state)
{
	expect(*state, "libcuda.so.1", "memory", 0,
		"module: SUCCESS\n"
		"within: SUCCESS\n"
		"either: SUCCESS\n"
		"copied 1\n"
		"words: SUCCESS\n"
		"1010101 12341234 12345678 12345678\n"
		"rows: SUCCESS\n"
		"box: SUCCESS\n"
		"0 7 7 0 7\n"
		"range: SUCCESS\n"
		"base 1, 256 bytes\n"
		"managed: SUCCESS\n"
		"77, managed 1, type 2\n"
		"pinned: SUCCESS\n"
		"mapped: SUCCESS\n"
		"free: SUCCESS\n"
		"left 1\n"
		"free: SUCCESS\n"
		"twice: ERROR_INVALID_VALUE\n");
}

static void what_is_wrong_is_refused(void **state)
{
	const struct desk *d = *state;

	expect(d, "libcuda.so.1", "wrong", 0,
		"module: SUCCESS\n"
		"null: ERROR_INVALID_VALUE\n"
		"image: ERROR_INVALID_IMAGE\n"
		"machine code: ERROR_NO_BINARY_FOR_GPU\n"
		"file: ERROR_FILE_NOT_FOUND\n"
		"module: ERROR_INVALID_HANDLE\n"
		"function: ERROR_NOT_FOUND\n"
		"global: ERROR_NOT_FOUND\n"
		"options: SUCCESS\n"
		"log '', 1\n"
		"no arguments: ERROR_INVALID_VALUE\n"
		"both: ERROR_INVALID_VALUE\n"
		"no threads: ERROR_INVALID_VALUE\n"
		"no function: ERROR_INVALID_HANDLE\n"
		"attribute: ERROR_INVALID_VALUE\n"
		"nothing: ERROR_INVALID_VALUE\n"
		"element: ERROR_INVALID_VALUE\n"
		"null: ERROR_INVALID_VALUE\n"
		"far: ERROR_INVALID_VALUE\n"
		"not aligned: ERROR_INVALID_VALUE\n"
		"stream: ERROR_INVALID_HANDLE\n"
		"event: ERROR_INVALID_HANDLE\n"
		"name 1, 1\n"
		"not supported: ERROR_NOT_SUPPORTED\n"
		"address: SUCCESS\n"
		"status 0, the newest 1\n"
		"of 11.0 1, of 13.0 1\n"
		"absent: ERROR_NOT_FOUND\n"
		"status 1, 1\n"
		"PTX: ERROR_INVALID_PTX\n");
	assert_says(d, "err",
		"warpbeam: cuCoredumpGetAttribute is not supported; it returns CUDA_ERROR_NOT_SUPPORTED\n");
	assert_says(d, "err", "a module of machine code alone cannot be loaded");
	assert_says(d, "err", "module 3:4:1: expected a directive, found `wrong`");
}

static void runtime_and_driver_share_everything(void **state)
{
	static const char *const runtimes[] = {
		"libcudart.so.13 libcuda.so.1", "libcudart.so.12 libcuda.so.1"};

	for (unsigned i = 0; i < ARRAY_LEN(runtimes); i++)
		expect(*state, runtimes[i], "both", 0,
			"malloc: cudaSuccess\n"
			"init: SUCCESS\n"
			"current: SUCCESS\n"
			"primary 1\n"
			"module: SUCCESS\n"
			"launch: SUCCESS\n"
			"wrong: ERROR_INVALID_VALUE\n"
			"last: cudaSuccess\n"
			"4 5\n"
			"entry: cudaSuccess\n"
			"status 0, free 0\n"
			"none: cudaErrorSymbolNotFound, status 1\n"
			"made context: SUCCESS\n"
			"memory: ERROR_INVALID_VALUE\n"
			"stream: ERROR_INVALID_HANDLE\n");
}

static void a_recorded_program_of_the_driver_plays(void **state)
{
	const struct desk *d = *state;
	char *a, *b;

	cuda_build(d, "driver.c", "libcuda.so.1");
	assert_int_equal(
		desk_run(d, "cuda --quiet --set chip.sms=4 --json %F/a.json --record %F/r -- "
			    "%F/app modules"),
		0);
	assert_int_equal(desk_run(d, "run --quiet --set chip.sms=4 --json %F/b.json %F/r"), 0);
	a = desk_content(d, "a.json");
	b = desk_content(d, "b.json");
	assert_string_equal(a, b);
	mem_free(a);
	mem_free(b);
}

static void how_says_that_the_driver_is_replaced(void **state)
{
	const struct desk *d = *state;

	cuda_build(d, "driver.c", "libcuda.so.1");
	assert_int_equal(desk_run(d, "cuda --how %F/app"), 0);
	assert_says(d, "out",
		"runtime  none: it uses the driver, libcuda.so.1, which warpbeam's replaces\n");
	assert_says(d, "out", "run it   warpbeam cuda -- ");
	cuda_build(d, "driver.c", "libcudart.so.13 libcuda.so.1");
	assert_int_equal(desk_run(d, "cuda --how %F/app"), 0);
	assert_says(d, "out", "driver   libcuda.so.1, too\n");
	cuda_build(d, "driver.c", "libcudart_static.a libcuda.so.1");
	assert_int_equal(desk_run(d, "cuda --how %F/app"), 0);
	assert_says(d, "out", "needs    libcuda.so.1 beside warpbeam's static library, which");
}

static void a_context_ends_with_what_it_owns(void **state)
{
	expect(*state, "libcuda.so.1", "owners", 0,
		"made: SUCCESS\n"
		"made: SUCCESS\n"
		"taken 1\n"
		"destroy: SUCCESS\n"
		"given back 1\n"
		"memory: ERROR_INVALID_VALUE\n"
		"managed: ERROR_INVALID_VALUE\n"
		"host: ERROR_INVALID_VALUE\n"
		"array: ERROR_INVALID_HANDLE\n"
		"mipmap: ERROR_INVALID_HANDLE\n"
		"texture: ERROR_INVALID_VALUE\n"
		"surface: ERROR_INVALID_VALUE\n"
		"stream: ERROR_INVALID_HANDLE\n"
		"event: ERROR_INVALID_HANDLE\n"
		"module: ERROR_INVALID_HANDLE\n"
		"function: ERROR_INVALID_HANDLE\n"
		"kept: SUCCESS\n"
		"filled 1\n"
		"retain: SUCCESS\n"
		"own: SUCCESS\n"
		"release: SUCCESS\n"
		"given back 1\n"
		"kept: SUCCESS\n");
}

static void references_are_bound_by_the_next_launch(void **state)
{
	const struct desk *d = *state;

	cuda_build(d, "references.c", "libcuda.so.1");
	assert_int_equal(desk_run(d, "cuda --quiet --set chip.sms=1 --record %F/r -- %F/app"), 0);
	assert_says(d, "out",
		"module: SUCCESS\n"
		"reference: SUCCESS\n"
		"unbound: ERROR_INVALID_VALUE\n"
		"set: SUCCESS\n"
		"plane: 12\n"
		"other: SUCCESS\n"
		"plane: 112\n"
		"filter: SUCCESS\n"
		"mode: SUCCESS\n"
		"mode: SUCCESS\n"
		"flags: SUCCESS\n"
		"middle: 116.5\n"
		"flags: SUCCESS\n"
		"filter: SUCCESS\n"
		"array: SUCCESS\n"
		"same 1\n"
		"address: ERROR_INVALID_VALUE\n");
	assert_says(d, "out",
		"linear: SUCCESS\n"
		"format: SUCCESS\n"
		"offset 0\n"
		"as float: 1\n"
		"flags: SUCCESS\n"
		"as integer: 255\n"
		"flags: SUCCESS\n"
		"pitch: SUCCESS\n"
		"second row: 0.2\n"
		"address: SUCCESS\n"
		"same 1\n");
	assert_says(d, "out",
		"0 to 5\n"
		"level: 41\n"
		"bias: SUCCESS\n"
		"first level: 40\n");
	assert_says(d, "out",
		"surface: SUCCESS\n"
		"set: SUCCESS\n"
		"draw: SUCCESS\n"
		"synchronize: SUCCESS\n"
		"set as texture: SUCCESS\n"
		"drawn: 77\n");
	assert_int_equal(desk_run(d, "run --quiet --set chip.sms=1 %F/r"), 0);
}

static void wrong_references_are_refused(void **state)
{
	const struct desk *d = *state;

	cuda_build(d, "references.c", "libcuda.so.1");
	assert_int_equal(desk_run(d, "cuda --quiet --set chip.sms=1 -- %F/app"), 0);
	assert_says(d, "out",
		"no name: ERROR_NOT_FOUND\n"
		"a kernel: ERROR_NOT_FOUND\n"
		"null: ERROR_INVALID_VALUE\n"
		"no module: ERROR_INVALID_HANDLE\n"
		"again: SUCCESS\n"
		"same 1\n"
		"no reference: ERROR_INVALID_HANDLE\n"
		"no array: ERROR_INVALID_VALUE\n"
		"no override: ERROR_INVALID_VALUE\n"
		"dimension: ERROR_INVALID_VALUE\n"
		"mode: ERROR_INVALID_VALUE\n"
		"filter: ERROR_INVALID_VALUE\n"
		"flags: ERROR_INVALID_VALUE\n"
		"as a surface: ERROR_INVALID_HANDLE\n"
		"the module's: ERROR_INVALID_VALUE\n"
		"own: SUCCESS\n"
		"own: SUCCESS\n"
		"gone: ERROR_INVALID_HANDLE\n"
		"parameter: SUCCESS\n"
		"unit: ERROR_INVALID_VALUE\n"
		"border: SUCCESS\n"
		"launch: ERROR_NOT_SUPPORTED\n"
		"unload: SUCCESS\n"
		"after it: ERROR_INVALID_HANDLE\n");
	assert_says(d, "err", "textures with a border that is not 0 are not supported");
}

static void files_are_linked(void **state)
{
	expect(*state, "libcuda.so.1", "", 0,
		"no context: ERROR_INVALID_CONTEXT\n"
		"link: SUCCESS\n"
		"log '', 1\n"
		"nothing: ERROR_INVALID_VALUE\n"
		"one: SUCCESS\n"
		"no PTX: ERROR_INVALID_PTX\n"
		"machine code: ERROR_NO_BINARY_FOR_GPU\n"
		"no file: ERROR_FILE_NOT_FOUND\n"
		"kind: ERROR_INVALID_VALUE\n"
		"other: SUCCESS\n"
		"complete: SUCCESS\n"
		"bytes 1\n"
		"late: ERROR_INVALID_VALUE\n"
		"module: SUCCESS\n"
		"end: SUCCESS\n"
		"again: ERROR_INVALID_HANDLE\n"
		"function: SUCCESS\n"
		"launch: SUCCESS\n"
		"half 42\n"
		"alone: ERROR_INVALID_PTX\n"
		"named 1, bytes 1\n"
		"short log: ERROR_INVALID_PTX\n"
		"bytes 16, 15\n");
	assert_says(*state, "err", "half");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, desk_tear_down)
		TEST(the_device_and_contexts),
		TEST(modules_are_loaded_and_their_kernels_launched),
		TEST(arrays_are_filled_and_read_as_textures),
		TEST(memory_is_copied_and_filled),
		TEST(a_context_ends_with_what_it_owns),
		TEST(files_are_linked),
		TEST(references_are_bound_by_the_next_launch),
		TEST(wrong_references_are_refused),
		TEST(what_is_wrong_is_refused),
		TEST(runtime_and_driver_share_everything),
		TEST(a_recorded_program_of_the_driver_plays),
		TEST(how_says_that_the_driver_is_replaced),
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
