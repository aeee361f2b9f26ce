/* Modules: read or given, compiled, their variables in device memory. */
#include "chip/gpu_inside.h"
#include "chip/module_files.h"
#include "chip/resident.h"
#include "ptx/isa/source_name.h"

#include <string.h>

uint64_t gpu_hash(const void *data, size_t bytes)
{
	const unsigned char *at = data;
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < bytes; i++)
		h = (h ^ at[i]) * 0x100000001b3u;
	return h;
}

void gpu_free_module(struct gpu_module *m)
{
	if (!m)
		return;
	arena_free(&m->arena);
	mem_free(m->kernel);
	err_clear(&m->errors);
	mem_free(m);
}

/* 0 and a message when there is no memory. */
static buffer_t place_variable(struct gpu *g, const struct module_var *v, struct err *err)
{
	uint64_t bytes = max_u64(v->bytes, 1);
	void *pages;

	if (!v->managed || !g->pages.take)
		return image_add(g->image, v->name, bytes, true, err);
	pages = g->pages.take(g->pages.ctx, v->name, bytes);
	if (pages)
		return image_add_at(g->image, v->name, pages, bytes, err);
	err_add(err, ERR_RESOURCE, "managed variable '%s': no host memory", v->name);
	return 0;
}

/* Gives them their initial bytes. */
static void init_variables(struct gpu *g, const struct module *m)
{
	for (uint32_t i = 0; i < m->nvars; i++)
		if (m->vars[i].kind == OBJECT_NONE)
			module_var_init(m, i,
				image_bytes_at(g->image, m->vars[i].address,
					max_u64(m->vars[i].bytes, 1)));
}

/* Puts the module's variables into device memory, with their initial bytes. */
static int place_variables(struct gpu *g, struct module *m, struct err *err)
{
	uint32_t *buffer = mem_alloc(m->nvars + 1, sizeof(*buffer));
	int bad = buffer ? 0 : err_add(err, ERR_RESOURCE, "%s: no host memory", m->file);

	for (uint32_t i = 0; i < m->nvars && !bad; i++) {
		if (m->vars[i].kind != OBJECT_NONE) {
			bad = gpu_place_reference(g, m, i, err);
			continue;
		}
		buffer[i] = place_variable(g, &m->vars[i], err);
		bad = buffer[i] ? 0 : -1;
		if (!bad)
			module_place(m, i, image_address(g->image, buffer[i]));
	}
	if (!bad) {
		module_link(m);
		init_variables(g, m);
	}
	mem_free(buffer);
	return bad ? -1 : gpu_heap_place(g, m, err);
}

void gpu_reset(struct gpu *g)
{
	gpu_heap_reset(g);
	for (unsigned i = 0; i < g->nmodules; i++) {
		const struct module *m = g->modules[i]->module;

		init_variables(g, m);
		gpu_reset_references(g, m);
		gpu_heap_place(g, m, NULL); /* there is one */
	}
}

/* The notes of a function come together. */
static void keep_left_out(void *ctx, const struct compile_note *n)
{
	struct gpu_module *m = ctx;
	struct left_out *k;

	if (!n->is_kernel || (m->left_out && !strcmp(m->left_out->name, n->function)))
		return;
	k = arena_alloc(&m->arena, 1, sizeof(*k));
	*k = (struct left_out){m->left_out, arena_strdup(&m->arena, n->function)};
	m->left_out = k;
}

static int compile(struct gpu *g, struct gpu_module *m, const struct module_text *texts, unsigned n,
	struct err *err)
{
	struct compile_options options = {.max_regs = (unsigned)g->p.max_regs,
		.all_regs = g->p.all_regs,
		.allocator = *g->p.allocator ? g->p.allocator : NULL,
		.schedule = (enum schedule_kind)g->p.schedule,
		.schedule_extra = (unsigned)g->p.schedule_extra,
		.schedule_least = (unsigned)g->p.schedule_least,
		.merge = g->p.merge_shared,
		.keep_order = !g->p.reorder,
		.any_bank = !g->p.spread_banks,
		.spill = {.space = (enum spill_space)g->p.spill,
			.stack = (enum spill_stack)g->p.spill_stack,
			.rank = (enum spill_rank)g->p.spill_rank,
			.slots = (unsigned)g->p.spill_slots},
		.kernels = g->kernels,
		.nkernels = g->nkernels,
		.resident = resident_regs,
		.resident_ctx = g->config,
		.levels = &g->levels,
		.note = keep_left_out,
		.note_ctx = m};
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
	gpu_free_module(m);
	err_add(err, ERR_RESOURCE, "%s: no host memory", path);
	return NULL;
}

