/* Lines that launches load one after the other: an L1 that had them would be larger, and keep them
 * from launch to launch. */
#include "cli/advice/advice.h"

static void look(const struct facts *f, struct advice *a)
{
	advice_add_missed(f, STALL_LATER, a);
	text_add(&a->measured,
		"%.0f lines missed in the L1s, %.0f of them missed before by an earlier launch in the "
		"same SM",
		f->missed, f->later);
}

const struct rule advice_reread = {
	.name = "reread",
	.limit = "cache_capacity",
	.also = "cache_kept",
	.change = "launches that read the same data are one, which reads it once",
	.basis = "the share of the lines missed again in cycles stalled for misses and full queues",
	.relieves = 1u << UNIT_OF_NETWORK | 1u << UNIT_OF_DRAM,
	.look = look,
};
