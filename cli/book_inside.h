/* What the files of a book share. */
#ifndef CLI_BOOK_INSIDE_H
#define CLI_BOOK_INSIDE_H

#include "cli/book.h"

/* A point that was asked for, by place in the table of designs and workloads. */
struct point {
	unsigned design, workload;
	bool asked;
	json_t *report; /* NULL: not run yet */
};

struct book {
	const struct options *o;
	struct arena *arena;
	const struct target *const *targets;
	unsigned ntargets;
	const char **workload;
	unsigned nworkloads;
	struct design *design;
	unsigned ndesigns, design_room;
	struct point *points; /* by design, by workload */
	unsigned missing;     /* points asked for and not run: rows are not whole */
	unsigned runs;
	/* what is being filled */
	const struct target *target;
	unsigned column;
	struct book_said *said;
	unsigned nsaid, said_room, at; /* at: in other columns than the first */
	struct book_curve_dot *dots;
	unsigned ndots, dot_room;
};

/* Runs the points that are missing: book_run.c. 0 or -1. */
int book_run(struct book *, const struct book_store *, struct err *);

#endif
