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

#define BOX_WIDE 100
#define BOX_HIGH 36
#define WIDE 960
#define HIGH 310

/* By the middle of their left side. */
static const struct box {
	const char *name;
	int x, y;
} boxes[] = {{"kernel", 0, 130}, {"shared memory", 215, 40}, {"L1", 215, 130}, {"local", 215, 220},
	{"texture", 215, 285}, {"network", 430, 130}, {"L2", 645, 130}, {"DRAM", 860, 130}};

/* Where an edge of chart_of is drawn, and the line of its words, which is not on a wire. */
static const struct wire {
	const char *from, *to; /* of the edge */
	const char *path;
	int x, bytes_y, requests_y; /* bytes_y 0: the edge has none */
	const char *unit;           /* short, of the requests */
	bool back;
} wires[] = {{"kernel", "shared memory", "M50 112V40H215", 135, 34, 54, "instr.", false},
	{"kernel", "global", "M100 130H215", 158, 124, 144, "instr.", false},
	{"kernel", "local", "M66 148V220H215", 143, 0, 214, "instr.", false},
	{"kernel", "texture", "M34 148V285H215", 125, 0, 279, "instr.", false},
	{"SMs", "network", "M315 123H430", 372, 101, 115, "packets", false},
	{"network", "SMs", "M430 137H315", 372, 153, 167, "packets", true},
	{"reads", "L2", "M530 121H645", 588, 99, 113, "sectors", false},
	{"writes", "L2", "M530 130H645", 588, 0, 155, "writes", false},
	{"atomics", "L2", "M530 139H645", 588, 0, 169, "atomics", false},
	{"other side", "L2", "M695 66V112", 695, 46, 60, "sectors of copies", false},
	{"L2", "DRAM", "M745 123H860", 802, 101, 115, "packets", false},
	{"DRAM", "L2", "M860 137H745", 802, 153, 167, "packets", true}};

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

static void words_at(int x, int y, bool back, const char *words, struct text *out)
{
	text_add(out, "<text x=\"%d\" y=\"%d\">", x, y);
	html_add(out, back ? "\xe2\x86\x90 %s" : "%s \xe2\x86\x92", words);
	text_add(out, "</text>\n");
}

static void words_of(const struct wire *w, const struct chart_edge *e, struct text *out)
{
	char number[32], words[64];

	if (w->bytes_y)
		words_at(w->x, w->bytes_y, w->back, number_bytes(e->bytes, number), out);
	snprintf(words, sizeof(words), "%s %s", number_grouped((uint64_t)e->requests, number),
		w->unit);
	words_at(w->x, w->requests_y, w->back, words, out);
}

static void box(const struct box *b, double hit, struct text *out)
{
	int middle = b->x + BOX_WIDE / 2;

	text_add(out,
		"<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\" class=\"box\"/>"
		"<text x=\"%d\" y=\"%d\">%s</text>\n",
		b->x, b->y - BOX_HIGH / 2, BOX_WIDE, BOX_HIGH, middle, b->y + (isnan(hit) ? 4 : -2),
		b->name);
	if (!isnan(hit))
		text_add(out, "<text x=\"%d\" y=\"%d\">%.1f %% hit</text>\n", middle, b->y + 13,
			hit);
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
	const struct chart_edge *e[ARRAY_LEN(wires)];

	text_add(out,
		"<div class=\"wide\"><svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d "
		"%d\" width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"memory chart; its "
		"numbers are in the table below\" font-size=\"11.5\">\n",
		WIDE, HIGH, WIDE, HIGH);
	for (unsigned i = 0; i < ARRAY_LEN(wires); i++) {
		e[i] = edge_of(edge, n, wires[i].from, wires[i].to);
		if (e[i])
			text_add(out,
				"<path d=\"%s\" class=\"ax\" fill=\"none\" "
				"stroke-width=\"%.1f\"/>\n",
				wires[i].path, width_of(e[i]));
	}
	text_add(out, "<g text-anchor=\"middle\" class=\"lb\">\n");
	for (unsigned i = 0; i < ARRAY_LEN(wires); i++)
		if (e[i])
			words_of(&wires[i], e[i], out);
	for (unsigned i = 0; i < ARRAY_LEN(boxes); i++)
		box(&boxes[i], hit_of(edge, n, boxes[i].name), out);
	text_add(out, "</g>\n");
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
