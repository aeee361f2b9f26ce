/* Liveness of physical registers over a decoded program, calls included, and the last read of each
 * value. */
#include "ptx/levels/private.h"

#include <string.h>

struct liveness {
	struct levels_work *w;
	const struct flow *flow;
	struct reg_sets gen, kill; /* by block */
	uint64_t *now;
	uint32_t *queue, head, tail;
	bool *queued;
	/* live in other lanes of the warp while a block executes; wanted: by block that ends in a
	 * branch */
	struct reg_sets others, wanted;
	struct region_walk walk;
	uint32_t branch;
	bool changed;
};

static bool writes_all(const struct instr *in)
{
	return in->guard == NO_GUARD;
}

static void for_words(uint64_t *set, const struct operand *o, bool add)
{
	for (uint32_t w = 0; o->kind == OPND_REG && w < o->words; w++) {
		if (add)
			set_add(set, o->index + w);
		else
			set_remove(set, o->index + w);
	}
}

/* Transfer function of an instruction: from live-out to live-in. */
static void step_back(uint64_t *live, const struct instr *in)
{
	for (unsigned d = 0; d < in->ndst && writes_all(in); d++)
		for_words(live, &in->dst[d], false);
	for (unsigned s = 0; s < in->nsrc; s++)
		for_words(live, &in->src[s], true);
}

static void summarise(struct liveness *l, uint32_t b)
{
	uint64_t *gen = set_of(&l->gen, b), *kill = set_of(&l->kill, b);

	for (uint32_t i = l->flow->first[b + 1]; i-- > l->flow->first[b];) {
		const struct instr *in = &l->w->code[i];

		step_back(gen, in);
		for (unsigned d = 0; d < in->ndst && writes_all(in); d++)
			for_words(kill, &in->dst[d], true);
	}
}

static void enqueue(struct liveness *l, uint32_t b)
{
	uint32_t size = l->flow->nblocks + l->flow->nfunctions + 1;

	if (l->queued[b])
		return;
	l->queued[b] = true;
	l->queue[l->tail] = b;
	l->tail = (l->tail + 1) % size;
}

static void live_out(const struct liveness *l, uint32_t b, uint64_t *out)
{
	const struct flow *f = l->flow;
	uint32_t words = l->gen.words;

	memset(out, 0, words * sizeof(*out));
	for (uint32_t e = f->succ_first[b]; e < f->succ_first[b + 1]; e++)
		for (uint32_t k = 0; k < words; k++)
			out[k] |= set_of(&l->w->live_in, f->succ[e])[k];
}

static void visit(struct liveness *l)
{
	const struct flow *f = l->flow;
	uint32_t b = l->queue[l->head], words = l->gen.words;
	uint64_t *in = set_of(&l->w->live_in, b);
	bool changed = false;

	l->head = (l->head + 1) % (f->nblocks + f->nfunctions + 1);
	l->queued[b] = false;
	live_out(l, b, l->now);
	for (uint32_t k = 0; k < words; k++) {
		uint64_t live = set_of(&l->gen, b)[k] | (l->now[k] & ~set_of(&l->kill, b)[k]);

		changed |= live != in[k];
		in[k] = live;
	}
	for (uint32_t e = f->pred_first[b]; changed && e < f->pred_first[b + 1]; e++)
		enqueue(l, f->pred[e]);
}

static void solve(struct liveness *l)
{
	uint32_t n = l->flow->nblocks + l->flow->nfunctions;

	for (uint32_t b = 0; b < l->flow->nblocks; b++)
		summarise(l, b);
	for (uint32_t b = n; b-- > 0;)
		enqueue(l, b);
	while (l->head != l->tail)
		visit(l);
}

/* ---- what waiting lanes still need. */

static bool join(uint64_t *to, const uint64_t *from, uint32_t words)
{
	bool changed = false;

	for (uint32_t k = 0; k < words; k++) {
		changed |= (from[k] & ~to[k]) != 0;
		to[k] |= from[k];
	}
	return changed;
}

