/* Private to runs/hardware/curves*.c: the kernels. */
#ifndef RUNS_CURVES_PTX_H
#define RUNS_CURVES_PTX_H

#include "core/text.h"

#include <stdbool.h>

/* An instruction, for latency (chain 0, one after the other) and throughput (four chains). '#' is
 * the chain. */
struct curve_instruction {
	const char *name, *text;
	bool of_unit; /* one of each unit */
};
extern const struct curve_instruction curve_instructions[];
extern const unsigned curve_instruction_count;

#define CURVE_STEPS 32u /* instructions in a turn of the loop */

/* All kernels: chase_PATH, read_PATH, atomic, shared, latency_I, throughput_I (I a number), fill,
 * fill_texels. Each has the parameters at, out (64 bits), turns, a, b (32 bits); chase_tex also a
 * texture (64 bits). Each warp leaves the clock
 * before and after its loop at out + 16 * its number in the grid. */
void curves_text(struct text *);

#endif
