/* Reorders instructions for register pressure before spilling: regions of a block whose pressure
 * exceeds the limit get the cheapest of several orders. Where a loaded value would be spilled, the
 * load is repeated instead if no thread can have written the address within the region. */
#include "ptx/alloc/reorder.h"

#include "ptx/ir/rebuild.h"

#include <math.h>
#include <string.h>

#define LEAST 4u /* instructions of a region worth reordering */
#define NEAR 6u  /* registers of a small upper level: those of the best hierarchy, ORF and LRF */

struct reorder {
	const struct spill_plan *p;
	struct rebuild to;
	struct live_set set;
	struct sched_graph graph;
	bool *again;
	uint8_t *made;
	uint32_t *order, *best; /* of the current region */
	uint32_t *now; /* by value: the register that holds it since its load was repeated */
	/* replacements of regions of the current block, the last one first */
	struct replaced {
		uint32_t first, end;
		struct ir_instr *code;
		uint32_t n;
	} * replaced;
	uint32_t nreplaced;
	uint32_t *used; /* by instruction of the function: register pressure */
	/* by register of the function: highest frequency of a block that uses it */
	float *busiest; /* highest frequency of a block that uses it */
	bool *lost;
};

/* ---- loads that can be repeated. */

static bool reads_only(const struct ir_instr *i)
{
	return i->action == ACT_LOAD || i->action == ACT_LANES || i->action == ACT_SREG ||
	       i->action == ACT_TEXTURE || i->action == ACT_QUERY;
}

/* A store of another thread becomes visible no earlier than the next barrier, fence or atomic. No
 * region contains one, so a repeated load returns the same value unless the thread itself writes.
 */
static bool can_repeat(const struct reorder *g, uint32_t i)
{
	const struct sched_graph *graph = &g->graph;
	const struct ir_instr *in = &graph->code[i];
	const struct sched_value *made = &graph->value[graph->node[i].def];

	if (in->action != ACT_LOAD || in->guard != NO_VREG || in->ndst != 1 || in->shape)
		return false;
	if (in->space != SPACE_SHARED && in->space != SPACE_CONST && in->space != SPACE_PARAM)
		return false;
	if (graph->node[i].end != graph->node[i].def + 1 || made->out)
		return false;
	for (uint32_t r = graph->node[i].reads; r != NO_NODE; r = graph->read[r].sibling) {
		uint32_t v = graph->read[r].value;

		if (graph->value[v].def != NO_NODE || graph->held[graph->value[v].reg] != v)
			return false;
	}
	return true;
}

static void find_repeatable(struct reorder *g)
{
	bool writes = g->p->once;

	for (uint32_t i = 0; i < g->graph.n; i++)
		writes |= !reads_only(&g->graph.code[i]);
	for (uint32_t i = 0; i < g->graph.n; i++)
		g->again[i] = !writes && can_repeat(g, i);
	for (uint32_t v = 0; v < g->graph.nvalues; v++) {
		const struct sched_value *value = &g->graph.value[v];

		g->made[v] = value->def == NO_NODE ? g->p->again[value->reg].instrs : 0;
	}
}

/* ---- the new code. */

static void rename_reads(struct reorder *g, uint32_t node, struct ir_instr *i)
{
	const struct sched_graph *graph = &g->graph;

	for (uint32_t r = graph->node[node].reads; r != NO_NODE; r = graph->read[r].sibling) {
		uint32_t v = graph->read[r].value;

		for (unsigned s = 0; g->now[v] != NO_VREG && s < i->nsrc; s++)
			if (i->src[s].kind == IR_REG && i->src[s].index == graph->value[v].reg)
				i->src[s].index = g->now[v];
	}
}

static struct ir_instr repeat_load(struct reorder *g, uint32_t value)
{
	uint32_t reg = g->graph.value[value].reg;
	struct ir_instr i = g->graph.code[g->graph.value[value].def];

	g->now[value] = rebuild_vreg(&g->to, g->to.out.words[reg], reg);
	i.fresh = 0;
	i.dst[0].index = g->now[value];
	return i;
}

