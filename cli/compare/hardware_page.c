/* A comparison with a real GPU as one self-contained page, light or dark as the browser is, that a
 * telephone shows as well. */
#include "cli/compare/hardware.h"

#include "draw/html.h"

#include <stdio.h>

static const char head[] =
	"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n"
	"<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"/>\n"
	"<meta name=\"color-scheme\" content=\"light dark\"/>\n<style>\n"
	":root{--bg:#fff;--fg:#1d2430;--dim:#6b7685;--line:#d5dae0;--dot:#1f4e8c;--off:#a9b1bb;"
	"--equal:#b3261e}\n"
	"@media(prefers-color-scheme:dark){:root{--bg:#14181e;--fg:#dde3ea;--dim:#8793a1;"
	"--line:#2f3742;--dot:#7fb6ff;--off:#5b6572;--equal:#ff8a80}}\n"
	"body{margin:0 auto;max-width:60rem;padding:1rem;background:var(--bg);color:var(--fg);"
	"font:15px/1.5 system-ui,sans-serif}\n"
	"h1{font-size:1.2rem}h2{font-size:1.05rem;margin:1.6rem 0 .3rem}\n"
	"svg{display:block;width:100%;max-width:600px;height:auto}svg>rect:first-of-type{fill:none}\n"
	"svg text{fill:var(--fg)}.frame{stroke:var(--dim)}.grid{stroke:var(--line)}"
	".equal{stroke:var(--equal)}.scored{fill:var(--dot)}.unscored{fill:var(--off)}\n"
	".wide{overflow-x:auto}table{border-collapse:collapse}"
	"td,th{padding:.1rem .8rem .1rem 0;text-align:right;white-space:nowrap}"
	"td:first-child,th:first-child,td:last-child,th:last-child{text-align:left}"
	"th{color:var(--dim);font-weight:600;border-bottom:1px solid var(--line)}\n"
	"</style><title>";

static void cell(const char *words, struct text *out)
{
	text_add(out, "<td>");
	html_add(out, "%s", words);
	text_add(out, "</td>");
}

static void score_row(const char *name, const char *value, struct text *out)
{
	text_add(out, "<tr>");
	cell(name, out);
	cell(value, out);
	text_add(out, "</tr>\n");
}

static void scores(const struct real *c, struct text *out)
{
	char n[32], signs[48];

	snprintf(n, sizeof(n), "%u of %u", c->scored, c->n);
	text_add(out, "<table>\n");
	score_row("scored", n, out);
	score_row("ratio, geometric mean", compare_number(c->geometric, 3, n), out);
	score_row("geometric mean error, %", compare_number(c->geometric_error_pct, 1, n), out);
	score_row("mean error, %", compare_number(c->error_pct, 1, n), out);
	score_row("correlation of logarithms", compare_number(c->correlation, 3, n), out);
	score_row("rank correlation", compare_number(c->rank, 3, n), out);
	snprintf(signs, sizeof(signs), "%u of %u", c->signs, c->npairs);
	if (c->npairs)
		score_row("sign of speedups", signs, out);
	text_add(out, "</table>\n");
}

static void targets(const struct real *c, struct text *out)
{
	char n[32];

	text_add(out, "<h2>Targets</h2><div class=\"wide\"><table><tr><th>target</th><th>size</th>"
		      "<th>ours, cycles</th><th>the GPU, cycles</th><th>counted by</th>"
		      "<th>ratio</th><th>not scored</th></tr>\n");
	for (unsigned i = 0; i < c->n; i++) {
		const struct real_row *r = &c->rows[i];

		text_add(out, "<tr>");
		cell(r->label, out);
		cell(r->options.size ? "full" : "small", out);
		cell(compare_number(r->cycles, 0, n), out);
		cell(compare_number(r->gpu_cycles, 0, n), out);
		cell(r->counted ? "clock64" : "time", out);
		cell(compare_number(real_ratio(r), 3, n), out);
		cell(r->unscored ? r->unscored : "", out);
		text_add(out, "</tr>\n");
	}
	text_add(out, "</table></div>\n");
}

static void pairs(const struct real *c, struct text *out)
{
	char n[32];

	if (!c->npairs)
		return;
	text_add(out, "<h2>Variants</h2><div class=\"wide\"><table><tr><th>from</th><th>to</th>"
		      "<th>ours, speedup</th><th>the GPU, speedup</th><th>sign</th></tr>\n");
	for (unsigned i = 0; i < c->npairs; i++) {
		const struct real_pair *p = &c->pairs[i];

		text_add(out, "<tr>");
		cell(p->a->label, out);
		cell(p->what, out);
		cell(compare_number(p->ours, 3, n), out);
		cell(compare_number(p->theirs, 3, n), out);
		cell(real_pair_agrees(p) ? "the same" : "another", out);
		text_add(out, "</tr>\n");
	}
	text_add(out, "</table></div>\n");
}

static void curves(const struct real *c, struct text *out)
{
	char n[32];

	if (!c->curves.n)
		return;
	text_add(out, "<h2>Microbenchmarks</h2><div class=\"wide\"><table><tr><th>of</th>"
		      "<th>footprint</th><th>stride</th><th>warps</th><th>CTAs</th><th>the GPU</th>"
		      "<th>ours</th><th>ratio</th><th>unit</th></tr>\n");
	for (unsigned i = 0; i < c->curves.n; i++) {
		const struct curve *p = &c->curves.at[i];

		text_add(out, "<tr><td>");
		html_add(out, "%s, %s", p->group, p->what);
		text_add(out, "</td><td>%u</td><td>%u</td><td>%u</td><td>%u</td>", p->footprint,
			p->stride, p->warps, p->ctas);
		cell(compare_number(c->gpu_values[i], 3, n), out);
		cell(compare_number(p->value, 3, n), out);
		cell(compare_number(p->value / c->gpu_values[i], 3, n), out);
		cell(p->unit, out);
		text_add(out, "</tr>\n");
	}
	text_add(out, "</table></div>\n");
}

void real_html(const struct real *c, struct text *out)
{
	text_raw(out, "%s", head);
	html_add(out, "%s beside %s", c->o->run.chip, real_gpu_name(c));
	text_add(out, "</title></head><body><h1>");
	html_add(out, "%s beside %s, %s", c->o->run.chip, real_gpu_name(c),
		c->date ? c->date : "no date");
	text_add(out, "</h1>\n");
	scores(c, out);
	real_scatter(c, out);
	targets(c, out);
	pairs(c, out);
	curves(c, out);
	text_add(out, "</body></html>\n");
}
