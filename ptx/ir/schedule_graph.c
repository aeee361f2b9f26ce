/* The dependence graph of a region of a block, and the live range of each value. */
#include "ptx/ir/schedule.h"

#include <string.h>

#define MEMORIES 3u /* device, shared, and thread-private */

bool sched_is_late(const struct ir_instr *i)
{
	switch ((enum action)i->action) {
	case ACT_TEXTURE:
	case ACT_SURFACE:
		return i->ndst > 0;
	case ACT_LOAD:
	case ACT_ATOM:
		return i->space != SPACE_SHARED && i->space != SPACE_PARAM &&
		       i->space != SPACE_CONST;
	case ACT_ASYNC:
		return i->op == ASYNC_WAIT;
	default:
		return false;
	}
}

static bool reads_clock(const struct ir_instr *i)
{
	return i->action == ACT_SREG && i->sreg >= SREG_CLOCK && i->sreg <= SREG_GLOBALTIMER_HI;
}

static bool touches_callee(const struct ir_instr *i)
{
	bool any = false;

	for (unsigned s = 0; s < i->nsrc; s++)
		any |= i->src[s].kind == IR_CALLEE;
	for (unsigned d = 0; d < i->ndst; d++)
		any |= i->dst[d].kind == IR_CALLEE;
	return any;
}

bool sched_is_fixed(const struct ir_instr *i)
{
	switch ((enum action)i->action) {
	case ACT_LANES:
	case ACT_STORE:
	case ACT_ATOM:
	case ACT_RED:
	case ACT_TEXTURE:
	case ACT_SURFACE:
	case ACT_QUERY:
	case ACT_LOAD:
	case ACT_SREG:
		return i->waits || i->cache_op == CACHE_VOLATILE || reads_clock(i) ||
		       touches_callee(i);
	case ACT_NOP:
		return i->shape != IR_GONE;
	default: /* control flow, and communication between lanes and threads */
		return true;
	}
}

/* ---- memory. */

/* Bit k: memory k. Parameters of functions may be in thread-private memory; constant memory is
 * never written. */
static unsigned memories(const struct ir_instr *i)
{
	switch ((enum action)i->action) {
	case ACT_TEXTURE:
	case ACT_SURFACE:
		return 1;
	case ACT_LOAD:
	case ACT_STORE:
	case ACT_ATOM:
	case ACT_RED:
		break;
	default:
		return 0;
	}
	switch ((enum ptx_space)i->space) {
	case SPACE_GLOBAL:
		return 1;
	case SPACE_SHARED:
		return 2;
	case SPACE_LOCAL:
	case SPACE_PARAM:
		return 4;
	case SPACE_CONST:
		return 0;
	default:
		return 7;
	}
}

static bool only_reads(const struct ir_instr *i)
{
	return i->action == ACT_LOAD || i->action == ACT_TEXTURE;
}

/* ---- edges. */

static void add_edge(struct sched_graph *g, uint32_t from, uint32_t to)
{
	if (from == NO_NODE || from == to)
		return;
	g->edge[g->nedges] = (struct sched_edge){to, g->node[from].edges};
	g->node[from].edges = g->nedges++;
	g->node[to].waits++;
}

struct memory_order {
	uint32_t written;   /* by the last instruction that wrote it */
	uint32_t *reads, n; /* reads since then; the list is the caller's */
};

static void order_memory(struct sched_graph *g, struct memory_order *order, uint32_t i)
{
	unsigned touched = memories(&g->code[i]);

	for (unsigned k = 0; k < MEMORIES; k++) {
		struct memory_order *o = &order[k];

		if (!(touched >> k & 1))
			continue;
		if (only_reads(&g->code[i])) {
			add_edge(g, o->written, i);
			o->reads[o->n++] = i;
			continue;
		}
		if (!o->n)
			add_edge(g, o->written, i);
		for (uint32_t r = 0; r < o->n; r++)
			add_edge(g, o->reads[r], i);
		o->written = i;
		o->n = 0;
	}
}

