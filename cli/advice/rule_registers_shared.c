/* Warps that an SM cannot hold because of registers and shared memory together: more of either
 * alone would not help. */
#include "cli/advice/advice.h"

static void look(const struct facts *f, struct advice *a)
{
	text_add(&a->measured,
		"%u registers a thread and %u bytes of shared memory a CTA: an SM holds ",
		f->launch.regs, f->launch.shared_bytes);
	advice_add_warps(f, FACTS_REGISTERS | FACTS_SHARED, a);
}

const struct rule advice_registers_shared = {
	.name = "occupancy_registers_shared",
	.limit = "registers",
	.also = "shared_memory",
	.change =
		"a thread needs fewer registers, and a CTA less shared memory, so that an SM holds more warps",
	.basis = "the cycles stalled for results and at barriers, divided among more warps",
	.relieves = 0,
	.look = look,
};
