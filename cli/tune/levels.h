/* How many threads of a kernel run at once, chosen without running it (Hayes and Zhang, ICS 2014,
 * section 4.2, figure 5). */
#ifndef CLI_LEVELS_H
#define CLI_LEVELS_H

#include <stdbool.h>
#include <stdint.h>

/* A level: a number of resident CTAs, with the registers and spill slots that it leaves. */
struct thread_level {
	uint32_t ctas, threads;
	uint32_t regs, budget; /* limits: of registers; of slots, 0: no spills to shared memory */
	uint32_t slots, moves, local; /* used; accesses of values spilled to local memory */
	uint32_t instrs;
	double interval, intensity;
};

#define LEVELS_INTENSITY 200.0 /* above it more threads are expected to gain */
#define LEVELS_BUSY 1.05       /* intervals up to this leave nothing to more threads */

/* Levels by rising threads, the first the unchanged program. Begins with the lowest that has at
 * least interval * cores threads: if its intensity is high, the largest that is from there on;
 * otherwise, if it has at least the threads of the largest level without local spills, the first
 * that is on the way down to that one; otherwise level 0. */
unsigned levels_choose(const struct thread_level *, unsigned n, double cores);

#endif
