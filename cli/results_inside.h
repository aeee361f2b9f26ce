/* Private to results.c and results_write.c: the open file and its statements. */
#ifndef CLI_RESULTS_INSIDE_H
#define CLI_RESULTS_INSIDE_H

#include "cli/results.h"

#ifdef HAVE_SQLITE

#include "core/file.h"

#include <sqlite3.h>

struct results {
	sqlite3 *db;
	char *path;
};

/* Tells what SQLite says; -1. */
int results_tell(const struct results *, struct err *);

/* Opens the SQLite file of that path, which need not be the one that messages name. 0 or -1; the
 * owner closes db in any case. */
int results_connect(struct results *, const char *path, struct err *);

/* Fills a new SQLite file where `out` writes, which appears when that went well: a disk that is
 * full leaves nothing. Both are closed then. 0 or -1. */
typedef int results_fill_fn(struct results *, void *ctx, struct err *);
int results_new(struct results *, struct file_out *, results_fill_fn *, void *ctx, struct err *);

/* Runs statements without values. 0 or -1 with a message. */
int results_exec(struct results *, const char *sql, struct err *);

/* A statement whose first values are texts; NULL and a message when it cannot be made. */
sqlite3_stmt *results_query(
	struct results *, const char *sql, const char *a, const char *b, struct err *);

#endif
#endif
