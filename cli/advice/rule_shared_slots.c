/* Warps that an SM cannot hold because of shared memory and CTA slots together: more of either
 * alone would not help. */
#include "cli/advice/advice.h"

static void look(const struct facts *f, struct advice *a)
{
	text_add(&a->measured, "%u bytes of shared memory a CTA, CTAs of %u threads: an SM holds ",
		f->launch.shared_bytes,
		(unsigned)(f->launch.block[0] * f->launch.block[1] * f->launch.block[2]));
	advice_add_warps(f, FACTS_SHARED | FACTS_SLOTS, a);
}

const struct rule advice_shared_slots = {
	.name = "occupancy_shared_slots",
	.limit = "shared_memory",
	.also = "slots",
	.change =
		"CTAs are larger with less shared memory for each warp, so that an SM holds more warps",
	.basis = "the cycles stalled for results and at barriers, divided among more warps",
	.relieves = 0,
	.look = look,
};
