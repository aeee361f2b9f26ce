/* Rules of the SM that a planted fault once broke without any test seeing it: when a warp leaves
 * the active set, in which bank a register is, which words a store writes in the L1, and what an
 * atomic leaves there. */
#include "tests/rig/support_sm.h"

#include "core/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define NO_HIERARCHY " rf.hierarchy=none"

static double sum_of(const char *settings, const char *body, unsigned threads, const char *name)
{
	struct probed d = probe_run(&(struct probe){settings, body, 1, threads});
	double value = probe_metric(&d, name);

	probe_free(&d);
	return value;
}

/* Cycles from when the first warp begins its last instructions, among them `more`, to when the
 * second one issues: only one of the two can be active. */
static uint32_t other_warp_starts_after(const char *more)
{
	struct probed d;
	struct text t = {0};
	uint32_t cycles;

	text_raw(&t,
		"mov.u32 %%r20, %%clock;\nsetp.ge.u32 %%p1, %%r3, 32;\n@%%p1 bra OTHER;\n"
		"mov.f32 %%f1, 0f3F000000;\nmov.u32 %%r20, %%clock;\n"
		"ld.global.u32 %%r9, [%%r1];\n%s add.u32 %%r10, %%r9, 1;\n"
		"st.global.u32 [%%r2+4096], %%r10;\nst.global.f32 [%%r2+8192], %%f1;\n"
		"OTHER: st.global.u32 [%%r2], %%r20;\n",
		more);
	d = probe_run(&(struct probe){
		ONE_SM NO_HIERARCHY " sm.two_level.active_warps=1", text_str(&t), 1, 64});
	cycles = probe_u32(&d, 32) - probe_u32(&d, 0);
	probe_free(&d);
	text_clear(&t);
	return cycles;
}

static void a_warp_stays_active_until_its_short_writes_are_done(void **state)
{
	uint32_t load = other_warp_starts_after(""),
		 sine = other_warp_starts_after("sin.approx.f32 %f1, %f1;\n");

	(void)state;
	/* without the sine the warp leaves two cycles after its load's issue; the sine issues one
	 * cycle after the load, and its result takes 20 */
	assert_int_equal(sine - load, 1 + 20 - 2);
}

/* Eight warps load one line by one register: the register is in another bank for each of four
 * consecutive warps, so two of eight meet the line's bank, whichever line it is. */
static void a_register_is_in_another_bank_for_each_warp(void **state)
{
	static const char *const lines[] = {"0", "128", "256", "384"};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(lines); i++) {
		struct text t = {0};
		double met;

		text_raw(&t, "ld.global.u32 %%r9, [%%r1+%s];\nst.global.u32 [%%r2], %%r9;\n",
			lines[i]);
		met = sum_of(ONE_SM NO_HIERARCHY " chip.storage=unified sm.bank_conflicts=penalty",
			text_str(&t), 256, "bank__conflicts_arbitration.sum");
		text_clear(&t);
		assert_true(met == 2);
	}
}

/* Only what the L1 holds is written there: all 32 words of a line, or the one of one lane. */
static void a_store_writes_its_words_of_a_line_that_the_l1_holds(void **state)
{
	static const char load[] = "ld.global.u32 %r9, [%r2];\nadd.u32 %r9, %r9, 1;\n";
	static const struct {
		const char *load, *store;
		unsigned words;
	} cases[] = {
		{"", "st.global.u32 [%r2], %r3;\n", 0},
		{load, "st.global.u32 [%r2], %r9;\n", 32},
		{load, "setp.eq.u32 %p1, %r3, 5;\n@%p1 st.global.u32 [%r2], %r9;\n", 1},
		{load, "st.global.u32 [%r2], %r9;\nst.global.u32 [%r2], %r3;\n", 64},
	};
	double filled = sum_of(ONE_SM, load, 32, "bank__words_cache_write.sum");

	(void)state;
	assert_true(filled == 32); /* by the fill */
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		struct text t = {0};
		double words;

		text_raw(&t, "%s%s", cases[i].load, cases[i].store);
		words = sum_of(ONE_SM, text_str(&t), 32, "bank__words_cache_write.sum");
		text_clear(&t);
		assert_true(words == cases[i].words + (*cases[i].load ? filled : 0));
	}
}

/* A load, another one, an atomic, and a load again: without the atomic the last one hits, too. */
static void an_atomic_invalidates_the_line_in_the_l1(void **state)
{
	static const char body[] =
		"ld.global.u32 %%r9, [%%r1];\nadd.u32 %%r9, %%r9, 1;\n"
		"ld.global.u32 %%r10, [%%r1+4];\nadd.u32 %%r10, %%r10, %%r9;\n"
		"%s ld.global.u32 %%r11, [%%r1+8];\nadd.u32 %%r11, %%r11, %%r10;\n"
		"st.global.u32 [%%r2], %%r11;\n";
	static const char returned[] =
		"setp.eq.u32 %p1, %r3, 0;\n@%p1 atom.global.add.u32 %r12, [%r1+8], 1;\n"
		"add.u32 %r10, %r10, %r12;\n";
	static const char reduced[] =
		"setp.eq.u32 %p1, %r3, 0;\n@%p1 red.global.add.u32 [%r1+8], 1;\nmembar.gl;\n";
	const char *const atomics[] = {"", returned, reduced};
	(void)state;

	for (unsigned i = 0; i < ARRAY_LEN(atomics); i++) {
		struct text t = {0};
		double hits;

		text_raw(&t, body, atomics[i]);
		hits = sum_of(ONE_SM, text_str(&t), 32, "l1tex__t_lines_load_lookup_hit.sum");
		text_clear(&t);
		assert_true(hits == (i ? 1 : 2));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_warp_stays_active_until_its_short_writes_are_done),
		cmocka_unit_test(a_register_is_in_another_bank_for_each_warp),
		cmocka_unit_test(a_store_writes_its_words_of_a_line_that_the_l1_holds),
		cmocka_unit_test(an_atomic_invalidates_the_line_in_the_l1),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
