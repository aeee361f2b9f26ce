/* What changed from one run to another: settings, metrics, kernels, lines, units. Each is a report
 * of run or profile, in a file of results, or a work that is run now. */
#ifndef CLI_DIFF_DIFF_H
#define CLI_DIFF_DIFF_H

#include "cli/options.h"
#include "core/text.h"
#include "runs/session.h"

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

#define DIFF_TABLES 10
struct diff {
	const char *path[2]; /* as they are called */
	json_t *report[2];
	double cycles[2]; /* of the runs; NAN: that report has none */
	struct arena *arena;
	struct diff_table table[DIFF_TABLES];
	unsigned ntables, top;
};

/* Reads or runs what the command's operands name; diff_clear frees the reports. 0 or -1. */
int diff_open(struct diff *, const struct options *, struct session *, struct err *);
void diff_clear(struct diff *);

/* The report of a work as profile writes it, made in a trial's process (struct trial, act). */
struct trial;
int diff_profile(const struct trial *, const struct run_options *, struct session *, struct err *);

/* Compares the reports; memory is the arena's. */
void diff_look(struct diff *);

/* What was compared: reports, builds, settings, cycles. */
void diff_head(const struct diff *, struct text *);
void diff_html(const struct diff *, struct text *);
void diff_text(void *ctx, struct text *); /* ctx: struct diff */
int diff_json(void *ctx, struct text *);

#endif
