/* Roofline (Williams et al., CACM 2009) drawn: a picture for each precision, with a roof for each
 * level of memory, and a point for each kernel and level. */
#include "runs/kernels/roofline.h"

#include "cli/html/html.h"
#include "core/base.h"
#include "draw/chart.h"
#include "draw/html.h"
#include "draw/number.h"
#include "draw/svg.h"

#include <math.h>
#include <stdio.h>

#define ROOFS (ROOFLINE_LEVEL_COUNT + PRECISION_COUNT)

/* A kernel's counts. */
struct spot {
	const char *name;
	struct roofline of;
};

struct drawing {
	const struct page_run *run;
	struct spot *spot;
	unsigned n;
	enum precision precision;
	char level[ROOFLINE_LEVEL_COUNT][48], peak[PRECISION_COUNT][48]; /* names of series */
	struct chart_line lines[ROOFS];
	double least, most; /* operations for a byte */
	struct chart chart;
};

/* ---- what is shown */
/* A kernel, or launches that overlap; the run where it has one kernel alone. */
static bool is_shown(const struct page_run *run, const struct page_part *p)
{
	return p->part.what == PART_KERNEL || p->part.what == PART_OVERLAP ||
	       (p->part.what == PART_RUN && run->kernels.n == 1);
}

static const char *name_of(const struct page_run *run, const struct page_part *p)
{
	if (p->part.what == PART_RUN)
		return run->kernels.at[0].name;
	return p->part.what == PART_KERNEL ? kernels_name(&run->kernels, p->part.kernel) : p->name;
}

static void find_spots(struct drawing *d, page_counted_fn *counted, void *ctx)
{
	const struct page_run *run = d->run;

	d->spot = arena_alloc(run->arena, run->parts + 1, sizeof(*d->spot));
	for (unsigned i = 0; i < run->parts; i++) {
		const struct page_part *p = &run->part[i];
		struct metric_set s = {.arena = run->arena};
		struct spot *spot = &d->spot[d->n];

		if (!is_shown(run, p))
			continue;
		run_part_metrics(run->report->gpu, &p->part, &s);
		*spot = (struct spot){name_of(run, p), roofline_of(&s)};
		if (counted)
			counted(ctx, p, &spot->of);
		d->n++;
	}
}

/* Operations a nanosecond; NAN: the kernel has none, or its time is not known. */
static double speed(const struct drawing *d, const struct spot *s)
{
	uint64_t n = s->of.operations[d->precision];

	return n && s->of.ns > 0 ? (double)n / s->of.ns : NAN;
}

/* Operations for a byte; NAN: it moved none. */
static double intensity(const struct drawing *d, const struct spot *s, unsigned level)
{
	return s->of.bytes[level]
		       ? (double)s->of.operations[d->precision] / (double)s->of.bytes[level]
		       : NAN;
}

static double rate(const struct drawing *d, unsigned level)
{
	return roofline_rate(&d->run->sheet, (enum roofline_level)level);
}

static double peak(const struct drawing *d, unsigned precision)
{
	return roofline_peak(&d->run->sheet, (enum precision)precision);
}

/* ---- the picture */
static void add_dot(struct drawing *d, struct chart_dot *dots, unsigned k, unsigned level)
{
	const struct spot *s = &d->spot[k];
	double x = intensity(d, s, level), y = speed(d, s);
	struct text words = {0};
	char number[16];

	if (isnan(x) || isnan(y))
		return;
	snprintf(number, sizeof(number), "%u", k + 1);
	text_add(&words, "%s: %.3g %s operations a byte of %s, %.4g a ns", s->name, x,
		roofline_precisions[d->precision], roofline_labels[level], y);
	dots[d->chart.n++] = (struct chart_dot){.series = d->level[level],
		.x = x,
		.y = y,
		.label = d->n > 1 ? arena_strdup(d->run->arena, number) : NULL,
		.words = arena_strdup(d->run->arena, text_str(&words))};
	text_clear(&words);
	d->least = fmin(d->least, x);
	d->most = fmax(d->most, x);
}

static void add_line(struct drawing *d, const char *series, double from, double to, double slope)
{
	d->lines[d->chart.nlines++] =
		slope > 0 ? (struct chart_line){series, from, slope * from, to, slope * to}
			  : (struct chart_line){series, from, -slope, to, -slope};
}

/* Memory's roofs end where arithmetic's begins, whose others begin at memory's steepest. */
static void add_roofs(struct drawing *d)
{
	double own = peak(d, d->precision), steepest = 0;

	for (unsigned l = 0; l < ROOFLINE_LEVEL_COUNT; l++) {
		double ridge = own / rate(d, l);

		if (isnan(ridge))
			continue;
		steepest = fmax(steepest, rate(d, l));
		d->least = fmin(d->least, ridge / 10);
		d->most = fmax(d->most, ridge * 10);
	}
	for (unsigned l = 0; l < ROOFLINE_LEVEL_COUNT; l++)
		if (!isnan(own / rate(d, l)))
			add_line(d, d->level[l], d->least, own / rate(d, l), rate(d, l));
	for (unsigned i = 0; i < PRECISION_COUNT && steepest > 0; i++) {
		unsigned p = (d->precision + i) % PRECISION_COUNT;

		if (!isnan(peak(d, p)) && peak(d, p) / steepest < d->most)
			add_line(d, d->peak[p], peak(d, p) / steepest, d->most, -peak(d, p));
	}
}

