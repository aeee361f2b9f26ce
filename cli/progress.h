/* Progress of a run, on stderr. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "chip/chip.h"
#include "runs/live.h"

struct progress {
	const struct gpu *gpu;
	double start_s; /* wall clock */
	struct live live;
};

struct progress progress_new(const struct gpu *, bool quiet);
struct host_hooks progress_hooks(struct progress *);
/* Hooks of a run without lines of its own, which reports on SIGUSR1 (struct run_options, watch). */
struct host_hooks progress_watch(const struct gpu *, struct arena *);
/* Clears the line. */
void progress_end(struct progress *);

#endif
