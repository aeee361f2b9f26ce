/* A sweep: every combination of targets and parameter values, each point a run of its own. */
#ifndef CLI_SWEEP_H
#define CLI_SWEEP_H

#include "cli/command.h"
#include "runs/results/results.h"
#include "runs/trial.h"

/* ---- what is swept: values.c */
/* A parameter's path, or "size", "seed", "ptx"; and its values as settings have them. */
struct sweep_axis {
	const char *path;
	const char **values;
	unsigned n;
};

/* Reads "path=v1,v2,a..b,a..b:step,a..b:*factor"; values are the arena's. Separators are
 * semicolons where there is one, for values that have commas. 0 or -1. */
int sweep_axis_read(const char *text, struct arena *, struct sweep_axis *, struct err *);

/* ---- points: points.c */
enum point_state {
	POINT_TO_RUN,
	POINT_DONE,   /* its metrics are in the file */
	POINT_FAILED, /* its messages are in the file */
	POINT_TWIN,   /* another point of the sweep has the same key */
	POINT_AWAY    /* another shard's */
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
	bool before, opens; /* it was in a file when the sweep began; its machine can be built */
	uint64_t cost;      /* expected, in a plan's unit; 0: it cannot be opened */
	unsigned shard;     /* that runs it, from 1 on; 0: there are none, or it is a twin */
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
	struct results **earlier; /* files in which points may be finished, too */
	unsigned nearlier;
	double grace_s; /* that running points have after SIGTERM */
};

#define SWEEP_POINTS 65536u

/* Makes all points, with the keys of their requests. 0, or -1: the options are wrong. */
int sweep_make(struct sweep *, const struct options *, struct arena *, struct err *);

/* Opens a point: its inputs become its key; or it has failed. 0, or -1: the options are wrong. */
int sweep_open(const struct sweep *, struct sweep_point *, struct arena *, struct err *);

/* Of points that have their keys: those that are another's twin. */
void sweep_twins(struct sweep *, struct arena *);

/* Makes and opens all; when none opens, or the options are wrong: -1. */
int sweep_points(struct sweep *, const struct options *, struct arena *, struct err *);
void sweep_clear(struct sweep *);

/* The point's name in the file of results. */
struct result_point sweep_result(const struct sweep *, const struct sweep_point *);

/* All its settings, as in run --json; of a point that cannot be opened those that were requested. A
 * new reference. */
json_t *sweep_settings(const struct sweep *, const struct sweep_point *, struct arena *);

/* ---- running them: drive.c */
/* Looks the point up in the files of results. 0 or -1. */
int sweep_look(struct sweep *, struct sweep_point *, struct err *);

/* Enters points that cannot be opened, and looks all others up. 0 or -1. */
int sweep_look_all(struct sweep *, struct arena *, struct err *);

/* Runs the points that are to run, into the file of results. 0: all are in it; -1. */
int sweep_drive(struct sweep *, struct arena *, struct err *);

/* Messages of points that failed, each with its point; the first one's code counts. */
void sweep_tell_failures(const struct sweep *, struct err *);

/* The same as notes on stderr: of shards and plans, of which a failure that the point determines is
 * a result. Others go to err. */
void sweep_note_failures(const struct sweep *, struct err *);

/* ---- the kinds of sweep: sweep.c, plan.c, shard.c, merge.c, slurm.c */
command_fn sweep_write_plan, sweep_shard, sweep_merge, sweep_slurm;

/* A sweep that is cleared when the arena is freed. */
struct sweep *sweep_new(struct arena *);

/* ---- the table: report.c */
int sweep_write(const struct sweep *, struct arena *, struct text *, struct err *);
/* Only the page of --html, of the points that there are: a sweep that was stopped. */
int sweep_page(const struct sweep *, struct arena *, struct err *);

#endif
