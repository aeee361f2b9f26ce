/* How near a figure's rows are to the paper's, beside its verdicts and means: rows of one target in
 * one unit that a band judges, so that those of part of the workloads, which have no verdict, do
 * not count. */
#ifndef PAPERS_SCORE_H
#define PAPERS_SCORE_H

#include "papers/book.h"

struct score {
	const char *unit;
	unsigned n;   /* of those judged, rows that both have a number for */
	double error; /* mean of |ours - paper|, in the unit */
	double rank;  /* Spearman's correlation, equal ranks averaged; NAN: fewer than 3 rows,
			 or all equal in one of the two */
	unsigned judged, within; /* rows with bands */
};

enum { SCORE_UNITS = 8 };

/* The scores of a target's rows in a column without fitted ones (papers/book.h), by unit, in the
 * order of the rows; at most SCORE_UNITS. Returns their number. Memory for ranks is the arena's. */
unsigned score_target(const struct book_said *, unsigned n, const struct target *, unsigned column,
	struct arena *, struct score out[SCORE_UNITS]);

/* Spearman's rank correlation of n pairs. */
double score_rank(const double *x, const double *y, unsigned n, struct arena *);

/* One score of a table for a report. */
json_t *score_json(const char *table, const struct score *);

/* The scores of a target in all judged columns below its rows, a line for each; and those of all
 * targets as a list, each with its column's key. */
void score_lines(const struct book *, const struct target *, struct text *);
json_t *score_list(const struct book *);

#endif
