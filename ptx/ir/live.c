/* Liveness, one register at a time: from each block with an upward-exposed use back to the
 * definitions. The cost is proportional to the result, not to blocks times registers. */
#include "ptx/ir/live.h"

#include <string.h>

/* How a block accesses a register. */
enum {
	READ = 1,  /* upward-exposed use */
	WRITE = 2, /* possibly guarded */
	KILL = 4,  /* unconditional write */
	HELD = 8   /* a value may be in the register at the block's begin */
};

struct touch {
	uint32_t block;
	uint8_t how;
};

/* Accesses of register v: first[v] .. first[v + 1] - 1, by block. Edges to block b: from
 * pred[pred_first[b]] on. */
struct flow {
	const struct ir_function *f;
	struct live *live;
	struct touch *touches;
	uint64_t *first;
	uint32_t *seen; /* last block that accessed it, plus one */
	bool counting;
	uint32_t *pred, *pred_first;
	/* of the current register; an element is valid when its stamp is the register's */
	uint32_t stamp;
	uint32_t *how_stamp, *in_stamp, *held_stamp; /* by block */
	uint8_t *how;
	uint32_t *region, n; /* blocks where it is live-in */
	uint32_t *queue;
};

/* ---- accesses of each block. */

static void note(struct flow *w, uint32_t v, uint32_t block, uint8_t how)
{
	struct touch *t;

	if (w->seen[v] != block + 1) {
		w->seen[v] = block + 1;
		if (!w->counting)
			w->touches[w->first[v]] = (struct touch){.block = block};
		w->first[v + w->counting]++;
	}
	if (w->counting)
		return;
	t = &w->touches[w->first[v] - 1];
	if (how != READ || !(t->how & KILL))
		t->how |= how;
}

static void note_instr(struct flow *w, const struct ir_instr *i, uint32_t block)
{
	uint32_t uses[IR_USES];
	unsigned n = ir_uses(i, uses);

	for (unsigned u = 0; u < n; u++)
		note(w, uses[u], block, READ);
	if (i->action == ACT_RET)
		for (uint32_t u = 0; u < w->f->nout; u++)
			note(w, w->f->out[u], block, READ);
	for (unsigned d = 0; d < i->ndst; d++)
		if (i->dst[d].kind == IR_REG)
			note(w, i->dst[d].index, block, ir_kills(i, d) ? WRITE | KILL : WRITE);
}

static void note_blocks(struct flow *w)
{
	memset(w->seen, 0, (w->f->nvregs + 1) * sizeof(*w->seen));
	for (uint32_t b = 0; b < w->f->nblocks; b++)
		for (uint32_t i = w->f->blocks[b].first; i < w->f->blocks[b].end; i++)
			note_instr(w, &w->f->code[i], b);
}

/* Filling moves first[v] to the end of v's accesses: it is moved back. */
static void fill_touches(struct flow *w)
{
	w->counting = false;
	note_blocks(w);
	memmove(w->first + 1, w->first, w->f->nvregs * sizeof(*w->first));
	w->first[0] = 0;
}

static void find_touches(struct flow *w, struct arena *work)
{
	uint32_t n = w->f->nvregs;

	w->seen = arena_alloc(work, n + 1, sizeof(*w->seen));
	w->first = arena_alloc(work, n + 2, sizeof(*w->first));
	w->counting = true;
	note_blocks(w);
	for (uint32_t v = 0; v < n; v++)
		w->first[v + 1] += w->first[v];
	w->touches = arena_alloc(work, w->first[n] + 1, sizeof(*w->touches));
	fill_touches(w);
}

/* ---- one register. */

static void enter_region(struct flow *w, uint32_t block)
{
	if (w->in_stamp[block] == w->stamp)
		return;
	w->in_stamp[block] = w->stamp;
	w->region[w->n++] = block;
}

/* The blocks where v is live-in if every register is defined at the entry. */
static void find_region(struct flow *w, uint32_t v)
{
	w->stamp++;
	w->n = 0;
	for (uint64_t t = w->first[v]; t < w->first[v + 1]; t++) {
		uint32_t b = w->touches[t].block;

		w->how[b] = w->touches[t].how;
		w->how_stamp[b] = w->stamp;
		if (w->how[b] & READ)
			enter_region(w, b);
	}
	for (uint32_t k = 0; k < w->n; k++) {
		uint32_t b = w->region[k];

		for (uint32_t e = w->pred_first[b]; e < w->pred_first[b + 1]; e++) {
			uint32_t p = w->pred[e];

			if (w->how_stamp[p] != w->stamp || !(w->how[p] & KILL))
				enter_region(w, p);
		}
	}
}

static void enter_held(struct flow *w, uint32_t block, uint32_t *n)
{
	if (w->in_stamp[block] != w->stamp || w->held_stamp[block] == w->stamp)
		return;
	w->held_stamp[block] = w->stamp;
	w->queue[(*n)++] = block;
}

/* The blocks of the region that a definition reaches. After its last write in a block, v is live
 * along such a path, so searching the region is sufficient. */
