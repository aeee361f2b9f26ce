/* The rows of a file of results. */
#include "tests/rig/rows.h"

#ifdef HAVE_SQLITE

#include <sqlite3.h>
#include <stdio.h>

#include "core/base.h"
#include "core/text.h"

static void add_rows(sqlite3 *db, const char *table, struct text *out)
{
	char sql[80];
	sqlite3_stmt *q;

	snprintf(sql, sizeof(sql), "SELECT * FROM %s ORDER BY 1, 2", table);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &q, NULL), SQLITE_OK);
	while (sqlite3_step(q) == SQLITE_ROW) {
		text_raw(out, "%s", table);
		for (int i = 0; i < sqlite3_column_count(q); i++) {
			const unsigned char *s = sqlite3_column_text(q, i);

			text_raw(out, "|%s", s ? (const char *)s : "-");
		}
		text_raw(out, "\n");
	}
	sqlite3_finalize(q);
}

static sqlite3 *open_file(const struct desk *p, const char *name)
{
	char path[128];
	sqlite3 *db;

	snprintf(path, sizeof(path), "%s/%s", p->folder, name);
	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
	return db;
}

/* The caller clears the text. */
static struct text content(const struct desk *p, const char *name)
{
	static const char *const tables[] = {
		"points", "settings", "inputs", "metrics", "launches", "failures", "`answers`"};
	sqlite3 *db = open_file(p, name);
	struct text all = {0};

	for (size_t i = 0; i < ARRAY_LEN(tables); i++)
		add_rows(db, tables[i], &all);
	sqlite3_close(db);
	assert_false(all.failed);
	return all;
}

void assert_same_rows(const struct desk *p, const char *a, const char *b)
{
	struct text x = content(p, a), y = content(p, b);

	assert_true(x.len > 1000);
	assert_string_equal(text_str(&x), text_str(&y));
	text_clear(&x);
	text_clear(&y);
}

int rows_count(const struct desk *p, const char *name, const char *sql)
{
	sqlite3 *db = open_file(p, name);
	sqlite3_stmt *q;
	int n;

	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &q, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(q), SQLITE_ROW);
	n = sqlite3_column_int(q, 0);
	sqlite3_finalize(q);
	sqlite3_close(db);
	return n;
}

void rows_change(const struct desk *p, const char *name, const char *sql)
{
	sqlite3 *db = open_file(p, name);

	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

#endif
