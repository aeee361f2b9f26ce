/* warpbeam tune: runs the candidates in parallel, each in a process of its own, and reports the
 * curve and the best. */
#include "cli/tune/tune.h"

#include "cli/compare/compare.h"
#include "cli/html/results.h"
#include "draw/number.h"
#include "runs/work.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the work */
static const struct storage_ops *ops_of(const struct tune *t)
{
	return t->sm.plugin->ops;
}

static void add_need(struct tune *t, const struct launch_report *l)
{
	uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
	struct storage_need need = {.regs_per_thread = l->regs,
		.warps_per_cta = (uint32_t)div_up(threads, WARP_LANES),
		.shared_per_cta = l->shared_bytes};

	t->nneeds = storage_gather(t->needs, t->nneeds, &need);
}

/* The kernels' needs, from an untimed rehearsal. */
static int rehearse(struct tune *t, struct session *s, struct err *err)
{
	struct gpu *stage = gpu_new(s->config, t->o->run.files, err);
	struct launch_report l;
	struct work work;
	int bad = -1;

	if (stage &&
		!work_open(&work, t->target, s->scenario, &t->o->run, stage, s->config, &s->arena,
			err) &&
		!config_finish(s->config, err) && !work_rehearse(&work, stage, err)) {
		t->needs = arena_alloc(&s->arena, chip_launches(stage) + 1, sizeof(*t->needs));
		bad = 0;
		for (unsigned i = 0; !bad && i < chip_launches(stage); i++) {
			chip_launch_report(stage, i, &l);
			bad = t->o->splits ? 0 : sm_storage_holds(&t->sm, t->target, &l, err);
			add_need(t, &l);
		}
	}
	gpu_free(stage);
	return bad;
}

/* ---- candidates */
/* CTAs of each kernel when an SM has this number of warp slots. False: one does not fit, for which
 * the design may have said why. */
static bool ctas_with(const struct tune *t, struct storage_need *needs, uint64_t slots,
	uint32_t *ctas, struct err *why)
{
	struct storage_split split;

	for (unsigned i = 0; i < t->nneeds; i++) {
		needs[i] = t->needs[i];
		needs[i].warp_slots = storage_rules_warps(&t->sm.rules, (uint32_t)slots);
		needs[i].cta_slots = (uint32_t)t->sm.cta_slots;
		needs[i].rules = &t->sm.rules;
	}
	if (t->sm.once && ops_of(t)->split(t->sm.design, needs, t->nneeds, &split, why))
		return false;
	for (unsigned i = 0; i < t->nneeds; i++) {
		if (!t->sm.once && ops_of(t)->split(t->sm.design, &needs[i], 1, &split, why))
			return false;
		ctas[i] = storage_ctas(&split, &needs[i]);
		if (!ctas[i])
			return false;
	}
	return true;
}

static uint64_t most_threads(const struct tune *t, const uint32_t *ctas)
{
	uint64_t most = 0;

	for (unsigned i = 0; i < t->nneeds; i++)
		most = max_u64(most, (uint64_t)ctas[i] * t->needs[i].warps_per_cta * WARP_LANES);
	return most;
}

/* In the unified design storage is set aside for the number of threads; others have that many
 * slots. */
static void add_threads(struct tune *t, uint64_t threads, uint64_t slots, struct arena *arena)
{
	struct tune_candidate *c = &t->candidates[t->n++];
	char setting[80];

	*c = (struct tune_candidate){.threads = (double)threads};
	snprintf(c->value, sizeof(c->value), "%llu", (unsigned long long)threads);
	if (!strcmp(t->sm.name, "unified"))
		snprintf(setting, sizeof(setting), "storage.unified.threads=%llu",
			(unsigned long long)slots * WARP_LANES);
	else
		snprintf(setting, sizeof(setting), "sm.warps=%llu", (unsigned long long)slots);
	c->setting = arena_strdup(arena, setting);
}

/* Every number of resident CTAs that is possible with fewer slots. */
static void try_threads(struct tune *t, struct arena *arena)
{
	struct storage_need *needs = arena_alloc(arena, t->nneeds + 1, sizeof(*needs));
	uint32_t *ctas = arena_alloc(arena, t->nneeds + 1, sizeof(*ctas));
	uint32_t *last = arena_alloc(arena, t->nneeds + 1, sizeof(*last));
	size_t bytes = t->nneeds * sizeof(*ctas);

	for (uint64_t slots = t->sm.warp_slots; slots && t->n < TUNE_CANDIDATES; slots--) {
		if (!ctas_with(t, needs, slots, ctas, NULL) || (t->n && !memcmp(ctas, last, bytes)))
			continue;
		add_threads(t, most_threads(t, ctas), slots, arena);
		memcpy(last, ctas, bytes);
	}
}

