/* A crew of host threads that run one function side by side and meet at barriers in it. */
#ifndef CORE_CREW_H
#define CORE_CREW_H

#include "core/err.h"
#include "core/mem.h"

struct crew;
struct pin;

typedef void crew_fn(void *ctx, unsigned lane);

/* `threads` lanes: the caller of crew_run is lane 0, the others are threads of the crew's, which
 * block all signals. NULL with err (ERR_HOST) when the host gives no thread. `pin` may be NULL. */
struct crew *crew_new(
	struct arena *, unsigned threads, const struct pin *, crew_fn *, void *ctx, struct err *);

/* Runs the function on every lane and returns when lane 0 has ended; the function's last act must
 * be crew_meet, so that the others have ended what they share by then. */
void crew_run(struct crew *);

/* Waits, in the function, until every lane is here: spins shortly, then yields. What a lane wrote
 * before is seen by all lanes afterwards. */
void crew_meet(struct crew *);

/* Joins the threads; accepts NULL. */
void crew_free(struct crew *);

#endif
