/* Parts of a sweep: what one start of a shard has finished, with the plan that it belongs to. */
#include "runs/results/inside.h"

#ifdef HAVE_SQLITE

#include <errno.h>
#include <string.h>
#include <unistd.h>

static const char table[] =
	"CREATE TABLE plan (hash TEXT, plan TEXT, shard INTEGER, shards INTEGER, restart INTEGER)";

/* ---- opening */
void results_leave(struct results *r)
{
	if (r)
		sqlite3_close(r->db);
	if (r)
		r->db = NULL;
}

static void let_go(void *results)
{
	results_leave(results);
}

struct results *results_existing(
	struct files *files, const char *path, struct arena *arena, struct err *err)
{
	struct results *r = arena_alloc(arena, 1, sizeof(*r));
	struct stat st;

	*arena_own(arena, let_go) = r;
	r->path = arena_strdup(arena, path);
	if (stat(path, &st) || access(path, R_OK)) {
		err_add(err, ERR_INPUT, "%s: cannot be read: %s", path, strerror(errno));
		return NULL;
	}
	if (!S_ISREG(st.st_mode)) {
		err_add(err, ERR_INPUT, "%s: is no file of results, but a folder or a device",
			path);
		return NULL;
	}
	if (!files_read(files, path, &st, err) && !results_reach(r, path, err))
		return r;
	results_leave(r);
	return NULL;
}

/* ---- the plan */
static int is_part(struct results *r, bool *is, struct err *err)
{
	int64_t n;

	*is = false;
	if (results_read_whole(
		    r, "SELECT count(*) FROM sqlite_master WHERE name = 'plan'", &n, err))
		return -1;
	*is = n > 0;
	return 0;
}

static const char *text_of(
	const struct results *r, sqlite3_stmt *q, int column, struct arena *arena, struct err *err)
{
	const char *text = results_text(r, q, column, err);

	return text ? arena_strdup(arena, text) : NULL;
}

static int no_part(const struct results *r, struct err *err)
{
	return err_add(err, ERR_INPUT,
		"%s: is a file of results, but no part that sweep --shard made", r->path);
}

int results_part(struct results *r, struct results_part *part, struct arena *arena, struct err *err)
{
	sqlite3_stmt *q;
	int row;
	bool is;

	*part = (struct results_part){0};
	if (is_part(r, &is, err))
		return -1;
	if (!is)
		return no_part(r, err);
	q = results_query(
		r, "SELECT hash, plan, shard, shards, restart FROM plan", NULL, NULL, err);
	row = q ? results_step(r, q, err) : -1;
	if (row == 1) {
		part->hash = text_of(r, q, 0, arena, err);
		part->plan = text_of(r, q, 1, arena, err);
		part->shard = (unsigned)sqlite3_column_int64(q, 2);
		part->shards = (unsigned)sqlite3_column_int64(q, 3);
		part->restart = (unsigned)sqlite3_column_int64(q, 4);
		row = part->hash && part->plan ? 1 : -1;
	}
	sqlite3_finalize(q);
	return row == 1 ? 0 : row < 0 ? -1 : no_part(r, err);
}

static int enter(struct results *r, const struct results_part *part, struct err *err)
{
	sqlite3_stmt *q;
	int bad;

	if (results_exec(r, table, err))
		return -1;
	q = results_query(
		r, "INSERT INTO plan VALUES (?, ?, ?, ?, ?)", part->hash, part->plan, err);
	if (!q)
		return -1;
	results_bind_whole(r, q, 3, part->shard);
	results_bind_whole(r, q, 4, part->shards);
	results_bind_whole(r, q, 5, part->restart);
	bad = results_enter(r, q, err);
	sqlite3_finalize(q);
	return bad;
}

/* Inside a transaction. */
static int admit(struct results *r, const struct results_part *part, struct err *err)
{
	sqlite3_stmt *q;
	int64_t points;
	int row;
	bool is;

	if (is_part(r, &is, err) ||
		results_read_whole(r, "SELECT count(*) FROM points", &points, err))
		return -1;
	if (!is && points)
		return no_part(r, err);
	if (!is)
		return enter(r, part, err);
	q = results_query(r, "SELECT shard FROM plan WHERE hash = ?", part->hash, NULL, err);
	row = q ? results_step(r, q, err) : -1;
	is = row == 1 && sqlite3_column_int64(q, 0) == part->shard;
	sqlite3_finalize(q);
	if (row < 0 || is)
		return row < 0 ? -1 : 0;
	return err_add(err, ERR_INPUT, "%s: is a part of another plan or shard", r->path);
}

int results_mark(struct results *r, const struct results_part *part, struct err *err)
{
	if (results_exec(r, "BEGIN IMMEDIATE", err))
		return -1;
	if (!admit(r, part, err) && !results_exec(r, "COMMIT", err))
		return 0;
	sqlite3_exec(r->db, "ROLLBACK", NULL, NULL, NULL);
	return -1;
}

int results_count(
	struct results *r, const char *build, uint64_t *points, uint64_t *others, struct err *err)
{
	sqlite3_stmt *q = results_query(
		r, "SELECT count(*), count(nullif(build, ?)) FROM points", build, NULL, err);
	int row = q ? results_step(r, q, err) : -1;

	*points = row == 1 ? (uint64_t)sqlite3_column_int64(q, 0) : 0;
	*others = row == 1 ? (uint64_t)sqlite3_column_int64(q, 1) : 0;
	sqlite3_finalize(q);
	return row < 0 ? -1 : 0;
}

#else

struct results *results_existing(
	struct files *files, const char *path, struct arena *arena, struct err *err)
{
	(void)arena;
	return results_open(files, path, err);
}

void results_leave(struct results *r)
{
	(void)r;
}

int results_part(struct results *r, struct results_part *part, struct arena *arena, struct err *err)
{
	(void)r, (void)arena, (void)err;
	*part = (struct results_part){0};
	return -1;
}

int results_mark(struct results *r, const struct results_part *part, struct err *err)
{
	(void)r, (void)part, (void)err;
	return -1;
}

int results_count(
	struct results *r, const char *build, uint64_t *points, uint64_t *others, struct err *err)
{
	(void)r, (void)build, (void)err;
	*points = *others = 0;
	return -1;
}

#endif
