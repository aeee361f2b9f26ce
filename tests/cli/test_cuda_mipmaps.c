/* warpbeam cuda: mipmapped arrays and textures of them. */
#include "tests/rig/support_cuda.h"

#include <stdio.h>

#include "core/base.h"

#ifdef HAVE_CUDA

#define KERNEL(name, fetch) \
	".visible .entry " name "(.param .u64 out, .param .u64 object, .param .f32 first, " \
	".param .f32 step)\n{\n" \
	"\t.reg .b64 %a, %o, %t;\n\t.reg .b32 %i;\n\t.reg .f32 %x, %s, %f<4>;\n" \
	"\tld.param.u64 %o, [out];\n\tld.param.u64 %t, [object];\n\tmov.u32 %i, %tid.x;\n" \
	"\tld.param.f32 %x, [first];\n\tld.param.f32 %s, [step];\n" \
	"\tcvt.rn.f32.u32 %f0, %i;\n\tfma.rn.f32 %x, %f0, %s, %x;\n\t" fetch \
	"\n\tmul.wide.u32 %a, %i, 4;\n\tadd.u64 %a, %a, %o;\n\tst.global.f32 [%a], %f0;\n" \
	"\tret;\n}\n"

static const char ptx[] =
	".version 6.0\n.target sm_50\n.address_size 64\n"
	".global .texref picture;\n" KERNEL("level",
		"tex.level.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%t, {0.5, 0.5}], %x;") KERNEL("gradient",
		"tex.grad.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%t, {0.5, 0.5}], {%x, 0.0}, {0.0, 0.25};")
		KERNEL("plain", "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%t, {0.5, 0.5}];") KERNEL(
			"named",
			"tex.level.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [picture, {0.5, 0.5}], %x;");

static int set_up(void **state)
{
	desk_set_up(state);
	cuda_put_fatbin(*state, ptx, PACK_PLAIN);
	cuda_build(*state, "mipmaps.c", "libcudart.so.13");
	return 0;
}

/* Level k has texels of 10 k. The gradients are 8 x, at first 1, and 4 x 0.25 = 1 texels long. */
static void fetches_read_the_level_that_they_ask_for(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(
		desk_run(d, "cuda --quiet --set chip.sms=1 --record %F/rec -- %F/app levels"), 0);
	assert_says(
		d, "out", "mipmap: cudaSuccess\nlevel: cudaSuccess\n8 x 4\nfill: cudaSuccess\n");
	assert_says(d, "out", "\n4 x 2\n");
	assert_says(d, "out", "\n2 x 1\n");
	assert_says(d, "out", "\n1 x 1\n");
	assert_says(d, "out", "nearest: 0 0 0 10 20 30 30 30\nplain: 0 0 0 0 0 0 0 0\n");
	assert_says(d, "out", "blended: 0 0 5 12.5 20 27.5 30 30\n");
	assert_says(d, "out", "gradient: 0 10 15.8594 20 23.2031 25.8594 28.0859 30\n");
	assert_says(d, "out", "limited: 15 15 15 15 20 22.5 22.5 22.5\nplain: 15 15 15");
	assert_says(d, "out",
		"bind: cudaSuccess\nby reference: 0 0 5 12.5 20 27.5 30 30\n"
		"bind: cudaSuccess\nnot blended: 0 0 0 10 20 30 30 30\n"
		"no mipmap: cudaErrorInvalidResourceHandle\n"
		"no reference: cudaErrorInvalidTexture\n");
	assert_says(d, "out", "free: cudaSuccess\nagain: cudaErrorInvalidResourceHandle\n");
	assert_int_equal(desk_run(d, "scenario %F/rec %F/s"), 4);
	assert_says(d, "err", "a scenario cannot hold it: mipmapped textures");
	assert_int_equal(desk_run(d, "run --quiet --set chip.sms=1 %F/rec"), 0);
}

static void what_mipmaps_cannot_be_is_refused(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(desk_run(d, "cuda --quiet -- %F/app wrong"), 0);
	assert_says(d, "out",
		"null: cudaErrorInvalidValue\nthree: cudaErrorInvalidChannelDescriptor\n"
		"sparse: cudaErrorNotSupported\ntwo: cudaSuccess\nthird: cudaErrorInvalidValue\n"
		"no mipmap: cudaErrorInvalidResourceHandle\nnowhere: cudaErrorInvalidValue\n"
		"level: cudaSuccess\npart: cudaErrorInvalidResourceHandle\n"
		"texels: cudaErrorInvalidValue\nno array: cudaErrorInvalidResourceHandle\n"
		"nothing: cudaSuccess\nreset: cudaSuccess\n"
		"gone: cudaErrorInvalidResourceHandle\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			fetches_read_the_level_that_they_ask_for, set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			what_mipmaps_cannot_be_is_refused, set_up, desk_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	return 77; /* no such programs here */
}

#endif