/* Each split of the list in which all kernels fit. */
static int try_splits(struct tune *t, struct session *s, struct err *why, struct err *err)
{
	struct storage_need *needs = arena_alloc(&s->arena, t->nneeds + 1, sizeof(*needs));
	uint32_t *ctas = arena_alloc(&s->arena, t->nneeds + 1, sizeof(*ctas));

	for (unsigned i = 1; i <= TUNE_CANDIDATES; i++) {
		struct tune_candidate *c = &t->candidates[t->n];
		void *design = arena_alloc(&s->arena, 1, t->sm.plugin->size + 1);
		struct storage_split most;
		struct err none = {0};
		char setting[40];

		snprintf(setting, sizeof(setting), "storage.fermi.split=%u", i);
		c->setting = arena_strdup(&s->arena, setting);
		if (config_set_text(s->config, c->setting, "--splits", err) ||
			config_load(s->config, t->sm.plugin->path, t->sm.plugin->params,
				t->sm.plugin->nparams, design, err))
			return -1;
		if (ops_of(t)->most(design, &most, &none)) {
			err_clear(&none); /* the list has no more */
			return 0;
		}
		t->sm.design = design;
		if (!ctas_with(t, needs, t->sm.warp_slots, ctas, why))
			continue;
		c->threads = (double)most_threads(t, ctas);
		t->n++;
	}
	return 0;
}

static int find_candidates(struct tune *t, struct session *s, struct err *err)
{
	struct err why = {0};
	int bad = 0;

	if (t->o->splits && strcmp(t->sm.name, "fermi") != 0)
		return err_add(err, ERR_USAGE,
			"--splits: chip.storage is %s; only fermi has splits to choose from",
			t->sm.name);
	if (t->o->splits && try_splits(t, s, &why, err))
		bad = -1;
	else if (t->o->concurrency && tune_levels(t, s, err))
		bad = -1;
	else if (!t->o->splits && !t->o->concurrency)
		try_threads(t, &s->arena);
	if (!bad && !t->n)
		bad = err_add(err, ERR_RESOURCE,
			"%s: no split of chip.storage = %s holds a CTA of each kernel%s%.*s; see "
			"warpbeam occupancy %s",
			t->target, t->sm.name, why.count ? ": " : "",
			why.count ? (int)strcspn(err_text(&why), "\n") : 0,
			why.count ? err_text(&why) : "", t->target);
	err_clear(&why);
	return bad;
}

/* ---- the runs */
static struct trial make_trial(struct tune *t, unsigned i, struct arena *arena)
{
	struct tune_candidate *c = &t->candidates[i];
	struct layer *layer = arena_alloc(arena, 1, sizeof(*layer));
	struct party *party = arena_alloc(arena, 1, sizeof(*party));
	size_t room = strlen(t->target) + strlen(c->setting) + 3;
	char *name = arena_alloc(arena, room, 1);

	snprintf(name, room, "%s, %s", t->target, c->setting);
	*layer = (struct layer){.origin = "tune", .set = &c->setting, .nset = 1};
	party->target = t->target;
	return (struct trial){.name = name,
		.machine = {.scenarios = &t->target,
			.nscenarios = work_is_scenario(t->target) ? 1 : 0,
			.layers = layer,
			.nlayers = 1},
		.parties = party,
		.nparties = 1,
		.may_stop = true};
}

static double metric(const json_t *report, const char *name)
{
	const json_t *j = json_object_get(json_object_get(report, "metrics"), name);

	return json_number_value(json_object_get(j, "value"));
}

static double launch_figure(const json_t *launch, const char *name)
{
	return json_number_value(json_object_get(launch, name));
}

