/* Requests for points: the same words get the same point. */
#include "runs/points_inside.h"

#include "runs/roll.h"
#include "runs/work.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Incremented when the same request would have another result. */
#define KEY_VERSION 1
#define SET_ROOM 1024

const struct point_way points_untimed = {.name = "untimed", .untimed = true};

static void let_go(void *points)
{
	points_clear(points);
}

struct points *points_new(const struct run_options *o, struct results *results, struct arena *arena)
{
	void **kept = arena_own(arena, let_go);
	struct points *p = arena_alloc(arena, 1, sizeof(*p));
	struct err failed = {0};

	*p = (struct points){.o = o, .results = results, .arena = arena};
	*kept = p;
	p->program = key_program(arena, &failed);
	err_clear(&failed);
	if (!p->program)
		longjmp(*arena->escape, 1);
	return p;
}

void points_clear(struct points *p)
{
	for (unsigned i = 0; p && i < p->n; i++) {
		const struct point *point = p->all[i];

		roll_note(p->o->roll, point->workload, point->set, point->report,
			point->state == POINT_FAILS ? point->message : "not done");
		json_decref(point->report);
	}
	if (!p)
		return;
	p->n = 0;
	text_clear(&p->words);
}

/* ---- settings */
const char *points_workload_of(const char *setting)
{
	size_t n = strcspn(setting, ".=");

	for (size_t i = 0; plugins[i] && setting[n] == '.'; i++) {
		const char *name = plugins[i]->name;

		if (!strcmp(plugins[i]->kind, "workload") && !strncmp(name, setting, n) && !name[n])
			return name;
	}
	return NULL;
}

struct string_list points_settings(
	const struct run_options *o, const char *workload, struct arena *arena)
{
	struct string_list own = {arena_alloc(arena, o->set.n + 1, sizeof(char *)), 0};

	for (unsigned i = 0; i < o->set.n; i++) {
		const char *of = points_workload_of(o->set.at[i]);

		if (!of || !strcmp(of, workload))
			own.at[own.n++] = o->set.at[i];
	}
	return own;
}

/* The request's own settings, without parameters of other workloads. */
static const char *own_settings(const struct points *p, const struct point_ask *a)
{
	const char *all = a->set ? a->set : "";
	char *words = arena_strdup(p->arena, all), *rest = NULL;
	char *own = arena_alloc(p->arena, strlen(all) + 2, 1), *end = own;
	bool others = false;

	for (char *at = strtok_r(words, " ", &rest); at; at = strtok_r(NULL, " ", &rest)) {
		const char *of = points_workload_of(at);

		if (of && strcmp(of, a->workload))
			others = true;
		else
			end += sprintf(end, end > own ? " %s" : "%s", at);
	}
	return others ? own : all;
}

/* ---- keys */
/* Where a run's key cannot be computed because memory is short. */
static void escape(struct points *p, struct text *words)
{
	text_clear(words);
	longjmp(*p->arena->escape, 1);
}

static int hash_own(const struct points *p, const char *workload, bool wide, struct text *words,
	struct err *err)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s/%s%s", work_data_dir(p->arena, workload), workload,
		workload, wide ? ".64.ptx" : ".ptx");
	return key_file(p->o->files, path, words, err);
}

/* A PTX file that cannot be read has no hash: the run reports that. */
static const char *source_hash(struct points *p, const char *workload, bool foreign, bool wide)
{
	struct text words = {0};
	struct err ignored = {0};
	struct point_source *s;
	bool failed;
	int bad;

	for (unsigned i = 0; i < p->nsources; i++)
		if (p->sources[i].foreign == foreign && p->sources[i].wide == wide &&
			!strcmp(p->sources[i].workload, workload))
			return p->sources[i].hash;
	BUG_ON(p->nsources == POINT_SOURCES);
	s = &p->sources[p->nsources++];
	s->workload = arena_strdup(p->arena, workload);
	s->foreign = foreign;
	s->wide = wide;
	bad = foreign ? work_foreign_hashes(workload, p->o->ptx_dir, p->o->files, &words, &ignored)
		      : hash_own(p, workload, wide, &words, &ignored);
	s->hash = bad ? "" : arena_strdup(p->arena, text_str(&words));
	failed = words.failed || ignored.code == ERR_RESOURCE;
	err_clear(&ignored);
	if (failed)
		escape(p, &words);
	text_clear(&words);
	return s->hash;
}

