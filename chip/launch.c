/* Kernel launches: checked completely, then queued. */
#include "chip/chip.h"
#include "chip/gpu_inside.h"

#include <string.h>

#define MAX_CTA_THREADS 1024u
#define WORKSPACE_BYTES 16u

/* CUDA's limits from compute capability 3.0 on, whatever the chip (CUDA C++ Programming Guide,
 * "Features and Technical Specifications"); before, x of a grid had y's. */
static const uint32_t most_ctas[3] = {INT32_MAX, 65535, 65535};
static const uint32_t most_threads[3] = {1024, 1024, 64};

static int check_extents(const char *kernel, const struct launch *l, struct err *err)
{
	for (unsigned i = 0; i < 3; i++) {
		if (l->grid[i] > most_ctas[i])
			return err_add(err, ERR_INPUT,
				"kernel '%s': a grid of (%u,%u,%u) has %u CTAs in %c, at most %u "
				"are "
				"allowed",
				kernel, l->grid[0], l->grid[1], l->grid[2], l->grid[i], "xyz"[i],
				most_ctas[i]);
		if (l->block[i] > most_threads[i])
			return err_add(err, ERR_RESOURCE,
				"kernel '%s': a block of (%u,%u,%u) has %u threads in %c, at most "
				"%u are allowed",
				kernel, l->block[0], l->block[1], l->block[2], l->block[i],
				"xyz"[i], most_threads[i]);
	}
	return 0;
}

static int check_shape(const char *kernel, const struct launch *l, struct err *err)
{
	uint64_t threads = 1;

	for (unsigned i = 0; i < 3; i++) {
		if (!l->grid[i] || !l->block[i])
			return err_add(err, ERR_INPUT,
				"kernel '%s': grid (%u,%u,%u) of blocks (%u,%u,%u): every "
				"dimension must be at least 1",
				kernel, l->grid[0], l->grid[1], l->grid[2], l->block[0],
				l->block[1], l->block[2]);
		threads *= min_u64(l->block[i], 65536);
	}
	if (threads > MAX_CTA_THREADS)
		return err_add(err, ERR_RESOURCE,
			"kernel '%s': a block of (%u,%u,%u) has %llu threads, at most %u fit a CTA",
			kernel, l->block[0], l->block[1], l->block[2], (unsigned long long)threads,
			MAX_CTA_THREADS);
	return check_extents(kernel, l, err);
}

static int check_directives(const struct program *p, const struct launch *l, struct err *err)
{
	uint64_t most = 1, threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
	bool exact = false, wrong = false;

	for (unsigned i = 0; i < 3; i++) {
		exact |= p->reqntid[i] != 0;
		wrong |= p->reqntid[i] && p->reqntid[i] != l->block[i];
		most = min_u64(most * (p->maxntid[i] ? p->maxntid[i] : 1), UINT32_MAX);
	}
	if (exact && wrong)
		return err_add(err, ERR_INPUT,
			"kernel '%s' takes blocks of (%u,%u,%u) (.reqntid), not of (%u,%u,%u)",
			p->source, p->reqntid[0], p->reqntid[1], p->reqntid[2], l->block[0],
			l->block[1], l->block[2]);
	if (p->maxntid[0] && threads > most)
		return err_add(err, ERR_INPUT,
			"kernel '%s' takes at most %llu thread%s a block (.maxntid), not %llu",
			p->source, (unsigned long long)most, text_s(most),
			(unsigned long long)threads);
	return 0;
}

/* Shared memory has that many addresses, whatever an SM stores. */
static int check_shared(const struct program *p, const struct launch *l, struct err *err)
{
	uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
	uint64_t slots = div_up(threads, WARP_LANES) * p->slots * SLOT_ROW;
	uint64_t bytes = (uint64_t)p->shared_bytes + l->shared_bytes + slots;

	if (bytes <= SHARED_WINDOW_BYTES)
		return 0;
	return err_add(err, ERR_RESOURCE,
		"kernel '%s': %llu bytes of shared memory per CTA, the limit is %u", p->source,
		(unsigned long long)bytes, SHARED_WINDOW_BYTES);
}

/* Whether a value of the type fits the kernel's parameter. Integers of one size do, signed or not:
 * compilers of CUDA-C declare an int as .u32. Untyped parameters and arrays take anything. */
static bool is_meant(enum ptx_type given, const struct param_slot *slot)
{
	char is = given == T_NONE ? 'b' : ptx_type_class(given);
	char takes =
		slot->type == T_NONE || slot->type == T_BF16 ? 'b' : ptx_type_class(slot->type);

	if (is == 'b' || takes == 'b' || takes == 'x' || slot->bytes != ptx_type_bytes(slot->type))
		return true;
	return (is == 'f') == (takes == 'f');
}

