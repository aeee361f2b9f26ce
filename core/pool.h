/* A pool of child processes (libev): independent jobs run in parallel, and each one's result comes
 * back as bytes. The order of execution does not change a result. */
#ifndef CORE_POOL_H
#define CORE_POOL_H

#include "core/err.h"
#include "core/guest.h"
#include "core/host.h"
#include "core/pin.h"
#include "core/text.h"

/* Executes job `job` in a process of its own, writes the result to the file descriptor and ends the
 * process: it never returns. Exit status 0 says that the result is complete. */
typedef void pool_fn(void *ctx, unsigned job, int out);

struct pool_result {
	struct text bytes; /* the caller must clear it, also after a failure */
	int status;        /* of the process, as returned by waitpid */
	bool late;         /* it was killed because it took longer than pool_hooks.timeout_s */
};

/* The owner's callbacks while the pool runs. Each may be NULL. */
struct pool_hooks {
	void *ctx;
	/* Called when a job has ended. */
	void (*progress)(void *ctx, unsigned done, unsigned jobs);
	/* Called just before a job starts: false skips it; it counts as done, with an empty result.
	 */
	bool (*wanted)(void *ctx, unsigned job);
	/* Called when a job has ended, with its result, whose bytes it may clear. -1 ends all jobs.
	 */
	int (*ended)(void *ctx, unsigned job, struct pool_result *);
	/* Called about once a second. */
	void (*tick)(void *ctx);
	/* As in struct host_hooks. */
	host_broken_fn *broken;
	/* Called within 50 ms of SIGUSR1, which is passed on to the jobs. */
	void (*status)(void *ctx);
	/* A job that takes longer is ended, with SIGTERM, and two seconds later with SIGKILL; 0: no
	 * limit. */
	double timeout_s;
	/* After SIGTERM no job starts, and those that run have this time to end; a second signal,
	 * or SIGINT, ends them at once. */
	double grace_s;
	/* For at least `at_once` threads: each process is bound to a core of its own. */
	const struct pin *pin;
	const struct guest *guest; /* NULL: none */
};

/* Runs all jobs, at most `at_once` (at least 1) at a time, and fills one zeroed result for each. A
 * job that fails stops no other: check its status. 0, or -1 when the host cannot create a process
 * or an event loop (ERR_HOST), on SIGINT and SIGTERM, which also end the jobs (ERR_INTERRUPTED), or
 * when the owner ended them (no message). When the caller dies, Linux ends the jobs with SIGTERM.
 */
int pool_run(unsigned jobs, unsigned at_once, pool_fn *, void *ctx, const struct pool_hooks *,
	struct pool_result *, struct err *);

#endif
