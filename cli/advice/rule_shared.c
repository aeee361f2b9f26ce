/* Warps that an SM cannot hold because of shared memory. */
#include "cli/advice/advice.h"

static void look(const struct facts *f, struct advice *a)
{
	text_add(&a->measured, "%u bytes of shared memory a CTA: an SM holds ",
		f->launch.shared_bytes);
	advice_add_warps(f, FACTS_SHARED, a);
}

const struct rule advice_shared = {
	.name = "occupancy_shared",
	.limit = "shared_memory",
	.change = "a CTA needs less shared memory, so that an SM holds more warps",
	.basis = "the cycles stalled for results and at barriers, divided among more warps",
	.relieves = 0,
	.look = look,
};
