/* sweep --slurm: the shards of a plan as an array of tasks. What is left to do is read from the
 * part files each time, so the same command continues whatever has happened. */
#include "cli/sweep/plan.h"

#include "cli/array.h"
#include "runs/slurm.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SHARDS_DEFAULT 1000u

struct cluster {
	const struct options *o;
	struct arena *arena;
	struct plan plan;
	struct sweep *s;
	const char *name, *command; /* of its jobs, and of a shard */
	unsigned *todo;             /* shards that are not finished */
	unsigned ntodo, finished, points;
};

/* ---- the plan */
static const char *plan_path(const struct options *o, struct arena *arena)
{
	struct text path = {0};
	size_t n = strlen(o->out), s = strlen(".sqlite");
	const char *kept;

	if (o->plan)
		return o->plan;
	if (n > s && !strcmp(o->out + n - s, ".sqlite"))
		n -= s;
	text_bytes(&path, o->out, n);
	text_raw(&path, ".plan.json");
	kept = path.failed ? NULL : arena_strdup(arena, text_str(&path));
	text_clear(&path);
	return kept;
}

/* A plan that is there must be this sweep's. */
static int check_plan(const struct cluster *c, struct err *err)
{
	bool same = !strcmp(c->plan.build, c->s->program) && c->plan.n == c->s->n;

	for (unsigned i = 0; i < c->s->n && same; i++)
		same = !strcmp(c->plan.points[i].key, c->s->points[i].key);
	if (same && (!c->o->shards || c->o->shards == c->plan.shards))
		return 0;
	return err_add(err, ERR_INPUT,
		"%s: is the plan of another sweep, build or number of shards; remove it with its "
		"parts, or name another --plan",
		c->plan.path);
}

static int find_plan(struct cluster *c, const char *path, struct err *err)
{
	struct options o = *c->o;
	struct sweep *s = sweep_new(c->arena);
	unsigned points = 0;

	if (sweep_points(s, c->o, c->arena, err))
		return -1;
	c->s = s;
	if (!access(path, F_OK))
		return plan_read(&c->plan, o.run.files, path, c->arena, err) || check_plan(c, err)
			       ? -1
			       : 0;
	for (unsigned i = 0; i < s->n; i++)
		points += s->points[i].state != POINT_TWIN;
	o.plan = path;
	if (!o.shards)
		o.shards = points < SHARDS_DEFAULT ? points : SHARDS_DEFAULT;
	return plan_make(s, &o, &c->plan, c->arena, err);
}

/* ---- what is finished */
static int look_at_shard(struct cluster *c, unsigned shard, struct arena *arena, struct err *err)
{
	struct part_file *parts;
	unsigned n;
	bool open = false;

	if (part_files(
		    part_stem(c->plan.path, shard, c->plan.shards, arena), &parts, &n, arena, err))
		return -1;
	for (unsigned i = 0; i < n; i++) {
		struct err ignored = {0}; /* a part that is not whole has nothing */
		struct results_part part;
		struct results *r = results_existing(NULL, parts[i].path, arena, &ignored);
		bool good = r && !results_part(r, &part, arena, &ignored) &&
			    !strcmp(part.hash, c->plan.hash);

		c->s->earlier = &r;
		c->s->nearlier = 1;
		for (unsigned k = 0; k < c->s->n && good; k++)
			if (c->s->points[k].shard == shard && c->s->points[k].state == POINT_TO_RUN)
				good = !sweep_look(c->s, &c->s->points[k], &ignored);
		err_clear(&ignored);
		results_leave(r);
	}
	c->s->nearlier = 0;
	for (unsigned k = 0; k < c->s->n; k++) {
		const struct sweep_point *p = &c->s->points[k];

		open |= p->shard == shard && p->state == POINT_TO_RUN;
	}
	if (open)
		c->todo[c->ntodo++] = shard;
	return 0;
}

static int look(struct cluster *c, struct err *err)
{
	struct session *within = session_within(c->arena);
	int bad = 0;

	c->ntodo = c->points = c->finished = 0;
	for (unsigned i = 0; i < c->s->n; i++) {
		struct sweep_point *p = &c->s->points[i];

		if (p->state == POINT_TWIN)
			continue;
		p->shard = c->plan.points[i].shard;
		p->state = POINT_TO_RUN;
		err_clear(&p->err);
		c->points++;
	}
	for (unsigned i = 1; i <= c->plan.shards && !bad; i++)
		bad = look_at_shard(c, i, &within->arena, err);
	for (unsigned i = 0; i < c->s->n; i++)
		c->finished += c->s->points[i].state == POINT_DONE ||
			       c->s->points[i].state == POINT_FAILED;
	session_close(within);
	return bad;
}

/* ---- the array */
static const char *command_of(const struct cluster *c, struct err *err)
{
	struct text words = {0};
	const char *command = NULL;

	if (!array_add_program(&words, err)) {
		text_raw(&words, " sweep --quiet --no-pin --grace %u --shard \"$shard/%u\" --plan ",
			array_grace_s(c->o), c->plan.shards);
		array_add_word(c->plan.path, &words);
		if (c->o->run.jobs)
			text_raw(&words, " --jobs %u", (unsigned)c->o->run.jobs);
		if (c->o->run.checkpoint.every)
			text_raw(&words, " --checkpoint-every %s", c->o->run.checkpoint.every);
		if (words.failed)
			err_add(err, ERR_RESOURCE, "no host memory for a script");
		else
			command = arena_strdup(c->arena, text_str(&words));
	}
	text_clear(&words);
	return command;
}

