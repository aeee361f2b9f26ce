/* Figure 6.18: restricted encodings of the levels that a result is written to. */
#include "papers/dissertation/dis.h"

static void encoding(struct book *d)
{
	struct register_energy e;
	double all = dis_best_energy(d, "");

	register_energy_default(&e);
	book_say(d, &(struct book_row){"DIS-055", "% more energy", "each result to one level only",
			    7, 5, 9, -dis_less(all, dis_best_energy(d, "rf.one_level_writes=true")),
			    BOOK_BAND, DIS_CAUSE_ENCODING});
	book_tell(d, "% more energy",
		-dis_less(
			all, dis_best_energy(d, "rf.one_level_writes=true rf.read_operands=false")),
		"and no value read from the MRF is kept in the ORF");
	book_say(d, &(struct book_row){"DIS-056", "% more energy",
			    "results to two levels only from the LRF", 2, 1, 3,
			    -dis_less(all, dis_best_energy(d, "rf.lrf_dual_only=true")), BOOK_BAND,
			    DIS_CAUSE_DUAL_ONLY});
	book_say(d, &(struct book_row){"DIS-057", "% of the chip's energy",
			    "a bit more in each instruction (at most)", 0.3, 0, 0.3,
			    100 * register_energy_saving(&e, 1).encoding, BOOK_TOLD, DIS_INPUT});
}

const struct target dis_fig618 = {
	.order = 130,
	.name = "fig6.18",
	.text = "Restricted encodings of where a result goes.",
	.paper = &dis_paper,
	.rows = encoding,
	.columns = DIS_VIEWS,
};
