/* The rows of a file of results. */
#ifndef TESTS_RIG_ROWS_H
#define TESTS_RIG_ROWS_H

#include "tests/rig/support_cli.h"

#ifdef HAVE_SQLITE

/* All rows of the tables of points, except the times, are the same in both files of the folder. */
void assert_same_rows(const struct desk *, const char *a, const char *b);

/* The first value of the first row. */
int rows_count(const struct desk *, const char *name, const char *sql);

/* Statements that return no row. */
void rows_change(const struct desk *, const char *name, const char *sql);

#endif
#endif
