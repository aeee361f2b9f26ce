/* Simulates a region with a given number of registers: when no register is free, the value is
 * evicted whose next use is far and which is cheap to reload (Belady, "A study of replacement
 * algorithms", 1966). Values defined before the region are in registers at its begin as far as they
 * fit, the earliest used first. */
#include "ptx/alloc/reorder.h"

#include <math.h>
#include <string.h>

#define FAR 16u /* instructions from the end of the region to uses of its live-out values */

struct reorder_cost {
	const struct reorder_region *s;
	/* by value */
	uint32_t *use_first, *cursor; /* into use_list: positions of its uses, ascending */
	uint32_t *where;              /* its index in here + 1; 0: in no register */
	bool *stored;
	uint32_t *needed; /* position at which it must not be evicted + 1 */
	uint32_t *use_list;
	uint32_t *here, nhere, words;
	struct reorder_load *load;
	uint32_t nloads, loads_cap;
	struct arena *work;
	uint32_t at;
	float cost;
};

/* ---- uses. */

/* What the instruction reads; and the address of a load as long as the load may be repeated. */
static void note_uses(struct reorder_cost *k, uint32_t position, uint32_t i, bool fill)
{
	const struct sched_graph *g = k->s->graph;

	for (uint32_t r = g->node[i].reads; r != NO_NODE; r = g->read[r].sibling) {
		uint32_t v = g->read[r].value, def = g->value[v].def;

		if (fill)
			k->use_list[k->use_first[v + 1]++] = position;
		else
			k->use_first[v + 2]++;
		if (def == NO_NODE || !k->s->again[def])
			continue;
		for (uint32_t a = g->node[def].reads; a != NO_NODE; a = g->read[a].sibling) {
			if (fill)
				k->use_list[k->use_first[g->read[a].value + 1]++] = position;
			else
				k->use_first[g->read[a].value + 2]++;
		}
	}
}

static void find_uses(struct reorder_cost *k, const uint32_t *order)
{
	const struct sched_graph *g = k->s->graph;

	memset(k->use_first, 0, (g->nvalues + 2) * sizeof(*k->use_first));
	for (uint32_t p = 0; p < g->n; p++)
		note_uses(k, p, order[p], false);
	for (uint32_t v = 0; v < g->nvalues; v++)
		k->use_first[v + 1] += k->use_first[v];
	for (uint32_t p = 0; p < g->n; p++)
		note_uses(k, p, order[p], true);
	memcpy(k->cursor, k->use_first, g->nvalues * sizeof(*k->cursor));
}

/* The first use of the value at or after position `from`; NO_NODE: none. */
static uint32_t next_use(struct reorder_cost *k, uint32_t v, uint32_t from)
{
	uint32_t end = k->use_first[v + 1];

	while (k->cursor[v] < end && k->use_list[k->cursor[v]] < from)
		k->cursor[v]++;
	if (k->cursor[v] < end)
		return k->use_list[k->cursor[v]];
	return k->s->graph->value[v].out ? k->s->graph->n + FAR : NO_NODE;
}

/* ---- the contents of the registers. */

static bool is_loaded(const struct reorder_cost *k, uint32_t v)
{
	uint32_t def = k->s->graph->value[v].def;

	return def != NO_NODE && k->s->again[def];
}

static void enter(struct reorder_cost *k, uint32_t v)
{
	if (!reorder_words(k->s, v) || k->where[v])
		return;
	k->here[k->nhere++] = v;
	k->where[v] = k->nhere;
	k->words += reorder_words(k->s, v);
}

static void leave(struct reorder_cost *k, uint32_t v)
{
	uint32_t last = k->here[--k->nhere];

	k->here[k->where[v] - 1] = last;
	k->where[last] = k->where[v];
	k->where[v] = 0;
	k->words -= reorder_words(k->s, v);
}

static bool needs_store(const struct reorder_cost *k, uint32_t v)
{
	return !k->stored[v] && !is_loaded(k, v) && !k->s->made[v];
}

static float price(const struct reorder_cost *k, uint32_t v)
{
	return (k->s->made[v] ? (float)k->s->made[v] : 1) + (needs_store(k, v) ? 1 : 0);
}

static void evict_excess(struct reorder_cost *k)
{
	while (k->words > k->s->capacity) {
		uint32_t worst = NO_NODE;
		float most = -1;

		for (uint32_t h = 0; h < k->nhere; h++) {
			uint32_t v = k->here[h];
			float gain;

			if (k->needed[v] == k->at + 1)
				continue;
			gain = (float)(next_use(k, v, k->at + 1) - k->at) *
			       (float)reorder_words(k->s, v) / (price(k, v) * price(k, v));
			if (gain < most || (gain == most && v > worst))
				continue;
			most = gain;
			worst = v;
		}
		if (worst == NO_NODE)
			return;
		k->cost += needs_store(k, worst) ? 1 : 0;
		k->stored[worst] = true;
		leave(k, worst);
	}
}

