/* Names from outside cannot control the terminal, forge a line, or become a formula. */
#include "tests/rig/support_cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "core/plain.h"
#include "core/text.h"
#include "draw/csv.h"
#include "draw/svg.h"

static void assert_plain(const char *from, size_t n, const char *expected)
{
	struct text text = {0};

	text_plain(&text, from, n);
	assert_string_equal(text_str(&text), expected);
	text_clear(&text);
}
#define PLAIN(from, expected) assert_plain(from, sizeof(from) - 1, expected)

static void control_characters_are_escaped_by_number(void **state)
{
	(void)state;
	PLAIN("saxpy, 7 \xc2\xb5J \xe2\x82\xac \xf0\x9f\x98\x80",
		"saxpy, 7 \xc2\xb5J \xe2\x82\xac \xf0\x9f\x98\x80");
	PLAIN("a\nb\tc\rd", "a\\nb\\tc\\rd");
	PLAIN("\033[2J\x07\x7f", "\\x1b[2J\\x07\\x7f");
	PLAIN("a\0b", "a\\x00b");
	PLAIN("\xc2\x9b"
	      "2J",
		"\\u009b2J"); /* C1: CSI */
	PLAIN("\xe2\x80\xae"
	      "a\xe2\x81\xa6",
		"\\u202ea\\u2066"); /* override, isolate */
	PLAIN("\xe2\x80\xa8", "\\u2028");
	PLAIN("C:\\n", "C:\\n");
}

