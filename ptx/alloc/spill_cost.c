/* The cost of spilling each register: the instructions added, by execution frequency. */
#include "ptx/alloc/spill.h"

#include <math.h>

/* Uses this close to each other usually share one reload. */
#define NEAR 8u
#define NEAR_COST 0.25f
#define MEMORY_COST 1.2f /* cost of a spill load or store relative to an ALU instruction */
#define LEAST_COST 0.01f

struct weigh {
	const struct spill_plan *p;
	float *fetches, *defs; /* by register */
	uint32_t *touched; /* by register: the last instruction of the block that used it, + 1 */
	uint32_t first;    /* first instruction of the block */
};

static void fetch(struct weigh *w, uint32_t v, uint32_t i, float weight)
{
	bool near = w->touched[v] > w->first && i + 1 - w->touched[v] <= NEAR;

	w->fetches[v] += near ? NEAR_COST * weight : weight;
	w->touched[v] = i + 1;
}

static void weigh_instr(struct weigh *w, uint32_t i, float weight)
{
	const struct ir_function *f = w->p->f;
	const struct ir_instr *in = &f->code[i];
	uint32_t uses[IR_USES];
	unsigned n = ir_uses(in, uses);

	for (unsigned u = 0; u < n; u++)
		if (w->touched[uses[u]] != i + 1)
			fetch(w, uses[u], i, weight);
	for (uint32_t u = 0; in->action == ACT_RET && u < f->nout; u++)
		fetch(w, f->out[u], i, weight);
	for (unsigned d = 0; d < in->ndst; d++) {
		if (in->dst[d].kind != IR_REG)
			continue;
		w->defs[in->dst[d].index] += weight;
		w->touched[in->dst[d].index] = i + 1;
	}
}

static bool has_preds(const struct ir_function *f, uint32_t block)
{
	for (uint32_t b = 0; b < f->nblocks; b++)
		for (uint32_t s = 0; s < f->blocks[b].nsucc; s++)
			if (f->blocks[b].succ[s] == block)
				return true;
	return false;
}

/* Formal parameters are stored at the entry; not possible if the first block is a loop header. */
static void settle_formals(const struct spill_plan *p)
{
	bool again = has_preds(p->f, 0);

	for (uint32_t k = 0; k < p->f->nin; k++)
		if (again)
			p->cost[p->f->in[k]] = INFINITY;
}

static void settle(const struct spill_plan *p, const struct weigh *w, uint32_t v)
{
	float slot = MEMORY_COST * (w->fetches[v] + w->defs[v]);
	float again = (float)p->again[v].instrs * w->fetches[v] - w->defs[v];

	p->cost[v] = slot;
	p->best[v] = SPILL_SLOT;
	if (p->again[v].instrs && again <= slot) {
		p->cost[v] = again;
		p->best[v] = SPILL_REMAT;
	}
	p->cost[v] = fmaxf(p->cost[v], LEAST_COST);
}

void spill_weigh(struct spill_plan *p)
{
	uint32_t n = p->f->nvregs + 1;
	struct weigh w = {.p = p,
		.fetches = arena_alloc(p->work, n, sizeof(float)),
		.defs = arena_alloc(p->work, n, sizeof(float)),
		.touched = arena_alloc(p->work, n, sizeof(uint32_t))};

	for (uint32_t b = 0; b < p->f->nblocks; b++) {
		w.first = p->f->blocks[b].first;
		for (uint32_t i = w.first; i < p->f->blocks[b].end; i++)
			weigh_instr(&w, i, p->weight[b]);
	}
	for (uint32_t v = 0; v < p->f->nvregs; v++)
		settle(p, &w, v);
	settle_formals(p);
}
