/* warpbeam cuda: arrays, textures, surfaces, managed variables and properties of a program. */
#include "tests/rig/support_cuda.h"

#include <stdlib.h>
#include <string.h>

#include "core/base.h"

#ifdef HAVE_CUDA

#define ENTRY(name) \
	".visible .entry " name "(.param .u64 out, .param .u64 object, .param .f32 first, " \
	".param .f32 step, .param .f32 row)\n{\n" \
	"\t.reg .b64 %a, %o, %t;\n\t.reg .b32 %i, %j, %k, %r<4>;\n\t.reg .f32 %x, %s, %y, %f<4>;\n" \
	"\tld.param.u64 %o, [out];\n\tld.param.u64 %t, [object];\n\tmov.u32 %i, %tid.x;\n" \
	"\tld.param.f32 %x, [first];\n\tld.param.f32 %s, [step];\n\tld.param.f32 %y, [row];\n" \
	"\tcvt.rn.f32.u32 %f0, %i;\n\tfma.rn.f32 %x, %f0, %s, %x;\n" \
	"\tcvt.rzi.s32.f32 %j, %x;\n\tcvt.rzi.s32.f32 %k, %y;\n" \
	"\tmul.wide.u32 %a, %i, 4;\n\tadd.u64 %a, %a, %o;\n"

static const char ptx[] =
	".version 6.0\n.target sm_50\n.address_size 64\n.global .texref named;\n"
	".visible .global .attribute(.managed) .align 4 .u32 counter = 5;\n" ENTRY(
		"plane") "\ttex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%t, {%x, %y}];\n"
			 "\tst.global.f32 [%a], %f0;\n\tret;\n}\n" ENTRY(
				 "line") "\ttex.1d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [%t, {%j}];\n"
					 "\tst.global.u32 [%a], %r0;\n\tret;\n}\n" ENTRY(
						 "layer") "\ttex.a1d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%t, {%k, %x}];\n"
							  "\tst.global.f32 [%a], %f0;\n\tret;\n}\n" ENTRY(
								  "through") "\ttex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [named, {%x, %y}];\n"
									     "\tst.global.f32 [%a], %f0;\n\tret;\n}\n" ENTRY(
										     "draw") "\tand.b32 %j, %i, 7;\n\tshl.b32 %j, %j, 2;\n\tshr.u32 %k, %i, 3;\n\tmul.lo.u32 %r0, %i, 3;\n"
											     "\tsust.b.2d.b32.trap [%t, {%j, %k}], {%r0};\n\tret;\n}\n"
											     ".visible .entry count()\n{\n\t.reg .b32 %r;\n\tatom.global.add.u32 %r, [counter], 1;\n"
											     "\tret;\n}\n";

static int set_up(void **state)
{
	desk_set_up(state);
	cuda_put_fatbin(*state, ptx, PACK_PLAIN);
	cuda_build(*state, "arrays.c", "libcudart.so.13");
	return 0;
}

/* Runs a part of the program, and compares what it prints. */
static void expect(const struct desk *d, const char *what, int code, const char *text)
{
	char command[128];

	snprintf(command, sizeof(command), "cuda --quiet --set chip.sms=1 -- %%F/app %s", what);
	assert_int_equal(desk_run(d, command), code);
	assert_says(d, "out", text);
}

static void arrays_are_filled_read_and_copied(void **state)
{
	expect(*state, "copies", 0,
		"array: cudaSuccess\narray: cudaSuccess\nto: cudaSuccess\nto: cudaSuccess\n"
		"from: cudaSuccess\nwhole: 1\nbetween: cudaSuccess\ncut: cudaSuccess\ncut: 1\n"
		"info: cudaSuccess\ninfo: 32 2, 5 x 5 x 0, 2\nformat: cudaSuccess\n"
		"made: 8 8 8 8 1\nfree: cudaSuccess\nagain: cudaErrorInvalidResourceHandle\n"
		"reset: cudaSuccess\ngone: cudaErrorInvalidResourceHandle\n");
}

