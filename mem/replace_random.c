/* Replacement: a random way, from the cache's own stream. */
#include "mem/replace.h"

#include "core/state.h"

struct shape {
	unsigned ways;
};

static void init(void *self, uint64_t sets, unsigned ways, struct arena *arena)
{
	(void)sets;
	(void)arena;
	((struct shape *)self)->ways = ways;
}

static unsigned victim(
	const void *self, uint64_t set, const struct cache_access *access, struct rng *rng)
{
	(void)set;
	(void)access;
	return rng_below(rng, ((const struct shape *)self)->ways);
}

static const struct replace_ops ops = {.init = init, .victim = victim};

const struct plugin replace_random = {
	.kind = "replacement",
	.name = "random",
	.text = "Evicts a random way.",
	.size = sizeof(struct shape),
	.ops = &ops,
	.state = state_none,
};
