/* SM storage: how registers, shared memory and cache share an SM's capacity. One plugin of kind
 * "storage" per design. The rule of how many CTAs fit is here, once, for all that ask. */
#ifndef MEM_STORAGE_H
#define MEM_STORAGE_H

#include "core/err.h"
#include "core/plugin.h"
#include "mem/banks.h"
#include "mem/storage/storage_rules.h"

/* The needs of a launch's CTAs, and the slots that an SM has for them (0: any number). */
struct storage_need {
	uint32_t regs_per_thread;
	uint32_t warps_per_cta;
	uint32_t shared_per_cta; /* bytes */
	uint32_t warp_slots, cta_slots;
	const struct storage_rules *rules; /* NULL: no units, no limits */
};

/* The split: what an SM offers to the kernels that run with it. */
struct storage_split {
	uint64_t register_bytes, shared_bytes, cache_bytes;
};

/* The most that a kernel may have when an SM is to hold a number of its CTAs: of registers with its
 * own shared memory, of shared memory with its own registers. */
struct storage_allowance {
	uint32_t regs_per_thread, shared_per_cta; /* STORAGE_NONE: not even without any */
};
#define STORAGE_NONE UINT32_MAX
#define STORAGE_THREAD_REGISTERS 255u /* no thread has more */

struct storage_ops {
	/* One split for n >= 1 kernels with different needs: of one launch, or of a whole
	 * application. Needs without slots are ignored. 0, or -1 and a message when no split holds
	 * a CTA of each. */
	int (*split)(const void *self, const struct storage_need *, unsigned n,
		struct storage_split *, struct err *);
	/* The inverse of split for one kernel: the largest values with which the split that it
	 * gets holds ctas >= 1 CTAs. */
	struct storage_allowance (*allow)(
		const void *self, const struct storage_need *, uint32_t ctas);
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

/* Registers that a thread is allocated, with what the unit of its warp adds. */
uint32_t storage_thread_registers(const struct storage_need *);
/* Bytes that a CTA is allocated: registers for whole warps, 4 * 32 bytes for each of a thread's;
 * shared memory with what is reserved. */
uint64_t storage_cta_registers(const struct storage_need *);
uint64_t storage_cta_shared(const struct storage_need *);
/* Bytes that the register files must have together to hold that many warps. */
uint64_t storage_registers_of(const struct storage_need *, uint64_t warps);

/* "a CTA of 1 warp with 20 registers per thread", for messages; returns out. */
#define STORAGE_WORDS 80
const char *storage_cta_words(const struct storage_need *, char out[STORAGE_WORDS]);

/* 0 when the rules allow a CTA of that need on any SM; else -1 and a message with the value that
 * would do. */
int storage_admit(const struct storage_need *, struct err *);

/* What a resident CTA takes out of a split. The registers of a warp are its part of a register file
 * that holds as many such warps as fit: what is left of the file is not for others. */
struct storage_hold {
	uint64_t register_bytes, shared_bytes; /* above the split's: it does not fit */
};
struct storage_hold storage_hold(const struct storage_split *, const struct storage_need *);

/* CTAs that hold so much each and fit into what is left: by the need's slots, by registers and by
 * shared memory. */
uint32_t storage_fit(
	const struct storage_split *left, const struct storage_hold *, const struct storage_need *);

/* CTAs of `need` that fit at once; 0 if the rules do not allow them. */
uint32_t storage_ctas(const struct storage_split *, const struct storage_need *);

/* The same by slots alone; UINT32_MAX when nothing is limited. */
uint32_t storage_slots(const struct storage_need *);

/* The inverse of storage_ctas: of designs whose split does not depend on what is asked. */
struct storage_allowance storage_allow(
	const struct storage_split *, const struct storage_need *, uint32_t ctas);

/* Adds a launch's needs to the n needs of an application, in a list with capacity for one more;
 * returns the new number. Of launches whose CTAs differ in size only, the largest counts: shared
 * memory belongs to a kernel, whose last launch may be a CTA of few threads. */
unsigned storage_gather(struct storage_need *, unsigned n, const struct storage_need *);

/* The maximum of each need over the kernels, for messages about all of them. */
struct storage_need storage_most_needed(const struct storage_need *, unsigned n);

/* The first of n kernels with slots that the rules do not allow is reported: -1. */
int storage_admit_all(const struct storage_need *, unsigned n, struct err *);

/* The message of a CTA that a split does not hold, if registers are why; `path` names their
 * capacity. 0: they are not. */
int storage_lacks_registers(const char *who, const struct storage_need *,
	const struct storage_split *, const char *path, struct err *);

#endif
