/* Figure 6.11: reads and writes by level, three levels, software against hardware. */
#include "papers/dissertation/by_level.h"

static double overhead_writes(struct book *d, const struct design *design)
{
	return 100 * (dis_mean(d, design, dis_all_writes) - 1);
}

static void three_levels(struct book *d)
{
	struct design soft = dis_soft(DIS_ENTRIES, UNIFIED_LRF, ""),
		      hard = dis_hard(DIS_ENTRIES, UNIFIED_LRF, "");

	level_rows(d, "software", "hardware", UNIFIED_LRF);
	book_say_text(d, "LRF reads, software, unified LRF, 3 entries",
		book_band("DIS-041", "% of operands read", band_points(30, 3),
			level_reads(d, &soft, "reads.lrf"), NULL));
	book_say_text(d, "writes beyond the results, hardware, 3 entries",
		book_told("DIS-043", "% of results", 40, overhead_writes(d, &hard), NULL));
	book_say_text(d, "writes beyond the results, software (below 10)",
		book_band("DIS-043", "% of results", band_at_most(10), overhead_writes(d, &soft),
			NULL));
	book_say_text(d, "MRF writes, software (slightly more)",
		book_told("DIS-044", "of hardware's", NAN,
			level_writes(d, &soft, "writes.mrf") / level_writes(d, &hard, "writes.mrf"),
			NULL));
}

const struct target dis_fig611 = {
	.order = 70,
	.name = "fig6.11",
	.text = "Reads and writes by level, three levels: LRF, ORF or RFC, and MRF.",
	.paper = &dis_paper,
	.rows = three_levels,
	.columns = DIS_VIEWS,
};
