/* Tables of measurements, with runs that only repeat their settings: what is asked for and how
 * often, rows in columns, verdicts, curves, what does not run, and the same words for any number of
 * processes. */
#include "tests/rig/support_cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "core/text.h"
#include "papers/book.h"
#include "papers/suite.h"

/* ---- runs that report the sum of their settings; 13 does not run, 14 is refused, 15 is wrong */
static int repeat(
	const struct trial *t, const struct run_options *o, struct session *s, struct err *err)
{
	const struct layer *layer = &t->machine.layers[0];
	int sum = 0;

	(void)o;
	for (unsigned i = 0; i < layer->nset; i++)
		sum += atoi(strchr(layer->set[i], '=') + 1);
	if (sum == 13)
		return err_add(err, ERR_RESOURCE, "13 does not fit");
	if (sum == 14)
		return err_add(err, ERR_INPUT, "14 is no value");
	if (sum == 15)
		return err_add(err, ERR_CHECK, "15 is wrong");
	text_raw(&s->out, "{\"metrics\": {\"v\": {\"value\": %d}}}", sum);
	return 0;
}

static const struct point_way way = {.name = "repeat", .act = repeat};

static struct design with(int x)
{
	struct design d = design_of("m12", "x=%d", x);

	d.way = &way;
	return d;
}

static double value(struct book *b, const struct design *d)
{
	return point_metric(book_report(b, 0, d), "v");
}

/* ---- a paper of three columns: unchanged, a hundred more, and twenty more, which nothing judges
 */
static struct design more(const struct design *d, unsigned column)
{
	static const char *const what[] = {"", " y=100", " y=20"};
	struct design other = design_of("m12", "%s%s", d->set, what[column]);

	other.way = d->way;
	return other;
}

static void rows(struct book *b)
{
	struct design first = with(1), fixed = with(5);
	double one = value(b, &first);
	/* what is asked for next depends on the results */
	struct design second = with(isnan(one) ? 1 : (int)one + 1);

	fixed.as_it_is = true;
	book_say(b, &(struct book_row){"C-1", "things", "one", 1, 0.5, 1.5, one, BOOK_BAND,
			    book_words(b, "it was %.0f", one)});
	book_say(b, &(struct book_row){"C-2", "things", "one and one", 2, 1.5, 2.5,
			    value(b, &second), BOOK_BAND, NULL});
	book_tell(b, "things", value(b, &fixed), "%s", "fixed");
	for (int x = 1; x < 4; x++) {
		struct design d = with(x);

		book_plot(b, &(struct book_dot){"picture", "curve", "x", "y", x, value(b, &d)});
	}
}

static void rows_that_may_fail(struct book *b)
{
	struct design bad = with(13), good = with(12);
	double v = point_metric(book_try(b, 0, &bad), "v");

	book_tell(b, "", v, "%s", book_fails(b, 0, &bad) ? "fails" : "unknown");
	book_tell(b, "", value(b, &good), "%s", "runs");
}

static void rows_that_are_wrong(struct book *b)
{
	struct design refused = with(14), wrong = with(15);

	book_tell(b, "", point_metric(book_try(b, 0, &refused), "v"), "%s", "refused");
	book_tell(b, "", point_metric(book_try(b, 0, &wrong), "v"), "%s", "wrong");
}

static void rows_that_must_not_fail(struct book *b)
{
	struct design bad = with(13);

	book_tell(b, "", value(b, &bad), "%s", "runs");
}

/* A workload that has not run has no part in the mean. */
static void rows_with_a_ranking(struct book *b)
{
	struct book_ranked list[] = {{0, 1}, {0, NAN}, {0, 4}, {0, 2}};
	struct design d = with(1);
	struct book_row row = {"C-1", "things", "one", 1, 0.5, 1.5, value(b, &d), BOOK_BAND, NULL};

	row.note =
		book_rank(b, list, ARRAY_LEN(list), &(struct book_ranking){1, -INFINITY, false, 1});
	book_say(b, &row);
}

/* Of workloads' parameters those of the one that runs, vectoradd, count. */
static void rows_with_parameters(struct book *b)
{
	struct design d = design_of("m12", "x=1 vectoradd.n=2 needle.n=4 mummer.n=8");

	d.way = &way;
	book_tell(b, "", value(b, &d), "%s", "its own");
}

