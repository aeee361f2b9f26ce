/* Which registers to spill: block by block, by frequency, the register that is cheapest for the
 * points it relieves, until the pressure exceeds the capacity nowhere. */
#include "ptx/alloc/spill.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct choose {
	struct spill_plan *p;
	uint8_t *size; /* by register: as in the function; of a spilled one: a slot's */
	struct live_set set;
	uint32_t *mark; /* by register: `crowded` when it became live, walking backwards */
	uint32_t *gain; /* by register: points above the limit that it is live across */
	uint32_t crowded;
	bool added;
};

/* Demand for registers and predicates. */
struct need {
	uint32_t words, preds;
};

/* The demand of an instruction itself: before it, for reloads; after it, for results that are
 * stored or never read. */
struct operands {
	uint32_t reg[IR_USES + INSTR_DSTS];
	unsigned nuses, n;
	struct need before, after;
};

static bool is_in(const uint32_t *list, unsigned n, uint32_t v)
{
	for (unsigned k = 0; k < n; k++)
		if (list[k] == v)
			return true;
	return false;
}

/* A spilled predicate passes through a register. */
static void need_more(const struct choose *c, struct need *n, uint32_t v)
{
	uint8_t words = c->p->f->words[v];

	n->words += words ? words : c->p->how[v] != SPILL_NOT;
	n->preds += words == 0;
}

/* The set holds what is live after the instruction. */
static struct operands look_at(const struct choose *c, const struct ir_instr *in)
{
	struct operands o = {.n = 0};
	uint32_t uses[IR_USES];
	unsigned n = ir_uses(in, uses);

	for (unsigned u = 0; u < n; u++) {
		if (is_in(o.reg, o.n, uses[u]))
			continue;
		o.reg[o.n++] = uses[u];
		if (c->p->how[uses[u]])
			need_more(c, &o.before, uses[u]);
	}
	o.nuses = o.n;
	for (unsigned d = 0; d < in->ndst; d++) {
		uint32_t v = in->dst[d].index;

		if (in->dst[d].kind != IR_REG)
			continue;
		o.reg[o.n++] = v;
		if (c->p->how[v] == SPILL_SLOT || (!c->p->how[v] && !live_has(&c->set, v)))
			need_more(c, &o.after, v);
	}
	return o;
}

static uint32_t excess(uint32_t need, uint32_t capacity)
{
	return need > capacity ? need - capacity : 0;
}

static bool is_crowded(const struct choose *c, uint32_t i, struct need n)
{
	return excess(c->set.words + n.words, c->p->capacity[i]) ||
	       excess(c->set.preds + n.preds, c->p->pred_capacity[i]);
}

/* ---- gain of each spill. */

static void mark_set(struct choose *c)
{
	for (uint32_t k = 0; k < c->set.n; k++)
		c->mark[c->set.list[k]] = c->crowded;
}

static void end_life(struct choose *c, uint32_t v)
{
	if (live_has(&c->set, v))
		c->gain[v] += c->crowded - c->mark[v];
}

static void gain_instr(struct choose *c, uint32_t i)
{
	const struct ir_instr *in = &c->p->f->code[i];
	struct operands o = look_at(c, in);
	bool crowded = is_crowded(c, i, o.after);

	for (unsigned k = 0; k < o.n; k++) {
		end_life(c, o.reg[k]);
		c->mark[o.reg[k]] = c->crowded;
	}
	live_step_back(c->p->f, in, &c->set);
	c->crowded += crowded || is_crowded(c, i, o.before);
	for (unsigned k = 0; k < o.n; k++)
		c->mark[o.reg[k]] = c->crowded;
}

static void find_gains(struct choose *c)
{
	const struct ir_function *f = c->p->f;

	memset(c->gain, 0, f->nvregs * sizeof(*c->gain));
	for (uint32_t b = 0; b < f->nblocks; b++) {
		live_at_end(c->p->live, b, &c->set);
		mark_set(c);
		for (uint32_t i = f->blocks[b].end; i-- > f->blocks[b].first;)
			gain_instr(c, i);
		for (uint32_t k = 0; k < c->set.n; k++)
			end_life(c, c->set.list[k]);
	}
}

/* ---- choosing. */

