/* Reads and writes of a design by level. */
#include "papers/dissertation/by_level.h"

#include <string.h>

double level_reads(struct book *d, const struct design *design, const char *level)
{
	return 100 * dis_mean_ratio(d, design, level, "work.read");
}

double level_writes(struct book *d, const struct design *design, const char *level)
{
	return 100 * dis_mean_ratio(d, design, level, "work.written");
}

/* Levels of one design, in per cent of a single level's accesses: more than 100 in all are
 * overhead. */
static void tell_levels(struct book *d, const char *name, unsigned n, struct design design)
{
	book_tell(d, "% of operands read", level_reads(d, &design, "reads.mrf"),
		"%s, %u: MRF reads", name, n);
	book_tell(d, "% of operands read",
		level_reads(d, &design, "reads.orf") + level_reads(d, &design, "reads.orf_shared"),
		"%s, %u: ORF or RFC reads", name, n);
	if (strstr(design.set, "rf.lrf=0") == NULL)
		book_tell(d, "% of operands read", level_reads(d, &design, "reads.lrf"),
			"%s, %u: LRF reads", name, n);
	book_tell(d, "% of results", level_writes(d, &design, "writes.mrf"), "%s, %u: MRF writes",
		name, n);
	book_tell(d, "% of results",
		level_writes(d, &design, "writes.orf") +
			level_writes(d, &design, "writes.orf_shared"),
		"%s, %u: ORF or RFC writes", name, n);
	if (strstr(design.set, "rf.lrf=0") == NULL)
		book_tell(d, "% of results", level_writes(d, &design, "writes.lrf"),
			"%s, %u: LRF writes", name, n);
}

void level_rows(struct book *d, const char *soft, const char *hard, unsigned lrf)
{
	for (unsigned n = 1; n <= LEVELS_MAX_ORF; n += n < 4 ? 1 : 2) {
		tell_levels(d, soft, n, dis_soft(n, lrf, ""));
		if (hard)
			tell_levels(d, hard, n, dis_hard(n, lrf, ""));
	}
}
