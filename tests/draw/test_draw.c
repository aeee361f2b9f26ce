/* Cells of CSV and numbers as people write them. */
#include "core/text.h"
#include "draw/csv.h"
#include "draw/number.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void cell_is(const char *words, const char *expected)
{
	struct text out = {0};

	csv_words(words, &out);
	assert_string_equal(text_str(&out), expected);
	text_clear(&out);
}

static void cells_are_quoted_where_a_reader_would_split_them(void **state)
{
	(void)state;
	cell_is("plain words", "plain words");
	cell_is("one, two", "\"one, two\"");
	cell_is("a \"b\" c", "\"a \"\"b\"\" c\"");
	cell_is("two\nlines", "\"two\nlines\"");
	cell_is("a\tb", "\"a\tb\"");
}

/* What begins as a formula gets an apostrophe, unless it is a number. */
static void no_cell_is_a_formula(void **state)
{
	(void)state;
	cell_is("=1+1", "'=1+1");
	cell_is("@sum", "'@sum");
	cell_is("-x", "'-x");
	cell_is("-1.5", "-1.5");
	cell_is("+2e3", "+2e3");
	cell_is("a=b", "a=b");
}

static bool ranges(const char *text, unsigned limit, uint64_t expected)
{
	uint64_t map[2] = {0};

	return number_ranges(text, limit, map) && map[0] == expected;
}

static void ranges_have_both_their_ends_and_are_below_the_limit(void **state)
{
	(void)state;
	assert_true(ranges("0", 8, 1));
	assert_true(ranges("1-3", 8, 0xe));
	assert_true(ranges("0,2-3,7", 8, 0x8d));
	assert_true(ranges("7", 8, 0x80));
	assert_false(ranges("8", 8, 0x100));
	assert_false(ranges("6-8", 8, 0x1c0));
	assert_false(ranges("3-2", 8, 0));
	assert_false(ranges("1-", 8, 2));
	assert_false(ranges("1 2", 8, 6));
	assert_false(ranges("", 8, 0));
}

static void grouped_is(uint64_t v, const char *expected)
{
	char out[32];

	assert_string_equal(number_grouped(v, out), expected);
}

static void digits_are_grouped_from_the_right(void **state)
{
	(void)state;
	grouped_is(0, "0");
	grouped_is(999, "999");
	grouped_is(1000, "1,000");
	grouped_is(12345, "12,345");
	grouped_is(1234567, "1,234,567");
	grouped_is(UINT64_MAX, "18,446,744,073,709,551,615");
}

static void energy_is(double nj, const char *expected)
{
	char out[32];
	const char *at = number_energy(nj, out);

	while (*at == ' ')
		at++;
	assert_string_equal(at, expected);
}

static void an_energy_has_the_largest_unit_that_leaves_one_or_more(void **state)
{
	(void)state;
	energy_is(0, "0 nJ");
	energy_is(0.000012, "12 fJ");
	energy_is(0.5, "500.0 pJ");
	energy_is(999.9, "999.9 nJ");
	energy_is(99.97, "99.97 nJ");
	energy_is(99.996, "100.0 nJ");
	energy_is(999.96, "1.000 uJ");
	energy_is(1234, "1.234 uJ");
	energy_is(5e9, "5.000 J");
	energy_is(7e12, "7,000 J");
	energy_is(-1234, "-1.234 uJ");
}

static void bytes_are(double bytes, const char *expected)
{
	char out[32];

	assert_string_equal(number_bytes(bytes, out), expected);
}

/* A unit is 1024 of the one before: what is below one of the next has four digits, too. */
static void bytes_have_the_largest_unit_of_which_there_is_one(void **state)
{
	(void)state;
	bytes_are(0, "0 B");
	bytes_are(999, "999 B");
	bytes_are(1023, "1,023 B");
	bytes_are(1024, "1.000 KB");
	bytes_are(99.97 * 1024, "99.97 KB");
	bytes_are(99.996 * 1024, "100.0 KB");
	bytes_are(999.94 * 1024, "999.9 KB");
	bytes_are(1012 * 1024, "1,012 KB");
	bytes_are(1023.4 * 1024, "1,023 KB");
	bytes_are(1023.5 * 1024, "1.000 MB");
	bytes_are(3 * 1048576, "3.000 MB");
	bytes_are(-2048, "-2.000 KB");
	bytes_are(5e15, "4,547 TB");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_are_quoted_where_a_reader_would_split_them),
		cmocka_unit_test(no_cell_is_a_formula),
		cmocka_unit_test(ranges_have_both_their_ends_and_are_below_the_limit),
		cmocka_unit_test(digits_are_grouped_from_the_right),
		cmocka_unit_test(an_energy_has_the_largest_unit_that_leaves_one_or_more),
		cmocka_unit_test(bytes_have_the_largest_unit_of_which_there_is_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
