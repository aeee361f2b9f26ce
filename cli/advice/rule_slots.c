/* Warps that an SM cannot hold because of CTA slots. */
#include "cli/advice/advice.h"

static void look(const struct facts *f, struct advice *a)
{
	text_add(&a->measured, "CTAs of %u threads: an SM holds ",
		(unsigned)(f->launch.block[0] * f->launch.block[1] * f->launch.block[2]));
	advice_add_warps(f, FACTS_SLOTS, a);
}

const struct rule advice_slots = {
	.name = "occupancy_slots",
	.limit = "slots",
	.change = "CTAs are larger, so that the CTA slots hold more warps",
	.basis = "the cycles stalled for results and at barriers, divided among more warps",
	.relieves = 0,
	.look = look,
};