static const struct paper paper = {.name = "paper",
	.text = "A paper.",
	.title = "An author, a conference",
	.suite = suite_workloads,
	.ncolumns = 3,
	.columns = {{"plain", "ours", true, 0}, {"hundred", "hundred", true, 1},
		{"twenty", "twenty", false, 2}},
	.seen = more};
static const struct target target = {.name = "figure",
	.text = "A figure.",
	.paper = &paper,
	.rows = rows,
	.columns = 6,
	.plots = true};
static const struct target ranking = {
	.name = "ranking", .text = "", .paper = &paper, .rows = rows_with_a_ranking};
static const struct target failing = {
	.name = "failing", .text = "", .paper = &paper, .rows = rows_that_may_fail};
static const struct target wrong = {
	.name = "wrong", .text = "", .paper = &paper, .rows = rows_that_are_wrong};
static const struct target parameters = {
	.name = "parameters", .text = "", .paper = &paper, .rows = rows_with_parameters};
static const struct target broken = {
	.name = "broken", .text = "", .paper = &paper, .rows = rows_that_must_not_fail};

struct shelf {
	struct arena arena;
	jmp_buf escape;
	struct paper_options o;
	const char *workloads[1];
	const struct target *target;
	struct points *points;
	struct book *book;
	struct err err;
};

static int read_book(struct shelf *s, const struct target *t, unsigned jobs)
{
	int bad;

	*s = (struct shelf){.workloads = {"vectoradd"}, .target = t};
	s->arena.escape = &s->escape;
	s->o = (struct paper_options){.run = {.seed = 1, .jobs = jobs, .quiet = true},
		.workloads = {s->workloads, 1},
		.target = "figure"};
	s->points = points_new(&s->o.run, NULL, &s->arena);
	s->book = book_new(&s->target, 1, &s->o, s->points, &s->arena, &s->err);
	assert_non_null(s->book);
	bad = book_fill(&s->book, 1, s->points, &s->err);
	if (bad)
		print_message("%s", err_text(&s->err));
	return bad;
}

static void close_book(struct shelf *s)
{
	points_clear(s->points);
	arena_free(&s->arena);
	err_clear(&s->err);
}

/* ---- tests */
static void rows_are_asked_until_they_ask_for_nothing_new(void **state)
{
	struct shelf s;
	const struct book_said *said;
	unsigned n;

	(void)state;
	assert_int_equal(read_book(&s, &target, 2), 0);
	said = book_rows(s.book, &n);
	assert_int_equal(n, 3);
	assert_true(said[0].ours[0] == 1 && said[0].ours[1] == 101 && said[0].ours[2] == 21);
	assert_true(said[1].ours[0] == 2 && said[1].ours[1] == 202 && said[1].ours[2] == 42);
	assert_string_equal(said[0].note[1], "it was 101");
	/* 1 .. 3 in each column, 102 and 22 in the others, and one 5 */
	assert_int_equal(points_count(s.points).all, 9 + 2 + 1);
	close_book(&s);
}

static void a_design_that_is_as_it_is_is_the_same_in_all_columns(void **state)
{
	struct shelf s;
	const struct book_said *said;
	unsigned n;

	(void)state;
	assert_int_equal(read_book(&s, &target, 1), 0);
	said = book_rows(s.book, &n);
	for (unsigned c = 0; c < 3; c++)
		assert_true(said[2].ours[c] == 5);
	close_book(&s);
}

static void figures_that_are_not_known_are_in_no_ranking(void **state)
{
	struct shelf s;
	unsigned n;

	(void)state;
	assert_int_equal(read_book(&s, &ranking, 1), 0);
	assert_string_equal(book_rows(s.book, &n)->note[0], "vectoradd 4.0, the other 2 1.5");
	close_book(&s);
}

static void parameters_of_other_workloads_are_left_out(void **state)
{
	struct shelf s;
	unsigned n;

	(void)state;
	assert_int_equal(read_book(&s, &parameters, 1), 0);
	assert_true(book_rows(s.book, &n)->ours[0] == 3);
	close_book(&s);
}

