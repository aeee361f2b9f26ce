/* A pool of child processes (libev): jobs that know nothing of each other run side by side, and
 * each one's answer comes back as bytes. Which job ran when changes no answer. */
#ifndef CORE_POOL_H
#define CORE_POOL_H

#include "core/err.h"
#include "core/host.h"
#include "core/pin.h"
#include "core/text.h"

/* Does job `job` in a process of its own, writes the answer to the file descriptor and ends the
 * process: it never returns. Exit status 0 says that the answer is whole. */
typedef void pool_fn(void *ctx, unsigned job, int out);

struct pool_result {
	struct text bytes; /* the caller's to clear, also after a failure */
	int status;        /* of the process, as waitpid tells it */
	bool late;         /* it was ended because it took longer than pool_hooks.timeout_s */
};

/* What a pool's owner sees of it while it runs. Each may be NULL. */
struct pool_hooks {
	void *ctx;
	/* Called when a job has ended. */
	void (*progress)(void *ctx, unsigned done, unsigned jobs);
	/* Asked just before a job starts: false leaves it out, done, with an empty answer. */
	bool (*wanted)(void *ctx, unsigned job);
	/* Called when a job has ended, with its answer, whose bytes it may clear. -1 ends all jobs.
	 */
	int (*ended)(void *ctx, unsigned job, struct pool_result *);
	/* Called about once a second. */
	void (*tick)(void *ctx);
	/* As in struct host_hooks. */
	host_broken_fn *broken;
	/* Called within 50 ms of SIGUSR1, which is passed on to the jobs. */
	void (*status)(void *ctx);
	/* A job that takes longer is ended, with SIGTERM, and two seconds later with SIGKILL; 0: it
	 * may take any time. */
	double timeout_s;
	/* For at least `at_once` threads: each process is bound to a core of its own. */
	const struct pin *pin;
};

/* Runs all jobs, at most `at_once` (at least 1) at a time, and fills one zeroed answer for each. A
 * job that fails stops no other: look at its status. 0, or -1 when the host has no process or no
 * event loop (ERR_HOST), on SIGINT and SIGTERM, which also end the jobs (ERR_INTERRUPTED), or when
 * the owner ended them (no message). When the caller dies, Linux ends the jobs with SIGTERM. */
int pool_run(unsigned jobs, unsigned at_once, pool_fn *, void *ctx, const struct pool_hooks *,
	struct pool_result *, struct err *);

#endif
