/* Registers live across calls: a callee's frame starts above those, not above all of the caller's
 * registers. Lanes that wait elsewhere keep their values, because writes are masked. */
#include "ptx/ir/live.h"

#include <stdlib.h>

/* The numbers of all registers live at an instruction are below this mark. */
struct mark {
	uint32_t regs, preds;
};

/* A range of a block in which registers of a callee are live: from the first argument written to
 * the last result read, once for each call. */
struct range {
	uint32_t callee, first, last; /* callee: index among those of this function */
	bool called;
	struct mark mark;
};

struct measure {
	struct ir_function *f;
	const struct live *live;
	struct live_set set;
	struct mark *at;  /* by instruction */
	uint32_t *callee; /* the functions that it calls, ascending */
	uint32_t ncallees;
	uint32_t *number; /* by callee: its last range in this block, plus one */
	uint32_t *of;     /* by call instruction: its range */
	struct range *range;
	uint32_t n;
	struct mark *loose; /* by callee: ranges without a call, which read results of a call in an
			       earlier block */
};

static void raise_mark(const struct ir_function *f, struct mark *m, uint32_t v)
{
	uint32_t *to = f->words[v] ? &m->regs : &m->preds;
	uint32_t end = f->location[v] + (f->words[v] ? f->words[v] : 1u);

	if (f->words[v] & IR_SLOT)
		return;
	*to = end > *to ? end : *to;
}

static void raise_both(struct mark *m, struct mark other)
{
	m->regs = other.regs > m->regs ? other.regs : m->regs;
	m->preds = other.preds > m->preds ? other.preds : m->preds;
}

/* The mark of an instruction: its live-out registers and its operands. */
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

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* The index of a function among the callees of this one. */
static uint32_t callee_index(const struct measure *w, uint32_t function)
{
	const uint32_t *at =
		bsearch(&function, w->callee, w->ncallees, sizeof(*w->callee), by_number);

	return (uint32_t)(at - w->callee);
}

/* `begins`: an argument is written, or the call is made. */
static void touch(struct measure *w, uint32_t function, uint32_t i, bool begins)
{
	uint32_t callee = callee_index(w, function), *number = &w->number[callee];

	if (!*number || (begins && w->range[*number - 1].called)) {
		w->range[w->n] = (struct range){.callee = callee, .first = i};
		*number = ++w->n;
	}
	w->range[*number - 1].last = i;
}

static void touch_instr(struct measure *w, uint32_t i)
{
	const struct ir_instr *in = &w->f->code[i];

	for (unsigned s = 0; s < in->nsrc; s++)
		if (in->src[s].kind == IR_CALLEE)
			touch(w, (uint32_t)in->src[s].bits, i, false);
	for (unsigned d = 0; d < in->ndst; d++)
		if (in->dst[d].kind == IR_CALLEE)
			touch(w, (uint32_t)in->dst[d].bits, i, true);
	if (in->action == ACT_CALL) {
		touch(w, in->target, i, true);
		w->of[i] = w->number[callee_index(w, in->target)] - 1;
		w->range[w->of[i]].called = true;
	}
}

static void find_ranges(struct measure *w, const struct ir_block *b)
{
	for (uint32_t k = 0; k < w->n; k++)
		w->number[w->range[k].callee] = 0;
	w->n = 0;
	for (uint32_t i = b->first; i < b->end; i++)
		touch_instr(w, i);
}

static void measure_block(struct measure *w, uint32_t block)
{
	const struct ir_block *b = &w->f->blocks[block];
	uint32_t first = UINT32_MAX;

	for (uint32_t k = 0; k < w->n; k++)
		first = w->range[k].first < first ? w->range[k].first : first;
	if (w->n == 0)
		return;
	live_at_end(w->live, block, &w->set);
	for (uint32_t i = b->end; i-- > first;) {
		w->at[i] = mark_instr(w, &w->f->code[i]);
		live_step_back(w->f, &w->f->code[i], &w->set);
	}
	for (uint32_t k = 0; k < w->n; k++) {
		struct range *s = &w->range[k];

		for (uint32_t i = s->first; i <= s->last; i++)
			raise_both(&s->mark, w->at[i]);
		if (!s->called)
			raise_both(&w->loose[s->callee], s->mark);
	}
}

