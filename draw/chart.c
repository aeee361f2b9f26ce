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
#define DASHES " stroke-dasharray=\"4 3\""

#define MOST_PLACES 12
#define LOG_DOT 3.5    /* radius */
#define MOST_DECADES 7 /* with a mark each */

typedef double along_fn(double);

struct scale {
	double x0, x1, y0, y1;
	along_fn *x, *y; /* from a value to where it is on its axis */
};

double chart_step(double most)
{
	double unit = pow(10, floor(log10(most / 5)));
	double n = most / 5 / unit;

	return unit * (n <= 1 ? 1 : n <= 2 ? 2 : n <= 5 ? 5 : 10);
}

static double linear(double v)
{
	return v;
}

static void widen(struct scale *s, double x, double y)
{
	s->x0 = fmin(s->x0, s->x(x));
	s->x1 = fmax(s->x1, s->x(x));
	s->y0 = fmin(s->y0, s->y(y));
	s->y1 = fmax(s->y1, s->y(y));
}

static struct scale scale_of(const struct chart *c)
{
	struct scale s = {.x = c->log     ? log10
			       : c->bytes ? log2
					  : linear,
		.y = c->log ? log10 : linear};

	if (c->log || c->bytes) {
		s.x0 = INFINITY;
		s.x1 = -INFINITY;
	}
	if (c->log) {
		s.y0 = INFINITY;
		s.y1 = -INFINITY;
	}
	for (unsigned i = 0; i < c->n; i++)
		widen(&s, c->dots[i].x, c->dots[i].y);
	for (unsigned i = 0; i < c->nlines; i++) {
		widen(&s, c->lines[i].x0, c->lines[i].y0);
		widen(&s, c->lines[i].x1, c->lines[i].y1);
	}
	if (!isfinite(s.x0))
		s.x0 = s.x1 = s.y0 = s.y1 = 0;
	s.x1 += c->kind == CHART_BARS; /* the last bar's width */
	if (c->log) {
		s.x0 = floor(s.x0);
		s.x1 = ceil(s.x1);
		s.y0 = floor(s.y0);
		s.y1 = fmax(s.y0 + 1, ceil(s.y1));
	} else {
		s.y1 = s.y1 > 0 ? s.y1 * 1.05 : 1;
	}
	s.x1 = s.x1 > s.x0 ? s.x1 : s.x0 + 1;
	return s;
}

static double x_of(const struct scale *s, double x)
{
	return LEFT + WIDE * (s->x(x) - s->x0) / (s->x1 - s->x0);
}

static double y_of(const struct scale *s, double y)
{
	return TOP + HIGH * (1 - (s->y(y) - s->y0) / (s->y1 - s->y0));
}

static void line(double x1, double y1, double x2, double y2, const char *style, struct text *out)
{
	text_add(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"%s/>\n", x1, y1, x2, y2,
		style);
}

/* Four digits: "0.25", "1200", "35k", "1.2M". */
static const char *short_number(double v, char out[32])
{
	static const char *const units[] = {"", "k", "M", "G", "T"};
	unsigned unit = 0;

	if (fabs(v) >= 1e4)
		for (; unit + 1 < ARRAY_LEN(units) && fabs(v) >= 1000; unit++)
			v /= 1000;
	snprintf(out, 32, "%.4g%s", v, units[unit]);
	return out;
}

static void mark(const struct scale *s, double x, const char *words, struct text *out)
{
	line(x_of(s, x), TOP + HIGH, x_of(s, x), TOP + HIGH + 4, SVG_AXIS, out);
	svg_label((int)x_of(s, x), TOP + HIGH + 18, " text-anchor=\"middle\"", words, out);
}

static void mark_across(const struct scale *s, double x, const char *words, struct text *out)
{
	line(x_of(s, x), TOP, x_of(s, x), TOP + HIGH, SVG_GRID, out);
	mark(s, x, words, out);
}

static void mark_up(const struct scale *s, double y, const char *words, struct text *out)
{
	line(LEFT, y_of(s, y), LEFT + WIDE, y_of(s, y), SVG_GRID, out);
	svg_label(LEFT - 8, (int)y_of(s, y) + 4, " text-anchor=\"end\"", words, out);
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
		mark(s, x, short_number(x, words), out);
	}
}

static void mark_places(const struct chart *c, const struct scale *s, struct text *out)
{
	for (unsigned i = 0; i < c->nplaces; i += 1 + (c->nplaces - 1) / MOST_PLACES)
		mark(s, i, c->places[i], out);
}

typedef void mark_fn(const struct scale *, double, const char *words, struct text *);

static void mark_decades(
	const struct scale *s, double from, double to, mark_fn *one, struct text *out)
{
	int step = 1 + (int)(to - from - 1) / MOST_DECADES;
	char words[32];

	for (int e = (int)from; e <= to; e += step) {
		if (e < -3 || e > 4)
			snprintf(words, sizeof(words), "1e%d", e);
		else
			snprintf(words, sizeof(words), "%g", pow(10, e));
		one(s, pow(10, e), words, out);
	}
}

static void mark_up_numbers(const struct scale *s, struct text *out)
{
	double up = chart_step(s->y1);
	char words[32];

	for (double y = 0; y <= s->y1; y += up)
		mark_up(s, y, short_number(y, words), out);
}

