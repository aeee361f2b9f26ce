/* Section 5's threshold from latencies of the machines, and what the rule chooses with it. */
#include "papers/hay/hay.h"

/* Off-chip accesses take 300 to 400 cycles; reads and writes overlap, so half of it, the larger. */
static double threshold(struct book *b, unsigned m)
{
	return hay_latency(b, hay_machines[m]) / 2;
}

static void search(struct book *b)
{
	static const char *const gpu[2] = {"Fermi", "Kepler"};

	for (unsigned m = 0; m < 2; m++) {
		struct design d = hay_design(hay_machines[m], "");
		double t = threshold(b, m);
		struct book_row row = book_band("HAY-005", "cycles", band_between(200, 150, 200), t,
			"half of a dependent load from DRAM");

		book_sayf(b, &row, "%s: threshold by its latencies", gpu[m]);
		for (unsigned i = 0; i < HAY_SEVEN; i++) {
			int w = hay_at(b, i);

			if (w < 0)
				continue;
			book_tell(b, "threads", hay_level_at(b, (unsigned)w, &d, LEVELS_INTENSITY),
				"%s, %s: auto", hay_seven[i].name, gpu[m]);
			book_tell(b, "threads", hay_level_at(b, (unsigned)w, &d, t),
				"%s, %s: auto with that threshold", hay_seven[i].name, gpu[m]);
		}
	}
}

const struct target hay_search = {
	.order = 60,
	.name = "hay-search",
	.text = "The threshold by measured latencies, and levels with it.",
	.paper = &hay_paper,
	.rows = search,
	.columns = HAY_CHIP_COLUMN,
};
