/* The distribution of blocks of memory over L2 slices, or over the sets of a cache. Each is a
 * plugin of kind "hash": a policy (core/policy.h) without state, since a block must not move. */
#ifndef MEM_HASH_H
#define MEM_HASH_H

#include "core/policy.h"

struct hash_ops {
	/* Maps the block with that number to one of `targets` (any number from 1 on). NULL: the
	 * remainder, which callers compute themselves. */
	uint64_t (*map)(const void *self, uint64_t block, uint64_t targets);
};

#endif
