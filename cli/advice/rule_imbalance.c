/* CTAs that take longer than others. */
#include "cli/advice/advice.h"

static void look(const struct facts *f, struct advice *a)
{
	advice_add_idle(f, false, a);
}

const struct rule advice_imbalance = {
	.name = "imbalance",
	.limit = "balance",
	.change = "all CTAs have the same amount of work, or the long ones are first",
	.basis =
		"the SMs' time at the rate of the cycles in which they held most CTAs, and that of the "
		"last warps of CTAs alike, as far as a unit was busy",
	.relieves = 0,
	.look = look,
};