static void is_band(struct band band, double low, double high)
{
	assert_true(band.low == low && band.high == high);
}

static void bands_are_computed_from_the_papers_number_by_rules(void **state)
{
	(void)state;
	is_band(band_exact(32), 32, 32);
	is_band(band_percent(36, 20), 28.8, 43.2);
	is_band(band_points(5.8, 0.4), 5.4, 6.2);
	is_band(band_percent_or_points(3, 20, 1.5), 1.5, 4.5);
	is_band(band_percent_or_points(75, 20, 1.5), 60, 90);
	is_band(band_change(1.04, 20, 0.03), 1.01, 1.07);
	is_band(band_change(0.64, 20, 0.03), 0.568, 0.712);
	is_band(band_factor(0.12, 2), 0.06, 0.24);
	is_band(band_at_most(20), 0, 20);
	is_band(band_at_least(2), 2, 4);
	is_band(band_below(0.01), 0, 0.01);
	is_band(band_above_one(), 1, 2);
	is_band(band_below_one(), 0.5, 1);
	is_band(band_between(10, 10, 25), 10, 25);
	assert_true(isnan(band_below(1).paper) && band_points(5.8, 0.4).paper == 5.8);
}

static void verdict_is(struct band band, double ours, const char *expected)
{
	struct book_row row = book_band("", "", band, ours, NULL);

	if (strcmp(book_verdict(&row, ours), expected) != 0)
		fail_msg("%g in %g .. %g: %s", ours, band.low, band.high, book_verdict(&row, ours));
}

/* Near is no farther from the band than it is wide; an open one is as wide as a tenth of its bound.
 */
static void verdicts_are_by_the_distance_from_the_band(void **state)
{
	const struct band closed = band_points(10, 1), open = band_between(NAN, 10, INFINITY);
	struct book_row row = book_band("", "", closed, 10, NULL);

	(void)state;
	verdict_is(closed, 9, "within");
	verdict_is(closed, 11, "within");
	verdict_is(closed, 8.99, "near");
	verdict_is(closed, 7, "near");
	verdict_is(closed, 13, "near");
	verdict_is(closed, 6.99, "missed");
	verdict_is(closed, 13.01, "missed");
	verdict_is(closed, NAN, "missing");
	verdict_is(open, 1e9, "within");
	verdict_is(open, 9, "near");
	verdict_is(open, 8.9, "missed");
	row.judge = BOOK_PRIVATE;
	assert_string_equal(book_verdict(&row, 10), "not comparable");
	row.judge = BOOK_CALIBRATION;
	assert_string_equal(book_verdict(&row, 10), "calibration");
	row.judge = BOOK_TOLD;
	assert_string_equal(book_verdict(&row, 10), "");
}

static void each_judged_column_has_a_verdict_and_a_score(void **state)
{
	struct shelf s;
	const struct book_said *said;
	struct text text = {0}, csv = {0};
	unsigned n;

	(void)state;
	assert_int_equal(read_book(&s, &target, 2), 0);
	said = book_rows(s.book, &n);
	assert_string_equal(book_verdict(&said[0].row, said[0].ours[0]), "within");
	assert_string_equal(book_verdict(&said[0].row, said[0].ours[1]), "missed");
	assert_int_equal(book_score(s.book, NULL, 0).judged, 2);
	assert_int_equal(book_score(s.book, NULL, 0).within, 2);
	assert_int_equal(book_score(s.book, &target, 1).within, 0);
	book_text(s.book, &text);
	assert_non_null(strstr(text_str(&text), "within the band, plain: 2 of 2\n"));
	assert_non_null(strstr(text_str(&text), "within the band, hundred: 0 of 2\n"));
	assert_non_null(strstr(
		text_str(&text), "  plain, things: 2 of 2 within, mean absolute error 0.000\n"));
	assert_non_null(strstr(
		text_str(&text), "  hundred, things: 0 of 2 within, mean absolute error 150.0\n"));
	assert_null(strstr(text_str(&text), "twenty, things"));
	assert_non_null(strstr(text_str(&text), "hundred: it was 101\n"));
	/* a note, whatever the verdict */
	assert_non_null(strstr(text_str(&text), "plain: it was 1\n"));
	book_csv(s.book, &csv);
	assert_non_null(strstr(text_str(&csv),
		"table,claim,text,paper,ours,low,high,verdict,unit,note,hundred,"
		"hundred_verdict,hundred_note,twenty\n"));
	assert_non_null(strstr(text_str(&csv),
		"figure,C-1,one,1,1,0.5,1.5,within,things,it was 1,101,missed,it was 101,21\n"));
	text_clear(&text);
	text_clear(&csv);
	close_book(&s);
}

