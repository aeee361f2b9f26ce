/* The sections of a part of a run: Speed of Light, mix, occupancy, figures, stalls. */
#include "cli/html/html.h"

#include "core/base.h"
#include "draw/html.h"
#include "draw/svg.h"
#include "runs/kernels/light.h"
#include "runs/kernels/whatif.h"
#include "sm/reasons.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Speed of Light and mix */
static void mix(const struct metric_set *s, struct text *out)
{
	static const struct html_column columns[] = {
		{"pipe", true}, {"warp instructions", false}, {"share", false}, {"", true}};
	struct light_share rows[LIGHT_SHARES];
	unsigned n = light_mix_of(s, rows);

	html_table(out, "Instruction mix", columns, ARRAY_LEN(columns));
	for (unsigned i = 0; i < n; i++) {
		html_row(out);
		html_name(out, rows[i].label);
		html_whole(out, (uint64_t)rows[i].instructions);
		html_real(out, rows[i].pct, 1, " %");
		html_bar(out, rows[i].pct / 100);
		html_row_end(out);
	}
	html_table_end(out);
}

void page_light(const struct page_run *run, const struct metric_set *s, struct text *out)
{
	static const struct html_column columns[] = {{"unit", true}, {"of peak", false}, {"", true},
		{"achieved", false}, {"peak", false}, {"in", true}};
	struct light rows[LIGHTS];
	unsigned n = light_of(s, &run->sheet, rows);

	text_add(out, "<p>");
	light_binds(rows, n, out);
	text_add(out, "</p>\n<div class=\"side\"><div>");
	html_table(out, "Speed of Light", columns, ARRAY_LEN(columns));
	for (unsigned i = 0; i < n; i++) {
		html_row(out);
		html_name(out, rows[i].label);
		html_real(out, light_pct(&rows[i]), 1, " %");
		html_bar(out, light_pct(&rows[i]) / 100);
		html_real(out, rows[i].achieved, rows[i].achieved < 1000 ? 1 : 0, "");
		html_real(out, rows[i].peak, rows[i].peak < 1000 ? 1 : 0, "");
		html_words(out, rows[i].unit);
		html_row_end(out);
	}
	html_table_end(out);
	text_add(out, "</div><div>");
	mix(s, out);
	text_add(out, "</div></div>\n");
}

/* ---- occupancy */
static void whatif_table(const struct whatif_row *row, unsigned unit, struct text *out)
{
	static const struct html_column columns[] = {
		{"if it needed", false}, {"CTAs on an SM", false}, {"warps", false}, {"", true}};
	char caption[96];
	uint32_t most = 1;

	snprintf(caption, sizeof(caption), "Occupancy: %s (now %.4g)", row->label,
		(double)row->now / unit);
	for (unsigned i = 0; i < row->n; i++)
		most = row->at[i].warps > most ? row->at[i].warps : most;
	html_table(out, caption, columns, ARRAY_LEN(columns));
	for (unsigned i = 0; i < row->n; i++) {
		text_add(out, "<tr><td>%u</td>", row->at[i].value / unit);
		html_real(out, row->at[i].ctas, 0, "");
		html_real(out, row->at[i].warps, 0, "");
		html_bar(out, (double)row->at[i].warps / most);
		html_row_end(out);
	}
	html_table_end(out);
}

void page_occupancy(const struct page_run *run, const struct page_part *part, struct text *out)
{
	char limit[KERNELS_LIMIT];
	uint32_t ctas;

	if (part->launch == PAGE_NO_LAUNCH)
		return;
	ctas = kernels_limit(run->report->gpu, part->launch, limit);
	text_add(out, "<p>At most %u CTA%s on an SM, limited by ", ctas, text_s(ctas));
	svg_escaped(limit, out);
	text_add(out, ".</p>\n");
	text_add(out, "<div class=\"side\">\n");
	for (unsigned w = 0; w < WHATIFS; w++) {
		struct whatif_row row = whatif_of(run->report->gpu, part->launch, (enum whatif)w);

		text_add(out, "<div>");
		whatif_table(&row, w == WHATIF_SHARED ? 1024 : 1, out);
		text_add(out, "</div>");
	}
	text_add(out, "</div>\n");
}

/* ---- figures */
static void figure(const struct metric *m, struct text *out)
{
	if (!strcmp(m->unit, "nJ")) {
		html_energy(out, m->real);
		html_words(out, "");
		return;
	}
	if (m->is_real)
		html_real(out, m->real, strcmp(m->unit, "%") ? 3 : 1, "");
	else
		html_real(out, (double)m->count, 0, "");
	html_words(out, m->unit);
}

void page_figures(const struct page_run *run, const struct metric_set *s, struct text *out)
{
	static const struct html_column columns[] = {
		{"figure", true}, {"of", true}, {"value", false}, {"unit", true}, {"metric", true}};

	(void)run;
	html_table(out, "Figures", columns, ARRAY_LEN(columns));
	for (unsigned i = 0; i < nreport_lines; i++) {
		const struct metric *m = metric_find(s, report_lines[i].metric);

		if (!m)
			continue;
		html_row(out);
		html_name(out, report_lines[i].label);
		html_words(out, report_lines[i].group);
		figure(m, out);
		html_words(out, m->name);
		html_row_end(out);
	}
	html_table_end(out);
}

/* ---- stalls */
#define STALL_NAME(S, T, id, name, text) {"sched__cycles_" #name ".sum", #name, text},
static const struct {
	const char *metric, *name, *text;
} stalls[] = {SM_REASONS(STALL_NAME, 0, 0)};

void page_stalls(const struct metric_set *s, struct text *out)
{
	static const struct html_column columns[] = {{"reason", true}, {"cycles", false},
		{"share", false}, {"", true}, {"meaning", true}};
	double all = 0;

	for (unsigned i = 0; i < ARRAY_LEN(stalls); i++)
		all += metric_value(s, stalls[i].metric);
	html_table(out, "Schedulers' cycles by reason", columns, ARRAY_LEN(columns));
	for (unsigned i = 0; i < ARRAY_LEN(stalls) && all > 0; i++) {
		double v = metric_value(s, stalls[i].metric);

		if (v <= 0)
			continue;
		html_row(out);
		html_name(out, stalls[i].name);
		html_whole(out, (uint64_t)v);
		html_real(out, 100 * v / all, 1, " %");
		html_bar(out, v / all);
		html_long(out, stalls[i].text);
		html_row_end(out);
	}
	html_table_end(out);
}
