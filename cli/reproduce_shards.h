/* reproduce --all by several processes: one of them, or the one that lets Slurm start them. */
#ifndef CLI_REPRODUCE_SHARDS_H
#define CLI_REPRODUCE_SHARDS_H

#include "cli/command.h"
#include "papers/papers.h"

/* With --shard I/N: runs the points of a share into a part file beside --out. 0 or -1. */
int reproduce_shard(const struct options *, struct paper_options *, struct session *, struct err *);

/* With --slurm: an array of tasks for each round of points that are unknown, then the page. 0 or
 * -1.
 */
int reproduce_slurm(const struct options *, struct paper_options *, struct session *, struct err *);

#endif
