/* Tables as an SQLite file, in one transaction: all of them, or the file is unchanged. */
#include "runs/results/inside.h"

#ifdef HAVE_SQLITE

#include <string.h>
#include <unistd.h>

/* What is written, and by which command. */
struct filling {
	const struct results_kind *kind;
	const json_t *tables;
};

/* ---- the file must be empty, or of the same kind */
static int admit(struct results *r, const struct results_kind *kind, struct err *err)
{
	int64_t application, tables;

	if (results_read_whole(r, "PRAGMA application_id", &application, err) ||
		results_read_whole(r, "SELECT count(*) FROM sqlite_master", &tables, err))
		return -1;
	if (tables && application != kind->application)
		return err_add(err, ERR_INPUT, "%s: is an SQLite file, but not one of %s", r->path,
			kind->command);
	return 0;
}

/* ---- tables */
/* A statement in a text, which is cleared. */
static int run(struct results *r, struct text *sql, struct err *err)
{
	int bad = sql->failed ? err_add(err, ERR_RESOURCE, "%s: no host memory", r->path)
			      : results_exec(r, text_str(sql), err);

	text_clear(sql);
	return bad;
}

static const char *type_of(const json_t *value)
{
	return json_is_integer(value) ? " INTEGER"
	       : json_is_real(value)  ? " REAL"
	       : json_is_null(value)  ? ""
				      : " TEXT";
}

/* None where rows differ in it, so that each value stays what it is. */
static const char *common_type(const json_t *rows, const char *name)
{
	const char *type = "";

	for (size_t i = 0; i < json_array_size(rows); i++) {
		const char *own = type_of(json_object_get(json_array_get(rows, i), name));

		if (*type && *own && strcmp(type, own) != 0)
			return "";
		type = *own ? own : type;
	}
	return type;
}

static void column(const char *name, const char *type, bool first, struct text *sql)
{
	text_add(sql, "%s\"%s\"%s", first ? "" : ", ", name, type);
}

static int create(struct results *r, const char *table, json_t *rows, struct err *err)
{
	struct text sql = {0};
	bool first = true;
	const char *name;
	json_t *value;

	text_add(&sql, "CREATE TABLE \"%s\" (", table);
	json_object_foreach(json_array_get(rows, 0), name, value)
	{
		column(name, common_type(rows, name), first, &sql);
		first = false;
	}
	text_add(&sql, ")");
	return run(r, &sql, err);
}

static sqlite3_stmt *insertion(
	struct results *r, const char *table, size_t columns, struct err *err)
{
	struct text sql = {0};
	sqlite3_stmt *q = NULL;

	text_add(&sql, "INSERT INTO \"%s\" VALUES (", table);
	for (size_t i = 0; i < columns; i++)
		text_add(&sql, "%s?", i ? ", " : "");
	text_add(&sql, ")");
	if (sql.failed)
		err_add(err, ERR_RESOURCE, "%s: no host memory", r->path);
	else
		q = results_query(r, text_str(&sql), NULL, NULL, err);
	text_clear(&sql);
	return q;
}

static int insert(struct results *r, sqlite3_stmt *q, json_t *row, struct err *err)
{
	const char *name;
	json_t *value;
	int at = 1;

	json_object_foreach(row, name, value)
	{
		if (json_is_integer(value))
			results_bind_whole(r, q, at++, json_integer_value(value));
		else if (json_is_real(value))
			results_bind_real(r, q, at++, json_real_value(value));
		else if (json_is_string(value))
			results_bind_text(r, q, at++, json_string_value(value));
		else if (json_is_boolean(value))
			results_bind_text(r, q, at++, json_is_true(value) ? "true" : "false");
		else
			results_bind_null(r, q, at++);
	}
	return results_enter(r, q, err);
}

/* The tables of an earlier file. */
static int drop(struct results *r, const char *table, struct err *err)
{
	struct text sql = {0};

	text_add(&sql, "DROP TABLE IF EXISTS \"%s\"", table);
	return run(r, &sql, err);
}

static int write_table(struct results *r, const char *name, json_t *rows, struct err *err)
{
	json_t *first = json_array_get(rows, 0);
	sqlite3_stmt *q;
	int bad = 0;

	if (drop(r, name, err))
		return -1;
	if (!first)
		return 0;
	if (create(r, name, rows, err))
		return -1;
	q = insertion(r, name, json_object_size(first), err);
	if (!q)
		return -1;
	for (size_t i = 0; i < json_array_size(rows) && !bad; i++)
		bad = insert(r, q, json_array_get(rows, i), err);
	sqlite3_finalize(q);
	return bad;
}

static int mark(struct results *r, const struct results_kind *kind, struct err *err)
{
	struct text sql = {0};

	text_add(&sql, "PRAGMA application_id = %lld; PRAGMA user_version = %d; COMMIT",
		(long long)kind->application, RESULTS_TABLES_VERSION);
	return run(r, &sql, err);
}

static int write_all(struct results *r, const struct filling *f, struct err *err)
{
	const char *name;
	json_t *rows;

	if (results_exec(r, "BEGIN IMMEDIATE", err) || admit(r, f->kind, err))
		return -1;
	json_object_foreach((json_t *)f->tables, name, rows)
	{
		if (write_table(r, name, rows, err))
			return -1;
	}
	return mark(r, f->kind, err);
}

static int fill(struct results *r, void *ctx, struct err *err)
{
	return write_all(r, ctx, err);
}

int results_tables(struct files *files, const char *path, const struct results_kind *kind,
	const json_t *tables, struct err *err)
{
	struct filling f = {kind, tables};
	struct results r = {.path = (char *)path};
	struct file_out out = {.files = files};
	int bad;

	if (access(path, F_OK)) {
		if (file_begin(&out, path, err))
			return -1;
		if (out.beside)
			return results_new(&r, &out, fill, &f, err);
		file_abandon(&out);
	}
	bad = files_write(files, NULL, path, err) || results_connect(&r, path, err) ||
	      write_all(&r, &f, err);
	if (bad && r.db)
		sqlite3_exec(r.db, "ROLLBACK", NULL, NULL, NULL);
	sqlite3_close(r.db);
	return bad ? -1 : 0;
}

#else

int results_tables(struct files *files, const char *path, const struct results_kind *kind,
	const json_t *tables, struct err *err)
{
	(void)files, (void)kind, (void)tables;
	return err_add(err, ERR_HOST, "%s: this build is without SQLite", path);
}

#endif
