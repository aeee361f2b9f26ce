/* Taking points over from one file of results into another, in one transaction. */
#include "runs/results/inside.h"

#ifdef HAVE_SQLITE

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SQL_ROOM 160
#define COLUMNS_MOST 32

/* ---- the transaction */
struct change {
	results_change_fn *act;
	void *ctx;
};

static int change(struct results *r, void *ctx, struct err *err)
{
	const struct change *c = ctx;

	if (results_prepare(r, err) || results_exec(r, "BEGIN IMMEDIATE", err))
		return -1;
	if (!c->act(r, c->ctx, err) && !results_exec(r, "COMMIT", err))
		return 0;
	sqlite3_exec(r->db, "ROLLBACK", NULL, NULL, NULL);
	return -1;
}

static int change_existing(struct files *files, const char *path, struct change *c, struct err *err)
{
	struct results r = {.path = (char *)path};
	int bad = files_write(files, NULL, path, err) || results_connect(&r, path, err) ||
		  change(&r, c, err);

	sqlite3_close(r.db);
	return bad ? -1 : 0;
}

/* Sets `ours` unless another process made the file first, which is kept. */
static int change_new(
	struct results *r, struct file_out *out, struct change *c, bool *ours, struct err *err)
{
	struct stat made, there;
	const char *path = r->path;
	bool known = !stat(out->beside, &made);

	out->yields = true;
	if (results_new(r, out, change, c, err))
		return -1;
	*ours = known && !stat(path, &there) && there.st_dev == made.st_dev &&
		there.st_ino == made.st_ino;
	return 0;
}

int results_change(
	struct files *files, const char *path, results_change_fn *act, void *ctx, struct err *err)
{
	struct change c = {act, ctx};
	struct results r = {.path = (char *)path};
	struct file_out out = {.files = files};
	bool ours = false;

	if (access(path, F_OK)) {
		if (file_begin(&out, path, err))
			return -1;
		if (!out.beside)
			file_abandon(&out);
		else if (change_new(&r, &out, &c, &ours, err))
			return -1;
		if (ours)
			return 0;
	}
	return change_existing(files, path, &c, err);
}

/* ---- rows */
static sqlite3_stmt *rows_of(struct results *r, const char *table, const char *key, struct err *err)
{
	char sql[SQL_ROOM];

	snprintf(sql, sizeof(sql), "SELECT * FROM %s WHERE point = ? ORDER BY 1, 2", table);
	return results_query(r, sql, key, NULL, err);
}

static bool same_value(sqlite3_stmt *a, sqlite3_stmt *b, int i)
{
	int type = sqlite3_column_type(a, i), bytes;
	double x, y;

	if (type != sqlite3_column_type(b, i))
		return false;
	switch (type) {
	case SQLITE_INTEGER:
		return sqlite3_column_int64(a, i) == sqlite3_column_int64(b, i);
	case SQLITE_FLOAT:
		x = sqlite3_column_double(a, i);
		y = sqlite3_column_double(b, i);
		return !memcmp(&x, &y, sizeof(x));
	case SQLITE_NULL:
		return true;
	}
	bytes = sqlite3_column_bytes(a, i);
	if (bytes != sqlite3_column_bytes(b, i))
		return false;
	return !bytes ||
	       !memcmp(sqlite3_column_blob(a, i), sqlite3_column_blob(b, i), (size_t)bytes);
}

static bool same_row(sqlite3_stmt *a, sqlite3_stmt *b)
{
	int n = sqlite3_column_count(a);

	for (int i = 0; i < n; i++)
		if (!same_value(a, b, i))
			return false;
	return n == sqlite3_column_count(b);
}

/* 1: all rows are the same, 0: not; -1. */
static int compare_rows(
	struct results *x, sqlite3_stmt *a, struct results *y, sqlite3_stmt *b, struct err *err)
{
	for (;;) {
		int in_a = results_step(x, a, err), in_b = results_step(y, b, err);

		if (in_a < 0 || in_b < 0)
			return -1;
		if (in_a != in_b)
			return 0;
		if (!in_a || !same_row(a, b))
			return !in_a;
	}
}

/* The point in all tables but the times. */
static int compare(struct results *x, struct results *y, const char *key, struct err *err)
{
	int same = 1;

	for (unsigned i = 0; same == 1 && strcmp(results_table_names[i], "times"); i++) {
		sqlite3_stmt *a = rows_of(x, results_table_names[i], key, err);
		sqlite3_stmt *b = rows_of(y, results_table_names[i], key, err);

		same = a && b ? compare_rows(x, a, y, b, err) : -1;
		sqlite3_finalize(a);
		sqlite3_finalize(b);
	}
	return same;
}

