/* Orders for a region of a block. The results that no instruction of the region reads are divided
 * into groups; each group is computed as a whole before the next. At first each result is a group;
 * then the two groups are merged that share the most instructions and operands, until one is left.
 * Within a group the original order is kept, or instructions that increase the pressure are delayed
 * until their results are needed (Sethi and Ullman, "The generation of optimal code for arithmetic
 * expressions", 1970). */
#include "ptx/alloc/reorder.h"

#include <string.h>

#define GROUPS 64u             /* bits of a mask */
#define WORK_LIMIT (16u << 20) /* work of all orders together */
#define STEPS 32u              /* for an instruction, plus one for each register */
#define ORDERS 6u              /* for each group */

struct reorder_orders {
	const struct reorder_region *s;
	uint32_t n;
	uint64_t *needed;       /* by instruction, then by value: the groups that need it */
	uint64_t *first_needed; /* by instruction: the same when each result was a group */
	uint8_t *rank;          /* by instruction: the first group that needs it */
	uint32_t *pred_first, *pred;
	uint32_t shared[GROUPS][GROUPS], first_shared[GROUPS][GROUPS], size[GROUPS];
	uint32_t groups, left, step, turn;
	uint32_t first_size; /* groups in the first of two halves; 0: not started */
	bool across;         /* ties merge the later group into the earlier */
	bool waiting;        /* the next order delays some instructions */
	bool *waits;         /* by instruction: it increases the pressure */
	uint32_t *first;     /* by group: its index in sorted */
	uint32_t *sorted, *stack, *cursor;
	bool *done;
};

/* ---- which groups need what. */

static void find_needed(struct reorder_orders *o)
{
	const struct sched_graph *g = o->s->graph;
	uint32_t roots = 0, r = 0;

	for (uint32_t i = 0; i < o->n; i++)
		roots += g->node[i].edges == NO_NODE;
	o->groups = roots < GROUPS ? roots : GROUPS;
	for (uint32_t i = 0; i < o->n; i++) {
		uint32_t group = (uint32_t)((uint64_t)r * o->groups / (roots ? roots : 1));

		if (g->node[i].edges != NO_NODE)
			continue;
		o->needed[i] = (uint64_t)1 << group;
		o->size[group]++;
		r++;
	}
	for (uint32_t i = o->n; i-- > 0;)
		for (uint32_t e = g->node[i].edges; e != NO_NODE; e = g->edge[e].next)
			o->needed[i] |= o->needed[g->edge[e].to];
	for (uint32_t i = 0; i < o->n; i++)
		for (uint32_t k = g->node[i].reads; k != NO_NODE; k = g->read[k].sibling)
			if (g->value[g->read[k].value].def == NO_NODE)
				o->needed[o->n + g->read[k].value] |= o->needed[i];
}

static void count_shared(struct reorder_orders *o, uint32_t a)
{
	uint64_t bit = (uint64_t)1 << a;

	memset(o->shared[a], 0, sizeof(o->shared[a]));
	for (uint32_t k = 0; k < o->n + o->s->graph->nvalues; k++) {
		if (!(o->needed[k] & bit))
			continue;
		for (uint64_t rest = o->needed[k] & ~bit; rest; rest &= rest - 1)
			o->shared[a][__builtin_ctzll(rest)]++;
	}
	for (uint32_t b = 0; b < o->groups; b++)
		o->shared[b][a] = o->shared[a][b];
}

static void merge(struct reorder_orders *o, uint32_t a, uint32_t b)
{
	for (uint32_t k = 0; k < o->n + o->s->graph->nvalues; k++)
		if (o->needed[k] >> b & 1)
			o->needed[k] = (o->needed[k] & ~((uint64_t)1 << b)) | (uint64_t)1 << a;
	o->size[a] += o->size[b];
	o->size[b] = 0;
	count_shared(o, b);
	count_shared(o, a);
	o->left--;
}

/* Whether the second of two equal pairs is taken, when they start with groups a and best_a. */
static bool is_later(const struct reorder_orders *o, uint32_t a, uint32_t best_a, bool equal)
{
	return equal && o->across && a == best_a;
}

