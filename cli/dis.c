/* Figures of the dissertation: its rows are asked for twice, first to learn which runs they need,
 * then, when those are done, for their numbers. */
#include "cli/dis.h"

#include "cli/compare.h"
#include "cli/table1.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct dis_table *const dis_tables[] = {&dis_fig27, &dis_table45, &dis_table46, &dis_chapter5,
	&dis_fig61, &dis_fig610, &dis_fig611, &dis_fig612, &dis_fig613, &dis_fig614, &dis_fig615,
	&dis_fig616, &dis_fig618, &dis_fig619, &dis_table61, &dis_limits, NULL};

/* Table 1's, and the one of the dissertation's headline workloads that it lacks. */
#define MORE_WORKLOAD "reduction"
#define MOST_WORKLOADS (TABLE1_ROWS + 1 + COMPARE_TARGETS)
#define MOST_SETTINGS 40

struct dis {
	const struct options *o;
	struct arena *arena;
	const char *workload[MOST_WORKLOADS];
	unsigned nworkloads;
	bool planning;
	enum dis_view view;
	struct dis_design *design;
	unsigned ndesigns, design_room;
	struct trial *trials; /* by design, by workload */
	const struct dis_table *table;
	struct dis_said *said;
	unsigned nsaid, said_room, at; /* at: in other views than the first */
};

/* ---- designs */
#define SOFTWARE "rf.hierarchy=software"
#define HARDWARE "rf.hierarchy=hardware"

static struct dis_design design_of(const char *format, ...) __attribute__((format(printf, 1, 2)));
static struct dis_design design_of(const char *format, ...)
{
	struct dis_design d = {.timed = false};
	va_list list;
	int n;

	va_start(list, format);
	n = vsnprintf(d.set, sizeof(d.set), format, list);
	va_end(list);
	BUG_ON(n < 0 || (size_t)n >= sizeof(d.set));
	return d;
}

struct dis_design dis_single(void)
{
	return design_of("rf.hierarchy=none");
}

struct dis_design dis_soft(unsigned entries, unsigned lrf, const char *more)
{
	return design_of(SOFTWARE " rf.entries=%u rf.lrf=%u %s", entries, lrf, more);
}

struct dis_design dis_hard(unsigned entries, unsigned lrf, const char *more)
{
	return design_of(HARDWARE " rf.entries=%u rf.lrf=%u %s", entries, lrf, more);
}

/* The dissertation's SM (its table 4.4), alone: 32 warps, 128 KB of registers, 16 bytes a cycle of
 * DRAM. */
struct dis_design dis_active(unsigned warps, const char *more)
{
	struct dis_design d = design_of(
		"chip.sms=1 chip.channels=1 chip.slices=1 chip.bytes_per_ns=16 "
		"chip.network=ideal l2.bytes=0 sm.scheduler=two_level "
		"storage.partitioned.register_bytes=64M storage.partitioned.shared_bytes=64M "
		"sm.active_warps=%u %s",
		warps, more);

	d.timed = true;
	return d;
}

/* The same design, but that nothing is lost where strands end or warps step aside. */
static struct dis_design kept(const struct dis_design *d)
{
	if (strstr(d->set, "rf.keep") || strstr(d->set, "rf.flush") || d->timed)
		return *d;
	if (!strncmp(d->set, SOFTWARE, strlen(SOFTWARE)))
		return design_of("%s rf.keep_past_waits=true rf.keep_past_branches=true", d->set);
	if (!strncmp(d->set, HARDWARE, strlen(HARDWARE)))
		return design_of("%s rf.flush=false", d->set);
	return *d;
}

static unsigned find_design(struct dis *d, const struct dis_design *design)
{
	unsigned k = 0;

	while (k < d->ndesigns &&
		(strcmp(d->design[k].set, design->set) || d->design[k].timed != design->timed))
		k++;
	if (k < d->ndesigns)
		return k;
	BUG_ON(!d->planning);
	if (k == d->design_room) {
		struct dis_design *grown = arena_alloc(d->arena, 2 * k + 16, sizeof(*grown));

		if (k)
			memcpy(grown, d->design, k * sizeof(*grown));
		d->design = grown;
		d->design_room = 2 * k + 16;
	}
	d->design[d->ndesigns++] = *design;
	return k;
}

/* ---- numbers */
static const json_t *report_of(struct dis *d, unsigned workload, const struct dis_design *design)
{
	struct dis_design other = d->view == VIEW_KEPT ? kept(design) : *design;
	unsigned k = find_design(d, &other);

	return d->planning ? NULL : d->trials[k * d->nworkloads + workload].report;
}

