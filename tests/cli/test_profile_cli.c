/* warpbeam profile: every table adds up to the same bytes, in every output format; and its messages
 * for wrong input. */
#include "tests/rig/markup.h"
#include "tests/rig/support_cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base.h"
#include "core/file.h"
#include "core/mem.h"
#include "core/text.h"

static json_t *table(json_t *report, const char *name)
{
	json_t *rows = json_object_get(json_object_get(report, "profile"), name);

	if (!json_is_array(rows))
		fail_msg("there is no table %s", name);
	return rows;
}

static json_int_t number(json_t *row, const char *name)
{
	json_t *v = json_object_get(row, name);

	if (json_is_null(v)) /* what the table does not count */
		return 0;
	if (!json_is_integer(v))
		fail_msg("%s is no whole number", name);
	return json_integer_value(v);
}

static json_int_t column(json_t *report, const char *name, const char *count)
{
	json_int_t sum = 0;
	json_t *row;
	size_t i;

	json_array_foreach(table(report, name), i, row)
	{
		sum += number(row, count);
	}
	return sum;
}

/* Its row of that name; NULL when there is none. */
static json_t *row_of(json_t *report, const char *name, const char *key, const char *value)
{
	json_t *row;
	size_t i;

	json_array_foreach(table(report, name), i, row)
	{
		if (json_is_string(json_object_get(row, key)) &&
			!strcmp(json_text(row, key), value))
			return row;
	}
	return NULL;
}

static void profile(const struct desk *p, const char *arguments)
{
	struct text command = {0};
	char *wrong;

	text_raw(&command, "profile %s --quiet --json %%F/p.json", arguments);
	if (desk_run(p, text_str(&command))) {
		wrong = desk_content(p, "err");
		fail_msg("%s: %s", arguments, wrong);
	}
	text_clear(&command);
}

static void check_sums(json_t *j)
{
	static const char *const views[] = {"kernels", "buffers", "lines", "sms"};
	static const char *const memory[] = {"dram_read", "dram_write", "flushed", "written_back",
		"fetched", "row_hit", "row_miss", "row_conflict", "rewritten"};
	json_t *counts = table(j, "counts"), *count;
	size_t i;

	for (unsigned v = 0; v < ARRAY_LEN(views); v++)
		json_array_foreach(counts, i, count)
		{
			const char *name = json_text(count, "name");
			json_t *first = json_array_get(table(j, views[v]), 0);

			/* buffers have no instructions */
			if (!strcmp(views[v], "buffers") &&
				json_is_null(json_object_get(first, name)))
				continue;
			assert_int_equal(column(j, views[v], name), column(j, "total", name));
		}
	for (unsigned k = 0; k < ARRAY_LEN(memory); k++)
		assert_int_equal(column(j, "channels", memory[k]), column(j, "total", memory[k]));
	for (unsigned k = 0; k < 2; k++) {
		json_int_t all = column(j, "total", memory[k]);

		assert_int_equal(column(j, "banks", memory[k]), all);
		assert_int_equal(column(j, "flow", memory[k]), all);
		assert_int_equal(column(j, "channel_time", memory[k]), all);
	}
	assert_int_equal(column(j, "sm_time", "dram_bytes"),
		column(j, "total", "dram_read") + column(j, "total", "dram_write"));
	assert_int_equal(column(j, "flow", "flushed"), column(j, "total", "flushed"));
}

/* ---- its report */
static void all_tables_have_the_same_sums(void **state)
{
	static const char *const runs[] = {"needle",
		"bfs --set bfs.n=2000 --set chip.dram=banked --set l2.bytes=8192", "cfd --regs 16",
		"bicubictexture --set l2.bytes=0", "backprop --set chip.sms=3", "%S/add.yaml",
		"%S/textures.yaml --set chip.dram=banked"};
	const struct desk *p = *state;

	for (unsigned i = 0; i < ARRAY_LEN(runs); i++) {
		json_t *j;

		profile(p, runs[i]);
		j = desk_json(p, "p.json");
		check_sums(j);
		assert_true(column(j, "total", "dram_read") > 0);
		assert_string_equal(json_text(j, "check"), "passed");
		json_decref(j);
	}
}