/* Merges the two groups that share the most for their size; of ties the smallest. */
static void merge_best(struct reorder_orders *o)
{
	uint32_t best_a = 0, best_b = 1, most = 0, least = UINT32_MAX;

	for (uint32_t a = 0; a < o->groups; a++)
		for (uint32_t b = a + 1; o->size[a] && b < o->groups; b++) {
			uint32_t size = o->size[a] + o->size[b];
			uint64_t mine = (uint64_t)o->shared[a][b] * least;
			uint64_t other = (uint64_t)most * size;

			if (!o->size[b] || mine < other)
				continue;
			if (mine == other &&
				!(size < least || is_later(o, a, best_a, size == least)))
				continue;
			best_a = a;
			best_b = b;
			most = o->shared[a][b];
			least = size;
		}
	merge(o, best_a, best_b);
}

/* ---- dependences. */

static bool makes(const struct sched_graph *g, uint32_t from, uint32_t to)
{
	for (uint32_t k = g->node[to].reads; k != NO_NODE; k = g->read[k].sibling)
		if (g->value[g->read[k].value].def == from)
			return true;
	return false;
}

/* The predecessors of each instruction: first ordering dependences, then operands; early ones
 * first. */
static void find_preds(struct reorder_orders *o, struct arena *work)
{
	const struct sched_graph *g = o->s->graph;

	o->pred_first = arena_alloc(work, o->n + 2, sizeof(*o->pred_first));
	o->pred = arena_alloc(work, g->nedges + 1, sizeof(*o->pred));
	for (uint32_t e = 0; e < g->nedges; e++)
		o->pred_first[g->edge[e].to + 2]++;
	for (uint32_t i = 0; i < o->n; i++)
		o->pred_first[i + 2] += o->pred_first[i + 1];
	for (unsigned reads = 0; reads < 2; reads++)
		for (uint32_t i = 0; i < o->n; i++)
			for (uint32_t e = g->node[i].edges; e != NO_NODE; e = g->edge[e].next)
				if (makes(g, i, g->edge[e].to) == reads)
					o->pred[o->pred_first[g->edge[e].to + 1]++] = i;
}

static void find_waiting(struct reorder_orders *o)
{
	const struct sched_graph *g = o->s->graph;

	for (uint32_t i = 0; i < o->n; i++) {
		uint32_t takes = 0, frees = 0;

		for (uint32_t v = g->node[i].def; v < g->node[i].end; v++)
			takes += reorder_words(o->s, v);
		for (uint32_t k = g->node[i].reads; k != NO_NODE; k = g->read[k].sibling) {
			const struct sched_value *v = &g->value[g->read[k].value];

			if (v->last == k && !v->out)
				frees += reorder_words(o->s, g->read[k].value);
		}
		o->waits[i] = takes > frees;
	}
}

/* ---- orders. */

static void sort(struct reorder_orders *o)
{
	memset(o->first, 0, (GROUPS + 1) * sizeof(*o->first));
	for (uint32_t i = 0; i < o->n; i++)
		o->first[o->rank[i] + 1]++;
	for (uint32_t k = 0; k < GROUPS; k++)
		o->first[k + 1] += o->first[k];
	for (uint32_t i = 0; i < o->n; i++)
		o->sorted[o->first[o->rank[i]]++] = i;
}

/* Emits the pending predecessors of the instruction, then the instruction. Returns how many. */
static uint32_t visit(struct reorder_orders *o, uint32_t i, uint32_t *order)
{
	uint32_t depth = 0, n = 0;

	if (o->done[i])
		return 0;
	o->stack[depth++] = i;
	while (depth > 0) {
		uint32_t at = o->stack[depth - 1], next = NO_NODE;

		while (o->cursor[at] < o->pred_first[at + 1] && next == NO_NODE) {
			uint32_t p = o->pred[o->cursor[at]++];

			next = o->done[p] ? NO_NODE : p;
		}
		if (next != NO_NODE) {
			o->stack[depth++] = next;
			continue;
		}
		depth--;
		o->done[at] = true;
		order[n++] = at;
	}
	return n;
}

