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
 * The file is registered as read. NULL and a message on failure: `code` for a file that cannot be
 * read, a folder, a device, a pipe (which could block), a file over 4 GB; ERR_USAGE for one that is
 * also an output. */
char *file_read(struct files *, const char *path, size_t *bytes, enum err_code code, struct err *);

/* Writes a temporary file in the same folder and renames it: a reader never sees an incomplete
 * file, not even after a power failure. It keeps the mode of the file that it replaces; a new one
 * follows the umask. Other than a regular file (a device, a pipe) is written directly; a symbolic
 * link is kept, and its target is written. "-" is not special. 0 or -1: ERR_HOST; ERR_USAGE when
 * the file is an input or another output. */
int file_write(struct files *, const char *path, const void *data, size_t bytes, struct err *);

/* A file that is written piece by piece, and appears under its name when it is complete. A zeroed
 * struct is a closed one. */
struct file_out {
	struct files *files; /* set by the owner before file_begin; may be NULL */
	char *path, *beside; /* final path; temporary path, NULL: written directly */
	FILE *f;
	uint64_t bytes; /* so far */
	int error;      /* the first errno of a write, 0: none */
	bool yields;    /* set before file_commit: a file created under that name in the meantime is
			   kept */
};

/* Opens the temporary file. 0 or -1, as file_write. */
int file_begin(struct file_out *, const char *path, struct err *);
/* Errors are reported by file_commit. */
void file_add(struct file_out *, const void *data, size_t bytes);
/* Renames the file to its final path, durably, and closes it. 0, or -1 (ERR_HOST) and the temporary
 * file is removed. */
int file_commit(struct file_out *, struct err *);
/* Closes the file, if it is open, and removes it. */
void file_abandon(struct file_out *);

/* Removes the temporary files that processes of this host have left that were killed while they
 * wrote this path. */
void file_remove_left(const char *path);

#endif
