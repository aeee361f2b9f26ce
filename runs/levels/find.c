/* All levels of a target's kernels, from the unchanged program to what slots of CTAs and warps
 * allow (Hayes and Zhang, ICS 2014, section 4). */
#include "runs/levels/levels.h"

#include "draw/number.h"
#include "ptx/isa/interval.h"
#include "runs/work.h"

#include <stdio.h>
#include <string.h>

#define FMA_LANES 32.0

struct finder {
	struct session *s;
	const char *target;
	const struct run_options *o;
	const struct machine *machine;
	struct sm_storage sm;
	struct interval_latency latency;
	struct work_levels *out;
	struct storage_need *need; /* by kernel, of the largest CTA */
	const char **name;
	unsigned n;
	const char *contradicts; /* a setting that may not be given */
};

/* ---- the machine */
struct facts {
	struct interval_latency *latency;
	uint64_t alu, sfu, shared, schedulers, lanes, pipes;
	bool spills;
	const char *contradicts;
};

static const char *const refused[] = {"gpu.spill", "gpu.spill_slots", "gpu.kernels"};

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
	for (size_t i = 0; i < ARRAY_LEN(refused) && given; i++)
		if (!strcmp(path, refused[i]))
			f->contradicts = refused[i];
	f->spills |= !strcmp(path, "gpu.level_memory") && !strcmp(value, "spills");
	if (!number_whole(value, &v))
		return;
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		if (!strcmp(path, numbers[i].path))
			*numbers[i].out = v;
	for (unsigned c = 0; c < CLASS_ARITHMETIC; c++) {
		snprintf(name, sizeof(name), "pipe.%s_cycles", op_class_name((enum op_class)c));
		if (!strcmp(path, name))
			f->latency->cycles[c] = (uint32_t)v;
	}
}

/* Latencies of all classes, and the lanes of an SM's cores. */
static int know_machine(struct finder *d, struct err *err)
{
	struct facts f = {.latency = &d->latency};

	config_echo(d->s->config, note_fact, &f);
	for (unsigned c = 0; c < CLASS_COUNT; c++)
		if (!d->latency.cycles[c])
			d->latency.cycles[c] =
				(uint32_t)(op_class_unit((enum op_class)c) == UNIT_SFU ? f.sfu
										       : f.alu);
	d->latency.cycles[CLASS_MEMORY] = (uint32_t)f.shared;
	d->out->cores = (f.lanes ? (double)f.lanes : FMA_LANES) *
			(double)(f.pipes ? f.pipes : f.schedulers);
	d->out->spills = f.spills;
	if (d->o->regs || d->o->slots)
		return err_add(err, ERR_USAGE,
			"--concurrency and --%s: a level has its own registers and slots",
			d->o->regs ? "regs" : "slots");
	if (f.contradicts)
		return err_add(err, ERR_USAGE,
			"--concurrency and %s: a level has its own registers and slots",
			f.contradicts);
	return sm_storage_read(&d->sm, d->s->config, &d->s->arena, err);
}

/* ---- the kernels */
static void add_need(struct finder *d, const struct launch_report *l)
{
	uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
	struct storage_need need = {.regs_per_thread = l->regs,
		.warps_per_cta = (uint32_t)div_up(threads, WARP_LANES),
		.shared_per_cta = l->shared_bytes,
		.warp_slots = storage_rules_warps(&d->sm.rules, (uint32_t)d->sm.warp_slots),
		.cta_slots = (uint32_t)d->sm.cta_slots,
		.rules = &d->sm.rules};
	unsigned i = 0;

	while (i < d->n && strcmp(d->name[i], l->kernel) != 0)
		i++;
	if (i == d->n) {
		d->name[d->n++] = arena_strdup(&d->s->arena, l->kernel);
		d->need[i] = need;
		return;
	}
	if (need.warps_per_cta > d->need[i].warps_per_cta)
		d->need[i].warps_per_cta = need.warps_per_cta;
	if (need.shared_per_cta > d->need[i].shared_per_cta)
		d->need[i].shared_per_cta = need.shared_per_cta;
}

/* The kernels' needs, from an untimed rehearsal. */
static int rehearse(struct finder *d, struct err *err)
{
	struct session *s = d->s;
	struct gpu *stage = gpu_new(s->config, d->o->files, err);
	struct launch_report l;
	struct work work;
	int bad = -1;

	if (stage &&
		!work_open(&work, d->target, s->scenario, d->o, stage, s->config, &s->arena, err) &&
		!config_finish(s->config, err) && !work_rehearse(&work, stage, err)) {
		d->need = arena_alloc(&s->arena, chip_launches(stage) + 1, sizeof(*d->need));
		d->name = arena_alloc(&s->arena, chip_launches(stage) + 1, sizeof(*d->name));
		bad = 0;
		for (unsigned i = 0; !bad && i < chip_launches(stage); i++) {
			chip_launch_report(stage, i, &l);
			bad = sm_storage_holds(&d->sm, d->target, &l, err);
			add_need(d, &l);
		}
	}
	gpu_free(stage);
	return bad;
}

/* ---- a level */
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

static void describe(
	struct finder *d, const struct program *p, struct thread_level *l, struct arena *arena)
{
	struct intervals i = intervals_of(p, &d->latency, arena);

