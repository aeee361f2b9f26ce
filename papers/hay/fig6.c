/* Figure 6: speed at the levels, GTX 680. */
#include "papers/hay/hay.h"

static void fig6(struct book *b)
{
	hay_speedups(b, 1);
}

const struct target hay_fig6 = {
	.order = 40,
	.name = "hay-fig6",
	.text = "Speed at the levels, GTX 680.",
	.paper = &hay_paper,
	.rows = fig6,
	.takes = hay_takes,
	.columns = HAY_CHIP_COLUMN,
};