static void key_of(struct points *p, const struct point_ask *a, const char *own, char key[KEY_ROOM])
{
	const struct run_options *o = p->o;
	struct string_list set = points_settings(o, a->workload, p->arena);
	struct text *w = &p->words;
	struct err failed = {0};

	w->len = 0;
	text_raw(w, "point %d\n%s\n%s %s\n%s\n%s %" PRIu64 " %d\n%s\n", KEY_VERSION, p->program,
		a->workload, source_hash(p, a->workload, a->foreign, p->o->wide || a->wide),
		a->way ? a->way->name : "timed", o->size ? "full" : "small", o->seed,
		o->wide || a->wide ? 64 : 32, a->chip ? a->chip : "m12");
	for (unsigned i = 0; i < set.n; i++)
		text_raw(w, "%s\n", set.at[i]);
	text_raw(w, "%s\n", own);
	if (a->copies)
		text_raw(w, "copies %u\n", a->copies);
	if (key_make(w, key, &failed)) {
		err_clear(&failed);
		escape(p, w);
	}
}

/* ---- the table */
static struct point **place_of(struct points *p, const char *key)
{
	unsigned at = 0;

	for (unsigned i = 0; i < 8; i++)
		at = at * 16 + (unsigned)(key[i] <= '9' ? key[i] - '0' : key[i] - 'a' + 10);
	while (p->table[at & (p->slots - 1)] && strcmp(p->table[at & (p->slots - 1)]->key, key))
		at++;
	return &p->table[at & (p->slots - 1)];
}

static void make_space(struct points *p)
{
	struct point **all;

	if (p->n < p->room)
		return;
	p->room = 2 * p->room + 64;
	all = arena_alloc(p->arena, p->room, sizeof(struct point *));
	if (p->n)
		memcpy(all, p->all, p->n * sizeof(struct point *));
	p->all = all;
	for (p->slots = 256; p->slots < 2 * p->room;)
		p->slots *= 2;
	p->table = arena_alloc(p->arena, p->slots, sizeof(struct point *));
	for (unsigned i = 0; i < p->n; i++)
		*place_of(p, all[i]->key) = all[i];
}

const struct point *points_ask(struct points *p, const struct point_ask *a)
{
	const char *own = own_settings(p, a);
	struct point **place, *point;
	char key[KEY_ROOM];

	key_of(p, a, own, key);
	make_space(p);
	place = place_of(p, key);
	if (*place) {
		(*place)->may_fail &= a->may_fail;
		(*place)->may_refuse &= a->may_refuse;
		return *place;
	}
	point = arena_alloc(p->arena, 1, sizeof(*point));
	*point = (struct point){.workload = arena_strdup(p->arena, a->workload),
		.chip = a->chip ? arena_strdup(p->arena, a->chip) : NULL,
		.set = arena_strdup(p->arena, own),
		.way = a->way,
		.copies = a->copies,
		.wide = a->wide,
		.foreign = a->foreign,
		.may_fail = a->may_fail,
		.may_refuse = a->may_refuse};
	memcpy(point->key, key, sizeof(key));
	*place = point;
	p->all[p->n++] = point;
	return point;
}

const struct point *points_askf(
	struct points *p, const char *workload, const char *chip, const char *format, ...)
{
	char set[SET_ROOM];
	va_list list;
	int n;

	va_start(list, format);
	n = vsnprintf(set, sizeof(set), format, list);
	va_end(list);
	BUG_ON(n < 0 || (size_t)n >= sizeof(set));
	return points_ask(p, &(struct point_ask){.workload = workload, .chip = chip, .set = set});
}

