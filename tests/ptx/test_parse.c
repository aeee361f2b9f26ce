/* The PTX parser: the tree of valid text. */
#include "tests/rig/ptx_samples.h"
#include "tests/rig/ptx_text.h"

static void a_real_kernel_is_read_whole(void **state)
{
	struct parsed p = parse_good(clang_64);
	const struct ast_function *f = function_named(&p, "saxpy");
	const struct ast_statement *s = f->statements;

	assert_int_equal(p.m->version_major, 5);
	assert_int_equal(p.m->version_minor, 0);
	assert_string_equal(p.m->target, "sm_35");
	assert_int_equal(p.m->address_bits, 64);
	assert_true(f->is_kernel && f->is_visible && f->has_body);
	assert_int_equal(f->param_bytes, 24);
	assert_int_equal(f->nstatements, 21);
	assert_int_equal(f->nregisters, 17);
	assert_string_equal(s[0].opcode, "ld.param.u32");
	assert_int_equal(operand(&s[0], 1)->kind, AST_ADDRESS);
	assert_ptr_equal(operand(&s[0], 1)->symbol, f->params);
	assert_int_equal(operand(&s[3], 1)->symbol->sreg, SREG_TID_X);
	assert_string_equal(s[6].opcode, "bra");
	assert_string_equal(s[6].guard->name, "%p1");
	assert_false(s[6].guard_negated);
	assert_ptr_equal(operand(&s[6], 0)->symbol, s[19].label);
	assert_int_equal(operand(&s[6], 0)->symbol->index, 19);
	assert_null(s[19].opcode);
	drop(&p);
	(void)state;
}

static void call_sequences_have_their_own_parameters(void **state)
{
	struct parsed p = parse_good(clang_64);
	const struct ast_function *f = function_named(&p, "_Z6fpcallPFiiEi");
	const struct ast_statement *call = &f->statements[3];
	const struct ast_symbol *prototype = operand(call, 3)->symbol;

	assert_string_equal(call->opcode, "call");
	assert_int_equal(operand(call, 0)->kind, AST_LIST);
	assert_string_equal(operand(call, 0)->first->symbol->name, "retval0");
	assert_int_equal(operand(call, 0)->first->symbol->space, SPACE_PARAM);
	assert_int_equal(operand(call, 1)->symbol->kind, SYM_REG);
	assert_string_equal(operand(call, 2)->first->symbol->name, "param0");
	assert_null(operand(call, 2)->first->next);
	assert_false(operand(call, 2)->first->symbol->is_param);
	assert_int_equal(prototype->kind, SYM_PROTOTYPE);
	assert_int_equal(prototype->function->params->bytes, 4);
	assert_int_equal(prototype->function->returns->bytes, 4);
	assert_non_null(symbol_named(f->variables, "param0"));
	assert_true(f->returns->is_return);
	drop(&p);
	(void)state;
}

static void addresses_of_32_bits_are_read(void **state)
{
	struct parsed p = parse_good(clang_32);

	assert_int_equal(p.m->address_bits, 32);
	assert_int_equal(function_named(&p, "red")->param_bytes, 4);
	drop(&p);
	p = parse_good(".version 1.4\n.target sm_13\n");
	assert_int_equal(p.m->address_bits, 32); /* the default */
	drop(&p);
	(void)state;
}

static void lines_and_files_are_kept(void **state)
{
	struct parsed p = parse_good(clang_g);
	const struct ast_function *f = function_named(&p, "_Z3dbli");

	assert_int_equal(p.m->nfiles, 3);
	assert_null(p.m->files[0]);
	assert_string_equal(p.m->files[1], "/k.cu");
	assert_int_equal(f->statements[0].loc.line, 8);
	assert_int_equal(f->statements[0].loc.file, 1);
	assert_int_equal(f->statements[1].pos.line, 24);
	assert_int_equal(f->statements[1].pos.col, 2);
	drop(&p);
	p = parse_good(KERNEL(".loc 2 7 3, function_name $L__info0+4, inlined_at 1 9 2\nret;\n"));
	assert_int_equal(statement(&p, 0)->loc.file, 2);
	assert_int_equal(statement(&p, 0)->loc.line, 7);
	drop(&p);
	(void)state;
}

