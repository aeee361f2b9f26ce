/* Pages of run and profile: whole, self-contained, with the figures of the other reports. */
#include "tests/rig/support_cli.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base.h"
#include "core/file.h"
#include "core/mem.h"
#include "draw/number.h"
#include "tests/rig/markup.h"

#define PAGE_MOST 1000000u /* bytes */

static char *page_of(const struct desk *p, const char *command, int code)
{
	char message[400], *page;
	const char *wrong;

	assert_int_equal(desk_run(p, command), code);
	page = desk_content(p, "page.html");
	wrong = markup_wrong(page, message, sizeof(message));
	if (wrong)
		fail_msg("%s: %s", command, wrong);
	assert_true(strlen(page) < PAGE_MOST);
	assert_null(strstr(page, "https://www"));
	return page;
}

static void assert_has(const char *page, const char *words)
{
	if (!strstr(page, words))
		fail_msg("the page lacks: %s", words);
}

static unsigned count_of(const char *page, const char *words)
{
	unsigned n = 0;

	for (const char *at = page; (at = strstr(at, words)); at++)
		n++;
	return n;
}

static void a_page_of_a_run_has_all_sections_of_every_kernel_and_launch(void **state)
{
	static const char *const sections[] = {"<caption>Speed of Light<",
		"<caption>Instruction mix<", "<caption>Memory chart<",
		"<caption>Schedulers&#39; cycles by reason<", "<caption>Figures<"};
	const struct desk *p = *state;
	char *page = page_of(
		p, "run bfs --set bfs.n=2000 --quiet --html %F/page.html --json %F/k.json", 0);
	json_t *j = desk_json(p, "k.json");
	size_t parts = 1 + json_array_size(json_object_get(j, "kernels")) +
		       json_array_size(json_object_get(j, "launches"));
	char number[32];

	for (unsigned i = 0; i < ARRAY_LEN(sections); i++)
		assert_int_equal(count_of(page, sections[i]), parts);
	assert_int_equal(count_of(page, "<section class=\"part\""), parts);
	assert_has(page, "data-name=\"kernel bfs_expand\"");
	assert_has(
		page, number_grouped((uint64_t)json_metric(j, "smsp__inst_executed.sum"), number));
	assert_int_equal(count_of(page, "<th>"), 0); /* each has a scope */
	json_decref(j);
	mem_free(page);
}

static void a_page_changes_no_result(void **state)
{
	const struct desk *p = *state;
	char *with, *without;

	assert_int_equal(desk_run(p, "run bfs --set bfs.n=500 --quiet --csv %F/a.csv"), 0);
	assert_int_equal(desk_run(p, "run bfs --set bfs.n=500 --quiet --csv %F/b.csv "
				     "--html %F/page.html"),
		0);
	without = desk_content(p, "a.csv");
	with = desk_content(p, "b.csv");
	assert_string_equal(without, with);
	mem_free(without);
	mem_free(with);
}

static void put(const struct desk *p, const char *name, const char *words)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", p->folder, name);
	assert_int_equal(file_write(NULL, path, words, strlen(words), NULL), 0);
}

static void a_run_that_was_stopped_has_a_page_that_says_so(void **state)
{
	const struct desk *p = *state;
	char *page = page_of(p, "run bfs --max-cycles 2000 --quiet --html %F/page.html", 8);

	assert_has(page, "The run is not complete");
	assert_has(page, "<caption>Speed of Light<");
	mem_free(page);
}

static void a_page_has_each_line_of_a_message(void **state)
{
	char *page =
		page_of(*state, "run vectoradd --max-cycles 500 --quiet --html %F/page.html", 8);

	assert_has(page, "<p class=\"notice\">kernel &#39;vectoradd&#39; (launch 0): ");
	mem_free(page);
}

