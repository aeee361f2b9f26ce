/* Figures 6.10 to 6.12: which level serves reads and writes, by entries; software against hardware,
 * two levels, three, and a split LRF. */
#include "papers/dissertation/dis.h"

#include <string.h>

#define ENTRIES 3
#define UNIFIED 1
#define SPLIT LEVELS_SLOTS
#define NOTHING "rf.read_operands=false rf.partial_ranges=false"

static double reads(struct book *d, const struct design *design, const char *level)
{
	return 100 * dis_mean_ratio(d, design, level, "work.read");
}

static double writes(struct book *d, const struct design *design, const char *level)
{
	return 100 * dis_mean_ratio(d, design, level, "work.written");
}

/* Levels of one design, in per cent of a single level's accesses: more than 100 in all are
 * overhead. */
static void tell_levels(struct book *d, const char *name, unsigned n, struct design design)
{
	book_tell(d, "% of operands read", reads(d, &design, "reads.mrf"), "%s, %u: MRF reads",
		name, n);
	book_tell(d, "% of operands read",
		reads(d, &design, "reads.orf") + reads(d, &design, "reads.orf_shared"),
		"%s, %u: ORF or RFC reads", name, n);
	if (strstr(design.set, "rf.lrf=0") == NULL)
		book_tell(d, "% of operands read", reads(d, &design, "reads.lrf"),
			"%s, %u: LRF reads", name, n);
	book_tell(
		d, "% of results", writes(d, &design, "writes.mrf"), "%s, %u: MRF writes", name, n);
	book_tell(d, "% of results",
		writes(d, &design, "writes.orf") + writes(d, &design, "writes.orf_shared"),
		"%s, %u: ORF or RFC writes", name, n);
	if (strstr(design.set, "rf.lrf=0") == NULL)
		book_tell(d, "% of results", writes(d, &design, "writes.lrf"), "%s, %u: LRF writes",
			name, n);
}

static void sweep(struct book *d, const char *soft, const char *hard, unsigned lrf)
{
	for (unsigned n = 1; n <= LEVELS_MAX_ORF; n += n < 4 ? 1 : 2) {
		tell_levels(d, soft, n, dis_soft(n, lrf, ""));
		if (hard)
			tell_levels(d, hard, n, dis_hard(n, lrf, ""));
	}
}

static void two_levels(struct book *d)
{
	struct design soft = dis_soft(ENTRIES, 0, ""), hard = dis_hard(ENTRIES, 0, "");
	struct design plain = dis_soft(ENTRIES, 0, NOTHING);
	double mrf = reads(d, &plain, "reads.mrf");
	double orf = writes(d, &plain, "writes.orf") + writes(d, &plain, "writes.orf_shared");

	sweep(d, "software", "hardware", 0);
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
			    100 * (reads(d, &soft, "reads.mrf") / mrf - 1), BOOK_TOLD, NULL});
	book_say(d, &(struct book_row){"DIS-040", "%",
			    "ORF writes by partial ranges and read operands", 8, NAN, NAN,
			    100 * ((writes(d, &soft, "writes.orf") +
					   writes(d, &soft, "writes.orf_shared")) /
						  orf -
					  1),
			    BOOK_TOLD, NULL});
}

static double overhead_writes(struct book *d, const struct design *design)
{
	return 100 * (dis_mean(d, design, dis_all_writes) - 1);
}

static void three_levels(struct book *d)
{
	struct design soft = dis_soft(ENTRIES, UNIFIED, ""), hard = dis_hard(ENTRIES, UNIFIED, "");

	sweep(d, "software", "hardware", UNIFIED);
	book_say(d, &(struct book_row){"DIS-041", "% of operands read",
			    "LRF reads, software, unified LRF, 3 entries", 30, 27, 33,
			    reads(d, &soft, "reads.lrf"), BOOK_BAND, DIS_CAUSE_LRF});
	book_say(d, &(struct book_row){"DIS-043", "% of results",
			    "writes beyond the results, hardware, 3 entries", 40, NAN, NAN,
			    overhead_writes(d, &hard), BOOK_TOLD, NULL});
	book_say(d, &(struct book_row){"DIS-043", "% of results",
			    "writes beyond the results, software (below 10)", 10, 0, 10,
			    overhead_writes(d, &soft), BOOK_BAND, DIS_CAUSE_DUAL});
	book_say(d, &(struct book_row){"DIS-044", "of hardware's",
			    "MRF writes, software (slightly more)", NAN, NAN, NAN,
			    writes(d, &soft, "writes.mrf") / writes(d, &hard, "writes.mrf"),
			    BOOK_TOLD, NULL});
}

static double more_lrf_reads(struct book *d, const struct design *design, const struct design *than)
{
	return 100 * (reads(d, design, "reads.lrf") / reads(d, than, "reads.lrf") - 1);
}

static void split_lrf(struct book *d)
{
	struct design unified = dis_soft(ENTRIES, UNIFIED, ""),
		      split = dis_soft(ENTRIES, SPLIT, ""),
		      any = dis_soft(ENTRIES, SPLIT, "rf.any_slot=true");

	sweep(d, "split LRF", NULL, SPLIT);
	book_say(d,
		&(struct book_row){"DIS-045", "% more", "LRF reads by splitting it, 3 entries", 20,
			15, 25, more_lrf_reads(d, &split, &unified), BOOK_BAND, DIS_CAUSE_SPLIT});
	book_tell(d, "% more", more_lrf_reads(d, &any, &unified),
		"if any operand could read any of the three (rf.any_slot)");
	book_say(d, &(struct book_row){"DIS-042", "% of operands read", "LRF reads, split LRF", 33,
			    30, 37, reads(d, &split, "reads.lrf"), BOOK_BAND, DIS_CAUSE_LRF});
	book_say(d, &(struct book_row){"DIS-124", "% of operands read", "MRF reads, split LRF", 35,
			    30, 40, reads(d, &split, "reads.mrf"), BOOK_BAND, DIS_CAUSE_STRANDS});
}

const struct target dis_fig610 = {
	.order = 60,
	.name = "fig6.10",
	.text = "Reads and writes by level, two levels: ORF or RFC, and MRF.",
	.paper = &dis_paper,
	.rows = two_levels,
	.columns = DIS_VIEWS,
};

const struct target dis_fig611 = {
	.order = 70,
	.name = "fig6.11",
	.text = "Reads and writes by level, three levels: LRF, ORF or RFC, and MRF.",
	.paper = &dis_paper,
	.rows = three_levels,
	.columns = DIS_VIEWS,
};

const struct target dis_fig612 = {
	.order = 80,
	.name = "fig6.12",
	.text = "Reads and writes by level, LRF split by operand slot.",
	.paper = &dis_paper,
	.rows = split_lrf,
	.columns = DIS_VIEWS,
};
