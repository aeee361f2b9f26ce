/* warpbeam reproduce --all: its page, its file of results, and whatever can interrupt it. */
#include "tests/rig/support_cli.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base.h"
#include "core/file.h"
#include "core/mem.h"
#include "papers/page.h"
#include "papers/papers.h"
#include "runs/points_inside.h"
#include "tests/rig/markup.h"

#ifdef HAVE_SQLITE
#include <sqlite3.h>
#endif

/* Fast, and with rows in every paper. */
#define ONE "reproduce --all scalarprod --set scalarprod.pairs=2 --quiet "

/* ---- the page */
static void assert_well_formed(const char *page)
{
	char space[400];
	const char *wrong = markup_wrong(page, space, sizeof(space));

	if (wrong)
		fail_msg("%s", wrong);
}

static void the_reader_of_pages_finds_what_is_wrong(void **state)
{
	static const char *const wrong[][2] = {
		{"<p></p>", "no doctype"},
		{"<!DOCTYPE html>\n<p><b></p></b>", "</p> closes nothing"},
		{"<!DOCTYPE html>\n<p>", "<p> is not closed"},
		{"<!DOCTYPE html>\n<p a=1></p>", "no quoted value"},
		{"<!DOCTYPE html>\n<p a=\"1\" a=\"2\"></p>", "twice"},
		{"<!DOCTYPE html>\n<p>a & b</p>", "must be escaped"},
		{"<!DOCTYPE html>\n<p>&nbsp;</p>", "must be escaped"},
		{"<!DOCTYPE html>\n<p id=\"a\"/><p id=\"a\"/>", "occurs twice"},
		{"<!DOCTYPE html>\n<a href=\"#b\"/>", "has no target"},
		{"<!DOCTYPE html>\n<a href=\"http://b\"/>", "outside the page"},
		{"<!DOCTYPE html>\n<script/>", "<script>"},
		{"<!DOCTYPE html>\n<style>p{background:url(x)}</style>", "another file"},
	};
	char space[400];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		const char *said = markup_wrong(wrong[i][0], space, sizeof(space));

		if (!said || !strstr(said, wrong[i][1]))
			fail_msg("%s: %s", wrong[i][0], said ? said : "nothing found");
	}
	assert_null(
		markup_wrong("<!DOCTYPE html>\n<p id=\"a\">x &amp; &#8230;<a href=\"#a\"/></p>\n",
			space, sizeof(space)));
}

static void assert_has(const char *page, const char *words)
{
	if (!strstr(page, words))
		fail_msg("the page lacks: %s", words);
}

static void assert_has_target(const char *page, const struct target *t)
{
	char words[128];

	snprintf(words, sizeof(words), "<h3 id=\"%s\">", t->name);
	assert_has(page, words);
	snprintf(words, sizeof(words), "<code>warpbeam reproduce %s scalarprod", t->name);
	assert_has(page, words);
}

/* Every parameter that `warpbeam params` lists. */
static void assert_has_parameters(const struct desk *p, const char *page)
{
	char *list, *rest = NULL;
	unsigned n = 0;

	assert_int_equal(desk_run(p, "params"), 0);
	list = desk_content(p, "out");
	for (char *line = strtok_r(list, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char words[128];

		line[strcspn(line, " ")] = '\0';
		snprintf(words, sizeof(words), "<th scope=\"row\"><code>%s</code></th>", line);
		assert_has(page, words);
		n++;
	}
	assert_true(n > 200);
	mem_free(list);
}

#ifdef HAVE_SQLITE
static int count(const struct desk *p, const char *name, const char *sql)
{
	char path[128];
	sqlite3 *db;
	sqlite3_stmt *q;
	int n;

	snprintf(path, sizeof(path), "%s/%s", p->folder, name);
	if (access(path, F_OK)) /* it is made beside its destination */
		return 0;
	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
	sqlite3_busy_timeout(db, 20000);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &q, NULL), SQLITE_OK);
	n = sqlite3_step(q) == SQLITE_ROW ? sqlite3_column_int(q, 0) : 0;
	sqlite3_finalize(q);
	sqlite3_close(db);
	return n;
}
#endif

