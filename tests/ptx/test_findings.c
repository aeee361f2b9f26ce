/* Bugs of the PTX compiler found by fuzzing and large inputs. The sizes are such that the bug would
 * show: memory or time quadratic in the input would fail the test. */
#include "tests/rig/ptx_build.h"

#define BODY \
	".reg .pred %p<4>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<3>;\nld.param.u64 %rd1, [out];\n" \
	"mov.u32 %r1, %tid.x;\n"
#define BEGIN ".entry k(.param .u64 out)\n{\n" BODY
#define END "st.global.u32 [%rd1], %r1;\nret;\n}\n"

/* Frees the text. */
static void build_text(struct built *b, struct text *t)
{
	assert_false(t->failed);
	build_with(b, text_str(t), NULL);
	text_clear(t);
}

static void expect_message(const struct built *b, const char *message)
{
	if (!strstr(err_text(&b->err), message))
		fail_msg("expected %s\nfound %.500s", message, err_text(&b->err));
}

/* Choosing the reconvergence point of an indexed branch wrote past its list of eight. */
static void a_jump_table_may_have_twenty_thousand_targets(void **state)
{
	struct text t = {0};
	struct built b;

	(void)state;
	text_raw(&t, "%s%sT: .branchtargets L0", HEAD, BEGIN);
	for (unsigned k = 1; k < 20000; k++)
		text_raw(&t, ", L%u", k);
	text_raw(&t, ";\nbrx.idx %%r1, T;\n");
	for (unsigned k = 0; k < 20000; k++)
		text_raw(&t, "L%u: add.u32 %%r1, %%r1, %u;\n%s", k, k, k % 3 ? "" : "ret;\n");
	text_raw(&t, "%s", END);
	build_text(&b, &t);
	assert_string_equal(err_text(&b.err), "");
	assert_int_equal(b.k->regs, 3);
	drop(&b);
}

/* Each of them has an edge to each target. */
static void jump_tables_end_somewhere(void **state)
{
	struct text t = {0};
	struct built b;

	(void)state;
	text_raw(&t, "%s%sT: .branchtargets L0", HEAD, BEGIN);
	for (unsigned k = 1; k < 20000; k++)
		text_raw(&t, ", L%u", k);
	text_raw(&t, ";\n");
	for (unsigned k = 0; k < 20000; k++)
		text_raw(&t, "L%u: brx.idx %%r1, T;\n", k);
	text_raw(&t, "%s", END);
	build_text(&b, &t);
	assert_int_equal(b.m->nkernels, 0);
	expect_message(&b, "`brx.idx`: more than 1048576 jump targets");
	drop(&b);
}

/* The names in the list were looked up in the list itself. */
static void a_list_of_targets_that_names_itself_is_an_error(void **state)
{
	struct built b;

	(void)state;
	build_with(&b, HEAD BEGIN "T: .branchtargets A, T;\nbrx.idx %r1, T;\nA: ret;\n}\n", NULL);
	assert_int_equal(b.m->nkernels, 0);
	expect_message(&b, "k.ptx:11:22: kernel k: `brx.idx`: T is not a label");
	drop(&b);
}

/* Each kernel allocated memory for all functions and variables of the module. */
static void twenty_thousand_kernels_cost_only_themselves(void **state)
{
	struct text t = {0};
	struct built b;

	(void)state;
	text_raw(&t, "%s", HEAD);
	for (unsigned k = 0; k < 20000; k++)
		text_raw(&t,
			".shared .b32 s%u;\n.entry k%u(.param .u64 out)\n{\n.reg .b32 %%r1;\n"
			"st.shared.u32 [s%u], %%r1;\nret;\n}\n",
			k, k, k);
	build_text(&b, &t);
	assert_int_equal(b.m->nkernels, 20000);
	for (unsigned k = 0; k < 20000; k += 1999) {
		assert_int_equal(b.m->kernels[k]->shared_bytes, 4);
		assert_int_equal(b.m->kernels[k]->code[0].offset, 0);
	}
	drop(&b);
}

/* Liveness kept six bits for each register in each block. */
static void values_that_live_shortly_in_many_blocks_cost_what_they_live(void **state)
{
	const unsigned n = 80000;
	struct text t = {0};
	struct built b;

	(void)state;
	text_raw(&t, "%s%s.reg .b32 %%x<%u>;\nmov.u32 %%x0, 1;\nmov.u32 %%x1, 2;\n", HEAD, BEGIN,
		n + 2);
	for (unsigned k = 0; k < n; k++)
		text_raw(&t,
			"add.u32 %%x%u, %%x%u, %%x%u;\n@%%p1 bra L%u;\nadd.u32 %%x%u, %%x%u, 1;\n"
			"L%u:\n",
			k + 2, k, k + 1, k, k + 2, k + 2, k);
	text_raw(&t, "mov.u32 %%r1, %%x%u;\n%s", n + 1, END);
	build_text(&b, &t);
	assert_string_equal(err_text(&b.err), "");
	assert_int_equal(b.k->max_live, 4);
	drop(&b);
}

/* Registers were counted again at each instruction, and predicates were coloured whatever their
 * number. */
