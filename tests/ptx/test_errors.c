/* The PTX parser: messages and locations for invalid text. */
#include "tests/rig/ptx_text.h"

#include <stdio.h>
#include <stdlib.h>

struct row {
	const char *body; /* its first line is line 5 of the file, or line 6 in a kernel */
	enum err_code code;
	const char *messages; /* without the file's name */
};

/* Puts "k.ptx:" before every line. */
static void prefix_lines(const char *messages, char *out, size_t n)
{
	size_t len = 0;

	for (const char *line = messages; *line; line = strchr(line, '\n') + 1)
		len += (size_t)snprintf(
			out + len, n - len, "k.ptx:%.*s\n", (int)(strchr(line, '\n') - line), line);
	out[len] = '\0';
}

static void check(const char *before, const char *after, const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char text[2048], expected[2048];
		struct parsed p;
		snprintf(text, sizeof(text), "%s%s%s", before, rows[i].body, after);
		prefix_lines(rows[i].messages, expected, sizeof(expected));
		p = parse_bytes(text, strlen(text));
		assert_null(p.m);
		drop_functions(&p.err);
		if (strcmp(err_text(&p.err), expected) || p.err.code != rows[i].code)
			fail_msg("%s\nexpected: code %d\n%sfound: code %d\n%s", rows[i].body,
				rows[i].code, expected, p.err.code, err_text(&p.err));
		drop(&p);
	}
}

#define CHECK_MODULE(rows) check(HEAD, "", rows, sizeof(rows) / sizeof((rows)[0]))
#define CHECK_KERNEL(rows) \
	check(HEAD ".entry k()\n{\n", "}\n", rows, sizeof(rows) / sizeof((rows)[0]))

static void names_must_be_declared_once(void **state)
{
	static const struct row rows[] = {
		{".reg .u32 acc;\nadd.u32 acc, adc, %q;\n", ERR_INPUT,
			"7:14: `adc` is not declared; did you mean `acc`?\n"
			"7:19: `%q` is not declared\n"},
		{".reg .u32 %r<10>;\nmov.u32 %r1, %r10;\nmov.u32 %r10, 1;\n", ERR_INPUT,
			"7:14: `%r10` is not declared: `%r<10>` at k.ptx:6:11 does not include it\n"},
		{"bra NOWHERE;\n{ bra NOWHERE; }\n", ERR_INPUT, "6:5: `NOWHERE` is not declared\n"},
		{"{ INSIDE:\n}\nbra INSIDE;\n", ERR_INPUT, "8:5: `INSIDE` is not declared\n"},
		{".reg .u32 a;\n.reg .f32 b, a;\n", ERR_INPUT,
			"7:14: `a` is declared twice; the first is at k.ptx:6:11\n"},
		{".reg .u32 %r<4>;\n.reg .u32 %r<9>;\n", ERR_INPUT,
			"7:11: `%r` is declared twice; the first is at k.ptx:6:11\n"},
		{".reg .u32 %r3;\n.reg .u32 %r<9>;\n", ERR_INPUT,
			"7:11: `%r3` is declared twice; the first is at k.ptx:6:11\n"},
		{".reg .u32 %r<9>;\n.reg .u32 %r3;\nmov.u32 %r3, 0;\n", ERR_INPUT,
			"7:11: `%r3` is declared twice; the first is at k.ptx:6:11\n"},
		{"L:\n.reg .u32 L;\n", ERR_INPUT,
			"7:11: `L` is declared twice; the first is at k.ptx:6:1\n"},
		{".reg .u32 r;\nmov.u32 r, x;\n.shared .u32 x;\n", ERR_INPUT,
			"7:12: `x` is used before it is declared at k.ptx:8:14\n"},
		{"L:\nL:\n", ERR_INPUT, "7:1: `L` is declared twice; the first is at k.ptx:6:1\n"},
		{".reg .u32 s;\n.shared .u32 s;\n", ERR_INPUT,
			"7:14: `s` is declared twice; the first is at k.ptx:6:11\n"},
	};
	static const struct row modules[] = {
		{".entry k() { ret; }\n.entry k() { ret; }\n", ERR_INPUT,
			"5:8: `k` is declared twice; the first is at k.ptx:4:8\n"},
		{".entry k() { ret; }\n.entry k(.param .u32 a) { ret; }\n", ERR_INPUT,
			"5:8: `k` is declared twice; the first is at k.ptx:4:8\n"},
		{".func f() { ret; }\n.func f() { ret; }\n", ERR_INPUT,
			"5:7: `f` is declared twice; the first is at k.ptx:4:7\n"},
		{".entry f() { ret; }\n.func f() { ret; }\n", ERR_INPUT,
			"5:7: `f` is declared twice; the first is at k.ptx:4:8\n"},
		{".global .u32 k;\n.entry k() { ret; }\n", ERR_INPUT,
			"5:8: `k` is declared twice; the first is at k.ptx:4:14\n"},
		{".global .u32 g;\n.const .u32 g;\n", ERR_INPUT,
			"5:13: `g` is declared twice; the first is at k.ptx:4:14\n"},
		{".entry k(.param .u32 a, .param .u32 a) { ret; }\n", ERR_INPUT,
			"4:37: `a` is declared twice; the first is at k.ptx:4:22\n"},
		{".entry k(.param .u32 a)\n{ .reg .u32 a; }\n", ERR_INPUT,
			"5:13: `a` is declared twice; the first is at k.ptx:4:22\n"},
		{".entry k(.param .u32 a)\n{ a: ret; }\n", ERR_INPUT,
			"5:3: `a` is declared twice; the first is at k.ptx:4:22\n"},
		{".entry k(.param .u32 a1)\n{ .reg .u32 a<3>; }\n", ERR_INPUT,
			"5:13: `a1` is declared twice; the first is at k.ptx:4:22\n"},
	};

	CHECK_KERNEL(rows);
	CHECK_MODULE(modules);
	(void)state;
}

