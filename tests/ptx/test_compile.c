/* From text to decoded program: messages, constants, addresses, limits, module variables. */
#include "tests/rig/ptx_build.h"

/* ---- messages. */

struct complaint {
	const char *statement, *message; /* after "k.ptx:13:" */
	enum err_code code;
};

static const struct complaint complaints[] = {
	{"add.f32 %f1, %u1, %f2;",
		"14: `add.f32`: %u1 is a .u32 register, a .f32 or .b32 one is needed", ERR_INPUT},
	{"add.s32 %r1, %r2;", "1: `add.s32`: takes 3 operands, 2 are given", ERR_INPUT},
	{"ld.global.L2::cache_hint.u32 %r1, [%rd1], %r2;",
		"43: `ld.global.L2::cache_hint.u32`: %r2 is a .b32 register, a .b64 one is needed",
		ERR_INPUT},
	{"ld.global.L2::cache_hint.u32 %r1, [%rd1];",
		"35: `ld.global.L2::cache_hint.u32`: a value of .b64 is needed here", ERR_INPUT},
	{"ld.shared.L2::cache_hint.u32 %r1, [%rd1], %rd2;",
		"1: `ld.shared.L2::cache_hint.u32`: .L2::cache_hint is not for .volatile, .mmio and .cas, "
		"and only for global memory",
		ERR_INPUT},
	{"createpolicy.fractional.L2::evict_last.b64 %rd1, 1.5;",
		"50: `createpolicy.fractional.L2::evict_last.b64`: the fraction is above 0, up to 1",
		ERR_INPUT},
	{"createpolicy.fractional.L2::evict_last.b64 %rd1, 0.5, 1;",
		"1: `createpolicy.fractional.L2::evict_last.b64`: takes 1 or 2 operands, 3 are given",
		ERR_INPUT},
	{"createpolicy.range.L2::evict_last.b64 %rd1, [%rd2], 4096, 512;",
		"53: `createpolicy.range.L2::evict_last.b64`: the first size is at most the second one",
		ERR_INPUT},
	{"createpolicy.cvt.L2.b64 %rd1, %r2;",
		"31: `createpolicy.cvt.L2.b64`: %r2 is a .b32 register, a .b64 one is needed",
		ERR_INPUT},
	{"bar.sync;", "1: `bar.sync`: takes 1 to 2 operands, 0 are given", ERR_INPUT},
	{"add.s32 %r1, %r2, %rd1;",
		"19: `add.s32`: %rd1 is a .b64 register, a .s32 or .b32 one is needed", ERR_INPUT},
	{"add.s32 %r1, %r2, 1.5;", "19: `add.s32`: a floating-point literal where .s32 is needed",
		ERR_INPUT},
	{"mul.f32 %f1, %f2, 2;",
		"19: `mul.f32`: an integer literal where .f32 is needed: write 1.0 or "
		"0f3F800000",
		ERR_INPUT},
	{"ld.global.u32 %r1, [%r2];",
		"20: `ld.global.u32`: %r2 is a .b32 register, an address needs .u64", ERR_INPUT},
	{"ld.shared.f32 %f1, [%f2];",
		"20: `ld.shared.f32`: %f2 is a .f32 register, an address needs .u64", ERR_INPUT},
	{"ld.global.u32 %r1, [out];", "20: `ld.global.u32`: out is in .param, not in .global",
		ERR_INPUT},
	{"ld.global.v2.u32 {%r1}, [%rd1];",
		"18: `ld.global.v2.u32`: 2 elements in braces are needed here", ERR_INPUT},
	{"ld.global.u32 %h1, [%rd1];",
		"15: `ld.global.u32`: %h1 is a .b16 register, a .u32 or .b32 or wider one "
		"is needed",
		ERR_INPUT},
	{"mov.u64 %rd1, %tid.x;", "15: `mov.u64`: %tid.x is a .u32 register, not .u64", ERR_INPUT},
	{"mov.u32 5, %r1;", "9: `mov.u32`: a result needs a register of .u32", ERR_INPUT},
	{"add.u32 %r1 + 1, %r2, 2;", "9: `add.u32`: nothing can be added to a result", ERR_INPUT},
	{"add.f32 %f1, %f2 + 1, %f2;", "14: `add.f32`: nothing can be added to a .f32 here",
		ERR_INPUT},
	{"add.u32 %r1, %r2 - 1, 2;", "18: expected `,` or `;`, found `-`", ERR_INPUT},
	{"add.u32 %r1, %r2 + %r3, 2;", "20: expected an offset, found `%r3`", ERR_INPUT},
	{"mov.b64 %rd1, {%r1 + 1, %r2};", "20: expected `,` or `}`, found `+`", ERR_INPUT},
	{"selp.u32 %r1, %r2, %r3, %r4;",
		"25: `selp.u32`: %r4 is a .b32 register, a .pred one is needed", ERR_INPUT},
	{"setp.eq.u32 %r1, %r2, %r3;",
		"13: `setp.eq.u32`: %r1 is a .b32 register, a .pred one is needed", ERR_INPUT},
	{"add.u32 %r1, %r2, !%r3;", "20: `add.u32`: only predicates can be negated with !",
		ERR_INPUT},
	{"mov.b64 {%r1, %r2}, {%r3, %r4};",
		"21: `mov.b64`: one of the operands must be a single register", ERR_INPUT},
	{"call %rd1, (%r1);", "6: `call`: a call through a register needs a .callprototype",
		ERR_INPUT},
	{"mov.u64 %rd1, k;", "15: `mov.u64`: the address of kernel k", ERR_UNSUPPORTED},
	{"bra %r1;", "5: `bra`: takes one label", ERR_INPUT},
	{"ld.u32 %r1, %r2;", "13: `ld.u32`: an address in brackets is needed here", ERR_INPUT},
	{"stacksave.u64 %rd1;", "1: `stacksave.u64`: ", ERR_UNSUPPORTED},
	{"mul.wide.f32 %f1, %f2, %f3;", "1: `mul.wide.f32`: ", ERR_INPUT},
};

