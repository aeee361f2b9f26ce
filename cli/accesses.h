/* Traces of accesses: text, one access a line; # begins a comment. */
#ifndef CLI_ACCESSES_H
#define CLI_ACCESSES_H

#include "cli/command.h"

/* The file's text in the session's arena, and how many lines it has at most. NULL and ERR_INPUT
 * when it cannot be read, or is not text. */
char *accesses_text(struct session *, const char *path, size_t *lines, struct err *);

/* Takes a line without its comment and blanks at its end, never an empty one; may change it. */
typedef int accesses_line_fn(void *ctx, char *line, unsigned number, struct err *);

/* Gives every line that is not empty to `take`, until that returns other than 0; the text is
 * changed. 0, or -1. An empty trace is an error. */
int accesses_each(char *text, const char *path, accesses_line_fn *take, void *ctx, struct err *);

#endif
