/* Graph colouring: greedy colouring in several orders of the interference graph, then in orders
 * derived from the previous results (Culberson and Luo, "Exploring the k-colorable landscape with
 * iterated greedy", 1996), until the register pressure is reached. With a limit, the first order is
 * the optimistic one of Briggs, Cooper and Torczon ("Improvements to graph coloring register
 * allocation", TOPLAS 1994): nodes that are easy to colour come last, nodes that are cheap to spill
 * come late. 64-bit values take two adjacent locations. */
#include "ptx/alloc/graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 24u             /* greedy passes at most */
#define LIMITED_ROUNDS 8u      /* the same when uncoloured nodes are spilled */
#define WORK_LIMIT (16u << 20) /* edges visited by all passes together */

struct colouring {
	const struct alloc_graph *graph;
	const struct alloc_job *job;
	uint32_t *taken; /* by location: stamp of the register that cannot use it */
	uint32_t *askew; /* by location: stamp of the pair that cannot start at it */
	uint32_t stamp;
	uint16_t *try, *best; /* assignments, by virtual register */
	uint8_t *coloured;
	uint32_t locations, best_used; /* locations used by try and by best */
	double best_missed;            /* spill cost of the uncoloured nodes */
	bool tidy;                     /* pairs at even locations, single words in the gaps */
	bool hinted;                   /* coalesce copies where possible */
};

/* ---- one greedy pass. */

/* A 64-bit copy and its source hold one value, so they do not interfere, but they must share both
 * words or none. */
static void forbid_askew(struct colouring *g, uint32_t v)
{
	for (uint32_t h = g->graph->hint_of[v]; h; h = g->graph->hints[h - 1].next) {
		uint32_t u = g->graph->hints[h - 1].other, location = g->try[u];

		if (!g->coloured[u] || alloc_size(g->job, u) != 2)
			continue;
		g->askew[location + 1] = g->stamp;
		if (location)
			g->askew[location - 1] = g->stamp;
	}
}

static void forbid(struct colouring *g, uint32_t v)
{
	g->stamp++;
	if (alloc_size(g->job, v) == 2)
		forbid_askew(g, v);
	for (uint64_t e = g->graph->first[v]; e < g->graph->first[v + 1]; e++) {
		uint32_t u = g->graph->edges[e];

		if (!g->coloured[u])
			continue;
		g->taken[g->try[u]] = g->stamp;
		if (alloc_size(g->job, u) == 2)
			g->taken[g->try[u] + 1] = g->stamp;
	}
}

static bool is_free(const struct colouring *g, uint32_t location, uint32_t size)
{
	if (!alloc_aligned(g->job, location, size))
		return false;
	if (size == 2 && (g->taken[location + 1] == g->stamp || g->askew[location] == g->stamp))
		return false;
	return g->taken[location] != g->stamp;
}

static bool take_hint(
	const struct colouring *g, uint32_t v, uint32_t size, uint32_t used, uint32_t *location)
{
	for (uint32_t h = g->graph->hint_of[v]; h; h = g->graph->hints[h - 1].next) {
		const struct alloc_hint *hint = &g->graph->hints[h - 1];
		int64_t at = (int64_t)g->try[hint->other] + hint->delta;

		if (!g->coloured[hint->other] || at < 0 || at + size > used)
			continue;
		if (!is_free(g, (uint32_t)at, size) || !alloc_fits(g->job, v, (uint32_t)at))
			continue;
		*location = (uint32_t)at;
		return true;
	}
	return false;
}

static uint32_t choose(const struct colouring *g, uint32_t v, uint32_t size, uint32_t used)
{
	uint32_t location;

	if (g->hinted && take_hint(g, v, size, used, &location))
		return location;
	for (location = 0; g->tidy && location + size <= used; location++) {
		bool neat = size == 2 ? location % 2 == 0 : g->taken[location ^ 1] == g->stamp;

		if (neat && is_free(g, location, size) && alloc_fits(g->job, v, location))
			return location;
	}
	for (location = 0; !is_free(g, location, size); location++)
		;
	return location;
}