/* What a version of PTX made mandatory is optional before it only. */
static void modifiers_are_mandatory_from_a_version_on(void **state)
{
	static const struct {
		const char *before, *from, *statement;
	} rows[] = {
		{"1.3", "1.4", "div.f32 f, f, f"},
		{"1.3", "1.4", "div.f64 d, d, d"},
		{"1.3", "1.4", "rcp.f32 f, f"},
		{"1.3", "1.4", "sqrt.f32 f, f"},
		{"1.3", "1.4", "sqrt.f64 d, d"},
		{"1.3", "2.0", "rsqrt.f32 f, f"},
		{"1.3", "1.4", "rsqrt.f64 d, d"},
		{"1.3", "9.0", "sin.f32 f, f"},
		{"1.3", "1.4", "cos.ftz.f32 f, f"},
		{"1.3", "1.4", "lg2.f32 f, f"},
		{"1.3", "1.4", "ex2.f32 f, f"},
		{"1.3", "1.4", "mad.f64 d, d, d, d"},
		{"3.1", "3.2", "mad.f32 f, f, f, f"},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++)
		for (unsigned late = 0; late < 2; late++) {
			struct text text = {0};
			struct built b;

			text_add(&text,
				".version %s\n.target sm_70\n.entry k() {\n.reg .f32 f; .reg .f64 "
				"d; "
				".reg .u32 r; .reg .pred p;\n%s;\n}\n",
				late ? rows[i].from : rows[i].before, rows[i].statement);
			build_with(&b, text_str(&text), NULL);
			assert_int_equal(b.err.code, late ? ERR_INPUT : ERR_NONE);
			if (late && !strstr(err_text(&b.err), "k.ptx:5:1: kernel k: `"))
				fail_msg("%s", err_text(&b.err));
			if (late && !strstr(err_text(&b.err), "mandatory from PTX"))
				fail_msg("%s", err_text(&b.err));
			drop(&b);
			text_clear(&text);
		}
}

