/* Permutation of an address map's banks by the row, so that strides spread over the banks. Each is
 * a plugin of kind "dram hash": a policy (core/policy.h) without state after its initialisation,
 * since an address must not move. */
#ifndef DRAM_HASH_H
#define DRAM_HASH_H

#include "core/policy.h"

struct dram_hash_ops {
	/* Initialises for a device of that many banks, a power of two, 256 at most. May be NULL. */
	void (*init)(void *self, unsigned banks);
	/* The bank, below `banks`, for a row and the map's `bank`; for one row a permutation. NULL:
	 * the map's own. */
	unsigned (*bank)(const void *self, uint32_t row, unsigned bank);
};

#endif
