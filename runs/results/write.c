/* Writing points into a file of results, each in one transaction. */
#include "runs/results/inside.h"

#ifdef HAVE_SQLITE

#include "core/base.h"
#include "runs/json.h"
#include "runs/output.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A number that JSON has as a string (json_whole) is a number here. */
static void bind_string(struct results *r, sqlite3_stmt *q, int at, const char *s)
{
	char *end;
	long long v;

	errno = 0;
	v = strtoll(s, &end, 10);
	if (strlen(s) > 15 && !*end && !errno)
		results_bind_whole(r, q, at, v);
	else
		results_bind_text(r, q, at, s);
}

static void bind_json(struct results *r, sqlite3_stmt *q, int at, const json_t *v)
{
	switch (v ? json_typeof(v) : JSON_NULL) {
	case JSON_INTEGER:
		results_bind_whole(r, q, at, json_integer_value(v));
		break;
	case JSON_REAL:
		results_bind_real(r, q, at, json_real_value(v));
		break;
	case JSON_STRING:
		bind_string(r, q, at, json_string_value(v));
		break;
	case JSON_TRUE:
	case JSON_FALSE:
		results_bind_text(r, q, at, json_is_true(v) ? "true" : "false");
		break;
	default:
		results_bind_null(r, q, at);
	}
}

/* ---- the rows of a point */
static int add_point(
	struct results *r, const struct result_point *p, const char *status, struct err *err)
{
	sqlite3_stmt *q = results_query(
		r, "INSERT INTO points VALUES (?, ?, ?, ?, ?, ?, ?)", p->key, p->target, err);
	char seed[24];
	int bad;

	if (!q)
		return -1;
	snprintf(seed, sizeof(seed), "%" PRIu64, p->seed);
	if (p->size) {
		results_bind_text(r, q, 3, p->size);
		results_bind_text(r, q, 4, seed);
		results_bind_whole(r, q, 5, p->address_bits);
	}
	results_bind_text(r, q, 6, p->build);
	results_bind_text(r, q, 7, status);
	bad = results_enter(r, q, err);
	sqlite3_finalize(q);
	return bad;
}

/* A row for each element of the array: the point, then its members of those names. */
static int add_list(struct results *r, const char *key, const char *sql, const json_t *list,
	const char *const *members, struct err *err)
{
	sqlite3_stmt *q = results_query(r, sql, key, NULL, err);
	int bad = q ? 0 : -1;
	const json_t *j;
	size_t i;

	json_array_foreach(list, i, j)
	{
		for (int k = 0; members[k] && !bad; k++)
			bind_json(r, q, k + 2, json_object_get(j, members[k]));
		bad = bad ? bad : results_enter(r, q, err);
	}
	sqlite3_finalize(q);
	return bad;
}

static int add_settings(
	struct results *r, const char *key, const json_t *configuration, struct err *err)
{
	static const char *const members[] = {"path", "value", "unit", NULL};

	return add_list(
		r, key, "INSERT INTO settings VALUES (?, ?, ?, ?)", configuration, members, err);
}

static int add_metrics(struct results *r, const char *key, json_t *metrics, struct err *err)
{
	sqlite3_stmt *q =
		results_query(r, "INSERT INTO metrics VALUES (?, ?, ?, ?)", key, NULL, err);
	int bad = q ? 0 : -1;
	const char *name;
	json_t *m;

	json_object_foreach(metrics, name, m)
	{
		if (bad)
			break;
		results_bind_text(r, q, 2, name);
		bind_json(r, q, 3, json_object_get(m, "value"));
		bind_json(r, q, 4, json_object_get(m, "unit"));
		bad = results_enter(r, q, err);
	}
	sqlite3_finalize(q);
	return bad;
}

/* "64x4x1" */
static void bind_dims(struct results *r, sqlite3_stmt *q, int at, const json_t *d)
{
	char words[64];

	snprintf(words, sizeof(words), "%lldx%lldx%lld",
		(long long)json_integer_value(json_array_get(d, 0)),
		(long long)json_integer_value(json_array_get(d, 1)),
		(long long)json_integer_value(json_array_get(d, 2)));
	results_bind_copy(r, q, at, words);
}

static int add_launches(struct results *r, const char *key, const json_t *launches, struct err *err)
{
	static const char *const columns[] = {"kernel", "file", "grid", "block", "stream", "ctas",
		"timed_ctas", "ctas_per_sm", "sm_register_bytes", "sm_shared_bytes",
		"sm_cache_bytes", "registers", "max_live_registers", "shared_bytes", "local_bytes",
		"start_cycle", "end_cycle", "warp_instructions", "dram_read_bytes",
		"dram_write_bytes", "flushed_bytes", "l2_sectors_read", "l2_sectors_hit"};
	sqlite3_stmt *q = results_query(r,
		"INSERT INTO launches VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
		"?, "
		"?, ?, ?, ?, ?, ?, ?)",
		key, NULL, err);
	int bad = q ? 0 : -1;

	for (size_t i = 0; i < json_array_size(launches) && !bad; i++) {
		const json_t *l = json_array_get(launches, i);

		results_bind_whole(r, q, 2, (int64_t)i);
		for (size_t k = 0; k < ARRAY_LEN(columns); k++) {
			const json_t *v = json_object_get(l, columns[k]);

			if (json_is_array(v))
				bind_dims(r, q, (int)k + 3, v);
			else
				bind_json(r, q, (int)k + 3, v);
		}
		bad = results_enter(r, q, err);
	}
	sqlite3_finalize(q);
	return bad;
}