static void old_ptx_is_read(void **state)
{
	struct parsed p = parse_good(
		"\t.version 1.4\n\t.target sm_10, map_f64_to_f32\n"
		"\t/* compiled by be */\n"
		"\t.file\t1\t\"k.cu\"\n"
		"\t.func (.reg .u32 $rv) twice (.reg .u32 $a, .reg .f32 $b)\n\t{\n"
		"\t.reg .u32 $r1;\n\tadd.u32 $r1, $a, $a;\n\tmov.s32 $rv, $r1;\n\tret;\n\t}\n"
		"\t.entry _Z1kPf (\n\t\t.param .u32 __cudaparm_a)\n\t{\n"
		"\t.reg .u16 %rh<4>;\n\t.reg .u32 $r1,$r2;\n\t.reg .pred $p1;\n"
		"\t.loc\t1\t5\t0\n$LBB1__Z1kPf:\n"
		"\tmov.u16 \t%rh1, %ctaid.x;\n"
		"\tld .param .u32 \t$r1, [__cudaparm_a+0];\n"
		"\tcall ($r2), twice, ($r1, 0f00000000);\n"
		"@!$p1\tbra \t$LBB1__Z1kPf;\n\tld.const[2].f32 $r1, [0];\n\texit;\n"
		"$LDWend__Z1kPf:\n\t} // _Z1kPf\n"
		"\t@@DWARF .section .debug_info\n");
	const struct ast_function *f = function_named(&p, "_Z1kPf");

	assert_int_equal(f->nstatements, 8);
	assert_string_equal(f->statements[0].label->name, "$LBB1__Z1kPf");
	assert_string_equal(f->statements[2].opcode, "ld.param.u32");
	assert_ptr_equal(
		operand(&f->statements[3], 1)->symbol->function, function_named(&p, "twice"));
	assert_int_equal(operand(&f->statements[3], 2)->first->next->kind, AST_F32);
	assert_true(f->statements[4].guard_negated);
	assert_string_equal(f->statements[5].opcode, "ld.const[2].f32");
	assert_int_equal(f->statements[4].loc.line, 5);
	drop(&p);
	(void)state;
}

static void kernel_parameters_of_ptx_1_3_are_in_the_body(void **state)
{
	struct parsed p = parse_good(".version 1.3\n.target sm_10\n.entry k\n{\n"
				     ".param .u8 a;\n.param .u32 b;\n.reg .u32 $r1;\n"
				     "ld.param.u32 $r1, [b];\nexit;\n}\n");
	const struct ast_function *f = function_named(&p, "k");

	assert_int_equal(f->param_bytes, 8);
	assert_int_equal(symbol_named(f->params, "b")->param_offset, 4);
	assert_null(f->variables);
	drop(&p);
	(void)state;
}

static void register_parameters_have_an_index(void **state)
{
	struct parsed p = parse_good(HEAD ".func (.reg .u32 r) f (.reg .u32 a, .reg .f32 b)\n"
					  "{\n.reg .u32 t;\nadd.u32 t, a, a;\nret;\n}\n");
	const struct ast_function *f = function_named(&p, "f");

	assert_int_equal(f->nregisters, 4);
	assert_int_equal(f->returns->kind, SYM_REG);
	assert_int_equal(f->returns->index, 0);
	assert_int_equal(f->params->next->index, 2);
	assert_int_equal(f->registers->index, 3);
	assert_int_equal(f->param_bytes, 0);
	drop(&p);
	(void)state;
}

static void inner_scopes_hide_outer_names(void **state)
{
	struct parsed p = parse_good(KERNEL(".reg .u32 a, %r<4>;\n"
					    "mov.u32 a, %r1;\n"
					    "{\n.reg .u64 a;\n.reg .f32 %r<2>;\n"
					    "mov.u64 a, %r1;\nmov.u64 a, %r3;\n"
					    "{ .reg .u32 %r3; mov.u32 %r3, 1; }\n}\n"
					    "mov.u32 a, %r1;\n"));

	assert_int_equal(operand(statement(&p, 0), 0)->symbol->type, T_U32);
	assert_int_equal(operand(statement(&p, 1), 0)->symbol->type, T_U64);
	assert_int_equal(operand(statement(&p, 1), 1)->symbol->type, T_F32);
	assert_int_equal(operand(statement(&p, 2), 1)->symbol->type, T_U32);
	assert_ptr_not_equal(
		operand(statement(&p, 2), 1)->symbol, operand(statement(&p, 3), 0)->symbol);
	assert_ptr_equal(
		operand(statement(&p, 4), 0)->symbol, operand(statement(&p, 0), 0)->symbol);
	assert_ptr_equal(
		operand(statement(&p, 4), 1)->symbol, operand(statement(&p, 0), 1)->symbol);
	drop(&p);
	(void)state;
}

