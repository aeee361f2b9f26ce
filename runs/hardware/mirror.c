/* A mirror's modules and memory on the GPU. */
#include "runs/hardware/mirror_inside.h"

#include "core/base.h"
#include "core/file.h"
#include "core/text.h"
#include "program/code.h"

#include <string.h>

/* ---- tables and what must be released */
void *mirror_grow(struct mirror *m, void *table, size_t size)
{
	struct grown {
		void *at;
		unsigned n, most;
	} *t = table;

	if (t->n == t->most) {
		unsigned most = t->most ? 2 * t->most : 16;
		void *at = arena_alloc(m->arena, most, size);

		if (t->n)
			memcpy(at, t->at, t->n * size);
		t->at = at;
		t->most = most;
	}
	t->n++;
	return t->at;
}

void mirror_own(struct mirror *m, enum owned_kind kind, uint64_t handle)
{
	*MIRROR_ADD(m, owned) = (struct owned){kind, handle};
}

static void let_go(struct mirror *m, const struct owned *o, struct err *err)
{
	struct driver *d = m->d;
	void *handle = (void *)(uintptr_t)o->handle;

	switch (o->kind) {
	case OWNED_MODULE:
		DRIVER_CALL(d, NULL, err, module_unload, handle);
		break;
	case OWNED_MEMORY:
		DRIVER_CALL(d, NULL, err, memory_free, o->handle);
		break;
	case OWNED_ARRAY:
		DRIVER_CALL(d, NULL, err, array_destroy, handle);
		break;
	case OWNED_TEXTURE:
		DRIVER_CALL(d, NULL, err, texture_destroy, o->handle);
		break;
	case OWNED_SURFACE:
		DRIVER_CALL(d, NULL, err, surface_destroy, o->handle);
		break;
	case OWNED_STREAM:
		DRIVER_CALL(d, NULL, err, stream_destroy, handle);
		break;
	case OWNED_EVENT:
		DRIVER_CALL(d, NULL, err, event_destroy, handle);
		break;
	}
}

/* After an error all calls may fail: the first message says why. */
void mirror_free(struct mirror *m, struct err *err)
{
	struct err wrong = {0};

	if (!m)
		return;
	while (m->owned.n)
		let_go(m, &m->owned.at[--m->owned.n], &wrong);
	err_clear(&m->wrong);
	if (!err->count)
		err_move(err, &wrong);
	err_clear(&wrong);
}

/* ---- modules */
static char *copy_of(const char *text, struct err *err)
{
	char *copy = mem_strdup(text);

	if (!copy)
		err_add(err, ERR_RESOURCE, "no host memory for a module");
	return copy;
}

/* The file's text must be the one that the model compiled. */
static char *read_module(struct mirror *m, module_t module, struct err *err)
{
	unsigned n;
	const struct gpu_file *files = gpu_module_files(m->gpu, module, &n);
	const char *given = gpu_module_given(m->gpu, module);
	size_t bytes;
	char *text;

	if (given)
		return copy_of(given, err);
	if (n > 1) {
		err_add(err, ERR_UNSUPPORTED,
			"%s: one of %u files that are linked with each other: hardware runs "
			"modules of one file",
			files[0].path, n);
		return NULL;
	}
	if (gpu_compiled(m->gpu, module - 1)->address_bits != 64) {
		err_add(err, ERR_UNSUPPORTED,
			"%s: its addresses have 32 bits; GPUs run PTX of .address_size 64",
			files[0].path);
		return NULL;
	}
	text = file_read(m->files, files[0].path, &bytes, ERR_INPUT, err);
	if (text && code_inside(text, bytes)) {
		err_add(err, ERR_UNSUPPORTED,
			"%s: a compiled program: hardware runs modules of PTX text (`cuobjdump "
			"-xptx all` takes it out)",
			files[0].path);
		mem_free(text);
		return NULL;
	}
	if (text && gpu_hash(text, bytes) != files[0].hash) {
		err_add(err, ERR_INPUT, "%s: was changed while it was in use", files[0].path);
		mem_free(text);
		return NULL;
	}
	return text;
}

/* The driver's message, of which the first line with a reason is added. */
static int load(
	struct mirror *m, const char *path, const char *text, void **module, struct err *err)
{
	char log[4096] = "", what[512];
	int options[] = {CUDA_JIT_ERROR_LOG, CUDA_JIT_ERROR_LOG_BYTES};
	void *values[] = {log, (void *)(uintptr_t)sizeof(log)};
	int result = m->d->cuda.module_load(module, text, ARRAY_LEN(options), options, values);
	size_t n;

	log[sizeof(log) - 1] = '\0';
	n = strcspn(log, "\n");
	log[n] = '\0';
	snprintf(what, sizeof(what), "%s%s%.256s", path, n ? ": " : "", log);
	return driver_result(m->d, driver_symbol("module_load"), result, what, err);
}

/* A fetch by whole numbers from a row reads linear memory in CUDA; layers are arrays. */
static void look_at_fetches(struct mirrored_module *to, const char *text)
{
	for (const char *at = text; (at = strstr(at, ".1d.")); at++) {
		size_t n = strcspn(at, " \t\n");

		to->whole_texels |= n > 4 && !strncmp(at + n - 4, ".s32", 4);
	}
	to->rows = strstr(text, ".1d.") || strstr(text, ".a1d.");
	to->layered = strstr(text, ".a1d.") || strstr(text, ".a2d.");
}

