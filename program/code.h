/* The PTX inside a compiled CUDA program: an executable, a shared library, an object file, or a fat
 * binary by itself. */
#ifndef PROGRAM_CODE_H
#define PROGRAM_CODE_H

#include "core/err.h"
#include "core/mem.h"

#include <stdbool.h>
#include <stddef.h>

/* A file's bytes; `path` names it in messages. */
struct code_file {
	const char *path;
	const void *data;
	size_t bytes;
	bool part; /* of several that are linked: it may have nothing but the device runtime */
};

/* The PTX of one source file, for one architecture. */
struct code_image {
	const char *text; /* ended by a NUL that is not counted */
	size_t bytes;
	unsigned arch; /* 75: sm_75 */
};

struct code_images {
	const struct code_image *at;
	unsigned n;
	bool linked; /* compiled separately (-rdc=true): they call each other */
};

/* The newest architecture whose PTX is taken where a program has older one, too: sm_90. */
#define CODE_NEWEST 90u

/* Whether the bytes begin as a program or a fat binary does. */
bool code_inside(const void *data, size_t bytes);

/* One image for each fat binary of the file: the PTX of the highest architecture that is at most
 * `newest` (90: sm_90), else of the lowest; none of the toolkit's device
 * runtime. 0, or -1 and messages: ERR_INPUT for a file that breaks
 * a rule of its format or has no CUDA code, ERR_UNSUPPORTED for machine code without PTX and for a
 * compression that was not built in. All is of the arena, whose escape the caller has set. */
int code_read(const struct code_file *, unsigned newest, struct arena *, struct code_images *,
	struct err *);

/* What a file's i-th image of n is called: "app", or of several "app[1]". The arena's, or `path`.
 */
const char *code_name(const char *path, unsigned i, unsigned n, struct arena *);

#endif
