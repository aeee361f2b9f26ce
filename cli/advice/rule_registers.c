/* Warps that an SM cannot hold because of registers. */
#include "cli/advice/advice.h"

static void look(const struct facts *f, struct advice *a)
{
	text_add(&a->measured, "%u registers a thread: an SM holds ", f->launch.regs);
	advice_add_warps(f, FACTS_REGISTERS, a);
}

const struct rule advice_registers = {
	.name = "occupancy_registers",
	.limit = "registers",
	.change = "a thread needs fewer registers, so that an SM holds more warps",
	.basis = "the cycles stalled for results and at barriers, divided among more warps",
	.relieves = 0,
	.look = look,
};
