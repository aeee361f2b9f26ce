/* Whole files in and out; output appears under its name only when it is complete. */
#ifndef CORE_FILE_H
#define CORE_FILE_H

#include "core/err.h"
#include "core/files.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The bytes of a file, followed by a NUL that is not counted; freed with mem_free by the caller.
 * The file is noted as read. NULL and a message on failure: `code`, of a file that cannot be read,
 * a folder, a device, a pipe (which would be waited for), a file over 4 GB; ERR_USAGE of one that
 * is to be written. */
char *file_read(struct files *, const char *path, size_t *bytes, enum err_code code, struct err *);

/* Writes a file beside its place and renames it: a reader never sees half of it, not even after a
 * power cut. It keeps the mode of what it replaces; a new one is made as the umask says. What is no
 * regular file (a device, a pipe) is written to as it is; a link stays, and what it leads to is
 * written. "-" is not special. 0 or -1: ERR_HOST; ERR_USAGE, the file is read, or another output.
 */
int file_write(struct files *, const char *path, const void *data, size_t bytes, struct err *);

/* A file that is written piece by piece, and appears under its name when it is complete. A zeroed
 * struct is a closed one. */
struct file_out {
	struct files *files; /* set by the owner before file_begin; may be NULL */
	char *path, *beside; /* where it will be; where it is written, NULL: there at once */
	FILE *f;
	uint64_t bytes; /* so far */
	int error;      /* the first errno of a write, 0: none */
	bool yields; /* set before file_commit: what has come to its place meanwhile stays there */
};

/* Opens a file beside its place. 0 or -1, as file_write. */
int file_begin(struct file_out *, const char *path, struct err *);
/* What goes wrong is told by file_commit. */
void file_add(struct file_out *, const void *data, size_t bytes);
/* Lets the file appear, safe on the disk, and closes it. 0, or -1 (ERR_HOST) and nothing is left of
 * it. */
int file_commit(struct file_out *, struct err *);
/* Closes the file, if it is open; nothing is left of it. */
void file_abandon(struct file_out *);

#endif
