/* Which spilled values stay in local memory when slots of shared memory are short (Hayes and Zhang,
 * ICS 2014, section 3.2.2). */
#include "ptx/alloc/slots.h"

struct pruning {
	struct slot_sets *sets;
	uint32_t limit;
	uint64_t *rank;  /* by value: in how many sets above the limit it was */
	uint32_t *still; /* by value: sets that are above the limit now and hold it */
	enum spill_rank by;
};

static bool holds(const struct slot_set *set, uint32_t v)
{
	return set->bits[v / 64] >> v % 64 & 1;
}

static void start(struct pruning *p)
{
	for (uint32_t k = 0; k < p->sets->n; k++)
		for (uint32_t v = 0; v < p->sets->nvars; v++)
			if (holds(&p->sets->set[k], v)) {
				p->rank[v] += p->sets->set[k].times;
				p->still[v] += p->sets->set[k].words > p->limit;
			}
}

/* Whether a is dropped before b, which has the lower number. */
static bool is_lower(const struct pruning *p, uint32_t a, uint32_t b)
{
	const struct slot_var *x = &p->sets->var[a], *y = &p->sets->var[b];

	if (p->by == RANK_LIVE && p->rank[a] != p->rank[b])
		return p->rank[a] < p->rank[b];
	if (x->uses < y->uses || y->uses < x->uses)
		return x->uses < y->uses;
	return true;
}

static uint32_t choose(const struct pruning *p)
{
	uint32_t lowest = NO_VREG;

	for (uint32_t v = 0; v < p->sets->nvars; v++)
		if (p->still[v] && !p->sets->var[v].local &&
			(lowest == NO_VREG || is_lower(p, v, lowest)))
			lowest = v;
	return lowest;
}

static void drop(struct pruning *p, uint32_t dropped)
{
	p->sets->var[dropped].local = true;
	for (uint32_t k = 0; k < p->sets->n; k++) {
		struct slot_set *set = &p->sets->set[k];
		bool was_over = set->words > p->limit;

		if (!holds(set, dropped))
			continue;
		set->words -= p->sets->var[dropped].words;
		if (!was_over || set->words > p->limit)
			continue;
		for (uint32_t v = 0; v < p->sets->nvars; v++)
			p->still[v] -= holds(set, v);
	}
}

void slots_prune(struct slot_sets *sets, uint32_t limit, enum spill_rank by, struct arena *work)
{
	struct pruning p = {.sets = sets,
		.limit = limit,
		.rank = arena_alloc(work, sets->nvars + 1, sizeof(*p.rank)),
		.still = arena_alloc(work, sets->nvars + 1, sizeof(*p.still)),
		.by = by};

	for (uint32_t v = 0; v < sets->nvars; v++)
		sets->var[v].local = false;
	start(&p);
	for (uint32_t v; (v = choose(&p)) != NO_VREG;)
		drop(&p, v);
}
