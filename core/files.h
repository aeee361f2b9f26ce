/* The files that a command reads and writes, identified by device and inode, so that no output
 * overwrites an input or another output, however their paths are spelled. */
#ifndef CORE_FILES_H
#define CORE_FILES_H

#include "core/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* The target of a path with its links resolved: an existing file, or a name in a folder. */
struct file_target {
	struct stat st;   /* of the file, or of the folder when there is no file yet */
	bool there;       /* the file exists */
	bool stream;      /* a device, a pipe, a socket, one of our open files: it can be shared */
	int fd;           /* our open file, such as 1 of /dev/stdout; -1: none */
	char *path;       /* links at its end resolved; mem_free */
	const char *name; /* the path's last part */
};

/* Resolves a path that is to be written. 0; -1 with a message: no memory (ERR_RESOURCE), or it
 * cannot be written (ERR_HOST: no such folder, a folder itself, no permission). */
int file_target(struct file_target *, const char *path, struct err *);
void file_target_clear(struct file_target *);

struct files_entry;

/* A zeroed struct is empty; files_clear empties it. With NULL instead, nothing is registered and
 * nothing refused. One thread at a time. */
struct files {
	struct files_entry *at;
	unsigned n, cap;
};

/* Registers a file that was opened for reading. 0, or -1 (ERR_USAGE) when it is also an output; it
 * is registered in both cases. */
int files_read(struct files *, const char *path, const struct stat *, struct err *);

/* Registers an output of `what` ("--json"); 0, or -1: it is an input or already an output
 * (ERR_USAGE), or cannot be written. "-" and streams may be registered repeatedly. With `what` NULL
 * (file_begin): a path that was registered before is checked again. */
int files_write(struct files *, const char *what, const char *path, struct err *);

/* Registers an open file, such as stdout, as an output; no effect unless it is a regular file. 0 or
 * -1 (ERR_RESOURCE). */
int files_open(struct files *, const char *what, int fd, struct err *);

void files_clear(struct files *);

#endif
