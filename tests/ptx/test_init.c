/* The PTX parser: initial data of variables, byte by byte. */
#include "tests/rig/ptx_text.h"

#include <stdio.h>

/* Parses one variable, x, after a few others that it may point to. */
static struct parsed parse_variable(const char *declaration)
{
	char text[512];

	snprintf(text, sizeof(text), HEAD ".global .u32 a;\n.const .u64 c[4];\n.func f();\n%s\n",
		declaration);
	return parse_good(text);
}

struct row {
	const char *declaration;
	uint64_t bytes;
	const char *hex; /* the first bytes; the others must be zero */
};

static void check_row(const struct row *row)
{
	struct parsed p = parse_variable(row->declaration);
	const struct ast_symbol *x = symbol_named(p.m->variables, "x");
	size_t n = strlen(row->hex) / 2;

	if (x->bytes != row->bytes)
		fail_msg("%s: %llu bytes", row->declaration, (unsigned long long)x->bytes);
	for (size_t i = 0; i < x->bytes; i++) {
		unsigned expected = 0;
		if (i < n)
			assert_int_equal(sscanf(row->hex + 2 * i, "%2x", &expected), 1);
		if (x->init[i] != expected)
			fail_msg("%s: byte %zu is %02x", row->declaration, i, x->init[i]);
	}
	drop(&p);
}

