/* Trials: simulations of a comparison, each in a process of its own. */
#ifndef RUNS_TRIAL_H
#define RUNS_TRIAL_H

#include "core/pool.h"
#include "runs/session.h"

#include <jansson.h>

/* One of those who share a chip. */
struct party {
	const char *target;
	struct gpu_place place;
};

/* Of a launch's stream: whose it is. */
#define PARTY_STREAMS 65536u

struct trial {
	const char *name; /* stands before messages: "needle, one SM (share)" */
	struct machine machine;
	const struct party *parties;
	unsigned nparties;
	/* Several parties run beside each other, each going on as soon as its own launches are
	 * complete; false: the one party runs as by the command run. */
	bool streams;
	/* In the child: opens the trial (trial_open), runs it in a way of its own and writes what
	 * it measured as JSON into the session's text. 0 or -1. NULL: the parties run in time. */
	int (*act)(
		const struct trial *, const struct run_options *, struct session *, struct err *);
	bool untimed;   /* by the executor alone; the answer is {"warp_instructions": N} */
	bool may_stop;  /* that a limit ends it fails only itself: */
	bool stopped;   /* it was; there is no report, the messages tell */
	json_t *report; /* the answer: what run --json tells; trials_free frees it */
};

/* Runs all trials, as many at a time as the options say. 0, or -1 with the messages of the first
 * trial, in their order, that failed. */
int trials_run(const struct run_options *, struct trial *, unsigned n, struct err *);
void trials_free(struct trial *, unsigned n);

/* The parts of trials_run, for other pools of trials. In the child: runs the trial, writes the
 * answer and ends the process. */
void trial_child(const struct trial *, const struct run_options *, int out);

/* The answer: the report (json_decref), or NULL and the trial's messages; `name` stands before
 * them, NULL: nothing does. */
json_t *trial_answer(const char *name, const struct pool_result *, struct err *);

/* Whether the run was ended by the signal that ends us: it has not failed then. `err` has what
 * trial_answer told. */
bool trial_was_interrupted(const struct err *, int status);

/* Trials whose owner takes each answer as it comes. */
struct trial_crowd {
	unsigned n, jobs; /* so many side by side */
	bool live;        /* `tick` shows a line on stderr, which is taken away at the end */
	pool_fn *child;
	struct pool_hooks hooks; /* ctx, wanted, ended, tick, status; the rest follows options */
};

/* Runs them, each bound to a core unless the options say otherwise. As pool_run. */
int trials_watch(
	const struct trial_crowd *, const struct run_options *, struct arena *, struct err *);

/* How many of n run side by side. */
unsigned trial_jobs(const struct run_options *, unsigned n);

/* Opens the trial's machine and everything that runs on it, but nothing runs. `works` has room for
 * all parties; the session is closed by the caller. 0 or -1. */
struct work;
int trial_open(const struct trial *, const struct run_options *, struct session *,
	struct work *works, struct err *);

#endif