static void order_waiting(struct reorder_orders *o, uint32_t *order)
{
	uint32_t n = 0;

	memset(o->done, 0, o->n);
	memcpy(o->cursor, o->pred_first, o->n * sizeof(*o->cursor));
	for (uint32_t k = 0; k < o->n; k++) {
		uint32_t i = o->sorted[k];

		if (!o->waits[i] || o->s->graph->node[i].edges == NO_NODE)
			n += visit(o, i, order + n);
	}
	BUG_ON(n != o->n);
}

/* Merges two groups; false: one is left. */
static bool next_merged(struct reorder_orders *o)
{
	for (uint32_t k = 0; o->turn && k < o->step && o->left > 1; k++)
		merge_best(o);
	if (o->turn == o->left)
		return false;
	o->turn = o->left;
	for (uint32_t i = 0; i < o->n; i++)
		o->rank[i] = (uint8_t)__builtin_ctzll(o->needed[i]);
	return true;
}

/* Of the groups not in the mask, the one that shares the most with those in it. */
static uint32_t find_nearest(const struct reorder_orders *o, uint64_t mask)
{
	uint32_t best = 0, most = 0;
	bool found = false;

	for (uint32_t b = 0; b < o->groups; b++) {
		uint32_t shared = 0;

		if (mask >> b & 1)
			continue;
		for (uint64_t rest = mask; rest; rest &= rest - 1)
			shared += o->first_shared[__builtin_ctzll(rest)][b];
		if (found && (o->across ? shared < most : shared <= most))
			continue;
		found = true;
		most = shared;
		best = b;
	}
	return best;
}

/* Two groups: as many results as may fit, and the rest. */
static bool next_halved(struct reorder_orders *o)
{
	uint64_t mask = 0;

	if (!o->first_size)
		o->first_size = o->groups;
	if (o->first_size <= o->groups / 2 + o->step)
		return false;
	o->first_size -= o->step;
	for (uint32_t k = 0; k < o->first_size; k++)
		mask |= (uint64_t)1 << find_nearest(o, mask);
	for (uint32_t i = 0; i < o->n; i++)
		o->rank[i] = !(o->first_needed[i] & mask);
	return true;
}

bool reorder_orders_next(struct reorder_orders *o, uint32_t *order)
{
	if (o->waiting) {
		o->waiting = false;
		order_waiting(o, order);
		return true;
	}
	if (!next_merged(o) && !next_halved(o))
		return false;
	sort(o);
	memcpy(order, o->sorted, o->n * sizeof(*order));
	o->waiting = true;
	return true;
}

struct reorder_orders *reorder_orders_new(
	const struct reorder_region *s, bool across, struct arena *work)
{
	struct reorder_orders *o = arena_alloc(work, 1, sizeof(*o));
	uint32_t n = s->graph->n;

	o->s = s;
	o->n = n;
	o->across = across;
	o->needed = arena_alloc(work, n + s->graph->nvalues, sizeof(*o->needed));
	o->first_needed = arena_alloc(work, n, sizeof(*o->needed));
	o->rank = arena_alloc(work, n, sizeof(*o->rank));
	o->waits = arena_alloc(work, n, sizeof(*o->waits));
	o->first = arena_alloc(work, GROUPS + 2, sizeof(*o->first));
	o->sorted = arena_alloc(work, n, sizeof(*o->sorted));
	o->stack = arena_alloc(work, n, sizeof(*o->stack));
	o->cursor = arena_alloc(work, n, sizeof(*o->cursor));
	o->done = arena_alloc(work, n, sizeof(*o->done));
	find_needed(o);
	find_preds(o, work);
	find_waiting(o);
	for (uint32_t a = 0; a < o->groups; a++)
		count_shared(o, a);
	memcpy(o->first_needed, o->needed, n * sizeof(*o->needed));
	memcpy(o->first_shared, o->shared, sizeof(o->shared));
	o->left = o->groups;
	o->step = 1 +
		  (uint32_t)((uint64_t)ORDERS * o->groups * n * (STEPS + s->capacity) / WORK_LIMIT);
	return o;
}
