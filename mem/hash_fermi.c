/* The set index of Fermi's L1, of 32 or 64 sets of 128-byte lines: address bits 7 to 11 XORed with
 * bits 13, 14, 15, 17 and 19; of 64 sets, bit 12 is the highest bit (Nugteren et al., HPCA 2014).
 */
#include "mem/hash.h"

static uint64_t map(const void *self, uint64_t block, uint64_t targets)
{
	uint64_t upper = (block >> 6 & 7) | (block >> 7 & 8) | (block >> 8 & 16);

	(void)self;
	return (block ^ upper) % targets;
}

static const struct hash_ops ops = {.map = map};

const struct plugin hash_fermi = {
	.kind = "hash",
	.name = "fermi",
	.text = "The set index of Fermi's L1: bits 0 to 4 of the line's number XORed with bits 6, 7, 8, "
		"10 and 12, then the remainder.",
	.ops = &ops,
};
