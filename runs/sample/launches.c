/* The policy "launches": the first launches of each kernel, then pairs of them at growing
 * distances, of which the first fills the caches for the second. */
#include "runs/sample/policies.h"

#define FIRST 5 /* in time; the very first finds cold caches and is not counted */

/* Pairs begin at distances that grow by a half: 8 and 9, 14 and 15, 23 and 24, 36 and 37, .. */
static enum sample_role role(uint64_t own)
{
	uint64_t pair = FIRST;

	if (own <= FIRST)
		return own == 1 ? SAMPLE_FIRST : SAMPLE_COUNTED;
	while (pair + 1 < own)
		pair += pair / 2 + 1 + (pair > FIRST);
	return pair == own                       ? SAMPLE_WARM
	       : pair + 1 == own && pair > FIRST ? SAMPLE_COUNTED
						 : SAMPLE_UNTIMED;
}

const struct sample_policy sample_launches = {.name = "launches",
	.text = "each kernel's first launches, then pairs at growing distances",
	.role = role};