/* The whole page, and how many points it has: one run for all tests. The caller does not free it.
 */
static char *whole_text;
#ifdef HAVE_SQLITE
static int whole_points;
#endif

static const char *whole_page(const struct desk *p)
{
	if (!whole_text) {
		assert_int_equal(desk_run(p, ONE "--jobs 1 --html %F/whole.html"), 0);
		whole_text = desk_content(p, "whole.html");
#ifdef HAVE_SQLITE
		whole_points = count(p, "whole.sqlite", "SELECT count(*) FROM points");
#endif
	}
	return whole_text;
}

static int free_whole_page(void **state)
{
	(void)state;
	mem_free(whole_text);
	whole_text = NULL;
	return 0;
}

static void one_page_has_everything(void **state)
{
	const struct desk *p = *state;
	const char *page = whole_page(p);
	char *version;

	assert_well_formed(page);
	for (unsigned i = 0; targets[i]; i++)
		if (targets[i]->paper == target_find("fig6.1")->paper)
			assert_has_target(page, targets[i]);
	assert_has_target(page, target_find("table1"));
	assert_has_target(page, target_find("fig7"));
	assert_has_parameters(p, page);
	assert_int_equal(desk_run(p, "--version"), 0);
	version = desk_content(p, "out");
	version[strcspn(version, ")")] = '\0';
	assert_has(page, strchr(version, '(') + 1);
	assert_has(page, __VERSION__);
	assert_true(markup_count(page, "svg") > 100);
	mem_free(version);
}

/* A count of the head's table, "within", "near", .., of a paper's column. */
static unsigned head_count(const char *page, const char *mark, const char *paper)
{
	char words[96];
	const char *at;

	snprintf(words, sizeof(words), "<a href=\"#%s-%s\">", mark, paper);
	at = strstr(page, words);
	return at ? (unsigned)strtoul(at + strlen(words), NULL, 10) : 0;
}

static void the_head_counts_the_rows(void **state)
{
	static const char *const marks[] = {"within", "near", "missed", "missing", "private"};
	const struct desk *p = *state;
	unsigned within = 0, outside = 0, within_json = 0, outside_json = 0;
	const char *page = whole_page(p);
	const json_t *row;
	json_t *j;
	size_t i;

	assert_int_equal(desk_run(p, "reproduce dis scalarprod --set scalarprod.pairs=2 --quiet "
				     "--json %F/j"),
		0);
	j = desk_json(p, "j");
	json_array_foreach(json_object_get(j, "rows"), i, row)
	{
		const char *verdict = json_string_value(json_object_get(row, "verdict"));

		within_json += !strcmp(verdict, "within");
		outside_json += !strcmp(verdict, "near") || !strcmp(verdict, "missed");
	}
	within = head_count(page, "within", "dis-ours");
	outside = head_count(page, "near", "dis-ours") + head_count(page, "missed", "dis-ours");
	assert_int_equal(within, within_json);
	assert_int_equal(outside, outside_json);
	assert_true(within && outside);
	for (i = 0; i < ARRAY_LEN(marks); i++) /* its list has as many links */
		if (head_count(page, marks[i], "dis-ours")) {
			char words[64];
			const char *list, *end;
			unsigned links = 0;

			snprintf(words, sizeof(words), "<h3 id=\"%s-dis-ours\">", marks[i]);
			list = strstr(page, words);
			assert_non_null(list);
			end = strstr(list, "</div>");
			for (; (list = strstr(list, "<a href=")) && list < end; list++)
				links++;
			assert_int_equal(links, head_count(page, marks[i], "dis-ours"));
		}
	json_decref(j);
}

