/* Metrics of parts of a run. */
#include "runs/kernels/part.h"

#include "core/mem.h"

#include <string.h>

static void keep(void *ctx, const struct metric *m)
{
	struct metric_set *s = ctx;

	if (s->n == s->room) {
		struct metric *grown = arena_alloc(s->arena, 2 * s->room + 64, sizeof(*grown));

		if (s->n)
			memcpy(grown, s->at, s->n * sizeof(*grown));
		s->at = grown;
		s->room = 2 * s->room + 64;
	}
	s->at[s->n] = *m;
	s->at[s->n++].name = arena_strdup(s->arena, m->name);
}

struct choice {
	const struct gpu *gpu;
	const struct run_part *part;
};

static bool is_kernel(const struct run_part *p, const struct epoch_report *e)
{
	return e->kernel && !strcmp(e->kernel, p->kernel) &&
	       (!p->file || !strcmp(e->file, p->file));
}

static bool chosen(void *ctx, unsigned epoch)
{
	const struct choice *c = ctx;
	struct epoch_report e;

	chip_epoch(c->gpu, epoch, &e);
	switch (c->part->what) {
	case PART_RUN:
		return true;
	case PART_KERNEL:
		return is_kernel(c->part, &e);
	case PART_OVERLAP:
		return !e.kernel;
	case PART_EPOCH:
		return epoch == c->part->epoch;
	}
	return false;
}

bool run_part_exists(const struct gpu *g, const struct run_part *part)
{
	struct choice c = {g, part};

	for (unsigned i = 0; i < chip_epochs(g); i++) {
		struct epoch_report e;

		chip_epoch(g, i, &e);
		if (e.launches && chosen(&c, i))
			return true;
	}
	return false;
}

void run_part_metrics(const struct gpu *g, const struct run_part *part, struct metric_set *set)
{
	struct choice c = {g, part};

	if (part->what == PART_RUN)
		chip_metrics(g, keep, set);
	else if (run_part_exists(g, part))
		chip_epoch_metrics(g, chosen, &c, keep, set);
}

const struct metric *metric_find(const struct metric_set *s, const char *name)
{
	for (unsigned i = 0; i < s->n; i++)
		if (!strcmp(s->at[i].name, name))
			return &s->at[i];
	return NULL;
}

double metric_value(const struct metric_set *s, const char *name)
{
	const struct metric *m = metric_find(s, name);

	if (!m)
		return 0;
	return m->is_real ? m->real : (double)m->count;
}
