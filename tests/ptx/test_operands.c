/* The PTX parser: operands, literals and constant expressions. */
#include "tests/rig/ptx_text.h"

#include <stdio.h>

/* `mov x, TEXT` as the first statement's second operand. */
static struct parsed parse_literal(const char *literal)
{
	char text[256];

	snprintf(text, sizeof(text), HEAD ".entry k()\n{\n.reg .b64 x;\nmov.b64 x, %s;\n}\n",
		literal);
	return parse_good(text);
}

struct literal {
	const char *text;
	enum ast_operand_kind kind;
	uint64_t value;
};

static void check_literals(const struct literal *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct parsed p = parse_literal(rows[i].text);
		const struct ast_operand *o = operand(statement(&p, 0), 1);
		if (o->kind != rows[i].kind || o->value != rows[i].value)
			fail_msg("%s: kind %d value %llx", rows[i].text, o->kind,
				(unsigned long long)o->value);
		assert_null(o->next);
		drop(&p);
	}
}

static void literals_keep_their_bits(void **state)
{
	static const struct literal rows[] = {
		{"0", AST_INT, 0},
		{"4294967295", AST_INT, 4294967295},
		{"0xFFFFFFFFFFFFFFFFU", AST_INT, UINT64_MAX},
		{"0b101", AST_INT, 5},
		{"017", AST_INT, 15},
		{"-5", AST_INT, (uint64_t)-5},
		{"WARP_SZ", AST_INT, 32},
		{"0f3F800000", AST_F32, 0x3f800000},
		{"0F3f800000", AST_F32, 0x3f800000},
		{"-0f3F800000", AST_F32, 0xbf800000},
		{"0d3FF0000000000000", AST_F64, 0x3ff0000000000000},
		{"1.0", AST_F64, 0x3ff0000000000000},
		{"-2.5e-1", AST_F64, 0xbfd0000000000000},
		{".5", AST_F64, 0x3fe0000000000000},
		{"1e3", AST_F64, 0x408f400000000000},
	};

	check_literals(rows, sizeof(rows) / sizeof(rows[0]));
	(void)state;
}

static void constant_expressions_follow_c(void **state)
{
	static const struct literal rows[] = {
		{"1+2*3", AST_INT, 7},
		{"(1+2)*3", AST_INT, 9},
		{"10-4-3", AST_INT, 3},
		{"-7/2", AST_INT, (uint64_t)-3},
		{"-7 % 4", AST_INT, (uint64_t)-3},
		{"17%5", AST_INT, 2},
		{"7%3+1", AST_INT, 2},
		{"(.u64)-1/2", AST_INT, INT64_MAX},
		{"-1 >> 1", AST_INT, UINT64_MAX},
		{"(.u64)-1 >> 1", AST_INT, INT64_MAX},
		{"1 << 70", AST_INT, 0},
		{"~0 & 0xff ^ 0x0f | 0x100", AST_INT, 0x1f0},
		{"!5 + !0", AST_INT, 1},
		{"- - 3", AST_INT, 3},
		{"1 < 2 && 2 <= 1 || 3 != 3", AST_INT, 0},
		{"-1 < 0", AST_INT, 1},
		{"-1 < 0U", AST_INT, 0},
		{"1 ? 2 : 0 ? 3 : 4", AST_INT, 2},
		{"0 ? 2 : 0 ? 3 : 4", AST_INT, 4},
		{"(-9223372036854775807-1) / -1", AST_INT, 1ull << 63},
		{"WARP_SZ*4", AST_INT, 128},
		{"1.0 + 2 * 0.25", AST_F64, 0x3ff8000000000000},
		{"1.5 > 1", AST_INT, 1},
		{"(.f64)1", AST_F64, 0x3ff0000000000000},
	};

	check_literals(rows, sizeof(rows) / sizeof(rows[0]));
	(void)state;
}

