/* Static dispatch intervals of a program, and its compute intensity (Hayes and Zhang, "Unified
 * On-chip Memory Allocation for SIMT Architecture", ICS 2014, section 4.2). */
#ifndef PTX_ISA_INTERVAL_H
#define PTX_ISA_INTERVAL_H

#include "ptx/isa/program.h"

/* Cycles from issue to the result, by class; of CLASS_MEMORY: of shared memory. What takes longer
 * waits at a scoreboard and is not part of intervals. */
struct interval_latency {
	uint32_t cycles[CLASS_COUNT];
};

struct intervals {
	uint32_t instrs;
	uint32_t off_chip; /* accesses of global, local and generic memory, textures and surfaces */
	uint32_t spills;   /* of these, the compiler's own of spilled values */
	double mean;       /* cycles between neighbouring instructions of a block, alone in an SM */
};

struct intervals intervals_of(
	const struct program *, const struct interval_latency *, struct arena *work);

/* Instructions that are no accesses off the chip, weighted by the interval, for each that is one:
 * all of them, or with `spills` only those of spilled values. INFINITY without any. */
double intervals_intensity(const struct intervals *, bool spills);

#endif