static void greedy(struct colouring *g, const uint32_t *order)
{
	uint32_t used = 0;
	double missed = 0;

	memset(g->coloured, 0, g->job->function->nvregs);
	for (uint32_t k = 0; k < g->graph->n; k++) {
		uint32_t v = order[k], size = alloc_size(g->job, v), location;

		forbid(g, v);
		location = choose(g, v, size, used);
		if (!alloc_fits(g->job, v, location)) {
			g->try[v] = NO_LOCATION;
			missed += g->job->limit->cost[v];
			continue;
		}
		g->try[v] = (uint16_t)location;
		g->coloured[v] = 1;
		if (location + size > used)
			used = location + size;
	}
	g->locations = used;
	if (missed > g->best_missed || (missed == g->best_missed && used >= g->best_used))
		return;
	g->best_used = used;
	g->best_missed = missed;
	memcpy(g->best, g->try, g->job->function->nvregs * sizeof(*g->best));
}

/* ---- orders. */

/* Stable counting sort of the nodes by key (below `keys`). */
static void sort_by(
	struct colouring *g, const uint32_t *from, const uint32_t *key, uint32_t keys, uint32_t *to)
{
	uint32_t *at = arena_alloc(g->job->work, keys + 1, sizeof(*at));

	for (uint32_t k = 0; k < g->graph->n; k++)
		at[key[from[k]] + 1]++;
	for (uint32_t k = 0; k < keys; k++)
		at[k + 1] += at[k];
	for (uint32_t k = 0; k < g->graph->n; k++)
		to[at[key[from[k]]]++] = from[k];
}

/* The next order: registers of one location stay together; locations in reverse order, shuffled, or
 * with pairs first. With single words only, a pass in such an order never uses more locations than
 * the previous pass. */
static void suggest(
	struct colouring *g, uint32_t round, const uint32_t *from, uint32_t *key, uint32_t *to)
{
	for (uint32_t k = 0; k < g->graph->n; k++) {
		uint32_t v = from[k], location = g->coloured[v] ? g->try[v] : g->locations;

		if (round % 3 == 0)
			key[v] = g->locations - location;
		else if (round % 3 == 1)
			key[v] = location * 7 % (g->locations + 1);
		else
			key[v] = location + (alloc_size(g->job, v) == 2 ? 0 : g->locations);
	}
	sort_by(g, from, key, 2 * g->locations + 1, to);
}

/* Pairs first: they are hard to colour late. */
static void pairs_first(struct colouring *g, uint32_t *key, uint32_t *to)
{
	for (uint32_t k = 0; k < g->graph->n; k++)
		key[g->graph->node[k]] = 2 - alloc_size(g->job, g->graph->node[k]);
	sort_by(g, g->graph->node, key, 2, to);
}

/* ---- the order below a limit. */

struct simplify {
	struct colouring *g;
	uint32_t *squeeze; /* by register: locations that its uncoloured neighbours can take from it
			    */
	uint32_t *ready, nready;
	bool *gone; /* simplified, or no longer in the graph */
	struct by_cost {
		float key;
		uint32_t vreg;
	} * cheap;
};

/* The number of locations that a neighbour of size `other` can block. */
static uint32_t squeeze_of(uint32_t mine, uint32_t other)
{
	return mine == 1 ? other : other + 1;
}

static void take_if_ready(struct simplify *s, uint32_t v)
{
	const struct alloc_job *j = s->g->job;

	if (s->gone[v] || s->squeeze[v] + alloc_size(j, v) > j->limit->locations[v])
		return;
	s->gone[v] = true;
	s->ready[s->nready++] = v;
}

static void remove_node(struct simplify *s, uint32_t v)
{
	const struct colouring *g = s->g;

	for (uint64_t e = g->graph->first[v]; e < g->graph->first[v + 1]; e++) {
		uint32_t u = g->graph->edges[e];

		s->squeeze[u] -= squeeze_of(alloc_size(g->job, u), alloc_size(g->job, v));
		take_if_ready(s, u);
	}
}

static int cheap_first(const void *a, const void *b)
{
	const struct by_cost *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->vreg < y->vreg ? -1 : x->vreg > y->vreg;
}

