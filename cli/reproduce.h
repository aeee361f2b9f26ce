/* Papers' tables and figures that can be measured: each is a target of cli/book.h in a file of its
 * own, and stands in the list of its paper. */
#ifndef CLI_REPRODUCE_H
#define CLI_REPRODUCE_H

#include "cli/book.h"

/* Gebhart et al., MICRO 2012: cli/m12.h. Gebhart's dissertation: cli/dis.h,
 * cli/ch7.h. */
extern const struct paper m12_paper, dis_paper, ch7_paper;
extern const struct paper *const papers[]; /* all of them, ended by NULL */

/* How many targets a paper has. */
unsigned paper_targets(const struct paper *);

/* reproduce --all: every table and figure into one page; goes on where it was interrupted. 0 or -1.
 */
int reproduce_all(const struct options *, struct session *, struct err *);

/* The target, or NULL. */
const struct target *target_find(const char *name);

#endif
