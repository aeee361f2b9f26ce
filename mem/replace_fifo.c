/* Replacement: the way filled first. A way's rank is its age, 0 the youngest. */
#include "mem/replace.h"

#include "core/base.h"
#include "core/state.h"

#include <string.h>

struct ranks {
	uint32_t *rank; /* by set * ways + way */
	uint64_t sets;  /* of the largest capacity */
	unsigned ways;
};

static void init(void *self, uint64_t sets, unsigned ways, struct arena *arena)
{
	struct ranks *r = self;

	*r = (struct ranks){arena_alloc(arena, sets * ways, sizeof(*r->rank)), sets, ways};
}

static void emptied(void *self, uint64_t sets)
{
	struct ranks *r = self;

	(void)sets;
	memset(r->rank, 0, r->sets * r->ways * sizeof(*r->rank));
}

/* Also correct for all-zero ranks: ways never filled share the last one. */
static void filled(
	void *self, uint64_t set, unsigned way, const struct cache_access *access, struct rng *rng)
{
	struct ranks *r = self;
	uint32_t *rank = r->rank + set * r->ways, own = rank[way];

	(void)access;
	(void)rng;
	for (unsigned i = 0; i < r->ways; i++)
		rank[i] += rank[i] <= own;
	rank[way] = 0;
}

static unsigned victim(
	const void *self, uint64_t set, const struct cache_access *access, struct rng *rng)
{
	const struct ranks *r = self;
	const uint32_t *rank = r->rank + set * r->ways;
	unsigned oldest = 0;

	(void)access;
	(void)rng;
	for (unsigned i = 1; i < r->ways; i++)
		if (rank[i] > rank[oldest])
			oldest = i;
	return oldest;
}

static void state(void *self, struct state *s)
{
	struct ranks *r = self;

	state_bytes(s, r->rank, r->sets * r->ways * sizeof(*r->rank));
}

static const struct replace_ops ops = {
	.init = init, .victim = victim, .filled = filled, .emptied = emptied};

const struct plugin replace_fifo = {
	.kind = "replacement",
	.name = "fifo",
	.text = "First in, first out: evicts the way filled first.",
	.size = sizeof(struct ranks),
	.ops = &ops,
	.state = state,
};
