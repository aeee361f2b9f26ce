/* Kernels' explanations as one self-contained page of HTML: a colour for each level, light or dark
 * as the browser is. */
#include "cli/explain/explain.h"

#include "draw/svg.h"

#include <inttypes.h>
#include <string.h>

static const char page_head[] =
	"<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	"<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
	"<meta name=\"color-scheme\" content=\"light dark\">\n";

static const char style[] =
	"<style>\n"
	":root{--bg:#fff;--fg:#1d2430;--dim:#6b7685;--line:#e3e7ec;--bar:#c9d6e6;--head:#f5f7fa;"
	"--m:#b3261e;--o:#9a5b00;--l:#116329;--p:#6639ba;--c:#0550ae;--wait:#fff1d6;"
	"--spill:#fde4e4}\n"
	"@media(prefers-color-scheme:dark){:root{--bg:#14181e;--fg:#dde3ea;--dim:#8793a1;"
	"--line:#2a313a;--bar:#34465c;--head:#1b2027;--m:#ff8a80;--o:#f2b450;--l:#6fd08c;"
	"--p:#c4a5ff;--c:#7fb6ff;--wait:#3a2f14;--spill:#42201f}}\n"
	"body{margin:0 auto;max-width:78rem;padding:1.5rem;background:var(--bg);color:var(--fg);"
	"font:15px/1.5 system-ui,sans-serif}\n"
	"h1{font-size:1.3rem;margin:0 0 .5rem}h2{font-size:1.1rem;margin:2.2rem 0 .4rem}\n"
	"nav a{margin-right:1rem;color:var(--c)}.facts{color:var(--dim)}\n"
	"table{border-collapse:collapse}.wide{overflow-x:auto}\n"
	".counts td,.counts th{padding:.1rem .9rem .1rem 0;text-align:right}\n"
	".counts th:first-child,.counts td:first-child{text-align:left;color:var(--dim)}\n"
	".code{width:100%;font:13px/1.45 ui-monospace,Menlo,Consolas,monospace;white-space:pre}\n"
	".code th{position:sticky;top:0;background:var(--head);text-align:left;"
	"font-weight:600;padding:.2rem .6rem}\n"
	".code td{padding:0 .6rem}.n{text-align:right;color:var(--dim)}\n"
	".live{width:7rem;color:var(--dim)}.live i{display:inline-block;height:.7em;"
	"background:var(--bar);margin-right:.4em}\n"
	".src{color:var(--dim)}.strand td{border-top:1px solid var(--line);color:var(--dim);"
	"font-size:11px;padding-top:.35rem}.waits td{background:var(--wait)}\n"
	".spill td{background:var(--spill)}.block td{padding-top:.5rem;font-weight:600}\n"
	"b{font-weight:600}.m{color:var(--m)}.o{color:var(--o)}.l{color:var(--l)}"
	".p{color:var(--p)}.c{color:var(--c)}.k{font-weight:600;color:var(--c)}\n"
	".op{font-weight:600}.key span{margin-right:1.2rem}\n"
	"</style>\n";

static void add_piece(void *ctx, enum explain_style kind, const char *text)
{
	static const char *const classes[] = {[EXPLAIN_OPCODE] = "op",
		[EXPLAIN_MRF] = "m",
		[EXPLAIN_ORF] = "o",
		[EXPLAIN_LRF] = "l",
		[EXPLAIN_PRED] = "p",
		[EXPLAIN_CONST] = "c",
		[EXPLAIN_LABEL] = "k"};

	if (kind != EXPLAIN_PLAIN)
		text_add(ctx, "<span class=\"%s\">", classes[kind]);
	svg_escaped(text, ctx);
	if (kind != EXPLAIN_PLAIN)
		text_add(ctx, "</span>");
}

void explain_instr_html(const struct explained *e, uint32_t i, struct text *out)
{
	explain_instr(e, i, add_piece, out);
	if (explain_is_spill(e->program, i))
		text_add(out, "  &#8592; spill");
}

/* ---- a kernel's head */
static void counts_row(const char *name, const uint64_t *counts, struct text *out)
{
	text_add(out, "<tr><td>%s</td>", name);
	for (unsigned p = 0; p < REGISTERS_LEVELS; p++)
		text_add(out, "<td>%" PRIu64 "</td>", counts[p]);
	text_add(out, "</tr>\n");
}

static void counts_table(const struct explained *e, struct text *out)
{
	static const char *const classes[REGISTERS_LEVELS] = {"m", "o", "o", "l"};

	text_add(out, "<table class=\"counts\"><tr><th>operands in the code</th>");
	for (unsigned p = 0; p < REGISTERS_LEVELS; p++)
		text_add(out, "<th class=\"%s\">%s</th>", classes[p],
			register_level_name(p, explain_has_cache(e)));
	text_add(out, "</tr>\n");
	counts_row("reads", e->accesses.reads, out);
	counts_row("writes", e->accesses.writes, out);
	text_add(out, "</table>\n");
}

