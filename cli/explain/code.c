/* The text of a decoded instruction: opcode, operands by location, branch targets by block. */
#include "cli/explain/explain.h"

#include "core/base.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* An instruction being printed. */
struct writer {
	const struct explained *e;
	const struct instr *in;
	uint32_t at;
	explain_piece_fn *piece;
	void *ctx;
};

static void say(const struct writer *w, enum explain_style style, const char *text)
{
	w->piece(w->ctx, style, text);
}

/* ---- locations */
static enum explain_style style_of(const struct program *p, uint32_t plane)
{
	static const enum explain_style styles[LEVEL_COUNT] = {
		[LEVEL_MRF] = EXPLAIN_MRF, [LEVEL_ORF] = EXPLAIN_ORF, [LEVEL_LRF] = EXPLAIN_LRF};

	return p->levels ? styles[level_of(p, plane)] : EXPLAIN_MRF;
}

/* "r12", "o1", "lA" (of a split LRF) or "l"; a pair is "r12:13"; the pointer to the slots "sp". */
static void name_plane(const struct program *p, uint32_t plane, unsigned words, char *out, size_t n)
{
	enum explain_style style = style_of(p, plane);
	char more[16] = "";
	uint32_t k = plane;

	if (style == EXPLAIN_LRF) {
		k -= p->regs + p->levels->upper;
		snprintf(out, n, p->levels->lrf > 1 ? "l%c" : "l", 'A' + (int)k);
		return;
	}
	if (style == EXPLAIN_ORF)
		k -= p->regs;
	if (p->slots && plane == p->slot_pointer) {
		snprintf(out, n, "sp");
		return;
	}
	if (words > 1)
		snprintf(more, sizeof(more), ":%" PRIu32, k + words - 1);
	snprintf(out, n, "%c%" PRIu32 "%s", style == EXPLAIN_ORF ? 'o' : 'r', k, more);
}

static void say_plane(const struct writer *w, uint32_t plane, unsigned words)
{
	char name[32];

	name_plane(w->e->program, plane, words, name, sizeof(name));
	say(w, style_of(w->e->program, plane), name);
}

/* Copies of operand o that are made when it is read (deposits) or written: the next one from number
 * *k on, or NULL. Of a pair the first represents both. */
static const struct level_copy *next_copy(
	const struct writer *w, const struct operand *o, bool deposit, unsigned *k)
{
	const struct level_note *note = w->e->notes ? &w->e->notes[w->at] : NULL;

	while (note && *k < note->ncopies) {
		const struct level_copy *c = &w->e->program->levels->copies[note->copies + (*k)++];

		if (c->deposit == deposit && c->from == o->index)
			return c;
	}
	return NULL;
}

/* "r3+o1": a result goes to both. The main register comes first. */
static void say_result(const struct writer *w, const struct operand *o)
{
	const struct level_copy *c;
	unsigned k = 0;

	while ((c = next_copy(w, o, false, &k))) {
		say_plane(w, c->to, o->words);
		say(w, EXPLAIN_PLAIN, "+");
	}
	say_plane(w, o->index, o->words);
}

/* "r3>o1": it is read from one and kept in the other. */
static void say_read(const struct writer *w, const struct operand *o)
{
	const struct level_copy *c;
	unsigned k = 0;

	say_plane(w, o->index, o->words);
	while ((c = next_copy(w, o, true, &k))) {
		say(w, EXPLAIN_PLAIN, ">");
		say_plane(w, c->to, o->words);
	}
}

/* ---- constants */
static enum ptx_type last_type(const char *opcode)
{
	const char *dot = opcode ? strrchr(opcode, '.') : NULL;

	return dot ? ptx_type_parse(dot + 1) : T_NONE;
}

static uint64_t constant(const struct program *p, const struct operand *o)
{
	uint64_t v = p->consts[(size_t)o->index * WARP_LANES];

	if (o->words > 1)
		v |= (uint64_t)p->consts[(o->index + 1u) * (size_t)WARP_LANES] << 32;
	return v;
}

/* As a float where the opcode ends in a float type, otherwise as a number, in hex when it is
 * large. */
