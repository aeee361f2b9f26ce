/* Progress of a run, on stderr. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "chip/chip.h"

struct progress {
	const struct gpu *gpu;
	double start_s; /* wall clock */
	bool live;      /* stderr is a terminal: a line that is written over and over */
	bool shown;     /* such a line stands there */
};

/* Seconds of a clock that only goes forward. */
double progress_now_s(void);

struct progress progress_new(const struct gpu *, bool quiet);
struct host_hooks progress_hooks(struct progress *);
/* Wipes the line away. */
void progress_end(struct progress *);

#endif