/* ---- values. */

static uint32_t add_value(struct sched_graph *g, uint32_t reg, uint32_t def)
{
	g->value[g->nvalues] =
		(struct sched_value){.reg = reg, .def = def, .first = NO_NODE, .last = NO_NODE};
	g->held[reg] = g->nvalues;
	g->stamp[reg] = g->now;
	return g->nvalues++;
}

static uint32_t held_value(struct sched_graph *g, uint32_t reg)
{
	return g->stamp[reg] == g->now ? g->held[reg] : add_value(g, reg, NO_NODE);
}

static void add_read(struct sched_graph *g, uint32_t reg, uint32_t i)
{
	uint32_t v = held_value(g, reg);
	struct sched_value *value = &g->value[v];

	if (value->last != NO_NODE && g->read[value->last].instr == i)
		return;
	g->read[g->nreads] = (struct sched_read){v, i, value->last, NO_NODE, g->node[i].reads};
	if (value->last == NO_NODE)
		value->first = g->nreads;
	else
		g->read[value->last].next = g->nreads;
	value->last = g->nreads;
	g->node[i].reads = g->nreads++;
	add_edge(g, value->def, i);
}

/* Orders a write after the earlier write of the register, whose value may be dead or preserved in
 * some lanes. */
static void add_write(struct sched_graph *g, uint32_t reg, uint32_t i)
{
	const struct sched_value *before = &g->value[held_value(g, reg)];

	add_edge(g, before->def, i);
	for (uint32_t r = before->first; r != NO_NODE; r = g->read[r].next)
		add_edge(g, g->read[r].instr, i);
	add_value(g, reg, i);
}

static void add_node(struct sched_graph *g, uint32_t i)
{
	const struct ir_instr *in = &g->code[i];
	uint32_t uses[IR_USES];
	unsigned n = ir_uses(in, uses);

	g->node[i] =
		(struct sched_node){.edges = NO_NODE, .reads = NO_NODE, .late = sched_is_late(in)};
	for (unsigned u = 0; u < n; u++)
		add_read(g, uses[u], i);
	for (unsigned d = 0; d < in->ndst; d++)
		if (in->dst[d].kind == IR_REG)
			held_value(g, in->dst[d].index);
	g->node[i].def = g->nvalues;
	for (unsigned d = 0; d < in->ndst; d++)
		if (in->dst[d].kind == IR_REG)
			add_write(g, in->dst[d].index, i);
	g->node[i].end = g->nvalues;
}

void sched_drop_read(struct sched_graph *g, uint32_t read)
{
	const struct sched_read *r = &g->read[read];
	struct sched_value *v = &g->value[r->value];

	if (r->prev == NO_NODE)
		v->first = r->next;
	else
		g->read[r->prev].next = r->next;
	if (r->next == NO_NODE)
		v->last = r->prev;
	else
		g->read[r->next].prev = r->prev;
}

/* ---- waves. */

static bool makes(const struct sched_graph *g, uint32_t from, uint32_t to)
{
	for (uint32_t r = g->node[to].reads; r != NO_NODE; r = g->read[r].sibling)
		if (g->value[g->read[r].value].def == from)
			return true;
	return false;
}

/* The latency of a result, roughly: that of a back end's tables, not the chip's. */
static uint32_t latency_of(const struct ir_instr *i)
{
	if (sched_is_late(i))
		return 400;
	if (i->action == ACT_LOAD || i->action == ACT_ATOM || i->action == ACT_SREG)
		return 24;
	return i->unit == UNIT_SFU ? 18 : 4;
}

uint32_t sched_distance(const struct sched_graph *g, uint32_t from, uint32_t to)
{
	return makes(g, from, to) ? latency_of(&g->code[from]) : 1;
}

