/* The memory chart of a part: levels as boxes, what passes between them as arrows. */
#include "cli/html/html.h"

#include "core/base.h"
#include "draw/html.h"
#include "draw/number.h"
#include "draw/svg.h"
#include "runs/kernels/chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BOX_WIDE 110
#define BOX_HIGH 36
#define WIDE 960
#define HIGH 290

/* By the middle of their left side. */
static const struct box {
	const char *name;
	int x, y;
} boxes[] = {{"kernel", 0, 130}, {"shared memory", 220, 30}, {"L1", 220, 100}, {"local", 220, 170},
	{"texture", 220, 240}, {"network", 430, 130}, {"L2", 640, 130}, {"DRAM", 850, 130}};

/* Where an edge of chart_of is drawn. */
static const struct wire {
	const char *from, *to; /* of the edge */
	int x1, y1, x2, y2;
} wires[] = {{"kernel", "shared memory", 110, 118, 220, 30},
	{"kernel", "global", 110, 126, 220, 100}, {"kernel", "local", 110, 134, 220, 170},
	{"kernel", "texture", 110, 142, 220, 240}, {"SMs", "network", 330, 100, 430, 122},
	{"network", "SMs", 430, 138, 330, 112}, {"reads", "L2", 540, 130, 640, 130},
	{"DRAM", "L2", 850, 138, 750, 138}, {"L2", "DRAM", 750, 122, 850, 122}};

static const struct chart_edge *edge_of(
	const struct chart_edge *edge, unsigned n, const char *from, const char *to)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(edge[i].from, from) && !strcmp(edge[i].to, to) && edge[i].requests > 0)
			return &edge[i];
	return NULL;
}

/* Wider for more bytes, by powers of two. */
static double width_of(const struct chart_edge *e)
{
	double v = isnan(e->bytes) ? e->requests * 32 : e->bytes;

	return 1 + fmax(0, log2(v + 1) - 8) / 4;
}

static void wire(const struct wire *w, const struct chart_edge *e, struct text *out)
{
	char number[32], words[64];
	bool back = w->x2 < w->x1;

	snprintf(words, sizeof(words), "%s",
		isnan(e->bytes) ? number_grouped((uint64_t)e->requests, number)
				: number_bytes(e->bytes, number));
	text_add(out,
		"<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" class=\"ax\" "
		"stroke-width=\"%.1f\"><title>",
		w->x1, w->y1, w->x2, w->y2, width_of(e));
	html_add(out, "%s to %s: %.0f %s", w->from, w->to, e->requests, e->unit);
	text_add(out, "</title></line><text x=\"%d\" y=\"%d\" text-anchor=\"middle\" class=\"lb\">",
		(w->x1 + w->x2) / 2, (w->y1 + w->y2) / 2 + (back ? 15 : -6));
	html_add(out, back ? "\xe2\x86\x90 %s" : "%s \xe2\x86\x92", words);
	text_add(out, "</text>\n");
}

static void box(const struct box *b, double hit, struct text *out)
{
	int middle = b->x + BOX_WIDE / 2;

	text_add(out,
		"<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\" class=\"box\"/>"
		"<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" class=\"lb\">%s</text>\n",
		b->x, b->y - BOX_HIGH / 2, BOX_WIDE, BOX_HIGH, middle, b->y + (isnan(hit) ? 4 : -2),
		b->name);
	if (!isnan(hit))
		text_add(out,
			"<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" class=\"lb\" "
			"font-size=\"11\">%.1f %% hit</text>\n",
			middle, b->y + 13, hit);
}

static double hit_of(const struct chart_edge *edge, unsigned n, const char *to)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(edge[i].to, to) && edge[i].requests > 0)
			return edge[i].hit_pct;
	return NAN;
}

static void picture(const struct chart_edge *edge, unsigned n, struct text *out)
{
	text_add(out,
		"<div class=\"wide\"><svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d "
		"%d\" width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"memory chart; its "
		"numbers are in the table below\" font-size=\"12\">\n",
		WIDE, HIGH, WIDE, HIGH);
	for (unsigned i = 0; i < ARRAY_LEN(wires); i++) {
		const struct chart_edge *e = edge_of(edge, n, wires[i].from, wires[i].to);

		if (e)
			wire(&wires[i], e, out);
	}
	for (unsigned i = 0; i < ARRAY_LEN(boxes); i++)
		box(&boxes[i], hit_of(edge, n, boxes[i].name), out);
	text_add(out, "</svg></div>\n");
}

void page_memory(const struct metric_set *s, struct text *out)
{
	static const struct html_column columns[] = {{"from", true}, {"to", true},
		{"requests", false}, {"unit", true}, {"bytes", false}, {"hits", false}};
	struct chart_edge edge[CHART_EDGES];
	unsigned n = chart_of(s, edge);

	picture(edge, n, out);
	html_table(out, "Memory chart", columns, ARRAY_LEN(columns));
	for (unsigned i = 0; i < n; i++) {
		if (edge[i].requests <= 0)
			continue;
		html_row(out);
		html_name(out, edge[i].from);
		html_words(out, edge[i].to);
		html_whole(out, (uint64_t)edge[i].requests);
		html_words(out, edge[i].unit);
		html_bytes(out, edge[i].bytes);
		html_real(out, edge[i].hit_pct, 1, " %");
		html_row_end(out);
	}
	html_table_end(out);
}
