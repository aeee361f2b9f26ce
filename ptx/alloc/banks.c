/* Bank conflicts: source registers of one instruction are in the same bank when their numbers are
 * equal modulo four (Gebhart et al., MICRO 2012, section 4.2: the banks of a cluster). Pairs of
 * locations are exchanged as long as that reduces the conflicts, weighted by execution frequency.
 * An exchange is a Kempe chain (Kempe, 1879): all values that interfere along it swap between the
 * two locations. 64-bit values exchange two locations. */
#include "ptx/alloc/banks.h"

#include "ptx/alloc/graph.h"
#include "ptx/alloc/spill.h"
#include "ptx/levels/levels.h"

#include <stdlib.h>

#define SWEEPS 8u
#define DRAWN_ALONG 256u      /* values in one exchange, at most */
#define WORK_LIMIT (1u << 19) /* edges visited, at most */

/* Another register that the same instructions read, and how often. */
struct meeting {
	uint32_t other;
	float often;
};

struct by_cost {
	double cost;
	uint32_t vreg;
};

struct spreading {
	const struct alloc_graph *graph;
	const struct alloc_job *job;
	uint16_t *location;
	uint32_t used;
	uint32_t *first; /* as edges: meetings first[v] .. first[v + 1] - 1 */
	struct meeting *meetings;
	bool counting;
	/* exchange locations a .. a + size - 1 with b .. b + size - 1 */
	uint32_t a, b, size;
	uint32_t *drawn, n; /* the values that move */
	uint32_t *stamp, now;
	/* by value: no better location was found before exchange tried[v] - 1 */
	uint32_t exchanges, *tried;
	uint64_t work;
};

/* ---- registers read together. */

static void add_meeting(struct spreading *s, uint32_t v, uint32_t u, float often)
{
	if (s->counting)
		s->first[v + 1]++;
	else
		s->meetings[s->first[v]++] = (struct meeting){u, often};
}

static void add_meetings(struct spreading *s, const struct ir_instr *i, float often)
{
	for (unsigned x = 0; x < i->nsrc; x++) {
		if (i->src[x].kind != IR_REG || !alloc_mine(s->job, i->src[x].index))
			continue;
		for (unsigned y = 0; y < i->nsrc; y++)
			if (i->src[y].kind == IR_REG && alloc_mine(s->job, i->src[y].index) &&
				i->src[y].index != i->src[x].index)
				add_meeting(s, i->src[x].index, i->src[y].index, often);
	}
}

static void walk_meetings(struct spreading *s, const float *weight)
{
	const struct ir_function *f = s->job->function;

	for (uint32_t b = 0; b < f->nblocks; b++)
		for (uint32_t i = f->blocks[b].first; i < f->blocks[b].end; i++)
			add_meetings(s, &f->code[i], weight[b]);
}

/* Counts, then fills, like the edges. */
static void find_meetings(struct spreading *s)
{
	uint32_t n = s->job->function->nvregs;
	const float *weight = loops_weigh(s->job->function, s->job->work);

	s->first = arena_alloc(s->job->work, n + 2, sizeof(*s->first));
	s->counting = true;
	walk_meetings(s, weight);
	for (uint32_t v = 0; v < n; v++)
		s->first[v + 1] += s->first[v];
	s->meetings = arena_alloc(s->job->work, s->first[n] + 1, sizeof(*s->meetings));
	s->counting = false;
	walk_meetings(s, weight);
	for (uint32_t v = n; v > 0; v--)
		s->first[v] = s->first[v - 1];
	s->first[0] = 0;
}

/* ---- one exchange. */

static uint32_t size_of(const struct spreading *s, uint32_t v)
{
	return alloc_size(s->job, v);
}

static bool within(uint32_t location, uint32_t size, uint32_t from, uint32_t length)
{
	return location >= from && location + size <= from + length;
}

static uint32_t next_location(const struct spreading *s, uint32_t v)
{
	uint32_t at = s->location[v];

	if (s->stamp[v] != s->now)
		return at;
	return at - s->a < s->size ? at - s->a + s->b : at - s->b + s->a;
}

