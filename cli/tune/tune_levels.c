/* warpbeam tune --concurrency: the levels of each kernel that spills to shared memory, and those
 * that are chosen without running any (Hayes and Zhang, ICS 2014, section 4). */
#include "cli/tune/tune.h"

#include <stdio.h>
#include <string.h>

static struct tune_candidate *add(struct tune *t, const char *value, const char *setting)
{
	struct tune_candidate *c = &t->candidates[t->n++];

	*c = (struct tune_candidate){.setting = setting ? setting : "gpu.spill=local"};
	snprintf(c->value, sizeof(c->value), "%s", value);
	return c;
}

static void add_level(
	struct tune *t, const struct kernel_levels *k, unsigned level, struct arena *arena)
{
	const struct thread_level *l = &k->level[level];
	struct tune_candidate *c;
	char threads[24];

	snprintf(threads, sizeof(threads), "%u", l->threads);
	c = add(t, threads, levels_setting(k, level, arena));
	c->kernel = k;
	c->level = *l;
	c->threads = l->threads;
	c->automatic = level == k->automatic;
}

/* The rule's level of every kernel, where that is more than one kernel's. */
static void add_automatic(struct tune *t, struct arena *arena)
{
	const struct work_levels *w = &t->levels;
	unsigned changed = 0;
	const char *set;

	for (unsigned i = 0; i < w->n; i++)
		changed += w->kernel[i].automatic != 0;
	if (changed < 2)
		return;
	levels_named(w, "auto", arena, &set, NULL);
	add(t, "auto", set)->automatic = true;
}

/* The most threads first; the unchanged program is that of the first kernel. */
int tune_levels(struct tune *t, struct session *s, struct err *err)
{
	unsigned all = 1; /* with the one of all kernels */

	if (levels_find(s, t->target, &t->o->run, &t->machine, &t->levels, err))
		return -1;
	for (unsigned i = 0; i < t->levels.n; i++)
		all += t->levels.kernel[i].n;
	if (all > TUNE_CANDIDATES)
		return err_add(err, ERR_RESOURCE,
			"--concurrency: %s has %u levels; a tuning tries at most %u", t->target,
			all, TUNE_CANDIDATES);
	for (unsigned i = 0; i < t->levels.n; i++) {
		const struct kernel_levels *k = &t->levels.kernel[i];

		for (unsigned level = k->n; level-- > (i ? 1u : 0u);)
			add_level(t, k, level, &s->arena);
		t->base = i ? t->base : t->n - 1;
	}
	add_automatic(t, &s->arena);
	return 0;
}
