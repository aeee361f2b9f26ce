/* Figure 6.14: what each optimisation adds to the best design. */
#include "papers/dissertation/dis.h"

static void additive(struct book *d)
{
	double none = dis_best_energy(d, "rf.forward_branches=false rf.read_operands=false "
					 "rf.partial_ranges=false"),
	       forward = dis_best_energy(d, "rf.read_operands=false rf.partial_ranges=false"),
	       reads = dis_best_energy(d, "rf.partial_ranges=false"), all = dis_best_energy(d, "");

	book_tell(d, "% saved", 100 - none, "none of the three");
	book_tell(d, "% saved", 100 - forward, "forward branches");
	book_tell(d, "% saved", 100 - reads, "and read operands");
	book_tell(d, "% saved", 100 - all, "and partial ranges");
	book_say_text(d, "forward branches",
		book_band("DIS-047", "% less energy", band_points(2, 1), dis_less(none, forward),
			NULL));
	book_say_text(d, "read operands",
		book_band("DIS-048", "% less energy", band_points(3, 1), dis_less(forward, reads),
			NULL));
	/* "Just under 2 %". */
	book_say_text(d, "partial ranges",
		book_band("DIS-049", "% less energy", band_between(2, 1, 2), dis_less(reads, all),
			NULL));
	/* 1.5 either way, in whole per cents. */
	book_say_text(d, "all three",
		book_band("DIS-046", "% less energy", band_between(6.6, 5, 8), dis_less(none, all),
			NULL));
}

const struct target dis_fig614 = {
	.order = 100,
	.name = "fig6.14",
	.text = "What each optimisation adds, at 3 ORF entries with a split LRF.",
	.paper = &dis_paper,
	.rows = additive,
	.columns = DIS_VIEWS,
};