static void values_become_little_endian_bytes(void **state)
{
	static const struct row rows[] = {
		{".global .u32 x = 0x01020304;", 4, "04030201"},
		{".global .s16 x = -2;", 2, "feff"},
		{".const .s64 x = -1;", 8, "ffffffffffffffff"},
		{".global .u8 x = 255;", 1, "ff"},
		{".global .b8 x = -128;", 1, "80"},
		{".global .u32 x = 0xffffffffffffffff;", 4, "ffffffff"},
		{".global .f32 x = 0f3F800001;", 4, "0100803f"},
		{".global .f32 x = -1.5;", 4, "0000c0bf"},
		{".global .f32 x = 3;", 4, "00004040"},
		{".global .f32 x = 0f7F800001;", 4, "0100807f"},
		{".global .f64 x = 0d3FF0000000000001;", 8, "010000000000f03f"},
		{".global .f64 x = 0f3F800000;", 8, "000000000000f03f"},
		{".global .b32 x = 0f3F800000;", 4, "0000803f"},
		{".global .u32 x = {1 + 2 * 3};", 4, "07000000"},
		{".global .u32 x = WARP_SZ << 1;", 4, "40000000"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_row(&rows[i]);
	(void)state;
}

static void braces_nest_as_in_c(void **state)
{
	static const struct row rows[] = {
		{".global .u8 x[4] = {1, 2};", 4, "0102"},
		{".global .u8 x[] = {1, 2, 3};", 3, "010203"},
		{".global .u8 x[2][3] = {{1}, {2, 3}};", 6, "010000020300"},
		{".global .u8 x[][2] = {{1, 2}, {3}};", 4, "01020300"},
		{".global .u8 x[][2] = {1, 2, 3};", 4, "01020300"},
		{".global .u8 x[][2] = {{}, {}};", 4, "00000000"},
		{".global .u8 x[2][2] = {1, 2, 3, 4};", 4, "01020304"},
		{".global .u8 x[2][2] = {1, {3}};", 4, "01000300"},
		{".global .u8 x[2][2][2] = {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}};", 8,
			"0102030405060708"},
		{".global .v2 .u16 x = {1, 2};", 4, "01000200"},
		{".global .v2 .u8 x[2] = {{1, 2}, {3, 4}};", 4, "01020304"},
		{".const .align 8 .b8 x[16] = {0, 0, 128, 63,};", 16, "0000803f"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_row(&rows[i]);
	(void)state;
}

static void check_reloc(
	const struct ast_reloc *r, uint64_t offset, const char *name, int64_t addend, bool generic)
{
	assert_non_null(r);
	assert_int_equal(r->offset, offset);
	assert_string_equal(r->symbol->name, name);
	assert_int_equal(r->addend, addend);
	assert_int_equal(r->generic, generic);
}

static void addresses_become_relocations(void **state)
{
	struct parsed p =
		parse_variable(".global .u64 x[6] = {a, c + 8, generic(a), generic(c)-16, 5, f};");
	const struct ast_symbol *x = symbol_named(p.m->variables, "x");
	const struct ast_reloc *r = x->relocs;

	check_reloc(r, 0, "a", 0, false);
	assert_int_equal(r->bytes, 8);
	assert_int_equal(r->shift, 0);
	check_reloc(r = r->next, 8, "c", 8, false);
	check_reloc(r = r->next, 16, "a", 0, true);
	check_reloc(r = r->next, 24, "c", -16, true);
	check_reloc(r = r->next, 40, "f", 0, false);
	assert_int_equal(r->symbol->kind, SYM_FUNCTION);
	assert_null(r->next);
	assert_int_equal(x->init[32], 5);
	drop(&p);
	(void)state;
}

static void masks_take_bytes_of_an_address(void **state)
{
	struct parsed p = parse_variable(
		".global .u8 x[4] = {1, 0xff(c), 0xFF00(generic(c)+8), 0xff00000000000000(a)};");
	const struct ast_reloc *r = symbol_named(p.m->variables, "x")->relocs;

	check_reloc(r, 1, "c", 0, false);
	assert_int_equal(r->bytes, 1);
	assert_int_equal(r->shift, 0);
	check_reloc(r = r->next, 2, "c", 8, true);
	assert_int_equal(r->shift, 8);
	check_reloc(r = r->next, 3, "a", 0, false);
	assert_int_equal(r->shift, 56);
	drop(&p);
	(void)state;
}

static void wrong_data_are_named(void **state)
{
	static const struct {
		const char *declaration, *message;
	} rows[] = {
		{".global .u8 x = 256;", "17: the value is out of range for a .u8"},
		{".global .s16 x = -32769;", "18: the value is out of range for a .s16"},
		{".global .u32 x = 1.5;", "18: a floating-point number cannot initialise a .u32"},
		{".global .u8 x[2] = {1, 2, 3};", "27: more values than `x` has elements"},
		{".global .u8 x[2][2] = {{1, 2, 3}};",
			"31: more values than fit between these braces"},
		{".global .u8 x[2] = {{{1}}};", "21: more braces than `x` has dimensions"},
		{".global .u8 x[2] = 5;", "20: expected `{`, found `5`"},
		{".global .u32 x = a;", "18: an address cannot be stored in a .u32"},
		{".global .f64 x = a;", "18: an address cannot be stored in a .f64"},
		{".global .u64 x = 0xff(a);",
			"18: a byte of an address cannot be stored in a .u64"},
		{".global .u8 x = 0xf0(a);",
			"17: a mask selects one byte of an address: 0xff, 0xff00, ..."},
		{".global .u64 x = nothing;", "18: `nothing` is not declared"},
		{".shared .u32 x = 1;", "16: only .global and .const variables can be initialised"},
		{".extern .global .u32 x = 1;", "24: .extern variables cannot be initialised"},
		{".global .u32 x[];", "14: `x[]` has no size: only .extern and "
				      "initialised variables may omit it"},
		{".global .u8 x[999999999] = {1};",
			"13: the module's initial data need more than 268435456 bytes"},
		{".global .u8 x = 1 2;", "19: expected `,` or `;`, found `2`"},
		{".global .u32 x = 1/0;", "19: division by zero"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[512], message[512];
		struct parsed p;
		snprintf(text, sizeof(text), HEAD ".global .u32 a;\n%s\n", rows[i].declaration);
		snprintf(message, sizeof(message), "k.ptx:5:%s\n", rows[i].message);
		p = parse_bytes(text, strlen(text));
		assert_null(p.m);
		if (strcmp(err_text(&p.err), message))
			fail_msg("%s\nexpected %sfound    %s", rows[i].declaration, message,
				err_text(&p.err));
		drop(&p);
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_become_little_endian_bytes),
		cmocka_unit_test(braces_nest_as_in_c),
		cmocka_unit_test(addresses_become_relocations),
		cmocka_unit_test(masks_take_bytes_of_an_address),
		cmocka_unit_test(wrong_data_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
