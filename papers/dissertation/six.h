/* The six workloads of chapter 7 in the order of a figure, and the rows that claims about all six
 * make. */
#ifndef PAPERS_DISSERTATION_SIX_H
#define PAPERS_DISSERTATION_SIX_H

#include "papers/dissertation/ch7.h"

/* A figure of a workload on a design, against the base: 1 is no change. */
typedef double ch7_figure(struct book *, unsigned workload, enum ch7_design);

/* Rows of a figure for every workload and design except the base, whose figures are 1. */
void six_tell(struct book *, ch7_figure *, const char *unit);

/* Per cent by which a ratio is above 1. */
double six_gain(double ratio);

/* The gains of a design, ascending; `n` is below CH7_WORKLOADS where some are not known. */
struct six {
	double v[CH7_WORKLOADS];
	unsigned workload[CH7_WORKLOADS], n; /* entries of ch7_workloads */
};
struct six six_of(struct book *, ch7_figure *, enum ch7_design);

/* How many of the six are from low to high; NAN: not all are known. */
double six_count(const struct six *, double low, double high);
/* A workload's gain, or NAN; whether it is from low to high. */
double six_at(const struct six *, unsigned workload);
bool six_is_from(const struct six *, unsigned workload, double low, double high);
double six_least(const struct six *); /* NAN: not all are known */
double six_most(const struct six *);

/* The workload whose gain is number i in their order; NULL: not all are known. */
const char *six_name(const struct six *, unsigned i);
/* All gains in words, ascending; NULL: not all are known. */
const char *six_words(struct book *, const struct six *);

/* A row for the number of workloads from range[0] to range[1]. */
void six_say_count(struct book *, const char *claim, const char *text, double paper,
	const double range[2], const struct six *);
/* A row for each of the sorted six, within `points` or a fifth of the paper's. */
void six_say_sorted(
	struct book *, const char *claim, const double *paper, double points, const struct six *);

#endif
