/* warpbeam tune --concurrency: the levels of a kernel that spills to shared memory, and the one
 * that is chosen without running any (Hayes and Zhang, ICS 2014, section 4). */
#include "cli/tune/tune.h"
#include "ptx/isa/interval.h"
#include "runs/work.h"

#include "draw/number.h"

#include <stdio.h>
#include <string.h>

#define LEAST_REGS 16u
#define FMA_LANES 32.0

/* ---- the machine */
struct facts {
	struct interval_latency latency;
	uint64_t alu, sfu, shared, schedulers, lanes, pipes;
};

static void note_fact(
	void *ctx, const char *path, const char *value, const struct param_def *def, bool given)
{
	struct facts *f = ctx;
	const struct {
		const char *path;
		uint64_t *out;
	} numbers[] = {{"sm.alu_cycles", &f->alu}, {"sm.sfu_cycles", &f->sfu},
		{"sm.shared_cycles", &f->shared}, {"sm.schedulers", &f->schedulers},
		{"pipe.fma_shared", &f->pipes}, {"pipe.fma_lanes", &f->lanes}};
	char name[40];
	uint64_t v;

	(void)def;
	(void)given;
	if (!number_whole(value, &v))
		return;
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		if (!strcmp(path, numbers[i].path))
			*numbers[i].out = v;
	for (unsigned c = 0; c < CLASS_ARITHMETIC; c++) {
		snprintf(name, sizeof(name), "pipe.%s_cycles", op_class_name((enum op_class)c));
		if (!strcmp(path, name))
			f->latency.cycles[c] = (uint32_t)v;
	}
}

/* Latencies of all classes; returns the lanes of an SM's cores. */
static double know_machine(struct session *s, struct facts *f)
{
	memset(f, 0, sizeof(*f));
	config_echo(s->config, note_fact, f);
	for (unsigned c = 0; c < CLASS_COUNT; c++)
		if (!f->latency.cycles[c])
			f->latency.cycles[c] =
				(uint32_t)(op_class_unit((enum op_class)c) == UNIT_SFU ? f->sfu
										       : f->alu);
	f->latency.cycles[CLASS_MEMORY] = (uint32_t)f->shared;
	return (f->lanes ? (double)f->lanes : FMA_LANES) *
	       (double)(f->pipes ? f->pipes : f->schedulers);
}

/* ---- a level */
static void set_of(const struct thread_level *l, bool original, char *out, size_t n)
{
	if (original)
		snprintf(out, n, "gpu.spill=local");
	else if (l->budget)
		snprintf(out, n, "gpu.max_regs=%u gpu.spill=shared gpu.spill_slots=%u", l->regs,
			l->budget);
	else
		snprintf(out, n, "gpu.max_regs=%u", l->regs);
}

static const struct program *find_program(const struct gpu *g, const char *name)
{
	for (unsigned i = 0; i < gpu_modules(g); i++) {
		const struct module *m = gpu_compiled(g, i);

		for (uint32_t k = 0; k < m->nkernels; k++)
			if (!strcmp(m->kernels[k]->name, name))
				return m->kernels[k];
	}
	return NULL;
}

static void describe(const struct tune *t, const struct program *p, const struct facts *f,
	struct thread_level *l, struct arena *arena)
{
	struct intervals i = intervals_of(p, &f->latency, arena);

	l->regs = p->regs;
	l->slots = p->slots;
	l->moves = p->slot_moves;
	l->local = p->spill_loads + p->spill_stores;
	l->instrs = i.instrs;
	l->interval = i.mean;
	l->intensity = intervals_intensity(&i, t->o->mem && !strcmp(t->o->mem, "spills"));
}

/* Compiles the work with the candidate's settings. */
static int look_at(struct tune *t, struct session *s, const struct facts *f,
	struct tune_candidate *c, struct err *err)
{
	struct session *own = session_within(&s->arena);
	const char *set[TUNE_SETTINGS];
	struct layer layer = {.origin = "tune", .set = set};
	struct machine m = {&t->target, work_is_scenario(t->target), &layer, 1};
	const struct program *p;
	struct work work = {0};

