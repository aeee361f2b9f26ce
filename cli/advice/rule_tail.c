/* A last wave of CTAs that fills the chip in part. */
#include "cli/advice/advice.h"

static void look(const struct facts *f, struct advice *a)
{
	advice_add_idle(f, true, a);
}

const struct rule advice_tail = {
	.name = "tail",
	.limit = "balance",
	.change = "CTAs are smaller, or their number is a multiple of those that the chip holds",
	.basis =
		"the mean of the cycles in which SMs had work; of CTAs that are all there at once, as far as "
		"a unit of theirs was busy",
	.relieves = 0,
	.look = look,
};
