/* Copies of kernels that read the clock: where the readings are, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "core/mem.h"
#include "runs/hardware/clocked.h"

#define HEAD ".version 5.0\n.target sm_35\n.address_size 64\n"
#define FIRST "red.global.min.u64"
#define LAST "red.global.max.u64"

static unsigned count(const char *text, const char *words)
{
	unsigned n = 0;

	while ((text = strstr(text, words)) != NULL) {
		text += strlen(words);
		n++;
	}
	return n;
}

/* Copies it, and counts readings at beginnings and ends; the copy (text_clear). */
static struct text copied(const char *ptx, unsigned begins, unsigned ends)
{
	struct text out = {0};
	struct err err = {0};

	assert_int_equal(clocked_text("k.ptx", ptx, &out, &err), 0);
	assert_int_equal(err.count, 0);
	assert_int_equal(count(text_str(&out), FIRST), begins);
	assert_int_equal(count(text_str(&out), LAST), ends);
	assert_int_equal(count(text_str(&out), ".b8 " CLOCKED_VARIABLE "[16384];"), 1);
	return out;
}

static void assert_reads(const char *ptx, unsigned begins, unsigned ends)
{
	struct text out = copied(ptx, begins, ends);

	text_clear(&out);
}

static void every_exit_of_a_kernel_is_one(void **state)
{
	(void)state;
	assert_reads(HEAD ".entry k()\n{\n\tret;\n}\n", 1, 1);
	assert_reads(HEAD ".entry k()\n{\n\tmov.u32 %r1, 1;\n}\n", 1, 1);
	assert_reads(HEAD ".entry k() { @%p1 exit; { @!%p2 ret.uni; } L: ret; }", 1, 3);
	assert_reads(
		HEAD ".entry k() { .loc 1 2 0\n ret;\n .loc 1 3 0, inlined_at L\n exit; }", 1, 2);
	assert_reads(HEAD ".entry k() { ret; } .entry l() { exit; }", 2, 2);
	assert_reads(HEAD ".entry k() { ret /* now */ ; }", 1, 1);
}

/* Threads whose guard does not hold go on behind it. */
static void a_guard_decides_over_the_reading_too(void **state)
{
	struct text out = copied(HEAD ".entry k()\n{\n@%p1 ret;\n@ ! %q ret;\nret;\n}\n", 1, 3);
	const char *text = text_str(&out), *first, *second;

	(void)state;
	first = strstr(text, "@!%p1 bra warpbeam_stays_0;");
	second = strstr(text, "@%q bra warpbeam_stays_1;");
	assert_non_null(first);
	assert_non_null(second);
	assert_true(strstr(first, LAST) < strstr(first, "ret;\nwarpbeam_stays_0:"));
	assert_true(strstr(second, LAST) < strstr(second, "ret;\nwarpbeam_stays_1:"));
	text_clear(&out);
}

static void what_is_no_exit_is_copied_as_it_is(void **state)
{
	static const char ptx[] =
		HEAD "// ret;\n.file 1 \"ret;\"\n.global .u32 a[2] = {1, 2};\n"
		     ".func f(.param .u32 x)\n{\n@%p ret;\nret;\n}\n.extern .func g();\n"
		     ".entry k()\n{\n/* exit; */ mov.u32 ret, 1;\ncall f, (ret);\nbra.uni exit;\n"
		     "exit:\nst.shared::cta.u32 [a], ret;\nret;\n}\n";
	struct text out = copied(ptx, 1, 1);

	(void)state;
	assert_non_null(strstr(text_str(&out), "{\n@%p ret;\nret;\n}\n.extern .func g();\n"));
	assert_non_null(strstr(text_str(&out),
		"/* exit; */ mov.u32 ret, 1;\ncall f, (ret);\nbra.uni exit;\nexit:\n"
		"st.shared::cta.u32 [a], ret;\n"));
	text_clear(&out);
}

static void assert_refused(const char *ptx, const char *words)
{
	struct text out = {0};
	struct err err = {0};

	assert_int_equal(clocked_text("k.ptx", ptx, &out, &err), -1);
	assert_int_equal(err.code, ERR_UNSUPPORTED);
	assert_non_null(strstr(err_text(&err), words));
	err_clear(&err);
	text_clear(&out);
}

static void what_cannot_be_covered_is_refused_by_its_line(void **state)
{
	(void)state;
	assert_refused(
		HEAD ".func f()\n{\n@%p exit;\nret;\n}\n", "k.ptx:6: a function ends threads");
	assert_refused(".version 2.0\n.target sm_20\n.address_size 64\n.entry k() { ret; }",
		"k.ptx:2: its .target is sm_20");
	assert_refused(".version 5.0\n.target sm_35\n.address_size 32\n.entry k() { ret; }",
		"k.ptx: has no .address_size 64");
	assert_refused("", "k.ptx: has no .address_size 64");
}

static void cycles_are_of_the_sm_that_took_longest(void **state)
{
	uint64_t words[CLOCKED_WORDS];

	(void)state;
	clocked_reset(words);
	assert_int_equal(clocked_cycles(words), 0);
	words[0] = 1000;
	words[1] = 1900;
	words[2 * 131] = 7;
	words[2 * 131 + 1] = 700;
	assert_int_equal(clocked_cycles(words), 900);
	words[2 * 5] = 30; /* one began, none ended */
	assert_int_equal(clocked_cycles(words), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_exit_of_a_kernel_is_one),
		cmocka_unit_test(a_guard_decides_over_the_reading_too),
		cmocka_unit_test(what_is_no_exit_is_copied_as_it_is),
		cmocka_unit_test(what_cannot_be_covered_is_refused_by_its_line),
		cmocka_unit_test(cycles_are_of_the_sm_that_took_longest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
