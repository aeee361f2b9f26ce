/* The PTX of a module's files. */
#include "chip/module_files.h"

#include "chip/capability.h"

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

/* Notes an input among the GPU's, which keep its name: that name, or NULL and a message. */
static const char *note(
	struct gpu *g, const char *name, const void *data, size_t bytes, struct err *err)
{
	struct gpu_file *grown = mem_grow(g->files, g->nfiles, g->nfiles + 1, sizeof(*grown));
	const char *kept;

	if (grown)
		g->files = grown;
	kept = grown ? mem_strdup(name) : NULL;
	if (!kept) {
		no_memory(name, err);
		return NULL;
	}
	g->files[g->nfiles++] = (struct gpu_file){.path = kept, .hash = gpu_hash(data, bytes)};
	return kept;
}

/* Reads a file; the name is the GPU's from then on. */
static char *read_file(struct module_files *f, const char **path, size_t *bytes, struct err *err)
{
	void **owned = arena_own(&f->arena, let_go);

	*owned = file_read(f->gpu->read, *path, bytes, ERR_INPUT, err);
	if (!*owned)
		return NULL;
	*path = note(f->gpu, *path, *owned, *bytes, err);
	return *path ? *owned : NULL;
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
	if (code_read(&(struct code_file){.path = path, .data = data, .bytes = bytes},
		    chip_arch(f->gpu->config), &f->arena, &images, err))
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

int module_files_text(struct module_files *f, const struct module_text *t, struct err *err)
{
	const char *name = note(f->gpu, t->file, t->text, t->bytes, err);
	jmp_buf escape;

	if (!name)
		return -1;
	if (setjmp(escape))
		return no_memory(t->file, err);
	f->arena.escape = &escape;
	add(f, name, t->text, t->bytes);
	f->arena.escape = NULL;
	return 0;
}

int module_files_keep(const struct module_files *f, struct err *err)
{
	struct gpu_module *m = f->module;
	jmp_buf escape;

	if (setjmp(escape))
		return no_memory(f->n ? f->texts[0].file : "a module", err);
	m->arena.escape = &escape;
	m->texts = arena_alloc(&m->arena, f->n, sizeof(*m->texts));
	for (m->ntexts = 0; m->ntexts < f->n; m->ntexts++) {
		const struct module_text *t = &f->texts[m->ntexts];
		char *copy = arena_alloc(&m->arena, t->bytes + 1, 1);

		memcpy(copy, t->text, t->bytes);
		m->texts[m->ntexts] =
			(struct module_text){.file = t->file, .text = copy, .bytes = t->bytes};
	}
	m->arena.escape = NULL;
	return 0;
}

void module_files_free(struct module_files *f)
{
	arena_free(&f->arena);
}
