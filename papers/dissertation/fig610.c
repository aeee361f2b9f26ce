/* Figure 6.10: reads and writes by level, two levels, software against hardware. */
#include "papers/dissertation/by_level.h"

#define NOTHING "rf.read_operands=false rf.partial_ranges=false"

static void two_levels(struct book *d)
{
	struct design soft = dis_soft(DIS_ENTRIES, 0, ""), hard = dis_hard(DIS_ENTRIES, 0, "");
	struct design plain = dis_soft(DIS_ENTRIES, 0, NOTHING);
	double mrf = level_reads(d, &plain, "reads.mrf");
	double orf = level_writes(d, &plain, "writes.orf") +
		     level_writes(d, &plain, "writes.orf_shared");

	level_rows(d, "software", "hardware", 0);
	book_say_text(d, "all reads, hardware against software, 3 entries",
		book_band("DIS-038", "% more", band_points(20, 5),
			100 * (dis_mean(d, &hard, dis_all_reads) /
					      dis_mean(d, &soft, dis_all_reads) -
				      1),
			NULL));
	book_say_text(d, "writes of ORF against those of RFC, 3 entries",
		book_band("DIS-039", "% fewer", band_points(20, 5),
			100 * (1 - dis_mean(d, &soft, dis_upper_writes) /
					      dis_mean(d, &hard, dis_upper_writes)),
			NULL));
	book_say_text(d, "MRF reads by partial ranges and read operands",
		book_told("DIS-040", "%", -20, 100 * (level_reads(d, &soft, "reads.mrf") / mrf - 1),
			NULL));
	book_say_text(d, "ORF writes by partial ranges and read operands",
		book_told("DIS-040", "%", 8,
			100 * ((level_writes(d, &soft, "writes.orf") +
				       level_writes(d, &soft, "writes.orf_shared")) /
					      orf -
				      1),
			NULL));
}

const struct target dis_fig610 = {
	.order = 60,
	.name = "fig6.10",
	.text = "Reads and writes by level, two levels: ORF or RFC, and MRF.",
	.paper = &dis_paper,
	.rows = two_levels,
	.columns = DIS_VIEWS,
};
