/* The designs of storage side by side: each by its own rule. A need limits the CTAs if the design,
 * with that need alone, would hold no more. */
#include "cli/occupancy/occupancy.h"

#include <stdio.h>
#include <string.h>

const struct occupancy_limit_name occupancy_limit_names[OCCUPANCY_LIMITS] = {
	[LIMIT_REGISTERS] = {"registers", "registers"},
	[LIMIT_SHARED] = {"shared", "shared memory"},
	[LIMIT_STORAGE] = {"storage", "registers + shared memory"},
	[LIMIT_WARP_SLOTS] = {"warp_slots", "warp slots"},
	[LIMIT_CTA_SLOTS] = {"cta_slots", "CTA slots"},
	[LIMIT_GRID] = {"grid", "the grid"},
};

/* ---- designs */
#define UNIFIED 4 /* capacities */

static const struct storage_ops *ops_of(const struct occupancy_design *d)
{
	return d->plugin->ops;
}

/* Loads the design with one setting over all others. 0 or -1. */
static int load(const struct options *o, const char *setting, struct occupancy_design *d,
	struct arena *arena, struct err *err)
{
	struct session *s = session_within(arena);
	struct layer layer = {.origin = "occupancy", .set = &setting, .nset = setting ? 1 : 0};
	struct machine m = {.layers = &layer, .nlayers = 1};
	struct storage_split most;
	int bad = session_settings(s, &o->run, &m, err);

	d->self = arena_alloc(arena, 1, d->plugin->size + 1);
	if (!bad)
		bad = config_load(s->config, d->plugin->path, d->plugin->params, d->plugin->nparams,
			      d->self, err) ||
		      ops_of(d)->most(d->self, &most, err);
	for (size_t i = 0; i < d->plugin->nparams; i++) {
		const struct param_def *p = &d->plugin->params[i];
		const char **name = (const char **)(void *)((char *)d->self + p->offset);

		if (p->type == PARAM_NAME && *name)
			*name = arena_strdup(arena, *name); /* outlives its configuration */
	}
	session_close(s);
	return bad;
}

static int add(struct occupancy *q, const char *kind, const char *setting, const char *name,
	struct arena *arena, struct err *err)
{
	struct occupancy_design *d = &q->designs[q->ndesigns];

	d->plugin = plugin_find("storage", kind, "chip.storage", err);
	if (!d->plugin || load(q->o, setting, d, arena, err))
		return -1;
	d->name = name;
	q->ndesigns++;
	return 0;
}

/* Each split of the list, named by its sizes. */
static int add_fermi(struct occupancy *q, struct arena *arena, struct err *err)
{
	struct storage_need nothing = {.warps_per_cta = 1};

	if (add(q, "fermi", NULL, "", arena, err)) /* wrong settings are reported */
		return -1;
	q->ndesigns--;
	for (unsigned i = 1; q->ndesigns < OCCUPANCY_DESIGNS - UNIFIED - 2; i++) {
		struct occupancy_design *d = &q->designs[q->ndesigns];
		struct storage_split split;
		char setting[40], name[64];
		struct err wrong = {0};

		snprintf(setting, sizeof(setting), "storage.fermi.split=%u", i);
		if (add(q, "fermi", setting, "", arena, &wrong)) {
			bool end = i > 1 && wrong.code == ERR_INPUT;

			if (end)
				err_clear(&wrong); /* the list has no more */
			err_move(err, &wrong);
			return end ? 0 : -1;
		}
		ops_of(d)->split(d->self, &nothing, 1, &split, NULL);
		snprintf(name, sizeof(name), "fermi %llu/%llu",
			(unsigned long long)split.shared_bytes / 1024,
			(unsigned long long)split.cache_bytes / 1024);
		d->name = arena_strdup(arena, name);
	}
	return 0;
}

static int add_unified(
	struct occupancy *q, const char *setting, double kb, struct arena *arena, struct err *err)
{
	char name[40];

	snprintf(name, sizeof(name), "unified %.10g", kb);
	return add(q, "unified", setting, arena_strdup(arena, name), arena, err);
}

/* Carve-outs are what a chip has, or not: the rule of one is that of its own list. */
static int add_carveout(struct occupancy *q, struct arena *arena, struct err *err)
{
	return q->carveout ? add(q, "carveout", NULL, "carveout", arena, err) : 0;
}

/* KB of the unified design in the settings; 0: they are wrong. */
static double asked_kb(struct occupancy *q, struct arena *arena, struct err *err)
{
	struct occupancy_design *d = &q->designs[q->ndesigns];
	struct storage_split most;

	if (add(q, "unified", NULL, "", arena, err))
		return 0;
	q->ndesigns--;
	ops_of(d)->most(d->self, &most, err);
	return (double)most.register_bytes / 1024;
}

int occupancy_designs(struct occupancy *q, struct arena *arena, struct err *err)
{
	static const unsigned kb[UNIFIED] = {128, 256, 384, 512};
	unsigned before = err->count; /* what was left out */
	double asked = asked_kb(q, arena, err);
	bool among = false;

	if (err->count > before || add(q, "partitioned", NULL, "partitioned", arena, err) ||
		add_fermi(q, arena, err) || add_carveout(q, arena, err))
		return -1;
	for (unsigned i = 0; i < UNIFIED; i++) {
		char setting[48];

		snprintf(setting, sizeof(setting), "storage.unified.bytes=%uK", kb[i]);
		if (add_unified(q, setting, kb[i], arena, err))
			return -1;
		among |= kb[i] == asked;
	}
	return among ? 0 : add_unified(q, NULL, asked, arena, err);
}

