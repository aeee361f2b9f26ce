/* Runs the points of a sweep that are not in its files of results, in parallel in child processes;
 * only this process writes. */
#include "cli/sweep/sweep.h"

#include "cli/progress.h"
#include "core/pool.h"
#include "runs/json.h"
#include "runs/live.h"
#include "runs/pace.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define KIND_ROOM 4200

/* Settings of a point that a limit stopped. */
#define MAX_CYCLES "--max-cycles"
#define TIMEOUT "--timeout"

struct drive {
	struct sweep *s;
	struct arena *arena;
	struct paces paces;
	unsigned total, done, running, jobs;
	struct live live;
	bool bad; /* the file cannot be read or written any more */
	struct err *err;
};

/* ---- time left */
/* A target's, and of its size. */
static struct pace *kind_of(struct drive *d, const struct sweep_point *p)
{
	const char *size = sweep_result(d->s, p).size;
	char kind[KIND_ROOM];
	struct pace *pace;
	bool fresh;

	snprintf(kind, sizeof(kind), "%s %s", size ? size : "", p->target);
	pace = pace_of(&d->paces, kind, &fresh);
	if (fresh) {
		pace->kind = arena_strdup(d->arena, kind);
		pace->sum_s = results_mean_s(d->s->results, p->target, size);
		pace->n = pace->sum_s > 0;
	}
	return pace;
}

static double left_s(struct drive *d)
{
	double now = pace_now_s();

	pace_begin(&d->paces);
	for (unsigned i = 0; i < d->s->n; i++) {
		const struct sweep_point *p = &d->s->points[i];

		if (p->state == POINT_TO_RUN)
			pace_run(kind_of(d, p), p->start_s > 0 ? now - p->start_s : 0);
	}
	return pace_left_s(&d->paces) / d->jobs;
}

static void show(void *ctx)
{
	struct drive *d = ctx;
	struct text line = {0};

	if (!live_is_due(&d->live))
		return;
	text_add(&line, "points: %u of %u done, %u running", d->done, d->total, d->running);
	pace_add_left(left_s(d), &line);
	live_tell(&d->live, &line);
	text_clear(&line);
}

static void status(void *ctx)
{
	const struct drive *d = ctx;

	output_note("points: %u of %u done, %u running", d->done, d->total, d->running);
}

/* ---- the file */
/* Reads the point from a file. */
static int look_in(struct sweep *s, struct results *r, struct sweep_point *p, struct err *err)
{
	struct text messages = {0};
	enum result_state state;
	enum err_code code = ERR_NONE;
	uint64_t cycles = 0, seconds = 0;
	int bad;

	if (results_look(r, p->key, &state, &code, &messages, err) ||
		results_setting(r, p->key, MAX_CYCLES, &cycles, err) ||
		results_setting(r, p->key, TIMEOUT, &seconds, err)) {
		text_clear(&messages);
		return -1;
	}
	if (code == ERR_LIMIT && (cycles != s->o->run.max_cycles || seconds != s->o->run.timeout))
		state = RESULT_NONE; /* with other limits it runs again */
	if (state == RESULT_DONE) {
		p->state = POINT_DONE;
	} else if (state == RESULT_FAILED && results_is_final(code)) {
		p->state = POINT_FAILED;
		err_clear(&p->err);
		err_lines(&p->err, code, text_str(&messages));
	}
	if (messages.failed)
		err_add(err, ERR_RESOURCE, "no host memory for a point's messages");
	bad = messages.failed ? -1 : 0;
	text_clear(&messages);
	return bad;
}

int sweep_look(struct sweep *s, struct sweep_point *p, struct err *err)
{
	int bad = s->results ? look_in(s, s->results, p, err) : 0;

	for (unsigned i = 0; i < s->nearlier && p->state == POINT_TO_RUN && !bad; i++)
		bad = look_in(s, s->earlier[i], p, err);
	return bad;
}

/* The limits that stopped a point. */
static void add_limit(json_t *settings, const char *path, uint64_t value, const char *unit)
{
	json_t *j = json_object();

	json_add(j, "path", json_name(path));
	json_add(j, "value", json_whole(value));
	json_add(j, "unit", json_string(unit));
	json_append(settings, j);
}

static int write_failure(
	const struct sweep *s, struct sweep_point *p, struct arena *arena, struct err *err)
{
	struct result_point r = sweep_result(s, p);
	json_t *settings = sweep_settings(s, p, arena);
	const char *told = err_text(&p->err);
	size_t n = strlen(told) ? strlen(told) - 1 : 0; /* without the last line's end */
	char *messages = arena_strndup(arena, told, n);
	int bad;

	if (p->err.code == ERR_LIMIT) {
		add_limit(settings, MAX_CYCLES, s->o->run.max_cycles, "cycles");
		add_limit(settings, TIMEOUT, s->o->run.timeout, "s");
	}
	bad = results_failed(s->results, &r, settings, p->err.code, messages, err);

	json_decref(settings);
	return bad;
}

/* The failure of a point that could not be opened before, and can now, is removed. */
static int forget_refusal(struct sweep *s, const struct sweep_point *p, struct err *err)
{
	enum result_state state;

	if (results_look(s->results, p->asked_key, &state, NULL, NULL, err))
		return -1;
	return state == RESULT_NONE ? 0 : results_forget(s->results, p->asked_key, err);
}

