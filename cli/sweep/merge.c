/* sweep --merge: puts the parts of a plan together, in one transaction. */
#include "cli/sweep/plan.h"

#include <stdlib.h>
#include <string.h>

struct merge_part {
	const char *path;
	unsigned shard, restart, index;
};

struct merge {
	const char *out;
	struct plan plan;
	struct merge_part *parts; /* by shard and restart */
	unsigned n;
	struct arena *arena;
};

/* ---- the parts */
static int by_start(const void *a, const void *b)
{
	const struct merge_part *x = a, *y = b;

	if (x->shard != y->shard)
		return x->shard < y->shard ? -1 : 1;
	if (x->restart != y->restart)
		return x->restart < y->restart ? -1 : 1;
	return x->index < y->index ? -1 : 1;
}

static int check_part(
	struct merge *m, const struct results_part *part, const char *path, struct err *err)
{
	if (!m->plan.hash && plan_parse(&m->plan, path, part->plan, m->arena, err))
		return -1;
	if (strcmp(part->hash, m->plan.hash))
		return err_add(err, ERR_INPUT, "%s: is a part of another plan than %s", path,
			m->plan.path);
	if (!part->shard || part->shard > m->plan.shards)
		return err_add(err, ERR_INPUT, "%s: is damaged: it has no shard of its plan", path);
	return 0;
}

static int check_points(const struct merge *m, struct results *r, const char *path, struct err *err)
{
	uint64_t points, others;

	if (results_count(r, m->plan.build, &points, &others, err))
		return -1;
	if (!others)
		return 0;
	return err_add(err, ERR_INPUT,
		"%s: has %llu point%s of another build than the plan's, which is %s", path,
		(unsigned long long)others, text_s(others), m->plan.build);
}

static int read_parts(struct merge *m, const struct options *o, struct err *err)
{
	m->n = o->operands.n;
	m->parts = arena_alloc(m->arena, m->n, sizeof(*m->parts));
	for (unsigned i = 0; i < m->n; i++) {
		const char *path = o->operands.at[i];
		struct results_part part;
		struct results *r = results_existing(o->run.files, path, m->arena, err);
		int bad = !r || results_part(r, &part, m->arena, err) ||
			  check_part(m, &part, path, err) || check_points(m, r, path, err);

		results_leave(r);
		if (bad)
			return -1;
		m->parts[i] = (struct merge_part){path, part.shard, part.restart, i};
	}
	qsort(m->parts, m->n, sizeof(*m->parts), by_start);
	return 0;
}

/* ---- their points */
static int take(struct results *into, struct results *from, const struct plan_point *p,
	uint64_t *found, struct err *err)
{
	enum results_taken taken;

	if (results_take(into, from, p->key, &taken, err))
		return -1;
	*found += taken != TAKEN_NONE;
	if (taken != TAKEN_DIFFERENT)
		return 0;
	return err_add(err, ERR_INPUT,
		"point '%s': %s has other results than an earlier part or %s; nothing was merged",
		p->name, results_path(from), results_path(into));
}

static int take_part(
	const struct merge *m, struct results *into, const struct merge_part *part, struct err *err)
{
	struct results *from = results_existing(NULL, part->path, m->arena, err);
	uint64_t found = 0, points = 0, others;
	int bad = from ? 0 : -1;

	for (unsigned i = 0; i < m->plan.n && !bad; i++)
		if (m->plan.points[i].shard == part->shard)
			bad = take(into, from, &m->plan.points[i], &found, err);
	if (!bad)
		bad = results_count(from, m->plan.build, &points, &others, err);
	if (!bad && points != found)
		bad = err_add(err, ERR_INPUT,
			"%s: has %llu points, of which only %llu are of its shard, %u of %u",
			part->path, (unsigned long long)points, (unsigned long long)found,
			part->shard, m->plan.shards);
	results_leave(from);
	return bad;
}

static int take_all(struct results *into, void *ctx, struct err *err)
{
	const struct merge *m = ctx;

	for (unsigned i = 0; i < m->n; i++)
		if (take_part(m, into, &m->parts[i], err))
			return -1;
	return 0;
}

/* ---- what the file has now */
static int look(struct sweep *s, struct sweep_point *p, struct err *err)
{
	struct text messages = {0};
	enum result_state state;
	enum err_code code = ERR_NONE;
	int bad = results_look(s->results, p->key, &state, &code, &messages, err);

	if (!bad && messages.failed)
		bad = err_add(err, ERR_RESOURCE, "no host memory for a point's messages");
	if (!bad && state == RESULT_FAILED) {
		p->state = POINT_FAILED;
		err_lines(&p->err, code, text_str(&messages));
	} else if (!bad && state == RESULT_DONE) {
		p->state = POINT_DONE;
		p->before = true;
	}
	text_clear(&messages);
	return bad;
}

static int look_all(struct sweep *s, struct err *err)
{
	for (unsigned i = 0; i < s->n; i++)
		if (s->points[i].state == POINT_TO_RUN && look(s, &s->points[i], err))
			return -1;
	return 0;
}

/* Named, with the shard that is to be run again. */
static void tell_missing(const struct sweep *s, const struct merge *m, struct err *err)
{
	for (unsigned i = 0; i < s->n; i++) {
		const struct sweep_point *p = &s->points[i];

		if (p->state == POINT_TO_RUN)
			err_add(err, ERR_INTERRUPTED,
				"point '%s' is missing: no part of shard %u/%u has it", p->name,
				p->shard, m->plan.shards);
	}
}

static int report(
	const struct merge *m, const struct options *o, struct session *session, struct err *err)
{
	struct sweep *s = sweep_new(m->arena);
	struct options asked = *o;
	struct err wrong = {0};
	int bad;

	asked.out = m->out;
	if (plan_sweep(&m->plan, &asked, s, m->arena, err))
		return -1;
	s->results = results_keep(o->run.files, m->out, m->arena, err);
	if (!s->results || look_all(s, err))
		return -1;
	bad = sweep_write(s, m->arena, &session->out, &wrong);
	tell_missing(s, m, err);
	sweep_tell_failures(s, err);
	if (bad && !err->code)
		err->code = wrong.code;
	err_move(err, &wrong);
	return err->code ? -1 : 0;
}

int sweep_merge(const struct options *o, struct session *session, struct err *err)
{
	struct merge *m = arena_alloc(&session->arena, 1, sizeof(*m));

	*m = (struct merge){.out = o->merge, .arena = &session->arena};
	if (!o->operands.n)
		return err_add(err, ERR_USAGE,
			"--merge %s needs the part files that sweep --shard has made", o->merge);
	if (output_database(o->run.files, "--merge", o->merge, err) || read_parts(m, o, err) ||
		results_change(o->run.files, o->merge, take_all, m, err))
		return -1;
	return report(m, o, session, err);
}
