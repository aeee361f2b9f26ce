/* Points: the runs that papers' tables and figures are computed from. A table asks for what it
 * needs as if all of it were there; what is not there yet comes from a file of results or is run in
 * a child process, and the table asks again. */
#ifndef RUNS_POINTS_H
#define RUNS_POINTS_H

#include "runs/trial.h"

/* How a point is run. `act` as in struct trial; neither: in time, as by the command run. */
struct point_way {
	const char *name; /* part of what decides the result */
	int (*act)(
		const struct trial *, const struct run_options *, struct session *, struct err *);
	bool untimed; /* by the executor alone; the answer is {"warp_instructions": N} */
};
extern const struct point_way points_untimed;

/* A question. The options' size, seed and --set are part of it, but for what --set says of other
 * workloads; settings here lie over those. */
struct point_ask {
	const char *workload;
	const char *chip;            /* a preset; NULL: m12 */
	const char *set;             /* "path=value path=value"; NULL: none */
	const struct point_way *way; /* NULL: in time */
	bool may_fail; /* that it does not run is an answer: a CTA that does not fit, say */
};

/* The workload whose parameter a setting "path=value" is; NULL: none's. */
const char *points_workload_of(const char *setting);

struct points;
struct point;

/* An empty set, which lives in the arena; `results` (runs/results.h) or NULL. What lies outside
 * the arena is freed with that, or by points_clear, which accepts NULL. */
struct results;
struct points *points_new(const struct run_options *, struct results *, struct arena *);
void points_clear(struct points *);

/* The point that answers; the same words get the same point. Its life is the set's. */
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

/* What the run told: of one in time what run --json tells, without the parts of the chip, the
 * configuration and the inputs; of another way its answer. NULL: not run yet, or it fails. The
 * set's. */
const json_t *point_report(const struct point *);

/* A metric of such a report (warpbeam stats); NAN: there is none, or no report. */
double point_metric(const json_t *report, const char *name);

/* Why a point fails; NULL. */
const char *point_message(const struct point *);

/* Whether points were asked for that are unknown. */
bool points_wanting(const struct points *);

/* Finds out all that is unknown: reads it from the file or runs it, as many at a time as the
 * options say, with progress on stderr. 0; or -1 when the host or a signal ended it (what was
 * finished is in the file). That a point fails is no failure of this. */
int points_run(struct points *, struct err *);

/* Tells the failures of points that may not fail. 0: there is none. */
int points_failures(const struct points *, struct err *);

/* For a report of what was asked: how many, and how many of them had been in the file. */
struct points_count {
	unsigned all, before, failed;
};
struct points_count points_count(const struct points *);

#endif
