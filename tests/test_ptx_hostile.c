/* The PTX parser against text that nobody would write: it says so, and neither falls nor leaks. */
#include "tests/ptx_samples.h"
#include "tests/ptx_text.h"

#include "ptx/module.h"

#include <stdio.h>
#include <stdlib.h>

/* All of the syntax in a small place, to be cut and bent. */
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

	/* either a module or a message, never both, never nothing */
	assert_int_equal(p.m != NULL, p.err.count == 0);
	drop(&p);
}

static void cut_everywhere(const char *text)
{
	size_t n = strlen(text);

	for (size_t i = 0; i <= n; i++) {
		char *copy = malloc(i ? i : 1); /* exactly as long: one byte too far is seen */
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

/* One change: a byte set, a byte taken from elsewhere, or a piece copied over another. */
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

/* `before`, `piece` many times, `after`. */
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

/* Work is counted in what the host is asked for: every piece of it takes memory of an arena. */
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

static void a_list_of_hostile_texts_is_answered(void **state)
{
	static const char *const rows[][2] = {
		{HEAD ".global .u8 x[99999999999999999999];\n", "a number of more than 64 bits"},
		{HEAD ".global .u8 x[18446744073709551615];\n", "the size of an array must be"},
		{HEAD ".global .u8 x[-1];\n", "the size of an array must be"},
		{HEAD ".global .align 0 .u8 x;\n", "the alignment must be"},
		{HEAD ".global .align 4294967296 .u8 x;\n", "the alignment must be"},
		{HEAD ".func f() { call f; ret; }\n.entry k() { call f; ret; }\n",
			"recursion is not supported: f calls f\n"},
		{HEAD ".func f();\n.entry k() { call f; ret; }\n", "is defined in no linked"},
		{HEAD ".entry k() { call k; ret; }\n", "k is a kernel"},
		{HEAD ".entry j() { L: ret; }\n.entry k() { bra L; }\n", "`L` is not declared"},
		{BODY ".reg .u32 %r<1000000000>;\n}\n", "more than 1000000 registers"},
		{BODY "mov.u32 r, 1/0;\n}\n", "a division by zero"},
		{BODY ".loc 1 99999999999999999999 1\n}\n", "more than 64 bits"},
		{BODY ".local .b8 x[99999999999];\nret;\n}\n", "bytes of local memory"},
		{HEAD "/* check: passed", "a comment that does not end"},
		{HEAD ".file 1 \"check: passed", "a string without its closing quote"},
		{HEAD ".entry \xc3(() { ret; }\n", "bytes that are not PTX text"},
		{HEAD HEAD, "a second `.version`"},
		{HEAD ".file 1 \"\033[2Jx\"\n.entry k() {\n.loc 1 1 1\nbra q;\n}\n",
			"`q` is not declared"},
	};

	for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
		struct arena arena = {0};
		struct err err = {0};
		jmp_buf escape;

		arena.escape = &escape;
		assert_int_equal(setjmp(escape), 0);
		module_compile("k.ptx", rows[k][0], strlen(rows[k][0]), NULL, &arena, &err);
		if (!strstr(err_text(&err), rows[k][1]))
			fail_msg("expected %s\nfound %s", rows[k][1], err_text(&err));
		assert_true(err.count == 1);
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
		cmocka_unit_test(a_list_of_hostile_texts_is_answered),
		cmocka_unit_test(a_chain_of_functions_takes_work_by_its_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
