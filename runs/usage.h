/* How values in registers are used (Gebhart's dissertation, sections 5.1 and 6.1), counted by an
 * observer of the executor.
 *
 * A value is what a warp instruction writes to a 32-bit register (64 bits are two values). It lives
 * until its last lane is overwritten, or its warp exits; an instruction that executes for any of
 * its lanes reads it. So divergent lanes do not end each other's values. */
#ifndef RUNS_USAGE_H
#define RUNS_USAGE_H

#include "core/mem.h"
#include "energy/registers.h"
#include "ptx/exec/exec.h"
#include "ptx/levels/levels.h"

#define USAGE_READS 4    /* 0, 1, 2, more */
#define USAGE_LIFE 4     /* of what is read once: 1, 2, 3, more instructions later */
#define USAGE_OPERANDS 5 /* 0 .. 3, more */

struct usage_value;
struct usage_warp;

/* A zeroed struct is a valid empty one. */
struct usage {
	uint64_t instructions;
	uint64_t read, written;             /* warp operands of 32 bits, in any level */
	uint64_t read_whole, written_whole; /* warp operands: one of 64 bits is one */
	uint64_t operands[USAGE_OPERANDS];  /* instructions by 32-bit operands read from the MRF;
					     * none by hardware-managed levels */

	/* Accesses by the ORF entries of the code at that point; none for hardware-managed levels,
	 * which are known only in execution. */
	struct register_accesses accesses[LEVELS_MAX_ORF + 1];
	struct register_accesses addresses[LEVELS_MAX_ORF + 1]; /* of them: of memory */

	/* values; none of a program whose operands are in upper levels (then `levelled`) */
	uint64_t values, reads[USAGE_READS], life[USAGE_LIFE];
	uint64_t shared, shared_alu;           /* read by the shared datapath; and made by ALUs */
	uint64_t shared_data, shared_data_alu; /* read by it, not as a memory address alone */
	uint64_t again_data;                   /* read more than once, address reads left out */
	uint64_t again_crossed;       /* read more than once, by another strand than theirs too */
	uint64_t strands;             /* begun by warps; 0: the code has no marks */
	uint64_t live_ins, live_outs; /* values that a strand reads and did not make; values that
				       * another strand than theirs reads */
	bool levelled;

	/* private */
	const struct program *program; /* for identification only */
	uint32_t regs;
	struct usage_value *pool;
	uint32_t pooled, pool_capacity, free;
	struct usage_warp *warps;
	uint32_t nwarps;
	uint32_t *head; /* by warp, by register: 1 + its newest value; 0: none */
	uint64_t begun; /* strands, of all warps */
	bool failed;    /* no host memory: counts are not complete */
};

struct untimed_watch usage_watch(struct usage *); /* it must not move */

/* Ends all live values, before the counts are read. */
void usage_finish(struct usage *);
void usage_clear(struct usage *); /* accepts an empty one */

#endif
