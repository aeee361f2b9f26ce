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
	book_say(d, &(struct book_row){"DIS-038", "% more",
			    "all reads, hardware against software, 3 entries", 20, 15, 25,
			    100 * (dis_mean(d, &hard, dis_all_reads) /
						  dis_mean(d, &soft, dis_all_reads) -
					  1),
			    BOOK_BAND, DIS_CAUSE_WRITEBACKS});
	book_say(d, &(struct book_row){"DIS-039", "% fewer",
			    "writes of ORF against those of RFC, 3 entries", 20, 15, 25,
			    100 * (1 - dis_mean(d, &soft, dis_upper_writes) /
						  dis_mean(d, &hard, dis_upper_writes)),
			    BOOK_BAND, DIS_CAUSE_RFC_WRITES});
	book_say(d, &(struct book_row){"DIS-040", "%",
			    "MRF reads by partial ranges and read operands", -20, NAN, NAN,
			    100 * (level_reads(d, &soft, "reads.mrf") / mrf - 1), BOOK_TOLD, NULL});
	book_say(d, &(struct book_row){"DIS-040", "%",
			    "ORF writes by partial ranges and read operands", 8, NAN, NAN,
			    100 * ((level_writes(d, &soft, "writes.orf") +
					   level_writes(d, &soft, "writes.orf_shared")) /
						  orf -
					  1),
			    BOOK_TOLD, NULL});
}

const struct target dis_fig610 = {
	.order = 60,
	.name = "fig6.10",
	.text = "Reads and writes by level, two levels: ORF or RFC, and MRF.",
	.paper = &dis_paper,
	.rows = two_levels,
	.columns = DIS_VIEWS,
};
