/* A kernel's explanation as text. */
#include "cli/explain/explain.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define CODE_WIDTH 64 /* columns before the source */

static void add_piece(void *ctx, enum explain_style style, const char *text)
{
	(void)style;
	text_add(ctx, "%s", text);
}

static void access_lines(const struct explained *e, struct text *out)
{
	text_add(out, "\v  %-20s", "operands in the code");
	for (unsigned p = 0; p < REGISTERS_LEVELS; p++)
		text_add(out, "\t%13s", register_level_name(p, explain_has_cache(e)));
	text_add(out, "\n  %20s", "reads");
	for (unsigned p = 0; p < REGISTERS_LEVELS; p++)
		text_add(out, "\t%13" PRIu64, e->accesses.reads[p]);
	text_add(out, "\n  %20s", "writes");
	for (unsigned p = 0; p < REGISTERS_LEVELS; p++)
		text_add(out, "\t%13" PRIu64, e->accesses.writes[p]);
	text_add(out, "\n");
}

static void head(const struct explained *e, struct text *out)
{
	const struct program *p = e->program;

	text_add(out, "kernel %s (", e->name);
	if (strcmp(e->name, p->name) != 0)
		text_add(out, "%s, ", p->name);
	text_add(out, "%s)\n", p->file);
	text_add(out, "  %" PRIu32 " instruction%s in %" PRIu32 " block%s\n", p->ninstr,
		text_s(p->ninstr), e->nblocks, text_s(e->nblocks));
	text_add(out,
		"  registers: %" PRIu32 ", live at most: %" PRIu32 "; predicates: "
		"%" PRIu32 "\n",
		p->regs, e->most_live, p->preds);
	text_add(out,
		"  spills: stores %" PRIu32 ", loads %" PRIu32 "; local memory: %" PRIu32
		" bytes a thread\n",
		e->spill_stores, e->spill_loads, p->local_bytes);
	if (p->slots) {
		text_add(out, "  ");
		explain_slots(p, out);
		text_add(out, "\n");
	}
	if (!e->notes) {
		text_add(out, "  strands: not marked\n");
		return;
	}
	text_add(out, "  strands: %" PRIu32 ", of which %" PRIu32 " deschedule the warp\n",
		e->strands, e->waiting);
	text_add(out, "  hierarchy: ");
	explain_hierarchy(&p->levels->options, out);
	text_add(out, "\n");
	access_lines(e, out);
}

static void missing_sources(const struct explained *e, struct text *out)
{
	uint32_t n = e->program->module->ncuda_files;

	for (uint32_t f = 0; (f = explain_missing(e->sources, e->program, f)) < n; f++)
		text_add(out, "  source: %s %s\n", e->sources[f].name, e->sources[f].why);
}

/* The line of CUDA-C where it differs from that of the instruction before. */
static void source_of(const struct explained *e, uint32_t i, struct text *line, struct text *out)
{
	const char *file, *before_file = NULL, *words = NULL;
	uint32_t number, before = 0;

	words = explain_cuda(e, i, &file, &number);
	if (i)
		explain_cuda(e, i - 1, &before_file, &before);
	text_bytes(out, text_str(line), line->len);
	out->failed |= line->failed;
	if (number && (number != before || file != before_file)) {
		int gap = CODE_WIDTH - (int)line->len;

		text_add(out, "%*s \t%s:%" PRIu32, gap > 0 ? gap : 0, "", file, number);
		text_add(out, words ? "  " : "");
		if (words)
			text_source(out, words);
	}
	text_add(out, "\n");
}

static void instr_line(const struct explained *e, uint32_t i, struct text *line, struct text *out)
{
	line->len = 0;
	text_add(line, "%6" PRIu32 "\t%4" PRIu32 " \t", i, e->live[i]);
	explain_instr(e, i, add_piece, line);
	if (explain_is_spill(e->program, i))
		text_add(line, "  <- %s", explain_is_move(e->program, i) ? "move" : "spill");
	source_of(e, i, line, out);
}

void explain_text(const struct explained *e, struct text *out)
{
	struct text line = {0};
	uint32_t strand = 0;

	head(e, out);
	missing_sources(e, out);
	text_add(out, "\n%6s\t%4s \t%s\n", "", "live", "code");
	for (uint32_t i = 0; i < e->program->ninstr; i++) {
		if (e->block[i])
			text_add(out, "B%" PRIu32 ":\n", e->block[i] - 1);
		if (e->notes && e->notes[i].strand != STRAND_INSIDE)
			text_add(out, "  ---- strand %" PRIu32 ": %s\n", ++strand,
				explain_strand((enum strand_mark)e->notes[i].strand));
		instr_line(e, i, &line, out);
	}
	text_clear(&line);
}
