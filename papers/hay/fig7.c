/* Figure 7: speed at the levels, Tesla C2075, and against figure 6. */
#include "papers/hay/hay.h"

static void fig7(struct book *b)
{
	struct design fermi = hay_design(HAY_FERMI, ""), kepler = hay_design(HAY_KEPLER, "");
	int w = book_find(b, "recursivegaussian");
	struct hay_result f, k;

	hay_speedups(b, 0);
	if (w < 0)
		return;
	f = hay_measure(b, (unsigned)w, &fermi);
	k = hay_measure(b, (unsigned)w, &kepler);
	/* "much less": less than half */
	book_say_text(b, "recursivegaussian: gain on Kepler less twice Fermi's",
		book_band("HAY-013", "of the time", band_between(NAN, 0.001, 1),
			k.base / k.automatic - 1 - 2 * (f.base / f.automatic - 1), NULL));
}

const struct target hay_fig7 = {
	.order = 50,
	.name = "hay-fig7",
	.text = "Speed at the levels, Tesla C2075.",
	.paper = &hay_paper,
	.rows = fig7,
	.takes = hay_takes,
	.columns = HAY_CHIP_COLUMN,
};
