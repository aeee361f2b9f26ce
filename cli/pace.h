/* How long runs take, by kind: for the time that is left. */
#ifndef CLI_PACE_H
#define CLI_PACE_H

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

/* ", about 3 min left", on stderr; nothing for 0. */
void pace_show_left(double left_s);

#endif