static void wrong_statements_are_reported_with_their_location(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(complaints); i++) {
		struct text text = {0}, want = {0};
		const char *message;
		struct built b;

		text_raw(&text, "%s.entry k(.param .u64 out)\n{\n%s%s\n}\n", HEAD, REGS,
			complaints[i].statement);
		message = strchr(complaints[i].message, ' ');
		text_raw(&want, "k.ptx:%d:%.*s kernel k:%s", FIRST_LINE,
			(int)(message - complaints[i].message), complaints[i].message, message);
		build_with(&b, text_str(&text), NULL);
		if (strncmp(err_text(&b.err), text_str(&want), want.len) != 0)
			fail_msg("%s\nis not\n%s", err_text(&b.err), text_str(&want));
		assert_int_equal(b.err.code, complaints[i].code);
		assert_int_equal(b.err.count, 1);
		drop(&b);
		text_clear(&text);
		text_clear(&want);
	}
}

static void all_errors_are_listed_and_other_kernels_compile(void **state)
{
	struct built b;

	(void)state;
	build_with(&b,
		HEAD KERNEL("bad", "add.s32 %r1;\nadd.f32 %f1, %f2, %rd1;\n")
			KERNEL("good", "ret;\n"),
		NULL);
	assert_int_equal(b.err.count, 2);
	assert_int_equal(b.m->nkernels, 1);
	assert_string_equal(b.k->name, "good");
	err_clear(&b.err);
	assert_null(module_kernel(b.m, "bad", &b.err));
	assert_string_equal(err_text(&b.err), "k.ptx: there is no kernel bad; there are: good\n");
	drop(&b);
}

static void what_is_too_much_for_the_registers_is_spilled(void **state)
{
	static const char *const names[] = {"linear", "colour"};
	struct text text = {0};
	struct built b;

	(void)state;
	text_raw(&text, "%s.entry k()\n{\n%s", HEAD, REGS);
	for (unsigned i = 0; i < 20; i++)
		text_raw(&text, "ld.global.u32 %%r%u, [%u];\n", i, 64 + 4 * i);
	for (unsigned i = 0; i < 20; i++)
		text_raw(&text, "st.global.u32 [%u], %%r%u;\n", 64 + 4 * i, i);
	text_raw(&text, "}\n");
	for (unsigned k = 0; k < ARRAY_LEN(names); k++) {
		build_with(&b, text_str(&text),
			&(struct compile_options){.max_regs = 16, .allocator = names[k]});
		assert_string_equal(err_text(&b.err), "");
		assert_int_equal(b.k->regs, 16);
		assert_int_equal(b.k->max_live, 20);
		assert_int_equal(b.k->spill_loads, 4);
		assert_int_equal(b.k->spill_stores, 4);
		assert_int_equal(b.k->spill_bytes, 16);
		assert_int_equal(b.k->local_bytes, 16);
		assert_int_equal(b.k->ninstr, 20 + 20 + 8 + 1);
		drop(&b);
	}
	build(&b, text_str(&text));
	assert_int_equal(b.k->regs, 20);
	assert_int_equal(b.k->spill_bytes, 0);
	drop(&b);
	text_clear(&text);
}

/* A machine that holds two CTAs of 64 threads with 18 registers each, one with 19. */
static uint32_t some_resident(void *ctx, uint32_t threads, uint32_t ctas)
{
	(void)ctx;
	assert_int_equal(threads, 64);
	return ctas > 2 ? 0 : 20 - ctas;
}

static void a_kernel_has_the_registers_with_which_its_ctas_are_resident(void **state)
{
	static const struct {
		const char *directives;
		bool all_regs;
		uint32_t regs;
		bool ignored;
	} rows[] = {{"", false, 20, false}, {".minnctapersm 2", false, 20, true},
		{".maxntid 64", false, 19, false}, {".reqntid 32, 2", false, 19, false},
		{".maxntid 64 .minnctapersm 2", false, 18, false},
		{".maxntid 64 .minnctapersm 3", false, 19, true},
		{".maxntid 64 .minnctapersm 3 .maxnreg 20", false, 20, true},
		{".maxntid 64 .minnctapersm 2 .maxnreg 17", false, 17, false},
		{".maxntid 64 .minnctapersm 2 .maxnreg 17", true, 19, false}};
	struct text text = {0};
	struct built b;

	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(rows); k++) {
		text_clear(&text);
		text_raw(&text, "%s.entry k() %s\n{\n%s", HEAD, rows[k].directives, REGS);
		for (unsigned i = 0; i < 20; i++)
			text_raw(&text, "ld.global.u32 %%r%u, [%u];\n", i, 64 + 4 * i);
		for (unsigned i = 0; i < 20; i++)
			text_raw(&text, "st.global.u32 [%u], %%r%u;\n", 64 + 4 * i, i);
		text_raw(&text, "}\n");
		build_with(&b, text_str(&text),
			&(struct compile_options){
				.resident = some_resident, .all_regs = rows[k].all_regs});
		assert_string_equal(err_text(&b.err), "");
		assert_int_equal(b.k->regs, rows[k].regs);
		assert_int_equal(b.k->ctas_ignored, rows[k].ignored);
		drop(&b);
	}
	text_clear(&text);
}

