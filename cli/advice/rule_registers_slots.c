/* Warps that an SM cannot hold because of registers and CTA slots together: more of either alone
 * would not help. */
#include "cli/advice/advice.h"

static void look(const struct facts *f, struct advice *a)
{
	text_add(&a->measured, "%u registers a thread, CTAs of %u threads: an SM holds ",
		f->launch.regs,
		(unsigned)(f->launch.block[0] * f->launch.block[1] * f->launch.block[2]));
	advice_add_warps(f, FACTS_REGISTERS | FACTS_SLOTS, a);
}

const struct rule advice_registers_slots = {
	.name = "occupancy_registers_slots",
	.limit = "registers",
	.also = "slots",
	.change =
		"a thread needs fewer registers, and CTAs are larger, so that an SM holds more warps",
	.basis = "the cycles stalled for results and at barriers, divided among more warps",
	.relieves = 0,
	.look = look,
};
