/* Points: the runs that papers' tables and figures are computed from. A table requests what it
 * needs as if all of it were known; what is unknown is read from a file of results or run in a
 * child process, and the table requests it again. */
#ifndef RUNS_POINTS_H
#define RUNS_POINTS_H

#include "runs/trial.h"

/* How a point is run. `act` as in struct trial; neither: with timing, as by the command run. */
struct point_way {
	const char *name; /* part of what determines the result */
	int (*act)(
		const struct trial *, const struct run_options *, struct session *, struct err *);
	bool untimed; /* by the executor alone; the result is {"warp_instructions": N} */
	/* The settings of a paper's reading that change the result start with this; "": all do;
	 * NULL: none. */
	const char *varies;
};
extern const struct point_way points_untimed;

/* A request. The options' size, seed and --set are part of it; settings here override those.
 * Parameters of other workloads are left out of both. */
struct point_ask {
	const char *workload;
	const char *chip;            /* a preset; NULL: m12 */
	const char *set;             /* "path=value path=value"; NULL: none */
	const struct point_way *way; /* NULL: with timing */
	unsigned copies;             /* this many side by side, one on each SM, with seeds of their
				      * own; 0: one, on any SM */
	bool wide;                   /* with 64-bit addresses, whatever the options say */
	bool foreign;                /* with the PTX of --ptx-dir */
	bool may_fail;               /* that a CTA can never fit is a result (ERR_RESOURCE) */
	bool may_refuse;             /* and that the chip refuses its settings (ERR_INPUT) */
};

/* The workload whose parameter a setting "path=value" is; NULL: none. */
const char *points_workload_of(const char *setting);

struct points;
struct point;

/* An empty set, which lives in the arena; `results` (runs/results/results.h) or NULL. Memory
 * outside the arena is freed with it, or by points_clear, which accepts NULL and notes what the
 * points came to (runs/roll.h). */
struct results;
struct points *points_new(const struct run_options *, struct results *, struct arena *);
void points_clear(struct points *);

/* The point of the request; the same words get the same point. It lives as long as the set. */
const struct point *points_ask(struct points *, const struct point_ask *);

/* The same with the settings made by a format. */
const struct point *points_askf(struct points *, const char *workload, const char *chip,
	const char *format, ...) __attribute__((format(printf, 4, 5)));

enum point_answer {
	POINT_UNKNOWN, /* not run yet */
	POINT_KNOWN,
	POINT_FAILS
};
enum point_answer point_state(const struct point *);

const char *point_workload(const struct point *);

/* The result of the run: of one with timing the report of run --json, without the parts of the
 * chip, the configuration and the inputs; otherwise the result of `way`. NULL: not run yet, or it
 * fails. The set's. */
const json_t *point_report(const struct point *);

/* A metric of such a report (warpbeam stats); NAN: there is none, or no report. */
double point_metric(const json_t *report, const char *name);

/* Why a point fails; NULL. */
const char *point_message(const struct point *);

/* Whether requested points are unknown. */
bool points_wanting(const struct points *);

/* Determines all unknown points: reads them from the file or runs them, as many at a time as the
 * options allow, with progress on stderr. 0; or -1 when the host or a signal ended it (what was
 * finished is in the file). A failed point is no failure of this function. */
int points_run(struct points *, struct err *);

/* Other processes run points, too: they share a file of results, which is the set's, and each
 * writes into a part of its own. */
struct points_elsewhere {
	/* Lets them run unknown points, and puts their parts into the set's file; NULL: this
	 * process is one of them. 0 or -1. */
	int (*act)(void *ctx, unsigned unknown, struct err *);
	void *ctx;
	unsigned retries; /* if some are unknown afterwards */
	/* The points of this process: those of which the key, modulo `shards`, is `shard`. They go
	 * into `part`; what is in it or in earlier parts is known. points_run then ends with -1,
	 * without a message if all of them are finished. */
	unsigned shard, shards;
	struct results *part, **earlier;
	unsigned nearlier;
	double grace_s; /* that running points have after SIGTERM */
};
void points_elsewhere(struct points *, const struct points_elsewhere *);

/* Reports the failures of points that may not fail. 0: there is none. */
int points_failures(const struct points *, struct err *);

/* For a report: the number of points, and how many of them had been in the file. */
struct points_count {
	unsigned all, before, failed;
};
struct points_count points_count(const struct points *);

#endif
