/* How long runs take, by kind: for the time that is left. */
#ifndef RUNS_PACE_H
#define RUNS_PACE_H

#include "core/text.h"

#include <stdbool.h>

struct pace {
	const char *kind; /* the caller's */
	double sum_s;     /* of runs that have ended */
	unsigned n;
	/* those that are left, since pace_begin; of those that go on, what they have taken */
	unsigned left;
	double taken_s, longest_s;
};

/* A zeroed struct with capacity for `most` kinds is empty; further kinds share one. */
struct paces {
	struct pace *at;
	unsigned n, most;
};

/* The kind's pace, made if need be; `fresh` then. */
struct pace *pace_of(struct paces *, const char *kind, bool *fresh);

/* The time that is left: after pace_begin a call for each run that has not ended, with what it has
 * taken (0: it has not begun). Then the seconds of all of them, one after the other: a run takes
 * the mean of its kind, else of all kinds; where one has taken longer, that one is halfway. */
void pace_begin(struct paces *);
void pace_run(struct pace *, double taken_s);
double pace_left_s(const struct paces *);

/* ", about 3 min left"; nothing for 0. */
void pace_add_left(double left_s, struct text *);

/* Seconds of a monotonic clock. */
double pace_now_s(void);

#endif
