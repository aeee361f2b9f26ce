/* Curves as a picture: axes with marks, a line and a colour for each series, their names at the
 * right. */
#include "draw/chart.h"

#include "draw/svg.h"

#include "core/base.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LEFT 64
#define TOP 40
#define WIDE 400
#define HIGH 240
#define MOST_SERIES 24
#define FEW_SERIES 3
#define GUIDE_ROWS 4

static const char *const colours[] = {
	"#1f4e8c", "#b5651d", "#5a9367", "#8c2d4a", "#6a51a3", "#3f9fb0", "#777777", "#c9a227"};

struct scale {
	double x0, x1, y1;
	bool log; /* x0 and x1 are logarithms to base 2 */
};

double chart_step(double most)
{
	double unit = pow(10, floor(log10(most / 5)));
	double n = most / 5 / unit;

	return unit * (n <= 1 ? 1 : n <= 2 ? 2 : n <= 5 ? 5 : 10);
}

static double along(const struct scale *s, double x)
{
	return s->log ? log2(x) : x;
}

static struct scale scale_of(const struct chart *c)
{
	struct scale s = {.log = c->bytes};

	s.x0 = s.x1 = c->bytes && c->n ? log2(c->dots[0].x) : 0;
	for (unsigned i = 0; i < c->n; i++) {
		s.x0 = fmin(s.x0, along(&s, c->dots[i].x));
		s.x1 = fmax(s.x1, along(&s, c->dots[i].x));
		s.y1 = fmax(s.y1, c->dots[i].y);
	}
	s.x1 += c->kind == CHART_BARS; /* the last bar's width */
	s.x1 = s.x1 > s.x0 ? s.x1 : s.x0 + 1;
	s.y1 = s.y1 > 0 ? s.y1 * 1.05 : 1;
	return s;
}

static double x_of(const struct scale *s, double x)
{
	return LEFT + WIDE * (along(s, x) - s->x0) / (s->x1 - s->x0);
}

static double y_of(const struct scale *s, double y)
{
	return TOP + HIGH * (1 - y / s->y1);
}

static void line(double x1, double y1, double x2, double y2, const char *style, struct text *out)
{
	text_add(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1, y1, x2,
		y2, style);
}

static void mark(const struct scale *s, double x, const char *words, struct text *out)
{
	line(x_of(s, x), TOP + HIGH, x_of(s, x), TOP + HIGH + 4, "stroke=\"#555\"", out);
	svg_label((int)x_of(s, x), TOP + HIGH + 18, " text-anchor=\"middle\"", words, out);
}

/* Powers of two, some six of them. */
static void mark_bytes(const struct scale *s, struct text *out)
{
	static const char *const units[] = {" B", " KB", " MB", " GB"};
	int first = (int)ceil(s->x0), step = 1 + (int)(s->x1 - s->x0) / 7;
	char words[32];

	for (int e = first; e <= s->x1 && e < 40; e += step) {
		snprintf(words, sizeof(words), "%.4g%s", ldexp(1, e % 10), units[e / 10]);
		mark(s, ldexp(1, e), words, out);
	}
}

static void mark_numbers(const struct scale *s, struct text *out)
{
	double across = chart_step(s->x1 - s->x0);
	char words[32];

	for (double x = ceil(s->x0 / across) * across; x <= s->x1 + across / 1e6; x += across) {
		snprintf(words, sizeof(words), "%.4g", x);
		mark(s, x, words, out);
	}
}

static void axes(const struct chart *c, const struct scale *s, struct text *out)
{
	double up = chart_step(s->y1);
	char number[32];

	for (double y = 0; y <= s->y1; y += up) {
		line(LEFT, y_of(s, y), LEFT + WIDE, y_of(s, y), "stroke=\"#ddd\"", out);
		snprintf(number, sizeof(number), "%.4g", y);
		svg_label(LEFT - 8, (int)y_of(s, y) + 4, " text-anchor=\"end\"", number, out);
	}
	if (s->log)
		mark_bytes(s, out);
	else
		mark_numbers(s, out);
	line(LEFT, TOP + HIGH, LEFT + WIDE, TOP + HIGH, "stroke=\"#555\"", out);
	line(LEFT, TOP, LEFT, TOP + HIGH, "stroke=\"#555\"", out);
	svg_label(LEFT + WIDE / 2, TOP + HIGH + 38, " text-anchor=\"middle\"", c->x_axis, out);
	svg_label(14, TOP + HIGH / 2, " text-anchor=\"middle\" transform=\"rotate(-90 14 160)\"",
		c->y_axis, out);
}

