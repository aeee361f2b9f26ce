/* How long runs take, by kind: for the time that is left. */
#ifndef RUNS_PACE_H
#define RUNS_PACE_H

#include "core/text.h"

#include <stdbool.h>

struct pace {
	const char *kind; /* the caller's */
	double sum_s;
	unsigned n;
};

/* A zeroed struct with capacity for `most` kinds is empty; further kinds share one. */
struct paces {
	struct pace *at;
	unsigned n, most;
};

/* The kind's pace, made if need be; `fresh` then. */
struct pace *pace_of(struct paces *, const char *kind, bool *fresh);

/* The expected time of a run of the kind: the mean of its kind, or of all others. 0: unknown. */
double pace_mean_s(const struct paces *, const struct pace *);

/* ", about 3 min left"; nothing for 0. */
void pace_add_left(double left_s, struct text *);

/* Seconds of a monotonic clock. */
double pace_now_s(void);

#endif
