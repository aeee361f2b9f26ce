/* What a command's runs do now, for a page that is served (cli/serve/): the simulation of this
 * process, and runs in processes of their own. */
#ifndef RUNS_SERVED_H
#define RUNS_SERVED_H

#include "core/pool.h"

struct gpu;

enum served_state {
	SERVED_WAITS,
	SERVED_RUNS,
	SERVED_DONE,
	SERVED_FAILED,
	SERVED_KNOWN,
	SERVED_STATES
};

struct served_job {
	const char *name;
	enum served_state state; /* SERVED_KNOWN: its result was there before */
	double start_s, took_s;  /* of a monotonic clock; took_s: of one that has ended */
};

struct served {
	struct guest guest;                   /* of event loops; its owner's */
	const struct gpu *gpu;                /* NULL: nothing is simulated here now */
	struct served_job *jobs;              /* of the pool that runs, or ran last */
	unsigned njobs, count[SERVED_STATES]; /* count: jobs by state */
};

/* Makes a pool of n jobs enter what they do, and its loop serve the guest: changes `hooks`, which
 * the wrapped ones are copied from. Names may be NULL. Memory is the arena's. */
void served_pool(struct served *, struct pool_hooks *hooks, unsigned n, const char *const *names,
	struct arena *);

#endif
