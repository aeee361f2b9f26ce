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
	.basis = "the mean of the cycles in which SMs had work, and, as far as no unit is busy, of "
		 "those that their CTAs took",
	.relieves = 0,
	.look = look,
};