static void a_single_figure_is_a_page_as_well(void **state)
{
	const struct desk *p = *state;
	char *page;

	assert_int_equal(
		desk_run(p, "reproduce table4.5 --quiet --html %F/page.html --csv %F/c"), 0);
	page = desk_content(p, "page.html");
	assert_well_formed(page);
	assert_has(page, "<h3 id=\"table4.5\">");
	assert_true(desk_has(p, "c"));
	mem_free(page);
	assert_int_equal(desk_run(p, "reproduce table1 scalarprod --quiet --html %F/page.html"), 0);
	page = desk_content(p, "page.html");
	assert_well_formed(page);
	assert_has(page, "scalarprod: registers");
	mem_free(page);
}

/* ---- rows */
static void near_is_no_farther_than_the_band_is_wide(void **state)
{
	struct book_said s = {.row = {.low = 1, .high = 2, .judge = BOOK_BAND}};
	static const struct {
		double ours;
		enum page_class class;
	} cases[] = {{1, PAGE_WITHIN}, {2, PAGE_WITHIN}, {2.5, PAGE_NEAR}, {3, PAGE_NEAR},
		{3.01, PAGE_MISSED}, {0, PAGE_NEAR}, {-0.01, PAGE_MISSED}, {NAN, PAGE_MISSING}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		s.ours[0] = cases[i].ours;
		assert_int_equal(page_class_of(&s, 0), cases[i].class);
	}
	s.row.judge = BOOK_PRIVATE;
	assert_int_equal(page_class_of(&s, 0), PAGE_PRIVATE);
	s.row.judge = BOOK_TOLD;
	assert_int_equal(page_class_of(&s, 0), PAGE_TOLD);
	s.row = (struct book_row){.low = 3, .high = 3, .judge = BOOK_BAND}; /* nothing is near 3 */
	s.ours[0] = 3.001;
	assert_int_equal(page_class_of(&s, 0), PAGE_MISSED);
}

/* ---- keys */
static void what_decides_an_answer_makes_a_point(void **state)
{
	struct run_options o = {.seed = 1}, other = {.seed = 2};
	struct point_ask ask = {.workload = "vectoradd", .set = "chip.sms=1"}, wide = ask;
	jmp_buf escape;
	struct arena arena = {.escape = &escape};
	struct points *p, *q, *r;
	const struct point *first;

	(void)state;
	if (setjmp(escape))
		fail_msg("no host memory");
	p = points_new(&o, NULL, &arena);
	q = points_new(&o, NULL, &arena);
	r = points_new(&other, NULL, &arena);
	first = points_ask(p, &ask);
	assert_ptr_equal(points_ask(p, &ask), first);
	assert_string_equal(points_ask(q, &ask)->key, first->key);
	wide.set = "chip.sms=2";
	assert_string_not_equal(points_ask(p, &wide)->key, first->key);
	wide = ask;
	wide.way = &points_untimed;
	assert_string_not_equal(points_ask(p, &wide)->key, first->key);
	wide = ask;
	wide.chip = "dis40";
	assert_string_not_equal(points_ask(p, &wide)->key, first->key);
	assert_string_not_equal(points_ask(r, &ask)->key, first->key);
	points_clear(q);
	q = points_new(&o, NULL, &arena);
	q->program = "another build";
	assert_string_not_equal(points_ask(q, &ask)->key, first->key);
	assert_int_equal(points_count(p).all, 4);
	points_clear(p);
	points_clear(q);
	points_clear(r);
	arena_free(&arena);
}

/* ---- wrong questions */
static const struct {
	const char *arguments;
	int code;
	const char *says;
} wrong[] = {
	{"--all", 2, "--all needs --html FILE"},
	{"--all --html %F/p --json -", 2, "go with one table"},
	{"--all scalarprot --html %F/p", 2, "there is no workload 'scalarprot'"},
	{"--all scalarprod --set nothing=1 --html %F/p", 3, "nothing"},
	{"--all scalarprod --html %F/p --out %F", 9, "Is a directory"},
	{"--all scalarprod --html %F/p --out %F/no/x", 9, "no/x: cannot write"},
	{"table4.5 --html %F/no/p", 9, "no/p"},
};

