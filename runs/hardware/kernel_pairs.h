/* Variants of one kernel whose speedup a machine should see as a GPU does: with and without tiles,
 * padding, atomics, textures. */
#ifndef RUNS_KERNEL_PAIRS_H
#define RUNS_KERNEL_PAIRS_H

#include "runs/options.h"

/* Settings of a target's i-th variant besides its defaults; NULL: there are no more. */
const char *kernel_variant(const char *target, unsigned i);

/* What the second of two runs of a target has and the first does not, by their settings; NULL: they
 * are no such pair. Settings that both have do not count. */
const char *kernel_pair(
	const char *target, const struct string_list *first, const struct string_list *second);

#endif
