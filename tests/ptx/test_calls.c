/* Calls: register frames, stack frames, and calls that are errors. */
#include "tests/rig/ptx_build.h"

static void expect_message(const char *text, enum err_code code, const char *message)
{
	struct built b;

	build_with(&b, text, NULL);
	assert_string_equal(err_text(&b.err), message);
	assert_int_equal(b.err.code, code);
	assert_non_null(b.m);
	assert_int_equal(b.m->nkernels, 0);
	drop(&b);
}

#define ADD_FUNCTION \
	".func (.param .b32 ret0) plus(.param .b32 a, .param .b32 b)\n{\n.reg .b32 %r<4>;\n" \
	"ld.param.u32 %r1, [a];\nld.param.u32 %r2, [b];\nadd.u32 %r3, %r1, %r2;\n" \
	"st.param.b32 [ret0], %r3;\nret;\n}\n"
#define CALL_PLUS \
	"{\n.param .b32 p0;\n.param .b32 p1;\n.param .b32 r0;\nst.param.b32 [p0], %r1;\n" \
	"st.param.b32 [p1], 5;\ncall.uni (r0), plus, (p0, p1);\nld.param.b32 %r2, [r0];\n}\n"

static void arguments_move_straight_into_the_callees_frame(void **state)
{
	struct built b;
	const struct instr *c;

	(void)state;
	build(&b, HEAD ADD_FUNCTION KERNEL("k",
			  "mov.u32 %r1, %tid.x;\nmov.u32 %r3, %tid.y;\n" CALL_PLUS
			  "add.u32 %r2, %r2, %r3;\nst.global.u32 [64], %r2;\n"));
	c = b.k->code;
	assert_int_equal(c[4].action, ACT_CALL);
	assert_int_equal(c[2].src[0].index, c[0].dst[0].index);
	assert_int_equal(constant(b.k, &c[3].src[0]), 5);
	assert_true(c[2].dst[0].index >= 2 && c[3].dst[0].index >= 2);
	assert_int_not_equal(c[2].dst[0].index, c[3].dst[0].index);
	assert_true(c[5].src[0].index >= 2 && c[5].dst[0].index < 2);
	assert_int_equal(c[4].target, 9);
	assert_int_equal(c[9].action, ACT_LANES); /* the parameters need no moves */
	assert_int_equal(c[10].action, ACT_RET);
	assert_int_equal(b.k->ninstr, 11);
	assert_int_equal(b.k->regs, 4);
	assert_int_equal(b.k->call_depth, 1);
	assert_int_equal(b.k->local_bytes, 0);
	drop(&b);
}

static void a_parameter_whose_address_is_taken_lives_in_the_frame(void **state)
{
	struct built b;
	unsigned copies = 0;

	(void)state;
	build(&b, HEAD
		".func f(.param .align 4 .b8 s[8])\n{\n.reg .b64 %rd<3>;\n.reg .b32 %r<3>;\n"
		"mov.u64 %rd1, s;\nld.param.u32 %r1, [%rd1+4];\nst.global.u32 [64], "
		"%r1;\nret;\n}\n" KERNEL("k",
			".local .align 8 .b8 own[24];\nst.local.u32 [own+4], 1;\n{\n"
			".param .align 4 .b8 p[8];\nst.param.b32 [p+4], %r1;\ncall f, (p);\n}\n"));
	for (uint32_t i = 0; i < b.k->ninstr; i++)
		copies += b.k->code[i].action == ACT_STORE && b.k->code[i].space == SPACE_LOCAL;
	assert_int_equal(copies, 4);
	assert_int_equal(b.k->local_bytes, 24 + 8 + 8);
	drop(&b);
}

static void old_style_register_parameters_work(void **state)
{
	struct built b;

	(void)state;
	build(&b, HEAD ".func (.reg .u32 o) f(.reg .u32 i, .reg .u64 j)\n{\nadd.u32 o, i, "
		       "1;\nret;\n}\n" KERNEL(
			       "k", "call (%r1), f, (%r2, %rd1);\nst.global.u32 [64], %r1;\n"));
	assert_int_equal(b.k->code[2].action, ACT_CALL);
	assert_int_equal(b.k->code[1].dst[0].words, 2);
	drop(&b);
}

