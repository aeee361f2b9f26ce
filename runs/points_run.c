/* Determining points: from the file of results, or by child processes, whose results this process
 * alone writes to the file. */
#include "runs/points_inside.h"

#include "core/pool.h"
#include "runs/json.h"
#include "runs/live.h"
#include "runs/output.h"
#include "runs/pace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KINDS 256
#define KIND_ROOM 200
#define MOST_SETTINGS 64

struct drive {
	struct points *p;
	struct point **todo;
	struct trial *trials;
	struct paces paces;
	unsigned n, done, running, jobs;
	struct live live;
	bool bad; /* the file cannot be read or written any more */
	struct run_options o;
	struct err *err;
};

/* ---- time left */
static const char *way_name(const struct point *point)
{
	return point->way ? point->way->name : "timed";
}

static struct pace *kind_of(struct drive *d, const struct point *point)
{
	char kind[KIND_ROOM];
	struct pace *pace;
	bool fresh;

	snprintf(kind, sizeof(kind), "%s %s", way_name(point), point->workload);
	pace = pace_of(&d->paces, kind, &fresh);
	if (fresh)
		pace->kind = arena_strdup(d->p->arena, kind);
	return pace;
}

static double left_s(struct drive *d)
{
	double now = pace_now_s();

	pace_begin(&d->paces);
	for (unsigned i = 0; i < d->n; i++) {
		const struct point *point = d->todo[i];

		if (point->state == POINT_UNKNOWN)
			pace_run(kind_of(d, point), point->start_s > 0 ? now - point->start_s : 0);
	}
	return pace_left_s(&d->paces) / d->jobs;
}

static void show(void *ctx)
{
	struct drive *d = ctx;
	struct text line = {0};

	if (!live_is_due(&d->live))
		return;
	text_add(&line, "runs: %u of %u done, %u running", d->done, d->n, d->running);
	pace_add_left(left_s(d), &line);
	live_tell(&d->live, &line);
	text_clear(&line);
}

static void status(void *ctx)
{
	const struct drive *d = ctx;

	output_note("runs: %u of %u done, %u running", d->done, d->n, d->running);
}

/* ---- the file */
struct result_point points_result(const struct points *p, const struct point *point)
{
	return (struct result_point){.key = point->key,
		.target = point->workload,
		.build = p->program,
		.size = p->o->size ? "full" : "small",
		.seed = p->o->seed,
		.address_bits = p->o->wide || point->wide ? 64 : 32};
}

/* Drops the setting of that path: a later one counts. */
static void drop(json_t *list, const char *path, size_t n)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *other =
			json_string_value(json_object_get(json_array_get(list, i), "path"));

		if (other && strlen(other) == n && !strncmp(other, path, n))
			json_array_remove(list, i--);
	}
}

/* The settings of the point, as a configuration in run --json. */
static json_t *asked_settings(const struct points *p, const struct point *point)
{
	char *text = arena_strdup(p->arena, point->set), *rest = NULL;
	json_t *list = json_array();

	for (char *at = strtok_r(text, " ", &rest); at; at = strtok_r(NULL, " ", &rest)) {
		size_t n = strcspn(at, "=");
		json_t *j = json_object();

		drop(list, at, n);
		json_add(j, "path", json_words(at, n));
		json_add(j, "value", json_name(at[n] ? at + n + 1 : ""));
		json_add(j, "unit", json_string(""));
		json_append(list, j);
	}
	return list;
}

/* Whether a failure would be repeated: the point determines it, not the host. */
static bool is_final(enum err_code code)
{
	return code != ERR_HOST && code != ERR_RESOURCE && code != ERR_INTERRUPTED &&
	       code != ERR_LIMIT;
}

static void fail(struct points *p, struct point *point, enum err_code code, const char *message)
{
	point->state = POINT_FAILS;
	point->code = code;
	point->message = arena_strdup(p->arena, message);
}

/* Reads the point from a file. */
static int look_in(struct points *p, struct results *r, struct point *point, struct err *err)
{
	struct text messages = {0};
	enum result_state state;
	enum err_code code = ERR_NONE;
	int bad;

	bad = results_look(r, point->key, &state, &code, &messages, err);
	if (messages.failed)
		bad = err_add(err, ERR_RESOURCE, "no host memory for a run's messages");
	if (!bad && state == RESULT_FAILED && is_final(code))
		fail(p, point, code, text_str(&messages));
	text_clear(&messages);
	if (!bad && state == RESULT_DONE) {
		bad = results_answer(r, point->key, &point->report, err);
		point->state = point->report ? POINT_KNOWN : POINT_UNKNOWN;
	}
	return bad;
}

/* From the set's file, then from those of this process's share. */
static int look_up(struct points *p, struct point *point, struct err *err)
{
	const struct points_elsewhere *e = p->elsewhere;
	int bad = p->results ? look_in(p, p->results, point, err) : 0;

	for (unsigned i = 0; e && i < e->nearlier && !bad && point->state == POINT_UNKNOWN; i++)
		bad = look_in(p, e->earlier[i], point, err);
	if (e && e->part && !bad && point->state == POINT_UNKNOWN)
		bad = look_in(p, e->part, point, err);
	return bad;
}

