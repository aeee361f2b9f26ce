/* SM storage: how registers, shared memory and cache share an SM's capacity. One plugin of kind
 * "storage" per design. */
#ifndef MEM_STORAGE_H
#define MEM_STORAGE_H

#include "core/err.h"
#include "core/plugin.h"
#include "mem/banks.h"

/* The needs of a launch's CTAs, and the slots that an SM has for them (0: any number). */
struct storage_need {
	uint32_t regs_per_thread;
	uint32_t warps_per_cta;
	uint32_t shared_per_cta; /* bytes */
	uint32_t warp_slots, cta_slots;
};

/* The split: what an SM offers to the kernels that run with it. */
struct storage_split {
	uint64_t register_bytes, shared_bytes, cache_bytes;
};

struct storage_ops {
	/* One split for n >= 1 kernels with different needs: of one launch, or of a whole
	 * application. Needs without slots are ignored. 0, or -1 and a message when no split holds
	 * a CTA of each. */
	int (*split)(const void *self, const struct storage_need *, unsigned n,
		struct storage_split *, struct err *);
	/* The most that any split gives to each use. Invalid parameters go into err: -1. */
	int (*most)(const void *self, struct storage_split *, struct err *);
	struct bank_layout (*banks)(const void *self);
};

/* A row of all 32 banks: of registers, 16 bytes each; of shared memory or cache with separate
 * banks, 4 bytes each. */
#define STORAGE_REGISTER_ROW 512u
#define STORAGE_WORD_ROW 128u

/* 0 when a capacity fills whole rows of its banks; else -1 and a message that names `path`. */
int storage_banked(const char *path, uint64_t bytes, unsigned row_bytes, struct err *);

/* Bytes of registers that a CTA holds: they are allocated in whole warps, regs_per_thread * 4 * 32
 * bytes each. */
uint64_t storage_cta_registers(const struct storage_need *);

/* "a CTA of 1 warp with 20 registers per thread", for messages; returns out. */
#define STORAGE_WORDS 80
const char *storage_cta_words(const struct storage_need *, char out[STORAGE_WORDS]);

/* CTAs of `need` that fit at once: by slots, by registers and by shared memory. */
uint32_t storage_ctas(const struct storage_split *, const struct storage_need *);

/* The same by slots alone; UINT32_MAX when nothing is limited. */
uint32_t storage_slots(const struct storage_need *);

/* Adds a launch's needs to the n needs of an application, in a list with capacity for one more;
 * returns the new number. Of launches whose CTAs differ in size only, the largest counts: shared
 * memory belongs to a kernel, whose last launch may be a CTA of few threads. */
unsigned storage_gather(struct storage_need *, unsigned n, const struct storage_need *);

/* The maximum of each need over the kernels, for messages about all of them. */
struct storage_need storage_most_needed(const struct storage_need *, unsigned n);

#endif