static int check_value(
	const struct program *p, unsigned i, const struct launch_arg *a, struct err *err)
{
	const struct param_slot *slot = &p->params[i];

	if (a->size != slot->bytes)
		return err_add(err, ERR_INPUT,
			"kernel '%s': argument %u ('%s') has %zu byte%s, the parameter (.%s) "
			"takes %u",
			p->source, i, slot->name, a->size, text_s(a->size),
			ptx_type_name(slot->type), slot->bytes);
	if (is_meant(a->type, slot))
		return 0;
	return err_add(err, ERR_INPUT,
		"kernel '%s': argument %u ('%s') is given as %s, the parameter is .%s; {hex: ...} "
		"gives bytes unchanged",
		p->source, i, slot->name, ptx_type_name(a->type), ptx_type_name(slot->type));
}

static int copy_handle(const struct program *p, unsigned i, uint64_t handle, unsigned char *params,
	struct err *err)
{
	const struct param_slot *slot = &p->params[i];

	if (slot->bytes != 4 && slot->bytes != 8)
		return err_add(err, ERR_INPUT,
			"kernel '%s': argument %u ('%s') is a texture, the parameter takes %u "
			"bytes",
			p->source, i, slot->name, slot->bytes);
	if (slot->bytes == 4 && handle > UINT32_MAX)
		return err_add(err, ERR_INPUT,
			"kernel '%s': argument %u ('%s') is a texture whose handle has more than 4 "
			"bytes",
			p->source, i, slot->name);
	memcpy(params + slot->offset, &handle, slot->bytes);
	return 0;
}

static int copy_argument(struct gpu *g, const struct program *p, unsigned i,
	const struct launch_arg *a, unsigned char *params, struct err *err)
{
	const struct param_slot *slot = &p->params[i];
	uint64_t address;

	if (a->kind == ARG_BYTES) {
		if (check_value(p, i, a, err))
			return -1;
		memcpy(params + slot->offset, a->bytes, a->size);
		return 0;
	}
	if (a->kind == ARG_TEXTURE)
		return copy_handle(p, i, a->texture, params, err);
	address = image_address(g->image, a->buffer) + a->offset;
	if (slot->bytes != 4 && slot->bytes != 8)
		return err_add(err, ERR_INPUT,
			"kernel '%s': argument %u ('%s') is an address, the parameter takes %u "
			"bytes",
			p->source, i, slot->name, slot->bytes);
	if (slot->bytes == 4 && address > UINT32_MAX)
		return err_add(err, ERR_RESOURCE,
			"kernel '%s': argument %u ('%s'): buffer '%s' is above 4 GB, out of "
			"reach of 32-bit addressing",
			p->source, i, slot->name, image_name(g->image, a->buffer));
	memcpy(params + slot->offset, &address, slot->bytes);
	return 0;
}

static int copy_arguments(struct gpu *g, const struct program *p, const struct launch *l,
	unsigned char *params, struct err *err)
{
	if (l->nargs != p->nparams)
		return err_add(err, ERR_INPUT, "kernel '%s' takes %u argument%s, %u %s given",
			p->source, p->nparams, text_s(p->nparams), l->nargs,
			l->nargs == 1 ? "was" : "were");
	for (unsigned i = 0; i < l->nargs; i++)
		if (copy_argument(g, p, i, &l->args[i], params, err))
			return -1;
	return 0;
}

void gpu_place(struct gpu *g, const struct gpu_place *place)
{
	g->place = *place;
}

static bool any_sm(const uint64_t *sms)
{
	uint64_t any = 0;

	for (unsigned i = 0; i < GPU_MAX_SMS / 64; i++)
		any |= sms[i];
	return any != 0;
}

/* The launch's own SMs, of those that it was given. */
static int place_launch(
	const struct gpu *g, const struct launch *l, struct launch_state *s, struct err *err)
{
	bool own = any_sm(l->sms), given = any_sm(g->place.sms);

	s->stream = l->stream + g->place.stream;
	for (unsigned i = 0; i < GPU_MAX_SMS / 64; i++)
		s->sms[i] = (own ? l->sms[i] : UINT64_MAX) & (given ? g->place.sms[i] : UINT64_MAX);
	if (!own && !given)
		memset(s->sms, 0, sizeof(s->sms));
	else if (!any_sm(s->sms))
		return err_add(err, ERR_INPUT,
			"kernel '%s' asks for SMs outside of those it is given",
			s->grid.program->source);
	return 0;
}

/* The launch as the host gave it; values are those in the kernel's parameters. */
static void keep_queued(struct launch_state *s, const struct program *p, const struct launch *l,
	struct launch_arg *args)
{
	for (unsigned i = 0; i < l->nargs; i++) {
		args[i] = l->args[i];
		if (args[i].kind == ARG_BYTES)
			args[i].bytes = s->grid.params + p->params[i].offset;
	}
	s->queued = *l;
	s->queued.kernel = p->name;
	s->queued.args = args;
	s->queued.stream = s->stream;
}

