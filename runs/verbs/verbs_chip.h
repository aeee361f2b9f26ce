/* The verbs of a chip: a kernel of one thread runs the scripts. */
#ifndef RUNS_VERBS_CHIP_H
#define RUNS_VERBS_CHIP_H

#include "runs/session.h"
#include "runs/verbs/verbs.h"

/* Of the session's GPU, which nothing else uses from now on. Memory is the session's. 0, or -1 and
 * a message. */
int verbs_of_chip(struct verbs *, struct session *, const struct run_options *, struct err *);

#endif
