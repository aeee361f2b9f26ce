/* Higher bits of the block's number are XORed into the lower ones before the remainder. */
#include "mem/hash.h"

static uint64_t map(const void *self, uint64_t block, uint64_t targets)
{
	(void)self;
	return (block ^ block >> 7 ^ block >> 13) % targets;
}

static const struct hash_ops ops = {.map = map};

const struct plugin hash_xor = {
	.kind = "hash",
	.name = "xor",
	.text = "The block number XORed with its higher bits, then the remainder.",
	.ops = &ops,
};
