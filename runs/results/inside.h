/* Private to results.c and results_write.c: the open file and its statements. */
#ifndef RUNS_RESULTS_INSIDE_H
#define RUNS_RESULTS_INSIDE_H

#include "runs/results/results.h"

#ifdef HAVE_SQLITE

#include "core/file.h"

#include <sqlite3.h>

struct results {
	sqlite3 *db;
	char *path;
	bool refused; /* a value bound since the last results_query was refused because memory was
			 short */
};

/* Adds SQLite's message; -1. */
int results_tell(const struct results *, struct err *);

/* Opens the SQLite file of that path, which need not be the one that messages name. 0 or -1; the
 * owner closes db in any case. */
int results_connect(struct results *, const char *path, struct err *);

/* The same without writing. */
int results_look_at(struct results *, const char *path, struct err *);

/* Fills a new SQLite file, which gets its name on success: a full disk leaves nothing. Both are
 * closed then. 0 or -1. */
typedef int results_fill_fn(struct results *, void *ctx, struct err *);
int results_new(struct results *, struct file_out *, results_fill_fn *, void *ctx, struct err *);

/* Opens the file, which need not be the one that messages name, if it is there; it must be one of
 * results then. 0 or -1; the owner closes db in any case. */
int results_reach(struct results *, const char *path, struct err *);

/* Whether the file is warpbeam's, of this version; an empty one gets its tables. 0 or -1. */
int results_prepare(struct results *, struct err *);

/* All tables of points, ended by NULL: points first, times last. */
extern const char *const results_table_names[];

/* Deletes all rows of a point. 0 or -1. */
int results_take_out(struct results *, const char *key, struct err *);

/* Runs statements without values. 0 or -1 with a message. */
int results_exec(struct results *, const char *sql, struct err *);

/* A statement whose first values are texts; NULL and a message when it cannot be made. One is
 * filled at a time. */
sqlite3_stmt *results_query(
	struct results *, const char *sql, const char *a, const char *b, struct err *);

/* The statement's values, which must live until its last step, except those that are copied. If one
 * is refused, the step fails. */
void results_bind_text(struct results *, sqlite3_stmt *, int at, const char *);
void results_bind_copy(struct results *, sqlite3_stmt *, int at, const char *);
void results_bind_whole(struct results *, sqlite3_stmt *, int at, int64_t);
void results_bind_real(struct results *, sqlite3_stmt *, int at, double);
void results_bind_null(struct results *, sqlite3_stmt *, int at);

/* The next row: 1 a row, 0 the end, -1 and a message. */
int results_step(struct results *, sqlite3_stmt *, struct err *);

/* Runs a statement that returns no row, which can then be filled again. 0 or -1 with a message. */
int results_enter(struct results *, sqlite3_stmt *, struct err *);

/* A text of the row, "" where there is none; lives until the next step. NULL and a message when
 * memory is short. */
const char *results_text(const struct results *, sqlite3_stmt *, int column, struct err *);

/* The first value of the first row, 0 when there is none. 0 or -1 with a message. */
int results_read_whole(struct results *, const char *sql, int64_t *out, struct err *);

#endif
#endif
