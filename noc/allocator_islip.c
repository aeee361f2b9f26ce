/* iSLIP (McKeown, IEEE/ACM Trans. Networking 1999): rounds of grants and acceptances among
 * unmatched inputs and outputs; round robins advance only for matches of the first round. */
#include "noc/allocator.h"

static void match(struct allocation *a)
{
	allocation_open(a);
	for (unsigned k = 0; k < a->iterations; k++)
		if (!allocation_round(a, k == 0))
			break;
}

static const struct allocator_ops islip = {.match = match};

const struct plugin allocator_islip = {
	.kind = "allocator",
	.name = "islip",
	.text = "iSLIP: rounds of grants by outputs and acceptances by inputs, round robin each.",
	.ops = &islip,
};