static void boxes_are_copied_between_host_memory_and_arrays(void **state)
{
	expect(*state, "boxes", 0,
		"array: cudaSuccess\nmemory: cudaSuccess\nset: cudaSuccess\nin: cudaSuccess\n"
		"across: cudaSuccess\nout: cudaSuccess\nboxes: 1\nwide: cudaErrorInvalidPitchValue\n"
		"deep: cudaErrorInvalidValue\ndirection: cudaErrorInvalidMemcpyDirection\n"
		"nothing: cudaErrorInvalidValue\n");
}

static void texture_objects_read_as_the_host_computes(void **state)
{
	expect(*state, "objects", 0,
		"array: cudaSuccess\ndestroy: cudaSuccess\nclamped: 1, the handle again: 0\n"
		"filtered: 1\npitch: cudaSuccess\nnormalised: 1\nlinear: cudaSuccess\nbytes: 1\n");
	expect(*state, "layers", 0, "layered: cudaSuccess\nin: cudaSuccess\nlayers: 1\n");
}

static void texture_references_are_bound(void **state)
{
	expect(*state, "references", 0,
		"to array: cudaSuccess\nunbind: cudaSuccess\nplane: cudaSuccess\nmemory: cudaSuccess\n"
		"read: 1, offset 0\nnone: cudaErrorInvalidTexture\nnull: cudaErrorInvalidValue\n"
		"no format: cudaErrorInvalidValue\nreset: cudaSuccess\nnothing is read: 1\n");
	assert_says(*state, "err", "nothing is bound to its texture reference 'named'");
}

static void surfaces_are_written(void **state)
{
	expect(*state, "surfaces", 0,
		"surface: cudaSuccess\ndrawn: 1\ndestroy: cudaSuccess\n"
		"again: cudaErrorInvalidValue\nlinear: cudaErrorInvalidValue\n");
}

/* Records it, makes a scenario of that, and runs it. */
static void a_recordings_scenario_has_the_textures(void **state)
{
	const struct desk *d = *state;
	json_t *a, *b;

	assert_int_equal(desk_run(d, "cuda --quiet --set chip.sms=1 --json %F/a --record %F/rec -- "
				     "%F/app kept"),
		0);
	assert_says(d, "out", "kept: 1\n");
	assert_int_equal(desk_run(d, "scenario %F/rec %F/s"), 0);
	assert_int_equal(desk_run(d, "run --set chip.sms=1 --json %F/b %F/s/scenario.yaml"), 0);
	assert_says(d, "out", "check: passed");
	a = desk_json(d, "a");
	b = desk_json(d, "b");
	assert_true(json_equal(json_object_get(a, "metrics"), json_object_get(b, "metrics")));
	json_decref(a);
	json_decref(b);
	assert_says(d, "s/scenario.yaml", "{texture: t2}");
	assert_says(d, "s/scenario.yaml", "bind: { named: t3 } }");
	assert_says(d, "s/scenario.yaml",
		"width: 8, height: 4, pitch: 32, slice_pitch: 128,\n      address: [border, clamp, "
		"clamp], filter: linear, handle: 2 }");
}

static void textures_that_no_scenario_can_hold_are_named(void **state)
{
	static const struct {
		const char *what, *words;
	} rows[] = {
		{"objects", "a texture object is destroyed after a launch, and another one is made "
			    "with its entry"},
		{"references",
			"texture reference 'named' is bound to one texture, and after a launch "
			"to another"}};
	const struct desk *d = *state;
	char command[128];

	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		snprintf(command, sizeof(command), "cuda --quiet --record %%F/no%u -- %%F/app %s",
			i, rows[i].what);
		assert_int_equal(desk_run(d, command), 0);
		snprintf(command, sizeof(command), "scenario %%F/no%u %%F/none", i);
		assert_int_equal(desk_run(d, command), 4);
		assert_says(d, "err", rows[i].words);
		assert_false(desk_has(d, "none") || desk_has(d, "none.tmp"));
	}
}

