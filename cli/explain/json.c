/* Kernels' explanations as JSON: what the text shows, an object for each instruction. */
#include "cli/explain/explain.h"

#include "core/base.h"
#include "runs/json.h"

#include <string.h>

/* ---- an instruction */
struct words {
	struct text all, opcode;
	json_t *operands;
};

static void add_piece(void *ctx, enum explain_style style, const char *text)
{
	static const char *const kinds[] = {[EXPLAIN_MRF] = "mrf",
		[EXPLAIN_ORF] = "orf",
		[EXPLAIN_LRF] = "lrf",
		[EXPLAIN_PRED] = "predicate",
		[EXPLAIN_CONST] = "constant",
		[EXPLAIN_LABEL] = "label"};
	struct words *w = ctx;
	json_t *j;

	text_raw(&w->all, "%s", text);
	if (style == EXPLAIN_OPCODE)
		text_raw(&w->opcode, "%s", text);
	if (style == EXPLAIN_PLAIN || style == EXPLAIN_OPCODE)
		return;
	j = json_object();
	json_add(j, "kind", json_string(kinds[style]));
	json_add(j, "text", json_words(text, strcspn(text, " ")));
	json_append(w->operands, j);
}

static void add_source(const struct explained *e, uint32_t i, json_t *j)
{
	const struct src_line *l = &e->program->lines[e->program->code[i].line];
	const char *file, *words;
	uint32_t line;

	words = explain_cuda(e, i, &file, &line);
	json_add(j, "ptx_line", json_whole(l->ptx_line));
	json_add(j, "cuda_file", json_name(file));
	json_add(j, "cuda_line", line ? json_whole(line) : json_null());
	json_add(j, "cuda", json_name(words));
}

/* Where the code is as the instruction is reached. */
struct at {
	uint32_t block, strand;
};

static json_t *instruction(const struct explained *e, uint32_t i, struct at *at)
{
	struct words w = {.operands = json_array()};
	json_t *j = json_object();

	if (e->block[i])
		at->block = e->block[i] - 1;
	at->strand += e->notes && e->notes[i].strand != STRAND_INSIDE;
	explain_instr(e, i, add_piece, &w);
	if (w.all.failed || w.opcode.failed)
		mem_lose();
	json_add(j, "instruction", json_whole(i));
	json_add(j, "block", json_whole(at->block));
	json_add(j, "strand", e->notes ? json_whole(at->strand) : json_null());
	json_add(j, "live", json_whole(e->live[i]));
	json_add(j, "code", json_words(text_str(&w.all), w.all.len));
	json_add(j, "opcode", json_words(text_str(&w.opcode), w.opcode.len));
	json_add(j, "operands", w.operands);
	json_add(j, "spill", json_boolean(explain_is_spill(e->program, i)));
	json_add(j, "move", json_boolean(explain_is_move(e->program, i)));
	add_source(e, i, j);
	text_clear(&w.all);
	text_clear(&w.opcode);
	return j;
}

static json_t *code(const struct explained *e)
{
	json_t *list = json_array();
	struct at at = {0, 0};

	for (uint32_t i = 0; i < e->program->ninstr; i++)
		json_append(list, instruction(e, i, &at));
	return list;
}

/* ---- a kernel */
static json_t *blocks(const struct explained *e)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < e->program->ninstr; i++) {
		json_t *j;

		if (!e->block[i])
			continue;
		j = json_object();
		json_add(j, "block", json_whole(e->block[i] - 1));
		json_add(j, "first_instruction", json_whole(i));
		json_append(list, j);
	}
	return list;
}

static json_t *strands(const struct explained *e)
{
	json_t *list = json_array();
	uint32_t n = 0;

	for (uint32_t i = 0; i < e->program->ninstr; i++) {
		json_t *j;

		if (e->notes[i].strand == STRAND_INSIDE)
			continue;
		j = json_object();
		json_add(j, "strand", json_whole(++n));
		json_add(j, "first_instruction", json_whole(i));
		json_add(j, "descheduled", json_boolean(e->notes[i].strand == STRAND_WAITS));
		json_append(list, j);
	}
	return list;
}

static json_t *levels(const struct explained *e)
{
	json_t *list = json_array();

	for (unsigned p = 0; p < REGISTERS_LEVELS; p++) {
		json_t *j = json_object();

		json_add(j, "level",
			json_string(
				register_level_name((enum register_level)p, explain_has_cache(e))));
		json_add(j, "reads", json_whole(e->accesses.reads[p]));
		json_add(j, "writes", json_whole(e->accesses.writes[p]));
		json_append(list, j);
	}
	return list;
}

static json_t *slots(const struct program *p)
{
	json_t *j = json_object();

	json_add(j, "used", json_whole(p->slots));
	json_add(j, "allowed", json_whole(p->slot_budget));
	json_add(j, "moves", json_whole(p->slot_moves));
	json_add(j, "local_bytes", json_whole(p->spill_bytes));
	return j;
}

static json_t *hierarchy(const struct explained *e)
{
	struct text words = {0};
	json_t *j;

	explain_hierarchy(&e->program->levels->options, &words);
	if (words.failed)
		mem_lose();
	j = json_words(text_str(&words), words.len);
	text_clear(&words);
	return j;
}

static json_t *kernel(const struct explained *e)
{
	const struct program *p = e->program;
	json_t *j = json_object();

	json_add(j, "kernel", json_name(p->name));
	json_add(j, "kernel_source", json_name(e->name));
	json_add(j, "file", json_name(p->file));
	json_add(j, "instructions", json_whole(p->ninstr));
	json_add(j, "registers", json_whole(p->regs));
	json_add(j, "max_live_registers", json_whole(e->most_live));
	json_add(j, "predicates", json_whole(p->preds));
	json_add(j, "spill_stores", json_whole(e->spill_stores));
	json_add(j, "spill_loads", json_whole(e->spill_loads));
	json_add(j, "local_bytes", json_whole(p->local_bytes));
	json_add(j, "slots", p->slots ? slots(p) : json_null());
	json_add(j, "hierarchy", e->notes ? hierarchy(e) : json_null());
	json_add(j, "levels", e->notes ? levels(e) : json_null());
	json_add(j, "blocks", blocks(e));
	json_add(j, "strands", e->notes ? strands(e) : json_null());
	json_add(j, "code", code(e));
	return j;
}

int explain_json(const struct explained *e, unsigned n, const struct explain_page *page,
	json_t *machine, struct text *out)
{
	json_t *j = json_object(), *kernels = json_array();

	for (unsigned k = 0; k < n; k++)
		json_append(kernels, kernel(&e[k]));
	json_add(j, "schema", json_integer(1));
	json_add(j, "program", json_program());
	json_add(j, "target", json_name(page->target));
	json_add(j, "machine", machine);
	json_add(j, "kernels", kernels);
	return json_print(j, out);
}
