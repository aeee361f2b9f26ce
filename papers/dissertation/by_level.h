/* Reads and writes of a design by level: what figures 6.10 to 6.12 show. */
#ifndef PAPERS_DISSERTATION_BY_LEVEL_H
#define PAPERS_DISSERTATION_BY_LEVEL_H

#include "papers/dissertation/dis.h"

#define UNIFIED_LRF 1 /* entries */

/* Accesses of a level ("reads.mrf", "writes.orf") in per cent of a single level's: means. */
double level_reads(struct book *, const struct design *, const char *level);
double level_writes(struct book *, const struct design *, const char *level);

/* Rows of all levels for 1 to LEVELS_MAX_ORF entries: software's and hardware's designs with these
 * names; `hard` NULL: software's alone. */
void level_rows(struct book *, const char *soft, const char *hard, unsigned lrf);

#endif
