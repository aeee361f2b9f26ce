/* The interference graph: values that are live at the same point interfere; copies and the words of
 * a pair are coalescing candidates. */
#include "ptx/alloc/graph.h"

#include <string.h>

/* Two values that interfere. */
struct pair {
	uint32_t a, b;
};

/* The pairs in the order in which they are met, in pieces. */
struct piece {
	struct piece *next;
	uint32_t n;
	struct pair pair[1 << 12];
};

struct pairs {
	struct piece *first, *last;
};

static void add_edge(struct alloc_graph *g, struct pairs *p, uint32_t a, uint32_t b)
{
	if (a == b || !alloc_mine(g->job, b))
		return;
	if (p->last->n == ARRAY_LEN(p->last->pair)) {
		p->last->next = arena_alloc(g->job->work, 1, sizeof(*p->last));
		p->last = p->last->next;
	}
	p->last->pair[p->last->n++] = (struct pair){a, b};
	g->first[a + 1]++;
	g->first[b + 1]++;
}

static void clash(struct alloc_graph *g, struct pairs *p, const struct ir_instr *i, unsigned d,
	const struct live_set *after)
{
	uint32_t v = i->dst[d].index, same = NO_VREG;

	if (i->shape == IR_COPY && i->guard == NO_VREG && i->src[0].kind == IR_REG)
		same = i->src[0].index;
	for (uint32_t k = 0; k < after->n; k++)
		if (after->list[k] != same)
			add_edge(g, p, v, after->list[k]);
	for (unsigned e = 0; e < d; e++)
		if (i->dst[e].kind == IR_REG)
			add_edge(g, p, v, i->dst[e].index);
}

static void clash_formals(struct alloc_graph *g, struct pairs *p, const struct live_set *entry)
{
	const struct ir_function *f = g->job->function;

	for (uint32_t k = 0; k < f->nin; k++) {
		if (!alloc_mine(g->job, f->in[k]))
			continue;
		for (uint32_t e = 0; e < entry->n; e++)
			add_edge(g, p, f->in[k], entry->list[e]);
		for (uint32_t e = 0; e < k; e++)
			add_edge(g, p, f->in[k], f->in[e]);
	}
}

static void walk_edges(struct alloc_graph *g, struct pairs *p, struct live_set *s)
{
	const struct ir_function *f = g->job->function;

	for (uint32_t b = f->nblocks; b-- > 0;) {
		live_at_end(g->job->live, b, s);
		for (uint32_t i = f->blocks[b].end; i-- > f->blocks[b].first;) {
			const struct ir_instr *in = &f->code[i];

			for (unsigned d = 0; d < in->ndst; d++)
				if (in->dst[d].kind == IR_REG &&
					alloc_mine(g->job, in->dst[d].index))
					clash(g, p, in, d, s);
			live_step_back(f, in, s);
		}
	}
	clash_formals(g, p, s);
}

/* Moves first[v] to the end of v's edges. */
static void fill(struct alloc_graph *g, const struct pairs *p)
{
	for (const struct piece *k = p->first; k; k = k->next)
		for (uint32_t i = 0; i < k->n; i++) {
			struct pair e = k->pair[i];

			g->edges[g->first[e.a]++] = e.b;
			g->edges[g->first[e.b]++] = e.a;
		}
}

static void build_edges(struct alloc_graph *g)
{
	uint32_t n = g->job->function->nvregs;
	struct live_set s = live_set_new(g->job->function, g->job->work);
	struct pairs p;

	s.no_slots = g->job->class != ALLOC_SLOTS;
	p.first = p.last = arena_alloc(g->job->work, 1, sizeof(*p.first));
	g->first = arena_alloc(g->job->work, n + 2, sizeof(*g->first));
	walk_edges(g, &p, &s);
	for (uint32_t v = 0; v < n; v++)
		g->first[v + 1] += g->first[v];
	g->edges = arena_alloc(g->job->work, g->first[n] + 1, sizeof(*g->edges));
	fill(g, &p);
	memmove(g->first + 1, g->first, n * sizeof(*g->first));
	g->first[0] = 0;
}

static void add_node(struct alloc_graph *g, bool *seen, uint32_t v)
{
	if (!alloc_mine(g->job, v) || seen[v])
		return;
	seen[v] = true;
	g->node[g->n++] = v;
}

static void add_nodes_of(struct alloc_graph *g, bool *seen, const struct ir_block *b)
{
	const struct ir_function *f = g->job->function;
	uint32_t uses[IR_USES];

	for (uint32_t i = b->first; i < b->end; i++) {
		unsigned n = ir_uses(&f->code[i], uses);

		for (unsigned u = 0; u < n; u++)
			add_node(g, seen, uses[u]);
		for (unsigned d = 0; d < f->code[i].ndst; d++)
			if (f->code[i].dst[d].kind == IR_REG)
				add_node(g, seen, f->code[i].dst[d].index);
	}
}

static void find_nodes(struct alloc_graph *g)
{
	const struct ir_function *f = g->job->function;
	uint32_t *by_order = arena_alloc(g->job->work, f->nblocks + 1, sizeof(*by_order));
	bool *seen = arena_alloc(g->job->work, f->nvregs + 1, sizeof(*seen));

	g->node = arena_alloc(g->job->work, f->nvregs + 1, sizeof(*g->node));
	for (uint32_t b = 0; b < f->nblocks; b++)
		by_order[f->blocks[b].order] = b;
	for (uint32_t k = 0; k < f->nin; k++)
		add_node(g, seen, f->in[k]);
	for (uint32_t k = 0; k < f->nblocks; k++)
		add_nodes_of(g, seen, &f->blocks[by_order[k]]);
	for (uint32_t k = 0; k < f->nout; k++)
		add_node(g, seen, f->out[k]);
}

static void add_hint(
	struct alloc_graph *g, const struct ir_value *a, const struct ir_value *b, int32_t delta)
{
	if (a->kind != IR_REG || b->kind != IR_REG || !alloc_mine(g->job, a->index) ||
		!alloc_mine(g->job, b->index))
		return;
	g->hints[g->nhints] = (struct alloc_hint){b->index, g->hint_of[a->index], delta};
	g->hint_of[a->index] = ++g->nhints;
	g->hints[g->nhints] = (struct alloc_hint){a->index, g->hint_of[b->index], -delta};
	g->hint_of[b->index] = ++g->nhints;
}

static void find_hints(struct alloc_graph *g)
{
	const struct ir_function *f = g->job->function;

	g->hints = arena_alloc(g->job->work, 4 * (size_t)f->ninstr + 1, sizeof(*g->hints));
	g->hint_of = arena_alloc(g->job->work, f->nvregs + 1, sizeof(*g->hint_of));
	for (uint32_t i = 0; i < f->ninstr; i++) {
		const struct ir_instr *in = &f->code[i];

		if (in->shape == IR_COPY)
			add_hint(g, &in->dst[0], &in->src[0], 0);
		for (int32_t k = 0; k < 2; k++) {
			if (in->shape == IR_PACK)
				add_hint(g, &in->src[k], &in->dst[0], k);
			if (in->shape == IR_UNPACK)
				add_hint(g, &in->dst[k], &in->src[0], k);
		}
	}
}

const struct alloc_graph *alloc_graph_of(const struct alloc_job *job)
{
	struct alloc_graph *g = job->graph ? job->graph : arena_alloc(job->work, 1, sizeof(*g));

	if (g->job)
		return g;
	g->job = job;
	find_nodes(g);
	find_hints(g);
	build_edges(g);
	return g;
}
