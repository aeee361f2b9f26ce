/* The files a scenario names. */
#include "runs/source.h"

#include "chip/gpu.h"
#include "core/file.h"
#include "program/code.h"
#include "ptx/isa/program.h"

#include <string.h>

const char *source_path(struct source *s, const char *name)
{
	size_t directory = strlen(s->directory), n = strlen(name);
	char *path;

	if (*name == '/' || !strcmp(s->directory, "."))
		return arena_strdup(s->arena, name);
	path = arena_alloc(s->arena, directory + n + 2, 1);
	memcpy(path, s->directory, directory);
	path[directory] = '/';
	memcpy(path + directory + 1, name, n);
	return path;
}

static void note(struct source *s, const char *path, uint64_t hash)
{
	if (s->ninputs == s->cap) {
		struct input *grown = arena_alloc(s->arena, s->cap * 2 + 8, sizeof(*grown));

		if (s->ninputs)
			memcpy(grown, s->inputs, s->ninputs * sizeof(*grown));
		s->inputs = grown;
		s->cap = s->cap * 2 + 8;
	}
	s->inputs[s->ninputs++] = (struct input){path, hash};
}

/* The arena's copy of a block of file_read, which is freed even when there is no memory. */
static char *kept(struct arena *arena, char *data, size_t n)
{
	jmp_buf *outer = arena->escape, here;
	char *copy;

	arena->escape = &here;
	if (setjmp(here)) {
		mem_free(data);
		arena->escape = outer;
		longjmp(*outer, 1);
	}
	copy = arena_alloc(arena, n + 1, 1);
	arena->escape = outer;
	memcpy(copy, data, n);
	mem_free(data);
	return copy;
}

char *source_read(struct source *s, const char *path, size_t *bytes, struct err *err)
{
	char *data = file_read(s->files, path, bytes, ERR_INPUT, err);

	if (!data)
		return NULL;
	data = kept(s->arena, data, *bytes);
	note(s, path, gpu_hash(data, *bytes));
	return data;
}

bool source_is_code(const char *path)
{
	size_t n = strlen(path), bytes = 0;
	struct err err = {0};
	bool inside;
	char *data;

	if (n > 4 && !strcmp(path + n - 4, ".ptx"))
		return true;
	data = file_read(NULL, path, &bytes, ERR_INPUT, &err);
	inside = data && code_inside(data, bytes);
	mem_free(data);
	err_clear(&err);
	return inside;
}

int source_code(
	struct source *s, const char *path, unsigned arch, struct source_code *c, struct err *err)
{
	struct code_images images;
	size_t bytes = 0;
	char *data = source_read(s, path, &bytes, err);

	*c = (struct source_code){0};
	if (!data)
		return -1;
	if (!code_inside(data, bytes)) {
		c->at = arena_alloc(s->arena, 1, sizeof(*c->at));
		c->n = 1;
		*c->at = (struct module_text){.file = path, .text = data, .bytes = bytes};
		return 0;
	}
	if (code_read(&(struct code_file){.path = path, .data = data, .bytes = bytes}, arch,
		    s->arena, &images, err))
		return -1;
	c->at = arena_alloc(s->arena, images.n + 1, sizeof(*c->at));
	for (c->n = 0; c->n < images.n; c->n++)
		c->at[c->n] =
			(struct module_text){.file = code_name(path, c->n, images.n, s->arena),
				.text = images.at[c->n].text,
				.bytes = images.at[c->n].bytes};
	c->linked = images.linked;
	return 0;
}
