/* Kernel launches: checked completely, then queued. */
#include "chip/chip.h"
#include "chip/gpu_inside.h"
#include "ptx/exec/positions.h"

#include <stdio.h>
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
			p->name, p->reqntid[0], p->reqntid[1], p->reqntid[2], l->block[0],
			l->block[1], l->block[2]);
	if (p->maxntid[0] && threads > most)
		return err_add(err, ERR_INPUT,
			"kernel '%s' takes at most %llu thread%s a block (.maxntid), not %llu",
			p->name, (unsigned long long)most, text_s(most),
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
		"kernel '%s': %llu bytes of shared memory per CTA, the limit is %u", p->name,
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
			p->name, i, slot->name, a->size, text_s(a->size), ptx_type_name(slot->type),
			slot->bytes);
	if (is_meant(a->type, slot))
		return 0;
	return err_add(err, ERR_INPUT,
		"kernel '%s': argument %u ('%s') is given as %s, the parameter is .%s; {hex: ...} "
		"gives bytes unchanged",
		p->name, i, slot->name, ptx_type_name(a->type), ptx_type_name(slot->type));
}

static int copy_handle(const struct program *p, unsigned i, uint64_t handle, unsigned char *params,
	struct err *err)
{
	const struct param_slot *slot = &p->params[i];

	if (slot->bytes != 4 && slot->bytes != 8)
		return err_add(err, ERR_INPUT,
			"kernel '%s': argument %u ('%s') is a texture, the parameter takes %u "
			"bytes",
			p->name, i, slot->name, slot->bytes);
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
			p->name, i, slot->name, slot->bytes);
	if (slot->bytes == 4 && address > UINT32_MAX)
		return err_add(err, ERR_RESOURCE,
			"kernel '%s': argument %u ('%s'): buffer '%s' is above 4 GB, out of "
			"reach of 32-bit addressing",
			p->name, i, slot->name, image_name(g->image, a->buffer));
	memcpy(params + slot->offset, &address, slot->bytes);
	return 0;
}

static int copy_arguments(struct gpu *g, const struct program *p, const struct launch *l,
	unsigned char *params, struct err *err)
{
	if (l->nargs != p->nparams)
		return err_add(err, ERR_INPUT, "kernel '%s' takes %u argument%s, %u %s given",
			p->name, p->nparams, text_s(p->nparams), l->nargs,
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
			"kernel '%s' asks for SMs outside of those it is given", l->kernel);
	return 0;
}

static int make_space(struct gpu *g, struct err *err)
{
	uint32_t room = g->launch_capacity ? g->launch_capacity * 2 : 64;
	struct launch_state **launches;
	struct grid **grids;

	if (g->nlaunches < g->launch_capacity)
		return 0;
	if (room > 65536)
		return err_add(err, ERR_RESOURCE, "more than 65535 launches in one run");
	launches = mem_grow(g->launches, g->launch_capacity, room, sizeof(struct launch_state *));
	if (launches)
		g->launches = launches;
	grids = mem_grow(g->grids.grids, g->launch_capacity, room, sizeof(struct grid *));
	if (grids)
		g->grids.grids = grids;
	if (!launches || !grids)
		return err_add(err, ERR_RESOURCE, "no host memory for launches");
	g->launch_capacity = room;
	return 0;
}