static void wrong_questions_are_told(void **state)
{
	const struct desk *p = *state;

	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		char command[256];
		int code;

		snprintf(command, sizeof(command), "reproduce %s", wrong[i].arguments);
		code = desk_run(p, command);
		if (code != wrong[i].code)
			print_error("%s: exit code %d\n", command, code);
		assert_int_equal(code, wrong[i].code);
		assert_says(p, "err", wrong[i].says);
	}
}

#ifdef HAVE_SQLITE

/* ---- going on */
static void assert_content(const struct desk *p, const char *name, const char *expected)
{
	char *page = desk_content(p, name);

	assert_true(strlen(page) > 10000);
	assert_string_equal(page, expected);
	mem_free(page);
}

#define POINTS "SELECT count(*) FROM points"
#define TIMES "SELECT count(*) FROM times"
#define RESULTS "SELECT count(*) FROM `answers`"

static void nothing_runs_twice_and_the_page_is_the_same(void **state)
{
	const struct desk *p = *state;
	const char *whole = whole_page(p);
	int points;

	assert_int_equal(desk_run(p, ONE "--jobs 1 --html %F/a.html"), 0);
	assert_content(p, "a.html", whole);
	points = count(p, "a.sqlite", POINTS);
	assert_true(points > 100);
	assert_int_equal(count(p, "a.sqlite", TIMES), points);
	assert_int_equal(count(p, "a.sqlite", RESULTS), points);
	/* Times would change if anything was run again. */
	count(p, "a.sqlite", "UPDATE times SET wall_s = 77");
	assert_int_equal(
		desk_run(p, ONE "--jobs 5 --no-pin --html %F/b.html --out %F/a.sqlite"), 0);
	assert_int_equal(
		count(p, "a.sqlite", "SELECT count(*) FROM times WHERE wall_s = 77"), points);
	assert_content(p, "b.html", whole);
	assert_int_equal(desk_run(p, ONE "--jobs 3 --no-pin --html %F/c.html"), 0);
	assert_content(p, "c.html", whole);
	assert_int_equal(desk_run(p, "reproduce fig6.13 scalarprod --set scalarprod.pairs=2 --out "
				     "%F/a.sqlite --quiet --csv -"),
		0);
	assert_int_equal(count(p, "a.sqlite", POINTS), points);
}

static void what_sigkill_leaves_is_gone_on_from(void **state)
{
	const struct desk *p = *state;
	useconds_t wait_us = 40000;
	unsigned killed = 0;
	const char *whole = whole_page(p);
	int before = 0;

	for (;;) {
		pid_t pid = desk_start(p, ONE "--jobs 2 --html page.html", 0);
		int code, now;

		usleep(wait_us);
		kill(pid, SIGKILL);
		code = desk_finish(pid);
		if (!code)
			break;
		assert_int_equal(code, -SIGKILL);
		now = count(p, "page.sqlite", POINTS);
		assert_true(now >= before && now <= whole_points);
		assert_int_equal(count(p, "page.sqlite", RESULTS), now);
		before = now;
		killed++;
		wait_us += 7919 * (killed % 13);
	}
	assert_true(killed > 0);
	assert_int_equal(count(p, "page.sqlite", TIMES), whole_points);
	assert_content(p, "page.html", whole);
}

static void two_at_once_share_a_file(void **state)
{
	const struct desk *p = *state;
	const char *whole = whole_page(p);
	pid_t pid;

	pid = desk_start(p, ONE "--no-pin --html page.html", 0);
	assert_int_equal(desk_run(p, ONE "--no-pin --html %F/b.html --out %F/page.sqlite"), 0);
	assert_int_equal(desk_finish(pid), 0);
	assert_int_equal(count(p, "page.sqlite", TIMES), whole_points);
	assert_content(p, "page.html", whole);
	assert_content(p, "b.html", whole);
}