static void atomics_without_a_use_of_their_result_are_known(void **state)
{
	static const struct {
		const char *rest;
		bool unread;
	} rows[] = {{"", true}, {"mov.u32 %r1, 3;\nst.global.u32 [64], %r1;\n", true},
		{"st.global.u32 [64], %r1;\n", false},
		{"@%p1 mov.u32 %r1, 3;\nst.global.u32 [64], %r1;\n", false},
		{"@%p1 bra out;\nmov.u32 %r1, 3;\nout: st.global.u32 [64], %r1;\n", false},
		{"@%p1 bra again;\n", true},
		{"again2: add.u32 %r2, %r2, %r3;\n@%p1 bra again2;\n"
		 "st.global.u32 [64], %r2;\n",
			true}};
	struct text text = {0};
	struct built b;

	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(rows); k++) {
		unsigned n = 0;

		text_clear(&text);
		text_raw(&text,
			"%s.entry k()\n{\n%smov.u32 %%r3, %%tid.x;\nmov.u32 %%r2, 5;\n"
			"setp.eq.u32 %%p1, %%r3, 2;\nagain: atom.global.add.u32 %%r1, [64], "
			"%%r3;\n%s}\n",
			HEAD, REGS, rows[k].rest);
		build(&b, text_str(&text));
		for (unsigned i = 0; i < b.k->ninstr; i++) {
			n += b.k->code[i].action == ACT_ATOM;
			if (b.k->code[i].action == ACT_ATOM)
				assert_int_equal(b.k->code[i].unread, rows[k].unread);
		}
		assert_int_equal(n, 1);
		drop(&b);
	}
	text_clear(&text);
}

/* As nvcc's -maxrregcount, which ptxas applies to kernels without limits of their own. */
static void a_module_limits_the_registers_of_kernels_without_limits(void **state)
{
	struct built b;

	(void)state;
	build(&b, HEAD ".entry k() { ret; }\n.entry l() .maxntid 64 { ret; }\n"
		       ".entry m() .maxnreg 40 { ret; }\n.pragma \"maxrregcount 32\";");
	assert_int_equal(module_kernel(b.m, "k", &b.err)->maxnreg, 32);
	assert_int_equal(module_kernel(b.m, "l", &b.err)->maxnreg, 0);
	assert_int_equal(module_kernel(b.m, "m", &b.err)->maxnreg, 40);
	drop(&b);
}

/* Twelve pairs in sixteen registers, and a variable of four bytes before their slots. */
static void slots_of_pairs_are_aligned(void **state)
{
	struct text text = {0};
	struct built b;

	(void)state;
	text_raw(&text, "%s.entry k()\n{\n%s.local .align 4 .b8 l[4];\n", HEAD, REGS);
	text_raw(&text, "mov.u32 %%r0, l;\nst.local.u32 [%%r0], %%r0;\n");
	for (unsigned i = 0; i < 12; i++)
		text_raw(&text, "ld.global.u64 %%rd%u, [%u];\n", i, 64 + 8 * i);
	for (unsigned i = 0; i < 12; i++)
		text_raw(&text, "st.global.u64 [%u], %%rd%u;\n", 64 + 8 * i, i);
	text_raw(&text, "}\n");
	build_with(&b, text_str(&text), &(struct compile_options){.max_regs = 16});
	assert_string_equal(err_text(&b.err), "");
	assert_int_equal(b.k->spill_stores, 4);
	assert_int_equal(b.k->local_bytes, 8 + 4 * 8);
	drop(&b);
	text_clear(&text);
}

