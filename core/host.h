/* The host loop (libev): every simulation runs inside it, in quanta of about 2 ms of wall time.
 * ev_idle runs quanta, ev_timer drives progress, ev_signal stops cleanly or prints status, ev_async
 * is the doorbell of worker threads. Quantum edges never change a result. */
#ifndef CORE_HOST_H
#define CORE_HOST_H

#include "core/sim.h"

struct host_hooks {
	void *ctx;
	/* Called about ten times a second of wall time, for progress. May be NULL. */
	void (*progress)(void *ctx, const struct sim *);
	/* Called within 50 ms of SIGUSR1. May be NULL. */
	void (*status)(void *ctx, const struct sim *);
};

struct host_stats {
	double wall_s;    /* inside the loop */
	double busy_s;    /* of it, inside sim_run */
	uint64_t quanta;  /* calls of sim_run */
	double quantum_s; /* the last quantum's length */
};

/* Runs the simulation to its end inside an event loop of its own. SIGINT and SIGTERM stop it
 * (RUN_STOPPED, *interrupted true). Hooks and stats may be NULL. 0, or -1 with err when the host
 * has no event loop. */
int host_run(struct sim *, uint64_t max_cycles, const struct host_hooks *, enum run *answer,
	bool *interrupted, struct host_stats *, struct err *);

#endif