static void any_number_of_processes_tells_the_same(void **state)
{
	struct shelf one, many;
	struct text a = {0}, b = {0};

	(void)state;
	assert_int_equal(read_book(&one, &target, 1), 0);
	assert_int_equal(read_book(&many, &target, 5), 0);
	assert_int_equal(book_json(one.book, &a), 0);
	assert_int_equal(book_json(many.book, &b), 0);
	book_svg(one.book, &a);
	book_svg(many.book, &b);
	assert_string_equal(text_str(&a), text_str(&b));
	text_clear(&a);
	text_clear(&b);
	close_book(&one);
	close_book(&many);
}

static void what_does_not_run_is_an_answer_where_it_may_be(void **state)
{
	struct shelf s;
	const struct book_said *said;
	unsigned n;

	(void)state;
	assert_int_equal(read_book(&s, &failing, 2), 0);
	said = book_rows(s.book, &n);
	assert_string_equal(said[0].row.text, "fails");
	assert_true(isnan(said[0].ours[0]));
	assert_true(said[1].ours[0] == 12);
	close_book(&s);
	assert_int_equal(read_book(&s, &broken, 2), -1);
	assert_non_null(strstr(err_text(&s.err), "13 does not fit"));
	close_book(&s);
}

/* Only that a CTA can never fit is a result: a wrong result or setting is none anywhere. */
static void what_is_wrong_is_no_answer_anywhere(void **state)
{
	struct shelf s;

	(void)state;
	assert_int_equal(read_book(&s, &wrong, 2), -1);
	assert_non_null(strstr(err_text(&s.err), "14 is no value"));
	assert_non_null(strstr(err_text(&s.err), "15 is wrong"));
	close_book(&s);
}

static unsigned count(const char *text, const char *what)
{
	unsigned n = 0;

	for (; (text = strstr(text, what)); text++)
		n++;
	return n;
}

static void each_column_has_its_own_picture(void **state)
{
	struct shelf s;
	struct text all = {0}, alone = {0};

	(void)state;
	assert_int_equal(read_book(&s, &target, 2), 0);
	book_svg(s.book, &all);
	assert_int_equal(count(text_str(&all), "<svg"), 1);
	assert_int_equal(count(text_str(&all), "</svg>"), 1);
	assert_int_equal(count(text_str(&all), "<polyline"), 3);
	assert_int_equal(count(text_str(&all), "<circle"), 9);
	assert_non_null(strstr(text_str(&all), "figure, picture: hundred"));
	book_pictures(s.book, &target, &alone);
	assert_int_equal(count(text_str(&alone), "<svg"), 3);
	book_pictures(s.book, &failing, &alone);
	assert_int_equal(count(text_str(&alone), "<svg"), 3);
	text_clear(&all);
	text_clear(&alone);
	close_book(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_asked_until_they_ask_for_nothing_new),
		cmocka_unit_test(a_design_that_is_as_it_is_is_the_same_in_all_columns),
		cmocka_unit_test(figures_that_are_not_known_are_in_no_ranking),
		cmocka_unit_test(parameters_of_other_workloads_are_left_out),
		cmocka_unit_test(bands_are_computed_from_the_papers_number_by_rules),
		cmocka_unit_test(verdicts_are_by_the_distance_from_the_band),
		cmocka_unit_test(each_judged_column_has_a_verdict_and_a_score),
		cmocka_unit_test(any_number_of_processes_tells_the_same),
		cmocka_unit_test(what_does_not_run_is_an_answer_where_it_may_be),
		cmocka_unit_test(what_is_wrong_is_no_answer_anywhere),
		cmocka_unit_test(each_column_has_its_own_picture),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
