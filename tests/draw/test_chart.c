/* Curves as pictures: where points are, what axes say, how they look in the dark. */
#include "draw/chart.h"
#include "draw/svg.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void marks_of_an_axis_are_one_two_or_five(void **state)
{
	static const double pairs[][2] = {{1, 0.2}, {1.05, 0.5}, {5, 1}, {7, 2}, {10, 2}, {11, 5},
		{26, 10}, {512, 200}, {0.4, 0.1}};

	(void)state;
	for (unsigned i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
		assert_true(fabs(chart_step(pairs[i][0]) - pairs[i][1]) < 1e-12);
}

/* 400 wide from x = 64, 240 high above y = 280; the axis ends a twentieth above the highest. */
static void a_curve_goes_through_its_points(void **state)
{
	static const struct chart_dot dots[] = {{.series = "a<b", .x = 0, .y = 1},
		{.series = "a<b", .x = 50, .y = 0.5}, {.series = "a<b", .x = 100, .y = 0}};
	const struct chart c = {.title = "t", .x_axis = "x", .y_axis = "y", .dots = dots, .n = 3};
	struct text out = {0};

	(void)state;
	chart_draw(&c, &out);
	assert_non_null(strstr(text_str(&out), "points=\"64.0,51.4 264.0,165.7 464.0,280.0 \""));
	assert_non_null(strstr(text_str(&out), ">a&#60;b</text>"));
	text_clear(&out);
}

/* The axis is from 1 KB to 4 KB: 2 KB is in the middle. */
static void an_axis_of_bytes_is_logarithmic(void **state)
{
	static const struct chart_dot dots[] = {{.series = "a", .x = 1024, .y = 1},
		{.series = "a", .x = 2048, .y = 1}, {.series = "a", .x = 4096, .y = 0}};
	const struct chart c = {
		.title = "t", .x_axis = "x", .y_axis = "y", .dots = dots, .n = 3, .bytes = true};
	struct text out = {0};

	(void)state;
	chart_draw(&c, &out);
	assert_non_null(strstr(text_str(&out), "points=\"64.0,51.4 264.0,51.4 464.0,280.0 \""));
	assert_non_null(
		strstr(text_str(&out), "<text x=\"264\" y=\"298\" text-anchor=\"middle\">2 KB<"));
	text_clear(&out);
}

/* Two series at 0 and 1: four bars in 400, each 0.45 of 200 wide. */
static void bars_of_series_are_beside_each_other(void **state)
{
	static const struct chart_dot dots[] = {{.series = "a", .x = 0, .y = 1},
		{.series = "a", .x = 1, .y = 0.5}, {.series = "b", .x = 0, .y = 0.5},
		{.series = "b", .x = 1, .y = 1}};
	const struct chart c = {.title = "t",
		.x_axis = "x",
		.y_axis = "y",
		.dots = dots,
		.n = 4,
		.kind = CHART_BARS};
	struct text out = {0};

	(void)state;
	chart_draw(&c, &out);
	assert_non_null(strstr(
		text_str(&out), "<rect x=\"264.0\" y=\"165.7\" width=\"90.0\" height=\"114.3\""));
	assert_non_null(strstr(
		text_str(&out), "<rect x=\"354.0\" y=\"51.4\" width=\"90.0\" height=\"228.6\""));
	assert_null(strstr(text_str(&out), "<circle"));
	text_clear(&out);
}

/* The axis is from 0 to 100: 25 is at a quarter. The covered curve is wider. */
static void guides_and_covered_curves_are_seen(void **state)
{
	static const struct chart_dot dots[] = {{.series = "a", .x = 0, .y = 1},
		{.series = "a", .x = 100, .y = 1}, {.series = "b", .x = 0, .y = 1}};
	static const struct chart_guide guides[] = {{25, "here"}};
	const struct chart c = {.title = "t",
		.x_axis = "x",
		.y_axis = "y",
		.dots = dots,
		.n = 3,
		.guides = guides,
		.nguides = 1};
	struct text out = {0};

	(void)state;
	chart_draw(&c, &out);
	assert_non_null(strstr(text_str(&out), "<line x1=\"164.0\" y1=\"40.0\" x2=\"164.0\" "
					       "y2=\"280.0\" class=\"ax\""));
	assert_non_null(strstr(text_str(&out), ">here</text>"));
	assert_non_null(strstr(text_str(&out), "stroke-width=\"3.5\""));
	assert_non_null(strstr(text_str(&out), "stroke-width=\"1.5\""));
	text_clear(&out);
}

/* Both axes are decades: from 0.1 to 100 and from 1 to 100; 10, 10 is at two thirds and a half. */
static void logarithmic_axes_have_whole_decades(void **state)
{
	static const struct chart_dot dots[] = {{.series = "a", .x = 0.3, .y = 2},
		{.series = "a", .x = 10, .y = 10, .label = "<1>", .words = "a<b"}};
	static const struct chart_line lines[] = {{"roof", 0.1, 1, 100, 100}};
	const struct chart c = {.title = "t",
		.x_axis = "x",
		.y_axis = "y",
		.dots = dots,
		.n = 2,
		.kind = CHART_DOTS,
		.log = true,
		.dashed = "ro",
		.lines = lines,
		.nlines = 1};
	struct text out = {0};

	(void)state;
	chart_draw(&c, &out);
	assert_non_null(strstr(text_str(&out), "<circle cx=\"330.7\" cy=\"160.0\""));
	assert_non_null(strstr(text_str(&out), "<title>a&#60;b</title></circle>"));
	assert_non_null(strstr(text_str(&out), ">&#60;1&#62;</text>"));
	assert_non_null(
		strstr(text_str(&out), "<line x1=\"64.0\" y1=\"280.0\" x2=\"464.0\" y2=\"40.0\" "
				       "stroke=\"currentColor\" stroke-width=\"1.5\" "
				       "stroke-dasharray"));
	assert_non_null(strstr(text_str(&out), " text-anchor=\"middle\">0.1</text>"));
	text_clear(&out);
}

/* The dark colours are for a picture that is a document of its own. */
static void a_picture_is_dark_where_its_reader_is(void **state)
{
	struct text alone = {0}, inside = {0};

	(void)state;
	svg_open(10, 10, "a<b", &alone);
	svg_open_inside(10, 10, "", &inside);
	assert_non_null(
		strstr(text_str(&alone), "@media(prefers-color-scheme:dark){svg:root{fill:"));
	assert_non_null(strstr(text_str(&alone), " aria-label=\"a&#60;b\""));
	assert_null(strstr(text_str(&inside), "<style>"));
	assert_non_null(strstr(text_str(&inside), "class=\"sheet\""));
	text_clear(&alone);
	text_clear(&inside);
}

static void places_have_words_instead_of_numbers(void **state)
{
	static const struct chart_dot dots[] = {
		{.series = "a", .x = 0, .y = 1}, {.series = "a", .x = 1, .y = 2}};
	static const char *const places[] = {"96/32", "32/96"};
	const struct chart c = {.title = "t",
		.x_axis = "x",
		.y_axis = "y",
		.dots = dots,
		.n = 2,
		.places = places,
		.nplaces = 2};
	struct text out = {0};

	(void)state;
	chart_draw(&c, &out);
	assert_non_null(strstr(
		text_str(&out), "<text x=\"464\" y=\"298\" text-anchor=\"middle\">32/96</text>"));
	text_clear(&out);
}

/* "20k" is beside the axis' name, "2e+04" ran into it. */
static void marks_are_short(void **state)
{
	static const struct chart_dot dots[] = {
		{.series = "a", .x = 0, .y = 34933}, {.series = "a", .x = 3e6, .y = 500}};
	const struct chart c = {.title = "t", .x_axis = "x", .y_axis = "y", .dots = dots, .n = 2};
	struct text out = {0};

	(void)state;
	chart_draw(&c, &out);
	assert_non_null(strstr(text_str(&out), ">20k</text>"));
	assert_non_null(strstr(text_str(&out), ">3M</text>"));
	assert_null(strstr(text_str(&out), "e+"));
	text_clear(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marks_of_an_axis_are_one_two_or_five),
		cmocka_unit_test(a_curve_goes_through_its_points),
		cmocka_unit_test(an_axis_of_bytes_is_logarithmic),
		cmocka_unit_test(bars_of_series_are_beside_each_other),
		cmocka_unit_test(guides_and_covered_curves_are_seen),
		cmocka_unit_test(logarithmic_axes_have_whole_decades),
		cmocka_unit_test(a_picture_is_dark_where_its_reader_is),
		cmocka_unit_test(marks_are_short),
		cmocka_unit_test(places_have_words_instead_of_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