static struct array array_of(const struct cluster *c)
{
	return (struct array){.o = c->o,
		.name = c->name,
		.command = c->command,
		.files = c->plan.path,
		.todo = c->todo,
		.ntodo = c->ntodo};
}

static int submit(const struct cluster *c, struct err *err)
{
	struct array a = array_of(c);

	return array_submit(&a, err);
}

static int show(void *ctx, unsigned running, unsigned waiting, struct err *err)
{
	struct cluster *c = ctx;
	struct text line = {0};

	if (look(c, err))
		return -1;
	text_add(&line, "points: %u of %u done; tasks: %u running, %u waiting", c->finished,
		c->points, running, waiting);
	output_live(&line);
	text_clear(&line);
	return 0;
}

static int follow(struct cluster *c, struct err *err)
{
	struct array a = array_of(c);

	return array_follow(&a, show, c, err);
}

/* Submits what is left, and again what a round of tasks has not finished. */
static int follow_rounds(struct cluster *c, struct err *err)
{
	uint64_t left = c->o->given[OPTION_RETRIES] ? c->o->retries : 2;
	bool first = true;

	for (;;) {
		if (follow(c, err) || look(c, err))
			return -1;
		if (!c->ntodo || (!first && !left))
			return 0;
		left -= !first;
		first = false;
		if (submit(c, err))
			return -1;
	}
}

/* Waits for nothing: 1: all is finished, 0: tasks run, -1. */
static int submit_once(struct cluster *c, struct session *session, struct err *err)
{
	unsigned running, waiting;

	if (slurm_tasks(c->name, &running, &waiting, err) || look(c, err))
		return -1;
	if (!c->ntodo && !running && !waiting)
		return 1;
	if (!running && !waiting)
		return submit(c, err);
	text_add(&session->out,
		"points: %u of %u done; tasks: %u running, %u waiting; --watch follows them\n",
		c->finished, c->points, running, waiting);
	return c->o->run.quiet ? 0 : output_report(&session->out, c->o->run.uncut, err);
}

/* ---- the end */
/* A task that ended before it had made its file a part, or while it wrote it, has left nothing
 * there: another one has run its points. */
static bool is_part(const struct cluster *c, const char *path)
{
	struct err wrong = {0};
	struct results_part part;
	struct results *r = results_existing(NULL, path, c->arena, &wrong);
	bool good = r && !results_part(r, &part, c->arena, &wrong);

	results_leave(r);
	if (!good)
		output_note("note: not used: %.*s", (int)strcspn(err_text(&wrong), "\n"),
			err_text(&wrong));
	err_clear(&wrong);
	return good;
}

static int merge(struct cluster *c, struct session *session, struct err *err)
{
	struct options o = {.run = c->o->run,
		.merge = c->o->out,
		.json = c->o->json,
		.csv = c->o->csv,
		.metric = c->o->metric};
	unsigned room = 0;

	o.run.files = NULL; /* --out was noted before */
	for (unsigned i = 1; i <= c->plan.shards; i++) {
		struct part_file *parts;
		unsigned n;
		const char **more;

		if (part_files(part_stem(c->plan.path, i, c->plan.shards, c->arena), &parts, &n,
			    c->arena, err))
			return -1;
		if (o.operands.n + n > room) {
			room = 2 * (o.operands.n + n);
			more = arena_alloc(c->arena, room, sizeof(*more));
			if (o.operands.n)
				memcpy(more, o.operands.at, o.operands.n * sizeof(*more));
			o.operands.at = more;
		}
		for (unsigned k = 0; k < n; k++)
			if (is_part(c, parts[k].path))
				o.operands.at[o.operands.n++] = parts[k].path;
	}
	if (!o.operands.n)
		return err_add(err, ERR_INTERRUPTED,
			"no task has written a part; see %s.task-*.log", c->plan.path);
	return sweep_merge(&o, session, err);
}

static const char *job_name(const struct plan *p, struct arena *arena)
{
	char *name = arena_alloc(arena, 24, 1);

	snprintf(name, 24, "warpbeam-%.12s", p->hash);
	return name;
}

int sweep_slurm(const struct options *o, struct session *session, struct err *err)
{
	struct cluster *c = arena_alloc(&session->arena, 1, sizeof(*c));
	const char *path;
	int all;

	if (!o->out)
		return err_add(err, ERR_USAGE, "--slurm needs --out FILE.sqlite");
	*c = (struct cluster){.o = o, .arena = &session->arena};
	path = plan_path(o, c->arena);
	if (!path)
		return err_add(err, ERR_RESOURCE, "no host memory for a path");
	if (find_plan(c, path, err))
		return -1;
	c->name = job_name(&c->plan, c->arena);
	c->command = command_of(c, err);
	if (!c->command)
		return -1;
	c->todo = arena_alloc(c->arena, c->plan.shards, sizeof(*c->todo));
	all = o->watch ? !follow_rounds(c, err) : submit_once(c, session, err);
	if (err->code)
		return -1;
	return all == 1 ? merge(c, session, err) : 0;
}
