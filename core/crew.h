/* A crew of worker threads (of the host) that run one function in parallel and synchronise at
 * barriers in it. */
#ifndef CORE_CREW_H
#define CORE_CREW_H

#include "core/err.h"
#include "core/mem.h"

#include <stdbool.h>
#include <stdint.h>

struct crew;
struct pin;

typedef void crew_fn(void *ctx, unsigned worker);

/* `threads` workers: the caller of crew_run is worker 0, the others are the crew's own threads,
 * which block all signals. NULL with err (ERR_HOST) when the host cannot create a thread. `pin` may
 * be NULL. */
struct crew *crew_new(
	struct arena *, unsigned threads, const struct pin *, crew_fn *, void *ctx, struct err *);

/* Runs the function on every worker, or on worker 0 alone, and returns when that has finished; the
 * function must end with crew_meet, so that the others have finished with shared data by then. */
void crew_run(struct crew *, bool alone);

/* A barrier: called in the function by each worker that runs it, waits until all have; spins
 * briefly, then yields, then sleeps. What a worker wrote before it is visible to all after it. */
void crew_meet(struct crew *, unsigned worker);

/* For worker 0: the nanoseconds that it has waited in barriers for so long that another worker had
 * no core, and the clock that they were measured by. */
uint64_t crew_waited(const struct crew *);
uint64_t crew_clock(void);

/* Joins the threads; accepts NULL. */
void crew_free(struct crew *);

#endif