/* Where this process writes; NULL: nowhere. */
static struct results *own_file(const struct points *p)
{
	return p->elsewhere && p->elsewhere->part ? p->elsewhere->part : p->results;
}

static int write_failure(struct points *p, struct point *point, struct err *err)
{
	struct result_point r = points_result(p, point);
	json_t *settings;
	int bad;

	if (!own_file(p))
		return 0;
	settings = asked_settings(p, point);
	bad = results_failed(own_file(p), &r, settings, point->code, point->message, err);
	json_decref(settings);
	return bad;
}

static int write_done(
	struct points *p, struct point *point, const json_t *whole, double took_s, struct err *err)
{
	struct result_point r = points_result(p, point);
	struct text answer = {0};
	int bad;

	if (!own_file(p))
		return 0;
	if (json_print(json_incref(point->report), &answer))
		bad = err_add(err, ERR_RESOURCE, "no host memory for the report");
	else
		bad = results_done(own_file(p), &r, whole, text_str(&answer), took_s, err);
	text_clear(&answer);
	return bad;
}

/* ---- the runs */
/* Copy i runs on SM i. */
static const struct party *make_parties(struct points *p, const struct point *point)
{
	unsigned n = point->copies ? point->copies : 1;
	struct party *all = arena_alloc(p->arena, n, sizeof(*all));

	BUG_ON(n > GPU_MAX_SMS);
	for (unsigned i = 0; i < n; i++) {
		all[i] = (struct party){.target = point->workload,
			.place = {.stream = i * PARTY_STREAMS},
			.seed = i};
		if (point->copies)
			all[i].place.sms[i / 64] = UINT64_C(1) << i % 64;
	}
	return all;
}

static struct trial make_trial(struct points *p, const struct point *point)
{
	struct layer *layer = arena_alloc(p->arena, 1, sizeof(*layer));
	const char **set = arena_alloc(p->arena, MOST_SETTINGS, sizeof(*set));
	char *text = arena_strdup(p->arena, point->set), *rest = NULL;

	*layer = (struct layer){.origin = "reproduce", .chip = point->chip, .set = set};
	for (char *at = strtok_r(text, " ", &rest); at; at = strtok_r(NULL, " ", &rest)) {
		BUG_ON(layer->nset == MOST_SETTINGS);
		set[layer->nset++] = at;
	}
	return (struct trial){.machine = {.layers = layer, .nlayers = 1},
		.parties = make_parties(p, point),
		.nparties = point->copies ? point->copies : 1,
		.streams = point->copies > 0,
		.act = point->way ? point->way->act : NULL,
		.untimed = point->way && point->way->untimed};
}

/* NULL: nowhere. */
static const char *state_file(const struct points *p, const struct point *point)
{
	const struct results *r = own_file(p);

	return r ? trial_state_file(results_path(r), point->key, p->arena) : NULL;
}

static void child(void *ctx, unsigned job, int out)
{
	const struct drive *d = ctx;
	struct run_options own = d->o;
	struct trial trial = d->trials[job];

	own.ptx_dir = d->todo[job]->foreign ? d->o.ptx_dir : NULL;
	own.wide |= d->todo[job]->wide;
	own.set = points_settings(&d->o, d->todo[job]->workload, d->p->arena);
	trial.state_file = state_file(d->p, d->todo[job]);
	trial_child(&trial, &own, out);
}

/* Another process may have finished the point meanwhile. */
static bool wanted(void *ctx, unsigned job)
{
	struct drive *d = ctx;
	struct point *point = d->todo[job];

	if (d->bad)
		return false;
	d->bad = look_up(d->p, point, d->err) != 0;
	if (d->bad || point->state != POINT_UNKNOWN) {
		point->before = !d->bad;
		d->done += !d->bad;
		return false;
	}
	point->start_s = pace_now_s();
	d->running++;
	return true;
}

static int keep(struct drive *d, struct point *point, json_t *report)
{
	double took_s = pace_now_s() - point->start_s;
	struct pace *pace = kind_of(d, point);

	pace->sum_s += took_s;
	pace->n++;
	point->report = points_slim(report);
	point->state = POINT_KNOWN;
	if (!json_object_get(report, "configuration"))
		json_add(report, "configuration", asked_settings(d->p, point));
	if (!json_is_whole())
		return err_add(d->err, ERR_RESOURCE, "no host memory for a run's report");
	if (write_done(d->p, point, report, took_s, d->err))
		return -1;
	if (own_file(d->p))
		unlink(state_file(d->p, point));
	return 0;
}

static int refuse(struct drive *d, struct point *point, struct err *err, int status)
{
	size_t n = err->len ? err->len - 1 : 0; /* without the last line's end */

	if (trial_was_interrupted(err, status))
		return 0;
	fail(d->p, point, err->code, arena_strndup(d->p->arena, err_text(err), n));
	return write_failure(d->p, point, d->err);
}

