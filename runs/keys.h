/* What stands for a run in a file of results: hashes of all that decides it. */
#ifndef RUNS_KEYS_H
#define RUNS_KEYS_H

#include "core/err.h"
#include "core/files.h"
#include "core/mem.h"
#include "core/text.h"

#define KEY_ROOM 33

/* 32 hexadecimal digits of the words, and a NUL. 0, or -1 (ERR_RESOURCE) when the words are not
 * whole for want of memory: their key would be another run's. */
int key_make(const struct text *words, char key[KEY_ROOM], struct err *);

/* Adds the hash of a file's bytes as a line. 0 or -1 (ERR_INPUT). */
int key_file(struct files *, const char *path, struct text *words, struct err *);

/* Which program: its build; a build from changed sources is told from others by the program's own
 * file too, where there is a name for that. The arena's. NULL when there is no memory
 * (ERR_RESOURCE). */
const char *key_program(struct arena *, struct err *);

#endif
