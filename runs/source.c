/* The files a scenario names. */
#include "runs/source.h"

#include "chip/gpu.h"
#include "core/file.h"

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
