/* The files that a command reads and writes, known by device and inode, so that no output takes the
 * place of an input or of another output, however their paths are spelled. */
#ifndef CORE_FILES_H
#define CORE_FILES_H

#include "core/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* Where a path leads, links followed: a file, or the name in a folder where one would be made. */
struct file_place {
	struct stat st;   /* of the file, or of the folder when there is no file yet */
	bool there;       /* there is something */
	bool stream;      /* a device, a pipe, a socket, one of our open files: it can be shared */
	int fd;           /* our open file, such as 1 of /dev/stdout; -1: none */
	char *path;       /* without links at its end; mem_free */
	const char *name; /* the path's last part */
};

/* Finds it. 0; -1 with a message: no memory (ERR_RESOURCE), or nothing can be written there
 * (ERR_HOST: no such folder, a folder itself, no permission). */
int file_place(struct file_place *, const char *path, struct err *);
void file_place_clear(struct file_place *);

struct files_entry;

/* A zeroed struct knows no file; files_clear empties it. NULL in its place: nothing is noted and
 * nothing refused. One thread at a time. */
struct files {
	struct files_entry *at;
	unsigned n, cap;
};

/* Notes a file that was opened to be read. 0, or -1 (ERR_USAGE) when it is to be written; it is
 * noted all the same. */
int files_read(struct files *, const char *path, const struct stat *, struct err *);

/* Notes a file that will be written, by `what` ("--json"); 0, or -1: it is read, or another output
 * goes there (ERR_USAGE), or nothing can be written there. "-" and streams may be written often.
 * With `what` NULL, as file_begin asks: a path that was noted before is looked at again. */
int files_write(struct files *, const char *what, const char *path, struct err *);

/* Notes an open file, such as stdout, as written; it is nothing if it is no regular file. 0 or -1
 * (ERR_RESOURCE). */
int files_open(struct files *, const char *what, int fd, struct err *);

void files_clear(struct files *);

#endif
