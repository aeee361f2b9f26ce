/* Write policies: what a write does to a cache and to the memory behind it. A plugin of kind "write
 * policy" each: a policy (core/policy.h) without state, asked once for each case before anything
 * runs. */
#ifndef MEM_WRITE_H
#define MEM_WRITE_H

#include "core/policy.h"

/* A write is kept in the cache or sent to memory, or both. */
enum write_act {
	WRITE_DIRTY = 1, /* kept; memory hears of it when the line gives way */
	WRITE_CLEAN = 2, /* kept, and nothing more */
	WRITE_MEMORY = 4 /* sent to memory now */
};

struct write_ops {
	/* `present`: the line has a place in the cache; `allocate`: a line that has none is to be
	 * given one. Answers a sum of acts, WRITE_DIRTY only alone; what ever answers that never
	 * answers WRITE_CLEAN. */
	unsigned (*choose)(const void *self, bool present, bool allocate);
};

#endif