static void spill(struct choose *c, uint32_t v)
{
	uint8_t words = c->p->f->words[v];

	c->p->how[v] = c->p->best[v];
	c->size[v] = IR_SLOT | 1;
	c->added = true;
	if (!live_has(&c->set, v))
		return;
	c->set.words -= words;
	c->set.preds -= words == 0;
}

/* The register to spill among those that are live here and are no operands; NO_VREG: none. */
static uint32_t cheapest(const struct choose *c, bool pred, const uint32_t *operand, unsigned n)
{
	const struct spill_plan *p = c->p;
	uint32_t best = NO_VREG;
	float least = INFINITY;

	for (uint32_t k = 0; k < c->set.n; k++) {
		uint32_t v = c->set.list[k];
		float size = pred ? 1 : p->f->words[v], key;

		if (p->how[v] || (p->f->words[v] == 0) != pred || is_in(operand, n, v))
			continue;
		key = p->cost[v] / (size * (float)(c->gain[v] + 1));
		if (key < least || (key == least && v < best && best != NO_VREG)) {
			least = key;
			best = v;
		}
	}
	return best;
}

static void relieve(
	struct choose *c, uint32_t i, struct need n, const uint32_t *operand, unsigned noperands)
{
	for (unsigned pred = 0; pred < 2; pred++) {
		const uint16_t *capacity = pred ? c->p->pred_capacity : c->p->capacity;

		while (excess(
			pred ? c->set.preds + n.preds : c->set.words + n.words, capacity[i])) {
			uint32_t v = cheapest(c, pred, operand, noperands);

			if (v == NO_VREG)
				break;
			spill(c, v);
		}
	}
}

static void choose_instr(struct choose *c, uint32_t i)
{
	const struct ir_instr *in = &c->p->f->code[i];
	struct operands o = look_at(c, in);

	relieve(c, i, o.after, o.reg + o.nuses, o.n - o.nuses);
	live_step_back(c->p->f, in, &c->set);
	relieve(c, i, o.before, o.reg, o.nuses);
}

struct by_weight {
	float weight;
	uint32_t block;
};

static int busy_first(const void *a, const void *b)
{
	const struct by_weight *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->block < y->block ? -1 : x->block > y->block;
}

static void choose_all(struct choose *c)
{
	const struct ir_function *f = c->p->f;
	struct by_weight *order = arena_alloc(c->p->work, f->nblocks, sizeof(*order));

	for (uint32_t b = 0; b < f->nblocks; b++)
		order[b] = (struct by_weight){c->p->weight[b], b};
	qsort(order, f->nblocks, sizeof(*order), busy_first);
	for (uint32_t k = 0; k < f->nblocks; k++) {
		const struct ir_block *b = &f->blocks[order[k].block];

		live_at_end(c->p->live, order[k].block, &c->set);
		for (uint32_t i = b->end; i-- > b->first;)
			choose_instr(c, i);
	}
}

/* The registers that stay allocated, at each instruction. */
static void measure(struct choose *c)
{
	struct spill_plan *p = c->p;

	for (uint32_t b = 0; b < p->f->nblocks; b++) {
		live_at_end(p->live, b, &c->set);
		for (uint32_t i = p->f->blocks[b].end; i-- > p->f->blocks[b].first;) {
			const struct ir_instr *in = &p->f->code[i];

			p->after[i] = c->set.words;
			for (unsigned d = 0; d < in->ndst; d++)
				if (in->dst[d].kind == IR_REG && !p->how[in->dst[d].index] &&
					!live_has(&c->set, in->dst[d].index))
					p->after[i] += p->f->words[in->dst[d].index];
			live_step_back(p->f, in, &c->set);
			p->before[i] = c->set.words;
		}
	}
}

bool spill_choose(struct spill_plan *p)
{
	uint32_t n = p->f->nvregs + 1;
	struct choose c = {.p = p,
		.size = arena_alloc(p->work, n, 1),
		.set = live_set_new(p->f, p->work),
		.mark = arena_alloc(p->work, n, sizeof(uint32_t)),
		.gain = arena_alloc(p->work, n, sizeof(uint32_t))};

	for (uint32_t v = 0; v < p->f->nvregs; v++)
		c.size[v] = p->how[v] ? IR_SLOT | 1 : p->f->words[v];
	c.set.size = c.size;
	find_gains(&c);
	choose_all(&c);
	measure(&c);
	return c.added;
}