static void head(const struct explained *e, struct text *out)
{
	const struct program *p = e->program;

	text_add(out, "<h2 id=\"");
	svg_escaped(p->name, out);
	text_add(out, "\">");
	svg_escaped(p->name, out);
	text_add(out, "</h2>\n<p class=\"facts\">");
	svg_escaped(p->file, out);
	text_add(out,
		" &middot; %" PRIu32 " instruction%s in %" PRIu32
		" block%s &middot; registers: %" PRIu32 ", live at most: %" PRIu32
		" &middot; predicates: %" PRIu32 "<br>spills: stores %" PRIu32 ", loads %" PRIu32
		" &middot; local memory: %" PRIu32 " bytes a thread",
		p->ninstr, text_s(p->ninstr), e->nblocks, text_s(e->nblocks), p->regs, e->most_live,
		p->preds, e->spill_stores, e->spill_loads, p->local_bytes);
	if (p->slots) {
		text_add(out, "<br>");
		explain_slots(p, out);
	}
	if (e->notes) {
		text_add(out,
			" &middot; strands: %" PRIu32 ", of which %" PRIu32
			" deschedule the warp<br>hierarchy: ",
			e->strands, e->waiting);
		explain_hierarchy(&p->levels->options, out);
	}
	text_add(out, "</p>\n");
	if (e->notes)
		counts_table(e, out);
}

/* ---- its code */
static void source_cell(const struct explained *e, uint32_t i, struct text *out)
{
	const char *file, *before_file = NULL;
	uint32_t number, before = 0;
	const char *words = explain_cuda(e, i, &file, &number);

	if (i)
		explain_cuda(e, i - 1, &before_file, &before);
	text_add(out, "<td class=\"src\">");
	if (number && (number != before || file != before_file)) {
		svg_escaped(file, out);
		text_add(out, ":%" PRIu32 "  ", number);
		svg_escaped(words ? words : "", out);
	}
	text_add(out, "</td></tr>\n");
}

static void instr_row(const struct explained *e, uint32_t i, struct text *out)
{
	bool spill = explain_is_spill(e->program, i);
	uint32_t most = e->most_live ? e->most_live : 1;

	text_add(out,
		"<tr%s><td class=\"n\">%" PRIu32 "</td><td class=\"live\"><i style=\"width:%" PRIu32
		"%%\"></i>%" PRIu32 "</td><td>",
		spill ? " class=\"spill\"" : "", i, 70 * e->live[i] / most, e->live[i]);
	explain_instr(e, i, add_piece, out);
	text_add(out, "%s</td>", spill ? "  &larr; spill" : "");
	source_cell(e, i, out);
}

static void strand_row(const struct explained *e, uint32_t i, uint32_t strand, struct text *out)
{
	enum strand_mark mark = (enum strand_mark)e->notes[i].strand;

	text_add(out, "<tr class=\"strand%s\"><td colspan=\"4\">strand %" PRIu32 ": %s</td></tr>\n",
		mark == STRAND_WAITS ? " waits" : "", strand, explain_strand(mark));
}

static void code_table(const struct explained *e, struct text *out)
{
	uint32_t strand = 0;

	text_add(out, "<div class=\"wide\"><table class=\"code\"><tr><th></th><th>live</th>"
		      "<th>code</th><th>source</th></tr>\n");
	for (uint32_t i = 0; i < e->program->ninstr; i++) {
		if (e->block[i])
			text_add(out,
				"<tr class=\"block\"><td colspan=\"4\" class=\"k\">B%" PRIu32
				":</td></tr>\n",
				e->block[i] - 1);
		if (e->notes && e->notes[i].strand != STRAND_INSIDE)
			strand_row(e, i, ++strand, out);
		instr_row(e, i, out);
	}
	text_add(out, "</table></div>\n");
}

void explain_html(
	const struct explained *e, unsigned n, const struct explain_page *page, struct text *out)
{
	text_raw(out, "%s<title>", page_head);
	svg_escaped(page->target, out);
	text_raw(out, ": allocated code</title>\n%s</head><body>\n<h1>", style);
	svg_escaped(page->target, out);
	text_add(out, ": allocated code</h1>\n<p class=\"facts\">");
	svg_escaped(page->machine, out);
	text_add(out,
		"</p>\n<p class=\"key\"><span class=\"m\">r12 main "
		"register (MRF)</span><span class=\"o\">o1 operand file "
		"(ORF)</span><span class=\"l\">lA last result (LRF)</span>"
		"<span class=\"facts\">r12+o1 is written to both, r12&gt;o1 is read from one and "
		"kept in the other; live: 32-bit registers that are needed</span></p>\n<nav>");
	for (unsigned k = 0; k < n; k++) {
		text_add(out, "<a href=\"#");
		svg_escaped(e[k].program->name, out);
		text_add(out, "\">");
		svg_escaped(e[k].program->name, out);
		text_add(out, "</a>");
	}
	text_add(out, "</nav>\n");
	for (unsigned k = 0; k < n; k++) {
		head(&e[k], out);
		code_table(&e[k], out);
	}
	text_add(out, "</body></html>\n");
}