/* Its kernel's entry in the module. */
static struct kernel_place *place_of(const struct gpu_module *m, const struct program *p)
{
	uint32_t k = 0;

	while (m->module->kernels[k] != p)
		k++;
	return &m->kernel[k];
}

/* In one block with its parameters' bytes and arguments. */
static struct launch_state *allocate(
	const struct program *p, const struct launch *l, struct launch_arg **args)
{
	size_t params = sizeof(struct launch_state), values = 0;
	char *block;

	values = div_up(params + p->param_bytes + 16, 64) * 64;
	block = mem_alloc(values + l->nargs * sizeof(**args), 1);
	if (!block)
		return NULL;
	*args = (void *)(block + values);
	((struct launch_state *)(void *)block)->grid.params = (void *)(block + params);
	return (void *)block;
}

static struct launch_state *new_launch(
	struct gpu *g, const struct program *p, const struct launch *l, struct err *err)
{
	struct launch_arg *args;
	struct launch_state *s = allocate(p, l, &args);
	unsigned char *params = s ? (unsigned char *)(uintptr_t)s->grid.params : NULL;

	if (!s) {
		err_add(err, ERR_RESOURCE, "no host memory for a launch");
		return NULL;
	}
	s->kernel = place_of(g->modules[l->module - 1], p);
	s->grid = (struct grid){.program = p,
		.params = params,
		.dynamic_shared_bytes = l->shared_bytes,
		.gridid = g->nlaunches,
		.code_at = s->kernel->code_at,
		.textures = &g->textures};
	memcpy(s->grid.grid, l->grid, sizeof(l->grid));
	memcpy(s->grid.block, l->block, sizeof(l->block));
	s->name = p->name;
	s->epoch = NO_EPOCH;
	s->ctas = s->timed = grid_ctas(&s->grid);
	s->need = launches_need(&s->grid);
	if (place_launch(g, l, s, err) || copy_arguments(g, p, l, params, err)) {
		mem_free(s);
		return NULL;
	}
	keep_queued(s, p, l, args);
	return s;
}

const struct program *gpu_find_kernel(const struct gpu_module *m, const char *name, struct err *err)
{
	struct err absent = {0};
	const struct program *p = module_kernel(m->module, name, &absent);

	if (!p && m->errors.count)
		err_lines(err, m->errors.code, err_text(&m->errors));
	if (!p && !gpu_is_left_out(m, name))
		err_move(err, &absent);
	err_clear(&absent);
	return p;
}

const struct program *gpu_kernel(const struct gpu *g, module_t module, const char *kernel)
{
	return module_kernel(g->modules[module - 1]->module, kernel, NULL);
}

int gpu_check_type(const struct program *p, unsigned i, const struct launch_arg *a, struct err *err)
{
	bool sized = i < p->nparams && a->kind == ARG_BYTES && a->size == p->params[i].bytes;

	return sized ? check_value(p, i, a, err) : 0;
}

int gpu_check_shape(const struct gpu *g, const struct launch *l, struct err *err)
{
	const struct program *p = gpu_find_kernel(g->modules[l->module - 1], l->kernel, err);

	return !p || check_shape(p->source, l, err) || check_directives(p, l, err) ? -1 : 0;
}

/* What belongs to the launch alone, checked. NULL and a message. */
static struct launch_state *make_launch(struct gpu *g, const struct launch *l, struct err *err)
{
	const struct program *p = gpu_find_kernel(g->modules[l->module - 1], l->kernel, err);

	if (!p || check_shape(p->source, l, err) || check_directives(p, l, err) ||
		check_shared(p, l, err) || gpu_check_references(g, p, err))
		return NULL;
	return new_launch(g, p, l, err);
}

int gpu_check_launch(struct gpu *g, const struct launch *l, struct err *err)
{
	struct launch_state *s = make_launch(g, l, err);

	mem_free(s);
	return s ? 0 : -1;
}

void gpu_time_only(struct gpu *g, gpu_timed_fn *timed, void *ctx)
{
	g->timed = timed;
	g->timed_ctx = ctx;
}

int gpu_launch(struct gpu *g, const struct launch *l, struct err *err)
{
	struct launch_state *s = launches_reserve(g, err) ? NULL : make_launch(g, l, err);

	if (!s)
		return -1;
	if (g->chip && g->timed && !s->queued.untimed)
		s->queued.untimed = !g->timed(g->timed_ctx, s->grid.program, s->ctas);
	if (gpu_workspace(g, s, err) || (g->chip && chip_admit(g->chip, s, err))) {
		launch_free(g, s);
		return -1;
	}
	launches_add(g, s);
	if (g->chip)
		chip_queue(g->chip, s);
	return 0;
}
