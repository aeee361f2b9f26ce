/* Trials: simulations of a comparison, each in a process of its own. */
#ifndef RUNS_TRIAL_H
#define RUNS_TRIAL_H

#include "core/pool.h"
#include "runs/session.h"

#include <jansson.h>

/* One of the programs that share a chip. */
struct party {
	const char *target;
	struct gpu_place place;
	uint64_t seed; /* of a workload, added to the run's */
};

/* The party of a launch's stream. */
#define PARTY_STREAMS 65536u

struct trial {
	const char *name; /* prefix of messages: "needle, one SM (share)" */
	struct machine machine;
	const struct party *parties;
	unsigned nparties;
	/* Several parties run at the same time, each continuing as soon as its own launches are
	 * complete; false: the one party runs as by the command run. */
	bool streams;
	/* In the child: opens the trial (trial_open), runs it and writes its result as JSON into
	 * the session's text. 0 or -1. NULL: the parties run with timing. */
	int (*act)(
		const struct trial *, const struct run_options *, struct session *, struct err *);
	bool untimed;  /* by the executor alone; the result is {"warp_instructions": N} */
	bool may_stop; /* reaching a limit fails only this trial: */
	bool stopped;  /* it reached one; there is no report, only messages */
	/* Where a checkpoint of it is kept, as often as the options say, and from which it goes on
	 * if there is one; its owner removes it. NULL: nowhere. */
	const char *state_file;
	json_t *report; /* the result: the report of run --json; trials_free frees it */
};

/* Runs all trials, as many at a time as the options allow. 0, or -1 with the messages of the first
 * trial, in their order, that failed. */
int trials_run(const struct run_options *, struct trial *, unsigned n, struct err *);
void trials_free(struct trial *, unsigned n);

/* The parts of trials_run, for other pools of trials. In the child: runs the trial, writes the
 * result and ends the process. */
void trial_child(const struct trial *, const struct run_options *, int out);

/* The result: the report (json_decref), or NULL and the trial's messages, with the prefix `name` if
 * it is not NULL. */
json_t *trial_answer(const char *name, const struct pool_result *, struct err *);

/* Whether there is a report. */
bool trial_succeeded(const struct pool_result *);

/* Whether the run was ended by the signal that also ends this process: it has not failed then.
 * `err` is that of trial_answer. */
bool trial_was_interrupted(const struct err *, int status);

/* Trials whose owner takes each result as it comes. */
struct trial_crowd {
	unsigned n, jobs; /* this many in parallel */
	pool_fn *child;
	const char *const *names; /* for those who watch; NULL: none */
	struct pool_hooks hooks;  /* ctx, wanted, ended, tick, status; the rest follows options */
};

/* Runs them, each bound to a core unless the options say otherwise. As pool_run. */
int trials_watch(
	const struct trial_crowd *, const struct run_options *, struct arena *, struct err *);

/* Where the trial of that key keeps its checkpoint, beside a file. */
const char *trial_state_file(const char *beside, const char *key, struct arena *);

/* How many of n run in parallel. */
unsigned trial_jobs(const struct run_options *, unsigned n);

/* Opens the trial's machine and everything that runs on it, without running. `works` has an entry
 * for each party; the session is closed by the caller. 0 or -1. */
struct work;
int trial_open(const struct trial *, const struct run_options *, struct session *,
	struct work *works, struct err *);

#endif