/* The list of calls is in block order. */
static uint32_t set_calls(const struct measure *w, const struct ir_block *b, uint32_t c)
{
	for (; c < w->f->ncalls; c++) {
		struct ir_call *call = &w->f->calls[c];

		if (call->instr < b->first || call->instr >= b->end)
			break;
		call->regs = w->range[w->of[call->instr]].mark.regs;
		call->preds = w->range[w->of[call->instr]].mark.preds;
	}
	return c;
}

static void add_loose(const struct measure *w)
{
	for (uint32_t c = 0; c < w->f->ncalls; c++) {
		struct ir_call *call = &w->f->calls[c];
		struct mark mark = {call->regs, call->preds};

		raise_both(&mark, w->loose[callee_index(w, call->callee)]);
		call->regs = mark.regs;
		call->preds = mark.preds;
	}
}

/* Writes the functions that the instruction calls to `to`, unless it is NULL; returns their number.
 */
static uint32_t name_callees(const struct ir_instr *in, uint32_t *to)
{
	uint32_t named[IR_USES], n = 0;

	for (unsigned s = 0; s < in->nsrc; s++)
		if (in->src[s].kind == IR_CALLEE)
			named[n++] = (uint32_t)in->src[s].bits;
	for (unsigned d = 0; d < in->ndst; d++)
		if (in->dst[d].kind == IR_CALLEE)
			named[n++] = (uint32_t)in->dst[d].bits;
	if (in->action == ACT_CALL)
		named[n++] = in->target;
	for (uint32_t k = 0; to && k < n; k++)
		to[k] = named[k];
	return n;
}

/* Sized by this function, not by the module: in a module of many functions each calls a few. */
static void make_arrays(struct measure *w, struct arena *work)
{
	const struct ir_function *f = w->f;
	uint32_t n = 0, k = 0;

	for (uint32_t i = 0; i < f->ninstr; i++)
		n += name_callees(&f->code[i], NULL);
	w->callee = arena_alloc(work, n + 1, sizeof(*w->callee));
	for (uint32_t i = 0; i < f->ninstr; i++)
		k += name_callees(&f->code[i], w->callee + k);
	qsort(w->callee, n, sizeof(*w->callee), by_number);
	for (k = 0; k < n; k++)
		if (k == 0 || w->callee[k] != w->callee[w->ncallees - 1])
			w->callee[w->ncallees++] = w->callee[k];
	w->number = arena_alloc(work, w->ncallees + 1, sizeof(*w->number));
	w->loose = arena_alloc(work, w->ncallees + 1, sizeof(*w->loose));
	w->range = arena_alloc(work, n + 1, sizeof(*w->range));
	w->of = arena_alloc(work, f->ninstr, sizeof(*w->of));
}

void calls_measure(struct ir_function *f, const struct live *live, struct arena *work)
{
	struct measure w = {.f = f, .live = live};
	uint32_t c = 0;

	if (f->ncalls == 0)
		return;
	make_arrays(&w, work);
	w.set = live_set_new(f, work);
	w.at = arena_alloc(work, f->ninstr, sizeof(*w.at));
	for (uint32_t b = 0; b < f->nblocks; b++) {
		find_ranges(&w, &f->blocks[b]);
		measure_block(&w, b);
		c = set_calls(&w, &f->blocks[b], c);
	}
	add_loose(&w);
}

static uint16_t less(uint32_t limit, uint32_t taken)
{
	return (uint16_t)(limit > taken ? limit - taken : 0);
}

static uint16_t lower(uint16_t a, uint16_t b)
{
	return a < b ? a : b;
}

void calls_limit(struct ir_function *f, const struct calls_limit *l, struct arena *work)
{
	struct measure w = {.f = f};

	for (uint32_t i = 0; i < f->ninstr; i++) {
		l->capacity[i] = (uint16_t)l->regs;
		l->pred_capacity[i] = (uint16_t)l->preds;
	}
	if (f->ncalls == 0)
		return;
	make_arrays(&w, work);
	for (uint32_t b = 0; b < f->nblocks; b++) {
		find_ranges(&w, &f->blocks[b]);
		for (uint32_t k = 0; k < w.n; k++) {
			const struct range *s = &w.range[k];
			uint32_t callee = w.callee[s->callee];
			uint16_t capacity = less(l->regs, l->regs_below[callee]);
			uint16_t pred_capacity = less(l->preds, l->preds_below[callee]);

			for (uint32_t i = s->first; i <= s->last; i++) {
				l->capacity[i] = lower(l->capacity[i], capacity);
				l->pred_capacity[i] = lower(l->pred_capacity[i], pred_capacity);
			}
		}
	}
}
