/* A comparison with a real GPU as a page. */
#include "cli/compare/hardware.h"

#include "core/base.h"
#include "draw/html.h"

#include <stdio.h>

static void score_row(const char *name, const char *value, struct text *out)
{
	html_row(out);
	html_name(out, name);
	html_words(out, value);
	html_row_end(out);
}

static void scores(const struct real *c, struct text *out)
{
	static const struct html_column columns[] = {{"score", true}, {"value", true}};
	char n[32], signs[48];

	html_table(out, "Scores", columns, ARRAY_LEN(columns));
	snprintf(n, sizeof(n), "%u of %u", c->scored, c->n);
	score_row("scored", n, out);
	score_row("ratio, geometric mean", compare_number(c->geometric, 3, n), out);
	score_row("geometric mean error, %", compare_number(c->geometric_error_pct, 1, n), out);
	score_row("mean error, %", compare_number(c->error_pct, 1, n), out);
	score_row("correlation of logarithms", compare_number(c->correlation, 3, n), out);
	score_row("rank correlation", compare_number(c->rank, 3, n), out);
	snprintf(signs, sizeof(signs), "%u of %u", c->signs, c->npairs);
	if (c->npairs)
		score_row("sign of speedups", signs, out);
	html_table_end(out);
}

static void targets(const struct real *c, struct text *out)
{
	static const struct html_column columns[] = {{"target", true}, {"size", true},
		{"ours, cycles", false}, {"the GPU, cycles", false}, {"counted by", true},
		{"ratio", false}, {"not scored", true}};

	html_table(out, "Targets", columns, ARRAY_LEN(columns));
	for (unsigned i = 0; i < c->n; i++) {
		const struct real_row *r = &c->rows[i];

		html_row(out);
		html_name(out, r->label);
		html_words(out, r->options.size ? "full" : "small");
		html_real(out, r->cycles, 0, "");
		html_real(out, r->gpu_cycles, 0, "");
		html_words(out, r->counted ? "clock64" : "time");
		html_real(out, real_ratio(r), 3, "");
		html_long(out, r->unscored ? r->unscored : "");
		html_row_end(out);
	}
	html_table_end(out);
}

static void pairs(const struct real *c, struct text *out)
{
	static const struct html_column columns[] = {{"from", true}, {"to", true},
		{"ours, speedup", false}, {"the GPU, speedup", false}, {"sign", true}};

	if (!c->npairs)
		return;
	html_table(out, "Variants", columns, ARRAY_LEN(columns));
	for (unsigned i = 0; i < c->npairs; i++) {
		const struct real_pair *p = &c->pairs[i];

		html_row(out);
		html_name(out, p->a->label);
		html_long(out, p->what);
		html_real(out, p->ours, 3, "");
		html_real(out, p->theirs, 3, "");
		html_words(out, real_pair_agrees(p) ? "the same" : "another");
		html_row_end(out);
	}
	html_table_end(out);
}

static void curves(const struct real *c, struct text *out)
{
	static const struct html_column columns[] = {{"group", true}, {"of", true},
		{"footprint", false}, {"stride", false}, {"warps", false}, {"CTAs", false},
		{"the GPU", false}, {"ours", false}, {"ratio", false}, {"unit", true}};

	if (!c->curves.n)
		return;
	html_table(out, "Microbenchmarks", columns, ARRAY_LEN(columns));
	for (unsigned i = 0; i < c->curves.n; i++) {
		const struct curve *p = &c->curves.at[i];

		html_row(out);
		html_name(out, p->group);
		html_words(out, p->what);
		html_whole(out, p->footprint);
		html_whole(out, p->stride);
		html_whole(out, p->warps);
		html_whole(out, p->ctas);
		html_real(out, c->gpu_values[i], 3, "");
		html_real(out, p->value, 3, "");
		html_real(out, p->value / c->gpu_values[i], 3, "");
		html_words(out, p->unit);
		html_row_end(out);
	}
	html_table_end(out);
}

void real_html(const struct real *c, struct text *out)
{
	struct text title = {0};

	text_raw(&title, "%s beside %s", c->o->run.chip, real_gpu_name(c));
	html_open(out, text_str(&title), "");
	out->failed |= title.failed;
	text_clear(&title);
	text_add(out, "<p class=\"facts\">");
	html_add(out, "measured: %s", c->date ? c->date : "no date");
	text_add(out, "</p>\n");
	html_tools(out);
	scores(c, out);
	text_add(out, "<figure class=\"wide\">\n");
	real_scatter(c, out);
	text_add(out, "</figure>\n");
	targets(c, out);
	pairs(c, out);
	curves(c, out);
	html_close(out, false);
}
