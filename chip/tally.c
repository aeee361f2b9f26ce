/* Statistics of all parts: where each is, by part and totals. */
#include "chip/tally.h"

#include <stdio.h>
#include <string.h>

typedef void stat_visit_fn(
	void *ctx, const char *space, const struct stat_def *, const uint64_t *at);

static void visit_plugin(
	const struct component *c, const char *space, stat_visit_fn *visit, void *ctx)
{
	for (size_t i = 0; c->plugin && i < c->plugin->nstats; i++) {
		const struct stat_def *def = &c->plugin->stats[i];
		const void *at = (const char *)c + def->offset;

		visit(ctx, space, def, at);
	}
}

/* As `SPACE__POLICY_row`. */
static void visit_policies(const struct component *c, stat_visit_fn *visit, void *ctx)
{
	for (const struct policy *p = c->policies; p; p = p->next) {
		char space[TALLY_NAME];

		if (!p->plugin->nstats)
			continue;
		snprintf(space, sizeof(space), "%s__%s_", p->space, p->plugin->name);
		for (size_t i = 0; i < p->plugin->nstats; i++) {
			const struct stat_def *def = &p->plugin->stats[i];
			const void *at = (const char *)p->self + def->offset;

			visit(ctx, space, def, at);
		}
	}
}

struct sm_visit {
	stat_visit_fn *visit;
	void *ctx;
};

static void sm_stat(void *ctx, const struct stat_def *def, const uint64_t *at)
{
	const struct sm_visit *v = ctx;

	v->visit(v->ctx, NULL, def, at);
}

void chip_each_part(const struct chip *c, part_fn *visit, void *ctx)
{
	visit(ctx, &c->dispatcher->base, NULL);
	for (unsigned i = 0; i < c->p.sms; i++)
		visit(ctx, c->sm[i], NULL);
	if (c->mmu)
		visit(ctx, c->mmu, "mmu");
	visit(ctx, c->request, "noc_request");
	visit(ctx, c->reply, "noc_reply");
	for (unsigned i = 0; i < c->channels * c->per_channel; i++)
		visit(ctx, c->slice[i], "lts");
	for (unsigned i = 0; i < c->channels; i++)
		visit(ctx, c->channel[i], "dram");
}

static void part_stats(const struct chip *c, const struct component *part, const char *space,
	stat_visit_fn *visit, void *ctx)
{
	struct sm_visit v = {.visit = visit, .ctx = ctx};

	unsigned i = 0;

	while (i < c->p.sms && c->sm[i] != part)
		i++;
	if (i < c->p.sms)
		sm_visit_stats(part, sm_stat, &v);
	else
		visit_plugin(part, space, visit, ctx);
	visit_policies(part, visit, ctx);
}

static const char *suffix(const struct stat_def *def)
{
	return def->kind == STAT_MAX ? "max" : "sum";
}

static void metric_name(char *out, size_t n, const char *space, const struct stat_def *def)
{
	const char *between = space && space[strlen(space) - 1] != '_' ? "__" : "";

	snprintf(out, n, "%s%s%s.%s", space ? space : "", between, def->name, suffix(def));
}

/* ---- totals */
struct adding {
	const struct chip *chip;
	struct tally *tally;
	tally_position_fn *visit;
	void *ctx;
	unsigned last; /* row */
};

/* Whether metric_name gives the row's name. */
static bool is_named(const struct tally_row *row, const char *space, const struct stat_def *def)
{
	size_t n = space ? strlen(space) : 0, name = strlen(def->name);
	size_t at = n + (n && space[n - 1] != '_' ? 2 : 0);

	return !strncmp(row->name, space ? space : "", n) &&
	       !strncmp(row->name + at, def->name, name) && row->name[at + name] == '.';
}

/* Whether it is the statistic's: parts of one kind share the definition, in one name space or in
 * several. */
static inline bool is_row(
	const struct tally_row *row, const char *space, const struct stat_def *def)
{
	return row->def == def && (!space || is_named(row, space, def));
}

/* The statistic's row, most often the one behind `last`; a new one is the last of all. */
static unsigned row_of(
	struct tally *t, const char *space, const struct stat_def *def, unsigned last)
{
	unsigned i = last + 1;

