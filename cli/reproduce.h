/* Papers' tables and figures that can be measured: each is a target of cli/book.h in a file of its
 * own, and stands in the list of its paper. Table 1 has a report of its own. */
#ifndef CLI_REPRODUCE_H
#define CLI_REPRODUCE_H

#include "cli/book.h"

/* `run` measures it and writes the outputs that the options ask for; operands behind the first are
 * workloads. 0 or -1. */
struct reproduced {
	const char *name, *text;
	int (*run)(const struct options *, struct session *, struct err *);
};
extern const struct reproduced reproduced_table1;

/* Gebhart et al., MICRO 2012: cli/m12.h. Gebhart's dissertation: cli/dis.h,
 * cli/ch7.h. */
extern const struct paper m12_paper, dis_paper, ch7_paper;
extern const struct paper *const papers[]; /* all of them, ended by NULL */

/* Table 1 as rows, for the page of all. */
extern const struct paper table1_paper;

/* How many targets a paper has. */
unsigned paper_targets(const struct paper *);

/* reproduce --all: every table and figure into one page; goes on where it was interrupted. 0 or -1.
 */
int reproduce_all(const struct options *, struct session *, struct err *);

/* The target, or NULL. */
const struct target *target_find(const char *name);

#endif