static void vectoradds_bytes_are_those_of_its_arrays(void **state)
{
	const struct desk *p = *state;
	json_t *j, *line;

	profile(p, "vectoradd");
	j = desk_json(p, "p.json");
	/* 65536 floats each; all of c stays in the L2 to the end */
	assert_int_equal(number(row_of(j, "buffers", "name", "a"), "dram_read"), 262144);
	assert_int_equal(number(row_of(j, "buffers", "name", "b"), "dram_read"), 262144);
	assert_int_equal(number(row_of(j, "buffers", "name", "c"), "dram_read"), 0);
	assert_int_equal(number(row_of(j, "buffers", "name", "c"), "flushed"), 262144);
	line = row_of(j, "lines", "buffer", "c");
	assert_non_null(line);
	assert_int_equal(number(line, "flushed"), 262144);
	assert_string_equal(json_text(line, "cuda"), "c[i] = a[i] + b[i];");
	assert_non_null(strstr(json_text(line, "ptx"), "st.global"));
	assert_non_null(strstr(json_text(line, "cuda_file"), "vectoradd.cu"));
	json_decref(j);
}

static void spills_are_a_buffer_and_lines_of_their_own(void **state)
{
	const struct desk *p = *state;
	json_int_t spilled = 0;
	json_t *j, *local, *line;
	size_t i;

	profile(p, "cfd --regs 16");
	j = desk_json(p, "p.json");
	local = row_of(j, "buffers", "name", "(local)");
	assert_non_null(local);
	json_array_foreach(table(j, "lines"), i, line)
	{
		if (!number(line, "spill"))
			continue;
		assert_string_equal(json_text(line, "buffer"), "(local)");
		spilled += number(line, "asked");
	}
	assert_true(spilled > 0);
	assert_int_equal(number(local, "asked"), spilled);
	json_decref(j);
}

static void a_profile_is_the_same_on_two_threads(void **state)
{
	const struct desk *p = *state;
	char *one, *two;

	assert_int_equal(desk_run(p, "profile needle --quiet --csv %F/1.csv"), 0);
	assert_int_equal(
		desk_run(p, "profile needle --threads 2 --no-pin --quiet --csv %F/2.csv"), 0);
	one = desk_content(p, "1.csv");
	two = desk_content(p, "2.csv");
	assert_string_equal(one, two);
	mem_free(one);
	mem_free(two);
}

static void a_run_is_the_same_with_and_without_a_profile(void **state)
{
	const struct desk *p = *state;
	json_t *run, *j;

	assert_int_equal(desk_run(p, "run bfs --set bfs.n=2000 --quiet --json %F/run.json"), 0);
	profile(p, "bfs --set bfs.n=2000");
	run = desk_json(p, "run.json");
	j = desk_json(p, "p.json");
	assert_int_equal(column(j, "total", "cycles"), json_metric(run, "gpc__cycles_elapsed.max"));
	assert_int_equal(column(j, "total", "dram_read"), json_metric(run, "dram__bytes_read.sum"));
	assert_int_equal(column(j, "total", "flushed"), json_metric(run, "lts__bytes_flushed.sum"));
	assert_int_equal(column(j, "total", "sent_read"),
		json_metric(run, "l1tex__m_xbar2l1tex_read_bytes.sum"));
	json_decref(run);
	json_decref(j);
}

static unsigned lines_with(const char *text, const char *words)
{
	unsigned n = 0;

	for (const char *at = strstr(text, words); at; at = strstr(at + 1, words))
		n++;
	return n;
}

static void top_says_how_many_rows(void **state)
{
	const struct desk *p = *state;
	char *text;

	assert_int_equal(desk_run(p, "profile vectoradd --top 3"), 0);
	text = desk_content(p, "out");
	assert_int_equal(lines_with(text, "\nsm."), 3);
	mem_free(text);
	assert_says(p, "out", "  29 more (--top 32 shows all)\n");
	assert_int_equal(desk_run(p, "profile vectoradd --top 32"), 0);
	text = desk_content(p, "out");
	assert_int_equal(lines_with(text, "\nsm."), 32);
	assert_int_equal(lines_with(text, " more ("), 0);
	mem_free(text);
}

static void a_partial_run_has_a_partial_profile(void **state)
{
	const struct desk *p = *state;
	json_t *j;

	assert_int_equal(
		desk_run(p, "profile needle --max-cycles 5000 --json %F/p.json --html %F/p.html"),
		8);
	assert_says(p, "out", "PARTIAL REPORT");
	assert_says(p, "p.html", "The run is not complete");
	j = desk_json(p, "p.json");
	assert_int_equal(column(j, "lines", "dram_read"), column(j, "total", "dram_read"));
	assert_true(column(j, "total", "dram_read") > 0);
	json_decref(j);
	assert_int_equal(desk_run(p, "profile %S/bad_bounds.yaml"), 6);
}