static void special_registers_must_exist(void **state)
{
	static const struct row rows[] = {
		{".reg .u32 r;\nmov.u32 r, %tid.w;\n", ERR_INPUT,
			"7:12: unknown special register: `%tid.w` is not declared; did you mean "
			"`%tid.x`?\n"},
		{".reg .u32 r;\nmov.u32 r, %pm3_64;\n", ERR_UNSUPPORTED,
			"7:12: special register `%pm3_64` is not supported\n"},
		{".reg .u32 r;\nmov.u32 r, %laneidd;\n", ERR_INPUT,
			"7:12: `%laneidd` is not declared; did you mean `%laneid`?\n"},
		{".reg .u32 r;\nmov.u32 r, %reserved_smem_offset_cap;\n", ERR_UNSUPPORTED,
			"7:12: special register `%reserved_smem_offset_cap` is not supported\n"},
	};

	CHECK_KERNEL(rows);
	(void)state;
}

static void operands_must_be_well_formed(void **state)
{
	static const struct row rows[] = {
		{"add.u32 1 2;\n", ERR_INPUT, "6:11: expected `,` or `;`, found `2`\n"},
		{"add.u32 1, ;\n", ERR_INPUT, "6:12: expected an operand, found `;`\n"},
		{"ld.u32 {1, 2;\n", ERR_INPUT, "6:13: expected `,` or `}`, found `;`\n"},
		{"ld.u32 1, [2;\n", ERR_INPUT, "6:13: expected `]`, found `;`\n"},
		{"ld.u32 1, [1.5];\n", ERR_INPUT, "6:12: an address must be an integer\n"},
		{".reg .u32 r;\nld.u32 1, [r+r];\n", ERR_INPUT,
			"7:14: expected an offset, found `r`\n"},
		{".reg .v2 .u32 r;\nmov.u32 r.x, r.q;\n", ERR_INPUT,
			"7:15: expected a component .x .y .z .w, found `.q`\n"},
		{".reg .v2 .u32 r;\nmov.u32 1, r.z;\n", ERR_INPUT,
			"7:13: `r` has no component `.z`\n"},
		{".reg .u32 r;\nvadd.u32.u32.u32 r, r.b0, r;\n", ERR_UNSUPPORTED,
			"7:22: byte and half-word selectors are not supported\n"},
		{".reg .u32 r;\n@r bra X;\nX:\n", ERR_INPUT,
			"7:2: guard `r` is not a predicate register\n"},
		{"@!5 ret;\n", ERR_INPUT, "6:3: expected a predicate register, found `5`\n"},
		{"mov.u32 1, (2;\n", ERR_INPUT, "6:14: expected `)`, found `;`\n"},
		{"mov.u32 1, 2/0;\n", ERR_INPUT, "6:13: division by zero\n"},
		{"mov.u32 1, ~1.5;\n", ERR_INPUT, "6:12: `~` needs an integer\n"},
		{"mov.u32 1, 0f3F800000+1;\n", ERR_INPUT,
			"6:22: expressions cannot contain 0f constants; use 0d constants\n"},
		{"ld.u32 [1,[1,[1,[1,[1,1]]]]];\n", ERR_INPUT,
			"6:23: operands nested more than 4 deep\n"},
		{"%r1 5;\n", ERR_INPUT, "6:1: expected an opcode, found `%r1`\n"},
	};

	CHECK_KERNEL(rows);
	(void)state;
}

