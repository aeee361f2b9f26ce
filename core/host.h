/* The host loop (libev): every simulation runs inside it, in quanta of about 2 ms of wall time.
 * ev_idle runs quanta, ev_timer updates progress, ev_signal stops cleanly or prints status,
 * ev_async is the doorbell of worker threads. Where a quantum ends never changes a result. */
#ifndef CORE_HOST_H
#define CORE_HOST_H

#include "core/guest.h"
#include "core/sim.h"

/* Called with the operation that failed; errno has the reason. Never returns. */
typedef void host_broken_fn(const char *what);

struct host_hooks {
	void *ctx;
	/* Called about ten times a second of wall time, for progress. May be NULL. */
	void (*progress)(void *ctx, const struct sim *);
	/* Called within 50 ms of SIGUSR1. May be NULL. */
	void (*status)(void *ctx, const struct sim *);
	/* Called before each quantum, between two windows, when the simulation's state is whole
	 * (core/state.h). Returns how many windows there are at most until it is called again, at
	 * least 1. May be NULL. */
	uint64_t (*edge)(void *ctx, struct sim *);
	/* SIGUSR2 came, or a signal that stops the run: called before the next `edge`, or before
	 * the stop, between two windows. May be NULL; then SIGUSR2 has its usual effect. */
	void (*keep)(void *ctx, struct sim *, int signum);
	/* Called when the event loop cannot continue: ends the process. NULL: libev aborts. */
	host_broken_fn *broken;
	/* Descriptors of the owner's: when one can be read, or is closed, the run stops as SIGINT
	 * stops it. */
	const int *fds;
	unsigned nfds;    /* at most HOST_FDS */
	bool own_signals; /* SIGINT and SIGTERM are read by one of them, and stay blocked */
	const struct guest *guest; /* NULL: none */
};
#define HOST_FDS 2

struct host_stats {
	double wall_s;    /* inside the loop */
	double busy_s;    /* of it, inside sim_run */
	uint64_t quanta;  /* calls of sim_run */
	double quantum_s; /* the last quantum's length */
};

/* Runs the simulation to its end inside an event loop of its own. SIGINT and SIGTERM stop it
 * (RUN_STOPPED, *interrupted true); where the caller blocks them, one that comes as the run ends is
 * pending afterwards, and stops the next. Hooks and stats may be NULL. 0, or -1 with err when the
 * host cannot create an event loop. */
int host_run(struct sim *, uint64_t max_cycles, const struct host_hooks *, enum run *result,
	bool *interrupted, struct host_stats *, struct err *);

/* False: one of the owner's descriptors can be read, or SIGINT or SIGTERM has come, so that the run
 * will stop when the loop sees it. For what takes long within a window; from any thread. */
bool host_is_wanted(const struct host_hooks *); /* accepts NULL */

/* Within a window: takes a SIGUSR1 that has come. The caller reports the status then. */
bool host_is_asked(void);

/* Makes libev allocate from core/mem.c and checks that the host has the file descriptors that a
 * loop needs: without them, or without memory, libev aborts. 0 or -1 (ERR_HOST). */
int host_admit_loop(host_broken_fn *, struct err *);

#endif