static void bind_value(struct results *r, sqlite3_stmt *q, int at, sqlite3_value *v)
{
	r->refused |= sqlite3_bind_value(q, at, v) != SQLITE_OK;
}

static sqlite3_stmt *insertion(struct results *r, const char *table, int columns, struct err *err)
{
	char sql[SQL_ROOM];
	int n = snprintf(sql, sizeof(sql), "INSERT INTO %s VALUES (?", table);

	while (--columns > 0)
		n += snprintf(sql + n, sizeof(sql) - (size_t)n, ", ?");
	snprintf(sql + n, sizeof(sql) - (size_t)n, ")");
	return results_query(r, sql, NULL, NULL, err);
}

static int copy_table(struct results *into, struct results *from, const char *table,
	const char *key, struct err *err)
{
	sqlite3_stmt *rows = rows_of(from, table, key, err), *q;
	int n = rows ? sqlite3_column_count(rows) : 0, row = -1;

	if (n > COLUMNS_MOST)
		err_add(err, ERR_INPUT, "%s: is damaged: the table %s", from->path, table);
	q = rows && n <= COLUMNS_MOST ? insertion(into, table, n, err) : NULL;
	while (q && (row = results_step(from, rows, err)) == 1) {
		for (int i = 0; i < n; i++)
			bind_value(into, q, i + 1, sqlite3_column_value(rows, i));
		row = results_enter(into, q, err);
		if (row)
			break;
	}
	sqlite3_finalize(q);
	sqlite3_finalize(rows);
	return row;
}

static int copy(struct results *into, struct results *from, const char *key, struct err *err)
{
	int bad = results_take_out(into, key, err);

	for (unsigned i = 0; results_table_names[i] && !bad; i++)
		bad = copy_table(into, from, results_table_names[i], key, err);
	return bad;
}

/* ---- points */
struct seen {
	enum result_state state;
	enum err_code code;
};

/* Whether it could end otherwise another time. */
static bool is_open(const struct seen *s)
{
	return s->state == RESULT_FAILED && (!results_is_final(s->code) || s->code == ERR_LIMIT);
}

int results_take(struct results *into, struct results *from, const char *key,
	enum results_taken *taken, struct err *err)
{
	struct seen here = {RESULT_NONE, ERR_NONE}, there = here;
	int same;

	*taken = TAKEN_NONE;
	if (results_look(from, key, &there.state, &there.code, NULL, err) ||
		results_look(into, key, &here.state, &here.code, NULL, err))
		return -1;
	if (there.state == RESULT_NONE)
		return 0;
	*taken = TAKEN_NEW;
	if (here.state == RESULT_NONE || is_open(&here))
		return copy(into, from, key, err);
	*taken = TAKEN_SAME;
	if (is_open(&there))
		return 0;
	same = compare(into, from, key, err);
	if (!same)
		*taken = TAKEN_DIFFERENT;
	return same < 0 ? -1 : 0;
}

int results_take_all(struct results *into, struct results *from, struct err *err)
{
	sqlite3_stmt *q = results_query(from, "SELECT point, target FROM points", NULL, NULL, err);
	enum results_taken taken;
	int row = -1;

	while (q && (row = results_step(from, q, err)) == 1) {
		const char *key = results_text(from, q, 0, err);

		if (!key || results_take(into, from, key, &taken, err)) {
			row = -1;
			break;
		}
		if (taken != TAKEN_DIFFERENT)
			continue;
		row = err_add(err, ERR_INPUT, "%s: a point of %s (%s) has other results than in %s",
			from->path, results_text(from, q, 1, NULL), key, into->path);
		break;
	}
	sqlite3_finalize(q);
	return row;
}

#else

int results_take_all(struct results *into, struct results *from, struct err *err)
{
	(void)into, (void)from, (void)err;
	return -1;
}

int results_change(
	struct files *files, const char *path, results_change_fn *act, void *ctx, struct err *err)
{
	(void)act, (void)ctx;
	return results_open(files, path, err) ? 0 : -1;
}

int results_take(struct results *into, struct results *from, const char *key,
	enum results_taken *taken, struct err *err)
{
	(void)into, (void)from, (void)key, (void)err;
	*taken = TAKEN_NONE;
	return -1;
}

#endif
