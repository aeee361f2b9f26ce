/* Lines that an SM's loads miss again after its L1 has evicted them. */
#include "cli/advice/advice.h"

static void look(const struct facts *f, struct advice *a)
{
	advice_add_missed(f, STALL_AGAIN, a);
	text_add(&a->measured,
		"%.0f lines missed in the L1s, %.0f of them missed before by the same launch in the same "
		"SM",
		f->missed, f->again);
}

const struct rule advice_reuse = {
	.name = "reuse",
	.limit = "cache_capacity",
	.change =
		"what an SM uses again is in shared memory or registers, or is used before the L1 evicts it",
	.basis = "the share of the lines missed again in cycles stalled for misses and full queues",
	.relieves = 1u << UNIT_OF_NETWORK | 1u << UNIT_OF_DRAM,
	.look = look,
};
