/* What no machine does, for experiments: the run's time without one limit of the program
 * (chip/limits.h). Results are those of any machine, but without barriers. */
#ifndef SM_IDEAL_H
#define SM_IDEAL_H

#include "core/table.h"
#include "mem/coalesce.h"

#define IDEAL_PARAMS(P, T) \
	P(T, BOOL, coalescing, false, 0, 1, "", \
		"A load or store of global or local memory touches as few of its lines as its " \
		"bytes fill: neighbouring accesses take different ones of them.") \
	P(T, BOOL, divergence, false, 0, 1, "", \
		"Parts of warps are packed: of the instructions that part of a warp executes, as " \
		"many take an issue slot and their latency as if all lanes took part in each.") \
	P(T, BOOL, warps, false, 0, 1, "", \
		"Warps of a CTA share its work: of the instructions of those that work while others " \
		"have exited or wait at a barrier, as many take their latency as if all took part.") \
	P(T, BOOL, loads, false, 0, 1, "", "All loads hit in the L1.") \
	P(T, BOOL, atomics, false, 0, 1, "", \
		"Atomics of a warp go to a slice as if it had a copy of its own of what they " \
		"operate on.") \
	P(T, BOOL, shared_atomics, false, 0, 1, "", \
		"Lanes of an atomic on shared memory that want one word take one pass together.") \
	P(T, BOOL, constants, false, 0, 1, "", \
		"Lanes of a load of constants take one pass together, whatever they index.") \
	P(T, BOOL, kept, false, 0, 1, "", \
		"Lines of the L1 that a store or an atomic would drop stay.") \
	P(T, BOOL, barriers, false, 0, 1, "", \
		"Warps pass bar.sync without waiting. Values that they exchange are then wrong, and " \
		"the time is right where neither branches nor addresses depend on them.")

struct sm_ideal {
	struct {
		IDEAL_PARAMS(PARAM_FIELD, sm_ideal)
	} p;
	/* By warp slot: lanes (warps: of the CTA) of instructions that took no time, less the empty
	 * ones of those that took it; and whether instructions up to the next branch take none. */
	int64_t lanes[64];
	bool riding[64], rode[64]; /* rode: the warp's last instruction took none */
	/* Issue slots of all schedulers, from cycle 0 on: up to the last instruction; by warp slot,
	 * from which one on its instructions that take no time may take them. */
	uint64_t slots, from[64];
	bool rides; /* the last instruction took no time */
};

/* The access's bytes in the fewest of its n lines; returns how many. */
unsigned ideal_lines(const struct access *, struct line_access *, unsigned n);

#endif