static void csv_has_the_numbers_of_json(void **state)
{
	const struct desk *p = *state;
	struct text words = {0};
	json_t *j;

	assert_int_equal(
		desk_run(p, "profile vectoradd --quiet --csv %F/p.csv --json %F/p.json"), 0);
	j = desk_json(p, "p.json");
	text_raw(&words, "# total\ntarget,cycles,asked,distinct,loaded,");
	assert_says(p, "p.csv", text_str(&words));
	text_clear(&words);
	text_raw(&words, "\n\"vectoradd\",%lld,%lld,", (long long)column(j, "total", "cycles"),
		(long long)column(j, "total", "asked"));
	assert_says(p, "p.csv", text_str(&words));
	assert_says(p, "p.csv", "\n# buffers\nname,asked,");
	assert_says(p, "p.csv", "\n# flow\nbuffer,channel,dram_read,dram_write,flushed\n");
	text_clear(&words);
	json_decref(j);
}

/* ---- the SQLite file */
#ifdef HAVE_SQLITE

#include <sqlite3.h>

static int64_t ask(const struct desk *p, const char *sql)
{
	char path[128];
	sqlite3_stmt *q;
	sqlite3 *db;
	int64_t v;

	snprintf(path, sizeof(path), "%s/p.sqlite", p->folder);
	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &q, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(q), SQLITE_ROW);
	v = sqlite3_column_int64(q, 0);
	sqlite3_finalize(q);
	sqlite3_close(db);
	return v;
}

static void sqlite_has_all_tables(void **state)
{
	const struct desk *p = *state;

	assert_int_equal(desk_run(p, "profile needle --quiet --sqlite %F/p.sqlite"), 0);
	assert_true(ask(p, "SELECT dram_read FROM total") > 0);
	assert_int_equal(
		ask(p, "SELECT (SELECT sum(dram_read) FROM lines) - dram_read FROM total"), 0);
	assert_int_equal(
		ask(p, "SELECT (SELECT sum(dram_read) FROM channel_time) - dram_read FROM total"),
		0);
	assert_int_equal(ask(p, "SELECT count(*) FROM sms"), 32);
	/* another profile replaces it */
	assert_int_equal(desk_run(p, "profile vectoradd --quiet --sqlite %F/p.sqlite"), 0);
	assert_int_equal(ask(p, "SELECT count(*) FROM total"), 1);
	assert_int_equal(ask(p, "SELECT dram_read FROM buffers WHERE name = 'a'"), 262144);
	assert_int_equal(ask(p, "SELECT count(*) FROM buffers WHERE name = 'scores'"), 0);
}

static void a_file_that_is_something_else_stays_what_it_is(void **state)
{
	const struct desk *p = *state;

	assert_int_equal(
		desk_run(p, "sweep vectoradd --quiet --set vectoradd.n=4096 --out %F/p.sqlite"), 0);
	assert_int_equal(desk_run(p, "profile vectoradd --quiet --sqlite %F/p.sqlite"), 3);
	assert_says(p, "err", "is an SQLite file, but not one of warpbeam profile");
	assert_int_equal(ask(p, "SELECT count(*) FROM points"), 1);
	assert_int_equal(desk_run(p, "list needle --json %F/text"), 0);
	assert_int_equal(desk_run(p, "profile vectoradd --quiet --sqlite %F/text"), 3);
	assert_says(p, "err", "is not an SQLite file");
	assert_int_equal(
		desk_run(p, "profile vectoradd --quiet --sqlite /nonexistent/p.sqlite"), 9);
	assert_says(p, "err", "/nonexistent/p.sqlite: ");
}

#endif

/* ---- the page */
static void check_page(char *page)
{
	char message[400], *script;
	const char *bad = markup_wrong(page, message, sizeof(message));

	if (bad)
		fail_msg("%s", bad);
	assert_null(strstr(page, "src="));
	assert_null(strstr(page, "url("));
	script = strstr(page, "<script>");
	assert_non_null(script);
	*script = '\0';
	assert_null(strstr(page, "NaN"));
	assert_null(strstr(page, ">nan"));
	assert_null(strstr(page, "\"nan"));
	assert_null(strstr(page, "inf\""));
}

