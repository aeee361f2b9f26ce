/* What an SM keeps of warps that advance without time (sm_advance). */
#ifndef SM_ADVANCE_H
#define SM_ADVANCE_H

#include <stdbool.h>
#include <stdint.h>

struct sm;

/* A warp that advances without time. */
struct sm_mark {
	uint32_t pc, depth; /* where it was before: of its stack; 0: its threads had exited */
	int64_t credit;     /* instructions that it may execute now */
	uint64_t seen;      /* that it had executed at the end of the last stretch */
	uint64_t part;      /* of the SM's instructions; 0: it is idle */
	int64_t missed;     /* accesses in its turn that asked DRAM */
	double progress;    /* in time, between the last two stretches, times the mean; 0: none */
};

/* Of the SM's warps. */
struct sm_pace {
	int64_t behind;         /* instructions that they lack of the SM's share */
	int64_t late;           /* instructions by which a miss puts a warp behind the others */
	double together, alone; /* sums of progress's deviations from 1: of products of successive
				   ones, of squares */
};

/* cta.c */
/* The slot's CTA has exited: another of its grid continues there, with what is in flight. */
void cta_replace(struct sm *, unsigned slot, uint64_t cta, uint64_t cycle);
/* Notifies probes when the CTA's warps begin to wait at barriers, and when none waits any more. */
void cta_tell_barriers(struct sm *, unsigned slot, bool waited);
/* warp.c: its next instruction is another one, and it waits for what it has waited for. */
void warp_moved(struct sm *, unsigned w);

#endif