static void a_result_that_is_never_written_has_a_register(void **state)
{
	static const char *const names[] = {"linear", "colour"};

	(void)state;
	for (unsigned k = 0; k < ARRAY_LEN(names); k++) {
		const struct compile_options options = {.allocator = names[k]};
		struct built b;

		build_with(&b,
			HEAD ".func (.reg .u64 o) f()\n{\nL:\nbra L;\n}\n" KERNEL(
				"k", "call (%rd1), f;\n"),
			&options);
		assert_int_equal(b.err.count, 0);
		assert_int_equal(b.k->code[1].src[0].kind, OPND_REG);
		assert_true(b.k->code[1].src[0].index + 2u <= b.k->regs);
		drop(&b);
	}
}

/* Twenty registers are live before the call and one across it: the callee's frame starts after that
 * one. */
static void a_callees_frame_starts_above_what_survives_the_call(void **state)
{
	static const char text[] = HEAD
		".func (.reg .u32 o) f(.reg .u32 i)\n{\n.reg .b32 %r<4>;\nadd.u32 o, i, "
		"1;\nret;\n}\n" KERNEL("k",
			"ld.param.u64 %rd1, [out];\nld.global.v4.u32 {%r1, %r2, %r3, %r4}, "
			"[%rd1];\n"
			"ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%rd1+16];\n"
			"ld.global.v4.u32 {%r9, %r10, %r11, %r12}, [%rd1+32];\n"
			"add.u32 %r1, %r1, %r2;\nadd.u32 %r1, %r1, %r3;\nadd.u32 %r1, %r1, %r4;\n"
			"add.u32 %r1, %r1, %r5;\nadd.u32 %r1, %r1, %r6;\nadd.u32 %r1, %r1, %r7;\n"
			"add.u32 %r1, %r1, %r8;\nadd.u32 %r1, %r1, %r9;\nadd.u32 %r1, %r1, %r10;\n"
			"add.u32 %r1, %r1, %r11;\nadd.u32 %r1, %r1, %r12;\n"
			"call (%r1), f, (%r1);\nst.global.u32 [%rd1], %r1;\nret;\n");
	struct built b;

	(void)state;
	build(&b, text);
	assert_true(b.k->regs <= b.k->max_live + 1);
	assert_int_equal(b.k->max_live, 14);
	drop(&b);
}

/* f0 is a leaf, fN calls fN-1 with ten values live across the call. */
static void write_chain(struct text *t, unsigned depth)
{
	text_raw(t, "%s", HEAD);
	for (unsigned d = 0; d < depth; d++) {
		text_raw(t,
			".func (.reg .u32 o) f%u(.reg .u32 i, .reg .u32 j)\n{\n.reg .b32 "
			"%%r<12>;\nadd.u32 o, i, j;\n",
			d);
		for (unsigned k = 0; k < 10; k++)
			text_raw(t, "mad.lo.u32 %%r%u, i, %u, j;\n", k, k + 3);
		if (d)
			text_raw(t, "call (o), f%u, (o, i);\n", d - 1);
		for (unsigned k = 0; k < 10; k++)
			text_raw(t, "mad.lo.u32 o, o, %u, %%r%u;\n", k + 5, k);
		text_raw(t, "ret;\n}\n");
	}
	text_raw(t,
		".entry k()\n{\n.reg .b32 %%r<4>;\nmov.u32 %%r1, %%tid.x;\n"
		"call (%%r2), f%u, (%%r1, %%r1);\nst.global.u32 [64], %%r2;\n}\n",
		depth - 1);
}