static void a_run_that_failed_has_a_page_with_its_fault(void **state)
{
	static const char *const commands[] = {"run %F/s.yaml --quiet --html %F/page.html",
		"profile %F/s.yaml --quiet --html %F/page.html"};
	const struct desk *p = *state;

	put(p, "s.yaml",
		"set: { chip.sms: 1 }\nbuffers:\n  x: { type: u32, count: 64 }\n"
		"launches:\n  - { module: k.ptx, kernel: k, grid: 1, block: 32, "
		"args: [{buffer: x}] }\n");
	put(p, "k.ptx",
		".version 7.0\n.target sm_70\n.address_size 32\n.visible .entry k(.param .u32 a)\n"
		"{\n.reg .b32 %r<4>;\nmov.u32 %r1, 4;\nst.global.u32 [%r1], %r1;\nret;\n}\n");
	for (unsigned i = 0; i < 2; i++) {
		char *page = page_of(p, commands[i], 6);

		assert_has(page, "The run is not complete");
		assert_has(page, "out-of-bounds 4-byte store to global address 0x4");
		mem_free(page);
	}
}

/* ---- the source */
static json_int_t sum_of_lines(json_t *lines, const char *kernel, const char *column)
{
	json_int_t all = 0;
	json_t *row;
	size_t i;

	json_array_foreach(lines, i, row)
	{
		if (!strcmp(json_string_value(json_object_get(row, "kernel")), kernel))
			all += json_integer_value(json_object_get(row, column));
	}
	return all;
}

static void sums_over_lines_are_the_kernels(void **state)
{
	const struct desk *p = *state;
	char *page = page_of(
		p, "profile bfs --set bfs.n=2000 --quiet --html %F/page.html --json %F/k.json", 0);
	json_t *j = desk_json(p, "k.json"), *tables = json_object_get(j, "profile"), *row, *v;
	json_t *lines = json_object_get(tables, "lines");
	const char *column;
	unsigned compared = 0;
	size_t i;

	json_array_foreach(json_object_get(tables, "kernels"), i, row)
	{
		const char *kernel = json_string_value(json_object_get(row, "name"));
		char words[128], number[32];

		json_object_foreach(row, column, v)
		{
			if (!json_is_integer(v) ||
				!json_object_get(json_array_get(lines, 0), column))
				continue;
			assert_int_equal(
				sum_of_lines(lines, kernel, column), json_integer_value(v));
			compared++;
		}
		number_grouped(
			(uint64_t)json_integer_value(json_object_get(row, "executed")), number);
		snprintf(words, sizeof(words),
			"<tfoot><tr><th scope=\"row\">sum</th><td></td><td></td><td>%s</td>",
			number);
		assert_int_equal(count_of(page, words), 2); /* of PTX lines, of CUDA lines */
	}
	assert_true(compared > 100);
	assert_has(page, "href=\"#k0c1\"");
	assert_has(page, "href=\"#k0p0\"");
	assert_has(page, "href=\"#k0i0\"");
	json_decref(j);
	mem_free(page);
}

/* ---- the roofline */
/* A point for each level that a kernel moved bytes at, of each precision it has operations of. */
static void a_roofline_has_a_point_for_each_kernel_and_level(void **state)
{
	static const char *const precisions[] = {"f16", "f32", "f64", "int"}, *const levels[] = {
										      "shared",
										      "l1", "l2",
										      "dram"};
	const struct desk *p = *state;
	char *page = page_of(
		p, "profile srad --set srad.n=64 --quiet --html %F/page.html --json %F/k.json", 0);
	json_t *j = desk_json(p, "k.json"), *row;
	json_t *rows = json_object_get(json_object_get(j, "profile"), "roofline");
	unsigned points = 0, listed = 0;
	char words[64], number[32];
	size_t i;

	json_array_foreach(rows, i, row)
	{
		if (json_is_null(json_object_get(row, "kernel")))
			continue;
		for (unsigned k = 0; k < ARRAY_LEN(precisions); k++) {
			json_int_t n;

			snprintf(words, sizeof(words), "%s_operations", precisions[k]);
			n = json_integer_value(json_object_get(row, words));
			if (!n)
				continue;
			snprintf(words, sizeof(words), "<td class=\"w\">%s</td><td>%s</td>",
				precisions[k], number_grouped((uint64_t)n, number));
			assert_has(page, words);
			listed++;
			for (unsigned l = 0; l < ARRAY_LEN(levels); l++) {
				snprintf(words, sizeof(words), "%s_bytes", levels[l]);
				points += json_integer_value(json_object_get(row, words)) > 0;
			}
		}
	}
	assert_true(listed > 2);
	assert_int_equal(count_of(page, " operations a byte of "), points);
	assert_has(page, ">DRAM: 256 B/ns</text>");
	assert_has(page, ">Roofline, f32</figcaption>");
	json_decref(j);
	mem_free(page);
}