static void the_page_is_whole_and_needs_nothing(void **state)
{
	static const char *const runs[] = {"needle", "bfs --set bfs.n=2000 --set chip.dram=banked",
		"cfd --regs 16 --set l2.bytes=8192", "%S/add.yaml", "needle --max-cycles 1"};
	const struct desk *p = *state;

	for (unsigned i = 0; i < ARRAY_LEN(runs); i++) {
		struct text command = {0};
		char *page;

		text_raw(&command, "profile %s --quiet --html %%F/p.html", runs[i]);
		assert_int_equal(desk_run(p, text_str(&command)), i == 4 ? 8 : 0);
		text_clear(&command);
		page = desk_content(p, "p.html");
		check_page(page);
		assert_non_null(strstr(page, "aria-label=\"bandwidth of each channel over time"));
		assert_non_null(strstr(page, "aria-label=\"DRAM bytes of each SM over time"));
		assert_non_null(strstr(page, "aria-label=\"bytes between buffers and channels"));
		assert_int_equal(
			strstr(page, "aria-label=\"DRAM bytes of each bank") != NULL, i == 1);
		mem_free(page);
	}
	assert_says(p, "err", "the limit of 1 cycle is");
}

static void names_on_the_page_are_escaped(void **state)
{
	static const char scenario[] =
		"set: { chip.sms: 1 }\nbuffers:\n  \"<b>&\\\"x\": { type: u32, count: 64, fill: 1 "
		"}\n"
		"launches:\n  - { module: k.ptx, kernel: k, grid: 1, block: 32, "
		"args: [{buffer: \"<b>&\\\"x\"}] }\n";
	static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 32\n.visible .entry "
				  "k(.param .u32 a)\n{\n"
				  ".reg .b32 %r<8>; ld.param.u32 %r1, [a];\n"
				  "mov.u32 %r2, %tid.x; mad.lo.u32 %r1, %r2, 4, %r1; ld.global.u32 "
				  "%r3, [%r1]; // <i>\n"
				  "add.u32 %r3, %r3, 1; st.global.u32 [%r1], %r3;\nret;\n}\n";
	const struct desk *p = *state;
	char path[128], *page;

	snprintf(path, sizeof(path), "%s/s.yaml", p->folder);
	assert_int_equal(file_write(NULL, path, scenario, strlen(scenario), NULL), 0);
	snprintf(path, sizeof(path), "%s/k.ptx", p->folder);
	assert_int_equal(file_write(NULL, path, ptx, strlen(ptx), NULL), 0);
	assert_int_equal(desk_run(p, "profile %F/s.yaml --html %F/p.html --csv %F/p.csv"), 0);
	page = desk_content(p, "p.html");
	check_page(page);
	assert_null(strstr(page, "<b>"));
	assert_null(strstr(page, "<i>"));
	assert_non_null(strstr(page, "&#60;b&#62;&#38;&#34;x"));
	mem_free(page);
	assert_says(p, "p.csv", "\"<b>&\"\"x\",256,");
}

/* Characters that a terminal obeys are written, in text and tables and on the page. */
static void names_do_not_steer_a_terminal(void **state)
{
	static const char scenario[] =
		"set: { chip.sms: 1 }\nbuffers:\n"
		"  \"x\\e[31m\\x01\": { type: u32, count: 64, fill: 1 }\n"
		"launches:\n  - { module: k.ptx, kernel: k, grid: 1, block: 32, "
		"args: [{buffer: \"x\\e[31m\\x01\"}] }\n";
	static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 32\n.visible .entry "
				  "k(.param .u32 a)\n{\n.reg .b32 %r<8>; ld.param.u32 %r1, [a];\n"
				  "st.global.u32 [%r1], %r1; // \033[31m\001\nret;\n}\n";
	static const char *const files[] = {"out", "p.html", "p.csv", "p.json"};
	const struct desk *p = *state;
	char path[128];

	snprintf(path, sizeof(path), "%s/s.yaml", p->folder);
	assert_int_equal(file_write(NULL, path, scenario, strlen(scenario), NULL), 0);
	snprintf(path, sizeof(path), "%s/k.ptx", p->folder);
	assert_int_equal(file_write(NULL, path, ptx, strlen(ptx), NULL), 0);
	assert_int_equal(desk_run(p, "profile %F/s.yaml --html %F/p.html --csv %F/p.csv --json "
				     "%F/p.json"),
		0);
	for (unsigned i = 0; i < ARRAY_LEN(files); i++) {
		char *content = desk_content(p, files[i]);

		assert_null(strchr(content, '\033'));
		assert_null(strchr(content, '\001'));
		mem_free(content);
	}
	assert_says(p, "out", "x\\x1b[31m\\x01");
	assert_says(p, "p.csv", "x\\x1b[31m\\x01");
	assert_says(p, "p.json", "x\\u001B[31m\\u0001");
	assert_says(p, "p.html", "The PTX has no .loc");
}