/* ---- results */
enum point_answer point_state(const struct point *p)
{
	return p->state;
}

const char *point_workload(const struct point *p)
{
	return p->workload;
}

const char *point_message(const struct point *p)
{
	return p->state == POINT_FAILS ? p->message : NULL;
}

const json_t *point_report(const struct point *p)
{
	return p->report;
}

static void leave_out(json_t *from, const char *const *members)
{
	for (; *members; members++)
		json_object_del(from, *members);
}

json_t *points_slim(json_t *report)
{
	static const char *const all[] = {"parts", "configuration", "inputs", "program", "command",
		"schema", "groups", "kernels", "speed_of_light", "memory_chart", NULL};
	static const char *const launch[] = {
		"metrics", "speed_of_light", "memory_chart", "sm_end_cycles", NULL};
	json_t *top = json_copy(report), *out, *metrics, *m, *l;
	const char *name;
	void *next;
	size_t i;

	if (!json_object_get(report, "parts"))
		return top;
	leave_out(top, all);
	out = json_deep_copy(top);
	json_decref(top);
	json_array_foreach(json_object_get(out, "launches"), i, l) leave_out(l, launch);
	metrics = json_object_get(out, "metrics");
	json_object_foreach_safe(metrics, next, name, m)
	{
		if (json_is_object(m))
			json_object_set(metrics, name, json_object_get(m, "value"));
	}
	return out;
}

double point_metric(const json_t *report, const char *name)
{
	const json_t *m = json_object_get(json_object_get(report, "metrics"), name);
	const json_t *v = json_is_object(m) ? json_object_get(m, "value") : m;

	if (json_is_string(v)) /* whole, but larger than JSON's readers represent exactly */
		return strtod(json_string_value(v), NULL);
	return json_is_number(v) ? json_number_value(v) : NAN;
}

bool points_wanting(const struct points *p)
{
	for (unsigned i = 0; i < p->n; i++)
		if (p->all[i]->state == POINT_UNKNOWN)
			return true;
	return false;
}

/* The message of a failure that is no result, such as a wrong check or a timeout; or NULL. */
static const char *fault(const struct point *point)
{
	bool is_result = (point->code == ERR_RESOURCE && point->may_fail) ||
			 (point->code == ERR_INPUT && point->may_refuse);

	return is_result ? NULL : point_message(point);
}

/* Whether one of a point's lines is this. */
static bool says(const struct point *point, const char *line, size_t n)
{
	const char *at = fault(point);

	while (at && *at) {
		size_t m = strcspn(at, "\n");

		if (m == n && !memcmp(at, line, n))
			return true;
		at += m + (at[m] == '\n');
	}
	return false;
}

/* A line that points have in common is reported once: it does not depend on their differences. */
static void tell_line(
	const struct points *p, unsigned i, const char *line, size_t n, struct err *err)
{
	const struct point *point = p->all[i];
	unsigned others = 0;

	for (unsigned k = 0; k < p->n; k++) {
		bool same = k != i && says(p->all[k], line, n);

		if (same && k < i)
			return;
		others += same;
	}
	if (others)
		err_add(err, point->code, "%s, and %u more of the runs: %.*s", point->workload,
			others, (int)n, line);
	else
		err_add(err, point->code, "%s, %s: %.*s", point->workload, point->set, (int)n,
			line);
}

int points_failures(const struct points *p, struct err *err)
{
	int bad = 0;

	for (unsigned i = 0; i < p->n; i++) {
		const char *line = fault(p->all[i]);

		bad |= line ? -1 : 0;
		while (line && *line) {
			size_t n = strcspn(line, "\n");

			tell_line(p, i, line, n, err);
			line += n + (line[n] == '\n');
		}
	}
	return bad;
}

struct points_count points_count(const struct points *p)
{
	struct points_count c = {.all = p->n};

	for (unsigned i = 0; i < p->n; i++) {
		c.before += p->all[i]->before;
		c.failed += p->all[i]->state == POINT_FAILS;
	}
	return c;
}
