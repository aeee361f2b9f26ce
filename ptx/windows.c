/* How many of a function's registers must survive each call: a callee's window begins above those,
 * not above all. Lanes that are elsewhere meanwhile keep theirs, because writes are masked. */
#include "ptx/live.h"

#include <string.h>

/* Registers in use below this mark, at one instruction. */
struct mark {
	uint32_t regs, preds;
};

/* A stretch of a block in which a callee's registers hold something: from the first argument that
 * is written to the last result that is read. */
struct stretch {
	uint32_t callee, first, last;
	struct mark mark;
};

struct measure {
	struct ir_function *f;
	const struct live *live;
	struct live_set set;
	struct mark *at;  /* by instruction */
	uint32_t *number; /* by callee: 1 + its stretch in this block */
	struct stretch *stretch;
	uint32_t n;
};

static void raise_mark(const struct ir_function *f, struct mark *m, uint32_t v)
{
	uint32_t *to = f->words[v] ? &m->regs : &m->preds;
	uint32_t end = f->place[v] + (f->words[v] ? f->words[v] : 1u);

	*to = end > *to ? end : *to;
}

static void raise_both(struct mark *m, struct mark other)
{
	m->regs = other.regs > m->regs ? other.regs : m->regs;
	m->preds = other.preds > m->preds ? other.preds : m->preds;
}

/* What is live behind the instruction, and what it reads and writes. */
static struct mark mark_instr(const struct measure *w, const struct ir_instr *i)
{
	struct mark m = {0, 0};
	uint32_t uses[IR_USES];
	unsigned n = ir_uses(i, uses);

	for (uint32_t k = 0; k < w->set.n; k++)
		raise_mark(w->f, &m, w->set.list[k]);
	for (unsigned u = 0; u < n; u++)
		raise_mark(w->f, &m, uses[u]);
	for (unsigned d = 0; d < i->ndst; d++)
		if (i->dst[d].kind == IR_REG)
			raise_mark(w->f, &m, i->dst[d].index);
	return m;
}

static void touch(struct measure *w, uint32_t callee, uint32_t i)
{
	if (!w->number[callee]) {
		w->stretch[w->n] = (struct stretch){.callee = callee, .first = i};
		w->number[callee] = ++w->n;
	}
	w->stretch[w->number[callee] - 1].last = i;
}

static void touch_instr(struct measure *w, uint32_t i)
{
	const struct ir_instr *in = &w->f->code[i];

	if (in->action == ACT_CALL)
		touch(w, in->target, i);
	for (unsigned s = 0; s < in->nsrc; s++)
		if (in->src[s].kind == IR_CALLEE)
			touch(w, (uint32_t)in->src[s].bits, i);
	for (unsigned d = 0; d < in->ndst; d++)
		if (in->dst[d].kind == IR_CALLEE)
			touch(w, (uint32_t)in->dst[d].bits, i);
}

static void find_stretches(struct measure *w, const struct ir_block *b)
{
	for (uint32_t k = 0; k < w->n; k++)
		w->number[w->stretch[k].callee] = 0;
	w->n = 0;
	for (uint32_t i = b->first; i < b->end; i++)
		touch_instr(w, i);
}

static void measure_block(struct measure *w, uint32_t block)
{
	const struct ir_block *b = &w->f->blocks[block];
	uint32_t first = UINT32_MAX;

	find_stretches(w, b);
	for (uint32_t k = 0; k < w->n; k++)
		first = w->stretch[k].first < first ? w->stretch[k].first : first;
	if (w->n == 0)
		return;
	live_at_end(w->live, block, &w->set);
	for (uint32_t i = b->end; i-- > first;) {
		w->at[i] = mark_instr(w, &w->f->code[i]);
		live_step_back(w->f, &w->f->code[i], &w->set);
	}
	for (uint32_t k = 0; k < w->n; k++)
		for (uint32_t i = w->stretch[k].first; i <= w->stretch[k].last; i++)
			raise_both(&w->stretch[k].mark, w->at[i]);
}

static bool has_calls(const struct ir_function *f, const struct ir_block *b)
{
	for (uint32_t i = b->first; i < b->end; i++)
		if (f->code[i].action == ACT_CALL)
			return true;
	return false;
}

/* Calls stand in the list block by block. */
static uint32_t set_calls(const struct measure *w, const struct ir_block *b, uint32_t c)
{
	for (; c < w->f->ncalls; c++) {
		struct ir_call *call = &w->f->calls[c];

		if (call->instr < b->first || call->instr >= b->end)
			break;
		call->regs = w->stretch[w->number[call->callee] - 1].mark.regs;
		call->preds = w->stretch[w->number[call->callee] - 1].mark.preds;
	}
	return c;
}

void windows_measure(
	struct ir_function *f, uint32_t nfunctions, const struct live *live, struct arena *work)
{
	struct measure w = {.f = f, .live = live};
	uint32_t c = 0;

	if (f->ncalls == 0)
		return;
	w.set = live_set_new(f, work);
	w.at = arena_alloc(work, f->ninstr, sizeof(*w.at));
	w.number = arena_alloc(work, nfunctions, sizeof(*w.number));
	w.stretch = arena_alloc(work, nfunctions, sizeof(*w.stretch));
	for (uint32_t b = 0; b < f->nblocks; b++) {
		if (!has_calls(f, &f->blocks[b]))
			continue;
		measure_block(&w, b);
		c = set_calls(&w, &f->blocks[b], c);
	}
}