static void what_arrays_and_textures_cannot_be_is_refused(void **state)
{
	expect(*state, "wrong", 0,
		"three: cudaErrorInvalidChannelDescriptor\nuneven: cudaErrorInvalidChannelDescriptor\n"
		"empty: cudaErrorInvalidValue\nhuge: cudaErrorMemoryAllocation\n"
		"cube: cudaErrorInvalidValue\ncube: cudaErrorInvalidValue\n"
		"cubes: cudaErrorInvalidValue\ncubes: cudaSuccess\n"
		"sparse: cudaErrorNotSupported\nnull: cudaErrorInvalidValue\n"
		"no array: cudaErrorInvalidResourceHandle\nbeyond: cudaErrorInvalidValue\n"
		"below: cudaErrorInvalidValue\npart: cudaErrorInvalidValue\n"
		"pitch: cudaErrorInvalidPitchValue\ndirection: cudaErrorInvalidMemcpyDirection\n"
		"direction: cudaErrorInvalidMemcpyDirection\ntoo many: cudaErrorInvalidValue\n"
		"filter: cudaErrorInvalidFilterSetting\nnorm: cudaErrorInvalidNormSetting\n"
		"mode: cudaErrorInvalidValue\nborder: cudaErrorNotSupported\n"
		"view: cudaErrorNotSupported\nno array: cudaErrorInvalidResourceHandle\n"
		"too long: cudaErrorInvalidValue\noverlap: cudaErrorInvalidValue\n"
		"host: cudaErrorInvalidValue\nhalf: cudaSuccess\ncolours: cudaErrorNotSupported\n"
		"mipmap: cudaErrorInvalidResourceHandle\ndestroy: cudaErrorInvalidValue\n"
		"nothing: cudaSuccess\n");
	assert_says(*state, "err", "texture 'of the program': ");
	assert_says(*state, "err", "they overlap");
	expect(*state, "stale", 6,
		"twice: cudaErrorInvalidValue\nas a surface: cudaErrorInvalidValue\n"
		"the other: 7\nstale: cudaErrorLaunchFailure\n");
	assert_says(*state, "err", "1 is not a handle of the object");
}

static void managed_variables_have_their_values_on_both_sides(void **state)
{
	expect(*state, "managed", 0,
		"at first: 5\nthen: 47\naddress: cudaSuccess\nsame: 1\n"
		"reset: cudaSuccess\nagain: 5\nthen: 37\n");
}

static void properties_are_the_chips_in_each_versions_structure(void **state)
{
	static const struct {
		const char *library, *words;
	} rows[] = {{"libcudart.so.13", "of 13: 80 SMs, bus 4096, 2048 threads, 32 CTAs\n"},
		{"libcudart.so.11.0",
			"of 11: 80 SMs, bus 4096 at 878906 kHz, 2048 threads, 32 CTAs, beyond 0 "
			"16843009\n"},
		{"libcudart.so.12",
			"of 11: 80 SMs, bus 4096 at 878906 kHz, 2048 threads, 32 CTAs, beyond 0 "
			"16843009\n"}};
	const struct desk *d = *state;

	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		cuda_build(d, "arrays.c", rows[i].library);
		assert_int_equal(desk_run(d, "cuda --quiet --chip v100 -- %F/app properties"), 0);
		assert_says(d, "out", rows[i].words);
		assert_says(d, "out", "of 12: 80 SMs, beyond 0 16843009\n");
		assert_says(d, "out", "memory: 16384 MB, 1\n");
		assert_says(
			d, "out", "second: cudaErrorInvalidDevice\nnull: cudaErrorInvalidValue\n");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, desk_tear_down)
		TEST(arrays_are_filled_read_and_copied),
		TEST(boxes_are_copied_between_host_memory_and_arrays),
		TEST(texture_objects_read_as_the_host_computes),
		TEST(texture_references_are_bound),
		TEST(surfaces_are_written),
		TEST(a_recordings_scenario_has_the_textures),
		TEST(textures_that_no_scenario_can_hold_are_named),
		TEST(what_arrays_and_textures_cannot_be_is_refused),
		TEST(managed_variables_have_their_values_on_both_sides),
		TEST(properties_are_the_chips_in_each_versions_structure),
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