static void note_load(struct reorder_cost *k, uint32_t v)
{
	if (k->nloads == k->loads_cap) {
		struct reorder_load *more =
			arena_alloc(k->work, 2 * (size_t)k->loads_cap, sizeof(*more));

		memcpy(more, k->load, k->nloads * sizeof(*more));
		k->load = more;
		k->loads_cap *= 2;
	}
	k->load[k->nloads++] = (struct reorder_load){k->at, v};
}

static void fetch(struct reorder_cost *k, uint32_t v)
{
	k->needed[v] = k->at + 1;
	if (k->where[v] || !reorder_words(k->s, v))
		return;
	k->cost += k->s->made[v] ? (float)k->s->made[v] : 1;
	if (is_loaded(k, v))
		note_load(k, v);
	enter(k, v);
}

/* ---- one instruction. */

static void fetch_address(struct reorder_cost *k, uint32_t v)
{
	const struct sched_graph *g = k->s->graph;

	if (k->where[v] || !is_loaded(k, v))
		return;
	for (uint32_t a = g->node[g->value[v].def].reads; a != NO_NODE; a = g->read[a].sibling)
		fetch(k, g->read[a].value);
}

static void drop(struct reorder_cost *k, uint32_t v)
{
	if (k->where[v] && next_use(k, v, k->at + 1) == NO_NODE)
		leave(k, v);
}

static void step(struct reorder_cost *k, uint32_t i)
{
	const struct sched_graph *g = k->s->graph;

	for (uint32_t r = g->node[i].reads; r != NO_NODE; r = g->read[r].sibling) {
		fetch_address(k, g->read[r].value);
		fetch(k, g->read[r].value);
	}
	evict_excess(k);
	for (uint32_t r = g->node[i].reads; r != NO_NODE; r = g->read[r].sibling) {
		k->needed[g->read[r].value] = 0;
		drop(k, g->read[r].value);
	}
	for (uint32_t v = g->node[i].def; v < g->node[i].end; v++) {
		k->needed[v] = k->at + 1;
		enter(k, v);
	}
	evict_excess(k);
	for (uint32_t v = g->node[i].def; v < g->node[i].end; v++)
		drop(k, v);
}

/* ---- all of them. */

static void begin(struct reorder_cost *k, const uint32_t *order)
{
	const struct sched_graph *g = k->s->graph;

	k->nhere = k->words = k->nloads = k->at = 0;
	k->cost = 0;
	memset(k->where, 0, g->nvalues * sizeof(*k->where));
	memset(k->stored, 0, g->nvalues);
	memset(k->needed, 0, g->nvalues * sizeof(*k->needed));
	find_uses(k, order);
	for (uint32_t p = 0; p < g->n; p++)
		for (uint32_t r = g->node[order[p]].reads; r != NO_NODE; r = g->read[r].sibling) {
			uint32_t v = g->read[r].value;

			if (g->value[v].def != NO_NODE || k->where[v] || k->stored[v])
				continue;
			if (k->words + reorder_words(k->s, v) <= k->s->capacity)
				enter(k, v);
			else
				k->stored[v] = true;
		}
}

float reorder_cost_of(struct reorder_cost *k, const uint32_t *order)
{
	const struct sched_graph *g = k->s->graph;

	begin(k, order);
	for (k->at = 0; k->at < g->n; k->at++)
		step(k, order[k->at]);
	for (uint32_t v = 0; v < g->nvalues; v++)
		if (g->value[v].out && !k->where[v] && k->stored[v])
			k->cost += k->s->made[v] ? (float)k->s->made[v] : 1;
	return k->cost;
}

bool reorder_cost_lost(const struct reorder_cost *k, uint32_t value)
{
	return k->stored[value] && !is_loaded(k, value) && !k->s->made[value];
}

const struct reorder_load *reorder_cost_loads(const struct reorder_cost *k, uint32_t *n)
{
	*n = k->nloads;
	return k->load;
}

struct reorder_cost *reorder_cost_new(const struct reorder_region *s, struct arena *work)
{
	struct reorder_cost *k = arena_alloc(work, 1, sizeof(*k));
	const struct sched_graph *g = s->graph;
	uint32_t n = g->nvalues + 2;

	k->s = s;
	k->work = work;
	k->use_first = arena_alloc(work, n, sizeof(*k->use_first));
	k->cursor = arena_alloc(work, n, sizeof(*k->cursor));
	k->where = arena_alloc(work, n, sizeof(*k->where));
	k->stored = arena_alloc(work, n, sizeof(*k->stored));
	k->needed = arena_alloc(work, n, sizeof(*k->needed));
	k->use_list =
		arena_alloc(work, (size_t)g->nreads * (1 + INSTR_SRCS) + 1, sizeof(*k->use_list));
	k->here = arena_alloc(work, n, sizeof(*k->here));
	k->loads_cap = g->n + 16;
	k->load = arena_alloc(work, k->loads_cap, sizeof(*k->load));
	return k;
}