static void numbers_and_strings_must_be_well_formed(void **state)
{
	static const struct row rows[] = {
		{"mov.u32 1, 99999999999999999999;\n", ERR_INPUT,
			"6:12: a number of more than 64 bits\n"},
		{"mov.u32 1, 0x;\n", ERR_INPUT, "6:12: a number without digits\n"},
		{"mov.u32 1, 089;\n", ERR_INPUT, "6:12: a malformed number\n"},
		{"mov.u32 1, 12ab;\n", ERR_INPUT, "6:12: a malformed number\n"},
		{"mov.f32 1, 0f3F80;\n", ERR_INPUT,
			"6:12: 0f needs exactly 8 hexadecimal digits\n"},
		{"mov.f64 1, 0d3FF00000000000001;\n", ERR_INPUT,
			"6:12: 0d needs exactly 16 hexadecimal digits\n"},
		{"mov.f64 1, 1e999;\n", ERR_INPUT,
			"6:12: a floating-point number too large for .f64\n"},
		{".pragma \"abc;\nret;\n", ERR_INPUT, "6:9: a string without its closing quote\n"},
		{"mov.u32 1, \x01\x02\xff;\n", ERR_INPUT, "6:12: bytes that are not PTX text\n"},
		{"#include \"x\"\n", ERR_UNSUPPORTED,
			"6:1: a preprocessor line is not supported\n"},
	};

	CHECK_KERNEL(rows);
	(void)state;
}

static void declarations_must_make_sense(void **state)
{
	static const struct row rows[] = {
		{".reg .u31 r;\n", ERR_INPUT, "6:6: unknown type `.u31`; did you mean `.u32`?\n"},
		{".reg r;\n", ERR_INPUT, "6:6: expected a type, found `r`\n"},
		{".reg .u32 .f32 r;\n", ERR_INPUT, "6:11: a second type in one declaration\n"},
		{".reg .u32 %r<4000000000>;\n", ERR_INPUT,
			"6:14: `%r<4000000000>`: a function cannot have more than 1000000 "
			"registers\n"},
		{".reg .u32 %r<600000>;\n.reg .f32 %f<600000>;\nmov.u32 %f1, %r1;\n", ERR_INPUT,
			"7:11: a function cannot have more than 1000000 registers\n"},
		{".reg .u32 r[4];\n", ERR_INPUT, "6:12: a register cannot be an array\n"},
		{".shared .pred p;\n", ERR_INPUT, "6:1: predicates are single registers only\n"},
		{".shared .align 3 .b8 x[4];\n", ERR_INPUT,
			"6:16: an alignment of 3 bytes is not a power of two\n"},
		{".shared .align 0 .b8 x[4];\n", ERR_INPUT,
			"6:16: the alignment must be an integer from 1 to 65536\n"},
		{".shared .b64 x[1 << 40];\n", ERR_INPUT,
			"6:14: `x` is larger than 1099511627776 bytes\n"},
		{".shared .b64 x[-1];\n", ERR_INPUT,
			"6:16: the size of an array must be an integer from 0 to 1099511627776\n"},
		{".shared .b8 x[1][1][1][1][1][1][1][1][1];\n", ERR_INPUT,
			"6:38: an array of more than 8 dimensions\n"},
		{".shred .b8 x;\n", ERR_INPUT,
			"6:1: unknown directive `.shred`; did you mean `.shared`?\n"},
		{".reg .v3 .u32 r;\n", ERR_INPUT, "6:6: vectors are .v2 or .v4\n"},
		{".loc 1 x 3\n;", ERR_INPUT, "6:8: expected a line, found `x`\n"},
	};

	CHECK_KERNEL(rows);
	(void)state;
}

