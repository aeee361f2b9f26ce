/* Whole files in and out; output appears under its name only when it is complete. */
#ifndef CORE_FILE_H
#define CORE_FILE_H

#include "core/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The bytes of a file, followed by a NUL that is not counted; freed with mem_free by the caller.
 * NULL and a message (`code`) on failure; a directory or a file over 4 GB is one. */
char *file_read(const char *path, size_t *bytes, enum err_code code, struct err *);

/* Writes a file beside its place and renames it: a reader never sees half of it. What is no regular
 * file (a device, a pipe) is written to as it is; a link stays, and what it leads to is written.
 * "-" is not special. 0 or -1 (ERR_HOST). */
int file_write(const char *path, const void *data, size_t bytes, struct err *);

/* A file that is written piece by piece, and appears under its name when it is complete. A zeroed
 * struct is a closed one. */
struct file_out {
	char *path, *beside; /* where it will be; where it is written, NULL: there at once */
	FILE *f;
	uint64_t bytes; /* so far */
	int error;      /* the first errno of a write, 0: none */
};

/* Opens a file beside its place. 0 or -1 (ERR_HOST). */
int file_begin(struct file_out *, const char *path, struct err *);
/* What goes wrong is told by file_commit. */
void file_add(struct file_out *, const void *data, size_t bytes);
/* Lets the file appear, and closes it. 0, or -1 (ERR_HOST) and nothing is left of it. */
int file_commit(struct file_out *, struct err *);
/* Closes the file, if it is open; nothing is left of it. */
void file_abandon(struct file_out *);

/* Whether what is written to one path would take the place of what is written to the other. */
bool file_same(const char *path, const char *other);

#endif