int sweep_look_all(struct sweep *s, struct arena *arena, struct err *err)
{
	for (unsigned i = 0; i < s->n; i++) {
		struct sweep_point *p = &s->points[i];
		int bad = 0;

		if (p->state == POINT_FAILED)
			bad = write_failure(s, p, arena, err);
		else if (p->state == POINT_TO_RUN)
			bad = forget_refusal(s, p, err) || sweep_look(s, p, err);
		if (bad)
			return -1;
		p->before = p->state == POINT_DONE;
	}
	return 0;
}

/* ---- the runs */
static const char *state_file(const struct drive *d, const struct sweep_point *p)
{
	return trial_state_file(results_path(d->s->results), p->key, d->arena);
}

static void child(void *ctx, unsigned job, int out)
{
	const struct drive *d = ctx;
	const struct sweep_point *p = &d->s->points[job];
	struct run_options own = p->options->run;
	struct trial trial = p->trial;

	trial.state_file = state_file(d, p);
	own.checkpoint = d->s->o->run.checkpoint; /* a plan has none */
	trial_child(&trial, &own, out);
}

/* Another sweep may have finished the point meanwhile. */
static bool wanted(void *ctx, unsigned job)
{
	struct drive *d = ctx;
	struct sweep_point *p = &d->s->points[job];

	if (d->bad || p->state != POINT_TO_RUN)
		return false;
	d->bad = sweep_look(d->s, p, d->err) != 0;
	if (d->bad || p->state != POINT_TO_RUN) {
		d->done += !d->bad;
		return false;
	}
	p->start_s = pace_now_s();
	d->running++;
	return true;
}

static int keep(struct drive *d, struct sweep_point *p, json_t *report, int status)
{
	double took_s = pace_now_s() - p->start_s;

	if (report) {
		struct result_point r = sweep_result(d->s, p);
		struct pace *pace = kind_of(d, p);

		pace->sum_s += took_s;
		pace->n++;
		p->state = POINT_DONE;
		if (results_done(d->s->results, &r, report, NULL, took_s, d->err))
			return -1;
		unlink(state_file(d, p));
		return 0;
	}
	if (trial_was_interrupted(&p->err, status)) {
		err_clear(&p->err);
		return 0;
	}
	p->state = POINT_FAILED;
	return write_failure(d->s, p, d->arena, d->err);
}

static int ended(void *ctx, unsigned job, struct pool_result *answer)
{
	struct drive *d = ctx;
	struct sweep_point *p = &d->s->points[job];
	json_t *report = trial_answer(NULL, answer, &p->err);

	text_clear(&answer->bytes);
	d->running--;
	if (!d->bad)
		d->bad = keep(d, p, report, answer->status) != 0;
	json_decref(report);
	if (d->bad)
		return -1;
	d->done += p->state != POINT_TO_RUN;
	show(d);
	return 0;
}

static const char **point_names(const struct drive *d)
{
	const char **names = arena_alloc(d->arena, d->s->n, sizeof(*names));

	for (unsigned i = 0; i < d->s->n; i++)
		names[i] = d->s->points[i].name;
	return names;
}

static int run_points(struct drive *d)
{
	struct trial_crowd crowd = {.n = d->s->n,
		.names = point_names(d),
		.jobs = d->jobs,
		.child = child,
		.hooks = {.ctx = d,
			.grace_s = d->s->grace_s,
			.wanted = wanted,
			.ended = ended,
			.tick = show,
			.status = status}};

	int bad = trials_watch(&crowd, &d->s->o->run, d->arena, d->err);

	live_wipe(&d->live);
	return bad || d->bad ? -1 : 0;
}

int sweep_drive(struct sweep *s, struct arena *arena, struct err *err)
{
	struct err wrong = {0};
	struct drive d = {.s = s, .arena = arena, .err = &wrong};
	unsigned to_run = 0;

	d.paces.most = 2 * s->o->operands.n;
	d.paces.at = arena_alloc(arena, d.paces.most, sizeof(*d.paces.at));
	for (unsigned i = 0; i < s->n; i++) {
		enum point_state state = s->points[i].state;

		d.total += state != POINT_TWIN && state != POINT_AWAY;
		to_run += state == POINT_TO_RUN;
	}
	d.done = d.total - to_run;
	d.jobs = trial_jobs(&s->o->run, to_run ? to_run : 1);
	d.live = live_new(s->o->run.quiet);
	if (run_points(&d) && !wrong.code)
		err_add(&wrong, ERR_INTERRUPTED, "runs were ended by a signal");
	if (d.done == d.total && wrong.code == ERR_INTERRUPTED)
		err_clear(&wrong); /* all of them used the grace */
	if (wrong.code || d.done < d.total)
		err_add(&wrong, wrong.code ? wrong.code : ERR_INTERRUPTED,
			"points: %u of %u are in %s; the same command continues", d.done, d.total,
			s->o->out);
	err_move(err, &wrong);
	return err->code ? -1 : 0;
}

/* ---- the end */
/* Prefixes every line with its point. Those that the point determines are notes, if so asked. */
static void tell(const struct sweep *s, bool notes, struct err *err)
{
	for (unsigned i = 0; i < s->n; i++) {
		const struct sweep_point *p = &s->points[i];
		const char *line = err_text(&p->err);

		for (size_t n; *line; line += n + (line[n] == '\n')) {
			n = strcspn(line, "\n");
			if (notes && results_is_final(p->err.code))
				output_note("%s: %.*s", p->name, (int)n, line);
			else
				err_add(err, p->err.code, "%s: %.*s", p->name, (int)n, line);
		}
	}
}

void sweep_tell_failures(const struct sweep *s, struct err *err)
{
	tell(s, false, err);
}

void sweep_note_failures(const struct sweep *s, struct err *err)
{
	tell(s, true, err);
}
