/* The state of tables that are measured (papers/book.h). */
#ifndef PAPERS_BOOK_INSIDE_H
#define PAPERS_BOOK_INSIDE_H

#include "papers/book.h"

struct book {
	const struct paper_options *o;
	struct arena *arena;
	const struct target *const *targets;
	unsigned ntargets;
	const char **workload;
	unsigned nworkloads;
	struct design *design;
	unsigned ndesigns, design_capacity;
	const struct point **asked; /* by design, by workload; NULL: not asked for */
	struct points *points;
	unsigned missing; /* asked for and unknown: rows are not whole */
	unsigned runs;
	/* what is being filled */
	const struct target *target;
	unsigned column;
	struct book_said *said;
	unsigned nsaid, said_capacity, at; /* at: in other columns than the first */
	struct book_curve_dot *dots;
	unsigned ndots, dot_capacity;
};

#endif
