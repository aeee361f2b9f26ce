/* All bits of the block's number decide, so that no stride meets one target more often than others:
 * what no machine computes in the time that it has. */
#include "mem/hash.h"

static uint64_t map(const void *self, uint64_t block, uint64_t targets)
{
	(void)self;
	block = (block ^ block >> 31) * UINT64_C(0x9e3779b97f4a7c15);
	block = (block ^ block >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
	return (block ^ block >> 32) % targets;
}

static const struct hash_ops ops = {.map = map};

const struct plugin hash_scatter = {
	.kind = "hash",
	.name = "scatter",
	.text = "All bits of the block's number, multiplied: as even for any stride as at random.",
	.ops = &ops,
};
