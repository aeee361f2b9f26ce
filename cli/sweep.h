/* A sweep: every combination of targets and parameter values, each point a run of its own. */
#ifndef CLI_SWEEP_H
#define CLI_SWEEP_H

#include "cli/command.h"
#include "runs/results.h"
#include "runs/trial.h"

/* ---- what is swept: sweep_values.c */
/* A parameter's path, or "size", "seed", "ptx"; and its values as settings have them. */
struct sweep_axis {
	const char *path;
	const char **values;
	unsigned n;
};

/* Reads "path=v1,v2,a..b,a..b:step,a..b:*factor"; values are the arena's. Separators are
 * semicolons where there is one, for values that have commas. 0 or -1. */
int sweep_axis_read(const char *text, struct arena *, struct sweep_axis *, struct err *);

/* ---- points: sweep_plan.c */
enum point_state {
	POINT_TO_RUN,
	POINT_DONE,   /* its metrics are in the file */
	POINT_FAILED, /* its messages are in the file */
	POINT_TWIN    /* another point of the sweep has the same key */
};

struct sweep_point {
	const char *target;
	const char **values; /* one for each axis */
	const char *name;    /* "needle, chip.sms=4" */
	const struct options *options;
	struct trial trial;
	char key[33]; /* of all that determines the result; of the request, when it cannot be opened
		       */
	char asked_key[33]; /* of the request */
	struct sweep_point *twin;
	enum point_state state;
	bool before, opens; /* it was in the file when the sweep began; its machine can be built */
	struct err err;     /* of a failed point */
	double start_s;
};

struct sweep {
	const struct options *o;
	struct sweep_axis *axes;
	unsigned naxes;
	struct sweep_point *points; /* targets outermost, the last axis innermost */
	unsigned n;
	const char **metrics; /* columns of the table */
	unsigned nmetrics;
	const char *program; /* the program's build, and the file's hash when it is not clean */
	struct results *results;
};

#define SWEEP_POINTS 65536u

/* Makes all points and opens each once: its inputs become its key. A point that cannot be opened
 * has failed; when none can, or the options are wrong: -1. */
int sweep_plan(struct sweep *, const struct options *, struct session *, struct err *);
void sweep_clear(struct sweep *);

/* The point's name in the file of results. */
struct result_point sweep_result(const struct sweep *, const struct sweep_point *);

/* All its settings, as in run --json; of a point that cannot be opened those that were requested. A
 * new reference. */
json_t *sweep_settings(const struct sweep *, const struct sweep_point *, struct arena *);

/* ---- the table: sweep_report.c */
int sweep_write(const struct sweep *, struct arena *, struct text *, struct err *);

#endif