/* Emits the region in the order g->best. */
static void replace(struct reorder *g, uint32_t first, const struct reorder_load *load, uint32_t n)
{
	struct replaced *r = &g->replaced[g->nreplaced++];

	*r = (struct replaced){.first = first, .end = first + g->graph.n};
	r->code = arena_alloc(g->p->work, g->graph.n + n, sizeof(*r->code));
	for (uint32_t v = 0; v < g->graph.nvalues; v++)
		g->now[v] = NO_VREG;
	for (uint32_t p = 0, k = 0; p < g->graph.n; p++) {
		struct ir_instr i = g->graph.code[g->best[p]];

		for (; k < n && load[k].position == p; k++)
			r->code[r->n++] = repeat_load(g, load[k].value);
		rename_reads(g, g->best[p], &i);
		r->code[r->n++] = i;
	}
}

/* ---- one region. */

/* What is evicted here is a spill candidate, unless it is used in more frequent blocks. */
static void find_lost(struct reorder *g, const struct reorder_cost *model, float weight)
{
	for (uint32_t v = 0; v < g->graph.nvalues; v++) {
		uint32_t reg = g->graph.value[v].reg;

		if (reorder_cost_lost(model, v) && weight >= g->busiest[reg])
			g->lost[reg] = true;
	}
}

/* Sets g->best to the best order; `model` then has the loads that it repeats. */
static void choose_order(
	struct reorder *g, const struct reorder_region *s, struct reorder_cost *model)
{
	float least;

	for (uint32_t i = 0; i < g->graph.n; i++)
		g->best[i] = i;
	least = reorder_cost_of(model, g->best);
	for (unsigned across = 0; across < 2; across++) {
		struct reorder_orders *orders = reorder_orders_new(s, across, g->p->work);

		while (reorder_orders_next(orders, g->order)) {
			float cost = reorder_cost_of(model, g->order);

			if (cost >= least)
				continue;
			least = cost;
			memcpy(g->best, g->order, g->graph.n * sizeof(*g->best));
		}
	}
	reorder_cost_of(model, g->best);
}

static void try_orders(struct reorder *g, uint32_t first, uint32_t capacity, float weight)
{
	struct reorder_region s = {&g->graph, g->p->f->words, g->again, g->made, capacity};
	struct reorder_cost *model = reorder_cost_new(&s, g->p->work);
	const struct reorder_load *load;
	uint32_t nloads;
	bool same = true;

	choose_order(g, &s, model);
	find_lost(g, model, weight);
	load = reorder_cost_loads(model, &nloads);
	for (uint32_t i = 0; i < g->graph.n; i++)
		same &= g->best[i] == i;
	if (!same || nloads)
		replace(g, first, load, nloads);
}

static void reorder_region(struct reorder *g, uint32_t first, uint32_t end, float weight)
{
	const struct spill_plan *p = g->p;
	uint32_t capacity = UINT32_MAX, most = 0;

	for (uint32_t i = first; i < end; i++) {
		capacity = p->capacity[i] < capacity ? p->capacity[i] : capacity;
		most = g->used[i] > most ? g->used[i] : most;
	}
	if (end - first < LEAST || most <= capacity)
		return;
	sched_graph_build(&g->graph, &p->f->code[first], end - first, &g->set);
	find_repeatable(g);
	try_orders(g, first, capacity, weight);
}

/* ---- blocks. */

static bool measure(struct reorder *g, uint32_t b)
{
	const struct ir_function *f = g->p->f;
	bool crowded = false;

	live_at_end(g->p->live, b, &g->set);
	for (uint32_t i = f->blocks[b].end; i-- > f->blocks[b].first;) {
		const struct ir_instr *in = &f->code[i];
		uint32_t words = g->set.words;

		for (unsigned d = 0; d < in->ndst; d++)
			if (in->dst[d].kind == IR_REG && !live_has(&g->set, in->dst[d].index))
				words += ir_reg_words(f->words[in->dst[d].index]);
		g->used[i] = words;
		crowded |= words > g->p->capacity[i];
		live_step_back(f, in, &g->set);
	}
	return crowded;
}

