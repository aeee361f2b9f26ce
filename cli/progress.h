/* Progress of a run, on stderr. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "chip/chip.h"

struct progress {
	const struct gpu *gpu;
	double start_s; /* wall clock */
	bool live;      /* stderr is a terminal: a line that is overwritten */
	bool shown;     /* such a line is visible */
};

struct progress progress_new(const struct gpu *, bool quiet);
struct host_hooks progress_hooks(struct progress *);
/* Hooks of a run without a progress line, which reports on SIGUSR1 (struct run_options, watch). */
struct host_hooks progress_watch(const struct gpu *, struct arena *);
/* Clears the line. */
void progress_end(struct progress *);

#endif