static void find_heights(struct sched_graph *g)
{
	for (uint32_t i = g->n; i-- > 0;) {
		struct sched_node *n = &g->node[i];

		n->height = n->ready = 0;
		for (uint32_t e = n->edges; e != NO_NODE; e = g->edge[e].next) {
			uint32_t to = g->edge[e].to;
			uint32_t all = g->node[to].height + sched_distance(g, i, to);

			n->height = all > n->height ? all : n->height;
		}
	}
}

static void find_waves(struct sched_graph *g)
{
	for (uint32_t i = 0; i < g->n; i++)
		for (uint32_t e = g->node[i].edges; e != NO_NODE; e = g->edge[e].next) {
			struct sched_node *to = &g->node[g->edge[e].to];
			uint32_t wave = g->node[i].wave;

			wave += g->node[i].late && makes(g, i, g->edge[e].to);
			to->wave = to->wave < wave ? wave : to->wave;
		}
}

static void find_leading(struct sched_graph *g)
{
	for (uint32_t i = g->n; i-- > 0;) {
		struct sched_node *n = &g->node[i];

		n->leads = n->late;
		for (uint32_t e = n->edges; e != NO_NODE; e = g->edge[e].next) {
			const struct sched_node *to = &g->node[g->edge[e].to];

			n->leads |= to->leads && to->wave == n->wave;
		}
	}
}

/* ---- all of it. */

struct sizes {
	size_t instrs, reads, values, edges;
};

static void add_sizes(struct sizes *r, const struct ir_instr *i)
{
	uint32_t uses[IR_USES];
	unsigned n = ir_uses(i, uses);

	r->instrs++;
	r->reads += n;
	r->values += n + 2 * i->ndst;
	r->edges += 2 * n + 2 * i->ndst + (memories(i) ? 2 * MEMORIES : 0);
}

static void widen(struct sizes *r, struct sizes other)
{
	r->instrs = max_u64(r->instrs, other.instrs);
	r->reads = max_u64(r->reads, other.reads);
	r->values = max_u64(r->values, other.values);
	r->edges = max_u64(r->edges, other.edges);
}

struct sched_graph sched_graph_new(const struct ir_function *f, struct arena *work)
{
	struct sched_graph g = {.f = f};
	struct sizes most = {0};

	for (uint32_t b = 0; b < f->nblocks; b++) {
		struct sizes block = {0};

		for (uint32_t i = f->blocks[b].first; i < f->blocks[b].end; i++)
			add_sizes(&block, &f->code[i]);
		widen(&most, block);
	}
	g.node = arena_alloc(work, most.instrs + 1, sizeof(*g.node));
	g.value = arena_alloc(work, most.values + 1, sizeof(*g.value));
	g.read = arena_alloc(work, most.reads + 1, sizeof(*g.read));
	g.edge = arena_alloc(work, most.edges + 1, sizeof(*g.edge));
	g.held = arena_alloc(work, f->nvregs + 1, sizeof(*g.held));
	g.stamp = arena_alloc(work, f->nvregs + 1, sizeof(*g.stamp));
	g.readers = arena_alloc(work, MEMORIES * (most.instrs + 1), sizeof(*g.readers));
	return g;
}

static void order_all(struct sched_graph *g)
{
	struct memory_order order[MEMORIES];

	for (unsigned k = 0; k < MEMORIES; k++)
		order[k] = (struct memory_order){NO_NODE, g->readers + (size_t)k * g->n, 0};
	for (uint32_t i = 0; i < g->n; i++)
		order_memory(g, order, i);
}

void sched_graph_build(struct sched_graph *g, const struct ir_instr *code, uint32_t n,
	const struct live_set *after)
{
	g->code = code;
	g->n = n;
	g->nvalues = g->nreads = g->nedges = 0;
	g->now++;
	for (uint32_t i = 0; i < n; i++)
		add_node(g, i);
	for (uint32_t k = 0; k < after->n; k++)
		if (g->stamp[after->list[k]] == g->now)
			g->value[g->held[after->list[k]]].out = true;
	order_all(g);
	find_waves(g);
	find_leading(g);
	find_heights(g);
}