static void find_held(struct flow *w, uint32_t v, bool formal)
{
	const struct ir_block *blocks = w->f->blocks;
	uint32_t n = 0;

	if (formal)
		enter_held(w, 0, &n);
	for (uint64_t t = w->first[v]; t < w->first[v + 1]; t++) {
		const struct ir_block *b = &blocks[w->touches[t].block];

		for (uint32_t s = 0; (w->touches[t].how & WRITE) && s < b->nsucc; s++)
			enter_held(w, b->succ[s], &n);
	}
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t s = 0; s < blocks[w->queue[k]].nsucc; s++)
			enter_held(w, blocks[w->queue[k]].succ[s], &n);
}

/* Computes the region where v is live-in and defined. A value that is defined at the entry is
 * defined wherever it is live. */
static void look_at(struct flow *w, uint32_t v, bool formal)
{
	uint32_t n = 0;

	find_region(w, v);
	if (w->in_stamp[0] != w->stamp)
		return;
	find_held(w, v, formal);
	for (uint32_t k = 0; k < w->n; k++)
		if (w->held_stamp[w->region[k]] == w->stamp)
			w->region[n++] = w->region[k];
	w->n = n;
}

/* ---- all registers. */

static bool *find_formals(const struct ir_function *f, struct arena *work)
{
	bool *formal = arena_alloc(work, f->nvregs + 1, sizeof(*formal));

	for (uint32_t k = 0; k < f->nin; k++)
		formal[f->in[k]] = true;
	return formal;
}

static void find_held_touches(struct flow *w, uint32_t v, bool formal)
{
	look_at(w, v, formal);
	for (uint32_t k = 0; k < w->n; k++)
		w->held_stamp[w->region[k]] = w->stamp;
	for (uint64_t t = w->first[v]; t < w->first[v + 1]; t++)
		if (w->held_stamp[w->touches[t].block] == w->stamp)
			w->touches[t].how |= HELD;
}

/* Registers that are undefined when a guarded instruction first writes them. `at`: by register, its
 * access in the block or before. */
static bool mark_instr(struct flow *w, struct ir_instr *i, uint32_t block, uint64_t *at)
{
	bool any = false;

	for (unsigned d = 0; d < i->ndst; d++) {
		uint32_t v = i->dst[d].index;

		if (i->dst[d].kind != IR_REG)
			continue;
		while (w->touches[at[v]].block < block)
			at[v]++;
		if (i->guard != NO_VREG && w->seen[v] != block + 1 &&
			!(w->touches[at[v]].how & HELD)) {
			i->fresh |= (uint8_t)(1u << d);
			any = true;
		}
		w->seen[v] = block + 1;
	}
	return any;
}

/* Marks guarded writes that preserve no value. */
static bool mark_fresh(struct flow *w, struct ir_function *f, struct arena *work)
{
	uint64_t *at = arena_alloc(work, f->nvregs + 1, sizeof(*at));
	bool any = false;

	memcpy(at, w->first, f->nvregs * sizeof(*at));
	memset(w->seen, 0, (f->nvregs + 1) * sizeof(*w->seen)); /* last write: block + 1 */
	for (uint32_t b = 0; b < f->nblocks; b++)
		for (uint32_t i = f->blocks[b].first; i < f->blocks[b].end; i++)
			any |= mark_instr(w, &f->code[i], b, at);
	return any;
}

static void list_regions(struct flow *w, const bool *formal)
{
	struct live *l = w->live;

	for (uint32_t v = 0; v < w->f->nvregs; v++) {
		look_at(w, v, formal[v]);
		for (uint32_t k = 0; k < w->n; k++) {
			if (w->counting)
				l->first[w->region[k] + 1]++;
			else
				l->list[l->first[w->region[k]]++] = v;
		}
	}
}

static void solve(struct flow *w, struct ir_function *f, struct arena *work)
{
	struct live *l = w->live;
	const bool *formal = find_formals(f, work);

	for (uint32_t v = 0; v < f->nvregs; v++)
		find_held_touches(w, v, formal[v]);
	if (mark_fresh(w, f, work)) /* they read nothing and kill; nothing else changes */
		fill_touches(w);
	l->first = arena_alloc(work, f->nblocks + 2, sizeof(*l->first));
	w->counting = true;
	list_regions(w, formal);
	for (uint32_t b = 0; b < f->nblocks; b++)
		l->first[b + 1] += l->first[b];
	l->list = arena_alloc(work, l->first[f->nblocks] + 1, sizeof(*l->list));
	w->counting = false;
	list_regions(w, formal);
	memmove(l->first + 1, l->first, f->nblocks * sizeof(*l->first));
	l->first[0] = 0;
}