double dis_of(struct dis *d, unsigned workload, const struct dis_design *design, dis_metric *metric)
{
	const json_t *report = report_of(d, workload, design);

	if (d->view == VIEW_DATA)
		metric = dis_data_metric(metric);
	return report ? metric(report) : NAN;
}

bool dis_long_strands(struct dis *d, unsigned w)
{
	struct dis_design single = dis_single();

	return dis_of(d, w, &single, dis_strand) >= DIS_LONG_STRAND;
}

/* A figure of a workload that means are taken over in this view; else NAN. */
static double in_view(struct dis *d, unsigned w, double v)
{
	return d->view == VIEW_STRANDS && !dis_long_strands(d, w) ? NAN : v;
}

double dis_mean(struct dis *d, const struct dis_design *design, dis_metric *metric)
{
	double sum = 0;
	unsigned n = 0;

	for (unsigned w = 0; w < d->nworkloads; w++) {
		double v = in_view(d, w, dis_of(d, w, design, metric));

		sum += isnan(v) ? 0 : v;
		n += isnan(v) ? 0 : 1;
	}
	return n ? sum / n : NAN;
}

double dis_mean_ratio(
	struct dis *d, const struct dis_design *design, const char *count, const char *by)
{
	double sum = 0;
	unsigned n = 0;

	if (d->view == VIEW_DATA) {
		count = dis_data_count(count);
		by = dis_data_count(by);
	}
	for (unsigned w = 0; w < d->nworkloads; w++) {
		const json_t *report = report_of(d, w, design);
		double v = in_view(d, w, report ? dis_ratio(report, count, by) : NAN);

		sum += isnan(v) ? 0 : v;
		n += isnan(v) ? 0 : 1;
	}
	return n ? sum / n : NAN;
}

double dis_best(struct dis *d, dis_sweep *sweep, unsigned most, dis_metric *metric)
{
	double best = NAN, where = NAN;

	for (unsigned n = 1; n <= most; n++) {
		struct dis_design design = sweep(n);
		double v = dis_mean(d, &design, metric);

		if (isnan(best) || v > best) {
			best = v;
			where = isnan(v) ? NAN : (double)n;
		}
	}
	return where;
}

unsigned dis_workloads(const struct dis *d)
{
	return d->nworkloads;
}

const char *dis_workload(const struct dis *d, unsigned w)
{
	return d->workload[w];
}

/* ---- rows */
void dis_say(struct dis *d, const struct dis_row *row)
{
	if (d->planning)
		return;
	if (d->view != VIEW_ALL) {
		d->said[d->at++].ours[d->view] = row->ours;
		return;
	}
	if (d->nsaid == d->said_room) {
		struct dis_said *grown = arena_alloc(d->arena, 2 * d->nsaid + 64, sizeof(*grown));

		if (d->nsaid)
			memcpy(grown, d->said, d->nsaid * sizeof(*grown));
		d->said = grown;
		d->said_room = 2 * d->nsaid + 64;
	}
	d->said[d->nsaid++] = (struct dis_said){d->table, *row, {row->ours, NAN, NAN, NAN}};
}

const char *dis_words(struct dis *d, const char *format, ...)
{
	char words[320];
	va_list list;

	if (d->planning)
		return NULL;
	va_start(list, format);
	vsnprintf(words, sizeof(words), format, list);
	va_end(list);
	return arena_strdup(d->arena, words);
}

void dis_tell(struct dis *d, const char *unit, double ours, const char *format, ...)
{
	struct dis_row row = {.claim = "",
		.unit = unit,
		.paper = NAN,
		.low = NAN,
		.high = NAN,
		.ours = ours,
		.judge = DIS_TOLD};
	va_list list;

	va_start(list, format);
	vsnprintf(row.text, sizeof(row.text), format, list);
	va_end(list);
	dis_say(d, &row);
}

const struct dis_said *dis_all_said(const struct dis *d, unsigned *n)
{
	*n = d->nsaid;
	return d->said;
}

const struct options *dis_options(const struct dis *d)
{
	return d->o;
}

const char *dis_verdict(const struct dis_row *row)
{
	if (row->judge == DIS_PRIVATE)
		return "not comparable";
	if (row->judge == DIS_TOLD)
		return "";
	if (isnan(row->ours))
		return "missing";
	return row->ours >= row->low - 1e-9 && row->ours <= row->high + 1e-9 ? "within" : "missed";
}