static void frames_of_a_chain_of_calls_fit_into_sixteen_registers(void **state)
{
	static const char *const names[] = {"linear", "colour"};
	struct text t = {0};

	(void)state;
	write_chain(&t, 4);
	for (unsigned k = 0; k < ARRAY_LEN(names); k++)
		for (unsigned regs = 16; regs < 60; regs += 6) {
			const struct compile_options options = {
				.max_regs = regs, .allocator = names[k]};
			struct built b;

			build_with(&b, text_str(&t), &options);
			assert_string_equal(err_text(&b.err), "");
			assert_true(b.k->regs <= regs);
			assert_true(b.k->spill_bytes > 0 || regs >= b.k->max_live);
			drop(&b);
		}
	text_clear(&t);
}

static void the_least_registers_of_a_kernel_are_reported(void **state)
{
	struct text t = {0};
	struct compile_options options = {.max_regs = 16};
	struct built b;
	unsigned least = 0;

	(void)state;
	write_chain(&t, 20);
	build_with(&b, text_str(&t), &options);
	assert_int_equal(b.err.code, ERR_RESOURCE);
	assert_int_equal(
		sscanf(strstr(err_text(&b.err), "it needs"), "it needs %u registers", &least), 1);
	assert_non_null(strstr(err_text(&b.err), "even with spilling; the limit is 16"));
	drop(&b);
	options.max_regs = least;
	build_with(&b, text_str(&t), &options);
	assert_int_equal(b.err.count, 0);
	assert_true(b.k->regs <= least);
	drop(&b);
	options.max_regs = least - 1;
	build_with(&b, text_str(&t), &options);
	assert_int_equal(b.err.code, ERR_RESOURCE);
	drop(&b);
	text_clear(&t);
}

static void recursion_names_its_cycle(void **state)
{
	(void)state;
	expect_message(HEAD ".func g();\n.func f()\n{\ncall g;\nret;\n}\n.func g()\n{\ncall "
			    "f;\nret;\n}\n" KERNEL("k", "call f;\n"),
		ERR_UNSUPPORTED,
		"k.ptx:12:1: kernel k: recursion is not supported: f calls g calls f\n");
}

static void a_bad_callee_takes_its_kernel_along(void **state)
{
	(void)state;
	expect_message(HEAD
		".func f()\n{\n.reg .b32 %r<3>;\nadd.u32 %r1;\nret;\n}\n" KERNEL("k", "call f;\n"),
		ERR_INPUT,
		"k.ptx:7:1: function f: `add.u32`: takes 3 operands, 1 is given\n"
		"k.ptx:19:1: kernel k: not compiled: it calls f, which has errors\n");
	expect_message(HEAD ".extern .func puts(.param .b64 s);\n" KERNEL("k",
			       "{\n.param .b64 p;\nst.param.b64 [p], %rd1;\ncall puts, (p);\n}\n"),
		ERR_INPUT,
		"k.ptx:17:6: kernel k: `call`: puts, declared at k.ptx:4:15, is "
		"defined in no linked module\n");
	expect_message(HEAD ".extern .func __cudaCDP2LaunchDeviceV2();\n" KERNEL(
			       "k", "call __cudaCDP2LaunchDeviceV2;\n"),
		ERR_UNSUPPORTED,
		"k.ptx:14:6: kernel k: `call`: __cudaCDP2LaunchDeviceV2 of the CUDA device runtime "
		"is not supported\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments_move_straight_into_the_callees_frame),
		cmocka_unit_test(a_parameter_whose_address_is_taken_lives_in_the_frame),
		cmocka_unit_test(old_style_register_parameters_work),
		cmocka_unit_test(a_result_that_is_never_written_has_a_register),
		cmocka_unit_test(a_callees_frame_starts_above_what_survives_the_call),
		cmocka_unit_test(frames_of_a_chain_of_calls_fit_into_sixteen_registers),
		cmocka_unit_test(the_least_registers_of_a_kernel_are_reported),
		cmocka_unit_test(recursion_names_its_cycle),
		cmocka_unit_test(a_bad_callee_takes_its_kernel_along),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
