/* Traces of accesses: text, one a line; what follows a # is no part of it. */
#ifndef CLI_ACCESSES_H
#define CLI_ACCESSES_H

#include "cli/command.h"

/* The file's text in the session's arena, and how many lines it has at most. NULL and ERR_INPUT
 * when it cannot be read, or is no text. */
char *accesses_text(struct session *, const char *path, size_t *lines, struct err *);

/* Takes a line without what follows a # and blanks at its end, never an empty one; may change it.
 */
typedef int accesses_line_fn(void *ctx, char *line, unsigned number, struct err *);

/* Gives every line that says something to `take`, until that answers other than 0; the text is
 * changed. 0, or -1. A trace that says nothing is a fault. */
int accesses_each(char *text, const char *path, accesses_line_fn *take, void *ctx, struct err *);

#endif
