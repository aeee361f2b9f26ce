/* Register pressure at each instruction of a decoded program: registers that a lane will read and
 * that may have been written. This differs from the sets of last_reads.c, which are per warp (a
 * register counts until its last lane is done), ignore earlier writes, and exist only for programs
 * with strand marks. */
#include "ptx/levels/strand.h"

#include <string.h>

struct pressure {
	const struct program *p;
	struct flow flow;
	struct reg_sets later; /* by block: live-in registers */
	struct reg_sets known; /* by block: registers possibly written before it */
	uint64_t *now;
	bool changed;
};

static void set_operand(uint64_t *set, const struct operand *o, bool in)
{
	for (uint32_t w = 0; o->kind == OPND_REG && w < o->words; w++) {
		if (in)
			set_add(set, o->index + w);
		else
			set_remove(set, o->index + w);
	}
}

static void step_back(const struct instr *in, uint64_t *set)
{
	for (unsigned d = 0; d < in->ndst && in->guard == NO_GUARD; d++)
		set_operand(set, &in->dst[d], false);
	for (unsigned s = 0; s < in->nsrc; s++)
		set_operand(set, &in->src[s], true);
}

static void step_on(const struct instr *in, uint64_t *set)
{
	for (unsigned d = 0; d < in->ndst; d++)
		set_operand(set, &in->dst[d], true);
}

static void merge(struct pressure *p, uint64_t *into, const uint64_t *set)
{
	for (uint32_t w = 0; w < p->later.words; w++) {
		p->changed |= (set[w] & ~into[w]) != 0;
		into[w] |= set[w];
	}
}

/* p->now: the registers live at the block's end. */
static void at_end(struct pressure *p, uint32_t b)
{
	const struct flow *f = &p->flow;

	memset(p->now, 0, p->later.words * sizeof(*p->now));
	for (uint32_t e = f->succ_first[b]; e < f->succ_first[b + 1]; e++)
		for (uint32_t w = 0; w < p->later.words; w++)
			p->now[w] |= set_of(&p->later, f->succ[e])[w];
}

static void look_back(struct pressure *p)
{
	const struct flow *f = &p->flow;

	for (uint32_t b = f->nblocks + f->nfunctions; b-- > 0;) {
		at_end(p, b);
		for (uint32_t i = f->first[b + 1]; i-- > f->first[b];)
			step_back(&p->p->code[i], p->now);
		merge(p, set_of(&p->later, b), p->now);
	}
}

static void look_on(struct pressure *p)
{
	const struct flow *f = &p->flow;

	for (uint32_t b = 0; b < f->nblocks + f->nfunctions; b++) {
		memcpy(p->now, set_of(&p->known, b), p->known.words * sizeof(*p->now));
		for (uint32_t i = f->first[b]; i < f->first[b + 1]; i++)
			step_on(&p->p->code[i], p->now);
		for (uint32_t e = f->succ_first[b]; e < f->succ_first[b + 1]; e++)
			merge(p, set_of(&p->known, f->succ[e]), p->now);
	}
}

static uint32_t count_both(const struct pressure *p, const uint64_t *a, const uint64_t *b)
{
	uint32_t n = 0;

	for (uint32_t w = 0; w < p->later.words; w++)
		n += (uint32_t)__builtin_popcountll(a[w] & b[w]);
	return n;
}

static void count_block(struct pressure *p, uint32_t b, uint32_t *live, struct arena *work)
{
	uint32_t first = p->flow.first[b], n = p->flow.first[b + 1] - first;
	struct reg_sets known = reg_sets_new(p->p, n, work);

	memcpy(known.bits, set_of(&p->known, b), known.words * sizeof(*known.bits));
	for (uint32_t i = 1; i < n; i++) {
		memcpy(set_of(&known, i), set_of(&known, i - 1), known.words * sizeof(*p->now));
		step_on(&p->p->code[first + i - 1], set_of(&known, i));
	}
	at_end(p, b);
	for (uint32_t i = n; i-- > 0;) {
		step_back(&p->p->code[first + i], p->now);
		live[first + i] = count_both(p, p->now, set_of(&known, i));
	}
}

void program_pressure(const struct program *program, uint32_t *live, struct arena *work)
{
	struct pressure p = {.p = program};
	uint32_t n;

	if (!program->ninstr)
		return;
	flow_build(&p.flow, program, program->code,
		arena_alloc(work, program->ninstr, sizeof(bool)), work);
	n = p.flow.nblocks + p.flow.nfunctions;
	p.later = reg_sets_new(program, n, work);
	p.known = reg_sets_new(program, n, work);
	p.now = arena_alloc(work, p.later.words, sizeof(*p.now));
	do {
		p.changed = false;
		look_back(&p);
	} while (p.changed);
	do {
		p.changed = false;
		look_on(&p);
	} while (p.changed);
	for (uint32_t b = 0; b < p.flow.nblocks; b++)
		count_block(&p, b, live, work);
}
