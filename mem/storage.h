/* SM storage: how registers, shared memory and cache share an SM's capacity. One plugin of kind
 * "storage" per design: partitioned now; Fermi-like and unified fit the same verbs. */
#ifndef MEM_STORAGE_H
#define MEM_STORAGE_H

#include "core/err.h"
#include "core/plugin.h"
#include "mem/banks.h"

struct storage_need {
	uint32_t regs_per_thread;
	uint32_t warps_per_cta;
	uint32_t shared_per_cta; /* bytes */
};

/* What an SM offers while it runs kernels of one partitioning. */
struct storage_split {
	uint64_t register_bytes, shared_bytes, cache_bytes;
};

struct storage_ops {
	/* The partitioning for a kernel. 0, or -1 and a message when one CTA can never fit. */
	int (*split)(const void *self, const struct storage_need *, struct storage_split *,
		struct err *);
	struct bank_layout (*banks)(const void *self);
};

/* CTAs of `need` that fit into a split at once by registers and shared memory (registers are given
 * out in whole warps: regs_per_thread * 4 * 32 bytes each). */
uint32_t storage_ctas(const struct storage_split *, const struct storage_need *);

#endif
