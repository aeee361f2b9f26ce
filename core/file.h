/* Whole files in and out; output appears under its name only when it is complete. */
#ifndef CORE_FILE_H
#define CORE_FILE_H

#include "core/err.h"

#include <stddef.h>

/* The bytes of a file, followed by a NUL that is not counted; freed with mem_free by the caller.
 * NULL and a message (`code`) on failure; a directory or a file over 4 GB is one. */
char *file_read(const char *path, size_t *bytes, enum err_code code, struct err *);

/* Writes a file beside its place and renames it: a reader never sees half of it. "-" is not
 * special. 0 or -1 (ERR_HOST). */
int file_write(const char *path, const void *data, size_t bytes, struct err *);

#endif
