/* Figure 6.18: restricted encodings of the levels that a result is written to. */
#include "papers/dissertation/dis.h"

static void encoding(struct book *d)
{
	struct register_energy e;
	double all = dis_best_energy(d, "");

	register_energy_default(&e);
	book_say_text(d, "each result to one level only",
		book_band("DIS-055", "% more energy", band_points(7, 2),
			-dis_less(all, dis_best_energy(d, "rf.one_level_writes=true")), NULL));
	book_tell(d, "% more energy",
		-dis_less(
			all, dis_best_energy(d, "rf.one_level_writes=true rf.read_operands=false")),
		"and no value read from the MRF is kept in the ORF");
	book_say_text(d, "results to two levels only from the LRF",
		book_band("DIS-056", "% more energy", band_points(2, 1),
			-dis_less(all, dis_best_energy(d, "rf.lrf_dual_only=true")), NULL));
	book_say_text(d, "a bit more in each instruction (at most)",
		book_unjudged(book_band("DIS-057", "% of the chip's energy", band_at_most(0.3),
			100 * register_energy_saving(&e, 1).encoding, NULL)));
}

const struct target dis_fig618 = {
	.order = 130,
	.name = "fig6.18",
	.text = "Restricted encodings of the levels a result is written to.",
	.paper = &dis_paper,
	.rows = encoding,
	.columns = DIS_VIEWS,
};
