/* Opening and reading a file of results; only runs/results/ use SQLite. */
#include "runs/results/inside.h"

#ifdef HAVE_SQLITE

#include "core/base.h"
#include "core/mem.h"
#include "runs/json.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define APPLICATION 0x77627377 /* "wbsw" */
#define SCHEMA RESULTS_VERSION
#define BUSY_MS 20000
#define WORDS_OF(number) WORDS(number)
#define WORDS(number) #number

static const char schema[] =
	"CREATE TABLE points (point TEXT PRIMARY KEY, target TEXT NOT NULL, size TEXT, seed TEXT, "
	"address_bits INTEGER, build TEXT NOT NULL, status TEXT NOT NULL) WITHOUT ROWID;"
	"CREATE TABLE settings (point TEXT, path TEXT, value, unit TEXT, PRIMARY KEY (point, "
	"path)) "
	"WITHOUT ROWID;"
	"CREATE TABLE inputs (point TEXT, path TEXT, fnv1a TEXT, PRIMARY KEY (point, path)) "
	"WITHOUT "
	"ROWID;"
	"CREATE TABLE metrics (point TEXT, name TEXT, value, unit TEXT, PRIMARY KEY (point, name)) "
	"WITHOUT ROWID;"
	"CREATE TABLE launches (point TEXT, launch INTEGER, kernel TEXT, file TEXT, grid TEXT, "
	"block TEXT, stream INTEGER, ctas INTEGER, timed_ctas INTEGER, ctas_per_sm INTEGER, "
	"sm_register_bytes INTEGER, sm_shared_bytes INTEGER, sm_cache_bytes INTEGER, registers "
	"INTEGER, max_live_registers INTEGER, shared_bytes INTEGER, local_bytes INTEGER, "
	"start_cycle INTEGER, end_cycle INTEGER, warp_instructions INTEGER, dram_read_bytes "
	"INTEGER, dram_write_bytes INTEGER, flushed_bytes INTEGER, l2_sectors_read INTEGER, "
	"l2_sectors_hit INTEGER, PRIMARY KEY (point, launch)) WITHOUT ROWID;"
	"CREATE TABLE failures (point TEXT PRIMARY KEY, code INTEGER NOT NULL, name TEXT, message "
	"TEXT) WITHOUT ROWID;"
	"CREATE TABLE times (point TEXT PRIMARY KEY, wall_s REAL) WITHOUT ROWID;"
	"CREATE TABLE `answers` (point TEXT PRIMARY KEY, json TEXT NOT NULL) WITHOUT ROWID;"
	"PRAGMA application_id = " WORDS_OF(APPLICATION) ";"
							 "PRAGMA user_version = " WORDS_OF(
								 SCHEMA) ";";

/* ---- opening */
/* Whether the file is warpbeam's, of this version; an empty file is made one. Inside a
 * transaction. */
static int admit(struct results *r, struct err *err)
{
	int64_t application, version, tables;

	if (results_read_whole(r, "PRAGMA application_id", &application, err) ||
		results_read_whole(r, "PRAGMA user_version", &version, err) ||
		results_read_whole(r, "SELECT count(*) FROM sqlite_master", &tables, err))
		return -1;
	if (!application && !version && !tables)
		return results_exec(r, schema, err);
	if (application != APPLICATION)
		return err_add(err, ERR_INPUT,
			"%s: is an SQLite file, but not one of warpbeam sweep", r->path);
	if (version != SCHEMA)
		return err_add(err, ERR_INPUT,
			"%s: was written by another version: its tables are of version %lld, ours "
			"of version %d; choose another --out",
			r->path, (long long)version, SCHEMA);
	return 0;
}

/* An existing file is only read, so that a sweep need not wait for another one's start. */
int results_prepare(struct results *r, struct err *err)
{
	int64_t version;

	if (results_read_whole(r, "PRAGMA user_version", &version, err))
		return -1;
	if (version == SCHEMA)
		return admit(r, err);
	if (results_exec(r, "BEGIN IMMEDIATE", err))
		return -1;
	if (admit(r, err) || results_exec(r, "COMMIT", err)) {
		sqlite3_exec(r->db, "ROLLBACK", NULL, NULL, NULL);
		return -1;
	}
	return 0;
}

/* SQLite's memory comes from core/mem.c. */
static int resized_bytes(int bytes)
{
	return (bytes + 7) & ~7;
}

static void *take(int bytes)
{
	return mem_library((size_t)bytes);
}

static void *take_again(void *block, int bytes)
{
	return mem_library_resize(block, (size_t)bytes);
}

static int bytes_of(void *block)
{
	return (int)mem_library_bytes(block);
}

static int begin_memory(void *ctx)
{
	(void)ctx;
	return SQLITE_OK;
}

static void end_memory(void *ctx)
{
	(void)ctx;
}