static void bytes_that_are_no_utf8_are_escaped_one_by_one(void **state)
{
	(void)state;
	PLAIN("\xff\x80", "\\xff\\x80");
	PLAIN("\xe2\x82", "\\xe2\\x82");          /* too short */
	PLAIN("\xc0\x8a", "\\xc0\\x8a");          /* a line feed, too long */
	PLAIN("\xed\xa0\x80", "\\xed\\xa0\\x80"); /* half of a pair */
	PLAIN("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
	PLAIN("\xe2"
	      "ab",
		"\\xe2"
		"ab");
}

static void every_character_of_unicode_is_printable_or_escaped(void **state)
{
	char out[PLAIN_BYTES];

	(void)state;
	for (unsigned a = 0; a < 256; a++) {
		for (unsigned b = 0; b < 256; b++) {
			char s[4] = {(char)a, (char)b, (char)0x80, (char)0xbf};
			size_t n = plain_step(s, sizeof(s), out);

			assert_in_range(n, 1, 4);
			for (const char *c = out; *c; c++)
				assert_false((unsigned char)*c < ' ' || *c == 0x7f);
			assert_plain(out, strlen(out), out); /* escaping twice changes nothing */
		}
	}
}

static void text_formats_as_printf_does(void **state)
{
	char expected[200];
	struct text text = {0};

	(void)state;
	snprintf(expected, sizeof(expected),
		"%5d|%-5u|%05x|%+.2f|%lld|%zu|%*s|%-*s|%.2s|%%|%c|%hhu", -3, 7u, 255u, 2.5,
		-5000000000LL, (size_t)9, 6, "ab", 4, "cd", "efg", 'h', (unsigned char)250);
	text_add(&text, "%5d|%-5u|%05x|%+.2f|%lld|%zu|%*s|%-*s|%.2s|%%|%c|%hhu", -3, 7u, 255u, 2.5,
		-5000000000LL, (size_t)9, 6, "ab", 4, "cd", "efg", 'h', (unsigned char)250);
	assert_string_equal(text_str(&text), expected);
	text_clear(&text);
	text_add(&text, "%-6s|%3s|%.2s|", "a\xc2\xb5", "\xc2\xb5", "a\xc2\xb5");
	assert_string_equal(text_str(&text), "a\xc2\xb5    |  \xc2\xb5|a|");
	text_clear(&text);
}

static void a_message_is_one_line_whatever_it_contains(void **state)
{
	struct err err = {0};
	char *long_name = malloc(1 << 20);

	(void)state;
	err_add(&err, ERR_INPUT, "'%s' is wrong", "x\nwarpbeam: check: passed\033[A");
	assert_string_equal(err_text(&err), "'x\\nwarpbeam: check: passed\\x1b[A' is wrong\n");
	err_clear(&err);
	assert_non_null(long_name);
	memset(long_name, 'a', 1 << 20);
	long_name[(1 << 20) - 1] = '\0';
	err_add(&err, ERR_INPUT, "%s", long_name);
	assert_true(err.len < 5000);
	assert_non_null(strstr(err_text(&err), "... (1048575 bytes)"));
	err_clear(&err);
	free(long_name);
}

static void assert_cell(const char *words, const char *expected)
{
	struct text text = {0};

	csv_words(words, &text);
	assert_string_equal(text_str(&text), expected);
	text_clear(&text);
}

static void a_cell_is_words_or_a_number_but_no_formula(void **state)
{
	(void)state;
	assert_cell("saxpy", "saxpy");
	assert_cell("a,b", "\"a,b\"");
	assert_cell("a\"b\nc", "\"a\"\"b\nc\"");
	assert_cell("=1+1", "'=1+1");
	assert_cell("=cmd|' /C calc'!A0,1", "\"'=cmd|' /C calc'!A0,1\"");
	assert_cell("+a", "'+a");
	assert_cell("-a", "'-a");
	assert_cell("@a", "'@a");
	assert_cell("\t=1", "\"'\t=1\"");
	assert_cell("\r=1", "\"'\r=1\"");
	assert_cell("-3", "-3");
	assert_cell("-2.5e3", "-2.5e3");
	assert_cell("a\033b", "a\\x1bb");
	assert_cell("", "");
}

static void markup_has_only_characters_of_xml(void **state)
{
	struct text text = {0};

	(void)state;
	svg_escaped("<a b=\"c\" d='e'>&\033\xff\n\t", &text);
	assert_string_equal(
		text_str(&text), "&#60;a b=&#34;c&#34; d=&#39;e&#39;&#62;&#38;\\x1b\\xff\n\t");
	text_clear(&text);
}

/* ---- the whole program */
static void write_file(const struct desk *d, const char *name, const char *text)
{
	char path[200];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", d->folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* No control character except line ends, and no forged line. */
static void assert_harmless(const struct desk *d, const char *name)
{
	char *text = desk_content(d, name);

	for (const char *c = text; *c; c++)
		assert_false((*c < ' ' && *c >= 0 && *c != '\n') || *c == 0x7f);
	assert_null(strstr(text, "\nforged"));
	assert_null(strstr(text, "\xe2\x80\xae"));
	mem_free(text);
}

#define EVIL "a\\nforged\\e[31m\\u202e\\x9b=1"

static void names_of_a_scenario_reach_the_terminal_plain(void **state)
{
	static const char *const bodies[] = {"chip: \"" EVIL "\"\nlaunches: [{kernel: a}]\n",
		"\"" EVIL "\": 1\n",
		"set: {\"" EVIL "\": \"" EVIL
		"\"}\nlaunches: [{module: k.ptx, kernel: add, grid: 1, "
		"block: 32, args: []}]\n",
		"launches: [{module: \"" EVIL "\", kernel: add, grid: 1, block: 32}]\n",
		"launches: [{module: k.ptx, kernel: \"" EVIL "\", grid: 1, block: 32}]\n",
		"buffers: {\"" EVIL "\": {type: \"" EVIL
		"\", count: 4}}\nlaunches: [{module: k.ptx}]\n",
		"buffers: {\"" EVIL
		"\": {type: u32, count: 4, fill: 1}}\nlaunches: [{module: k.ptx, kernel: "
		"k, grid: 1, block: 32, args: [\"" EVIL "\"]}]\n",
		"buffers: {b: {hex: \"" EVIL "\"}}\nlaunches: [{module: k.ptx}]\n"};
	const struct desk *d = *state;

	write_file(d, "k.ptx",
		".version 3.0\n.target sm_20\n.address_size 64\n.entry k () { ret; }\n");
	for (unsigned i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		write_file(d, "evil.yaml", bodies[i]);
		assert_int_not_equal(desk_run(d, "run %F/evil.yaml"), 0);
		assert_harmless(d, "err");
		assert_harmless(d, "out");
	}
}

static void names_of_files_reach_reports_plain(void **state)
{
	const struct desk *d = *state;
	static const char path[] = "\"$(printf '%F/a\\nforged\\033[1m\\342\\200\\256\\377.yaml')\"";
	char command[700];

	write_file(d, "k.ptx",
		".version 3.0\n.target sm_20\n.address_size 64\n.entry k () { ret; }\n");
	write_file(d, "k.yaml",
		"launches: [{module: k.ptx, kernel: k, grid: 1, block: 32, args: []}]\n");
	snprintf(command, sizeof(command), "list >%%F/null; cp %%F/k.yaml %s", path);
	assert_int_equal(desk_run(d, command), 0);
	snprintf(command, sizeof(command), "run %s --json %%F/j", path);
	assert_int_equal(desk_run(d, command), 0);
	assert_harmless(d, "out");
	assert_says(d, "out", "a\\nforged\\x1b[1m\\u202e\\xff.yaml");
	assert_says(d, "out", "\ncheck: none\n");
	json_decref(desk_json(d, "j"));
	snprintf(command, sizeof(command), "exec %s", path);
	assert_int_equal(desk_run(d, command), 0);
	assert_harmless(d, "out");
	snprintf(command, sizeof(command), "profile %s", path);
	assert_int_equal(desk_run(d, command), 0);
	assert_harmless(d, "out");
	snprintf(command, sizeof(command), "compare %s", path);
	assert_int_equal(desk_run(d, command), 0);
	assert_harmless(d, "out");
	assert_int_equal(desk_run(d, "run \"$(printf 'nosuch\\nforged\\033')\""), 2);
	assert_harmless(d, "err");
}

int main(void)
{
#define WITH_DESK(f) cmocka_unit_test_setup_teardown(f, desk_set_up, desk_tear_down)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(control_characters_are_escaped_by_number),
		cmocka_unit_test(bytes_that_are_no_utf8_are_escaped_one_by_one),
		cmocka_unit_test(every_character_of_unicode_is_printable_or_escaped),
		cmocka_unit_test(text_formats_as_printf_does),
		cmocka_unit_test(a_message_is_one_line_whatever_it_contains),
		cmocka_unit_test(a_cell_is_words_or_a_number_but_no_formula),
		cmocka_unit_test(markup_has_only_characters_of_xml),
		WITH_DESK(names_of_a_scenario_reach_the_terminal_plain),
		WITH_DESK(names_of_files_reach_reports_plain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
