/* The PTX of a module's files. */
#include "chip/module_files.h"

#include "core/file.h"
#include "program/code.h"

#include <string.h>

static int no_memory(const char *path, struct err *err)
{
	return err_add(err, ERR_RESOURCE, "%s: no host memory", path);
}

static void let_go(void *data)
{
	mem_free(data);
}

/* Reads a file and notes it among the GPU's, which keep its name. */
static char *read_file(struct module_files *f, const char **path, size_t *bytes, struct err *err)
{
	struct gpu *g = f->gpu;
	struct gpu_file *grown = mem_grow(g->files, g->nfiles, g->nfiles + 1, sizeof(*grown));
	void **owned = arena_own(&f->arena, let_go);
	const char *name;

	if (grown)
		g->files = grown;
	*owned = file_read(g->read, *path, bytes, ERR_INPUT, err);
	if (!*owned)
		return NULL;
	name = grown ? mem_strdup(*path) : NULL;
	if (!name) {
		no_memory(*path, err);
		return NULL;
	}
	g->files[g->nfiles++] = (struct gpu_file){.path = name, .hash = gpu_hash(*owned, *bytes)};
	*path = name;
	return *owned;
}

static void add(struct module_files *f, const char *name, const char *text, size_t bytes)
{
	struct module_text *more = arena_alloc(&f->arena, f->n + 1, sizeof(*more));

	if (f->n)
		memcpy(more, f->texts, f->n * sizeof(*more));
	more[f->n] = (struct module_text){.file = name, .text = text, .bytes = bytes};
	f->texts = more;
	f->n++;
}

static int add_texts(struct module_files *f, const char *path, struct err *err)
{
	struct code_images images;
	size_t bytes;
	char *data = read_file(f, &path, &bytes, err);

	if (!data)
		return -1;
	if (!code_inside(data, bytes)) {
		add(f, path, data, bytes);
		return 0;
	}
	if (code_read(&(struct code_file){path, data, bytes}, CODE_NEWEST, &f->arena, &images, err))
		return -1;
	for (unsigned i = 0; i < images.n; i++)
		add(f, code_name(path, i, images.n, &f->module->arena), images.at[i].text,
			images.at[i].bytes);
	return 0;
}

int module_files_add(struct module_files *f, const char *path, struct err *err)
{
	jmp_buf escape;
	int bad;

	if (setjmp(escape))
		return no_memory(path, err);
	f->arena.escape = f->module->arena.escape = &escape;
	bad = add_texts(f, path, err);
	f->arena.escape = f->module->arena.escape = NULL;
	return bad;
}

void module_files_free(struct module_files *f)
{
	arena_free(&f->arena);
}
