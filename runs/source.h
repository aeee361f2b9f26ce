/* The files a scenario names: their paths, and what was read of them. */
#ifndef RUNS_SOURCE_H
#define RUNS_SOURCE_H

#include "core/err.h"
#include "core/files.h"
#include "core/mem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An input file of a run. */
struct input {
	const char *path;
	uint64_t hash; /* of its bytes: gpu_hash */
};

struct description;

/* relative names are relative to `directory`; arena and directory are the owner's. */
struct source {
	struct arena *arena;
	const char *directory;
	struct files *files; /* of the command; NULL: they are not noted */
	struct input *inputs;
	unsigned ninputs, cap;
	const struct description
		*machine; /* the last one named; NULL: none was (runs/description.h) */
};

/* The path of a file that is named relative to the directory; the arena's. */
const char *source_path(struct source *, const char *name);

/* The bytes of a file, followed by a NUL that is not counted, in the arena; the file is noted among
 * the inputs. NULL and a message (ERR_INPUT) on failure. `path` must outlive the source. */
char *source_read(struct source *, const char *path, size_t *bytes, struct err *);

/* What a file has of PTX: its text, or of a compiled program that of each image. */
struct source_code {
	struct module_text *at; /* the source's arena has it, names and texts too */
	unsigned n;
	bool linked; /* one module together; else each is one */
};

/* Whether the name ends in .ptx, or the file begins as a compiled program does. */
bool source_is_code(const char *path);

/* Reads it, as source_read does; of a program the PTX for `arch` (code_read). 0, or -1, messages
 * and none. */
int source_code(
	struct source *, const char *path, unsigned arch, struct source_code *, struct err *);

#endif