static void start_flow(struct flow *w, struct arena *work)
{
	uint32_t n = w->f->nblocks + 1;

	find_touches(w, work);
	w->pred = cfg_preds(w->f, &w->pred_first, work);
	w->how_stamp = arena_alloc(work, n, sizeof(*w->how_stamp));
	w->in_stamp = arena_alloc(work, n, sizeof(*w->in_stamp));
	w->held_stamp = arena_alloc(work, n, sizeof(*w->held_stamp));
	w->how = arena_alloc(work, n, sizeof(*w->how));
	w->region = arena_alloc(work, n, sizeof(*w->region));
	w->queue = arena_alloc(work, n, sizeof(*w->queue));
}

/* ---- backward walk over a block. */

struct live_set live_set_new(const struct ir_function *f, struct arena *work)
{
	return (struct live_set){.list = arena_alloc(work, f->nvregs + 1, sizeof(uint32_t)),
		.where = arena_alloc(work, f->nvregs + 1, sizeof(uint32_t)),
		.size = f->words};
}

static void set_add(struct live_set *s, uint32_t v)
{
	if (live_has(s, v) || (s->no_slots && s->size[v] & IR_SLOT))
		return;
	s->where[v] = s->n;
	s->list[s->n++] = v;
	s->words += ir_reg_words(s->size[v]);
	s->preds += s->size[v] == 0;
}

static void set_remove(struct live_set *s, uint32_t v)
{
	if (!live_has(s, v))
		return;
	s->list[s->where[v]] = s->list[--s->n];
	s->where[s->list[s->where[v]]] = s->where[v];
	s->words -= ir_reg_words(s->size[v]);
	s->preds -= s->size[v] == 0;
}

const uint32_t *live_in(const struct live *l, uint32_t block, uint32_t *n)
{
	*n = (uint32_t)(l->first[block + 1] - l->first[block]);
	return l->list + l->first[block];
}

void live_at_end(const struct live *l, uint32_t block, struct live_set *s)
{
	const struct ir_block *b = &l->function->blocks[block];

	s->n = 0;
	s->words = 0;
	s->preds = 0;
	for (uint32_t k = 0; k < b->nsucc; k++) {
		uint32_t n;
		const uint32_t *in = live_in(l, b->succ[k], &n);

		for (uint32_t e = 0; e < n; e++)
			set_add(s, in[e]);
	}
}

void live_step_back(const struct ir_function *f, const struct ir_instr *i, struct live_set *s)
{
	uint32_t uses[IR_USES];
	unsigned n = ir_uses(i, uses);

	for (unsigned d = 0; d < i->ndst; d++)
		if (i->dst[d].kind == IR_REG && ir_kills(i, d))
			set_remove(s, i->dst[d].index);
	for (unsigned u = 0; u < n; u++)
		set_add(s, uses[u]);
	if (i->action == ACT_RET)
		for (uint32_t u = 0; u < f->nout; u++)
			set_add(s, f->out[u]);
}

/* ---- pressure. */

static void raise(struct ir_function *f, uint32_t words, uint32_t preds)
{
	f->max_live = (uint32_t)max_u64(f->max_live, words);
	f->max_preds = (uint32_t)max_u64(f->max_preds, preds);
}

/* A result that is never read needs a register as well. */
static void raise_with_dead(
	struct ir_function *f, const struct ir_instr *i, const struct live_set *after)
{
	uint32_t words = after->words, preds = after->preds;

	for (unsigned d = 0; d < i->ndst; d++) {
		if (i->dst[d].kind != IR_REG || live_has(after, i->dst[d].index))
			continue;
		words += ir_reg_words(f->words[i->dst[d].index]);
		preds += f->words[i->dst[d].index] == 0;
	}
	raise(f, words, preds);
}

static void measure(struct ir_function *f, const struct live *l, struct arena *work)
{
	struct live_set s = live_set_new(f, work);
	uint32_t words = 0, preds = 0;

	for (uint32_t b = 0; b < f->nblocks; b++) {
		live_at_end(l, b, &s);
		for (uint32_t i = f->blocks[b].end; i-- > f->blocks[b].first;) {
			if (f->code[i].action == ACT_CALL)
				f->calls[f->ncalls++] = (struct ir_call){
					.instr = i, .callee = f->code[i].target, .live = s.words};
			raise_with_dead(f, &f->code[i], &s);
			live_step_back(f, &f->code[i], &s);
		}
		raise(f, s.words, s.preds);
	}
	for (uint32_t k = 0; k < f->nin; k++) {
		words += f->words[f->in[k]];
		preds += f->words[f->in[k]] == 0;
	}
	raise(f, words, preds);
}

struct live *live_compute(struct ir_function *f, struct arena *work)
{
	struct live *l = arena_alloc(work, 1, sizeof(*l));
	struct flow w = {.f = f, .live = l};

	l->function = f;
	start_flow(&w, work);
	solve(&w, f, work);
	f->ncalls = 0;
	for (uint32_t i = 0; i < f->ninstr; i++)
		f->ncalls += f->code[i].action == ACT_CALL;
	f->calls = arena_alloc(work, f->ncalls + 1, sizeof(*f->calls));
	f->ncalls = 0;
	measure(f, l, work);
	return l;
}
