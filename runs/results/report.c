/* A file of results as a report: the tables of a profile, or a point of a sweep. */
#include "runs/results/inside.h"

#ifdef HAVE_SQLITE

#include "core/base.h"
#include "runs/json.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define POINTS 0x77627377  /* "wbsw": sweep, reproduce */
#define PROFILE 0x77627072 /* "wbpr" */
#define LISTED 6           /* points in a message */

/* ---- rows */
static json_t *value_of(const struct results *r, sqlite3_stmt *q, int column, struct err *err)
{
	const char *text;

	switch (sqlite3_column_type(q, column)) {
	case SQLITE_NULL:
		return json_null();
	case SQLITE_INTEGER:
		return json_integer(sqlite3_column_int64(q, column));
	case SQLITE_FLOAT:
		return json_number(sqlite3_column_double(q, column));
	}
	text = results_text(r, q, column, err);
	return text ? json_name(text) : NULL;
}

static json_t *row_of(const struct results *r, sqlite3_stmt *q, struct err *err)
{
	json_t *row = json_object();

	for (int i = 0; i < sqlite3_column_count(q); i++)
		json_add(row, sqlite3_column_name(q, i), value_of(r, q, i, err));
	return row;
}

/* As report_json_setting has it: of a boolean the file has the word. */
static void make_booleans(json_t *settings)
{
	for (size_t i = 0; i < json_array_size(settings); i++) {
		json_t *row = json_array_get(settings, i);
		const char *s = json_string_value(json_object_get(row, "value"));

		if (s && (!strcmp(s, "true") || !strcmp(s, "false")))
			json_add(row, "value", json_boolean(!strcmp(s, "true")));
	}
}

/* All rows of a statement, whose text parameter is `a` if it has one; NULL and a message. */
static json_t *rows_of(struct results *r, const char *sql, const char *a, struct err *err)
{
	sqlite3_stmt *q = results_query(r, sql, a, NULL, err);
	json_t *rows = q ? json_array() : NULL;
	int more = q ? 1 : -1;

	while (more > 0) {
		more = results_step(r, q, err);
		if (more > 0)
			json_append(rows, row_of(r, q, err));
	}
	sqlite3_finalize(q);
	if (more == 0 && json_is_whole() && !err->code)
		return rows;
	json_decref(rows);
	if (!err->code)
		err_add(err, ERR_RESOURCE, "%s: no host memory", r->path);
	return NULL;
}

/* ---- a profile */
static bool has_table(struct results *r, const char *name)
{
	sqlite3_stmt *q = results_query(r,
		"SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", name, NULL, NULL);
	bool has = q && results_step(r, q, NULL) == 1;

	sqlite3_finalize(q);
	return has;
}

static int add_table(struct results *r, const char *name, json_t *to, struct err *err)
{
	struct text sql = {0};
	json_t *rows;

	if (!has_table(r, name))
		return 0;
	text_add(&sql, "SELECT * FROM \"%s\"", name);
	rows = rows_of(r, text_str(&sql), NULL, err);
	text_clear(&sql);
	if (rows)
		json_add(to, name, rows);
	return rows ? 0 : -1;
}

static int add_profile(struct results *r, json_t *report, struct err *err)
{
	static const char *const tables[] = {
		"total", "kernels", "kernel_metrics", "lines", "buffers", "sms", "channels"};
	json_t *profile = json_object();
	int bad = 0;

	json_add(report, "profile", profile);
	for (unsigned i = 0; i < ARRAY_LEN(tables) && !bad; i++)
		bad = add_table(r, tables[i], profile, err);
	if (!bad && !json_array_size(json_object_get(profile, "total")))
		bad = err_add(err, ERR_INPUT, "%s: has no run", r->path);
	if (bad || add_table(r, "configuration", report, err) ||
		add_table(r, "program", report, err))
		return -1;
	make_booleans(json_object_get(report, "configuration"));
	return 0;
}

/* A table of one row is an object of the report. */
static void make_object(json_t *report, const char *name)
{
	json_t *row = json_array_get(json_object_get(report, name), 0);

	if (row)
		json_add(report, name, json_incref(row));
}

/* ---- a point */
/* "KEY (TARGET SETTING=VALUE ..)", of the settings in which points differ. */
#define POINT_LIST \
	"SELECT substr(p.point, 1, 8) || ' (' || p.target || coalesce(' ' || " \
	"group_concat(s.path || '=' || s.value, ' '), '') || ')' AS words " \
	"FROM points p LEFT JOIN settings s ON s.point = p.point AND s.path IN " \
	"(SELECT path FROM settings GROUP BY path HAVING count(DISTINCT value) > 1) " \
	"WHERE substr(p.point, 1, length(?1)) = ?1 " \
	"GROUP BY p.point ORDER BY p.target, words"

static int which_point(struct results *r, const json_t *points, const char *start, struct err *err)
{
	size_t n = json_array_size(points);
	struct text words = {0};

	for (size_t i = 0; i < n && i < LISTED; i++)
		text_add(&words, "%s%s", i ? ", " : "",
			json_string_value(json_object_get(json_array_get(points, i), "words")));
	if (n > LISTED)
		text_add(&words, " and %zu more", n - LISTED);
	err_add(err, ERR_INPUT, "%s: has %zu runs%s%s: choose one as %s@POINT: %s", r->path, n,
		*start ? " whose point begins with " : "", start, r->path, text_str(&words));
	text_clear(&words);
	return -1;
}