static bool want(void *ctx, uint32_t b)
{
	struct liveness *l = ctx;
	const uint64_t *wanted = set_of(&l->wanted, l->branch);

	join(set_of(&l->others, b), wanted, l->gen.words);
	if (flow_parts(l->flow, b))
		l->changed |= join(set_of(&l->wanted, b), wanted, l->gen.words);
	return false;
}

static void want_all(struct liveness *l)
{
	memset(l->others.bits, 0xff,
		(size_t)l->flow->nblocks * l->others.words * sizeof(*l->others.bits));
}

/* While some lanes are between the branch and its reconvergence point, others wait for their arm,
 * or at that point. Nested branches inherit this: their lanes may pass the point without stopping.
 */
static void find_others(struct liveness *l)
{
	const struct flow *f = l->flow;
	bool all;

	for (uint32_t b = 0; b < f->nblocks; b++) {
		uint32_t reconv = l->w->code[f->first[b + 1] - 1].reconv;

		if (!flow_parts(f, b))
			continue;
		live_out(l, b, set_of(&l->wanted, b));
		if (reconv != NO_RECONV)
			join(set_of(&l->wanted, b), set_of(&l->w->live_in, f->block[reconv]),
				l->gen.words);
	}
	do {
		l->changed = false;
		for (l->branch = 0; l->branch < f->nblocks; l->branch++) {
			if (!flow_parts(f, l->branch))
				continue;
			region_walk(&l->walk, l->branch, want, l, &all);
			if (!all)
				continue;
			want_all(l);
			return;
		}
	} while (l->changed);
}

/* ---- last reads. */

/* A register that the instruction certainly overwrites is dead after it; but lanes masked off may
 * still read it. */
static bool is_last(
	const struct instr *in, unsigned s, const uint64_t *live, const uint64_t *others)
{
	const struct operand *o = &in->src[s];

	if (o->kind != OPND_REG)
		return false;
	for (uint32_t r = o->index; r < o->index + (uint32_t)o->words; r++) {
		bool rewritten = false;

		for (unsigned d = 0; d < in->ndst && writes_all(in); d++)
			rewritten |= in->dst[d].kind == OPND_REG && in->dst[d].index <= r &&
				     r < in->dst[d].index + (uint32_t)in->dst[d].words;
		if (set_has(others, r) || (set_has(live, r) && !rewritten))
			return false;
	}
	return true;
}

static void mark_last(struct liveness *l, uint32_t b)
{
	live_out(l, b, l->now);
	for (uint32_t i = l->flow->first[b + 1]; i-- > l->flow->first[b];) {
		const struct instr *in = &l->w->code[i];

		for (unsigned s = 0; s < in->nsrc; s++)
			if (is_last(in, s, l->now, set_of(&l->others, b)))
				l->w->notes[i].last_reads |= (uint8_t)(1u << s);
		step_back(l->now, in);
	}
}

void levels_liveness(struct levels_work *w)
{
	const struct flow *f = &w->strands.flow;
	uint32_t n = f->nblocks + f->nfunctions;
	struct liveness l = {.w = w, .flow = f};

	w->live_in = reg_sets_new(w->p, n, w->work);
	l.gen = reg_sets_new(w->p, n, w->work);
	l.kill = reg_sets_new(w->p, n, w->work);
	l.others = reg_sets_new(w->p, n, w->work);
	l.wanted = reg_sets_new(w->p, n, w->work);
	l.now = reg_sets_new(w->p, 1, w->work).bits;
	l.queue = arena_alloc(w->work, n + 1, sizeof(*l.queue));
	l.queued = arena_alloc(w->work, n + 1, sizeof(*l.queued));
	l.walk = region_walk_new(f, w->work);
	solve(&l);
	find_others(&l);
	for (uint32_t b = 0; b < f->nblocks; b++)
		mark_last(&l, b);
}