static void find_busiest(struct reorder *g, uint32_t b)
{
	const struct ir_function *f = g->p->f;
	float weight = g->p->weight[b];
	uint32_t touched[IR_USES + INSTR_DSTS];

	for (uint32_t i = f->blocks[b].first; i < f->blocks[b].end; i++) {
		unsigned n = ir_uses(&f->code[i], touched);

		for (unsigned d = 0; d < f->code[i].ndst; d++)
			if (f->code[i].dst[d].kind == IR_REG)
				touched[n++] = f->code[i].dst[d].index;
		for (unsigned k = 0; k < n; k++)
			g->busiest[touched[k]] = fmaxf(g->busiest[touched[k]], weight);
	}
}

static void reorder_block(struct reorder *g, uint32_t b)
{
	const struct ir_function *f = g->p->f;
	uint32_t begin = f->blocks[b].first, end = f->blocks[b].end;

	live_at_end(g->p->live, b, &g->set);
	while (end > begin) {
		uint32_t first = end;

		while (first > begin && !sched_is_fixed(&f->code[first - 1]))
			first--;
		reorder_region(g, first, end, g->p->weight[b]);
		for (; end > first; end--)
			live_step_back(f, &f->code[end - 1], &g->set);
		if (end > begin)
			live_step_back(f, &f->code[--end], &g->set);
	}
}

static void emit_block(struct reorder *g, uint32_t b)
{
	const struct ir_block *old = &g->p->f->blocks[b];

	rebuild_begin_block(&g->to, b);
	for (uint32_t i = old->first; i < old->end; i++) {
		const struct replaced *r = g->nreplaced ? &g->replaced[g->nreplaced - 1] : NULL;

		if (!r || r->first != i) {
			rebuild_emit(&g->to, &g->p->f->code[i]);
			continue;
		}
		for (uint32_t k = 0; k < r->n; k++)
			rebuild_emit(&g->to, &r->code[k]);
		i = r->end - 1;
		g->nreplaced--;
	}
	rebuild_end_block(&g->to, b);
}

struct ir_function reorder_function(const struct spill_plan *p, bool **lost)
{
	const struct ir_function *f = p->f;
	uint32_t n = f->ninstr + 1, values = (IR_USES + 2 * INSTR_DSTS) * f->ninstr + 1;
	struct reorder g = {.p = p,
		.to = rebuild_start(f, p->work),
		.set = live_set_new(f, p->work),
		.graph = sched_graph_new(f, p->work),
		.again = arena_alloc(p->work, n, sizeof(bool)),
		.made = arena_alloc(p->work, values, sizeof(uint8_t)),
		.order = arena_alloc(p->work, n, sizeof(uint32_t)),
		.best = arena_alloc(p->work, n, sizeof(uint32_t)),
		.now = arena_alloc(p->work, values, sizeof(uint32_t)),
		.replaced = arena_alloc(p->work, n, sizeof(struct replaced)),
		.used = arena_alloc(p->work, n, sizeof(uint32_t)),
		.busiest = arena_alloc(p->work, f->nvregs + 1, sizeof(float)),
		.lost = arena_alloc(p->work, f->nvregs + 1, sizeof(bool))};

	for (uint32_t b = 0; b < f->nblocks; b++)
		find_busiest(&g, b);
	for (uint32_t b = 0; b < f->nblocks; b++) {
		if (measure(&g, b))
			reorder_block(&g, b);
		emit_block(&g, b);
	}
	rebuild_finish(&g.to);
	*lost = arena_alloc(p->work, g.to.out.nvregs + 1, sizeof(bool));
	memcpy(*lost, g.lost, f->nvregs * sizeof(bool));
	return g.to.out;
}

struct ir_function reorder_near_uses(const struct ir_module *m, const struct ir_function *f,
	const struct live *live, struct arena *work)
{
	struct spill_plan p = {.m = m, .f = f, .live = live, .work = work, .once = true};
	bool *lost;

	p.weight = loops_weigh(f, work);
	p.again = remat_find(m, f, work);
	p.capacity = arena_alloc(work, f->ninstr + 1, sizeof(*p.capacity));
	for (uint32_t i = 0; i < f->ninstr; i++)
		p.capacity[i] = NEAR;
	return reorder_function(&p, &lost);
}
