/* Replacement: the way filled first. The order word is the way's rank by age, 0 the youngest. */
#include "mem/replace.h"

/* Works from all-zero words as well: ways never filled share the last rank. */
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
	(void)order;
	(void)ways;
	(void)way;
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

const struct plugin replace_fifo = {
	.kind = "replacement",
	.name = "fifo",
	.text = "The way filled first gives way.",
	.ops = &ops,
};
