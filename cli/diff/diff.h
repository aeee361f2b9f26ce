/* What changed from one report of run or profile to another: settings, metrics, kernels, lines,
 * units. */
#ifndef CLI_DIFF_DIFF_H
#define CLI_DIFF_DIFF_H

#include "core/mem.h"
#include "core/text.h"

#include <jansson.h>

/* One count of one row that differs. Strings are the reports'. */
struct diff_row {
	const char *item, *count; /* "faulty:24", "caused_wait"; a metric has no item: NULL */
	double before, after;     /* NAN: that report has none */
	double weight; /* the change by the count's larger sum over all rows of its table */
};

struct diff_table {
	const char *name;     /* "lines" */
	struct diff_row *row; /* those of most weight first */
	unsigned n;
};

#define DIFF_TABLES 8
struct diff {
	const char *path[2];
	const json_t *report[2];
	struct arena *arena;
	struct diff_table table[DIFF_TABLES];
	unsigned ntables, top;
};

/* Compares the reports; memory is the arena's. */
void diff_look(struct diff *);

/* What was compared: reports, builds, settings. */
void diff_head(const struct diff *, struct text *);
void diff_html(const struct diff *, struct text *);
void diff_text(void *ctx, struct text *); /* ctx: struct diff */
int diff_json(void *ctx, struct text *);

#endif