/* Code is laid out kernel after kernel, each from a multiple of 64 instructions on. */
static int place_kernels(struct gpu *g, struct gpu_module *m, struct err *err)
{
	uint64_t at = g->code_end;

	m->kernel = mem_alloc(m->module->nkernels + 1, sizeof(*m->kernel));
	if (!m->kernel)
		return err_add(err, ERR_RESOURCE, "%s: no host memory", m->module->file);
	for (uint32_t i = 0; i < m->module->nkernels; i++) {
		m->kernel[i] = (struct kernel_place){.code_at = at, .accounts = NO_ACCOUNT};
		at += div_up(m->module->kernels[i]->ninstr, 64) * 64;
	}
	g->code_end = at;
	return 0;
}

/* Of texts in memory, or, when there are none, of the files of these paths. */
struct module_source {
	const char *const *paths;
	const struct module_text *texts;
	unsigned n;
};

static int read_and_compile(
	struct gpu *g, struct gpu_module *m, const struct module_source *from, struct err *err)
{
	struct module_files f = {.gpu = g, .module = m};
	int bad = 0;

	for (unsigned i = 0; i < from->n && !bad; i++)
		bad = from->texts ? module_files_text(&f, &from->texts[i], err)
				  : module_files_add(&f, from->paths[i], err);
	if (!bad)
		bad = compile(g, m, f.texts, f.n, err) || place_kernels(g, m, err);
	m->given = from->texts;
	bad = bad || module_files_keep(&f, err);
	module_files_free(&f);
	return bad ? -1 : 0;
}

static module_t add_module(struct gpu *g, const struct module_source *from, struct err *err)
{
	struct gpu_module *m =
		new_module(g, from->texts ? from->texts[0].file : from->paths[0], err);

	if (!m)
		return 0;
	m->first_file = g->nfiles;
	m->nfiles = from->n;
	if (read_and_compile(g, m, from, err)) {
		gpu_free_module(m);
		return 0;
	}
	g->modules[g->nmodules++] = m;
	return g->nmodules;
}

module_t gpu_module_set(struct gpu *g, const char *const *paths, unsigned n, struct err *err)
{
	return add_module(g, &(struct module_source){.paths = paths, .n = n}, err);
}

module_t gpu_module_text(
	struct gpu *g, const struct module_text *texts, unsigned n, struct err *err)
{
	return add_module(g, &(struct module_source){.texts = texts, .n = n}, err);
}

unsigned gpu_modules(const struct gpu *g)
{
	return g->nmodules;
}

const struct module *gpu_compiled(const struct gpu *g, unsigned i)
{
	return g->modules[i]->module;
}

const char *gpu_ptx(const struct gpu *g, const char *file)
{
	for (unsigned i = 0; i < g->nmodules; i++)
		for (unsigned k = 0; k < g->modules[i]->ntexts; k++)
			if (!strcmp(g->modules[i]->texts[k].file, file))
				return g->modules[i]->texts[k].text;
	return NULL;
}

module_t gpu_module(struct gpu *g, const char *path, struct err *err)
{
	return gpu_module_set(g, &path, 1, err);
}

bool gpu_is_left_out(const struct gpu_module *m, const char *kernel)
{
	const struct left_out *k = m->left_out;

	while (k && strcmp(k->name, kernel) != 0)
		k = k->next;
	return k;
}

bool gpu_left_out(const struct gpu *g, module_t module, const char *kernel)
{
	return gpu_is_left_out(g->modules[module - 1], kernel);
}

static bool has_left_out(const struct gpu_module *m, const char *name)
{
	const struct left_out *k = m->left_out;

	while (k && name && !source_name_is(k->name, name))
		k = k->next;
	return k;
}

int gpu_why_left_out(const struct gpu *g, const char *kernel, struct err *err)
{
	bool any = false;

	for (unsigned i = 0; i < g->nmodules; i++) {
		const struct err *why = &g->modules[i]->errors;

		if (!has_left_out(g->modules[i], kernel))
			continue;
		err_lines(err, why->code, err_text(why));
		any = true;
	}
	return any ? -1 : 0;
}

buffer_t gpu_variable(const struct gpu *g, module_t module, const char *name)
{
	const struct module *m = g->modules[module - 1]->module;

	for (uint32_t i = 0; i < m->nvars; i++) {
		if (m->vars[i].kind != OBJECT_NONE || strcmp(m->vars[i].name, name) != 0)
			continue;
		return image_find(g->image, m->vars[i].address, 1);
	}
	return 0;
}

unsigned gpu_files(const struct gpu *g)
{
	return g->nfiles;
}

struct gpu_file gpu_file(const struct gpu *g, unsigned i)
{
	return g->files[i];
}
