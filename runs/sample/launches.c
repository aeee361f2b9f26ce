/* The policy "launches": the first launches of each kernel, then some at growing distances, and all
 * whose grids are unlike those of them. */
#include "runs/sample/policies.h"

#define FIRST 5    /* in time; the very first may find cold caches and is not counted */
#define ALIKE 1.25 /* how many times as many CTAs as one in time */

/* Distances grow by a half: 8, 13, 20, 31, 47, .. */
static bool is_due(uint64_t own)
{
	uint64_t next = FIRST;

	while (next < own)
		next += next / 2 + 1;
	return next == own;
}

static bool times(const struct sample_offer *o)
{
	return o->own <= FIRST || is_due(o->own) || (double)o->ctas > ALIKE * (double)o->most ||
	       ALIKE * (double)o->ctas < (double)o->least;
}

const struct sample_policy sample_launches = {.name = "launches",
	.text = "each kernel's first launches, then some at growing distances",
	.times = times};
