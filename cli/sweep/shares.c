/* What the points of a sweep cost, and their shares: longest processing time first (Graham, SIAM
 * Journal on Applied Mathematics 17, 1969). */
#include "cli/sweep/plan.h"

#include "runs/live.h"
#include "runs/work.h"

#include <stdlib.h>
#include <string.h>

/* ---- measured costs */
static double measured_ms(const struct sweep *s, const struct sweep_point *p, struct results *r)
{
	double time = results_time_s(r, p->key);

	if (time <= 0)
		time = results_mean_s(r, p->target, sweep_result(s, p).size);
	return time * 1000;
}

static int measure(struct sweep *s, struct results *r, struct err *err)
{
	uint64_t sum = 0, n = 0;

	for (unsigned i = 0; i < s->n; i++) {
		struct sweep_point *p = &s->points[i];
		double ms = p->opens ? measured_ms(s, p, r) : 0;

		if (ms <= 0)
			continue;
		p->cost = (uint64_t)ms + 1;
		sum += p->cost;
		n++;
	}
	if (!n)
		return err_add(err, ERR_INPUT,
			"%s: has no times of these targets; leave --costs out to estimate them",
			results_path(r));
	for (unsigned i = 0; i < s->n; i++)
		if (s->points[i].opens && !s->points[i].cost)
			s->points[i].cost = sum / n;
	return 0;
}

/* ---- estimated costs */
/* Points that execute the same: those of one target, size and address size, and of the same values
 * of the target's own parameters. */
struct counting {
	struct sweep *s;
	unsigned *first; /* of each group, a point */
	unsigned *group; /* of each point */
	unsigned n, done;
	struct live live;
	struct trial *trials;
	struct run_options run;
};

static bool is_own(const char *path, const char *target)
{
	size_t n = strlen(target);

	return !strncmp(path, target, n) && path[n] == '.';
}

static bool executes_the_same(
	const struct sweep *s, const struct sweep_point *a, const struct sweep_point *b)
{
	const struct run_options *x = &a->options->run, *y = &b->options->run;

	if (strcmp(a->target, b->target) || x->size != y->size || x->wide != y->wide)
		return false;
	for (unsigned i = 0; i < s->naxes; i++)
		if (is_own(s->axes[i].path, a->target) && strcmp(a->values[i], b->values[i]))
			return false;
	return true;
}

static void find_groups(struct counting *c)
{
	for (unsigned i = 0; i < c->s->n; i++) {
		unsigned g = 0;

		if (!c->s->points[i].opens)
			continue;
		while (g < c->n &&
			!executes_the_same(c->s, &c->s->points[c->first[g]], &c->s->points[i]))
			g++;
		if (g == c->n)
			c->first[c->n++] = i;
		c->group[i] = g;
	}
}

static void child(void *ctx, unsigned job, int out)
{
	const struct counting *c = ctx;
	struct run_options run = c->s->points[c->first[job]].options->run;

	run.watch = NULL;
	trial_child(&c->trials[job], &run, out);
}

/* A point that fails costs nothing. */
static int ended(void *ctx, unsigned job, struct pool_result *answer)
{
	struct counting *c = ctx;
	struct err ignored = {0};
	json_t *counts = trial_answer(NULL, answer, &ignored);
	json_int_t n = json_integer_value(json_object_get(counts, "warp_instructions"));

	c->done++;
	c->s->points[c->first[job]].cost = n > 0 ? (uint64_t)n : 1;
	text_clear(&answer->bytes);
	json_decref(counts);
	err_clear(&ignored);
	return 0;
}

static void status(void *ctx)
{
	const struct counting *c = ctx;

	output_note("costs: %u of %u counted", c->done, c->n);
}

static void tick(void *ctx)
{
	struct counting *c = ctx;
	struct text line = {0};

	if (!live_is_due(&c->live))
		return;
	text_add(&line, "costs: %u of %u counted", c->done, c->n);
	live_tell(&c->live, &line);
	text_clear(&line);
}

static int estimate(struct sweep *s, struct arena *arena, struct err *err)
{
	struct counting c = {.s = s, .run = s->o->run, .live = live_new(s->o->run.quiet)};
	struct trial_crowd crowd = {.child = child,
		.hooks = {.ctx = &c, .ended = ended, .tick = tick, .status = status}};
	int bad;

	c.first = arena_alloc(arena, s->n, sizeof(*c.first));
	c.group = arena_alloc(arena, s->n, sizeof(*c.group));
	find_groups(&c);
	c.trials = arena_alloc(arena, c.n, sizeof(*c.trials));
	for (unsigned i = 0; i < c.n; i++) {
		c.trials[i] = s->points[c.first[i]].trial;
		c.trials[i].untimed = true;
	}
	c.run.timeout = 0; /* else the costs would depend on the host */
	crowd.n = c.n;
	crowd.jobs = trial_jobs(&c.run, c.n);
	bad = trials_watch(&crowd, &c.run, arena, err);
	live_wipe(&c.live);
	if (bad)
		return -1;
	for (unsigned i = 0; i < s->n; i++)
		if (s->points[i].opens)
			s->points[i].cost = s->points[c.first[c.group[i]]].cost;
	return 0;
}

int shares_cost(struct sweep *s, struct results *earlier, const char **unit, struct arena *arena,
	struct err *err)
{
	*unit = earlier ? "ms" : "warp instructions";
	return earlier ? measure(s, earlier, err) : estimate(s, arena, err);
}

/* ---- shares */
/* The most expensive first; of equals the first. */
static int by_cost(const void *a, const void *b)
{
	const struct sweep_point *x = *(struct sweep_point *const *)a;
	const struct sweep_point *y = *(struct sweep_point *const *)b;

	if (x->cost != y->cost)
		return x->cost < y->cost ? 1 : -1;
	return x < y ? -1 : 1;
}

void shares_divide(struct sweep *s, unsigned shards, struct arena *arena)
{
	struct sweep_point **sorted = arena_alloc(arena, s->n, sizeof(*sorted));
	uint64_t *load = arena_alloc(arena, shards, sizeof(*load));
	unsigned n = 0;

	for (unsigned i = 0; i < s->n; i++)
		if (s->points[i].state != POINT_TWIN)
			sorted[n++] = &s->points[i];
	qsort(sorted, n, sizeof(struct sweep_point *), by_cost);
	for (unsigned i = 0; i < n; i++) {
		unsigned least = 0;

		for (unsigned k = 1; k < shards; k++)
			if (load[k] < load[least])
				least = k;
		sorted[i]->shard = least + 1;
		load[least] += sorted[i]->cost ? sorted[i]->cost : 1;
	}
}
