/* Where blocks of memory go when several places share them: L2 slices, the sets of a cache. A
 * plugin of kind "hash" each: a policy (core/policy.h) that keeps no state, since a block must not
 * move. */
#ifndef MEM_HASH_H
#define MEM_HASH_H

#include "core/policy.h"

struct hash_ops {
	/* The place, below `places` (any number from 1 on), of the block with that number. NULL:
	 * the remainder, which callers compute as they like. */
	uint64_t (*place)(const void *self, uint64_t block, uint64_t places);
};

#endif