static void a_full_disk_costs_nothing(void **state)
{
	static const unsigned long limits[] = {4096, 60000, 200000};
	const struct desk *p = *state;
	const char *whole = whole_page(p);
	struct stat s;
	char path[128];

	for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
		assert_int_equal(desk_finish(desk_start(p, ONE "--html page.html", limits[i])), 9);
		assert_says(p, "err", "page.sqlite: ");
		assert_false(limits[i] < 20000 && desk_has(p, "page.html"));
	}
	assert_says(p, "err", "the same command continues");
	assert_says(p, "page.html", "reproduce --all scalarprod: failed");
	assert_true(count(p, "page.sqlite", POINTS) > 0);
	assert_int_equal(desk_run(p, ONE "--html %F/page.html"), 0);
	assert_content(p, "page.html", whole);
	/* Space for the results, which are there, but none for the page. */
	snprintf(path, sizeof(path), "%s/page.html", p->folder);
	assert_int_equal(stat(path, &s), 0);
	assert_int_equal(desk_finish(desk_start(p, ONE "--html b.html --out page.sqlite",
				 (unsigned long)s.st_size / 2)),
		9);
	assert_says(p, "err", "b.html: ");
	assert_false(desk_has(p, "b.html"));
}

static bool says(const struct desk *p, const char *words)
{
	char *err = desk_has(p, "err") ? desk_content(p, "err") : NULL;
	bool found = err && strstr(err, words);

	mem_free(err);
	return found;
}

static void sigint_tells_how_to_go_on(void **state)
{
	const struct desk *p = *state;
	pid_t pid;

	setenv("WARPBEAM_LINE_SECONDS", "0.1", 1);
	pid = desk_start(p, "reproduce fig2.7 scalarprod needle --size full --out s.sqlite", 0);
	unsetenv("WARPBEAM_LINE_SECONDS");
	for (unsigned i = 0; i < 600 && !says(p, " running"); i++)
		usleep(100000);
	kill(pid, SIGINT);
	assert_int_equal(desk_finish(pid), 10);
	assert_says(p, "err", "interrupted: the runs were ended");
	assert_says(p, "err", "the same command continues");
	assert_int_equal(count(p, "s.sqlite", "SELECT count(*) FROM failures"), 0);
}

static void another_file_is_left_alone(void **state)
{
	const struct desk *p = *state;
	char words[2000], path[128], *after;
	struct err err = {0};

	memset(words, 'x', sizeof(words) - 1);
	words[sizeof(words) - 1] = '\0';
	snprintf(path, sizeof(path), "%s/words", p->folder);
	assert_int_equal(file_write(NULL, path, words, strlen(words), &err), 0);
	assert_int_equal(desk_run(p, ONE "--html %F/p.html --out %F/words"), 3);
	assert_says(p, "err", "words: is not an SQLite file");
	after = desk_content(p, "words");
	assert_string_equal(after, words);
	assert_false(desk_has(p, "p.html"));
	mem_free(after);
}

#else

static void without_sqlite_it_says_that_it_starts_again(void **state)
{
	const struct desk *p = *state;

	assert_int_equal(desk_run(p, ONE "--html %F/p.html"), 0);
	assert_says(p, "err", "built without SQLite: what is interrupted starts again");
	assert_int_equal(desk_run(p, ONE "--html %F/p.html --out %F/x"), 9);
	assert_says(p, "err", "built without SQLite");
}

#endif

#define AT_DESK(test) cmocka_unit_test_setup_teardown(test, desk_set_up, desk_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_reader_of_pages_finds_what_is_wrong),
		AT_DESK(one_page_has_everything),
		AT_DESK(the_head_counts_the_rows),
		AT_DESK(a_single_figure_is_a_page_as_well),
		cmocka_unit_test(near_is_no_farther_than_the_band_is_wide),
		cmocka_unit_test(what_decides_an_answer_makes_a_point),
		AT_DESK(wrong_questions_are_told),
#ifdef HAVE_SQLITE
		AT_DESK(nothing_runs_twice_and_the_page_is_the_same),
		AT_DESK(what_sigkill_leaves_is_gone_on_from),
		AT_DESK(two_at_once_share_a_file),
		AT_DESK(a_full_disk_costs_nothing),
		AT_DESK(sigint_tells_how_to_go_on),
		AT_DESK(another_file_is_left_alone),
#else
		AT_DESK(without_sqlite_it_says_that_it_starts_again),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, free_whole_page);
}
