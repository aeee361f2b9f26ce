/* Private to points*.c: the structure of a point. */
#ifndef RUNS_POINTS_INSIDE_H
#define RUNS_POINTS_INSIDE_H

#include "runs/keys.h"
#include "runs/points.h"
#include "runs/results/results.h"

struct point {
	char key[KEY_ROOM];
	const char *workload, *chip;
	char *set;
	const struct point_way *way;
	unsigned copies;
	bool wide, foreign, may_fail, may_refuse, before; /* before: it was in the file */
	enum point_answer state;
	const char *message; /* of a failure, without the last line's end */
	enum err_code code;
	json_t *report;
	double start_s;
};

/* A workload's PTX file, as far as keys go. */
struct point_source {
	const char *workload;
	bool foreign, wide;
	const char *hash;
};

#define POINT_SOURCES 256

struct points {
	const struct run_options *o;
	struct results *results;
	const struct points_elsewhere *elsewhere; /* NULL: all runs are here */
	struct arena *arena;
	const char *program;
	struct point **all; /* in the order of the requests */
	unsigned n, room;
	struct point **table; /* by key; `slots` of them, a power of two */
	unsigned slots;
	struct point_source sources[POINT_SOURCES];
	unsigned nsources;
	struct text words; /* of the key being built */
};

/* What the options set, except other workloads' parameters. */
struct string_list points_settings(
	const struct run_options *, const char *workload, struct arena *);

/* The point's name in the file of results. */
struct result_point points_result(const struct points *, const struct point *);

/* Of a report of run what is read of thousands, the caller's: values of metrics, and what launches
 * are. Others are of points' own ways. NULL: no memory. */
json_t *points_slim(json_t *report);

#endif