static void axes(const struct chart *c, const struct scale *s, struct text *out)
{
	if (c->log)
		mark_decades(s, s->y0, s->y1, mark_up, out);
	else
		mark_up_numbers(s, out);
	if (c->log)
		mark_decades(s, s->x0, s->x1, mark_across, out);
	else if (c->bytes)
		mark_bytes(s, out);
	else if (c->places)
		mark_places(c, s, out);
	else
		mark_numbers(s, out);
	line(LEFT, TOP + HIGH, LEFT + WIDE, TOP + HIGH, SVG_AXIS, out);
	line(LEFT, TOP, LEFT, TOP + HIGH, SVG_AXIS, out);
	svg_label(LEFT + WIDE / 2, TOP + HIGH + 38, " text-anchor=\"middle\"", c->x_axis, out);
	svg_label(14, TOP + HIGH / 2, " text-anchor=\"middle\" transform=\"rotate(-90 14 160)\"",
		c->y_axis, out);
}

/* Their words are at the left of them, below each other where they are many. */
static void guides(const struct chart *c, const struct scale *s, struct text *out)
{
	for (unsigned i = 0; i < c->nguides; i++) {
		double x = x_of(s, c->guides[i].x);

		line(x, TOP, x, TOP + HIGH, SVG_AXIS DASHES, out);
		svg_label((int)x - 4, TOP + 10 + 14 * (int)(i % GUIDE_ROWS),
			" text-anchor=\"end\" font-size=\"10\"", c->guides[i].words, out);
	}
}

/* Of the distance between two marks: where a series' bar begins, and its width. */
struct share {
	double from, wide;
};

static void bars(const struct chart *c, const struct scale *s, const char *series,
	struct share share, struct text *out)
{
	for (unsigned i = 0; i < c->n; i++) {
		const struct chart_dot *d = &c->dots[i];

		if (!strcmp(d->series, series))
			text_add(out,
				"<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
				"fill=\"currentColor\"/>\n",
				x_of(s, d->x + share.from), y_of(s, d->y),
				WIDE * share.wide / (s->x1 - s->x0), y_of(s, 0) - y_of(s, d->y));
	}
}

/* Of a few curves earlier ones are wider: they are seen where others cover them. */
static double width_of(unsigned k, unsigned n)
{
	return n <= FEW_SERIES ? 1.5 + 2 * (n - 1 - k) : 1.5;
}

static const char *dashes(const struct chart *c, const char *series)
{
	return c->dashed && !strncmp(series, c->dashed, strlen(c->dashed)) ? DASHES : "";
}

static void curve(const struct chart *c, const struct scale *s, const char *series, double width,
	struct text *out)
{
	text_add(out,
		"<polyline fill=\"none\" stroke=\"currentColor\" stroke-width=\"%.1f\"%s points=\"",
		width, dashes(c, series));
	for (unsigned i = 0; i < c->n; i++)
		if (!strcmp(c->dots[i].series, series))
			text_add(out, "%.1f,%.1f ", x_of(s, c->dots[i].x), y_of(s, c->dots[i].y));
	text_add(out, "\"/>\n");
}

static void lines(
	const struct chart *c, const struct scale *s, const char *series, struct text *out)
{
	char style[96];

	snprintf(style, sizeof(style), " stroke=\"currentColor\" stroke-width=\"1.5\"%s",
		dashes(c, series));
	for (unsigned i = 0; i < c->nlines; i++) {
		const struct chart_line *l = &c->lines[i];

		if (!strcmp(l->series, series))
			line(x_of(s, l->x0), y_of(s, l->y0), x_of(s, l->x1), y_of(s, l->y1), style,
				out);
	}
}

static void dot(const struct scale *s, const struct chart_dot *d, double radius, struct text *out)
{
	double x = x_of(s, d->x), y = y_of(s, d->y);

	text_add(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"currentColor\"", x, y,
		radius);
	if (d->words) {
		text_add(out, "><title>");
		svg_escaped(d->words, out);
		text_add(out, "</title></circle>\n");
	} else {
		text_add(out, "/>\n");
	}
	if (d->label)
		svg_label((int)(x + radius) + 3, (int)y + 4, " font-size=\"10\"", d->label, out);
}

static void dots(const struct chart *c, const struct scale *s, const char *series, double radius,
	struct text *out)
{
	for (unsigned i = 0; i < c->n; i++)
		if (!strcmp(c->dots[i].series, series))
			dot(s, &c->dots[i], radius, out);
}

static unsigned list(const char *series, const char *all[MOST_SERIES], unsigned n)
{
	unsigned k = 0;

	while (k < n && strcmp(all[k], series) != 0)
		k++;
	if (k < n || n == MOST_SERIES)
		return n;
	all[n] = series;
	return n + 1;
}

/* Each series once, in order of appearance, those of lines first. */
static unsigned list_series(const struct chart *c, const char *all[MOST_SERIES])
{
	unsigned n = 0;

	for (unsigned i = 0; i < c->nlines; i++)
		n = list(c->lines[i].series, all, n);
	for (unsigned i = 0; i < c->n; i++)
		n = list(c->dots[i].series, all, n);
	return n;
}

static void legend(const struct chart *c, const char *series, unsigned k, struct text *out)
{
	int y = TOP + 12 + 18 * (int)k;

	text_add(out,
		"<path d=\"M%d %dh14\" fill=\"none\" stroke=\"currentColor\" "
		"stroke-width=\"4\"%s/>\n",
		LEFT + WIDE + 14, y - 4, dashes(c, series));
	svg_label(LEFT + WIDE + 34, y, "", series, out);
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
		text_raw(out, "<g%s>\n", svg_series(k));
		lines(c, &s, series[k], out);
		if (c->kind == CHART_BARS)
			bars(c, &s, series[k], (struct share){0.9 * k / n, 0.9 / n}, out);
		else if (c->kind == CHART_CURVES)
			curve(c, &s, series[k], width_of(k, n), out);
		if (c->kind != CHART_BARS)
			dots(c, &s, series[k], c->log ? LOG_DOT : 1 + width_of(k, n), out);
		legend(c, series[k], k, out);
		text_raw(out, "</g>\n");
	}
}