static void name_series(struct drawing *d)
{
	for (unsigned l = 0; l < ROOFLINE_LEVEL_COUNT; l++)
		if (isnan(rate(d, l)))
			snprintf(d->level[l], sizeof(d->level[l]), "%s", roofline_labels[l]);
		else
			snprintf(d->level[l], sizeof(d->level[l]), "%s: %.5g B/ns",
				roofline_labels[l], rate(d, l));
	for (unsigned p = 0; p < PRECISION_COUNT; p++)
		snprintf(d->peak[p], sizeof(d->peak[p]), "%s: %.5g a ns", roofline_precisions[p],
			peak(d, p));
}

static void picture(struct drawing *d, struct text *out)
{
	struct chart_dot *dots =
		arena_alloc(d->run->arena, d->n * ROOFLINE_LEVEL_COUNT + 1, sizeof(*dots));
	char title[64], axis[64];

	snprintf(title, sizeof(title), "%s", roofline_precisions[d->precision]);
	snprintf(axis, sizeof(axis), "%s operations/ns", roofline_precisions[d->precision]);
	d->chart = (struct chart){.title = title,
		.x_axis = "operations/byte",
		.y_axis = axis,
		.dots = dots,
		.kind = CHART_DOTS,
		.log = true,
		.lines = d->lines};
	d->least = INFINITY;
	d->most = 0;
	for (unsigned k = 0; k < d->n; k++)
		for (unsigned l = 0; l < ROOFLINE_LEVEL_COUNT; l++)
			add_dot(d, dots, k, l);
	if (!d->chart.n)
		return;
	add_roofs(d);
	text_add(out, "<figure class=\"wide\">\n");
	svg_open_inside(CHART_WIDTH, CHART_HEIGHT, "", out);
	chart_draw(&d->chart, out);
	text_add(out, "</svg>\n<figcaption class=\"dim\">Roofline, %s</figcaption></figure>\n",
		title);
}

/* ---- the table */
static const struct html_column columns[] = {{"kernel", true}, {"number", false},
	{"precision", true}, {"operations", false}, {"a ns", false}, {"of peak", false},
	{"a byte, shared", false}, {"a byte, L1", false}, {"a byte, L2", false},
	{"a byte, DRAM", false}, {"lowest roof", true}, {"of it", false}};

static void roof_cells(const struct drawing *d, const struct spot *s, struct text *out)
{
	double lowest = peak(d, d->precision);
	const char *name = "arithmetic";

	for (unsigned l = 0; l < ROOFLINE_LEVEL_COUNT; l++) {
		double roof = rate(d, l) * intensity(d, s, l);

		if (!isnan(roof) && (isnan(lowest) || roof < lowest)) {
			lowest = roof;
			name = roofline_labels[l];
		}
	}
	html_words(out, isnan(lowest) ? "" : name);
	html_real(out, 100 * speed(d, s) / lowest, 1, " %");
}

static void row(const struct drawing *d, unsigned k, struct text *out)
{
	const struct spot *s = &d->spot[k];

	html_row(out);
	html_name(out, s->name);
	html_whole(out, k + 1);
	html_words(out, roofline_precisions[d->precision]);
	html_whole(out, s->of.operations[d->precision]);
	html_real(out, speed(d, s), 3, "");
	html_real(out, 100 * speed(d, s) / peak(d, d->precision), 1, " %");
	for (unsigned l = 0; l < ROOFLINE_LEVEL_COUNT; l++)
		html_real(out, intensity(d, s, l), 3, "");
	roof_cells(d, s, out);
	html_row_end(out);
}

void page_roofline(
	const struct page_run *run, page_counted_fn *counted, void *ctx, struct text *out)
{
	struct drawing d = {.run = run};

	find_spots(&d, counted, ctx);
	name_series(&d);
	text_add(out,
		"<h2 id=\"roofline\">Roofline</h2>\n<p class=\"dim\">Operations for a byte at each "
		"level of memory, and how many were done in a nanosecond: a kernel&#39;s points are at one "
		"height, one for each level that it used, below that level&#39;s roof. Numbers are the "
		"table&#39;s.</p>\n<div class=\"side\">\n");
	for (unsigned p = 0; p < PRECISION_COUNT; p++) {
		d.precision = (enum precision)p;
		picture(&d, out);
	}
	text_add(out, "</div>\n");
	html_table(out, "Roofline", columns, ARRAY_LEN(columns));
	for (unsigned k = 0; k < d.n; k++)
		for (unsigned p = 0; p < PRECISION_COUNT; p++) {
			d.precision = (enum precision)p;
			if (d.spot[k].of.operations[p])
				row(&d, k, out);
		}
	html_table_end(out);
}