/* ---- workloads, runs */
static bool exists(const char *workload)
{
	for (size_t i = 0; plugins[i]; i++)
		if (!strcmp(plugins[i]->kind, "workload") && !strcmp(plugins[i]->name, workload))
			return true;
	return false;
}

static int choose_workloads(struct dis *d, struct err *err)
{
	for (unsigned i = 1; i < d->o->operands.n; i++) {
		if (!exists(d->o->operands.at[i]))
			err_add(err, ERR_USAGE, "there is no workload '%s'", d->o->operands.at[i]);
		d->workload[d->nworkloads++] = d->o->operands.at[i];
	}
	if (d->nworkloads)
		return err->count ? -1 : 0;
	for (unsigned i = 0; i < TABLE1_ROWS; i++)
		if (exists(table1_rows[i].workload))
			d->workload[d->nworkloads++] = table1_rows[i].workload;
	d->workload[d->nworkloads++] = MORE_WORKLOAD;
	return 0;
}

/* A table's rows in this view: behind its first one. */
static void rows_of(struct dis *d, const struct dis_table *table)
{
	d->table = table;
	d->at = 0;
	while (d->at < d->nsaid && d->said[d->at].table != table)
		d->at++;
	table->rows(d);
}

static void all_rows(struct dis *d, const struct dis_table *const *tables, unsigned n)
{
	for (d->view = VIEW_ALL; d->view < VIEWS; d->view++)
		for (unsigned i = 0; i < n; i++)
			if (tables[i]->views >> d->view & 1 || d->view == VIEW_ALL)
				rows_of(d, tables[i]);
	d->view = VIEW_ALL;
}

static const struct layer *layer_of(struct dis *d, const struct dis_design *design)
{
	struct layer *layer = arena_alloc(d->arena, 1, sizeof(*layer));
	const char **set = arena_alloc(d->arena, MOST_SETTINGS, sizeof(*set));
	char *text = arena_strdup(d->arena, design->set), *rest = NULL;

	*layer = (struct layer){.origin = "reproduce", .chip = "dis40", .set = set};
	for (char *at = strtok_r(text, " ", &rest); at; at = strtok_r(NULL, " ", &rest)) {
		BUG_ON(layer->nset == MOST_SETTINGS);
		set[layer->nset++] = at;
	}
	return layer;
}

static struct trial make_trial(struct dis *d, const struct dis_design *design,
	const struct layer *layer, const char *workload)
{
	struct party *party = arena_alloc(d->arena, 1, sizeof(*party));
	size_t room = strlen(workload) + sizeof(design->set) + 4;
	char *name = arena_alloc(d->arena, room, 1);

	snprintf(name, room, "%s, %s", workload, design->set);
	party->target = workload;
	return (struct trial){.name = name,
		.machine = {.layers = layer, .nlayers = 1},
		.parties = party,
		.nparties = 1,
		.act = design->timed ? NULL : dis_act};
}

static unsigned make_trials(struct dis *d)
{
	unsigned n = 0;

	d->trials =
		arena_alloc(d->arena, (size_t)d->ndesigns * d->nworkloads + 1, sizeof(*d->trials));
	for (unsigned k = 0; k < d->ndesigns; k++) {
		const struct layer *layer = layer_of(d, &d->design[k]);

		for (unsigned w = 0; w < d->nworkloads; w++)
			d->trials[n++] = make_trial(d, &d->design[k], layer, d->workload[w]);
	}
	return n;
}

/* ---- the whole */
static int write_json(void *ctx, struct text *out)
{
	return dis_json(ctx, out);
}

static void write_csv(void *ctx, struct text *out)
{
	dis_csv(ctx, out);
}

static void write_text(void *ctx, struct text *out)
{
	dis_text(ctx, out);
}

int dis_run(const struct dis_table *const *tables, unsigned n, const struct options *o,
	struct session *s, struct err *err)
{
	struct dis d = {.o = o, .arena = &s->arena, .planning = true};
	struct compare_output outputs = {&d, write_json, write_csv, NULL, write_text};
	unsigned runs;
	int bad;

	if (choose_workloads(&d, err))
		return -1;
	all_rows(&d, tables, n);
	runs = make_trials(&d);
	bad = runs ? trials_run(o, d.trials, runs, err) : 0;
	d.planning = false;
	if (!bad) {
		all_rows(&d, tables, n);
		bad = compare_write(o, &outputs, &s->out, err);
	}
	trials_free(d.trials, runs);
	return bad;
}
