/* Higher bits of the block's number are folded into the lower ones before the remainder. */
#include "mem/hash.h"

static uint64_t place(const void *self, uint64_t block, uint64_t places)
{
	(void)self;
	return (block ^ block >> 7 ^ block >> 13) % places;
}

static const struct hash_ops ops = {.place = place};

const struct plugin hash_xor = {
	.kind = "hash",
	.name = "xor",
	.text = "The remainder of the number xor its higher bits.",
	.ops = &ops,
};