static void modules_must_make_sense(void **state)
{
	static const struct row rows[] = {
		{".glbal .u32 x;\n.global .u32 y\n", ERR_INPUT,
			"4:1: unknown directive `.glbal`; did you mean `.global`?\n"
			"6:1: expected `,` or `;`, found the end of the file\n"},
		{".global .texref t[4];\n", ERR_UNSUPPORTED,
			"4:17: `t`: arrays of texture, sampler and surface references are not "
			"supported\n"},
		{".global .texref t = { width = 4 };\n", ERR_UNSUPPORTED,
			"4:21: `t`: only samplers have initial attributes; the host sets those of "
			"textures and surfaces\n"},
		{".global .v2 .texref t;\n", ERR_INPUT,
			"4:21: `t`: a texture, sampler or surface reference declares a single name\n"},
		{".shared .texref t;\n.entry k() { .global .surfref s; }\n", ERR_INPUT,
			"4:17: `t`: texture, sampler and surface references are .global, at module "
			"scope, or parameters of a kernel\n"
			"5:31: `s`: texture, sampler and surface references are .global, at module "
			"scope, or parameters of a kernel\n"},
		{".global .samplerref s = { addr_mode_0 = over };\n", ERR_INPUT,
			"4:41: expected wrap, mirror, clamp_ogl, clamp_to_edge or "
			"clamp_to_border, found `over`\n"},
		{".global .samplerref s = { address = wrap };\n", ERR_INPUT,
			"4:27: expected addr_mode_0, _1, _2, filter_mode or "
			"force_unnormalized_coords, found `address`\n"},
		{".const[2] .u32 x;\n", ERR_UNSUPPORTED, "4:1: constant banks are not supported\n"},
		{".reg .u32 x;\n", ERR_UNSUPPORTED,
			"4:1: registers outside functions are not supported\n"},
		{".entry k() .reqnctapercluster 2 { ret; }\n", ERR_UNSUPPORTED,
			"4:12: clusters of (2,1,1) CTAs are not supported: of one CTA only\n"},
		{".func f() { ret; }\n.func f() { ret; }\n", ERR_INPUT,
			"5:7: `f` is declared twice; the first is at k.ptx:4:7\n"},
		{".extern .func f(.param .b32 a);\n.func f() { ret; }\n", ERR_INPUT,
			"5:7: `f` differs from its declaration at k.ptx:4:15\n"},
		{".entry k(.param .b8 x[40000]) { ret; }\n", ERR_INPUT,
			"4:21: the parameters up to `x` need more than 4352 bytes\n"},
		{".entry k(.param .u32 a, .param .u32 a) { ret; }\n", ERR_INPUT,
			"4:37: `a` is declared twice; the first is at k.ptx:4:22\n"},
		{".entry k()\n{\nret;\n.visible .entry l()\n{\nret;\n}\n", ERR_INPUT,
			"7:1: expected `}`, found `.visible`\n"},
		{".entry k()\n{\nret;\n", ERR_INPUT,
			"7:1: expected `}`, found the end of the file\n"},
		{".entry k() { ret; }\n}\n", ERR_INPUT, "5:1: expected a directive, found `}`\n"},
		{".file 999999 \"x\"\n", ERR_INPUT,
			"4:7: the number of a .file must be an integer from 0 to 100000\n"},
		{"/* no end", ERR_INPUT, "4:1: an unterminated comment\n"},
		{".version 7.0\n", ERR_INPUT, "4:1: a second `.version`\n"},
		{".alias f, g;\n", ERR_INPUT, "4:8: `f` is not declared\n"},
		{".section .x { .b8 1\n", ERR_INPUT,
			"5:1: expected `}`, found the end of the file\n"},
	};

	CHECK_MODULE(rows);
	(void)state;
}

