/* sweep --slurm: the shards of a plan as an array of tasks. What is left to do is read from the
 * part files each time, so the same command continues whatever has happened. */
#include "cli/sweep/plan.h"

#include "runs/slurm.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SHARDS_DEFAULT 1000u
#define GRACE_S 50
#define NOTICE_MORE_S 10 /* from the end of the grace to the end of the task */
#define RESTARTS_MOST 200
#define POLL_LEAST_S 1u
#define POLL_MOST_S 30u

struct cluster {
	const struct options *o;
	struct arena *arena;
	struct plan plan;
	struct sweep *s;
	const char *name; /* of its jobs */
	unsigned *todo;   /* shards that are not finished */
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

	if (part_files(part_stem(&c->plan, shard, NULL, arena), &parts, &n, arena, err))
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

/* ---- the script of a task */
/* A word for the shell. */
static void add_quoted(const char *word, struct text *out)
{
	text_raw(out, "'");
	for (; *word; word++)
		text_raw(out, *word == '\'' ? "'\\''" : "%c", *word);
	text_raw(out, "'");
}

static const char script_head[] =
	"#!/bin/sh\n"
	"# One task of an array: a shard after the other. The batch shell gets SIGTERM before the\n"
	"# task's end; a task that merely exits is not started again, so it asks for it.\n"
	"child= stopped= worst=0 at=0\n"
	"notice() { stopped=1; [ -z \"$child\" ] || kill -TERM \"$child\"; }\n"
	"trap notice TERM\n"
	"run() {\n";

static const char script_tail[] =
	"\tchild=$!\n"
	"\twait \"$child\"\n"
	"\tcode=$?\n"
	"\twhile kill -0 \"$child\" 2>/dev/null; do wait \"$child\"; code=$?; done\n"
	"\tchild=\n"
	"\t[ \"$code\" -le \"$worst\" ] || worst=$code\n"
	"}\n"
	"for shard in $shards; do\n"
	"\t[ $((at % tasks)) -ne \"$SLURM_ARRAY_TASK_ID\" ] || [ -n \"$stopped\" ] || run\n"
	"\tat=$((at + 1))\n"
	"done\n"
	"if [ -n \"$stopped\" ] && [ \"${SLURM_RESTART_COUNT:-0}\" -lt \"$restarts\" ]; then\n"
	"\tscontrol requeue \"$SLURM_JOB_ID\" && sleep 60 # until it is ended\n"
	"fi\n"
	"exit \"$worst\"\n";

static unsigned grace_of(const struct options *o)
{
	return o->given[OPTION_GRACE] ? (unsigned)o->grace : GRACE_S;
}

static int own_path(struct text *out, struct err *err)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n <= 0)
		return err_add(err, ERR_HOST, "the path of this program cannot be found");
	path[n] = '\0';
	add_quoted(path, out);
	return 0;
}

static int write_script(const struct cluster *c, unsigned tasks, struct text *out, struct err *err)
{
	text_raw(out, "%s\t", script_head);
	if (own_path(out, err))
		return -1;
	text_raw(out, " sweep --quiet --no-pin --grace %u --shard \"$shard/%u\" --plan ",
		grace_of(c->o), c->plan.shards);
	add_quoted(c->plan.path, out);
	if (c->o->run.jobs)
		text_raw(out, " --jobs %u", (unsigned)c->o->run.jobs);
	text_raw(out, " &\n");
	for (const char *at = script_tail; *at; at++) {
		if (!strncmp(at, "for shard", 9)) {
			text_raw(out, "tasks=%u restarts=%u\nshards='", tasks, RESTARTS_MOST);
			for (unsigned i = 0; i < c->ntodo; i++)
				text_raw(out, "%s%u", i ? " " : "", c->todo[i]);
			text_raw(out, "'\n");
		}
		text_bytes(out, at, 1);
	}
	return out->failed ? err_add(err, ERR_RESOURCE, "no host memory for a script") : 0;
}

/* ---- submitting */
static unsigned tasks_of(const struct cluster *c, unsigned limit)
{
	unsigned tasks = c->ntodo < limit ? c->ntodo : limit;

	if (c->o->array_size && c->o->array_size < tasks)
		tasks = (unsigned)c->o->array_size;
	return tasks;
}

static int submit(struct cluster *c, struct err *err)
{
	struct text script = {0}, log = {0};
	unsigned limit, tasks;
	uint64_t id;
	int bad;

	if (slurm_limit(&limit, err))
		return -1;
	tasks = tasks_of(c, limit);
	text_raw(&log, "%s.task-%%a.log", c->plan.path);
	bad = write_script(c, tasks, &script, err);
	if (!bad) {
		struct slurm_job job = {.name = c->name,
			.script = text_str(&script),
			.log = text_str(&log),
			.tasks = tasks,
			.cpus = (unsigned)c->o->run.jobs,
			.notice_s = grace_of(c->o) + NOTICE_MORE_S,
			.partition = c->o->partition,
			.time = c->o->time};

		bad = slurm_submit(&job, &id, err);
	}
	text_clear(&script);
	text_clear(&log);
	if (!bad && !c->o->run.quiet)
		output_note("note: job %llu: %u task%s for %u shard%s", (unsigned long long)id,
			tasks, text_s(tasks), c->ntodo, text_s(c->ntodo));
	return bad;
}

/* ---- following */
static void show(struct cluster *c, unsigned running, unsigned waiting)
{
	struct text line = {0};

	text_add(&line, "points: %u of %u done; tasks: %u running, %u waiting", c->finished,
		c->points, running, waiting);
	output_live(&line);
	text_clear(&line);
}

/* Until no task of it is known to Slurm. */
static int follow(struct cluster *c, struct err *err)
{
	bool live = !c->o->run.quiet && isatty(STDERR_FILENO);
	unsigned running, waiting, pause_s = POLL_LEAST_S;

	for (;;) {
		if (slurm_tasks(c->name, &running, &waiting, err))
			return -1;
		if (!running && !waiting)
			break;
		if (live && look(c, err))
			return -1;
		if (live)
			show(c, running, waiting);
		sleep(pause_s);
		pause_s = pause_s < POLL_MOST_S ? pause_s + 1 : pause_s;
	}
	if (live)
		output_wipe();
	return 0;
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
	return c->o->run.quiet ? 0 : output_text(&session->out, err);
}

/* ---- the end */
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

		if (part_files(part_stem(&c->plan, i, NULL, c->arena), &parts, &n, c->arena, err))
			return -1;
		if (o.operands.n + n > room) {
			room = 2 * (o.operands.n + n);
			more = arena_alloc(c->arena, room, sizeof(*more));
			if (o.operands.n)
				memcpy(more, o.operands.at, o.operands.n * sizeof(*more));
			o.operands.at = more;
		}
		for (unsigned k = 0; k < n; k++)
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

	strcpy(name, "warpbeam-");
	strncat(name, p->hash, 12);
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
	c->todo = arena_alloc(c->arena, c->plan.shards, sizeof(*c->todo));
	all = o->watch ? !follow_rounds(c, err) : submit_once(c, session, err);
	if (err->code)
		return -1;
	return all == 1 ? merge(c, session, err) : 0;
}
