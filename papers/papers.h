/* The papers of this build and their tables and figures that can be measured: each is a target
 * (papers/book.h) in a file of the paper's folder, found by tools/list-papers. */
#ifndef PAPERS_PAPERS_H
#define PAPERS_PAPERS_H

#include "papers/book.h"

/* All of them, in no order, ended by NULL. */
extern const struct paper *const papers[];
extern const struct target *const targets[];

/* A paper and its targets, in their order. */
struct paper_list {
	const struct paper *paper;
	const struct target **targets;
	unsigned n;
};

/* All papers in their order; the arena's. */
struct paper_list *papers_listed(unsigned *n, struct arena *);

/* The target, or NULL. */
const struct target *target_find(const char *name);

/* Measures targets of one paper, and writes what the options ask for. 0 or -1. */
int papers_measure(const struct target *const *, unsigned n, const struct paper_options *,
	struct session *, struct err *);

/* The same in all readings of the paper's words. 0 or -1. */
int papers_measure_readings(const struct target *const *, unsigned n, const struct paper_options *,
	struct session *, struct err *);

/* The same without each of the machine's limits (chip/limits.h), and which of them would make the
 * rows agree with the paper. 0 or -1. */
int papers_measure_why(const struct target *const *, unsigned n, const struct paper_options *,
	struct session *, struct err *);

/* Every table and figure into one page; continues where it was interrupted. 0 or -1. */
int papers_measure_all(const struct paper_options *, struct session *, struct err *);

#endif
