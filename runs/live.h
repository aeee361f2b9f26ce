/* What a command's runs do now, for a page that is served (cli/serve/): the simulation of this
 * process, and runs in processes of their own. */
#ifndef RUNS_LIVE_H
#define RUNS_LIVE_H

#include "core/pool.h"

struct gpu;

enum live_state { LIVE_WAITS, LIVE_RUNS, LIVE_DONE, LIVE_FAILED, LIVE_KNOWN, LIVE_STATES };

struct live_job {
	const char *name;
	enum live_state state;  /* LIVE_KNOWN: its result was there before */
	double start_s, took_s; /* of a monotonic clock; took_s: of one that has ended */
};

struct live {
	struct guest guest;                 /* of event loops; its owner's */
	const struct gpu *gpu;              /* NULL: nothing is simulated here now */
	struct live_job *jobs;              /* of the pool that runs, or ran last */
	unsigned njobs, count[LIVE_STATES]; /* count: jobs by state */
};

/* Makes a pool of n jobs enter what they do, and its loop serve the guest: changes `hooks`, which
 * the wrapped ones are copied from. Names may be NULL. Memory is the arena's. */
void live_pool(struct live *, struct pool_hooks *hooks, unsigned n, const char *const *names,
	struct arena *);

#endif
