/* Separable allocation, output first (Dally and Towles, "Principles and Practices of
 * Interconnection Networks", chapter 19): every output chooses an input, then every input one of
 * the outputs that chose it. */
#include "noc/allocator.h"

static void match(struct allocation *a)
{
	allocation_open(a);
	allocation_round(a, true);
}

static const struct allocator_ops output_first = {.match = match};

const struct plugin allocator_output_first = {
	.kind = "allocator",
	.name = "output_first",
	.text = "Separable, output first: outputs choose inputs, then inputs choose; one round.",
	.ops = &output_first,
};
