/* The GPU as its host sees it: device memory and modules. */
#include "chip/gpu_inside.h"
#include "chip/module_files.h"

#include "chip/chip.h"
#include "core/file.h"

#include <stdio.h>
#include <string.h>

static const struct param_def gpu_params[] = {GPU_PARAMS(PARAM_ROW, gpu)};

const struct param_table gpu_param_table = {"gpu", gpu_params, ARRAY_LEN(gpu_params)};

/* Settings of slots in shared memory without spills to it would have no effect. A rank is a reading
 * of the paper, which its tables give to all machines. */
static int check_spill(const struct gpu *g, struct err *err)
{
	static const char *const paths[] = {"gpu.spill_slots", "gpu.spill_stack"};

	for (size_t i = 0; i < ARRAY_LEN(paths) && g->p.spill == SPILL_LOCAL && !g->nkernels; i++)
		if (config_given(g->config, paths[i]))
			return err_add(err, ERR_INPUT,
				"%s is set, but gpu.spill=local spills to local memory alone; "
				"gpu.spill=shared uses slots of shared memory",
				paths[i]);
	return 0;
}

struct gpu *gpu_new(struct config *config, struct files *files, struct err *err)
{
	struct gpu *g = mem_alloc(1, sizeof(*g));
	unsigned before = err->count;

	if (!g) {
		err_add(err, ERR_RESOURCE, "no host memory for a GPU");
		return NULL;
	}
	g->config = config;
	g->read = files;
	config_load(config, "gpu", gpu_params, ARRAY_LEN(gpu_params), g, err);
	gpu_read_kernels(g, err);
	check_spill(g, err);
	gpu_read_levels(g, err);
	g->image = image_new(err);
	g->notes = mem_alloc(1, sizeof(*g->notes));
	if (!g->notes)
		err_add(err, ERR_RESOURCE, "no host memory for a GPU");
	g->lanes = lanes_select(*g->p.isa ? g->p.isa : NULL, err);
	if (err->count != before || !g->image || !g->lanes) {
		gpu_free(g);
		return NULL;
	}
	return g;
}

static void free_module(struct gpu_module *m)
{
	if (!m)
		return;
	arena_free(&m->arena);
	err_clear(&m->errors);
	mem_free(m);
}

void gpu_free(struct gpu *g)
{
	if (!g)
		return;
	chip_free(g->chip);
	for (unsigned i = 0; i < g->nmodules; i++)
		free_module(g->modules[i]);
	mem_free(g->modules);
	for (unsigned i = 0; i < g->nfiles; i++)
		mem_free((char *)g->files[i].path);
	mem_free(g->files);
	mem_free(g->launches);
	mem_free(g->notes);
	mem_free(g->grids.grids);
	mem_free(g->textures.texture);
	arena_free(&g->arena);
	image_free(g->image);
	mem_free(g);
}

void gpu_output(struct gpu *g, const struct exec_output *output)
{
	g->output = *output;
}

buffer_t gpu_buffer(struct gpu *g, const char *name, uint64_t bytes, struct err *err)
{
	return image_add(g->image, name, bytes, true, err);
}

buffer_t gpu_buffer_named(const struct gpu *g, const char *name)
{
	for (unsigned b = 1; b <= image_count(g->image); b++)
		if (!strcmp(image_name(g->image, b), name))
			return b;
	return 0;
}

buffer_t gpu_variable(const struct gpu *g, module_t module, const char *name)
{
	const struct module *m = g->modules[module - 1]->module;

	for (uint32_t i = 0; i < m->nvars; i++) {
		if (m->vars[i].kind != OBJECT_NONE || strcmp(m->vars[i].name, name) != 0)
			continue;
		for (unsigned b = 1; b <= image_count(g->image); b++)
			if (image_address(g->image, b) == m->vars[i].address)
				return b;
	}
	return 0;
}

const char *gpu_buffer_name(const struct gpu *g, buffer_t b)
{
	return image_name(g->image, b);
}

uint64_t gpu_buffer_address(const struct gpu *g, buffer_t b)
{
	return g->elsewhere.address ? g->elsewhere.address(g->elsewhere.ctx, b)
				    : image_address(g->image, b);
}

uint64_t gpu_buffer_bytes(const struct gpu *g, buffer_t b)
{
	return image_bytes(g->image, b);
}

void gpu_write(struct gpu *g, buffer_t b, uint64_t offset, const void *data, uint64_t bytes)
{
	unsigned char *at = image_bytes_at(g->image, image_address(g->image, b) + offset, bytes);

	BUG_ON(!at);
	memcpy(at, data, bytes);
}

void gpu_read(const struct gpu *g, buffer_t b, uint64_t offset, void *data, uint64_t bytes)
{
	const unsigned char *at =
		image_bytes_at(g->image, image_address(g->image, b) + offset, bytes);

	BUG_ON(!at);
	memcpy(data, at, bytes);
}

uint64_t gpu_hash(const void *data, size_t bytes)
{
	const unsigned char *at = data;
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < bytes; i++)
		h = (h ^ at[i]) * 0x100000001b3u;
	return h;
}

