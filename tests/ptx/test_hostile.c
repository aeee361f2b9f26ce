/* The PTX parser on malformed text: it reports errors and neither crashes nor leaks. */
#include "tests/rig/ptx_samples.h"
#include "tests/rig/ptx_text.h"

#include "ptx/compile/module.h"

#include <stdio.h>
#include <stdlib.h>

/* All of the syntax in a short text, to be truncated and mutated. */
static const char everything[] =
	HEAD ".file 1 \"k.cu\", 1, 2\n.extern .shared .align 8 .b8 d[];\n"
	     ".global .v2 .f32 g[][2] = {{{1.0, 0f3F800000}}, {{2, 3}}};\n"
	     ".const .b64 c[3] = {g, generic(g)+8, 1 ? 2 : (3 << 4)};\n"
	     ".global .u8 m[2] = {0xff(g), 0xff00(g)};\n"
	     ".func (.param .b32 r) f (.param .align 4 .b8 a[8]) .noreturn { ret; }\n"
	     ".visible .entry k(.param .u64 .ptr .global .align 4 a, .param .f32 b)\n"
	     ".maxntid 256, 1, 1 .pragma \"nounroll\";\n{ // body\n"
	     ".reg .u32 %r<10>, x; .reg .pred p, q; .reg .v4 .f32 v;\n.loc 1 5 3\n"
	     "A: mov.u32 %r1, %tid.x; /* why */\n@!p bra B;\n"
	     "{ .reg .u64 x; .shared .f32 s<4>; ld.shared.v2.u32 {%r1, _}, [s3+-4]; bra B; B: }\n"
	     "setp.lt.and.u32 p|q, %r1, 5 % 3, !q; mov.u32 x, c[2]; B: ret;\n"
	     "{ .param .b32 o; P: .callprototype (.param .b32 _) _ (.param .b64 _);\n"
	     "T: .branchtargets A, B; call (o), f, (o, 1), P; brx.idx x, T; }\n"
	     "tex.2d.v4.f32.s32 {x, x, x, x}, [d, {x, x}];\n}\n.section .debug { .b8 1 }\n";

static void parse_and_drop(const char *text, size_t bytes)
{
	struct parsed p = parse_bytes(text, bytes);

	/* either a module or a message, never both or neither */
	assert_int_equal(p.m != NULL, p.err.count == 0);
	drop(&p);
}

static void cut_everywhere(const char *text)
{
	size_t n = strlen(text);

	for (size_t i = 0; i <= n; i++) {
		char *copy = malloc(i ? i : 1); /* exact size: an overread is detected */
		assert_non_null(copy);
		memcpy(copy, text, i);
		parse_and_drop(copy, i);
		free(copy);
	}
}

static void a_text_may_end_at_any_byte(void **state)
{
	struct parsed p = parse_good(everything);

	drop(&p);
	cut_everywhere(everything);
	cut_everywhere(clang_64);
	(void)state;
}