static int find_variable(struct mirror *m, unsigned module, const struct module_var *v,
	const struct module *of, uint32_t i, struct err *err)
{
	uint64_t base;
	buffer_t b = gpu_buffer_holding(m->gpu, v->address, &base);
	struct mirrored *to = &m->buffers.at[b - 1];
	size_t bytes = 0;
	int result;

	*to = (struct mirrored){
		.bytes = v->bytes, .variable = true, .constant = v->space == SPACE_CONST};
	to->seen = arena_alloc(m->arena, max_u64(v->bytes, 1), 1);
	to->first = arena_alloc(m->arena, max_u64(v->bytes, 1), 1);
	module_var_init(of, i, to->seen);
	result = m->d->cuda.module_global(&to->at, &bytes, m->modules.at[module].module, v->name);
	to->absent = result == CUDA_NOT_FOUND || !v->bytes;
	if (to->absent)
		return 0;
	if (driver_result(m->d, driver_symbol("module_global"), result, v->name, err))
		return -1;
	return DRIVER_CALL(m->d, v->name, err, memory_read, to->first, to->at, v->bytes);
}

static int add_module(struct mirror *m, struct err *err)
{
	unsigned i = m->modules.n;
	const struct module *of = gpu_compiled(m->gpu, i);
	char *text = read_module(m, i + 1, err);
	void *module = NULL;
	int bad = text ? 0 : -1;

	if (m->clocked && !bad)
		bad = mirror_clocked_text(of->file, &text, err);
	bad = bad || load(m, of->file, text, &module, err) ? -1 : 0;
	if (!bad) {
		struct mirrored_module *to = MIRROR_ADD(m, modules);

		*to = (struct mirrored_module){.module = module};
		look_at_fetches(to, text);
		mirror_own(m, OWNED_MODULE, (uintptr_t)module);
		bad = m->clocked ? mirror_find_clocks(m, to, err) : 0;
	}
	mem_free(text);
	for (uint32_t v = 0; v < of->nvars && !bad; v++)
		if (of->vars[v].kind == OBJECT_NONE)
			bad = find_variable(m, i, &of->vars[v], of, v, err);
	return bad;
}

/* ---- buffers */
static int add_buffer(struct mirror *m, buffer_t b, struct err *err)
{
	struct mirrored *to = &m->buffers.at[b - 1];
	const char *name = gpu_buffer_name(m->gpu, b);

	to->bytes = gpu_buffer_bytes(m->gpu, b);
	to->seen = arena_alloc(m->arena, to->bytes, 1);
	if (DRIVER_CALL(m->d, name, err, memory_take, &to->at, to->bytes)) {
		to->at = 0;
		return -1;
	}
	mirror_own(m, OWNED_MEMORY, to->at);
	return DRIVER_CALL(m->d, name, err, memory_zero, to->at, 0, to->bytes);
}

int mirror_prepare(struct mirror *m, struct err *err)
{
	int bad = 0;

	while (m->buffers.n < gpu_buffers(m->gpu))
		*MIRROR_ADD(m, buffers) = (struct mirrored){0};
	while (m->modules.n < gpu_modules(m->gpu) && !bad)
		bad = add_module(m, err);
	for (buffer_t b = 1; b <= m->buffers.n && !bad; b++) {
		const struct mirrored *to = &m->buffers.at[b - 1];

		if (!to->at && !to->absent && !gpu_buffer_is_inner(m->gpu, b))
			bad = add_buffer(m, b, err);
	}
	return bad;
}

/* The host side asks while it builds its inputs: an error shows at the next run. */
static uint64_t address_of(void *ctx, buffer_t b)
{
	struct mirror *m = ctx;

	if (m->wrong.count || mirror_prepare(m, &m->wrong))
		return 0;
	return m->buffers.at[b - 1].at;
}

cuda_address mirror_translate(const struct mirror *m, uint64_t address)
{
	uint64_t base = 0;
	buffer_t b = gpu_buffer_holding(m->gpu, address, &base);

	return b ? m->buffers.at[b - 1].at + (address - base) : 0;
}

bool mirror_has(const struct mirror *m, buffer_t b)
{
	return b <= m->buffers.n && m->buffers.at[b - 1].at && !m->buffers.at[b - 1].absent;
}

cuda_address mirror_address(const struct mirror *m, buffer_t b)
{
	return m->buffers.at[b - 1].at;
}

struct mirror *mirror_new(struct driver *d, struct gpu *gpu, struct files *files,
	struct arena *arena, unsigned most_runs)
{
	struct mirror *m = arena_alloc(arena, 1, sizeof(*m));

	m->d = d;
	m->gpu = gpu;
	m->files = files;
	m->arena = arena;
	m->most_runs = most_runs;
	m->span_ms = arena_alloc(arena, most_runs, sizeof(*m->span_ms));
	gpu_elsewhere(gpu, &(struct gpu_elsewhere){m, address_of});
	return m;
}