static int add_time(struct results *r, const char *key, double wall_s, struct err *err)
{
	sqlite3_stmt *q = results_query(r, "INSERT INTO times VALUES (?, ?)", key, NULL, err);
	int bad;

	if (!q)
		return -1;
	results_bind_real(r, q, 2, wall_s);
	bad = results_enter(r, q, err);
	sqlite3_finalize(q);
	return bad;
}

static int add_failure(struct results *r, const char *key, enum err_code code, const char *messages,
	struct err *err)
{
	sqlite3_stmt *q =
		results_query(r, "INSERT INTO failures VALUES (?, ?, ?, ?)", key, NULL, err);
	int bad;

	if (!q)
		return -1;
	results_bind_whole(r, q, 2, code);
	results_bind_text(r, q, 3, exit_codes[code].name);
	results_bind_text(r, q, 4, messages);
	bad = results_enter(r, q, err);
	sqlite3_finalize(q);
	return bad;
}

/* ---- transactions */
const char *const results_table_names[] = {"points", "settings", "inputs", "metrics", "launches",
	"failures", "`answers`", "times", NULL};

int results_take_out(struct results *r, const char *key, struct err *err)
{
	for (size_t i = 0; results_table_names[i]; i++) {
		char sql[64];
		sqlite3_stmt *q;
		int bad;

		snprintf(
			sql, sizeof(sql), "DELETE FROM %s WHERE point = ?", results_table_names[i]);
		q = results_query(r, sql, key, NULL, err);
		bad = q ? results_enter(r, q, err) : -1;
		sqlite3_finalize(q);
		if (bad)
			return -1;
	}
	return 0;
}

/* Starts the point's transaction. 1: continue; 0: another sweep finished the point, there is
 * nothing to do; -1. */
static int begin(struct results *r, const char *key, struct err *err)
{
	enum result_state state;

	if (results_exec(r, "BEGIN IMMEDIATE", err))
		return -1;
	if (results_look(r, key, &state, NULL, NULL, err))
		return -1;
	if (state == RESULT_DONE)
		return 0;
	return results_take_out(r, key, err) ? -1 : 1;
}

/* Checks that what is to be written is complete: if memory is short, no part of a point is lost
 * silently. */
static int admit(const struct results *r, struct err *err)
{
	if (json_is_whole())
		return 0;
	return err_add(err, ERR_RESOURCE, "%s: no host memory for a point", r->path);
}

/* Ends it, with the point in the file or with nothing. */
static int end(struct results *r, int bad, struct err *err)
{
	if (!bad && !results_exec(r, "COMMIT", err))
		return 0;
	sqlite3_exec(r->db, "ROLLBACK", NULL, NULL, NULL);
	return -1;
}

static int add_answer(struct results *r, const char *key, const char *answer, struct err *err)
{
	sqlite3_stmt *q;
	int bad;

	if (!answer)
		return 0;
	q = results_query(r, "INSERT INTO `answers` VALUES (?, ?)", key, answer, err);
	bad = q ? results_enter(r, q, err) : -1;
	sqlite3_finalize(q);
	return bad;
}

static int write_done(struct results *r, const struct result_point *p, const json_t *report,
	const char *answer, double wall_s, struct err *err)
{
	static const char *const input[] = {"path", "fnv1a", NULL};

	return add_point(r, p, "done", err) ||
	       add_settings(r, p->key, json_object_get(report, "configuration"), err) ||
	       add_list(r, p->key, "INSERT OR IGNORE INTO inputs VALUES (?, ?, ?)",
		       json_object_get(report, "inputs"), input, err) ||
	       add_metrics(r, p->key, json_object_get(report, "metrics"), err) ||
	       add_launches(r, p->key, json_object_get(report, "launches"), err) ||
	       add_answer(r, p->key, answer, err) || add_time(r, p->key, wall_s, err);
}

int results_done(struct results *r, const struct result_point *p, const json_t *report,
	const char *answer, double wall_s, struct err *err)
{
	int more = admit(r, err) ? -1 : begin(r, p->key, err);

	if (more == 1)
		more = write_done(r, p, report, answer, wall_s, err) ? -1 : 0;
	return end(r, more, err);
}

int results_failed(struct results *r, const struct result_point *p, const json_t *configuration,
	enum err_code code, const char *messages, struct err *err)
{
	int more = admit(r, err) ? -1 : begin(r, p->key, err);

	if (more == 1)
		more = add_point(r, p, "failed", err) ||
				       add_settings(r, p->key, configuration, err) ||
				       add_failure(r, p->key, code, messages, err)
			       ? -1
			       : 0;
	return end(r, more, err);
}

int results_forget(struct results *r, const char *key, struct err *err)
{
	int bad = results_exec(r, "BEGIN IMMEDIATE", err);

	return bad ? -1 : end(r, results_take_out(r, key, err), err);
}

#else

int results_done(struct results *r, const struct result_point *p, const json_t *report,
	const char *answer, double wall_s, struct err *err)
{
	(void)r, (void)p, (void)report, (void)answer, (void)wall_s, (void)err;
	return -1;
}

int results_failed(struct results *r, const struct result_point *p, const json_t *configuration,
	enum err_code code, const char *messages, struct err *err)
{
	(void)r, (void)p, (void)configuration, (void)code, (void)messages, (void)err;
	return -1;
}

int results_forget(struct results *r, const char *key, struct err *err)
{
	(void)r, (void)key, (void)err;
	return -1;
}

#endif
