/* A sweep's file of results (SQLite): points, their settings, inputs, metrics, launches and
 * failures. doc/guide.md, section 9, describes the tables. A point is written in one transaction:
 * the file has all of it or nothing, also after a crash or a full disk. */
#ifndef RUNS_RESULTS_RESULTS_H
#define RUNS_RESULTS_RESULTS_H

#include "core/err.h"
#include "core/files.h"
#include "core/mem.h"
#include "core/text.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* Versions of the tables: points; a command's own. */
#define RESULTS_VERSION 2
#define RESULTS_TABLES_VERSION 1

struct results;

/* A point's name in the file; strings are the caller's. */
struct result_point {
	const char *key; /* a hash of all that determines the result */
	const char *target, *build;
	const char *size; /* of a workload; otherwise NULL, and seed and address_bits are unused */
	uint64_t seed;
	unsigned address_bits;
};

enum result_state { RESULT_NONE, RESULT_DONE, RESULT_FAILED };

struct result_value {
	bool there, is_real; /* false: the point has no such metric, or it is not a number */
	int64_t count;
	double real;
	char unit[32];
};

/* Opens or creates the file. NULL and a message: it cannot be written, is locked, is another kind
 * of file (ERR_INPUT); or the program was built without SQLite (ERR_HOST). */
struct results *results_open(struct files *, const char *path, struct err *);
void results_close(struct results *); /* accepts NULL */

/* The same, closed when the arena is freed. */
struct results *results_keep(struct files *, const char *path, struct arena *, struct err *);

/* An existing file of results, which is not made; closed when the arena is freed, or
 * before by results_leave, which accepts NULL. NULL and a message: it is missing, another kind of
 * file (ERR_INPUT). */
struct results *results_existing(struct files *, const char *path, struct arena *, struct err *);
void results_leave(struct results *);

/* The path it was opened by. */
const char *results_path(const struct results *);

/* Tables (an object of arrays of rows; all rows of one have the same columns) as an SQLite file of
 * their own; all of it or nothing. An earlier file of the kind is replaced, any other refused. 0 or
 * -1. */
struct results_kind {
	const char *command; /* for messages: "warpbeam profile" */
	int64_t application; /* SQLite's application_id */
};
int results_tables(struct files *, const char *path, const struct results_kind *,
	const json_t *tables, struct err *);

/* A file of profile, or a point of one of sweep or reproduce ("FILE@POINT": the one whose key
 * begins so; without, the only one), as far as it has what run or profile write as JSON: schema,
 * program with its build, configuration, metrics and launches of a point, or the tables of a
 * profile. A new reference. NULL and a message: missing, another kind of file, several points
 * (ERR_INPUT). */
json_t *results_report(struct files *, const char *name, struct err *);

/* The state of a point in the file; of a failure with its code and messages (the caller clears
 * them; both may be NULL). 0 or -1. */
int results_look(struct results *, const char *key, enum result_state *, enum err_code *code,
	struct text *messages, struct err *);

/* Enters a finished point: the report is that of run --json, `answer` (or NULL) what results_answer
 * will return, as JSON text. A point that another sweep has finished is left unchanged; an earlier
 * failure is replaced. 0 or -1. */
int results_done(struct results *, const struct result_point *, const json_t *report,
	const char *answer, double wall_s, struct err *);

/* The same for a point that failed, with its settings as in run --json. */
int results_failed(struct results *, const struct result_point *, const json_t *configuration,
	enum err_code, const char *messages, struct err *);

/* Whether a failure would be repeated: the point determines it, not the host. */
bool results_is_final(enum err_code);

/* Removes a point. 0 or -1. */
int results_forget(struct results *, const char *key, struct err *);

/* A metric of a finished point. 0 or -1. */
int results_metric(
	struct results *, const char *key, const char *metric, struct result_value *, struct err *);

/* A setting of a point, finished or failed, that is a whole number; 0 when there is none. 0 or -1.
 */
int results_setting(
	struct results *, const char *key, const char *path, uint64_t *value, struct err *);

/* The `answer` that a finished point was entered with: a new reference, or NULL when there is none.
 * 0 or -1. */
int results_answer(struct results *, const char *key, json_t **answer, struct err *);

/* Wall time of a finished point; 0: there is none. */
double results_time_s(struct results *, const char *key);

/* Mean wall time of the finished points of a target; 0: there is none. `size` may be NULL. */
double results_mean_s(struct results *, const char *target, const char *size);

/* ---- parts: results_part.c */
/* What a shard of a sweep has finished is a file of results with one table more: the plan. */
struct results_part {
	const char *hash, *plan; /* the plan's hash and text */
	unsigned shard, shards, restart;
};

/* Makes a file without points a part; of a part of the same plan and shard nothing changes. 0, or
 * -1: it is something else (ERR_INPUT). */
int results_mark(struct results *, const struct results_part *, struct err *);

/* Reads it, texts into the arena. 0, or -1: the file is no part (ERR_INPUT). */
int results_part(struct results *, struct results_part *, struct arena *, struct err *);

/* Points of the file, and of those that another build ran. 0 or -1. */
int results_count(
	struct results *, const char *build, uint64_t *points, uint64_t *others, struct err *);

/* ---- merging: results_merge.c */
/* Changes a file in one transaction: all that the function does, or nothing. A new file gets its
 * name when it is complete. 0 or -1. */
typedef int results_change_fn(struct results *, void *ctx, struct err *);
int results_change(struct files *, const char *path, results_change_fn *, void *ctx, struct err *);

enum results_taken {
	TAKEN_NONE,     /* the other file does not have the point */
	TAKEN_NEW,      /* it is in both now */
	TAKEN_SAME,     /* both had the same, or what was there counts more */
	TAKEN_DIFFERENT /* both had it, with different results; nothing has changed */
};

/* Takes a point over from another file, inside results_change. A finished point replaces one that
 * the host or a limit stopped, a failure an earlier failure. 0 or -1. */
int results_take(struct results *, struct results *from, const char *key, enum results_taken *,
	struct err *);

/* All points of another file, inside results_change. 0, or -1: one has different results
 * (ERR_INPUT).
 */
int results_take_all(struct results *, struct results *from, struct err *);

#endif
