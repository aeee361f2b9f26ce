/* Keys of runs in a file of results: hashes of all that determines the result. */
#ifndef RUNS_KEYS_H
#define RUNS_KEYS_H

#include "core/err.h"
#include "core/files.h"
#include "core/mem.h"
#include "core/text.h"

#define KEY_ROOM 33

/* 32 hexadecimal digits of the words, and a NUL. 0, or -1 (ERR_RESOURCE) when the words are
 * incomplete because memory was short: their key would be another run's. */
int key_make(const struct text *words, char key[KEY_ROOM], struct err *);

/* Adds the hash of a file's bytes as a line. 0 or -1 (ERR_INPUT). */
int key_file(struct files *, const char *path, struct text *words, struct err *);

/* Adds the hash of a CUDA program's file, and of each argument that is the path of a regular file
 * which can be read (how a program uses it is not known). 0 or -1 (ERR_INPUT). */
int key_program_files(const char *const *words, struct text *, struct err *);

/* The program's build; of a build from changed sources also the hash of the program's own file,
 * where its name is known. The arena's. NULL when there is no memory (ERR_RESOURCE). */
const char *key_program(struct arena *, struct err *);

#endif