static void read_candidate(struct tune_candidate *c, const json_t *report, bool splits)
{
	const json_t *launches = json_object_get(report, "launches"), *l;
	size_t i;

	c->cycles = metric(report, "gpc__cycles_elapsed.max");
	c->dram_bytes = metric(report, "dram__bytes.sum");
	c->energy_nj = metric(report, "energy__total.sum");
	c->local_miss = metric(report, "l1tex__t_lines_local_load.sum") > 0
				? 100 - metric(report, "l1tex__t_line_local_load_hit_rate.pct")
				: 0;
	c->cache_bytes = INFINITY;
	json_array_foreach(launches, i, l)
	{
		c->cache_bytes = fmin(c->cache_bytes, launch_figure(l, "sm_cache_bytes"));
		if (splits)
			snprintf(c->value, sizeof(c->value), "%.0f/%.0f",
				launch_figure(l, "sm_shared_bytes") / 1024,
				launch_figure(l, "sm_cache_bytes") / 1024);
	}
}

static bool is_better(const struct tune_candidate *c, const struct tune_candidate *best)
{
	if (c->stopped || best->stopped)
		return best->stopped && !c->stopped;
	return c->cycles < best->cycles ||
	       (c->cycles == best->cycles && c->threads > best->threads);
}

/* Of equals the one with the most threads; candidates stopped by a limit are left out. */
static void read_trials(struct tune *t, const struct trial *trials)
{
	for (unsigned i = 0; i < t->n; i++) {
		struct tune_candidate *c = &t->candidates[i];

		c->stopped = trials[i].stopped;
		if (c->stopped)
			c->cycles = c->dram_bytes = c->energy_nj = c->cache_bytes = c->local_miss =
				NAN;
		else
			read_candidate(c, trials[i].report, t->o->splits);
		if (is_better(c, &t->candidates[t->best]))
			t->best = i;
	}
	while (!t->o->concurrency && t->candidates[t->base].stopped && t->base < t->best)
		t->base++;
	t->report = trials[t->best].report;
}

/* ---- the command */
static int check_options(const struct options *o, struct err *err)
{
	options_one_to_stdout(o, err);
	if (o->splits && o->concurrency)
		err_add(err, ERR_USAGE, "--splits and --concurrency: a tuning tries one of them");
	if (o->mem && (!o->concurrency || (strcmp(o->mem, "offchip") && strcmp(o->mem, "spills"))))
		err_add(err, ERR_USAGE,
			"--mem %s: with --concurrency, offchip counts all accesses off the chip, "
			"spills those of spilled values",
			o->mem);
	work_admit(o->operands.at[0], &o->run, err);
	if (o->concurrency)
		work_no_program(o->operands.at[0], "--concurrency", err);
	return err->count ? -1 : 0;
}

static int run_candidates(struct tune *t, struct session *s, struct err *err)
{
	struct output_texts outputs = {t, tune_json, tune_csv, tune_svg, tune_text};
	struct trial *trials = arena_alloc(&s->arena, t->n, sizeof(*trials));
	int bad;

	for (unsigned i = 0; i < t->n; i++)
		trials[i] = make_trial(t, i, &s->arena);
	bad = trials_run(&t->o->run, trials, t->n, err);
	if (!bad)
		read_trials(t, trials);
	if (!bad && t->report)
		bad = page_results(t->o, ": tune", &outputs, NULL, &s->arena, err) ||
		      options_write(t->o, &outputs, &s->out, err);
	trials_free(trials, t->n);
	return bad || err->code ? -1 : 0;
}

/* The machine on which levels are found: --mem is a setting of their rule alone. */
static int open_machine(struct tune *t, struct session *s, struct err *err)
{
	struct layer *layer = arena_alloc(&s->arena, 1, sizeof(*layer));
	const char **set = arena_alloc(&s->arena, 1, sizeof(*set));
	const char *mem = t->o->mem;

	*set = mem && !strcmp(mem, "spills") ? "gpu.level_memory=spills"
					     : "gpu.level_memory=offchip";
	*layer = (struct layer){.origin = "--mem", .set = set, .nset = 1};
	t->machine = (struct machine){
		&t->target, work_is_scenario(t->target) ? 1 : 0, layer, mem != NULL};
	return session_open_machine(s, &t->o->run, &t->machine, err);
}

int command_tune(const struct options *o, struct session *s, struct err *err)
{
	struct tune t = {.o = o, .target = o->operands.at[0]};

	if (check_options(o, err) || open_machine(&t, s, err) ||
		sm_storage_read(&t.sm, s->config, &s->arena, err) || rehearse(&t, s, err) ||
		find_candidates(&t, s, err))
		return -1;
	return run_candidates(&t, s, err);
}
