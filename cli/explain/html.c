/* Kernels' explanations as one self-contained page of HTML: a colour for each level, light or dark
 * as the browser is. */
#include "cli/explain/explain.h"

#include "core/base.h"
#include "draw/html.h"
#include "draw/svg.h"

#include <inttypes.h>

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
	html_row(out);
	html_name(out, name);
	for (unsigned p = 0; p < REGISTERS_LEVELS; p++)
		html_whole(out, counts[p]);
	html_row_end(out);
}

static void counts_table(const struct explained *e, struct text *out)
{
	struct html_column columns[REGISTERS_LEVELS + 1] = {{"operands", true}};

	for (unsigned p = 0; p < REGISTERS_LEVELS; p++)
		columns[p + 1].name = register_level_name(p, explain_has_cache(e));
	html_table(out, "Operands in the code, by level", columns, ARRAY_LEN(columns));
	counts_row("reads", e->accesses.reads, out);
	counts_row("writes", e->accesses.writes, out);
	html_table_end(out);
}

static void head(const struct explained *e, struct text *out)
{
	const struct program *p = e->program;

	text_add(out, "<h2 id=\"");
	svg_escaped(p->name, out);
	text_add(out, "\">");
	svg_escaped(e->name, out);
	text_add(out, "</h2>\n<p class=\"facts\">");
	svg_escaped(p->file, out);
	text_add(out,
		" &#183; %" PRIu32 " instruction%s in %" PRIu32
		" block%s &#183; registers: %" PRIu32 ", live at most: %" PRIu32
		" &#183; predicates: %" PRIu32 "<br/>spills: stores %" PRIu32 ", loads %" PRIu32
		" &#183; local memory: %" PRIu32 " bytes a thread",
		p->ninstr, text_s(p->ninstr), e->nblocks, text_s(e->nblocks), p->regs, e->most_live,
		p->preds, e->spill_stores, e->spill_loads, p->local_bytes);
	if (p->slots) {
		text_add(out, "<br/>");
		explain_slots(p, out);
	}
	if (e->notes) {
		text_add(out,
			" &#183; strands: %" PRIu32 ", of which %" PRIu32
			" deschedule the warp<br/>hierarchy: ",
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
	text_add(out, "%s</td>", spill ? "  &#8592; spill" : "");
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

	text_add(out, "<div class=\"wide\"><table class=\"code\"><caption>Allocated code</caption>"
		      "<thead><tr><th scope=\"col\"></th><th scope=\"col\">live</th><th "
		      "scope=\"col\" class=\"w\">code</th><th scope=\"col\" "
		      "class=\"w\">source</th></tr></thead><tbody>\n");
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
	text_add(out, "</tbody></table></div>\n");
}

void explain_html(
	const struct explained *e, unsigned n, const struct explain_page *page, struct text *out)
{
	html_open(out, page->target, ": allocated code");
	text_add(out, "<p class=\"facts\">");
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
		svg_escaped(e[k].name, out);
		text_add(out, "</a>");
	}
	text_add(out, "</nav>\n");
	html_tools(out);
	for (unsigned k = 0; k < n; k++) {
		head(&e[k], out);
		code_table(&e[k], out);
	}
	html_close(out, false);
}