static void register_indices_are_dense_and_unique(void **state)
{
	struct parsed p = parse_good(KERNEL(".reg .u32 %r<999998>;\n"
					    "add.u32 %r999997, %r0, %r500;\n"
					    "{\n.reg .u32 t;\nmov.u32 t, %r500;\n}\n"
					    "{\n.reg .u32 t;\nmov.u32 t, %r500;\n}\n"));
	const struct ast_function *f = p.m->functions;
	unsigned char seen[5] = {0};

	/* only those used */
	assert_int_equal(f->nregisters, 5);
	for (const struct ast_symbol *s = f->registers; s; s = s->next) {
		assert_true(s->index < 5);
		assert_int_equal(seen[s->index]++, 0);
	}
	drop(&p);
	(void)state;
}

static void labels_belong_to_their_block(void **state)
{
	struct parsed p = parse_good(KERNEL("DONE:\n"
					    "{\nbra DONE;\nDONE:\nbra LAST;\n}\n"
					    "{\nbra DONE;\nLAST:\nbra LAST;\n}\n"
					    "LAST:\nbra DONE;\nret;\n"));
	static const uint32_t target[][2] = {{1, 2}, {3, 7}, {4, 0}, {6, 5}, {8, 0}};

	for (size_t i = 0; i < sizeof(target) / sizeof(target[0]); i++) {
		const struct ast_symbol *s = operand(statement(&p, target[i][0]), 0)->symbol;
		assert_int_equal(s->kind, SYM_LABEL);
		assert_int_equal(s->index, target[i][1]);
		assert_ptr_equal(s->function, p.m->functions);
		assert_ptr_equal(statement(&p, target[i][1])->label, s);
	}
	drop(&p);
	(void)state;
}

static void parameters_are_placed_by_their_alignment(void **state)
{
	struct parsed p = parse_good(
		HEAD ".entry k(.param .u8 a, .param .u16 b, .param .u64 .ptr .global .align 4 c,\n"
		     ".param .b8 d, .param .align 16 .b8 e[24], .param .f32 f, .param .v4 .f32 g,\n"
		     ".param .b32 h[3])\n.maxntid 16, 8\n.minnctapersm 2\n.maxnreg 32\n"
		     ".pragma \"nounroll\";\n{\nret;\n}\n"
		     ".entry j() .reqntid 64, 2 .reqntid 128\n{\nret;\n}\n");
	const struct ast_function *f = function_named(&p, "k");
	static const uint32_t offsets[] = {0, 2, 8, 16, 32, 56, 64, 80};
	uint32_t i = 0;

	for (const struct ast_symbol *s = f->params; s; s = s->next, i++) {
		assert_int_equal(s->param_offset, offsets[i]);
		assert_true(s->is_param);
		assert_int_equal(s->space, SPACE_PARAM);
	}
	assert_int_equal(i, 8);
	assert_int_equal(f->param_bytes, 92);
	assert_int_equal(symbol_named(f->params, "e")->align, 16);
	assert_int_equal(symbol_named(f->params, "e")->bytes, 24);
	assert_int_equal(f->maxntid[0], 16);
	assert_int_equal(f->maxntid[1], 8);
	assert_int_equal(f->maxntid[2], 1);
	assert_int_equal(function_named(&p, "j")->reqntid[0], 128); /* the last counts */
	assert_int_equal(function_named(&p, "j")->reqntid[1], 1);
	assert_int_equal(f->minnctapersm, 2);
	assert_int_equal(f->maxnreg, 32);
	drop(&p);
	(void)state;
}

static void declarations_and_definitions_share_a_symbol(void **state)
{
	struct parsed p =
		parse_good(HEAD ".extern .func (.param .b32 r) f (.param .b32 a);\n"
				".extern .global .u32 g;\n.visible .global .u32 g = 7;\n"
				".weak .func trap () .noreturn ;\n"
				".visible .entry k() { .param .b32 x; call (x), f, (x); ret; }\n"
				".func (.param .b32 r) f (.param .b32 a) { ret; }\n"
				".func (.param .b32 r) h (.param .b32 a);\n.alias h, f;\n");
	const struct ast_function *k = function_named(&p, "k");
	const struct ast_symbol *f = operand(&k->statements[0], 1)->symbol;

	assert_int_equal(f->kind, SYM_FUNCTION);
	assert_true(f->is_defined && !f->is_extern);
	assert_true(f->function->has_body);
	assert_false(p.m->functions->has_body);
	assert_ptr_equal(p.m->functions->symbol, f);
	assert_ptr_equal(function_named(&p, "h")->symbol->function, f->function);
	assert_true(function_named(&p, "trap")->is_weak);
	assert_null(p.m->variables->next);
	assert_true(p.m->variables->is_defined && p.m->variables->is_visible);
	assert_int_equal(p.m->variables->init[0], 7);
	drop(&p);
	(void)state;
}

