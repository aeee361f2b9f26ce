/* Tables fit the width: as they are, narrower, wrapped, or without their last columns. */
#include "core/text.h"
#include "draw/fit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void becomes(const char *text, uint32_t width, const char *wanted)
{
	struct text out = {0};

	fit_text(text, width, &out);
	assert_string_equal(text_str(&out), wanted);
	text_clear(&out);
}

#define TABLE \
	"\vkernel      \t    cycles\tstalls         \n" \
	"add         \t     1,000\twaits for memory\n" \
	"multiply    \t        20\tnone           \n"

static void what_fits_is_as_it_was(void **state)
{
	(void)state;
	becomes(TABLE, 100,
		"kernel           cycles stalls         \n"
		"add               1,000 waits for memory\n"
		"multiply             20 none           \n");
	becomes("prose that fits\n\n", 18, "prose that fits\n\n");
	becomes("a line too narrow\n", 10, "a line too narrow\n");
}

static void prose_is_wrapped_between_words(void **state)
{
	(void)state;
	becomes("a sentence of several words\n\nnext\n", 20,
		"a sentence of\n  several words\n\nnext\n");
	becomes("    indented words of a sentence\n", 24,
		"    indented words of a\n      sentence\n");
	becomes("see /a/path/that/is/longer/than/a/line for more\n", 20,
		"see\n  /a/path/that/is/longer/than/a/line\n  for more\n");
	becomes("  1.20x  advice of several words\n", 27,
		"  1.20x  advice of several\n         words\n");
	becomes("columns  with text  and without  tabs\n", 20,
		"columns  with text  and without  tabs\n");
	becomes("  /path/of/a/long/name/source.cu:95  words of its line\n", 44,
		"  /path/of/a/long/name/source.cu:95  words\n    of its line\n");
	becomes("no end of a line is added", 20, "no end of a line is\n  added");
	becomes("a sentence of several words\n", FIT_ALL, "a sentence of several words\n");
}

static void blanks_go_first(void **state)
{
	(void)state;
	becomes(TABLE, 36,
		"kernel    cycles  stalls\n"
		"add        1,000  waits for memory\n"
		"multiply      20  none\n");
}

static void last_columns_are_left_out_and_named(void **state)
{
	(void)state;
	becomes(TABLE, 30,
		"kernel    cycles\n"
		"add        1,000\n"
		"multiply      20\n"
		"(left out: stalls; --wide\n"
		"  shows all)\n");
}

static void several_columns_of_a_list_are_wrapped_if_one_is_not_enough(void **state)
{
	(void)state;
	becomes("  at the L1's own tags\t512.0 KB\t256.0 KB\tL1 hits 0.0%, merged\n"
		"  at DRAM\t512.0 KB\t  2.0 KB\n",
		48,
		"  at the L1's own  512.0 KB 256.0 KB L1 hits 0.0%,\n"
		"  tags                               merged\n"
		"  at DRAM          512.0 KB   2.0 KB\n");
}

static void words_are_wrapped_before_columns_are_left_out(void **state)
{
	(void)state;
	becomes("\vname\twhat it is\n"
		"a\tmany words that need more than one line\n",
		30,
		"name what it is\n"
		"a    many words that need more\n"
		"     than one line\n");
}

static void a_name_of_one_word_is_broken_only_in_the_first_column(void **state)
{
	(void)state;
	becomes("\vname\tn\nabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz\t1\n", 42,
		"name                                     n\n"
		"abcdefghijklmnopqrstuvwxyzabcdefghijklmn 1\n"
		"opqrstuvwxyz\n");
}

static void the_last_words_of_a_list_hang(void **state)
{
	(void)state;
	becomes("time      \t      10\tcycles\n"
		"reason    \t      20\tIt waited for results from memory.\n",
		45,
		"time             10 cycles\n"
		"reason           20 It waited for results\n"
		"                    from memory.\n");
}

static void sentences_are_below_their_rows_where_a_column_would_be_narrow(void **state)
{
	(void)state;
	becomes("sm.alu_cycles             \t8 \t1 .. 1000 cycles\tLatency of the ALU; table pipe has "
		"it.\n"
		"sm.x                      \t12\tnone\tShort.\n",
		50,
		"sm.alu_cycles  8   1 .. 1000 cycles\n"
		"      Latency of the ALU; table pipe has it.\n"
		"sm.x           12  none\n"
		"      Short.\n");
	/* a column that begins further left has space for them */
	becomes("a                         \tLatency of the ALU; table pipe has it.\n", 42,
		"a  Latency of the ALU; table pipe has it.\n");
	becomes("a                                      \tLatency of the ALU; table pipe has it.\n",
		60, "a  Latency of the ALU; table pipe has it.\n");
}

static void characters_count_and_not_bytes(void **state)
{
	(void)state;
	becomes("\vé\té\nééé\téé\n", 6, "é é\nééé éé\n");
}

static void what_cannot_fit_is_not_lost(void **state)
{
	(void)state;
	becomes("\vname\tn\nabcdefghij\t1\n", 5,
		"name\nabcdefghij\n(left out: n; --wide shows all)\n");
}

static void in_place_it_is_the_same(void **state)
{
	struct text text = {0};

	(void)state;
	text_raw(&text, "a line\n\n%s", TABLE);
	fit_nothing(&text);
	becomes("a line\n\n" TABLE, FIT_ALL, text_str(&text));
	text_clear(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_fits_is_as_it_was),
		cmocka_unit_test(prose_is_wrapped_between_words),
		cmocka_unit_test(blanks_go_first),
		cmocka_unit_test(last_columns_are_left_out_and_named),
		cmocka_unit_test(several_columns_of_a_list_are_wrapped_if_one_is_not_enough),
		cmocka_unit_test(words_are_wrapped_before_columns_are_left_out),
		cmocka_unit_test(a_name_of_one_word_is_broken_only_in_the_first_column),
		cmocka_unit_test(the_last_words_of_a_list_hang),
		cmocka_unit_test(sentences_are_below_their_rows_where_a_column_would_be_narrow),
		cmocka_unit_test(characters_count_and_not_bytes),
		cmocka_unit_test(what_cannot_fit_is_not_lost),
		cmocka_unit_test(in_place_it_is_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