static void headers_must_be_there(void **state)
{
	expect_errors("", ERR_INPUT, "k.ptx:1:1: expected `.version`, found the end of the file\n");
	expect_errors(
		".target sm_35\n", ERR_INPUT, "k.ptx:1:1: expected `.version`, found `.target`\n");
	expect_errors(".version seven\n.target sm_35\n", ERR_INPUT,
		"k.ptx:1:10: expected a version such as 7.0 (1.0 to 9.99), found `seven`\n");
	expect_errors(".version 0.9\n.target sm_35\n", ERR_UNSUPPORTED,
		"k.ptx:1:10: the first PTX version is 1.0\n");
	expect_errors(".version 7.0\n.target 35;\n", ERR_INPUT,
		"k.ptx:2:9: expected a target such as sm_35, found `35`\n");
	expect_errors(".version 7.0\n.target sm_35\n.address_size 16\n", ERR_INPUT,
		"k.ptx:3:15: expected 32 or 64, found `16`\n");
	expect_errors(".version 7.0\n.global .u32 x;\n.global .u32 y;\n", ERR_INPUT,
		"k.ptx:2:1: `.target` must precede the first declaration\n");
	(void)state;
}

static void all_errors_are_reported_in_text_order(void **state)
{
	expect_errors(HEAD ".global .u33 g;\n"
			   ".entry k()\n{\n.reg .u32 r, r;\nbra X;\nmov.u32 r r;\n"
			   "{ mov.u32 r, y; mov.u32 {r, , 1}; mov.u32 r, %z; }\n}\n"
			   ".entry l(.param q) { junk }\n"
			   ".func f() { ret }\n",
		ERR_INPUT,
		"k.ptx:4:9: unknown type `.u33`; did you mean `.u32`?\n"
		"k.ptx:7:14: `r` is declared twice; the first is at k.ptx:7:11\n"
		"k.ptx:8:5: `X` is not declared\n"
		"k.ptx:9:11: expected `,` or `;`, found `r`\n"
		"k.ptx:10:14: `y` is not declared\n"
		"k.ptx:10:29: expected an operand, found `,`\n"
		"k.ptx:10:46: `%z` is not declared\n"
		"k.ptx:12:17: expected a type, found `q`\n"
		"k.ptx:13:17: expected an operand, found `}`\n");
	(void)state;
}

static void the_parse_stops_after_a_hundred_errors(void **state)
{
	char text[8192] = HEAD ".entry k()\n{\n";
	struct parsed p;

	for (unsigned i = 0; i < 300; i++)
		strcat(text, "add.u32 1 2;\n");
	p = parse_bytes(text, strlen(text));
	assert_null(p.m);
	assert_int_equal(p.err.count, 101);
	drop_functions(&p.err);
	assert_non_null(strstr(err_text(&p.err), "k.ptx:105:11: expected"));
	assert_null(strstr(err_text(&p.err), "k.ptx:106:11: expected"));
	assert_non_null(strstr(err_text(&p.err), "k.ptx: more errors are not shown after 100\n"));
	drop(&p);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_must_be_declared_once),
		cmocka_unit_test(special_registers_must_exist),
		cmocka_unit_test(operands_must_be_well_formed),
		cmocka_unit_test(numbers_and_strings_must_be_well_formed),
		cmocka_unit_test(declarations_must_make_sense),
		cmocka_unit_test(modules_must_make_sense),
		cmocka_unit_test(headers_must_be_there),
		cmocka_unit_test(all_errors_are_reported_in_text_order),
		cmocka_unit_test(the_parse_stops_after_a_hundred_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