	l->regs = p->regs;
	l->slots = p->slots;
	l->moves = p->slot_moves;
	l->local = p->spill_loads + p->spill_stores;
	l->instrs = i.instrs;
	l->off_chip = i.off_chip;
	l->spills = i.spills;
	l->counted = d->out->spills ? i.spills : i.off_chip;
	l->interval = i.mean;
	l->intensity = intervals_intensity(&i, d->out->spills);
}

/* Compiles the work with level `i` of the kernel. */
static int look_at(struct finder *d, struct kernel_levels *k, unsigned i, struct err *err)
{
	struct session *own = session_within(&d->s->arena);
	const char *set = levels_setting(k, i, &d->s->arena);
	const struct machine *given = d->machine;
	struct layer *layers = arena_alloc(&d->s->arena, given->nlayers + 1, sizeof(*layers));
	struct machine m = {given->scenarios, given->nscenarios, layers, given->nlayers + 1};
	struct work work = {0};

	for (unsigned l = 0; l < given->nlayers; l++)
		layers[l] = given->layers[l];
	layers[given->nlayers] =
		(struct layer){.origin = "--concurrency", .set = &set, .nset = set ? 1 : 0};
	if (session_open_machine(own, d->o, &m, err) ||
		work_open(&work, d->target, own->scenario, d->o, own->gpu, own->config, &own->arena,
			err) ||
		config_finish(own->config, err) || work_setup(&work, own->gpu, err))
		return -1;
	describe(d, find_program(own->gpu, k->kernel), &k->level[i], &own->arena);
	session_close(own);
	return 0;
}

/* ---- the levels of a kernel */
static bool same_code(const struct thread_level *a, const struct thread_level *b)
{
	return a->limit == b->limit && a->budget == b->budget;
}

/* Levels of more CTAs; `limit` are those as they were asked for, before compiling. */
static int add_level(struct finder *d, struct kernel_levels *k, const struct thread_level *asked,
	struct thread_level *limit, struct err *err)
{
	if (k->n && same_code(asked, limit)) { /* an SM holds one more of the same */
		k->level[k->n - 1].threads = asked->threads;
		k->level[k->n - 1].ctas = asked->ctas;
		return 0;
	}
	*limit = *asked;
	k->level[k->n] = *asked;
	if (look_at(d, k, k->n, err))
		return -1;
	k->n++;
	return 0;
}

static int add_levels(struct finder *d, struct kernel_levels *k, struct err *err)
{
	const struct storage_ops *ops = d->sm.plugin->ops;
	struct storage_split split;
	struct thread_level l = {.limit = k->need.regs_per_thread}, limit = {0};

	if (ops->split(d->sm.design, &k->need, 1, &split, err))
		return -1;
	l.ctas = storage_ctas(&split, &k->need);
	l.threads = l.ctas * k->need.warps_per_cta * WARP_LANES;
	if (!l.ctas)
		return err_add(err, ERR_RESOURCE,
			"%s: no CTA of kernel %s fits an SM; see warpbeam occupancy %s", d->target,
			k->kernel, d->target);
	if (add_level(d, k, &l, &limit, err))
		return -1;
	for (uint32_t ctas = l.ctas + 1; k->n < LEVELS_MOST && ctas <= storage_slots(&k->need) &&
					 levels_room(&d->sm, &k->need, ctas, &l);
		ctas++)
		if (add_level(d, k, &l, &limit, err))
			return -1;
	k->automatic = levels_choose(
		&(struct levels_ask){k->level, k->n, d->out->cores, LEVELS_INTENSITY});
	return 0;
}

/* The kernel with the most registers first. */
static unsigned next_kernel(struct finder *d)
{
	unsigned most = 0;

	for (unsigned i = 1; i < d->n; i++)
		if (d->need[i].regs_per_thread > d->need[most].regs_per_thread)
			most = i;
	return most;
}

static bool spills(const struct kernel_levels *k)
{
	const struct thread_level *l = &k->level[k->n - 1];

	return l->slots || l->local > k->level[0].local;
}

static int add_kernels(struct finder *d, struct err *err)
{
	struct work_levels *w = d->out;

	w->kernel = arena_alloc(&d->s->arena, d->n + 1, sizeof(*w->kernel));
	while (d->n) {
		unsigned i = next_kernel(d);
		struct kernel_levels *k = &w->kernel[w->n];

		*k = (struct kernel_levels){.kernel = d->name[i], .need = d->need[i]};
		d->n--;
		d->name[i] = d->name[d->n];
		d->need[i] = d->need[d->n];
		if (add_levels(d, k, err))
			return -1;
		w->n += !w->n || spills(k);
	}
	return 0;
}

int levels_find(struct session *s, const char *target, const struct run_options *o,
	const struct machine *machine, struct work_levels *out, struct err *err)
{
	struct finder d = {.s = s, .target = target, .o = o, .machine = machine, .out = out};

	*out = (struct work_levels){.n = 0};
	if (know_machine(&d, err) || rehearse(&d, err) || add_kernels(&d, err))
		return -1;
	if (!out->n)
		return err_add(err, ERR_USAGE, "--concurrency: %s launches no kernel", target);
	return 0;
}
