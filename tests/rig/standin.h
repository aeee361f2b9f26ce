/* The stand-in for a GPU's driver (tests/preload/cuda.c), compiled for a group of tests. */
#ifndef TESTS_RIG_STANDIN_H
#define TESTS_RIG_STANDIN_H

#include "tests/rig/support_cli.h"

/* Set-up of a group: a desk whose program and environment use the stand-in, which is compiled
 * once. Its tear-down is desk_tear_down. */
int standin_set_up(void **state);

/* Compiles tests/preload/FROM*.c to a library in the desk's folder; `more`: arguments of the
 * compiler, which begin with a blank, or "". */
void standin_compile(const struct desk *, const char *from, const char *more, const char *to);

/* Writes a file of the folder. */
void desk_put(const struct desk *, const char *name, const char *text);

/* What the library of the last run counted: calls, and objects that were not given back. */
void standin_counted(const struct desk *, long *calls, long *live);
void assert_nothing_left(const struct desk *);

/* Runs the program once, and from each of its calls on once more, which fails: each ends with
 * ERR_HOST and one line, and leaves no object. There are at least `least` calls. */
void assert_each_call_fails_well(const struct desk *, const char *arguments, long least);

/* stderr is one line, which has the words. */
void assert_one_line(const struct desk *, const char *words);

#endif