	layer.nset = tune_settings(c, set, &s->arena);
	if (session_open_machine(own, &t->o->run, &m, err) ||
		work_open(&work, t->target, own->scenario, &t->o->run, own->gpu, own->config,
			&own->arena, err) ||
		config_finish(own->config, err) || work_setup(&work, own->gpu, err))
		return -1;
	p = find_program(own->gpu, t->kernel);
	BUG_ON(!p);
	describe(t, p, f, &c->level, &own->arena);
	session_close(own);
	return 0;
}

/* ---- all levels */
bool tune_room(const struct tune *t, const struct storage_need *need, uint32_t ctas,
	struct thread_level *l)
{
	const struct storage_ops *ops = t->plugin->ops;
	struct storage_need n = *need;
	uint64_t own = div_up(n.shared_per_cta, SLOT_ROW) * SLOT_ROW, left;
	struct storage_allowance a = ops->allow(t->design, &n, ctas);

	if (a.regs_per_thread == STORAGE_NONE || a.regs_per_thread < LEAST_REGS)
		return false;
	n.regs_per_thread = l->regs = a.regs_per_thread < need->regs_per_thread
					      ? a.regs_per_thread
					      : need->regs_per_thread;
	left = ops->allow(t->design, &n, ctas).shared_per_cta;
	left = left == STORAGE_NONE || left < own ? 0 : left - own;
	l->budget = (uint32_t)min_u64(left / SLOT_ROW / n.warps_per_cta, SPILL_SLOTS_MAX);
	l->ctas = ctas;
	l->threads = ctas * n.warps_per_cta * WARP_LANES;
	return true;
}

static int add_level(struct tune *t, struct session *s, const struct facts *f,
	const struct thread_level *l, struct err *err)
{
	struct tune_candidate *c = &t->candidates[t->n];

	c->level = *l;
	c->threads = l->threads;
	snprintf(c->value, sizeof(c->value), "%u", l->threads);
	set_of(l, t->n == 0, c->setting, sizeof(c->setting));
	if (t->n && !strcmp(c[-1].setting, c->setting)) { /* an SM holds one more of the same */
		c[-1].threads = c[-1].level.threads = l->threads;
		c[-1].level.ctas = l->ctas;
		memcpy(c[-1].value, c->value, sizeof(c->value));
		return 0;
	}
	if (look_at(t, s, f, c, err))
		return -1;
	t->n++;
	return 0;
}

/* From the unchanged program, by one CTA at a time, to what slots of CTAs and warps allow. */
static int add_levels(struct tune *t, struct session *s, const struct facts *f,
	const struct storage_need *need, uint32_t ctas, struct err *err)
{
	struct thread_level l = {.ctas = ctas,
		.threads = ctas * need->warps_per_cta * WARP_LANES,
		.regs = need->regs_per_thread};

	if (add_level(t, s, f, &l, err))
		return -1;
	while (t->n < TUNE_CANDIDATES && ++ctas <= storage_slots(need) &&
		tune_room(t, need, ctas, &l))
		if (add_level(t, s, f, &l, err))
			return -1;
	return 0;
}

/* The candidates of a tuning are listed with the most threads first. */
static void reverse(struct tune *t)
{
	for (unsigned i = 0; i < t->n / 2; i++) {
		struct tune_candidate c = t->candidates[i];

		t->candidates[i] = t->candidates[t->n - 1 - i];
		t->candidates[t->n - 1 - i] = c;
	}
}

int tune_levels(struct tune *t, struct session *s, struct err *err)
{
	struct thread_level list[TUNE_CANDIDATES];
	struct storage_need need = t->main;
	struct storage_split split;
	struct facts facts;
	uint32_t ctas;

	t->cores = know_machine(s, &facts);
	need.warp_slots = storage_rules_warps(&t->rules, (uint32_t)t->warp_slots);
	need.cta_slots = (uint32_t)t->cta_slots;
	need.rules = &t->rules;
	if (((const struct storage_ops *)t->plugin->ops)->split(t->design, &need, 1, &split, err))
		return -1;
	ctas = storage_ctas(&split, &need);
	if (add_levels(t, s, &facts, &need, ctas, err))
		return -1;
	for (unsigned i = 0; i < t->n; i++)
		list[i] = t->candidates[i].level;
	t->automatic = t->n - 1 - levels_choose(list, t->n, t->cores);
	reverse(t);
	return 0;
}