static void variables_go_where_they_live(void **state)
{
	struct parsed p = parse_good(HEAD
		".extern .shared .align 16 .b8 dyn[];\n.shared .f32 s[4][8];\n.const .u16 c[3];\n"
		".entry k()\n{\n.shared .align 64 .b8 t[10];\n.local .v4 .u32 l[2];\n"
		".global .u32 g;\n.shared .u32 x<4>;\n.reg .u32 r;\nst.shared.u32 [x2], r;\n}\n");
	const struct ast_function *k = function_named(&p, "k");

	assert_int_equal(symbol_named(p.m->variables, "dyn")->bytes, 0);
	assert_true(symbol_named(p.m->variables, "dyn")->is_extern);
	assert_int_equal(symbol_named(p.m->variables, "dyn")->align, 16);
	assert_int_equal(symbol_named(p.m->variables, "s")->bytes, 128);
	assert_int_equal(symbol_named(p.m->variables, "s")->align, 4);
	assert_int_equal(symbol_named(p.m->variables, "c")->bytes, 6);
	assert_int_equal(symbol_named(p.m->variables, "g")->space, SPACE_GLOBAL);
	assert_int_equal(symbol_named(k->variables, "t")->align, 64);
	assert_int_equal(symbol_named(k->variables, "l")->bytes, 32);
	assert_int_equal(symbol_named(k->variables, "l")->align, 16);
	assert_int_equal(symbol_named(k->variables, "x2")->space, SPACE_SHARED);
	assert_null(symbol_named(k->variables, "x2")->next);
	drop(&p);
	(void)state;
}

static void lists_of_targets_are_read(void **state)
{
	struct parsed p = parse_good(HEAD ".func f() { ret; }\n.entry k()\n{\n.reg .u32 r;\n"
					  "ts: .branchtargets A, B;\nbrx.idx r, ts;\nA:\nB:\n"
					  "fs: .calltargets f;\ncall r, fs;\n}\n");
	const struct ast_function *k = function_named(&p, "k");
	const struct ast_symbol *ts = operand(&k->statements[0], 1)->symbol;

	assert_int_equal(ts->kind, SYM_TARGETS);
	assert_int_equal(ts->targets->symbol->index, 1);
	assert_int_equal(ts->targets->next->symbol->index, 2);
	assert_null(ts->targets->next->next);
	ts = operand(&k->statements[3], 1)->symbol;
	assert_int_equal(ts->targets->symbol->kind, SYM_FUNCTION);
	drop(&p);
	(void)state;
}

static void tables_for_debuggers_are_skipped(void **state)
{
	struct parsed p = parse_good(
		"\xef\xbb\xbf" HEAD "// .globl f\r\n.pragma \"x\", \"y\";\n"
		".section .debug_str\n{\n$L__info0:\n.b8 95,90,0\n.b64 .debug_abbrev, a+4\n}\n"
		".file 3 \"a\\\"b.h\", 1234, 5678\n;\n");

	assert_int_equal(p.m->nfiles, 4);
	assert_string_equal(p.m->files[3], "a\\\"b.h");
	assert_int_equal(p.m->file_bytes[3], 5678);
	assert_null(p.m->functions);
	drop(&p);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_real_kernel_is_read_whole),
		cmocka_unit_test(call_sequences_have_their_own_parameters),
		cmocka_unit_test(addresses_of_32_bits_are_read),
		cmocka_unit_test(lines_and_files_are_kept),
		cmocka_unit_test(old_ptx_is_read),
		cmocka_unit_test(kernel_parameters_of_ptx_1_3_are_in_the_body),
		cmocka_unit_test(register_parameters_have_an_index),
		cmocka_unit_test(inner_scopes_hide_outer_names),
		cmocka_unit_test(register_indices_are_dense_and_unique),
		cmocka_unit_test(labels_belong_to_their_block),
		cmocka_unit_test(parameters_are_placed_by_their_alignment),
		cmocka_unit_test(declarations_and_definitions_share_a_symbol),
		cmocka_unit_test(variables_go_where_they_live),
		cmocka_unit_test(lists_of_targets_are_read),
		cmocka_unit_test(tables_for_debuggers_are_skipped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