/* The one point whose key begins so; NULL and a message. */
static json_t *find_point(struct results *r, const char *start, struct err *err)
{
	json_t *points = rows_of(r, POINT_LIST, start, err), *found;

	if (!points)
		return NULL;
	if (json_array_size(points) > 1)
		which_point(r, points, start, err);
	else if (!json_array_size(points))
		err_add(err, ERR_INPUT,
			*start ? "%s: has no run whose point begins with %s" : "%s: has no run",
			r->path, start);
	json_decref(points);
	if (err->code)
		return NULL;
	found = rows_of(r,
		"SELECT point, target, size, build, status FROM points "
		"WHERE substr(point, 1, length(?1)) = ?1",
		start, err);
	points = found ? json_incref(json_array_get(found, 0)) : NULL;
	json_decref(found);
	return points;
}

static const char *word(const json_t *row, const char *name)
{
	const char *s = json_string_value(json_object_get(row, name));

	return s ? s : "";
}

static json_t *metrics_of(const json_t *rows)
{
	json_t *metrics = json_object();

	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *row = json_array_get(rows, i);
		json_t *metric = json_object();

		json_add(metric, "value", json_incref(json_object_get(row, "value")));
		json_add(metric, "unit", json_incref(json_object_get(row, "unit")));
		json_add(metrics, word(row, "name"), metric);
	}
	return metrics;
}

static int add_point(struct results *r, const json_t *point, json_t *report, struct err *err)
{
	const char *key = word(point, "point");
	json_t *program = json_object(), *metrics, *settings, *launches;

	json_add(program, "build", json_name(word(point, "build")));
	json_add(report, "program", program);
	if (strcmp(word(point, "status"), "done") != 0)
		return err_add(err, ERR_INPUT, "%s: the run %s (%s) failed, and has no results",
			r->path, key, word(point, "target"));
	metrics = rows_of(r, "SELECT name, value, unit FROM metrics WHERE point = ?", key, err);
	settings = rows_of(r, "SELECT path, value, unit FROM settings WHERE point = ?", key, err);
	launches = rows_of(r, "SELECT * FROM launches WHERE point = ?", key, err);
	if (metrics)
		json_add(report, "metrics", metrics_of(metrics));
	make_booleans(settings);
	if (settings)
		json_add(report, "configuration", json_incref(settings));
	if (launches)
		json_add(report, "launches", json_incref(launches));
	json_decref(metrics);
	json_decref(settings);
	json_decref(launches);
	return metrics && settings && launches ? 0 : -1;
}

/* ---- the file */
static int read_file(struct results *r, const char *start, json_t *report, struct err *err)
{
	int64_t application, version;
	json_t *point;
	int bad;

	if (results_read_whole(r, "PRAGMA application_id", &application, err) ||
		results_read_whole(r, "PRAGMA user_version", &version, err))
		return -1;
	if (application != POINTS && application != PROFILE)
		return err_add(err, ERR_INPUT,
			"%s: is an SQLite file, but not one of profile, sweep or reproduce",
			r->path);
	if (version != (application == POINTS ? RESULTS_VERSION : RESULTS_TABLES_VERSION))
		return err_add(err, ERR_INPUT,
			"%s: was written by another version: its tables are of version %lld, ours "
			"of version %d",
			r->path, (long long)version,
			application == POINTS ? RESULTS_VERSION : RESULTS_TABLES_VERSION);
	if (application == PROFILE && *start)
		return err_add(err, ERR_INPUT, "%s@%s: a profile has one run, without a point",
			r->path, start);
	if (application == PROFILE) {
		bad = add_profile(r, report, err);
		make_object(report, "program");
		return bad;
	}
	point = find_point(r, start, err);
	bad = point ? add_point(r, point, report, err) : -1;
	json_decref(point);
	return bad;
}

static json_t *report_of(struct results *r, const char *start, struct err *err)
{
	json_t *report = json_object();

	json_add(report, "schema", json_integer(1));
	if (!read_file(r, start, report, err) && json_is_whole())
		return report;
	json_decref(report);
	if (!err->code)
		err_add(err, ERR_RESOURCE, "%s: no host memory", r->path);
	return NULL;
}

json_t *results_report(struct files *files, const char *name, struct err *err)
{
	const char *at = access(name, F_OK) ? strrchr(name, '@') : NULL;
	struct results r = {.path = mem_strdup(name)};
	json_t *report = NULL;
	struct stat st;

	if (at && r.path)
		r.path[at - name] = '\0';

	if (!r.path)
		err_add(err, ERR_RESOURCE, "no host memory for %s", name);
	else if (stat(r.path, &st) || access(r.path, R_OK))
		err_add(err, ERR_INPUT, "%s: cannot be read: %s", r.path, strerror(errno));
	else if (!files_read(files, r.path, &st, err) && !results_look_at(&r, r.path, err))
		report = report_of(&r, at ? at + 1 : "", err);
	sqlite3_close(r.db);
	mem_free(r.path);
	return report;
}

#else

json_t *results_report(struct files *files, const char *name, struct err *err)
{
	(void)files;
	err_add(err, ERR_HOST, "%s: this build is without SQLite", name);
	return NULL;
}

#endif