/* Their words are at the left of them, below each other where they are many. */
static void guides(const struct chart *c, const struct scale *s, struct text *out)
{
	for (unsigned i = 0; i < c->nguides; i++) {
		double x = x_of(s, c->guides[i].x);

		line(x, TOP, x, TOP + HIGH, "stroke=\"#999\" stroke-dasharray=\"4 3\"", out);
		svg_label((int)x - 4, TOP + 10 + 14 * (int)(i % GUIDE_ROWS),
			" text-anchor=\"end\" font-size=\"10\"", c->guides[i].words, out);
	}
}

/* Of the distance between two marks: where a series' bar begins, and its width. */
struct share {
	double from, wide;
};

static void bars(const struct chart *c, const struct scale *s, const char *series,
	const char *colour, struct share share, struct text *out)
{
	for (unsigned i = 0; i < c->n; i++) {
		const struct chart_dot *d = &c->dots[i];

		if (!strcmp(d->series, series))
			text_add(out,
				"<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
				"fill=\"%s\"/>\n",
				x_of(s, d->x + share.from), y_of(s, d->y),
				WIDE * share.wide / (s->x1 - s->x0), y_of(s, 0) - y_of(s, d->y),
				colour);
	}
}

/* Of a few curves earlier ones are wider: they are seen where others cover them. */
static double width_of(unsigned k, unsigned n)
{
	return n <= FEW_SERIES ? 1.5 + 2 * (n - 1 - k) : 1.5;
}

static void curve(const struct chart *c, const struct scale *s, const char *series,
	const char *colour, double width, struct text *out)
{
	text_add(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"%.1f\" points=\"",
		colour, width);
	for (unsigned i = 0; i < c->n; i++)
		if (!strcmp(c->dots[i].series, series))
			text_add(out, "%.1f,%.1f ", x_of(s, c->dots[i].x), y_of(s, c->dots[i].y));
	text_add(out, "\"/>\n");
}

static void dots(const struct chart *c, const struct scale *s, const char *series,
	const char *colour, double radius, struct text *out)
{
	for (unsigned i = 0; i < c->n; i++)
		if (!strcmp(c->dots[i].series, series))
			text_add(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\"/>\n",
				x_of(s, c->dots[i].x), y_of(s, c->dots[i].y), radius, colour);
}

/* Each series once, in order of appearance. */
static unsigned list_series(const struct chart *c, const char *list[MOST_SERIES])
{
	unsigned n = 0;

	for (unsigned i = 0; i < c->n; i++) {
		unsigned k = 0;

		while (k < n && strcmp(list[k], c->dots[i].series) != 0)
			k++;
		if (k == n && n < MOST_SERIES)
			list[n++] = c->dots[i].series;
	}
	return n;
}

void chart_draw(const struct chart *c, struct text *out)
{
	const char *series[MOST_SERIES];
	unsigned n = list_series(c, series);
	struct scale s = scale_of(c);

	svg_label(LEFT, 24, " font-size=\"14\"", c->title, out);
	axes(c, &s, out);
	guides(c, &s, out);
	for (unsigned k = 0; k < n; k++) {
		const char *colour = colours[k % ARRAY_LEN(colours)];
		int y = TOP + 12 + 18 * (int)k;

		if (c->kind == CHART_BARS)
			bars(c, &s, series[k], colour, (struct share){0.9 * k / n, 0.9 / n}, out);
		else if (c->kind == CHART_CURVES)
			curve(c, &s, series[k], colour, width_of(k, n), out);
		if (c->kind != CHART_BARS)
			dots(c, &s, series[k], colour, 1 + width_of(k, n), out);
		text_add(out, "<rect x=\"%d\" y=\"%d\" width=\"14\" height=\"4\" fill=\"%s\"/>\n",
			LEFT + WIDE + 14, y - 6, colour);
		svg_label(LEFT + WIDE + 34, y, "", series[k], out);
	}
}