static int ended(void *ctx, unsigned job, struct pool_result *answer)
{
	struct drive *d = ctx;
	struct point *point = d->todo[job];
	struct err wrong = {0};
	json_t *report = trial_answer(NULL, answer, &wrong);

	text_clear(&answer->bytes);
	d->running--;
	if (!d->bad)
		d->bad = (report ? keep(d, point, report)
				 : refuse(d, point, &wrong, answer->status)) != 0;
	json_decref(report);
	err_clear(&wrong);
	if (d->bad)
		return -1;
	d->done += point->state != POINT_UNKNOWN;
	show(d);
	return 0;
}

/* "needle sm.warps=8", at most so long. */
static const char **point_names(const struct drive *d)
{
	const char **names = arena_alloc(d->p->arena, d->n, sizeof(*names));
	char name[256];

	for (unsigned i = 0; i < d->n && d->p->o->served; i++) {
		const struct point *point = d->todo[i];

		snprintf(
			name, sizeof(name), "%s %s", point->workload, point->set ? point->set : "");
		names[i] = arena_strdup(d->p->arena, name);
	}
	return names;
}

static int run_all(struct drive *d)
{
	struct trial_crowd crowd = {.n = d->n,
		.names = point_names(d),
		.jobs = d->jobs,
		.child = child,
		.hooks = {.ctx = d,
			.grace_s = d->p->elsewhere ? d->p->elsewhere->grace_s : 0,
			.wanted = wanted,
			.ended = ended,
			.tick = show,
			.status = status}};

	int bad = trials_watch(&crowd, d->p->o, d->p->arena, d->err);

	live_wipe(&d->live);
	return bad || d->bad ? -1 : 0;
}

static int tell_rest(const struct drive *d)
{
	unsigned done = 0;

	for (unsigned i = 0; i < d->p->n; i++)
		done += d->p->all[i]->state != POINT_UNKNOWN;
	if (!d->err->code)
		err_add(d->err, ERR_INTERRUPTED, "runs were ended by a signal");
	if (!own_file(d->p))
		return -1;
	return err_add(d->err, d->err->code,
		"runs: %u of %u done, those in %s need not be repeated: the same command continues",
		done, d->p->n, results_path(own_file(d->p)));
}

/* ---- other processes */
void points_elsewhere(struct points *p, const struct points_elsewhere *e)
{
	p->elsewhere = e;
}

static bool is_ours(const struct points *p, const struct point *point)
{
	const struct points_elsewhere *e = p->elsewhere;
	char digits[9] = "";

	if (!e || !e->shards)
		return true;
	memcpy(digits, point->key, sizeof(digits) - 1);
	return strtoul(digits, NULL, 16) % e->shards == e->shard;
}

/* All that are unknown after they have been looked up. `known`: this process need not run any. */
static int find_unknown(struct drive *d, bool *known)
{
	struct points *p = d->p;

	*known = true;
	d->n = 0;
	for (unsigned i = 0; i < p->n; i++) {
		if (p->all[i]->state != POINT_UNKNOWN)
			continue;
		if (look_up(p, p->all[i], d->err))
			return -1;
		p->all[i]->before = p->all[i]->state != POINT_UNKNOWN;
		*known &= p->all[i]->before;
		if (!p->all[i]->before && is_ours(p, p->all[i]))
			d->todo[d->n++] = p->all[i];
	}
	return 0;
}

static int run_elsewhere(struct drive *d)
{
	const struct points_elsewhere *e = d->p->elsewhere;
	bool known = false;

	for (unsigned i = 0; !known && i <= e->retries; i++)
		if (e->act(e->ctx, d->n, d->err) || find_unknown(d, &known))
			return -1;
	if (known)
		return 0;
	err_add(d->err, ERR_INTERRUPTED, "%u run%s were not finished by other processes", d->n,
		text_s(d->n));
	return tell_rest(d);
}

static int run_here(struct drive *d)
{
	struct points *p = d->p;

	d->trials = arena_alloc(p->arena, d->n, sizeof(*d->trials));
	for (unsigned i = 0; i < d->n; i++)
		d->trials[i] = make_trial(p, d->todo[i]);
	d->paces = (struct paces){arena_alloc(p->arena, KINDS, sizeof(struct pace)), 0, KINDS};
	d->jobs = trial_jobs(p->o, d->n);
	d->o.no_pin = true;
	d->live = live_new(p->o->quiet);
	return !run_all(d) && d->done == d->n ? 0 : tell_rest(d);
}

int points_run(struct points *p, struct err *err)
{
	struct drive d = {.p = p, .err = err, .o = *p->o};
	bool known;

	d.todo = arena_alloc(p->arena, p->n + 1, sizeof(struct point *));
	if (find_unknown(&d, &known))
		return -1;
	if (known)
		return 0;
	if (p->elsewhere && p->elsewhere->act)
		return run_elsewhere(&d);
	if (d.n && run_here(&d))
		return -1;
	return p->elsewhere ? -1 : 0;
}