/* Code is laid out kernel after kernel, each from a multiple of 64 instructions on. */
static uint64_t code_before(const struct gpu *g, const struct program *p)
{
	uint64_t at = 0;

	for (unsigned i = 0; i < g->nmodules; i++) {
		const struct module *m = g->modules[i]->module;

		for (uint32_t k = 0; k < m->nkernels; k++) {
			if (m->kernels[k] == p)
				return at;
			at += div_up(m->kernels[k]->ninstr, 64) * 64;
		}
	}
	return at;
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

static struct launch_state *new_launch(
	struct gpu *g, const struct program *p, const struct launch *l, struct err *err)
{
	struct launch_state *s;
	unsigned char *params;
	struct launch_arg *args;
	jmp_buf escape;

	if (make_space(g, err))
		return NULL;
	if (setjmp(escape)) {
		err_add(err, ERR_RESOURCE, "no host memory for a launch");
		return NULL;
	}
	g->arena.escape = &escape;
	s = arena_alloc(&g->arena, 1, sizeof(*s));
	params = arena_alloc(&g->arena, p->param_bytes + 16, 1);
	args = arena_alloc(&g->arena, l->nargs, sizeof(*args));
	g->arena.escape = NULL;
	s->grid = (struct grid){.program = p,
		.params = params,
		.dynamic_shared_bytes = l->shared_bytes,
		.gridid = g->nlaunches,
		.launch = (uint16_t)g->nlaunches,
		.code_at = code_before(g, p),
		.textures = &g->textures};
	memcpy(s->grid.grid, l->grid, sizeof(l->grid));
	memcpy(s->grid.block, l->block, sizeof(l->block));
	s->name = p->name;
	s->file = p->file;
	s->ctas = s->timed = grid_ctas(&s->grid);
	s->next = NO_LAUNCH;
	s->need = (struct storage_need){.regs_per_thread = p->regs,
		.warps_per_cta = grid_cta_warps(&s->grid),
		.shared_per_cta = grid_shared_bytes(&s->grid)};
	if (place_launch(g, l, s, err) || copy_arguments(g, p, l, params, err))
		return NULL;
	keep_queued(s, p, l, args);
	return s;
}

const struct program *gpu_find_kernel(const struct gpu_module *m, const char *name, struct err *err)
{
	struct err absent = {0};
	const struct program *p = module_kernel(m->module, name, &absent);

	if (!p && m->errors.count)
		err_lines(err, m->errors.code, err_text(&m->errors));
	if (!p)
		err_move(err, &absent);
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

/* What a driver allocates for cooperative launches: the words in which grid-wide barriers count. */
static int make_workspace(struct gpu *g, struct launch_state *s, struct err *err)
{
	uint32_t buffer;

	if (!s->grid.program->module->uses_workspace)
		return 0;
	buffer = image_add(g->image, "(grid workspace)", WORKSPACE_BYTES, true, err);
	if (!buffer)
		return -1;
	s->grid.workspace = image_address(g->image, buffer);
	return 0;
}

int gpu_launch(struct gpu *g, const struct launch *l, struct err *err)
{
	const struct program *p = gpu_find_kernel(g->modules[l->module - 1], l->kernel, err);
	struct launch_state *s;

	if (!p)
		return -1;
	if (check_shape(l->kernel, l, err) || check_directives(p, l, err) ||
		check_shared(p, l, err) || gpu_check_references(g, p, err))
		return -1;
	s = new_launch(g, p, l, err);
	if (!s || make_workspace(g, s, err) || (g->chip && chip_admit(g->chip, s, err)))
		return -1;
	g->launches[g->nlaunches] = s;
	g->grids.grids[g->nlaunches++] = &s->grid;
	g->grids.n = g->nlaunches;
	if (g->chip)
		chip_queue(g->chip, s);
	return 0;
}

int gpu_local_memory(struct gpu *g, struct launch_state *s, uint64_t slots, struct err *err)
{
	uint64_t stride = (uint64_t)s->grid.program->local_bytes * WARP_LANES;
	unsigned buffer;

	if (!stride)
		return 0;
	stride = div_up(stride, 128) * 128;
	buffer = image_add(g->image, "(local)", stride * slots, false, err);
	if (!buffer)
		return -1;
	s->grid.local_stride = stride;
	s->grid.local_base = image_address(g->image, buffer);
	s->grid.local = image_bytes_at(g->image, s->grid.local_base, stride * slots);
	return 0;
}

/* Of an address outside all buffers, what it may have been meant for. */
static void describe_place(const struct image *im, uint64_t a, struct text *out)
{
	unsigned near = image_nearest(im, a);
	uint64_t start, bytes;
	const char *freed = image_freed(im, a, &start, &bytes);

	if (freed)
		text_add(out, "; it was in buffer '%s' (0x%llx, %llu bytes), which was freed",
			freed, (unsigned long long)start, (unsigned long long)bytes);
	else if (near)
		text_add(out, "; the nearest buffer is '%s' (0x%llx, %llu bytes)",
			image_name(im, near), (unsigned long long)image_address(im, near),
			(unsigned long long)image_bytes(im, near));
}

void gpu_explain(
	const struct gpu *g, const struct fault *f, const struct launch_state *s, struct err *err)
{
	struct text where = {0};
	char words[2048];

	if (f->space == SPACE_GLOBAL)
		describe_place(g->image, f->address, &where);
	fault_describe(f, s->grid.program, words, sizeof(words));
	err_add(err, ERR_FAULT, "kernel '%s': %s%s", s->name, words, text_str(&where));
	text_clear(&where);
}

struct exec_memory gpu_memory(const struct gpu *g)
{
	struct exec_memory memory = image_memory(g->image);

	memory.output = g->output.write ? &g->output : NULL;
	memory.notes = g->notes;
	return memory;
}

int gpu_run_untimed(struct gpu *g, struct untimed_counts *counts, struct err *err)
{
	struct untimed_limits limits = {.warp_instructions = UINT64_C(1) << 40};

	return gpu_run_watched(g, &limits, counts, err);
}

/* Why a launch without a fault was not completed. `left`: what the limit allowed it. */
static int tell_end(const struct gpu *g, const struct untimed_limits *limits, uint64_t left,
	uint64_t executed, bool livelock, struct err *err)
{
	unsigned long long most = limits->warp_instructions;
	char head[256];

	if (livelock)
		snprintf(head, sizeof(head),
			"the run would never end: no running warp can change any state, "
			"up to the limit of %llu warp instruction%s",
			most, text_s(most));
	else if (most && executed >= left)
		snprintf(head, sizeof(head),
			"the limit of %llu warp instruction%s is reached and work is left: the "
			"report is partial",
			most, text_s(most));
	else
		return unfinished_untimed(g, ERR_INTERRUPTED, "interrupted: the report is partial",
			limits->positions, err);
	return unfinished_untimed(g, ERR_LIMIT, head, limits->positions, err);
}

/* One launch, with the rest of the limit. 0 or -1. */
static int run_launch(struct gpu *g, struct launch_state *s, const struct untimed_limits *limits,
	struct untimed_counts *counts, struct err *err)
{
	uint64_t before = counts->warp_instructions, most = limits->warp_instructions;
	struct exec_memory memory = gpu_memory(g);
	struct positions positions = {0};
	struct untimed_limits own = *limits;
	struct fault fault = {0};

	own.positions = &positions;
	own.warp_instructions = most > before ? most - before : 0;
	if (most && !own.warp_instructions) {
		positions.waiting = s->ctas;
		own.warp_instructions = most;
		return tell_end(g, &own, 0, 0, false, err);
	}
	if (!untimed_run(&s->grid, 0, 1, g->lanes, &memory, &own, counts, &fault, err))
		return 0;
	s->finished = positions.ended;
	if (fault.kind != FAULT_NONE && fault.kind != FAULT_LIVELOCK) {
		gpu_explain(g, &fault, s, err);
	} else if (!err->count) {
		uint64_t left = own.warp_instructions;

		own.warp_instructions = most;
		tell_end(g, &own, left, counts->warp_instructions - before,
			fault.kind == FAULT_LIVELOCK, err);
	}
	return -1;
}

int gpu_run_watched(struct gpu *g, const struct untimed_limits *limits,
	struct untimed_counts *counts, struct err *err)
{
	for (; g->untimed_done < g->nlaunches; g->untimed_done++) {
		struct launch_state *s = g->launches[g->untimed_done];

		if (run_launch(g, s, limits, counts, err))
			return -1;
		s->complete = true;
		s->finished = s->timed;
	}
	return 0;
}
