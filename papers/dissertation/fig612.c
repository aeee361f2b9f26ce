/* Figure 6.12: reads and writes by level, with an LRF that is split by operand slot. */
#include "papers/dissertation/by_level.h"

static double more_lrf_reads(struct book *d, const struct design *design, const struct design *than)
{
	return 100 * (level_reads(d, design, "reads.lrf") / level_reads(d, than, "reads.lrf") - 1);
}

static void split_lrf(struct book *d)
{
	struct design unified = dis_soft(DIS_ENTRIES, UNIFIED_LRF, ""),
		      split = dis_soft(DIS_ENTRIES, LEVELS_SLOTS, ""),
		      any = dis_soft(DIS_ENTRIES, LEVELS_SLOTS, "rf.any_slot=true");

	level_rows(d, "split LRF", NULL, LEVELS_SLOTS);
	book_say_text(d, "LRF reads by splitting it, 3 entries",
		book_band("DIS-045", "% more", band_points(20, 5),
			more_lrf_reads(d, &split, &unified), NULL));
	book_tell(d, "% more", more_lrf_reads(d, &any, &unified),
		"if any operand could read any of the three (rf.any_slot)");
	/* "One third": a tenth of it either way, outwards to whole per cents. */
	book_say_text(d, "LRF reads, split LRF",
		book_band("DIS-042", "% of operands read", band_between(33, 30, 37),
			level_reads(d, &split, "reads.lrf"), NULL));
	book_say_text(d, "MRF reads, split LRF",
		book_band("DIS-124", "% of operands read", band_points(35, 5),
			level_reads(d, &split, "reads.mrf"), NULL));
}

const struct target dis_fig612 = {
	.order = 80,
	.name = "fig6.12",
	.text = "Reads and writes by level, LRF split by operand slot.",
	.paper = &dis_paper,
	.rows = split_lrf,
	.columns = DIS_VIEWS,
};