/* Refused once SQLite is initialised, and then it has been done. */
static void lend_memory(void)
{
	static const sqlite3_mem_methods methods = {take, mem_library_free, take_again, bytes_of,
		resized_bytes, begin_memory, end_memory, NULL};

	sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
}

static int connect_as(struct results *r, const char *path, int flags, struct err *err)
{
	lend_memory();
	if (sqlite3_open_v2(path, &r->db, flags, NULL) != SQLITE_OK)
		return results_tell(r, err);
	if (sqlite3_busy_timeout(r->db, BUSY_MS) != SQLITE_OK)
		return results_tell(r, err);
	return results_exec(r, "PRAGMA synchronous = FULL", err);
}

int results_connect(struct results *r, const char *path, struct err *err)
{
	return connect_as(r, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, err);
}

int results_look_at(struct results *r, const char *path, struct err *err)
{
	return connect_as(r, path, SQLITE_OPEN_READONLY, err);
}

int results_reach(struct results *r, const char *path, struct err *err)
{
	int64_t tables;

	if (connect_as(r, path, SQLITE_OPEN_READWRITE, err) ||
		results_read_whole(r, "SELECT count(*) FROM sqlite_master", &tables, err))
		return -1;
	if (!tables)
		return err_add(err, ERR_INPUT, "%s: is no file of results: it is empty", r->path);
	return admit(r, err);
}

int results_new(
	struct results *r, struct file_out *out, results_fill_fn *fill, void *ctx, struct err *err)
{
	int bad = results_connect(r, out->beside, err) ||
		  results_exec(r, "PRAGMA journal_mode = MEMORY", err) || fill(r, ctx, err);

	sqlite3_close(r->db);
	r->db = NULL;
	if (!bad)
		return file_commit(out, err);
	file_abandon(out);
	return -1;
}

static int fill(struct results *r, void *ctx, struct err *err)
{
	(void)ctx;
	return results_prepare(r, err);
}

/* A new file gets its name when its tables are complete. A file that another process made first is
 * kept. */
static int make(struct results *r, struct files *files, struct err *err)
{
	struct file_out out = {.files = files};

	if (file_begin(&out, r->path, err))
		return -1;
	out.yields = true;
	if (out.beside)
		return results_new(r, &out, fill, NULL, err);
	file_abandon(&out);
	return 0;
}

static int open_existing(struct results *r, struct files *files, struct err *err)
{
	if (access(r->path, F_OK) ? make(r, files, err) : files_write(files, NULL, r->path, err))
		return -1;
	return results_connect(r, r->path, err) || results_prepare(r, err) ? -1 : 0;
}

struct results *results_open(struct files *files, const char *path, struct err *err)
{
	struct results *r = mem_alloc(1, sizeof(*r));

	if (r)
		r->path = mem_strdup(path);
	if (!r || !r->path) {
		mem_free(r);
		err_add(err, ERR_RESOURCE, "no host memory for %s", path);
		return NULL;
	}
	if (!open_existing(r, files, err))
		return r;
	results_close(r);
	return NULL;
}

void results_close(struct results *r)
{
	if (!r)
		return;
	sqlite3_close(r->db);
	mem_free(r->path);
	mem_free(r);
}

const char *results_path(const struct results *r)
{
	return r->path;
}

/* ---- reading */
static int read_messages(
	const struct results *r, sqlite3_stmt *q, struct text *messages, struct err *err)
{
	const char *text = results_text(r, q, 1, err);

	if (!text)
		return -1;
	text_raw(messages, "%s", text);
	return messages->failed ? err_add(err, ERR_RESOURCE, "%s: no host memory", r->path) : 0;
}

int results_look(struct results *r, const char *key, enum result_state *state, enum err_code *code,
	struct text *messages, struct err *err)
{
	sqlite3_stmt *q = results_query(r,
		"SELECT code, message FROM points LEFT JOIN failures USING (point) WHERE point = ?",
		key, NULL, err);
	int row = q ? results_step(r, q, err) : -1;

	*state = RESULT_NONE;
	if (row == 1)
		*state = sqlite3_column_type(q, 0) == SQLITE_NULL ? RESULT_DONE : RESULT_FAILED;
	if (*state == RESULT_FAILED && code)
		*code = (enum err_code)sqlite3_column_int(q, 0);
	if (*state == RESULT_FAILED && messages)
		row = read_messages(r, q, messages, err) ? -1 : row;
	sqlite3_finalize(q);
	return row < 0 ? -1 : 0;
}

int results_metric(struct results *r, const char *key, const char *metric, struct result_value *v,
	struct err *err)
{
	sqlite3_stmt *q = results_query(r,
		"SELECT value, unit FROM metrics WHERE point = ? AND name = ?", key, metric, err);
	int row = q ? results_step(r, q, err) : -1;
	const char *unit;