static void name_constant(uint64_t v, unsigned words, enum ptx_type type, char *out, size_t n)
{
	uint32_t low = (uint32_t)v;
	float f;
	double d;

	memcpy(&f, &low, sizeof(f));
	memcpy(&d, &v, sizeof(d));
	if (type == T_F32 && words == 1)
		snprintf(out, n, "%.9gf", (double)f);
	else if (type == T_F64 && words == 2)
		snprintf(out, n, "%.17g", d);
	else if (words == 1 && (int32_t)low < 0 && (int32_t)low >= -65536)
		snprintf(out, n, "%" PRId32, (int32_t)low);
	else
		snprintf(out, n, v < 1000000 ? "%" PRIu64 : "0x%" PRIx64, v);
}

/* ---- operands */
static void say_operand(const struct writer *w, const struct operand *o, bool negated)
{
	const struct program *p = w->e->program;
	char text[48];

	switch ((enum operand_kind)o->kind) {
	case OPND_NONE:
		say(w, EXPLAIN_PLAIN, "_");
		return;
	case OPND_REG:
		say_plane(w, o->index, o->words);
		return;
	case OPND_PRED:
		snprintf(text, sizeof(text), "%sp%u", negated ? "!" : "", o->index);
		say(w, EXPLAIN_PRED, text);
		return;
	case OPND_CONST:
		name_constant(constant(p, o), o->words, last_type(p->lines[w->in->line].opcode),
			text, sizeof(text));
		say(w, EXPLAIN_CONST, text);
		return;
	}
}

static void say_source(const struct writer *w, unsigned s)
{
	if (w->in->src[s].kind == OPND_REG)
		say_read(w, &w->in->src[s]);
	else
		say_operand(w, &w->in->src[s], w->in->src_negated >> s & 1);
}

/* Two predicates that one comparison sets are "p0|p1". */
static void say_list(const struct writer *w, const struct operand *list, unsigned first, unsigned n)
{
	for (unsigned k = first; k < n; k++) {
		bool result = list == w->in->dst;

		if (k > first)
			say(w, EXPLAIN_PLAIN, result && list[k].kind == OPND_PRED ? "|" : ", ");
		if (!result)
			say_source(w, k);
		else if (list[k].kind == OPND_REG)
			say_result(w, &list[k]);
		else
			say_operand(w, &list[k], false);
	}
}

static void say_vector(
	const struct writer *w, const struct operand *list, unsigned first, unsigned n, bool braces)
{
	if (braces)
		say(w, EXPLAIN_PLAIN, "{");
	say_list(w, list, first, n);
	if (braces)
		say(w, EXPLAIN_PLAIN, "}");
}

/* ---- memory */
static const struct param_slot *slot_at(const struct program *p, uint64_t offset)
{
	for (uint32_t i = 0; i < p->nparams; i++)
		if (offset >= p->params[i].offset &&
			offset < (uint64_t)p->params[i].offset + p->params[i].bytes)
			return &p->params[i];
	return NULL;
}

static void say_absolute(const struct writer *w)
{
	const struct param_slot *slot = w->in->space == SPACE_PARAM
						? slot_at(w->e->program, (uint64_t)w->in->offset)
						: NULL;
	char text[80];

	if (slot && slot->offset == (uint64_t)w->in->offset)
		snprintf(text, sizeof(text), "%.64s", slot->name);
	else if (slot)
		snprintf(text, sizeof(text), "%.48s+%" PRIu64, slot->name,
			(uint64_t)w->in->offset - slot->offset);
	else
		snprintf(text, sizeof(text), "%" PRId64, w->in->offset);
	say(w, EXPLAIN_CONST, text);
}

static void say_address(const struct writer *w)
{
	char offset[32];

	say(w, EXPLAIN_PLAIN, "[");
	if (w->in->nsrc && w->in->src[0].kind != OPND_NONE) {
		say_source(w, 0);
		if (w->in->slot)
			snprintf(offset, sizeof(offset), "+s%" PRId64, w->in->offset / SLOT_ROW);
		else
			snprintf(offset, sizeof(offset), "%+" PRId64, w->in->offset);
		if (w->in->offset || w->in->slot)
			say(w, EXPLAIN_CONST, offset);
	} else {
		say_absolute(w);
	}
	say(w, EXPLAIN_PLAIN, "]");
}

static void say_memory(const struct writer *w)
{
	const struct instr *in = w->in;

	if (in->ndst) {
		say_vector(w, in->dst, 0, in->ndst, in->vec > 1);
		say(w, EXPLAIN_PLAIN, ", ");
	}
	say_address(w);
	if (in->nsrc > 1) {
		say(w, EXPLAIN_PLAIN, ", ");
		say_vector(w, in->src, 1, in->nsrc, in->action == ACT_STORE && in->vec > 1);
	}
}

