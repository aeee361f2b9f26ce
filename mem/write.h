/* Write policies: the effect of a write on a cache and on the memory behind it. Each is a plugin of
 * kind "write policy": a policy (core/policy.h) without state, asked once for each case before the
 * run. */
#ifndef MEM_WRITE_H
#define MEM_WRITE_H

#include "core/policy.h"

/* A write is kept in the cache or sent to memory, or both. */
enum write_act {
	WRITE_DIRTY = 1, /* kept; written to memory when the line is evicted */
	WRITE_CLEAN = 2, /* kept, and not marked dirty */
	WRITE_MEMORY = 4 /* sent to memory now */
};

struct write_ops {
	/* `present`: the line is in the cache; `allocate`: a line that is not is allocated. Returns
	 * a sum of acts, WRITE_DIRTY only alone; a policy that ever returns WRITE_DIRTY never
	 * returns WRITE_CLEAN. */
	unsigned (*choose)(const void *self, bool present, bool allocate);
};

#endif
