/* warpbeam occupancy: what a workload's, a scenario's or a PTX file's kernels need, compared with
 * what an SM has. Launches are known from an untimed run. */
#include "cli/occupancy/occupancy.h"

#include "chip/capability.h"
#include "chip/resident.h"
#include "cli/compare/compare.h"
#include "draw/number.h"
#include "ptx/isa/program.h"
#include "ptx/isa/source_name.h"
#include "runs/work.h"

#include <string.h>

#define CTA_THREADS 1024u

/* ---- the machine */
static void note_fact(
	void *ctx, const char *path, const char *value, const struct param_def *def, bool given)
{
	struct occupancy *q = ctx;
	const struct {
		const char *path;
		unsigned *out;
	} numbers[] = {{"chip.sms", &q->sms}, {"sm.warps", &q->warp_slots},
		{"sm.ctas", &q->cta_slots}, {"gpu.max_regs", &q->max_regs},
		{"gpu.spill_slots", &q->spill.slots}};
	uint64_t v;

	(void)def;
	(void)given;
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		if (!strcmp(path, numbers[i].path) && number_whole(value, &v))
			*numbers[i].out = (unsigned)v;
	if (!strcmp(path, "chip.partition"))
		q->once = !strcmp(value, "application");
	if (!strcmp(path, "chip.storage"))
		q->carveout = !strcmp(value, "carveout");
	if (!strcmp(path, "gpu.spill"))
		q->spill.space = strcmp(value, "shared") ? SPILL_LOCAL : SPILL_SHARED;
	if (!strcmp(path, "gpu.allocator") && *value)
		q->allocator = value;
}

/* All designs may be set, not only the chip's own. */
static int know_designs(struct occupancy *q, struct session *s, struct err *err)
{
	int bad = storage_rules_load(&q->rules, s->config, err);

	q->warp_slots = storage_rules_warps(&q->rules, q->warp_slots);

	for (size_t i = 0; plugins[i]; i++) {
		const struct plugin *p = plugins[i];

		if (!strcmp(p->kind, "storage"))
			bad |= config_load(s->config, p->path, p->params, p->nparams,
				arena_alloc(&s->arena, 1, p->size + 1), err);
	}
	return bad;
}

/* ---- kernels of launches */
static bool same_needs(const struct occupancy_kernel *k, const struct launch_report *l)
{
	return !strcmp(k->name, l->kernel) && !strcmp(k->file, l->file) &&
	       !memcmp(k->block, l->block, sizeof(k->block)) &&
	       k->need.shared_per_cta == l->shared_bytes;
}

static struct occupancy_kernel *kernel_of(
	struct occupancy *q, const struct launch_report *l, struct arena *arena)
{
	struct occupancy_kernel *k = q->kernels;

	while (k < q->kernels + q->nkernels && !same_needs(k, l))
		k++;
	if (k < q->kernels + q->nkernels)
		return k;
	q->nkernels++;
	k->name = arena_strdup(arena, l->kernel);
	k->file = arena_strdup(arena, l->file);
	memcpy(k->block, l->block, sizeof(k->block));
	k->need.regs_per_thread = l->regs;
	k->need.shared_per_cta = l->shared_bytes;
	return k;
}

static void take_launches(struct occupancy *q, const struct gpu *g, struct arena *arena)
{
	q->kernels = arena_alloc(arena, chip_launches(g), sizeof(*q->kernels));
	for (unsigned i = 0; i < chip_launches(g); i++) {
		struct occupancy_kernel *k;
		struct launch_report l;

		chip_launch_report(g, i, &l);
		k = kernel_of(q, &l, arena);
		k->launches++;
		if (l.ctas <= k->ctas)
			continue;
		k->ctas = l.ctas;
		memcpy(k->grid, l.grid, sizeof(k->grid));
	}
}

static int look_at_work(struct occupancy *q, struct session *s, struct err *err)
{
	struct gpu *g = gpu_new(s->config, q->o->run.files, err);
	struct work work;
	int bad = -1;

	if (g &&
		!work_open(
			&work, q->target, s->scenario, &q->o->run, g, s->config, &s->arena, err) &&
		!config_finish(s->config, err) && !work_rehearse(&work, g, err)) {
		take_launches(q, g, &s->arena);
		bad = 0;
	}
	gpu_free(g);
	return bad;
}

/* ---- kernels of a file */
/* "64,4" */
static int read_block(const char *text, uint32_t *block, struct err *err)
{
	uint64_t threads = 1, v;
	const char *at = text;
	char number[16];
	unsigned n = 0;

	block[1] = block[2] = 1;
	do {
		size_t length = strcspn(at, ",");

		if (n == 3 || length >= sizeof(number))
			break;
		memcpy(number, at, length);
		number[length] = '\0';
		if (!number_whole(number, &v) || !v || v > CTA_THREADS)
			break;
		block[n++] = (uint32_t)v;
		threads *= v;
		at += length;
	} while (*at && *at++);
	if (*at || !n || at[-1] == ',' || threads > CTA_THREADS)
		return err_add(err, ERR_USAGE,
			"--block %s: must be one to three whole numbers with commas, %u threads at "
			"most",
			text, CTA_THREADS);
	return 0;
}

