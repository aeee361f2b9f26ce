/* The page of a command with one table. */
#ifndef CLI_HTML_RESULTS_H
#define CLI_HTML_RESULTS_H

#include "cli/options.h"
#include "core/mem.h"
#include "runs/output.h"

/* Adds what else a page has, below its picture; whether these are curves (html_chart). */
typedef bool page_more_fn(void *ctx, struct text *);

/* Writes --html, if it was given: the texts' picture (if they have one), `more` with their
 * context (NULL: nothing), table of CSV, and text.
 * `what` follows the operands in the title: ": sweep". 0 or -1. */
int page_results(const struct options *, const char *what, const struct output_texts *,
	page_more_fn *more, struct arena *, struct err *);

/* Writes --html of a command that was stopped, or whose runs failed: its messages, and what its
 * runs came to. 0 or -1. */
struct roll;
int page_ended(const struct options *, const char *command, const struct roll *, struct err *);

#endif