static void start_simplify(struct simplify *s)
{
	const struct colouring *g = s->g;

	for (uint32_t k = 0; k < g->graph->n; k++) {
		uint32_t v = g->graph->node[k];

		for (uint64_t e = g->graph->first[v]; e < g->graph->first[v + 1]; e++)
			s->squeeze[v] += squeeze_of(
				alloc_size(g->job, v), alloc_size(g->job, g->graph->edges[e]));
		s->cheap[k] =
			(struct by_cost){g->job->limit->cost[v] / (float)(s->squeeze[v] + 1), v};
	}
	qsort(s->cheap, g->graph->n, sizeof(*s->cheap), cheap_first);
	for (uint32_t k = 0; k < g->graph->n; k++)
		take_if_ready(s, g->graph->node[k]);
}

/* Nodes that can certainly be coloured are removed first and coloured last. When there are none,
 * the node that is cheapest to spill is removed; it may still find a colour. */
static void simplify(struct colouring *g, uint32_t *to)
{
	uint32_t n = g->job->function->nvregs + 1, next = 0;
	struct simplify s = {.g = g,
		.squeeze = arena_alloc(g->job->work, n, sizeof(uint32_t)),
		.ready = arena_alloc(g->job->work, g->graph->n + 1, sizeof(uint32_t)),
		.gone = arena_alloc(g->job->work, n, sizeof(bool)),
		.cheap = arena_alloc(g->job->work, g->graph->n + 1, sizeof(struct by_cost))};

	start_simplify(&s);
	for (uint32_t k = 0; k < g->graph->n; k++) {
		if (k == s.nready) {
			while (s.gone[s.cheap[next].vreg])
				next++;
			s.gone[s.cheap[next].vreg] = true;
			s.ready[s.nready++] = s.cheap[next].vreg;
		}
		to[g->graph->n - 1 - k] = s.ready[k];
		remove_node(&s, s.ready[k]);
	}
}

static bool is_good(const struct colouring *g)
{
	if (g->job->limit)
		return g->best_missed == 0;
	return g->best_used <= g->job->floor;
}

static void search(struct colouring *g)
{
	uint32_t *key = arena_alloc(g->job->work, g->job->function->nvregs + 1, sizeof(*key));
	uint32_t *now = arena_alloc(g->job->work, g->graph->n + 1, sizeof(*now));
	uint32_t *next = arena_alloc(g->job->work, g->graph->n + 1, sizeof(*next));
	uint64_t rounds =
		WORK_LIMIT / (g->graph->first[g->job->function->nvregs] + g->graph->n + 1);

	rounds = max_u64(3, min_u64(rounds, g->job->limit ? LIMITED_ROUNDS : ROUNDS));
	if (g->job->limit)
		simplify(g, now);
	else
		memcpy(now, g->graph->node, g->graph->n * sizeof(*now));
	for (uint32_t k = 0; k < rounds && !is_good(g); k++) {
		uint32_t *done = now;

		g->tidy = k % 3 != 1;
		g->hinted = k % 4 < 2;
		greedy(g, now);
		if (k == 0)
			continue;
		if (k == 1)
			pairs_first(g, key, next);
		else
			suggest(g, k, now, key, next);
		now = next;
		next = done;
	}
}

static uint32_t assign(const struct alloc_job *job)
{
	uint32_t n = job->function->nvregs;
	struct colouring g = {.job = job, .best_used = UINT32_MAX, .best_missed = INFINITY};

	g.coloured = arena_alloc(job->work, n + 1, sizeof(*g.coloured));
	g.try = arena_alloc(job->work, n + 1, sizeof(*g.try));
	g.best = arena_alloc(job->work, n + 1, sizeof(*g.best));
	g.taken = arena_alloc(job->work, 4 * (size_t)n + 8, sizeof(*g.taken));
	g.askew = arena_alloc(job->work, 4 * (size_t)n + 8, sizeof(*g.askew));
	g.graph = alloc_graph_of(job);
	search(&g);
	for (uint32_t k = 0; k < g.graph->n; k++) {
		job->location[g.graph->node[k]] = g.best[g.graph->node[k]];
		if (g.best[g.graph->node[k]] == NO_LOCATION)
			job->limit->left[job->limit->nleft++] = g.graph->node[k];
	}
	return g.graph->n ? g.best_used : 0;
}

static const struct alloc_ops ops = {.assign = assign};

const struct plugin alloc_colour = {
	.kind = ALLOC_KIND,
	.name = "colour",
	.text = "Colours the interference graph greedily in several orders; the best is kept.",
	.ops = &ops,
};
