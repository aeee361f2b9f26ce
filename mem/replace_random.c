/* Replacement: a random way, from the cache's own stream. */
#include "mem/replace.h"

static void filled(uint32_t *order, unsigned ways, unsigned way, struct rng *rng)
{
	(void)order;
	(void)ways;
	(void)way;
	(void)rng;
}

static void touched(uint32_t *order, unsigned ways, unsigned way)
{
	(void)order;
	(void)ways;
	(void)way;
}

static unsigned victim(const uint32_t *order, unsigned ways, struct rng *rng)
{
	(void)order;
	return rng_below(rng, ways);
}

static const struct replace_ops ops = {.filled = filled, .touched = touched, .victim = victim};

const struct plugin replace_random = {
	.kind = "replacement",
	.name = "random",
	.text = "A random way gives way.",
	.ops = &ops,
};