/* Puts the module's variables into device memory, with their initial bytes. */
static int place_variables(struct gpu *g, struct module *m, struct err *err)
{
	uint32_t *buffer = mem_alloc(m->nvars + 1, sizeof(*buffer));
	int bad = buffer ? 0 : err_add(err, ERR_RESOURCE, "%s: no host memory", m->file);

	for (uint32_t i = 0; i < m->nvars && !bad; i++) {
		uint64_t bytes = max_u64(m->vars[i].bytes, 1);

		if (m->vars[i].kind != OBJECT_NONE) {
			bad = gpu_place_reference(g, m, i, err);
			continue;
		}
		buffer[i] = image_add(g->image, m->vars[i].name, bytes, true, err);
		bad = buffer[i] ? 0 : -1;
		if (!bad)
			module_place(m, i, image_address(g->image, buffer[i]));
	}
	if (!bad)
		module_link(m);
	for (uint32_t i = 0; i < m->nvars && !bad; i++)
		if (m->vars[i].kind == OBJECT_NONE)
			module_var_init(m, i,
				image_bytes_at(g->image, m->vars[i].address,
					max_u64(m->vars[i].bytes, 1)));
	mem_free(buffer);
	return bad;
}

static int compile(struct gpu *g, struct gpu_module *m, const struct module_text *texts, unsigned n,
	struct err *err)
{
	struct compile_options options = {.max_regs = (unsigned)g->p.max_regs,
		.allocator = *g->p.allocator ? g->p.allocator : NULL,
		.schedule = (enum schedule_kind)g->p.schedule,
		.schedule_extra = (unsigned)g->p.schedule_extra,
		.keep_order = !g->p.reorder,
		.any_bank = !g->p.spread_banks,
		.spill = {.space = (enum spill_space)g->p.spill,
			.stack = (enum spill_stack)g->p.spill_stack,
			.rank = (enum spill_rank)g->p.spill_rank,
			.slots = (unsigned)g->p.spill_slots},
		.kernels = g->kernels,
		.nkernels = g->nkernels,
		.levels = &g->levels};
	jmp_buf escape;

	if (setjmp(escape))
		return err_add(err, ERR_RESOURCE, "no host memory to compile PTX");
	m->arena.escape = &escape;
	m->module = module_compile_set(texts, n, &options, &m->arena, &m->errors);
	m->arena.escape = NULL;
	if (m->module && (m->module->nkernels || !m->errors.count))
		return place_variables(g, m->module, err);
	err_move(err, &m->errors);
	return -1;
}

/* A module in a table large enough for it; NULL and a message when there is no memory. */
static struct gpu_module *new_module(struct gpu *g, const char *path, struct err *err)
{
	struct gpu_module **grown =
		mem_grow(g->modules, g->nmodules, g->nmodules + 1, sizeof(*grown));
	struct gpu_module *m = mem_alloc(1, sizeof(*m));

	if (grown)
		g->modules = grown;
	if (grown && m)
		return m;
	free_module(m);
	err_add(err, ERR_RESOURCE, "%s: no host memory", path);
	return NULL;
}

static int read_and_compile(
	struct gpu *g, struct gpu_module *m, const char *const *paths, unsigned n, struct err *err)
{
	struct module_files f = {.gpu = g, .module = m};
	int bad = 0;

	for (unsigned i = 0; i < n && !bad; i++)
		bad = module_files_add(&f, paths[i], err);
	if (!bad)
		bad = compile(g, m, f.texts, f.n, err);
	module_files_free(&f);
	return bad;
}

module_t gpu_module_set(struct gpu *g, const char *const *paths, unsigned n, struct err *err)
{
	struct gpu_module *m = new_module(g, paths[0], err);

	if (!m)
		return 0;
	m->first_file = g->nfiles;
	m->nfiles = n;
	if (read_and_compile(g, m, paths, n, err)) {
		free_module(m);
		return 0;
	}
	g->modules[g->nmodules++] = m;
	return g->nmodules;
}

module_t gpu_module_text(struct gpu *g, const char *name, const char *text, struct err *err)
{
	struct gpu_module *m = new_module(g, name, err);
	struct module_text given = {.file = name, .text = text, .bytes = strlen(text)};

	if (!m)
		return 0;
	m->text = text;
	if (compile(g, m, &given, 1, err)) {
		free_module(m);
		return 0;
	}
	g->modules[g->nmodules++] = m;
	return g->nmodules;
}

unsigned gpu_modules(const struct gpu *g)
{
	return g->nmodules;
}

const struct module *gpu_compiled(const struct gpu *g, unsigned i)
{
	return g->modules[i]->module;
}

module_t gpu_module(struct gpu *g, const char *path, struct err *err)
{
	return gpu_module_set(g, &path, 1, err);
}

unsigned gpu_files(const struct gpu *g)
{
	return g->nfiles;
}

struct gpu_file gpu_file(const struct gpu *g, unsigned i)
{
	return g->files[i];
}