	if (i >= t->n || !is_row(&t->row[i], space, def))
		for (i = 0; i < t->n && !is_row(&t->row[i], space, def);)
			i++;
	BUG_ON(i == TALLY_ROWS);
	if (i == t->n) {
		t->n++;
		metric_name(t->row[i].name, sizeof(t->row[i].name), space, def);
		t->row[i].def = def;
	}
	return i;
}

static void add_stat(void *ctx, const char *space, const struct stat_def *def, const uint64_t *at)
{
	struct adding *a = ctx;
	unsigned i = row_of(a->tally, space, def, a->last);
	struct tally_row *row = &a->tally->row[i];

	row->sum += *at;
	row->max = max_u64(row->max, *at);
	row->parts++;
	a->last = i;
	if (a->visit)
		a->visit(a->ctx, i, at);
}

static void add_part(void *ctx, const struct component *part, const char *space)
{
	struct adding *a = ctx;

	part_stats(a->chip, part, space, add_stat, a);
}

const struct tally_row *tally_find(const struct tally *t, const char *name)
{
	for (unsigned i = 0; i < t->n; i++)
		if (!strcmp(t->row[i].name, name))
			return &t->row[i];
	BUG_ON(true);
	return NULL;
}

void tally_positions(const struct chip *c, struct tally *t, tally_position_fn *visit, void *ctx)
{
	struct adding a = {.chip = c, .tally = t, .visit = visit, .ctx = ctx};

	*t = (struct tally){0};
	chip_each_part(c, add_part, &a);
}

void chip_tally(const struct gpu *g, struct tally *t)
{
	const struct chip_progress done = chip_progress(g);

	tally_positions(g->chip, t, NULL, NULL);
	t->cycles = done.end_cycle ? done.end_cycle : done.cycle;
	t->drained_cycles = done.cycle;
	t->energy_cycles = t->cycles;
	t->unused_byte_cycles = dispatcher_unused(g->chip->dispatcher, t->cycles);
}

void tally_metrics(const struct tally *t, bool peaks, metric_fn *visit, void *ctx)
{
	for (unsigned i = 0; i < t->n; i++) {
		const struct tally_row *r = &t->row[i];
		struct metric m = {.name = r->name,
			.unit = r->def->unit,
			.text = r->def->text,
			.count = r->def->kind == STAT_MAX ? r->max : r->sum};

		if (peaks || r->def->kind != STAT_MAX)
			visit(ctx, &m);
	}
}

void chip_metrics(const struct gpu *g, metric_fn *visit, void *ctx)
{
	struct energy_sum energy;
	struct tally t;

	chip_tally(g, &t);
	warmup_subtract(g->chip, &t);
	energy_of_tally(g, &t, &energy);
	derived_metrics(g, &t, true, visit, ctx);
	energy_metrics(g, &t, &energy, visit, ctx);
	tally_metrics(&t, true, visit, ctx);
}

/* ---- part by part */
struct telling {
	const struct chip *chip;
	const char *wanted, *part;
	bool tells;
	unsigned position;
	part_metric_fn *visit;
	void *ctx;
};

static void tell_stat(void *ctx, const char *space, const struct stat_def *def, const uint64_t *at)
{
	struct telling *t = ctx;
	char name[TALLY_NAME];
	uint64_t before = warmup_count(t->chip, t->position++);
	struct metric m = {.name = name,
		.unit = def->unit,
		.text = def->text,
		.count = *at - (def->kind == STAT_MAX ? 0 : before)};

	if (!t->tells)
		return;
	metric_name(name, sizeof(name), space, def);
	t->visit(t->ctx, t->part, &m);
}

static void tell_part(void *ctx, const struct component *part, const char *space)
{
	struct telling *t = ctx;

	t->part = part->name;
	t->tells = !strncmp(part->name, t->wanted, strlen(t->wanted));
	part_stats(t->chip, part, space, tell_stat, t);
}

void chip_metrics_of_parts(const struct gpu *g, const char *begin, part_metric_fn *visit, void *ctx)
{
	struct telling t = {.chip = g->chip, .wanted = begin, .visit = visit, .ctx = ctx};

	chip_each_part(g->chip, tell_part, &t);
}

void chip_part_metrics(const struct gpu *g, part_metric_fn *visit, void *ctx)
{
	chip_metrics_of_parts(g, "", visit, ctx);
}