static void predicates_that_are_too_many_are_spilled_through_registers(void **state)
{
	struct text text = {0};
	struct built b;

	(void)state;
	text_raw(&text, "%s.entry k()\n{\n.reg .pred %%p<300>;\n.reg .b32 %%r<2>;\n", HEAD);
	for (unsigned i = 0; i < 300; i++)
		text_raw(&text, "setp.eq.u32 %%p%u, %u, 7;\n", i, i);
	for (unsigned i = 0; i < 300; i++)
		text_raw(&text, "selp.u32 %%r1, 1, 2, %%p%u;\n", i);
	text_raw(&text, "}\n");
	build(&b, text_str(&text));
	assert_int_equal(b.k->preds, 254);
	assert_in_range(b.k->spill_loads, 46, 48);
	assert_int_equal(b.k->spill_stores, b.k->spill_loads);
	drop(&b);
	text_clear(&text);
}

/* The old value is copied just before the new one is computed, into the register that the next
 * iteration reads. */
static void a_loop_hands_values_on_without_registers_more(void **state)
{
	struct built b;

	(void)state;
	build(&b, HEAD KERNEL("k", "ld.global.u32 %r1, [64];\nld.global.u32 %r2, [68];\nL:\n"
				   "mov.u32 %r3, %r1;\nst.global.u32 [72], %r2;\n"
				   "mad.lo.u32 %r1, %r3, 3, 7;\nmov.u32 %r2, %r3;\n"
				   "setp.lt.u32 %p1, %r1, 100;\n@%p1 bra L;\n"));
	assert_int_equal(b.k->max_live, 2);
	assert_int_equal(b.k->regs, 2);
	assert_int_equal(b.k->code[2].action, ACT_STORE);
	assert_int_equal(b.k->ninstr, 8);
	drop(&b);
}

static void too_much_local_memory_is_a_clear_error(void **state)
{
	struct built b;

	(void)state;
	build_with(&b, HEAD KERNEL("k", ".local .b8 big[600000];\nst.local.u8 [big], 1;\n"), NULL);
	assert_string_equal(err_text(&b.err),
		"k.ptx:4:8: kernel k: it needs 600000 bytes of local memory per "
		"thread, the limit is 524288\n");
	drop(&b);
}

static void an_unknown_allocator_is_an_error(void **state)
{
	const struct compile_options options = {.allocator = "magic"};
	struct built b;

	(void)state;
	build_with(&b, HEAD KERNEL("k", "ret;\n"), &options);
	assert_null(b.m);
	assert_non_null(strstr(err_text(&b.err), "colour"));
	drop(&b);
}

/* ---- constants and addresses. */

static void literals_become_typed_constants(void **state)
{
	static const struct {
		const char *statement;
		unsigned src;
		uint64_t bits;
		unsigned words;
	} row[] = {
		{"add.s32 %r1, %r1, -1;", 1, 0xffffffff, 1},
		{"add.s64 %rd1, %rd1, -1;", 1, UINT64_MAX, 2},
		{"add.s16 %h1, %h1, -2;", 1, 0xfffe, 1},
		{"mul.f32 %f1, %f1, 0.1;", 1, 0x3dcccccd, 1},
		{"mul.f32 %f1, %f1, 0fC0490FDB;", 1, 0xc0490fdb, 1},
		{"mul.f64 %d1, %d1, 0.1;", 1, 0x3fb999999999999a, 2},
		{"mul.f64 %d1, %d1, 0f3F800000;", 1, 0x3ff0000000000000, 2},
		{"mov.b32 %r1, 0f3F800000;", 0, 0x3f800000, 1},
		{"and.pred %p1, %p1, 1;", 1, 0xffffffff, 1},
		{"and.pred %p1, %p1, 0;", 1, 0, 1},
		{"st.global.u8 [64], 300;", 1, 44, 1},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(row); i++) {
		struct text text = {0};
		struct built b;

		text_raw(&text, "%s.entry k()\n{\n%s%s\n}\n", HEAD, REGS, row[i].statement);
		build(&b, text_str(&text));
		assert_int_equal(constant(b.k, &b.k->code[0].src[row[i].src]), row[i].bits);
		assert_int_equal(b.k->code[0].src[row[i].src].words, row[i].words);
		drop(&b);
		text_clear(&text);
	}
}

