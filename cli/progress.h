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

struct progress progress_new(const struct gpu *, bool quiet);
struct host_hooks progress_hooks(struct progress *);
/* Hooks of a run that is not shown, but tells on SIGUSR1 where it is (struct run_options, watch).
 */
struct host_hooks progress_watch(const struct gpu *, struct arena *);
/* Wipes the line away. */
void progress_end(struct progress *);

#endif