static void addresses_have_a_base_and_an_offset(void **state)
{
	struct parsed p = parse_good(KERNEL(".reg .u64 a;\n.shared .v2 .u32 s[8];\n.reg .u32 r;\n"
					    "ld.u32 r, [a];\nld.u32 r, [a+8];\n"
					    "ld.u32 r, [a+-8];\nld.u32 r, [a - 4 * 2];\n"
					    "ld.u32 r, [s+4];\nld.u32 r, [0x100];\n"
					    "ld.u32 r, s[3];\nmov.u32 r, s[2];\nmov.u32 r, s+12;\n"
					    "st.u32 [a], 1;\n"));
	static const struct {
		enum ast_operand_kind kind;
		const char *base;
		int64_t offset;
	} rows[] = {{AST_ADDRESS, "a", 0}, {AST_ADDRESS, "a", 8}, {AST_ADDRESS, "a", -8},
		{AST_ADDRESS, "a", -8}, {AST_ADDRESS, "s", 4}, {AST_ADDRESS, NULL, 256},
		{AST_ADDRESS, "s", 24}, {AST_SYMBOL, "s", 16}, {AST_SYMBOL, "s", 12}};

	for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct ast_operand *o = operand(statement(&p, i), 1);
		assert_int_equal(o->kind, rows[i].kind);
		assert_int_equal(o->offset, rows[i].offset);
		if (rows[i].base)
			assert_string_equal(o->symbol->name, rows[i].base);
		else
			assert_null(o->symbol);
	}
	drop(&p);
	(void)state;
}

static void every_kind_of_operand_is_read(void **state)
{
	struct parsed p = parse_good(
		KERNEL(".reg .pred p, q, %p<2>;\n.reg .f32 f, g;\n.reg .v4 .f32 v;\n.reg .u64 a;\n"
		       "ld.v2.f32 {f, _}, [a];\n"
		       "setp.lt.and.f32 p|q, f, g, !%p1;\n"
		       "setp.lt.f32 %p0 | _, v.y, v.a;\n"
		       "atom.add.f32 _, [a], 1.0;\n"
		       "tex.2d.v4.f32.s32 {f, g, f, g}, [a, {f, g}];\n"
		       "mov.b64 a, {f, 0};\n"
		       "bar.sync 0;\n"
		       "ld.global.L1::no_allocate.L2::128B.f32 f, [a];\n"));
	const struct ast_operand *o = operand(statement(&p, 0), 0);

	assert_int_equal(o->kind, AST_VECTOR);
	assert_int_equal(o->first->kind, AST_SYMBOL);
	assert_int_equal(o->first->component, -1);
	assert_int_equal(o->first->next->kind, AST_SINK);
	o = operand(statement(&p, 1), 0);
	assert_int_equal(o->kind, AST_PAIR);
	assert_string_equal(o->first->symbol->name, "p");
	assert_string_equal(o->first->next->symbol->name, "q");
	assert_null(o->first->next->next);
	assert_true(operand(statement(&p, 1), 3)->negated);
	assert_string_equal(operand(statement(&p, 1), 3)->symbol->name, "%p1");
	o = operand(statement(&p, 2), 0);
	assert_int_equal(o->first->next->kind, AST_SINK);
	assert_int_equal(operand(statement(&p, 2), 1)->component, 1);
	assert_int_equal(operand(statement(&p, 2), 2)->component, 3);
	assert_int_equal(operand(statement(&p, 3), 0)->kind, AST_SINK);
	o = operand(statement(&p, 4), 1);
	assert_int_equal(o->kind, AST_ADDRESS);
	assert_int_equal(o->first->kind, AST_VECTOR);
	assert_int_equal(operand(statement(&p, 5), 1)->first->next->kind, AST_INT);
	assert_int_equal(operand(statement(&p, 6), 0)->value, 0);
	assert_string_equal(statement(&p, 7)->opcode, "ld.global.L1::no_allocate.L2::128B.f32");
	drop(&p);
	(void)state;
}

static void locations_point_at_the_text(void **state)
{
	struct parsed p = parse_good(KERNEL(".reg .u32 r;\n  add.u32 r , r,\t 7; mov.u32 r, r;\n"));

	assert_int_equal(statement(&p, 0)->pos.line, KERNEL_LINE + 1);
	assert_int_equal(statement(&p, 0)->pos.col, 3);
	assert_int_equal(operand(statement(&p, 0), 1)->pos.col, 15);
	assert_int_equal(operand(statement(&p, 0), 2)->pos.col, 19);
	assert_int_equal(statement(&p, 1)->pos.col, 22);
	assert_int_equal(operand(statement(&p, 0), 0)->symbol->pos.line, KERNEL_LINE);
	assert_int_equal(operand(statement(&p, 0), 0)->symbol->pos.col, 11);
	drop(&p);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(literals_keep_their_bits),
		cmocka_unit_test(constant_expressions_follow_c),
		cmocka_unit_test(addresses_have_a_base_and_an_offset),
		cmocka_unit_test(every_kind_of_operand_is_read),
		cmocka_unit_test(locations_point_at_the_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