static void equal_constants_share_a_plane(void **state)
{
	struct built b;

	(void)state;
	build(&b, HEAD KERNEL("k",
			  "add.s32 %r1, %r1, 7;\nadd.s32 %r2, %r2, 7;\nadd.s64 %rd1, %rd1, 7;\n"
			  "mov.b32 %f1, 0f00000007;\n"));
	assert_int_equal(b.k->nconsts, 3);
	drop(&b);
}

static void parameters_and_shared_variables_are_absolute(void **state)
{
	struct built b;
	const struct instr *c;

	(void)state;
	build(&b,
		HEAD KERNEL("k", ".shared .align 4 .b8 a[10];\n.shared .align 16 .b8 b[32];\n"
				 "ld.param.f32 %f1, [x];\nst.shared.f32 [b+4], %f1;\n"
				 "mov.u64 %rd1, b;\nmov.u32 %r1, a;\nst.shared.f32 [%rd1+8], %f1;\n"
				 "st.f32 [a], %f1;\nst.shared.u32 [%r1], %r1;\n"));
	c = b.k->code;
	assert_int_equal(c[0].src[0].kind, OPND_NONE);
	assert_int_equal(c[0].offset, 8);
	assert_int_equal(c[0].space, SPACE_PARAM);
	assert_int_equal(c[1].src[0].kind, OPND_NONE);
	assert_int_equal(c[1].offset, 20);
	assert_int_equal(constant(b.k, &c[2].src[0]), 16);
	assert_int_equal(c[4].src[0].kind, OPND_REG);
	assert_int_equal(c[4].address_words, 2);
	assert_int_equal(c[5].space, SPACE_SHARED);
	assert_int_equal(c[6].address_words, 1);
	assert_int_equal(b.k->shared_bytes, 48);
	assert_int_equal(b.k->param_bytes, 12);
	assert_int_equal(b.k->nparams, 2);
	assert_string_equal(b.k->params[1].name, "x");
	drop(&b);
}

static void unused_shared_memory_is_not_counted(void **state)
{
	struct built b;

	(void)state;
	build(&b,
		HEAD ".shared .b32 one[4];\n.shared .b32 two[4];\n.extern .shared .align 16 .b8 "
		     "dyn[];\n" KERNEL("k", "st.shared.u32 [two], 1;\nst.shared.u32 [dyn], 2;\n"));
	assert_int_equal(b.k->shared_bytes, 16);
	assert_true(b.k->dynamic_shared);
	assert_int_equal(b.k->dynamic_shared_align, 16);
	assert_int_equal(b.k->code[1].offset, 16);
	drop(&b);
}

static void module_variables_get_their_addresses_when_linked(void **state)
{
	struct built b;
	unsigned char bytes[16];
	uint64_t address;

	(void)state;
	build(&b,
		HEAD ".global .align 4 .u32 t[4] = {1, 2, 3, 4};\n.global .align 8 .u64 q[2] = "
		     "{t+4, q};\n" KERNEL("k",
			     "ld.global.u32 %r1, [t+8];\nmov.u64 %rd1, q+8;\nmov.u64 %rd2, t;\n"));
	assert_int_equal(b.m->nvars, 2);
	module_place(b.m, 0, 0x123456780);
	module_place(b.m, 1, 0x200000000);
	module_link(b.m);
	assert_int_equal(constant(b.k, &b.k->code[0].src[0]), 0x123456780);
	assert_int_equal(b.k->code[0].offset, 8);
	assert_int_equal(constant(b.k, &b.k->code[1].src[0]), 0x200000008);
	assert_int_equal(b.k->code[2].src[0].index, b.k->code[0].src[0].index);
	module_var_init(b.m, 1, bytes);
	memcpy(&address, bytes, 8);
	assert_int_equal(address, 0x123456784);
	memcpy(&address, bytes + 8, 8);
	assert_int_equal(address, 0x200000000);
	module_var_init(b.m, 0, bytes);
	assert_int_equal(bytes[8], 3);
	drop(&b);
}

