/* Measures Table 1 of Gebhart et al., MICRO 2012, as doc/reproduce.md says. */
#include "cli/table1_run.h"

#include "cli/reproduce.h"

#include "cli/compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const unsigned reproduce_cache_kb[REPRODUCE_CACHES] = {0, 64, 256};

/* The paper's machine: one SM with an even share of the bandwidth, with more registers and shared
 * memory than any workload takes. */
const char *const table1_machine[] = {
	"chip.sms=1",
	"chip.channels=1",
	"chip.slices=1",
	"chip.bytes_per_ns=8",
	"chip.network=ideal",
	"l2.bytes=0",
	"sm.invalidate_l1=false",
	"chip.storage=partitioned",
	"storage.partitioned.register_bytes=64M",
	"storage.partitioned.shared_bytes=64M",
};
const unsigned table1_nmachine = ARRAY_LEN(table1_machine);

/* ---- what is asked for */
static const struct table1_row *find_row(const char *name, struct err *err)
{
	const char *names[TABLE1_ROWS], *near;

	for (unsigned i = 0; i < TABLE1_ROWS; i++) {
		if (!strcmp(table1_rows[i].workload, name))
			return &table1_rows[i];
		names[i] = table1_rows[i].workload;
	}
	near = err_nearest(name, names, TABLE1_ROWS);
	err_add(err, ERR_USAGE, "table1 has no row '%s'%s%s%s", name,
		near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
	return NULL;
}

static bool is_missing(const char *workload)
{
	for (size_t i = 0; plugins[i]; i++)
		if (!strcmp(plugins[i]->kind, "workload") && !strcmp(plugins[i]->name, workload))
			return false;
	return true;
}

static int plan(
	struct reproduction *r, const struct options *o, struct arena *arena, struct err *err)
{
	unsigned named = o->operands.n - 1;

	*r = (struct reproduction){.o = o, .n = named ? named : TABLE1_ROWS};
	r->rows = arena_alloc(arena, r->n, sizeof(*r->rows));
	for (unsigned i = 0; i < r->n; i++) {
		const struct table1_row *row =
			named ? find_row(o->operands.at[1 + i], err) : &table1_rows[i];

		r->rows[i].paper = row;
		if (row)
			r->rows[i].missing = is_missing(row->workload);
	}
	return err->count ? -1 : 0;
}

/* ---- trials: each row with each cache */
static struct trial make_trial(const char *workload, unsigned cache_kb, struct arena *arena)
{
	const char **set = arena_alloc(arena, ARRAY_LEN(table1_machine) + 1, sizeof(*set));
	struct layer *layer = arena_alloc(arena, 1, sizeof(*layer));
	struct party *party = arena_alloc(arena, 1, sizeof(*party));
	size_t room = strlen(workload) + 64;
	char *name = arena_alloc(arena, room, 1), *cache = arena_alloc(arena, 64, 1);

	for (unsigned i = 0; i < ARRAY_LEN(table1_machine); i++)
		set[i] = table1_machine[i];
	snprintf(cache, 64, "storage.partitioned.cache_bytes=%uK", cache_kb);
	set[ARRAY_LEN(table1_machine)] = cache;
	snprintf(name, room, "%s, %u KB of cache", workload, cache_kb);
	*layer = (struct layer){.origin = name, .set = set, .nset = ARRAY_LEN(table1_machine) + 1};
	party->target = workload;
	return (struct trial){.name = name,
		.machine = {.layers = layer, .nlayers = 1},
		.parties = party,
		.nparties = 1};
}

static unsigned make_trials(const struct reproduction *r, struct trial *trials, struct arena *arena)
{
	unsigned n = 0;

	for (unsigned i = 0; i < r->n; i++)
		for (unsigned k = 0; k < REPRODUCE_CACHES && !r->rows[i].missing; k++)
			trials[n++] = make_trial(
				r->rows[i].paper->workload, reproduce_cache_kb[k], arena);
	return n;
}

static void read_trials(struct reproduction *r, const struct trial *trials)
{
	for (unsigned i = 0; i < r->n; i++) {
		struct reproduced_row *row = &r->rows[i];

		if (row->missing)
			continue;
		for (unsigned k = 0; k < REPRODUCE_CACHES; k++)
			row->report[k] = (trials++)->report;
		reproduce_read(row);
	}
}

/* ---- figures */
static double field(const json_t *launch, const char *name)
{
	return json_number_value(json_object_get(launch, name));
}

/* Threads of one CTA. */
static double threads(const json_t *launch)
{
	const json_t *block = json_object_get(launch, "block");
	double n = 1;

	for (size_t i = 0; i < json_array_size(block); i++)
		n *= json_number_value(json_array_get(block, i));
	return n;
}

/* Whether another launch of the same kernel has larger CTAs: shared memory is allocated for those.
 */
static bool is_partial(const json_t *launches, const json_t *launch)
{
	const json_t *name = json_object_get(launch, "kernel"), *other;
	size_t i;

	json_array_foreach(launches, i, other)
	{
		if (json_equal(json_object_get(other, "kernel"), name) &&
			threads(other) > threads(launch))
			return true;
	}
	return false;
}

static double dram_bytes(const json_t *report)
{
	struct outcome o;

	outcome_read(&o, report, 1);
	return o.figure[FIGURE_BYTES];
}

void reproduce_read(struct reproduced_row *row)
{
	const json_t *launches = json_object_get(row->report[0], "launches"), *l;
	double *ours = row->ours, largest = dram_bytes(row->report[REPRODUCE_CACHES - 1]);
	size_t i;

	ours[TABLE1_REGISTERS] = ours[TABLE1_SHARED] = 0;
	json_array_foreach(launches, i, l)
	{
		ours[TABLE1_REGISTERS] =
			fmax(ours[TABLE1_REGISTERS], field(l, "max_live_registers"));
		if (!is_partial(launches, l))
			ours[TABLE1_SHARED] =
				fmax(ours[TABLE1_SHARED], field(l, "shared_bytes") / threads(l));
	}
	ours[TABLE1_REGISTER_FILE] = ours[TABLE1_REGISTERS] * 4 * TABLE1_THREADS / 1024;
	for (unsigned f = TABLE1_SPILLED_18; f <= TABLE1_SPILLED_40; f++)
		ours[f] = NAN;
	for (unsigned k = 0; k < REPRODUCE_CACHES; k++)
		ours[TABLE1_DRAM_0 + k] = largest > 0 ? dram_bytes(row->report[k]) / largest : NAN;
	row->category = table1_categorise(ours);
}

bool reproduce_judges(const struct reproduced_row *row, unsigned figure)
{
	return table1_figures[figure].band > 0 && (figure < TABLE1_SPILLED_18 || !row->shift);
}

struct reproduce_score reproduce_figure_score(
	const struct reproduction *r, enum table1_figure figure)
{
	struct reproduce_score score = {0};

	for (unsigned i = 0; i < r->n; i++) {
		const struct reproduced_row *row = &r->rows[i];
		bool within, spill = figure >= TABLE1_SPILLED_18;

		if (row->missing || !reproduce_judges(row, figure))
			continue;
		within = table1_within(row->paper, figure, row->ours[figure]);
		score.measured++;
		score.within += within;
		score.below += spill && !within && row->ours[figure] < row->paper->figure[figure];
		score.above += spill && !within && row->ours[figure] > row->paper->figure[figure];
	}
	return score;
}

struct reproduce_score reproduce_category_score(const struct reproduction *r)
{
	struct reproduce_score score = {0};

	for (unsigned i = 0; i < r->n; i++) {
		const struct reproduced_row *row = &r->rows[i];

		score.measured += !row->missing;
		score.within += !row->missing && row->category == row->paper->category;
	}
	return score;
}

/* ---- the whole */
static int write_json(void *ctx, struct text *out)
{
	return reproduce_json(ctx, out);
}

static void write_csv(void *ctx, struct text *out)
{
	reproduce_csv(ctx, out);
}

static void write_text(void *ctx, struct text *out)
{
	reproduce_text(ctx, out);
}

static int run(const struct options *o, struct session *s, struct err *err)
{
	struct reproduction r;
	struct compare_output outputs = {&r, write_json, write_csv, NULL, write_text};
	struct trial *trials;
	unsigned n;
	int bad;

	if (plan(&r, o, &s->arena, err))
		return -1;
	trials = arena_alloc(&s->arena, REPRODUCE_CACHES * r.n, sizeof(*trials));
	n = make_trials(&r, trials, &s->arena);
	bad = n ? trials_run(o, trials, n, err) : 0;
	if (!bad) {
		read_trials(&r, trials);
		bad = reproduce_spills(&r, &s->arena, err) ||
		      compare_write(o, &outputs, &s->out, err);
	}
	trials_free(trials, n);
	return bad;
}

const struct reproduced reproduced_table1 = {
	.name = "table1",
	.text = "Registers, shared memory, DRAM traffic by cache (Gebhart et al., MICRO 2012).",
	.run = run,
};
