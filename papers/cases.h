/* A paper's tables in several cases: settings that are added to all their designs. So readings of
 * the paper's words (papers/readings.h) are compared, and machines without one of their limits
 * (papers/why.h). */
#ifndef PAPERS_CASES_H
#define PAPERS_CASES_H

#include "papers/book.h"

struct book_case {
	const char *name, *text;
	const char *set; /* "path=value path=value", the last words on every design; "": none */
	/* The same on designs with that storage; or NULL. */
	const char *partitioned, *unified, *fermi, *carveout;
	/* Designs with unified storage run with each of these as well, and the fastest run counts;
	 * ends with NULL. NULL: they run once. */
	const char *const *best;
	/* A run whose machine is refused or too small is missing from its rows; else it ends the
	 * command. */
	bool may_fail;
	bool wide; /* 64-bit addresses */
};

/* The tables of one paper in n cases, each measured in the paper's first column. Rows are the same,
 * in the same order, in all cases. */
struct cases {
	const struct book_case *cases;
	struct book **books; /* by case */
	unsigned n;
	struct arena *arena;
};

/* Row i of case k, and its verdict (papers/book.h). */
const struct book_said *cases_row(const struct cases *, unsigned k, unsigned i);
const char *cases_verdict(const struct cases *, unsigned k, unsigned i);

/* How the result is written. `ctx` of each is the struct cases. */
struct cases_writers {
	int (*json)(void *ctx, struct text *);
	void (*csv)(void *ctx, struct text *);
	void (*text)(void *ctx, struct text *);
};

/* All rows with the figures and verdicts of all cases, and the scores of each (papers/score.h). */
extern const struct cases_writers cases_side_by_side;

/* What to measure: targets of one paper in all cases; `option` is the one that asked for them. */
struct cases_ask {
	const struct book_case *cases;
	unsigned n;
	const struct target *const *targets;
	unsigned ntargets;
	const struct cases_writers *writers;
	const char *option;
};

/* Measures them, and writes what the options ask for, except pages and drawings, which are refused.
 * 0 or -1. */
int cases_measure(
	const struct cases_ask *, const struct paper_options *, struct session *, struct err *);

#endif
