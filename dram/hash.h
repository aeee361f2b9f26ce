/* How rows change the banks that an address map gives, so that strides spread over the banks. A
 * plugin of kind "dram hash" each: a policy (core/policy.h) that keeps no state once it is set up,
 * since an address must not move. */
#ifndef DRAM_HASH_H
#define DRAM_HASH_H

#include "core/policy.h"

struct dram_hash_ops {
	/* Sets up for a device of so many banks, a power of two, 256 at most. May be NULL. */
	void (*init)(void *self, unsigned banks);
	/* The bank, below `banks`, of a row of the map's `bank`; for one row a permutation of them.
	 * NULL: the map's own. */
	unsigned (*bank)(const void *self, uint32_t row, unsigned bank);
};

#endif