static uint64_t next_random(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

/* One mutation: a byte set, a byte taken from elsewhere, or a range copied over another. */
static void mutate(char *text, size_t n, uint64_t *seed)
{
	static const char interesting[] = "{}[]()<>.,;:@!%$_\"'/*\\\n 019fx|&^~?-+=#";
	size_t at = next_random(seed) % n, from = next_random(seed) % n;
	size_t len = next_random(seed) % 16;

	switch (next_random(seed) % 4) {
	case 0:
		text[at] = (char)next_random(seed);
		break;
	case 1:
		text[at] = interesting[next_random(seed) % (sizeof(interesting) - 1)];
		break;
	case 2:
		text[at] = text[from];
		break;
	default:
		len = at + len > n ? n - at : len;
		len = from + len > n ? n - from : len;
		memmove(text + at, text + from, len);
	}
}

static void twenty_thousand_mutations_end_well(void **state)
{
	size_t n = strlen(everything);
	uint64_t seed = 20120612;
	char *text = malloc(n);

	assert_non_null(text);
	for (unsigned i = 0; i < 20000; i++) {
		unsigned changes = 1 + (unsigned)(next_random(&seed) % 4);
		memcpy(text, everything, n);
		while (changes-- > 0)
			mutate(text, n, &seed);
		parse_and_drop(text, n);
	}
	free(text);
	(void)state;
}

/* `before`, then `piece` many times, then `after`. */
static struct parsed parse_repeated(
	const char *before, const char *piece, size_t times, const char *after)
{
	size_t n = strlen(before), len = strlen(piece), end = strlen(after);
	char *text = malloc(n + len * times + end);
	struct parsed p;

	assert_non_null(text);
	memcpy(text, before, n);
	for (size_t i = 0; i < times; i++)
		memcpy(text + n + i * len, piece, len);
	memcpy(text + n + len * times, after, end);
	p = parse_bytes(text, n + len * times + end);
	free(text);
	return p;
}

#define BODY HEAD ".entry k()\n{\n.reg .u32 r;\n"

static void deep_nesting_is_an_error(void **state)
{
	static const struct {
		const char *before, *piece, *after, *message;
	} rows[] = {
		{BODY, "{", "", "k.ptx:7:128: blocks nested more than 128 deep\n"},
		{BODY "mov.u32 r, ", "(", "", "k.ptx:7:75: an expression nested more than 64"},
		{BODY "mov.u32 r, ", "-", "", "k.ptx:7:75: an expression nested more than 64"},
		{BODY "mov.u32 r, ", "1?", "", "an expression nested more than 64"},
		{BODY "mov.u32 ", "[1,", "", "operands nested more than 4 deep"},
		{HEAD ".global .u32 x = ", "{", "", "more braces than `x` has dimensions"},
		{HEAD ".section .s ", "{", "", "expected `}`, found the end of the file"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct parsed p =
			parse_repeated(rows[i].before, rows[i].piece, 1000000, rows[i].after);
		assert_null(p.m);
		drop_functions(&p.err);
		if (!strstr(err_text(&p.err), rows[i].message))
			fail_msg("expected %s\nfound %s", rows[i].message, err_text(&p.err));
		drop(&p);
	}
	(void)state;
}

static void long_lists_are_taken(void **state)
{
	static const struct {
		const char *before, *piece, *after;
	} rows[] = {
		{BODY, "add.u32 r, r, 1;\n", "}\n"},
		{BODY, "bra L;\n", "L:\n}\n"},
		{BODY, "{ bra L; }\n", "L:\n}\n"},
		{BODY "call r, (", "r,", "r);\n}\n"},
		{BODY "mov.u32 r, 0", "+1", ";\n}\n"},
		{HEAD ".global .u8 x[] = {", "1,", "};\n"},
		{HEAD "/*", "* /", "*/"},
		{HEAD ".global .u32 ", "abcdefgh", ";\n"},
		{HEAD, ".entry;", ".global .u32 x;"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct parsed p =
			parse_repeated(rows[i].before, rows[i].piece, 200000, rows[i].after);
		if (i + 1 < sizeof(rows) / sizeof(rows[0]))
			assert_string_equal(err_text(&p.err), "");
		else
			assert_int_equal(p.err.count, 101);
		drop(&p);
	}
	(void)state;
}

static void no_text_at_all_is_an_error(void **state)
{
	static const char nul[] = HEAD "\0\0\0.global .u32 x;\n";
	struct parsed p = parse_bytes(nul, sizeof(nul) - 1);
	char noise[4096];
	uint64_t seed = 7;

	assert_string_equal(err_text(&p.err), "k.ptx:4:1: a NUL byte: PTX is text\n");
	drop(&p);
	for (unsigned i = 0; i < 200; i++) {
		for (size_t j = 0; j < sizeof(noise); j++)
			noise[j] = (char)next_random(&seed);
		p = parse_bytes(noise, sizeof(noise));
		assert_null(p.m);
		assert_true(p.err.count <= 101);
		drop(&p);
	}
	(void)state;
}

static void a_host_without_memory_is_survived(void **state)
{
	bool failed = true;

	for (int64_t n = 1; failed; n++) {
		struct parsed p;
		mem_fail_after(n);
		p = parse_repeated(BODY, "add.u32 r, r, 1;\n", 2000, "}\n");
		mem_fail_after(-1);
		failed = p.no_memory;
		assert_int_equal(p.m == NULL, failed);
		drop(&p);
		assert_true(n < 1000);
	}
	(void)state;
}

/* Work is measured in allocations: every step of it takes memory of an arena. */
static bool compiles_within(const char *text, size_t bytes, int64_t allocations)
{
	struct arena arena = {0};
	struct err err = {0};
	jmp_buf escape;
	volatile bool ended = false;

	arena.escape = &escape;
	mem_fail_after(allocations);
	if (!setjmp(escape)) {
		module_compile("k.ptx", text, bytes, NULL, &arena, &err);
		ended = true;
	}
	mem_fail_after(-1);
	assert_true(!ended || !err.count);
	arena_free(&arena);
	err_clear(&err);
	return ended;
}

static int64_t allocations_of_a_chain(unsigned functions)
{
	char *text = malloc(128 * (size_t)functions + 256);
	size_t n = (size_t)sprintf(text, HEAD ".func f0() { ret; }\n");
	int64_t least = 1, most = 1;

	for (unsigned f = 1; f < functions; f++)
		n += (size_t)sprintf(text + n, ".func f%u() { call f%u; ret; }\n", f, f - 1);
	n += (size_t)sprintf(text + n, ".entry k() { call f%u; ret; }\n", functions - 1);
	while (!compiles_within(text, n, most))
		most *= 2;
	while (least < most) {
		int64_t middle = (least + most) / 2;

		if (compiles_within(text, n, middle))
			most = middle;
		else
			least = middle + 1;
	}
	free(text);
	return most;
}

static void a_chain_of_functions_takes_work_by_its_length(void **state)
{
	int64_t one = allocations_of_a_chain(500), two = allocations_of_a_chain(2000);

	if (two > 5 * one)
		fail_msg("500 functions: %lld, 2000: %lld", (long long)one, (long long)two);
	(void)state;
}

#define CALLER(body) ".entry k()\n{\n.reg .u32 r;\n" body "\nret;\n}\n"
#define K(body) HEAD CALLER(body)

/* The message of each, reported once; NULL: valid. */
static const char *const hostile[][2] = {
	/* sizes and numbers */
	{HEAD ".global .u8 x[99999999999999999999];\n", "a number of more than 64 bits"},
	{HEAD ".global .u8 x[18446744073709551615];\n", "the size of an array must be"},
	{HEAD ".global .u8 x[-1];\n", "the size of an array must be"},
	{HEAD ".global .u8 x[4294967296][4294967296];\n", "is larger than 1099511627776 bytes"},
	{HEAD ".global .u8 x[0];\n", "`x` has 0 bytes"},
	{HEAD ".extern .shared .u8 x[0];\n", NULL},
	{K(".local .b8 x[0];"), "`x` has 0 bytes"},
	{HEAD ".entry k(.param .b8 x[]) { ret; }\n", "is a .param variable with a size"},
	{HEAD ".entry k(.reg .u32 x) { ret; }\n", "is a .param variable with a size"},
	{HEAD ".entry k(.param .b8 x[4353]) { ret; }\n", "need more than 4352 bytes"},
	{HEAD ".func f(.param .b8 x[4353]) { ret; }\n", NULL},
	{HEAD ".const .u8 x[65536];\n", NULL},
	{HEAD ".const .u8 x[65535]; .entry k() { .const .u32 y; ret; }\n",
		"up to `y` need 65540 bytes, the limit is 65536"},
	{HEAD ".shared .u8 x[4294967295];\n" CALLER("ld.shared.u32 r, [x];"),
		"4294967295 bytes of shared memory per CTA, the limit is 16777216"},
	{HEAD ".shared .u8 x[1099511627775];\n" CALLER("ld.shared.u32 r, [x];"),
		"1099511627775 bytes of shared memory per CTA"},
	{HEAD ".shared .u8 x[16777216];\n" CALLER("ld.shared.u32 r, [x];"), NULL},
	{K(".local .b8 x[99999999999];"), "bytes of local memory"},
	{HEAD ".global .align 0 .u8 x;\n", "the alignment must be"},
	{HEAD ".global .align 4294967296 .u8 x;\n", "the alignment must be"},
	{HEAD ".global .align 4 .align 8 .u8 x;\n", NULL},
	{HEAD ".global .v2 .v2 .u32 x;\n", "a second vector in one declaration"},
	{HEAD ".global .v4 .f64 x;\n", "a vector of 4 .f64 has more than 128 bits"},
	{K(".reg .u32 %r<1000000000>;"), "more than 1000000 registers"},
	{K("mov.u32 r, 1/0;"), "division by zero"},
	{K("mov.u32 r, -9223372036854775808 / -1;"), NULL},
	{K(".loc 1 99999999999999999999 1\n"), "more than 64 bits"},
	{K("bar.sync 16;"), "barrier 16: there are 0 to 15"},
	{K("barrier.sync -1;"), "barrier -1: there are 0 to 15"},
	{K("bar.sync 1, 33;"), "a barrier of 33 threads: the count must be a multiple of 32"},
	{K("bar.arrive 1, 0;"), "an arrival needs a count above 0"},
	/* headers */
	{HEAD HEAD, "a second `.version`"},
	{".target sm_70\n" HEAD, "expected `.version`, found `.target`"},
	{".version 99.9\n.target sm_70\n.entry k() { ret; }\n", "expected a version such as 7.0"},
	{".version 7.0\n.target sm_99999999999\n.entry k() { ret; }\n",
		"expected a target such as sm_35"},
	{".version 7.0\n.target sm_xx\n.entry k() { ret; }\n", "expected a target such as sm_35"},
	{".version 7.0\n.target sm_70\n.target sm_80, debug\n.entry k() { ret; }\n", NULL},
	{".version 7.0\n.target sm_70, dbug\n.entry k() { ret; }\n",
		"nor an option of .target; did you mean `debug`?"},
	{".version 7.0\n.target sm_70, texmode_unified, texmode_independent\n",
		"are mutually exclusive"},
	{HEAD ".target sm_80\n", "`.target` must precede `.address_size`"},
	{HEAD ".address_size 32\n", "a second `.address_size`"},
	{".version 7.0\n.target sm_70\n.entry k() { ret; }\n.address_size 64\n",
		"must precede the first declaration"},
	{HEAD ".file 1 \"a\"\n.file 1 \"a\"\n", "a second `.file 1`"},
	/* directives of functions and variables */
	{HEAD ".entry k() .maxntid 32 .maxntid 64 { ret; }\n", NULL},
	{HEAD ".entry k() .maxntid 4294967295, 4294967295, 4294967295 { ret; }\n", NULL},
	{HEAD ".entry k() .maxntid 64 .reqntid 64 { ret; }\n",
		"`.maxntid` and `.reqntid` are mutually exclusive"},
	{HEAD ".entry k() .maxntid 0 { ret; }\n", "the value of a directive must be"},
	{HEAD ".entry k() .noreturn { ret; }\n", "`.noreturn` is allowed on a .func"},
	{HEAD ".func f() .maxntid 32 { ret; }\n", "`.maxntid` is allowed on a kernel"},
	{HEAD ".visible .extern .global .u32 x;\n", "more than one of `.extern`"},
	{HEAD ".extern .func f() { ret; }\n", "`f` is .extern and has a body"},
	{HEAD ".common .shared .u32 x;\n", "only .global is .common"},
	{K(".section .x { .b8 1 }"), "unknown directive `.section`"},
	{K(".entry j() { ret; }"), "expected `}`, found `.entry`"},
	{K(".visible .shared .u32 x;"), "expected `}`, found `.visible`"},
	/* aliases and calls */
	{HEAD ".func f();\n.alias f, f;\n", "a function cannot be its own alias"},
	{HEAD ".func g() { ret; }\n.func f() { ret; }\n.alias f, g;\n", "it is defined already"},
	{HEAD ".func g() { ret; }\n.func f();\n.alias f, g;\n.alias f, g;\n",
		"it is defined already"},
	{HEAD ".func g(.param .u32 a) { ret; }\n.func f();\n.alias f, g;\n",
		"differs from its declaration"},
	{HEAD ".entry g() { ret; }\n.func f();\n.alias f, g;\n", "kernels have no aliases"},
	{HEAD ".func g();\n.func f();\n.alias f, g;\n.func g() { ret; }\n" CALLER("call f;"), NULL},
	{HEAD ".func g();\n.func f();\n.alias f, g;\n.alias g, f;\n",
		"a function cannot be its own alias"},
	{HEAD ".func g();\n.func f();\n.func h() { ret; }\n.alias f, g;\n.alias g, h;\n" CALLER(
		 "call f;"),
		NULL},
	{HEAD ".func g();\n.func f();\n.func h() { ret; }\n.alias g, h;\n.alias f, g;\n" CALLER(
		 "call f;"),
		NULL},
	{HEAD ".func f();\n.alias f, g;\n.func g() { ret; }\n", "`g` is not declared"},
	{HEAD ".func f() { call f; ret; }\n" CALLER("call f;"),
		"recursion is not supported: f calls f\n"},
	{HEAD ".func f();\n" CALLER("call f;"), "is defined in no linked"},
	{HEAD ".global .u32 x;\n" CALLER("call x;"), "x is not a function"},
	{K("call k;"), "k is a kernel"},
	{HEAD ".func f(.reg .v2 .f32 a) { ret; }\n" CALLER("call f, (r);"),
		"a takes a register .v2 .f32 as a whole"},
	{K("call r, ();"), "needs a .callprototype"},
	/* names */
	{HEAD ".global .u32 %tid;\n", "`%tid` is a special register"},
	{HEAD ".func %laneid() { ret; }\n", "`%laneid` is a special register"},
	{HEAD ".global .u32 %envreg31, %pm8, %envreg32;\n", "`%envreg31` is a special register"},
	{HEAD ".global .u32 WARP_SZ;\n", "`WARP_SZ` is the constant 32"},
	{K(".reg .u32 WARP_SZ<3>;"), "`WARP_SZ` is the constant 32"},
	{HEAD ".entry _() { ret; }\n", "`_` is not a name"},
	{K(".reg .u32 $;"), "`$` is not a name"},
	{K(".reg .u32 %laneid, %clock<9>; mov.u32 %laneid, %clock4;"), NULL},
	{K(".reg .u32 %tid; mov.u32 r, %tid.x;"), "`%tid` has no component `.x`"},
	{HEAD ".entry j() { L: ret; }\n.entry k() { bra L; }\n", "`L` is not declared"},
	{HEAD ".global .u64 x = y;\n.global .u32 y;\n", "`y` is not declared"},
	{K("mov.u32 r, x; .reg .u32 x;"), "`x` is used before it is declared"},
	/* operands */
	{K(".reg .pred p; add.u32 p, p, p;"), "p is a .pred register"},
	{K("mov.u32 r.x, 1;"), "`r` has no component `.x`"},
	{K(".reg .f32 f; add.f32 f, f+1, f;"), "nothing can be added to a .f32 here"},
	/* bytes */
	{HEAD "/* check: passed", "an unterminated comment"},
	{HEAD ".file 1 \"check: passed", "a string without its closing quote"},
	{HEAD ".entry \xc3(() { ret; }\n", "bytes that are not PTX text"},
	{K("bra \033[2Jq;"), "bytes that are not PTX text"},
	{HEAD ".file 1 \"\033[2Jx\"\n.entry k() {\n.loc 1 1 1\nbra q;\n}\n", "`q` is not declared"},
};

static void a_list_of_malformed_texts_is_reported(void **state)
{
	for (size_t k = 0; k < sizeof(hostile) / sizeof(hostile[0]); k++) {
		const char *text = hostile[k][0], *message = hostile[k][1];
		struct arena arena = {0};
		struct err err = {0};
		jmp_buf escape;

		arena.escape = &escape;
		assert_int_equal(setjmp(escape), 0);
		module_compile("k.ptx", text, strlen(text), NULL, &arena, &err);
		if (err.count != (message != NULL) || (message && !strstr(err_text(&err), message)))
			fail_msg("%s\nexpected %s once\nfound %s", text,
				message ? message : "nothing", err_text(&err));
		arena_free(&arena);
		err_clear(&err);
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_may_end_at_any_byte),
		cmocka_unit_test(twenty_thousand_mutations_end_well),
		cmocka_unit_test(deep_nesting_is_an_error),
		cmocka_unit_test(long_lists_are_taken),
		cmocka_unit_test(no_text_at_all_is_an_error),
		cmocka_unit_test(a_host_without_memory_is_survived),
		cmocka_unit_test(a_list_of_malformed_texts_is_reported),
		cmocka_unit_test(a_chain_of_functions_takes_work_by_its_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