static void far_too_many_live_values_are_refused_at_once(void **state)
{
	static const char *const declare[] = {"b32", "pred"};
	static const char *const message[] = {
		"needs 100002 registers, the limit is 255", "needs 100001 predicate registers"};

	(void)state;
	for (unsigned kind = 0; kind < 2; kind++) {
		struct text t = {0};
		struct built b;

		text_raw(&t, "%s%s.reg .%s %%x<100000>;\n", HEAD, BEGIN, declare[kind]);
		for (unsigned k = 0; k < 100000; k++)
			text_raw(&t, "mov.%s %%x%u, %u;\n", declare[kind], k, kind ? k % 2 : k);
		text_raw(&t, "L:\n@%%p1 bra L;\n");
		for (unsigned k = 0; k < 100000; k++)
			text_raw(&t,
				kind ? "@%%x%u st.global.u32 [%%rd1], 1;\n"
				     : "st.global.u32 [%%rd1], %%x%u;\n",
				k);
		text_raw(&t, "ret;\n}\n");
		build_text(&b, &t);
		assert_int_equal(b.m->nkernels, 0);
		expect_message(&b, message[kind]);
		drop(&b);
	}
}

/* Thousands of live values are spilled; the slots were searched for each register. */
static void four_thousand_live_values_are_spilled_to_sixteen_registers(void **state)
{
	const unsigned n = 4000;
	struct text t = {0};
	struct built b;

	(void)state;
	text_raw(&t, "%s%s.reg .b32 %%x<%u>;\n", HEAD, BEGIN, n);
	for (unsigned k = 0; k < n; k++)
		text_raw(&t, "ld.global.u32 %%x%u, [%%rd1+%u];\n", k, 4 * k);
	for (unsigned k = 0; k < n; k++)
		text_raw(&t, "mad.lo.u32 %%x%u, %%x%u, %%x%u, %%r1;\n", k, k * 7 % n, k * 11 % n);
	for (unsigned k = 0; k < n; k++)
		text_raw(&t, "st.global.u32 [%%rd1+%u], %%x%u;\n", 4 * k, k);
	text_raw(&t, "%s", END);
	assert_false(t.failed);
	build_with(&b, text_str(&t), &(struct compile_options){.max_regs = 16});
	text_clear(&t);
	assert_string_equal(err_text(&b.err), "");
	assert_in_range(b.k->regs, 10, 16);
	assert_in_range(b.k->max_live, n, n + 3);
	/* a load can be delayed until its use, but not beyond the first store */
	assert_in_range(b.k->spill_bytes, 4 * (n - n / 10), 4 * n);
	drop(&b);
}

/* Dominator computation walked chains as long as the loops are deep. */
static void loops_may_be_nested_sixty_thousand_deep(void **state)
{
	const unsigned n = 60000;
	struct text t = {0};
	struct built b;

	(void)state;
	text_raw(&t, "%s%s", HEAD, BEGIN);
	for (unsigned k = 0; k < n; k++)
		text_raw(&t, "L%u: add.u32 %%r1, %%r1, %u;\n", k, k);
	for (unsigned k = n; k-- > 0;)
		text_raw(&t, "setp.lt.s32 %%p1, %%r1, 2;\n@%%p1 bra L%u;\n", k);
	text_raw(&t, "%s", END);
	build_text(&b, &t);
	assert_string_equal(err_text(&b.err), "");
	for (uint32_t i = 0; i < b.k->ninstr; i++)
		if (b.k->code[i].action == ACT_BRANCH)
			assert_int_equal(b.k->code[i].reconv, i + 1); /* each loop ends after it */
	drop(&b);
}

/* All variables of call sequences were invalidated one by one at each block. */
static void calls_in_fifty_thousand_blocks_are_bound_one_by_one(void **state)
{
	const unsigned n = 50000;
	struct text t = {0};
	struct built b;

	(void)state;
	text_raw(&t, "%s.func f(.param .b32 a)\n{\nret;\n}\n%s", HEAD, BEGIN);
	for (unsigned k = 0; k < n; k++)
		text_raw(&t,
			"@%%p1 bra L%u;\n{\n.param .b32 b;\nst.param.b32 [b], %%r1;\ncall f, (b);\n"
			"}\nL%u:\n",
			k, k);
	text_raw(&t, "%s", END);
	build_text(&b, &t);
	assert_string_equal(err_text(&b.err), "");
	assert_int_equal(b.k->ninstr, 2 + 3 * n + 3); /* each call: branch, argument, call */
	drop(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_jump_table_may_have_twenty_thousand_targets),
		cmocka_unit_test(jump_tables_end_somewhere),
		cmocka_unit_test(a_list_of_targets_that_names_itself_is_an_error),
		cmocka_unit_test(twenty_thousand_kernels_cost_only_themselves),
		cmocka_unit_test(values_that_live_shortly_in_many_blocks_cost_what_they_live),
		cmocka_unit_test(far_too_many_live_values_are_refused_at_once),
		cmocka_unit_test(four_thousand_live_values_are_spilled_to_sixteen_registers),
		cmocka_unit_test(loops_may_be_nested_sixty_thousand_deep),
		cmocka_unit_test(calls_in_fifty_thousand_blocks_are_bound_one_by_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
