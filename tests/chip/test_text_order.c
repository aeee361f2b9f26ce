/* The chip delivers all printed text, in the order of (time, SM, order). */
#include "core/base.h"
#include "core/text.h"
#include "tests/rig/support_gpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define HEAD \
	".version 7.0\n.target sm_70\n.address_size 64\n" \
	".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
/* "<cta> <round>" by one thread of each CTA, or 500 characters by each thread. */
#define KERNEL(format, condition, rounds) \
	HEAD format ".visible .entry k()\n{\n.local .align 8 .b8 buf[16];\n.reg .b64 %rd<6>;\n" \
		    ".reg .b32 %r<6>;\n.reg .pred %p<4>;\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, " \
		    "%ctaid.x;\n" condition \
		    "mov.u64 %rd1, buf;\nst.local.u32 [%rd1], %r2;\ncvta.local.u64 %rd2, %rd1;\n" \
		    "mov.u64 %rd3, format;\ncvta.global.u64 %rd4, %rd3;\nmov.u32 %r3, 0;\n" \
		    "L: st.local.u32 [%rd1+4], %r3;\n{\n.param .b64 a;\n.param .b64 b;\n.param " \
		    ".b32 r;\n" \
		    "st.param.b64 [a], %rd4;\nst.param.b64 [b], %rd2;\n" \
		    "call.uni (r), vprintf, (a, b);\n}\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p2, " \
		    "%r3, " rounds ";\n@%p2 bra L;\nret;\n}\n"

static bool keep_text(void *ctx, const char *text, size_t n)
{
	text_raw(ctx, "%.*s", (int)n, text);
	return true;
}

static struct text printed(const char *settings, const char *ptx, unsigned ctas, unsigned threads)
{
	struct kit k = kit_new(settings);
	struct text all = {0};

	gpu_output(k.gpu, &(struct exec_output){&all, keep_text});
	kit_launch(&k, kit_module(&k, ptx), "k", ctas, threads, 0, NULL);
	kit_run(&k);
	kit_free(&k);
	return all;
}

static void text_of_equal_times_comes_sm_by_sm(void **state)
{
	static const char ptx[] =
		KERNEL(".global .align 1 .b8 format[16] = {37, 100, 32, 37, 100, 10, 0};\n",
			"setp.ne.u32 %p1, %r1, 0;\n@%p1 exit;\n", "3");
	struct text a = printed("chip.sms=4 chip.window=20", ptx, 4, 64);
	struct text b = printed("chip.sms=4 chip.window=5", ptx, 4, 64);

	(void)state;
	/* CTAs start in turn, a few cycles apart, and the rounds of one CTA stay in order */
	assert_string_equal(text_str(&a), text_str(&b));
	assert_int_equal(strlen(text_str(&a)), 4 * 3 * 4);
	for (char cta = '0'; cta < '4'; cta++) {
		char first[] = {cta, ' ', '0', 0}, last[] = {cta, ' ', '2', 0};

		assert_non_null(strstr(text_str(&a), first));
		assert_non_null(strstr(strstr(text_str(&a), first), last));
	}
	text_clear(&a);
	text_clear(&b);
}

static void more_text_than_a_window_holds_waits_for_the_edge(void **state)
{
	static const char ptx[] =
		KERNEL(".global .align 1 .b8 format[8] = {37, 53, 48, 48, 100, 10, 0};\n", "", "4");
	struct text all = printed("chip.sms=2 chip.window=20", ptx, 6, 128);

	(void)state;
	assert_int_equal(strlen(text_str(&all)), 6 * 128 * 4 * 501);
	text_clear(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_of_equal_times_comes_sm_by_sm),
		cmocka_unit_test(more_text_than_a_window_holds_waits_for_the_edge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
