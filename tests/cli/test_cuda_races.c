/* CUDA programs of several threads, and kernels that assert and allocate. */
#include "tests/rig/support_cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/mem.h"

#ifdef HAVE_CUDA

#define ENTRY(name) ".visible .entry " name "(.param .u64 p, .param .u32 by)\n{\n"
#define HEAD \
	".reg .b64 %a, %o, %n, %m; .reg .b32 %i, %v, %b; .reg .pred %q;\n" \
	"ld.param.u64 %o, [p]; ld.param.u32 %b, [by]; cvt.u64.u32 %n, %b;\n" \
	"mov.u32 %i, %ctaid.x; mov.u32 %v, %tid.x; mad.lo.u32 %i, %i, 32, %v;\n"

static const char ptx[] =
	".version 7.0\n.target sm_50\n.address_size 64\n"
	".extern .func (.param .b64 r) malloc\n(\n.param .b64 n\n)\n;\n"
	".extern .func free\n(\n.param .b64 p\n)\n;\n"
	".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 g, "
	".param .b64 c);\n"
	".global .align 1 .b8 text[] = {105, 60, 98, 0};\n"     /* i<b */
	".global .align 1 .b8 file[] = {97, 46, 99, 117, 0};\n" /* a.cu */
	".global .align 1 .b8 name[] = {99, 40, 41, 0};\n"      /* c() */
	ENTRY("add") HEAD
	"mul.wide.u32 %a, %i, 4; add.u64 %a, %a, %o; ld.global.u32 %v, [%a];\n"
	"add.u32 %v, %v, %b; st.global.u32 [%a], %v; ret;\n}\n"
	".visible .entry wait(.param .u64 p)\n{\n.reg .b64 %o; .reg .b32 %v; .reg .pred %q;\n"
	"ld.param.u64 %o, [p];\n"
	"A: ld.volatile.global.u32 %v, [%o]; setp.eq.u32 %q, %v, 0; @%q bra A; ret;\n}\n" ENTRY(
		"check") HEAD
	"setp.lt.u32 %q, %v, %b; @%q ret;\n"
	"{ .param .b64 a; .param .b64 f; .param .b32 l; .param .b64 g; .param .b64 c;\n"
	"mov.u64 %a, text; cvta.global.u64 %a, %a; st.param.b64 [a], %a;\n"
	"mov.u64 %a, file; cvta.global.u64 %a, %a; st.param.b64 [f], %a; mov.u32 %i, 77;\n"
	"st.param.b32 [l], %i; mov.u64 %a, name; cvta.global.u64 %a, %a; st.param.b64 [g], %a;\n"
	"mov.u64 %a, 1; st.param.b64 [c], %a; call __assertfail, (a, f, l, g, c); }\nret;\n}\n" ENTRY(
		"get") HEAD "{ .param .b64 x; .param .b64 y; st.param.b64 [x], %n;\n"
			    "call.uni (y), malloc, (x); ld.param.b64 %a, [y]; }\n"
			    "mul.wide.u32 %n, %i, 8; add.u64 %o, %o, %n; st.global.u64 [%o], %a;\n"
			    "setp.eq.u64 %q, %a, 0; @%q ret;\nst.u32 [%a], %i; ret;\n}\n"
	/* what get wrote must be there: else the pointer becomes odd */
	ENTRY("see") HEAD
	"mul.wide.u32 %n, %i, 8; add.u64 %o, %o, %n; ld.global.u64 %a, [%o];\n"
	"setp.eq.u64 %q, %a, 0; @%q ret;\nld.u32 %v, [%a]; setp.eq.u32 %q, %v, %i; @%q ret;\n"
	"add.u64 %a, %a, 1; st.global.u64 [%o], %a; ret;\n}\n" ENTRY("put") HEAD
	"mul.wide.u32 %n, %i, 8; add.u64 %o, %o, %n; ld.global.u64 %a, [%o];\n"
	"{ .param .b64 x; st.param.b64 [x], %a; call.uni free, (x); }\nret;\n}\n" ENTRY("twice")
		HEAD "mul.wide.u32 %n, %i, 8; add.u64 %o, %o, %n; ld.global.u64 %a, [%o];\n"
		     "setp.ne.u32 %q, %i, 3; @%q ret;\n"
		     "{ .param .b64 x; st.param.b64 [x], %a; call free, (x); }\nret;\n}\n";

static int set_up(void **state)
{
	desk_set_up(state);
	cuda_put_fatbin(*state, ptx, PACK_PLAIN);
	cuda_build(*state, "races.c", "libcudart.so.13");
	return 0;
}

static int run(const struct desk *d, const char *options, const char *what)
{
	char command[256];

	snprintf(command, sizeof(command),
		"cuda --set chip.sms=2 --max-cycles 10000000 --quiet %s -- %%F/app %s", options,
		what);
	return desk_run(d, command);
}

static void racing_threads_have_their_results(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(run(d, "--untimed", "races"), 0);
	assert_says(d, "out", "wrong 0\n");
	assert_int_equal(run(d, "", "races"), 0);
	assert_says(d, "out", "wrong 0\n");
}

static void default_streams_of_threads_overlap(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(run(d, "", "own"), 0);
	assert_says(d, "out",
		"launch: cudaSuccess\nother: cudaSuccess\nother: cudaSuccess\n"
		"named: cudaSuccess\nlegacy: cudaSuccess\n");
}

static void a_failed_assertion_is_told_and_sticks(void **state)
{
	static const char *const options[] = {"", "--untimed"};
	const struct desk *d = *state;

	for (unsigned i = 0; i < ARRAY_LEN(options); i++) {
		assert_int_equal(run(d, options[i], "asserts"), 6);
		assert_says(d, "out",
			"fine: cudaSuccess\nlaunch: cudaSuccess\nwait: cudaErrorAssert\n"
			"copy: cudaErrorAssert\nsticky: cudaErrorAssert\nagain: cudaErrorAssert\n");
		assert_says(d, "err",
			"kernel 'check': assertion `i<b` failed, a.cu:77, c(), thread (5,0,0) of "
			"CTA (0,0,0)");
	}
}

static void kernels_allocate_and_free(void **state)
{
	static const char *const options[] = {"", "--untimed", "--threads 2"};
	const struct desk *d = *state;

	for (unsigned i = 0; i < ARRAY_LEN(options); i++) {
		assert_int_equal(run(d, options[i], "heap"), 6);
		assert_says(d, "out",
			"used: cudaErrorInvalidValue\nreset: cudaSuccess\n"
			"found 36, of 8388608 bytes\n"
			"used: cudaErrorInvalidValue\nreset: cudaSuccess\n"
			"found 36, of 8388608 bytes\n"
			"limit: cudaSuccess\nbytes 65536\nfound 42 wrong 0\nfound 42 wrong 0\n"
			"found 42 wrong 0\nlate: cudaErrorInvalidValue\n"
			"host: cudaErrorInvalidValue\nfreed: cudaSuccess\n"
			"twice: cudaErrorLaunchFailure\n");
		assert_says(d, "err", "kernel 'twice': free() of 0x");
		assert_says(d, "err", ", which was freed before, thread (3,0,0) of CTA (0,0,0), ");
		assert_says(d, "err", "/app, module 1:");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test(name)
		TEST(racing_threads_have_their_results),
		TEST(default_streams_of_threads_overlap),
		TEST(a_failed_assertion_is_told_and_sticks),
		TEST(kernels_allocate_and_free),
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