static void special_registers_are_read_directly(void **state)
{
	struct built b;

	(void)state;
	build(&b, HEAD KERNEL("k", "mov.u32 %r1, %tid.x;\nadd.u32 %r2, %r1, %ntid.y;\nmov.u64 "
				   "%rd1, %clock64;\n"
				   "st.global.u32 [64], %r2;\n"));
	assert_int_equal(b.k->code[0].action, ACT_SREG);
	assert_int_equal(b.k->code[0].sreg, SREG_TID_X);
	assert_int_equal(b.k->code[1].action, ACT_SREG);
	assert_int_equal(b.k->code[1].sreg, SREG_NTID_Y);
	assert_int_equal(b.k->code[2].src[1].index, b.k->code[1].dst[0].index);
	assert_int_equal(b.k->code[3].dst[0].words, 2);
	drop(&b);
}

/* ---- control. */

static void branches_have_reconvergence_points(void **state)
{
	struct built b;

	(void)state;
	build(&b, HEAD KERNEL("k",
			  "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra E;\nadd.u32 %r1, %r1, 1;\nbra J;\n"
			  "E:\nadd.u32 %r1, %r1, 2;\nJ:\nst.global.u32 [64], %r1;\n"
			  "@%p1 bra OUT;\nret;\nOUT:\nst.global.u32 [68], %r1;\n"));
	assert_int_equal(b.k->code[1].target, 4);
	assert_int_equal(b.k->code[1].reconv, 5);
	assert_int_equal(b.k->code[6].reconv, NO_RECONV);
	assert_int_equal(b.k->code[7].action, ACT_EXIT);
	assert_int_equal(b.k->code[9].action, ACT_EXIT);
	assert_int_equal(b.k->ninstr, 10);
	drop(&b);
}

static void copies_within_one_register_are_deleted(void **state)
{
	struct built b;

	(void)state;
	build(&b, HEAD KERNEL("k", "ld.param.u64 %rd1, [out];\ncvta.to.global.u64 %rd2, %rd1;\n"
				   "ld.global.u32 %r1, [%rd2];\nmov.u32 %r2, %r1;\n"
				   "mov.b64 {%r3, %r4}, %rd2;\nadd.u32 %r2, %r2, %r4;\n"
				   "st.global.u32 [64], %r2;\n"));
	assert_int_equal(b.k->ninstr, 5);
	drop(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_statements_are_reported_with_their_location),
		cmocka_unit_test(modifiers_are_mandatory_from_a_version_on),
		cmocka_unit_test(all_errors_are_listed_and_other_kernels_compile),
		cmocka_unit_test(what_is_too_much_for_the_registers_is_spilled),
		cmocka_unit_test(a_kernel_has_the_registers_with_which_its_ctas_are_resident),
		cmocka_unit_test(atomics_without_a_use_of_their_result_are_known),
		cmocka_unit_test(a_module_limits_the_registers_of_kernels_without_limits),
		cmocka_unit_test(slots_of_pairs_are_aligned),
		cmocka_unit_test(predicates_that_are_too_many_are_spilled_through_registers),
		cmocka_unit_test(a_loop_hands_values_on_without_registers_more),
		cmocka_unit_test(too_much_local_memory_is_a_clear_error),
		cmocka_unit_test(an_unknown_allocator_is_an_error),
		cmocka_unit_test(literals_become_typed_constants),
		cmocka_unit_test(equal_constants_share_a_plane),
		cmocka_unit_test(parameters_and_shared_variables_are_absolute),
		cmocka_unit_test(unused_shared_memory_is_not_counted),
		cmocka_unit_test(module_variables_get_their_addresses_when_linked),
		cmocka_unit_test(special_registers_are_read_directly),
		cmocka_unit_test(branches_have_reconvergence_points),
		cmocka_unit_test(copies_within_one_register_are_deleted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