static const char *browser(void)
{
	static const char *const names[] = {"chromium", "chromium-browser", "google-chrome"};

	for (unsigned i = 0; i < ARRAY_LEN(names); i++) {
		char command[64];

		snprintf(command, sizeof(command), "command -v %s >/dev/null 2>&1", names[i]);
		if (!system(command))
			return names[i];
	}
	return NULL;
}

/* The picture of the page is no blank: its plots have colours of theirs. */
static void a_browser_shows_the_page(void **state)
{
	const struct desk *p = *state;
	const char *name = browser();
	struct text command = {0};
	char *dom;

	if (!name) {
		print_message("skipped: there is no chromium\n");
		skip();
	}
	assert_int_equal(desk_run(p, "profile bfs --set bfs.n=2000 --quiet --html %F/p.html"), 0);
	text_raw(&command,
		"timeout 120 %s --headless --no-sandbox --disable-gpu --user-data-dir=%s/user "
		"--screenshot=%s/p.png --window-size=1200,1600 --dump-dom file://%s/p.html "
		">%s/dom 2>%s/browser",
		name, p->folder, p->folder, p->folder, p->folder, p->folder);
	assert_int_equal(system(text_str(&command)), 0);
	text_clear(&command);
	dom = desk_content(p, "dom");
	assert_non_null(strstr(dom, "data-ready=\"yes\""));
	assert_non_null(strstr(dom, "aria-label=\"filter: PTX lines\""));
	assert_true(lines_with(dom, "<path ") > 6);
	assert_non_null(strstr(dom, "edges"));
	mem_free(dom);
	assert_true(desk_has(p, "p.png"));
}

/* ---- wrong input */
static void wrong(const struct desk *p, const char *arguments, int code, const char *says)
{
	struct text command = {0};

	text_raw(&command, "profile %s", arguments);
	assert_int_equal(desk_run(p, text_str(&command)), code);
	assert_says(p, "err", says);
	text_clear(&command);
}

static void wrong_input_has_one_clear_message(void **state)
{
	const struct desk *p = *state;

	wrong(p, "", 2, "profile needs WORKLOAD|FILE.yaml");
	wrong(p, "needle bfs", 2, "one argument too many: 'bfs'");
	wrong(p, "needel", 2, "did you mean 'needle'?");
	wrong(p, "%F/none.yaml", 3, "none.yaml");
	wrong(p, "needle --top 0", 2, "--top 0: must be a whole number, 1 .. 1000000");
	wrong(p, "needle --top many", 2, "--top many: must be a whole number");
	wrong(p, "needle --topp 3", 2, "unknown option --topp; did you mean --top?");
	wrong(p, "needle --json - --csv -", 2,
		"only one of --json, --csv and --html can be written to stdout");
	wrong(p, "needle --html - --json -", 2, "only one of --json, --csv and --html");
	wrong(p, "needle --sqlite -", 2, "--sqlite needs a file, not stdout");
	wrong(p, "needle --sqlite=", 2, "--sqlite needs FILE");
	wrong(p, "needle --set chip.sms=0", 3, "chip.sms");
	wrong(p, "needle --regs 3", 2, "--regs 3: must be a whole number, 16 .. 255");
	wrong(p, "%S/add.yaml --size full", 2, "--size goes with a workload");
	wrong(p, "needle --quiet --html /nonexistent/p.html", 9, "/nonexistent/p.html");
	wrong(p, "needle --quiet --csv /nonexistent/p.csv", 9, "/nonexistent/p.csv");
	wrong(p, "needle --dump scores=x", 2, "unknown option --dump");
}

#define CLI_TEST(f) cmocka_unit_test_setup_teardown(f, desk_set_up, desk_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLI_TEST(all_tables_have_the_same_sums),
		CLI_TEST(vectoradds_bytes_are_those_of_its_arrays),
		CLI_TEST(spills_are_a_buffer_and_lines_of_their_own),
		CLI_TEST(a_profile_is_the_same_on_two_threads),
		CLI_TEST(a_run_is_the_same_with_and_without_a_profile),
		CLI_TEST(top_says_how_many_rows),
		CLI_TEST(a_partial_run_has_a_partial_profile),
		CLI_TEST(csv_has_the_numbers_of_json),
#ifdef HAVE_SQLITE
		CLI_TEST(sqlite_has_all_tables),
		CLI_TEST(a_file_that_is_something_else_stays_what_it_is),
#endif
		CLI_TEST(the_page_is_whole_and_needs_nothing),
		CLI_TEST(names_on_the_page_are_escaped),
		CLI_TEST(names_do_not_steer_a_terminal),
		CLI_TEST(a_browser_shows_the_page),
		CLI_TEST(wrong_input_has_one_clear_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
