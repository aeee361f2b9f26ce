/* Replacement: the least recently used way, by the order of uses: noting a use is one store. */
#include "mem/replace.h"

#include "core/base.h"
#include "core/state.h"

#include <string.h>

struct uses {
	uint64_t *last; /* by set * ways + way: the number of its last use; 0: none yet */
	uint64_t n;     /* so far */
	uint64_t sets;  /* of the largest capacity */
	unsigned ways;
};

static void init(void *self, uint64_t sets, unsigned ways, struct arena *arena)
{
	struct uses *u = self;

	*u = (struct uses){.last = arena_alloc(arena, sets * ways, sizeof(*u->last)),
		.sets = sets,
		.ways = ways};
}

static void emptied(void *self, uint64_t sets)
{
	struct uses *u = self;

	(void)sets;
	memset(u->last, 0, u->sets * u->ways * sizeof(*u->last));
}

static void used(void *self, uint64_t set, unsigned way, const struct cache_access *access)
{
	struct uses *u = self;

	(void)access;
	u->last[set * u->ways + way] = ++u->n;
}

static void filled(
	void *self, uint64_t set, unsigned way, const struct cache_access *access, struct rng *rng)
{
	(void)rng;
	used(self, set, way, access);
}

/* Of ways never filled the first. */
static unsigned victim(
	const void *self, uint64_t set, const struct cache_access *access, struct rng *rng)
{
	const struct uses *u = self;
	const uint64_t *last = u->last + set * u->ways;
	unsigned oldest = 0;

	(void)access;
	(void)rng;
	for (unsigned i = 1; i < u->ways; i++)
		if (last[i] < last[oldest])
			oldest = i;
	return oldest;
}

static void state(void *self, struct state *s)
{
	struct uses *u = self;

	STATE(s, u->n);
	state_bytes(s, u->last, u->sets * u->ways * sizeof(*u->last));
}

static const struct replace_ops ops = {
	.init = init, .victim = victim, .filled = filled, .used = used, .emptied = emptied};

const struct plugin replace_lru = {
	.kind = "replacement",
	.name = "lru",
	.text = "Evicts the least recently used way.",
	.size = sizeof(struct uses),
	.ops = &ops,
	.state = state,
};
