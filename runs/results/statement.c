/* SQLite's statements, with every return code checked: messages, bound values, results. */
#include "runs/results/inside.h"

#ifdef HAVE_SQLITE

#include <string.h>

/* ---- messages */
static int tell_host(const struct results *r, const char *what, struct err *err)
{
	return err_add(err, ERR_HOST, "%s: %s", r->path, what);
}

int results_tell(const struct results *r, struct err *err)
{
	int code = sqlite3_errcode(r->db) & 0xff, host = sqlite3_system_errno(r->db);

	switch (code) {
	case SQLITE_NOMEM:
		return err_add(err, ERR_RESOURCE, "%s: no host memory", r->path);
	case SQLITE_FULL:
		return tell_host(r, "the disk is full", err);
	case SQLITE_BUSY:
		return tell_host(r, "another program keeps it locked", err);
	case SQLITE_NOTADB:
		return err_add(err, ERR_INPUT, "%s: is not an SQLite file", r->path);
	case SQLITE_CORRUPT:
		return err_add(
			err, ERR_INPUT, "%s: is damaged: %s", r->path, sqlite3_errmsg(r->db));
	case SQLITE_CANTOPEN:
	case SQLITE_IOERR:
		return err_add(err, ERR_HOST, "%s: %s%s%s", r->path,
			code == SQLITE_IOERR ? "cannot be written or read" : "cannot be opened",
			host ? ": " : "", host ? strerror(host) : "");
	}
	return tell_host(r, sqlite3_errmsg(r->db), err);
}

/* ---- statements */
int results_exec(struct results *r, const char *sql, struct err *err)
{
	return sqlite3_exec(r->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : results_tell(r, err);
}

sqlite3_stmt *results_query(
	struct results *r, const char *sql, const char *a, const char *b, struct err *err)
{
	sqlite3_stmt *q;

	r->refused = false;
	if (sqlite3_prepare_v2(r->db, sql, -1, &q, NULL) != SQLITE_OK) {
		results_tell(r, err);
		return NULL;
	}
	if (a)
		results_bind_text(r, q, 1, a);
	if (b)
		results_bind_text(r, q, 2, b);
	return q;
}

int results_step(struct results *r, sqlite3_stmt *q, struct err *err)
{
	int code = r->refused ? SQLITE_NOMEM : sqlite3_step(q);

	if (r->refused)
		return err_add(err, ERR_RESOURCE, "%s: no host memory", r->path);
	if (code == SQLITE_ROW)
		return 1;
	return code == SQLITE_DONE ? 0 : results_tell(r, err);
}

int results_enter(struct results *r, sqlite3_stmt *q, struct err *err)
{
	int bad = results_step(r, q, err);

	sqlite3_reset(q); /* returns the step's error again */
	return bad;
}

/* ---- values: only memory can be short, because all of them are small */
void results_bind_text(struct results *r, sqlite3_stmt *q, int at, const char *s)
{
	r->refused |= sqlite3_bind_text(q, at, s, -1, SQLITE_STATIC) != SQLITE_OK;
}

void results_bind_copy(struct results *r, sqlite3_stmt *q, int at, const char *s)
{
	r->refused |= sqlite3_bind_text(q, at, s, -1, SQLITE_TRANSIENT) != SQLITE_OK;
}

void results_bind_whole(struct results *r, sqlite3_stmt *q, int at, int64_t v)
{
	r->refused |= sqlite3_bind_int64(q, at, v) != SQLITE_OK;
}

void results_bind_real(struct results *r, sqlite3_stmt *q, int at, double v)
{
	r->refused |= sqlite3_bind_double(q, at, v) != SQLITE_OK;
}

void results_bind_null(struct results *r, sqlite3_stmt *q, int at)
{
	r->refused |= sqlite3_bind_null(q, at) != SQLITE_OK;
}

const char *results_text(const struct results *r, sqlite3_stmt *q, int column, struct err *err)
{
	bool null = sqlite3_column_type(q, column) == SQLITE_NULL;
	const char *text = (const char *)sqlite3_column_text(q, column);

	if (!text && !null)
		err_add(err, ERR_RESOURCE, "%s: no host memory", r->path);
	return text || !null ? text : "";
}

int results_read_whole(struct results *r, const char *sql, int64_t *out, struct err *err)
{
	sqlite3_stmt *q = results_query(r, sql, NULL, NULL, err);
	int row = q ? results_step(r, q, err) : -1;

	*out = row == 1 ? sqlite3_column_int64(q, 0) : 0;
	sqlite3_finalize(q);
	return row < 0 ? -1 : 0;
}

#endif