	*v = (struct result_value){0};
	if (row == 1) {
		int type = sqlite3_column_type(q, 0);

		v->there = type == SQLITE_INTEGER || type == SQLITE_FLOAT;
		v->is_real = type == SQLITE_FLOAT;
		v->count = sqlite3_column_int64(q, 0);
		v->real = sqlite3_column_double(q, 0);
		unit = results_text(r, q, 1, err);
		snprintf(v->unit, sizeof(v->unit), "%s", unit ? unit : "");
		row = unit ? row : -1;
	}
	sqlite3_finalize(q);
	return row < 0 ? -1 : 0;
}

int results_setting(
	struct results *r, const char *key, const char *path, uint64_t *value, struct err *err)
{
	sqlite3_stmt *q = results_query(
		r, "SELECT value FROM settings WHERE point = ? AND path = ?", key, path, err);
	int row = q ? results_step(r, q, err) : -1;

	*value = row == 1 ? (uint64_t)sqlite3_column_int64(q, 0) : 0;
	sqlite3_finalize(q);
	return row < 0 ? -1 : 0;
}

int results_answer(struct results *r, const char *key, json_t **answer, struct err *err)
{
	sqlite3_stmt *q =
		results_query(r, "SELECT json FROM `answers` WHERE point = ?", key, NULL, err);
	int row = q ? results_step(r, q, err) : -1;
	const char *text;

	*answer = NULL;
	text = row == 1 ? results_text(r, q, 0, err) : NULL;
	if (text)
		*answer = json_loads(text, 0, NULL);
	sqlite3_finalize(q);
	if (row == 1 && !text)
		return -1;
	if (row == 1 && !json_is_whole()) {
		json_decref(*answer);
		*answer = NULL;
		return err_add(err, ERR_RESOURCE, "%s: no host memory for a result", r->path);
	}
	if (row == 1 && !*answer)
		return err_add(err, ERR_INPUT, "%s: is damaged: a result is not JSON", r->path);
	return row < 0 ? -1 : 0;
}

double results_time_s(struct results *r, const char *key)
{
	sqlite3_stmt *q =
		results_query(r, "SELECT wall_s FROM times WHERE point = ?", key, NULL, NULL);
	double time = q && results_step(r, q, NULL) == 1 ? sqlite3_column_double(q, 0) : 0;

	sqlite3_finalize(q);
	return time;
}

double results_mean_s(struct results *r, const char *target, const char *size)
{
	sqlite3_stmt *q = results_query(r,
		"SELECT avg(wall_s) FROM times JOIN points USING (point) WHERE target = ?1 AND "
		"size "
		"IS ?2",
		target, size, NULL);
	double mean = q && results_step(r, q, NULL) == 1 ? sqlite3_column_double(q, 0) : 0;

	sqlite3_finalize(q);
	return mean;
}

#else

struct results *results_open(struct files *files, const char *path, struct err *err)
{
	(void)files;
	err_add(err, ERR_HOST,
		"%s: this warpbeam was built without SQLite: install libsqlite3-dev, then "
		"./configure && make",
		path);
	return NULL;
}

void results_close(struct results *r)
{
	(void)r;
}

const char *results_path(const struct results *r)
{
	(void)r;
	return "";
}

int results_look(struct results *r, const char *key, enum result_state *state, enum err_code *code,
	struct text *messages, struct err *err)
{
	(void)r, (void)key, (void)code, (void)messages, (void)err;
	*state = RESULT_NONE;
	return -1;
}

int results_metric(struct results *r, const char *key, const char *metric, struct result_value *v,
	struct err *err)
{
	(void)r, (void)key, (void)metric, (void)err;
	*v = (struct result_value){0};
	return -1;
}

int results_setting(
	struct results *r, const char *key, const char *path, uint64_t *value, struct err *err)
{
	(void)r, (void)key, (void)path, (void)err;
	*value = 0;
	return -1;
}

int results_answer(struct results *r, const char *key, json_t **answer, struct err *err)
{
	(void)r, (void)key, (void)err;
	*answer = NULL;
	return -1;
}

double results_time_s(struct results *r, const char *key)
{
	(void)r, (void)key;
	return 0;
}

double results_mean_s(struct results *r, const char *target, const char *size)
{
	(void)r, (void)target, (void)size;
	return 0;
}

#endif

bool results_is_final(enum err_code code)
{
	return code != ERR_HOST && code != ERR_RESOURCE && code != ERR_INTERRUPTED;
}

static void let_go(void *results)
{
	results_close(results);
}

struct results *results_keep(
	struct files *files, const char *path, struct arena *arena, struct err *err)
{
	void **kept = arena_own(arena, let_go);
	struct results *r = results_open(files, path, err);

	*kept = r;
	return r;
}