/* Adds a value to the exchange. False: it cannot move. */
static bool draw(struct spreading *s, uint32_t v)
{
	uint32_t at = s->location[v], size = size_of(s, v), next;

	if (s->stamp[v] == s->now)
		return true;
	if (!within(at, size, s->a, s->size) && !within(at, size, s->b, s->size))
		return false;
	s->stamp[v] = s->now;
	next = next_location(s, v);
	if (!alloc_fits(s->job, v, next) || (s->job->function->ncalls && next > at))
		return false;
	s->drawn[s->n++] = v;
	return s->n < DRAWN_ALONG;
}

static bool draw_neighbours(struct spreading *s, uint32_t v)
{
	const struct alloc_graph *g = s->graph;
	uint32_t next = next_location(s, v), size = size_of(s, v);

	for (uint64_t e = g->first[v]; e < g->first[v + 1]; e++) {
		uint32_t u = g->edges[e], at = s->location[u];

		if (at < next + size && next < at + size_of(s, u) && !draw(s, u))
			return false;
	}
	s->work += g->first[v + 1] - g->first[v];
	return true;
}

/* Copies coalesced with it move along. */
static bool draw_copies(struct spreading *s, uint32_t v)
{
	const struct alloc_graph *g = s->graph;

	for (uint32_t h = g->hint_of[v]; h; h = g->hints[h - 1].next) {
		const struct alloc_hint *hint = &g->hints[h - 1];

		if ((int64_t)s->location[v] == (int64_t)s->location[hint->other] + hint->delta &&
			!draw(s, hint->other))
			return false;
	}
	return true;
}

/* A 64-bit copy and its source do not interfere, but they must share both words or none. */
static bool is_askew(const struct spreading *s, uint32_t v)
{
	const struct alloc_graph *g = s->graph;

	for (uint32_t h = g->hint_of[v]; h; h = g->hints[h - 1].next) {
		uint32_t u = g->hints[h - 1].other, p = next_location(s, v),
			 q = next_location(s, u);

		if (size_of(s, v) == 2 && size_of(s, u) == 2 && (p + 1 == q || q + 1 == p))
			return true;
	}
	return false;
}

/* Collects in `drawn` the values that must move to put v there. False: not possible. */
static bool try_at(struct spreading *s, uint32_t v, uint32_t location)
{
	s->a = s->location[v];
	s->b = location;
	s->size = size_of(s, v);
	s->n = 0;
	s->now++;
	if (s->a < s->b + s->size && s->b < s->a + s->size)
		return false;
	if (!draw(s, v))
		return false;
	for (uint32_t k = 0; k < s->n; k++)
		if (!draw_neighbours(s, s->drawn[k]) || !draw_copies(s, s->drawn[k]))
			return false;
	for (uint32_t k = 0; k < s->n; k++)
		if (is_askew(s, s->drawn[k]))
			return false;
	return true;
}

/* ---- gain of an exchange. */

/* The banks of one word or of two neighbours, as a bit mask. */
static unsigned banks_of(uint32_t location, uint32_t size)
{
	unsigned bits = (size == 2 ? 3u : 1u) << location % LEVEL_BANKS;

	return (bits | bits >> LEVEL_BANKS) & ((1u << LEVEL_BANKS) - 1);
}

static unsigned count_banks(unsigned bits)
{
	return (unsigned)(UINT64_C(0x4332322132212110) >> bits * 4) & 15;
}

static unsigned shared_of_pairs(uint32_t p, uint32_t psize, uint32_t q, uint32_t qsize)
{
	uint32_t from = p > q ? p : q, to = p + psize < q + qsize ? p + psize : q + qsize;
	unsigned same = to > from ? to - from : 0;

	return count_banks(banks_of(p, psize) & banks_of(q, qsize)) - same;
}

/* The number of word pairs of two values in the same bank; a word shared by both does not count.
 * Nearly all values are single words. */
static inline unsigned shared_banks(uint32_t p, uint32_t psize, uint32_t q, uint32_t qsize)
{
	if (psize == 1 && qsize == 1)
		return p % LEVEL_BANKS == q % LEVEL_BANKS && p != q;
	return shared_of_pairs(p, psize, q, qsize);
}

