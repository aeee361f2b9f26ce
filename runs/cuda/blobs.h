/* Contents of a recording: files named by the hash of what they hold. */
#ifndef RUNS_CUDA_BLOBS_H
#define RUNS_CUDA_BLOBS_H

#include "core/err.h"
#include "core/mem.h"
#include "core/text.h"

#include <stdbool.h>
#include <stddef.h>

#define BLOBS_FOLDER "blobs"
#define BLOBS_NAME 33 /* 32 hexadecimal digits and a NUL */

void blobs_name(const void *, size_t n, char name[BLOBS_NAME]);

/* Writes the bytes into DIR/blobs, unless they are there. 0, or -1 and a message. */
int blobs_put(const char *dir, const void *, size_t n, char name[BLOBS_NAME], struct err *);

/* Writes a file of the recording. 0, or -1 and a message (ERR_HOST). */
int blobs_write_file(const char *path, const void *, size_t n, struct err *);

/* Removes an unfinished recording's folder with its files. */
void blobs_remove(const char *dir);

/* The n bytes of that name (mem_free), compared with it; NULL and a message (ERR_INPUT). */
char *blobs_get(const char *dir, const char *name, size_t n, struct err *);

#endif