/* ---- rows */
/* The split for a kernel: its own, or the one for all. */
struct finding {
	const struct occupancy_design *d;
	const struct storage_split *all; /* NULL: its own */
};

static uint32_t fit(struct finding f, const struct storage_need *need, struct storage_split *split)
{
	if (f.all)
		*split = *f.all;
	else if (ops_of(f.d)->split(f.d->self, need, 1, split, NULL))
		return 0;
	return storage_ctas(split, need);
}

/* CTAs that would fit if they needed no shared memory, or no registers. */
static uint32_t fit_registers(struct finding f, const struct storage_need *need)
{
	struct storage_rules rules = *need->rules;
	struct storage_need only = {.regs_per_thread = need->regs_per_thread,
		.warps_per_cta = need->warps_per_cta,
		.rules = &rules};
	struct storage_split split;

	rules.p.shared_reserved = 0;
	return fit(f, &only, &split);
}

static uint32_t fit_shared(struct finding f, const struct storage_need *need)
{
	struct storage_need only = {.warps_per_cta = need->warps_per_cta,
		.shared_per_cta = need->shared_per_cta,
		.rules = need->rules};
	struct storage_split split;

	return fit(f, &only, &split);
}

static void find_limits(struct finding f, const struct storage_need *need, struct occupancy_row *r)
{
	uint32_t warps = need->warps_per_cta;
	struct storage_need warp_slots = {.warps_per_cta = warps, .warp_slots = need->warp_slots};
	struct storage_need cta_slots = {.warps_per_cta = warps, .cta_slots = need->cta_slots};
	bool any = false, by_slots;

	r->limits[LIMIT_WARP_SLOTS] = storage_slots(&warp_slots) == r->ctas;
	r->limits[LIMIT_CTA_SLOTS] = storage_slots(&cta_slots) == r->ctas;
	by_slots = r->limits[LIMIT_WARP_SLOTS] || r->limits[LIMIT_CTA_SLOTS];
	if (f.all && by_slots) /* storage set aside for the slots is not a limit of its own */
		return;
	r->limits[LIMIT_REGISTERS] = need->regs_per_thread && fit_registers(f, need) == r->ctas;
	r->limits[LIMIT_SHARED] = storage_cta_shared(need) && fit_shared(f, need) == r->ctas;
	for (unsigned i = 0; i < OCCUPANCY_LIMITS; i++)
		any |= r->limits[i];
	r->limits[LIMIT_STORAGE] = !any;
}

static void fill(const struct occupancy *q, const struct occupancy_kernel *k, struct finding f,
	struct occupancy_row *r)
{
	uint64_t share = k->launches ? div_up(k->ctas, q->sms) : UINT32_MAX;

	uint32_t wanted = (uint32_t)q->o->for_ctas;

	r->ctas = r->resident = fit(f, &k->need, &r->split);
	if (wanted)
		r->allowance = f.all ? storage_allow(f.all, &k->need, wanted)
				     : ops_of(f.d)->allow(f.d->self, &k->need, wanted);
	if (!r->ctas)
		r->split = (struct storage_split){0};
	if (share < r->ctas) {
		r->resident = (uint32_t)share;
		r->limits[LIMIT_GRID] = true;
	} else {
		find_limits(f, &k->need, r);
	}
}

/* One split for all kernels: all zero when none holds a CTA of each. */
static void split_once(const struct occupancy *q, const struct occupancy_design *d,
	struct storage_need *needs, struct storage_split *split)
{
	unsigned n = 0;

	for (unsigned i = 0; i < q->nkernels; i++)
		n = storage_gather(needs, n, &q->kernels[i].need);
	if (ops_of(d)->split(d->self, needs, n, split, NULL))
		*split = (struct storage_split){0};
}

void occupancy_rows(struct occupancy *q, struct arena *arena)
{
	struct storage_need *needs = arena_alloc(arena, q->nkernels, sizeof(*needs));
	struct storage_split once;

	q->rows = arena_alloc(arena, (size_t)q->nkernels * q->ndesigns, sizeof(*q->rows));
	for (unsigned k = 0; k < q->ndesigns; k++) {
		struct finding f = {&q->designs[k], q->once ? &once : NULL};

		if (q->once)
			split_once(q, f.d, needs, &once);
		for (unsigned i = 0; i < q->nkernels; i++)
			fill(q, &q->kernels[i], f, &q->rows[i * q->ndesigns + k]);
	}
}

/* ---- for all reports */
struct occupancy_bytes occupancy_bytes(
	const struct occupancy_kernel *k, const struct occupancy_row *r)
{
	return (struct occupancy_bytes){.registers = r->resident * storage_cta_registers(&k->need),
		.shared = r->resident * storage_cta_shared(&k->need),
		.all = r->split.register_bytes + r->split.shared_bytes + r->split.cache_bytes};
}

void occupancy_limits(
	const struct occupancy_row *r, const char *separator, bool for_people, struct text *out)
{
	const char *between = "";

	for (unsigned i = 0; i < OCCUPANCY_LIMITS; i++) {
		const struct occupancy_limit_name *n = &occupancy_limit_names[i];

		if (!r->limits[i])
			continue;
		text_add(out, "%s%s", between, for_people ? n->text : n->name);
		between = separator;
	}
}

void occupancy_shape(const uint32_t d[3], struct text *out)
{
	if (!d[0])
		return;
	text_add(out, "%u", d[0]);
	if (d[1] > 1 || d[2] > 1)
		text_add(out, "x%u", d[1]);
	if (d[2] > 1)
		text_add(out, "x%u", d[2]);
}