static double cost_of(const struct spreading *s, uint32_t v)
{
	double sum = 0;

	for (uint32_t k = s->first[v]; k < s->first[v + 1]; k++) {
		uint32_t u = s->meetings[k].other;

		sum += (double)s->meetings[k].often *
		       shared_banks(s->location[v], size_of(s, v), s->location[u], size_of(s, u));
	}
	return sum;
}

static double gain_of(const struct spreading *s, uint32_t v)
{
	double sum = 0;

	for (uint32_t k = s->first[v]; k < s->first[v + 1]; k++) {
		const struct meeting *m = &s->meetings[k];
		uint32_t u = m->other, size = size_of(s, v), other = size_of(s, u);
		int was = (int)shared_banks(s->location[v], size, s->location[u], other);
		int is = (int)shared_banks(next_location(s, v), size, next_location(s, u), other);

		/* a pair that moves together is counted from both sides */
		sum += (double)m->often * (was - is) * (s->stamp[u] == s->now ? 0.5 : 1);
	}
	return sum;
}

static double gain(const struct spreading *s)
{
	double sum = 0;

	for (uint32_t k = 0; k < s->n; k++)
		sum += gain_of(s, s->drawn[k]);
	return sum;
}

static void exchange(struct spreading *s)
{
	for (uint32_t k = 0; k < s->n; k++) {
		uint32_t v = s->drawn[k], next = next_location(s, v);

		s->stamp[v] = 0;
		s->location[v] = (uint16_t)next;
	}
}

/* ---- all exchanges. */

/* Moves the value to the location with the fewest conflicts. Returns whether anything changed. */
static bool improve(struct spreading *s, uint32_t v)
{
	uint32_t best = NO_LOCATION;
	double most = 0;

	if (s->tried[v] == s->exchanges + 1)
		return false;
	s->tried[v] = s->exchanges + 1;
	for (uint32_t p = 0; p + size_of(s, v) <= s->used && s->work < WORK_LIMIT; p++) {
		bool other = p % LEVEL_BANKS != s->location[v] % LEVEL_BANKS;
		double worth = other && try_at(s, v, p) ? gain(s) : 0;

		if (worth > most) {
			most = worth;
			best = p;
		}
	}
	if (best == NO_LOCATION || !try_at(s, v, best))
		return false;
	exchange(s);
	s->exchanges++;
	return true;
}

static int dear_first(const void *a, const void *b)
{
	const struct by_cost *x = a, *y = b;

	if (x->cost != y->cost)
		return x->cost > y->cost ? -1 : 1;
	return x->vreg < y->vreg ? -1 : x->vreg > y->vreg;
}

static bool sweep(struct spreading *s, struct by_cost *list)
{
	uint32_t n = 0;
	bool news = false;

	for (uint32_t k = 0; k < s->graph->n; k++) {
		double cost = cost_of(s, s->graph->node[k]);

		if (cost > 0)
			list[n++] = (struct by_cost){cost, s->graph->node[k]};
	}
	qsort(list, n, sizeof(*list), dear_first);
	for (uint32_t k = 0; k < n; k++)
		if (cost_of(s, list[k].vreg) > 0)
			news = improve(s, list[k].vreg) || news;
	return news;
}

void alloc_renumber(const struct alloc_job *job, uint32_t used)
{
	struct spreading s = {.job = job, .location = job->location, .used = used};
	struct by_cost *list;

	s.graph = alloc_graph_of(job);
	find_meetings(&s);
	s.stamp = arena_alloc(job->work, job->function->nvregs + 1, sizeof(*s.stamp));
	s.tried = arena_alloc(job->work, job->function->nvregs + 1, sizeof(*s.tried));
	s.drawn = arena_alloc(job->work, DRAWN_ALONG, sizeof(*s.drawn));
	list = arena_alloc(job->work, s.graph->n + 1, sizeof(*list));
	for (unsigned k = 0; k < SWEEPS && s.work < WORK_LIMIT; k++)
		if (!sweep(&s, list))
			break;
}
