/* A sweep's file of results (SQLite): points, their settings, inputs, metrics, launches and
 * failures. doc/guide.md, section 9, describes the tables. A point is written in one transaction:
 * the file has all of it or nothing, also after a crash or a full disk. */
#ifndef RUNS_RESULTS_H
#define RUNS_RESULTS_H

#include "core/err.h"
#include "core/files.h"
#include "core/mem.h"
#include "core/text.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

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

/* Mean wall time of the finished points of a target; 0: there is none. `size` may be NULL. */
double results_mean_s(struct results *, const char *target, const char *size);

#endif
