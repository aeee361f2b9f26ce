/* Replacement: the least recently used way. The order word is the way's rank, 0 the most recent. */
#include "mem/replace.h"

/* Works from all-zero words as well: ways never used share the last rank until they are filled. */
static void filled(uint32_t *order, unsigned ways, unsigned way, struct rng *rng)
{
	uint32_t rank = order[way];

	(void)rng;
	for (unsigned i = 0; i < ways; i++)
		order[i] += order[i] <= rank;
	order[way] = 0;
}

static void touched(uint32_t *order, unsigned ways, unsigned way)
{
	uint32_t rank = order[way];

	if (rank == 0)
		return;
	for (unsigned i = 0; i < ways; i++)
		order[i] += order[i] < rank;
	order[way] = 0;
}

static unsigned victim(const uint32_t *order, unsigned ways, struct rng *rng)
{
	unsigned oldest = 0;

	(void)rng;
	for (unsigned i = 1; i < ways; i++)
		if (order[i] > order[oldest])
			oldest = i;
	return oldest;
}

static const struct replace_ops ops = {.filled = filled, .touched = touched, .victim = victim};

const struct plugin replace_lru = {
	.kind = "replacement",
	.name = "lru",
	.text = "The least recently used way gives way.",
	.ops = &ops,
};