/* The block a kernel is launched with, as far as the options and the kernel itself determine it. */
static int choose_block(
	const struct occupancy *q, const struct program *p, uint32_t *block, struct err *err)
{
	uint64_t most =
		(uint64_t)p->maxntid[0] * max_u64(p->maxntid[1], 1) * max_u64(p->maxntid[2], 1);

	if (p->reqntid[0]) {
		for (unsigned i = 0; i < 3; i++)
			block[i] = p->reqntid[i] ? p->reqntid[i] : 1;
		return 0;
	}
	if (!q->o->block)
		return err_add(err, ERR_USAGE,
			"kernel '%s': the threads of a CTA are unknown: needs --block X[,Y[,Z]]",
			p->name);
	if (read_block(q->o->block, block, err))
		return -1;
	if (most && (uint64_t)block[0] * block[1] * block[2] > most)
		return err_add(err, ERR_USAGE,
			"kernel '%s' takes at most %llu thread%s a block (.maxntid)", p->name,
			(unsigned long long)most, text_s(most));
	return 0;
}

static int take_kernels(struct occupancy *q, const struct module *m, struct err *err)
{
	for (uint32_t i = 0; i < m->nkernels; i++, q->nkernels++) {
		const struct program *p = m->kernels[i];
		struct occupancy_kernel *k = &q->kernels[q->nkernels];
		struct grid grid = {.program = p, .dynamic_shared_bytes = (uint32_t)q->o->shared};

		if (choose_block(q, p, k->block, err))
			return -1;
		memcpy(grid.block, k->block, sizeof(grid.block));
		k->name = p->name;
		k->file = p->file;
		k->need.regs_per_thread = p->regs;
		k->need.shared_per_cta = grid_shared_bytes(&grid);
	}
	return 0;
}

/* A kernel that does not compile is left out, and reported. */
static int look_at_file(struct occupancy *q, struct session *s, struct err *err)
{
	struct compile_options options = {.max_regs = q->max_regs,
		.allocator = q->allocator,
		.spill = q->spill,
		.resident = resident_regs,
		.resident_ctx = s->config};
	struct source_code code;
	struct module **m;
	unsigned n, room = 0;

	if (source_code(&s->source, q->code, chip_arch(s->config), &code, err) ||
		config_finish(s->config, err))
		return -1;
	n = code.linked ? 1 : code.n;
	m = arena_alloc(&s->arena, n, sizeof(struct module *));
	for (unsigned i = 0; i < n; i++) {
		m[i] = module_compile_set(
			&code.at[i], code.linked ? code.n : 1, &options, &s->arena, err);
		if (!m[i])
			return -1;
		room += m[i]->nkernels;
	}
	if (!room && !err->count)
		return err_add(err, ERR_INPUT, "%s has no kernel", q->target);
	q->kernels = arena_alloc(&s->arena, room, sizeof(*q->kernels));
	for (unsigned i = 0; i < n; i++)
		if (take_kernels(q, m[i], err))
			return -1;
	return 0;
}

/* ---- the command */
static int check_options(const struct occupancy *q, struct err *err)
{
	const struct options *o = q->o;

	options_one_to_stdout(o, err);
	if (!q->code && (o->block || o->given[OPTION_SHARED]))
		err_add(err, ERR_USAGE,
			"--block and --shared go with a file of PTX or a compiled program; %s has launches",
			q->target);
	if (!q->code)
		work_admit(q->target, &o->run, err);
	return err->count ? -1 : 0;
}

static void finish_kernels(struct occupancy *q, struct arena *arena)
{
	for (unsigned i = 0; i < q->nkernels; i++) {
		struct occupancy_kernel *k = &q->kernels[i];

		k->source = source_name_kept(k->name, arena);
		k->threads = (uint64_t)k->block[0] * k->block[1] * k->block[2];
		k->need.warps_per_cta = (uint32_t)div_up(k->threads, WARP_LANES);
		k->need.warp_slots = q->warp_slots;
		k->need.cta_slots = q->cta_slots;
		k->need.rules = &q->rules;
	}
}

int command_occupancy(const struct options *o, struct session *s, struct err *err)
{
	struct occupancy q = {.o = o, .target = o->operands.at[0]};
	struct output_texts outputs = {
		&q, occupancy_json, occupancy_csv, occupancy_svg, occupancy_text};
	struct err left_out = {0};
	int bad;

	q.code = work_kind(q.target) == WORK_PROGRAM ? NULL : work_code(q.target, &s->arena);
	if (check_options(&q, err) ||
		session_open(
			s, &o->run, work_is_scenario(q.target) && !q.code ? q.target : NULL, err))
		return -1;
	q.machine = session_machine(s, err);
	q.config = s->config;
	config_echo(s->config, note_fact, &q);
	if (!q.machine || know_designs(&q, s, err))
		return -1;
	bad = q.code ? look_at_file(&q, s, &left_out) : look_at_work(&q, s, &left_out);
	if (bad || occupancy_designs(&q, &s->arena, &left_out)) {
		err_move(err, &left_out);
		return -1;
	}
	finish_kernels(&q, &s->arena);
	occupancy_rows(&q, &s->arena);
	options_write(o, &outputs, &s->out, err);
	err_move(err, &left_out);
	return err->code ? -1 : 0;
}
