/* The state of tables that are measured (papers/book.h). */
#ifndef PAPERS_BOOK_INSIDE_H
#define PAPERS_BOOK_INSIDE_H

#include "papers/cases.h"

struct book {
	const struct paper_options *o;
	struct arena *arena;
	const struct paper *paper;
	const struct book_case *in; /* all rows are measured in this case; or NULL */
	const struct target *const *targets;
	unsigned ntargets;
	const char **workload;
	unsigned nworkloads;
	struct design *design;
	unsigned ndesigns, design_capacity;
	const struct point **asked; /* by design, by workload; NULL: not asked for */
	struct points *points;
	const struct point **used;            /* in the order in which rows asked for them */
	unsigned nused, used_capacity, noted; /* noted: until the last row */
	unsigned missing;                     /* asked for and unknown: rows are not whole */
	unsigned runs;
	const struct book_chip *chips; /* those whose storage is known */
	/* what is being filled */
	const struct target *target;
	unsigned column;
	struct book_said *said;
	unsigned nsaid, said_capacity, at; /* at: in other columns than the first */
	struct book_curve_dot *dots;
	unsigned ndots, dot_capacity;
};

/* The workloads of new tables: those named, or the paper's suite. 0, or -1: one does not exist, or
 * a setting is of none of them. */
int book_choose_workloads(struct book *, struct err *);

/* The name of the design's storage, as it or its chip says; and what the case sets with that one.
 */
const char *book_storage(struct book *, const struct design *);
const char *book_for_storage(struct book *, const struct design *);

/* Notes on stderr the settings of --set that all machines of the tables override. */
void book_note_fixed(struct book *const *, unsigned n);

#endif
