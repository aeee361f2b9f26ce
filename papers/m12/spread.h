/* The least, the most and the mean of a figure over a set of workloads, and rows of them. */
#ifndef PAPERS_M12_SPREAD_H
#define PAPERS_M12_SPREAD_H

#include "papers/m12/m12.h"

struct spread {
	double least, most, sum;
	unsigned n, at_least, at_most; /* workloads */
};
void spread_add(struct spread *, double v, unsigned workload);
double spread_mean(const struct spread *);             /* NAN: of none */
double spread_or_nan(const struct spread *, double v); /* NAN: of none */

/* A row of `of[0]` workloads together, where the paper's is of `of[1]`; of one workload. */
void spread_say(struct book *, const struct book_row *, const char *format, const char *name,
	const unsigned of[2]) __attribute__((format(printf, 3, 0)));
void spread_say_one(struct book *, const struct book_row *, const char *format, const char *name)
	__attribute__((format(printf, 3, 0)));

#endif
