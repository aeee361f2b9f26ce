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

/* A zeroed struct with room for `most` kinds is empty; beyond that they are one. */
struct paces {
	struct pace *at;
	unsigned n, most;
};

/* The kind's pace, made if need be; `fresh` then. */
struct pace *pace_of(struct paces *, const char *kind, bool *fresh);

/* How long a run of the kind takes: as those of its kind, or as all others. 0: nothing is known. */
double pace_mean_s(const struct paces *, const struct pace *);

/* ", about 3 min left"; nothing for 0. */
void pace_add_left(double left_s, struct text *);

/* Seconds of a clock that only goes forward. */
double pace_now_s(void);

#endif