/* ---- control */
static void say_label(const struct writer *w, uint32_t target)
{
	char text[24];

	if (target >= w->e->program->ninstr)
		snprintf(text, sizeof(text), "nowhere");
	else
		snprintf(text, sizeof(text), "B%" PRIu32, w->e->block[target] - 1);
	say(w, EXPLAIN_LABEL, text);
}

static void say_branch(const struct writer *w)
{
	const struct instr *in = w->in;

	if (!in->nsrc) {
		say_label(w, in->target);
		return;
	}
	say_source(w, 0);
	say(w, EXPLAIN_PLAIN, ", {");
	for (int64_t t = 0; t < in->offset; t++) {
		if (t)
			say(w, EXPLAIN_PLAIN, ", ");
		say_label(w, w->e->program->targets[in->target + t]);
	}
	say(w, EXPLAIN_PLAIN, "}");
}

/* Operands up to the last that was not left out. */
static unsigned present(const struct operand *list, unsigned n)
{
	while (n && list[n - 1].kind == OPND_NONE)
		n--;
	return n;
}

static void say_operands(const struct writer *w)
{
	const struct instr *in = w->in;

	switch ((enum action)in->action) {
	case ACT_LOAD:
	case ACT_STORE:
	case ACT_ATOM:
	case ACT_RED:
		say_memory(w);
		return;
	case ACT_BRANCH:
		say_branch(w);
		return;
	case ACT_CALL:
		say_label(w, in->target);
		return;
	case ACT_SREG:
		say_list(w, in->dst, 0, in->ndst);
		say(w, EXPLAIN_PLAIN, ", ");
		say(w, EXPLAIN_CONST, ptx_sreg_name((enum ptx_sreg)in->sreg));
		return;
	default:
		say_list(w, in->dst, 0, present(in->dst, in->ndst));
		if (in->ndst && in->nsrc)
			say(w, EXPLAIN_PLAIN, ", ");
		say_list(w, in->src, 0, present(in->src, in->nsrc));
	}
}

/* ---- opcodes */
static unsigned result_words(const struct instr *in)
{
	if (in->ndst && in->dst[0].kind == OPND_REG)
		return in->dst[0].words;
	return in->nsrc > 1 && in->src[1].kind == OPND_REG ? in->src[1].words : 1;
}

/* Instructions made by the compiler have no spelling in the PTX. */
static void name_own(const struct instr *in, char *out, size_t n)
{
	const char *type = result_words(in) > 1 ? "b64" : "b32";

	switch ((enum action)in->action) {
	case ACT_LOAD:
	case ACT_STORE:
		snprintf(out, n, "%s.%s.%s", in->action == ACT_LOAD ? "ld" : "st",
			ptx_space_name((enum ptx_space)in->space),
			ptx_type_name((enum ptx_type)in->mem_type));
		return;
	case ACT_EXIT:
		snprintf(out, n, "exit");
		return;
	case ACT_RET:
		snprintf(out, n, "ret");
		return;
	case ACT_BRANCH:
		snprintf(out, n, "bra");
		return;
	case ACT_SREG:
		snprintf(out, n, "mov.%s", type);
		return;
	default:
		snprintf(
			out, n, "mov.%s", in->ndst && in->dst[0].kind == OPND_PRED ? "pred" : type);
	}
}

void explain_instr(const struct explained *e, uint32_t i, explain_piece_fn *piece, void *ctx)
{
	const struct instr *in = &e->program->code[i];
	struct writer w = {e, in, i, piece, ctx};
	const char *opcode = e->program->lines[in->line].opcode;
	char text[64];

	if (in->guard != NO_GUARD) {
		snprintf(text, sizeof(text), "@%sp%u ", in->guard_negated ? "!" : "", in->guard);
		say(&w, EXPLAIN_PRED, text);
	}
	if (!opcode) {
		name_own(in, text, sizeof(text));
		opcode = text;
	}
	say(&w, EXPLAIN_OPCODE, opcode);
	if (in->ndst + in->nsrc +
		(in->action == ACT_BRANCH || in->action == ACT_CALL || in->action == ACT_LOAD))
		say(&w, EXPLAIN_PLAIN, " ");
	say_operands(&w);
}

bool explain_is_spill(const struct program *p, uint32_t i)
{
	return p->lines[p->code[i].line].spill;
}

const char *explain_strand(enum strand_mark mark)
{
	return mark == STRAND_WAITS ? "is descheduled" : "continues";
}
