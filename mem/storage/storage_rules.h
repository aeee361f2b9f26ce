/* How an SM's storage is allocated to CTAs, as CUDA counts it: units of registers and shared
 * memory, and what a thread, a CTA and an SM hold at most. Without settings there are no units and
 * no limits. chip/capability.h has the values of each compute capability. */
#ifndef MEM_STORAGE_RULES_H
#define MEM_STORAGE_RULES_H

#include "core/config.h"

#define STORAGE_RULES_PARAMS(P, T) \
	P(T, NAME, cc, "", 0, 0, "", \
		"Compute capability, such as 7.0, whose units, limits and capacities are the " \
		"defaults of the parameters that set them; empty: none.") \
	P(T, UINT, register_unit, 0, 0, 65536, "registers", \
		"Registers of a warp are allocated in multiples of this power of two; 0: no unit.") \
	P(T, NAME, register_unit_doubled, "", 0, 0, "", \
		"Registers per thread with which that unit is doubled, separated by commas.") \
	P(T, UINT, register_files, 1, 1, 16, "files", \
		"Equal register files of an SM; the registers of a warp are in one of them.") \
	P(T, UINT, thread_registers, 0, 0, 255, "registers", \
		"Most registers of a thread; 0: as many as gpu.max_regs allows.") \
	P(T, UINT, cta_registers, 0, 0, 1 << 24, "registers", \
		"Most registers of a CTA, as allocated; 0: no limit.") \
	P(T, UINT, cta_warp_unit, 1, 1, 16, "warps", \
		"A CTA's warps count in multiples of this against cta_registers.") \
	P(T, UINT, threads, 0, 0, 65536, "threads", \
		"Most threads of an SM, in whole warps; 0: as many as sm.warps allows.") \
	P(T, UINT, cta_threads, 0, 0, 1024, "threads", \
		"Most threads of a CTA, in whole warps; 0: 1024.") \
	P(T, UINT, shared_unit, 0, 0, 65536, "bytes", \
		"Shared memory of a CTA is allocated in multiples of this power of two; 0: no unit.") \
	P(T, UINT, shared_reserved, 0, 0, 65536, "bytes", \
		"Shared memory that every CTA holds in addition to its own.") \
	P(T, UINT, cta_shared, 0, 0, 1 << 30, "bytes", \
		"Most shared memory of a CTA, in addition to what is reserved; 0: no limit.")

struct storage_rules {
	struct {
		STORAGE_RULES_PARAMS(PARAM_FIELD, storage_rules)
	} p;
	uint64_t doubled[4]; /* bit r % 64 of word r / 64: with r registers per thread */
};

extern const struct param_table storage_rules_params;

/* Reads "occupancy.*". 0, or -1 and a message for each value that cannot be meant. */
int storage_rules_load(struct storage_rules *, struct config *, struct err *);
/* The same without an effect on the configuration, and without messages. */
int storage_rules_peek(struct storage_rules *, struct config *);

/* Whether the units suit capacities of that many bytes on an SM: 0, or -1 and messages. */
int storage_rules_suit(
	const struct storage_rules *, uint64_t register_bytes, uint64_t shared_bytes, struct err *);

/* Of an SM's warp slots, those that the limit of threads leaves. */
uint32_t storage_rules_warps(const struct storage_rules *, uint32_t slots);

#endif
