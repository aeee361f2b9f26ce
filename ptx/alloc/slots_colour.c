/* Slots of shared memory for spilled values, function by function: values that are live at once
 * have different ones (Hayes and Zhang, ICS 2014, section 3.2.2). */
#include "ptx/alloc/slots.h"

#include <string.h>

#define MOST_VALUES 8192u /* of a function; the others stay in local memory */

/* ---- a graph. */

struct colouring {
	const struct slot_graph *g;
	uint32_t budget;
	uint16_t *location;
	bool *taken; /* by slot: by a neighbour of the value */
	uint32_t *degree;
	bool *done;
};

static void find_taken(const struct colouring *c, uint32_t v)
{
	memset(c->taken, 0, (c->budget + 1) * sizeof(*c->taken));
	for (uint32_t u = 0; u < c->g->n; u++) {
		if (c->location[u] == NO_LOCATION || !slots_meet(c->g, v, u))
			continue;
		for (uint32_t w = 0; w < c->g->size[u]; w++)
			c->taken[c->location[u] + w] = true;
	}
}

/* The lowest slot for the value. That prefers slots in use, as the paper does: by induction those
 * are always the first ones, and slots among them lower than any others. */
static uint16_t lowest(const struct colouring *c, uint32_t v)
{
	uint32_t size = c->g->size[v], run = 0;

	for (uint32_t at = 0; at < c->budget; at++) {
		run = c->taken[at] ? 0 : run + 1;
		if (run == size)
			return (uint16_t)(at + 1 - size);
	}
	return NO_LOCATION;
}

static bool place_one(const struct colouring *c, uint32_t v)
{
	c->done[v] = true;
	find_taken(c, v);
	c->location[v] = lowest(c, v);
	return c->location[v] != NO_LOCATION;
}

/* The value that comes next: of the highest degree, the first of equals. */
static uint32_t next(const struct colouring *c)
{
	uint32_t best = NO_VREG;

	for (uint32_t v = 0; v < c->g->n; v++)
		if (!c->done[v] && (best == NO_VREG || c->degree[v] > c->degree[best]))
			best = v;
	return best;
}

/* `search`: the degree is the number of neighbours that have been placed, which grows. */
static uint32_t colour_by(struct colouring *c, bool search)
{
	uint32_t left = 0;

	for (uint32_t v = 0; v < c->g->n; v++) {
		c->location[v] = NO_LOCATION;
		c->degree[v] = 0;
		c->done[v] = false;
		for (uint32_t u = 0; u < c->g->n && !search; u++)
			c->degree[v] += slots_meet(c->g, v, u);
	}
	for (uint32_t k = 0; k < c->g->n; k++) {
		uint32_t v = next(c);

		left += !place_one(c, v);
		for (uint32_t u = 0; u < c->g->n && search; u++)
			c->degree[u] += slots_meet(c->g, v, u);
	}
	return left;
}

uint32_t slots_colour(
	const struct slot_graph *g, uint32_t budget, uint16_t *location, struct arena *work)
{
	struct colouring c = {.g = g,
		.budget = budget,
		.location = location,
		.taken = arena_alloc(work, budget + 1, sizeof(*c.taken)),
		.degree = arena_alloc(work, g->n + 1, sizeof(*c.degree)),
		.done = arena_alloc(work, g->n + 1, sizeof(*c.done))};
	uint32_t left = colour_by(&c, false), searched;
	uint16_t *first;

	if (!left)
		return 0;
	first = arena_alloc(work, g->n, sizeof(*first));
	memcpy(first, location, g->n * sizeof(*first));
	searched = colour_by(&c, true);
	if (searched < left)
		return searched;
	memcpy(location, first, g->n * sizeof(*first));
	return left;
}

/* ---- a function. */

struct function_graph {
	const struct slots *s;
	const struct slot_code *c;
	struct slot_graph g;
	uint32_t *node, *vreg; /* by virtual register: 1 + its node; and back */
	uint32_t max_live;
};

static void set_edge(const struct slot_graph *g, uint32_t a, uint32_t b)
{
	g->edge[(size_t)a * g->planes + b / 64] |= UINT64_C(1) << b % 64;
	g->edge[(size_t)b * g->planes + a / 64] |= UINT64_C(1) << a % 64;
}

static void add_edges(void *ctx, const struct slot_point *p)
{
	struct function_graph *x = ctx;
	const struct ir_instr *i = &x->c->f.code[p->instr];
	uint32_t written;

	x->max_live = p->words > x->max_live ? p->words : x->max_live;
	if (i->shape != IR_SPILL || !x->node[i->dst[0].index])
		return;
	written = x->node[i->dst[0].index] - 1;
	for (uint32_t k = 0; k < p->n; k++)
		if (x->node[p->vreg[k]] - 1 != written)
			set_edge(&x->g, written, x->node[p->vreg[k]] - 1);
}

static void keep_local(const struct slots *s, const struct slot_code *c, uint32_t v)
{
	s->sets.var[c->number[v] - 1].local = true;
	c->f.words[v] &= (uint8_t)~IR_SHARED;
}

static void find_nodes(struct function_graph *x)
{
	const struct slots *s = x->s;
	const struct slot_code *c = x->c;
	uint8_t *size = arena_alloc(s->work, c->f.nvregs + 1, sizeof(*size));

	x->node = arena_alloc(s->work, c->f.nvregs + 1, sizeof(*x->node));
	x->vreg = arena_alloc(s->work, c->f.nvregs + 1, sizeof(*x->vreg));
	for (uint32_t v = 0; v < c->f.nvregs; v++) {
		if (!(c->f.words[v] & IR_SLOT))
			continue;
		if (s->sets.var[c->number[v] - 1].local || x->g.n == MOST_VALUES) {
			keep_local(s, c, v);
			continue;
		}
		c->f.words[v] |= IR_SHARED;
		size[x->g.n] = c->f.words[v] & 3;
		x->vreg[x->g.n] = v;
		x->node[v] = ++x->g.n;
	}
	x->g.size = size;
	x->g.planes = x->g.n / 64 + 1;
	x->g.edge = arena_alloc(s->work, (size_t)x->g.n * x->g.planes + 1, sizeof(*x->g.edge));
}

static uint32_t place_function(struct slots *s, const struct slot_code *c)
{
	struct function_graph x = {.s = s, .c = c};
	uint32_t words = 0;
	uint16_t *location;

	find_nodes(&x);
	if (!x.g.n)
		return 0;
	slots_walk(s, c, true, add_edges, &x);
	location = arena_alloc(s->work, x.g.n, sizeof(*location));
	slots_colour(&x.g, x.max_live, location, s->work);
	for (uint32_t k = 0; k < x.g.n; k++) {
		if (location[k] == NO_LOCATION) {
			keep_local(s, c, x.vreg[k]);
			continue;
		}
		c->f.location[x.vreg[k]] = location[k];
		words = location[k] + x.g.size[k] > words ? location[k] + x.g.size[k] : words;
	}
	return words;
}

void slots_assign(struct slots *s, struct slot_plan *plan)
{
	for (uint32_t k = 0; k < s->n; k++)
		plan->frame[s->code[k].function].words = place_function(s, &s->code[k]);
}
