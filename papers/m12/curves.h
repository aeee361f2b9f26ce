/* What figures 2, 3 and 4 share: points on machines whose storage is without bound except the one
 * that varies, and rows for claims about curves. */
#ifndef PAPERS_M12_CURVES_H
#define PAPERS_M12_CURVES_H

#include "papers/m12/m12.h"

#define CURVE_REGISTERS 64
#define CURVE_CACHE_KB 64
#define CURVE_MOST_THREADS 1024
#define CURVE_THREADS 4
extern const unsigned curve_threads[CURVE_THREADS]; /* 256 .. 1024 */

/* Performance of a point in another's; NAN where no CTA fits into the threads. */
double curve_against(
	struct book *, unsigned workload, const struct design *point, const struct design *base);
/* Performance with up to t threads and r registers, in that of 1024 threads and 64 registers. */
double curve_by_registers(struct book *, int workload, unsigned t, unsigned r);

/* A series' name; "" while runs are missing. */
const char *curve_series(struct book *, const char *format, unsigned n)
	__attribute__((format(printf, 2, 0)));
/* A row of a claim without a number of the paper, and what its words are taken as: the same, within
 * a distance; a gain of 5 % and more, up to a bound that a fault of ours would exceed. */
void curve_claim(struct book *, const char *name, const char *text, struct band, double ours);
static inline struct band curve_same(double within)
{
	return band_between(NAN, 1 - within, 1 + within);
}
static inline struct band curve_gain(double most)
{
	return band_between(NAN, 1.05, most);
}

/* Whether the workload is one of up to four. */
bool curve_has(const char *workload, const char *const list[4]);

#endif