static void touch(const struct desk *p, const char *name, long seconds)
{
	const struct timespec times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", p->folder, name);
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void a_line_that_may_be_another_one_is_never_shown(void **state)
{
	static const char profile[] = "profile %F/s.yaml --quiet --html %F/page.html";
	const struct desk *p = *state;
	char *page;

	put(p, "s.yaml",
		"set: { chip.sms: 1 }\nbuffers:\n  x: { type: u32, count: 64, fill: 1 }\n"
		"launches:\n  - { module: k.ptx, kernel: k, grid: 1, block: 32, "
		"args: [{buffer: x}] }\n");
	put(p, "k.ptx",
		".version 7.0\n.target sm_70\n.address_size 32\n.visible .entry k(.param "
		".u32 a)\n{\n.reg .b32 %r<8>;\n.loc 1 2 0\nld.param.u32 %r1, [a];\n"
		"st.global.u32 [%r1], %r1;\nret;\n}\n.file 1 \"k.cu\"\n");
	page = page_of(p, profile, 0);
	assert_has(page, "k.cu was not found");
	mem_free(page);
	put(p, "k.cu", "first\nsecond <line>\n");
	touch(p, "k.cu", 1000000);
	touch(p, "k.ptx", 1000000);
	page = page_of(p, profile, 0);
	assert_has(page, "second &#60;line&#62;");
	mem_free(page);
	touch(p, "k.cu", 1000001);
	page = page_of(p, profile, 0);
	assert_has(page, "k.cu is newer than the PTX");
	assert_null(strstr(page, "&#60;line&#62;"));
	mem_free(page);
	assert_int_equal(desk_run(p, "profile %F/s.yaml"), 0);
	assert_says(p, "out", "source: k.cu is newer than the PTX: its text is not shown");
	assert_int_equal(desk_run(p, "explain %F/k.ptx"), 0);
	assert_says(p, "out", "source: k.cu is newer than the PTX: its text is not shown");
}

/* What the PTX says of its source is kept where two modules are linked. */
static void a_source_of_another_size_is_another_one(void **state)
{
	static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 32\n%s"
				  ".visible .entry %c(.param .u32 a)\n{\n.reg .b32 %%r<8>;\n"
				  ".loc %d %d 0\nld.param.u32 %%r1, [a];\n"
				  "st.global.u32 [%%r1], %%r1;\nret;\n}\n";
	const struct desk *p = *state;
	char text[600];

	put(p, "k.cu", "first\nsecond line\n");
	snprintf(text, sizeof(text), ptx, ".file 1 \"k.cu\", 1234, 18\n", 'k', 1, 2);
	put(p, "k.ptx", text);
	assert_int_equal(desk_run(p, "explain %F/k.ptx"), 0);
	assert_says(p, "out", "k.cu:2  second line");
	snprintf(text, sizeof(text), ptx, ".file 1 \"k.cu\", 1234, 17\n", 'k', 1, 2);
	put(p, "k.ptx", text);
	assert_int_equal(desk_run(p, "explain %F/k.ptx"), 0);
	assert_says(p, "out", "source: k.cu has 18 bytes, what was compiled had 17: its text");
	snprintf(text, sizeof(text), ptx, ".file 1 \"k.cu\"\n", 'k', 1, 3);
	put(p, "k.ptx", text);
	assert_int_equal(desk_run(p, "explain %F/k.ptx"), 0);
	assert_says(p, "out", "source: k.cu has 2 lines, the PTX is of one with line 3: its text");
	snprintf(text, sizeof(text), ptx, ".file 4 \"k.cu\", 1234, 19\n", 'l', 4, 2);
	put(p, "l.ptx", text);
	put(p, "s.yaml",
		"set: { chip.sms: 1 }\nbuffers:\n  x: { type: u32, count: 64, fill: 1 }\n"
		"launches:\n  - { module: [k.ptx, l.ptx], kernel: l, grid: 1, block: 32, "
		"args: [{buffer: x}] }\n");
	assert_int_equal(desk_run(p, "profile %F/s.yaml --quiet --html %F/page.html"), 0);
	assert_says(p, "page.html", "k.cu has 18 bytes, what was compiled had 19: its text");
}

/* ---- of other commands */
static void what_changed_is_a_page_too(void **state)
{
	const struct desk *p = *state;
	char *page;

	assert_int_equal(desk_run(p, "run bfs --set bfs.n=500 --quiet --json %F/a.json"), 0);
	assert_int_equal(
		desk_run(p, "run bfs --set bfs.n=500 --set chip.dram=banked --quiet --json "
			    "%F/b.json"),
		0);
	page = page_of(p, "diff %F/a.json %F/b.json --quiet --html %F/page.html", 0);
	assert_has(page, "setting chip.dram");
	assert_has(page, "<th scope=\"row\"></th><td class=\"w\">dram__activates.sum</td>");
	mem_free(page);
}

static void tables_of_points_are_pages_too(void **state)
{
	const struct desk *p = *state;
	char *page =
		page_of(p, "tune vectoradd --set vectoradd.n=4096 --quiet --html %F/page.html", 0);

	assert_has(page, "<caption>All rows<");
	assert_int_equal(markup_count(page, "svg"), 1);
	mem_free(page);
	page = page_of(
		p, "compare vectoradd --set vectoradd.n=4096 --quiet --html %F/page.html", 0);
	assert_has(page, "<caption>All rows<");
	assert_has(page, "<td data-v=\"2432\">2,432</td><td class=\"w\">warp instructions<");
	mem_free(page);
#ifdef HAVE_SQLITE
	page = page_of(p,
		"sweep vectoradd --set vectoradd.n=4096 --over chip.sms=2,4 --quiet --out "
		"%F/s.sqlite --html %F/page.html",
		0);
	assert_has(page, "<th scope=\"row\">vectoradd</th><td data-v=\"4\">4</td>");
	assert_has(page, "<figure class=\"chart\"");
	assert_has(page, "Leon Sorokin"); /* the licence of what draws it */
	mem_free(page);
	page = page_of(p,
		"sweep vectoradd --over sm.warps=1 --quiet --out %F/t.sqlite --html %F/page.html",
		5);
	assert_has(page, "<p class=\"notice\">vectoradd, sm.warps=1: kernel ");
	assert_has(page, "a CTA can never fit");
	mem_free(page);
#endif
}

static void only_one_report_goes_to_stdout(void **state)
{
	const struct desk *p = *state;

	assert_int_equal(desk_run(p, "run bfs --html - --json -"), 2);
	assert_says(p, "err", "can be written to stdout");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_page_has_each_line_of_a_message, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			a_page_of_a_run_has_all_sections_of_every_kernel_and_launch, desk_set_up,
			desk_tear_down),
		cmocka_unit_test_setup_teardown(
			a_page_changes_no_result, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			a_run_that_failed_has_a_page_with_its_fault, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(a_run_that_was_stopped_has_a_page_that_says_so,
			desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			sums_over_lines_are_the_kernels, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(a_roofline_has_a_point_for_each_kernel_and_level,
			desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			a_line_that_may_be_another_one_is_never_shown, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			a_source_of_another_size_is_another_one, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			what_changed_is_a_page_too, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			tables_of_points_are_pages_too, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			only_one_report_goes_to_stdout, desk_set_up, desk_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
