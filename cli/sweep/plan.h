/* A plan: which shard runs which point of a sweep. A file of JSON that every shard reads. */
#ifndef CLI_SWEEP_PLAN_H
#define CLI_SWEEP_PLAN_H

#include "cli/part.h"
#include "cli/sweep/sweep.h"

struct plan_point {
	const char *key, *name;
	uint64_t cost;
	unsigned shard; /* from 1 on; 0: an earlier point has the same key */
};

/* Strings are the arena's. */
struct plan {
	const char *path; /* for messages */
	const char *text; /* on one line */
	const char *hash, *build;
	const char *unit; /* of costs */
	struct string_list words, targets;
	unsigned shards, n;
	struct plan_point *points; /* in the order of the sweep */
};

/* The text of a plan of a sweep whose points have costs and shards. NULL and a message: options
 * that are not UTF-8, no memory. */
const char *plan_text(
	const struct sweep *, unsigned shards, const char *unit, struct arena *, struct err *);

/* Gives the points costs and shards, as the options say, and writes the plan to their --plan. 0 or
 * -1. */
int plan_make(struct sweep *, const struct options *, struct plan *, struct arena *, struct err *);

/* Reads a file, or a text that was found in the file `path`. 0, or -1 (ERR_INPUT): it is
 * incomplete, changed, of another version. */
int plan_read(struct plan *, struct files *, const char *path, struct arena *, struct err *);
int plan_parse(struct plan *, const char *path, const char *text, struct arena *, struct err *);

/* The sweep that the plan was made of, each point with its key and shard, none opened; where
 * results go is taken from the other options. 0 or -1. */
int plan_sweep(
	const struct plan *, const struct options *, struct sweep *, struct arena *, struct err *);

/* ---- costs and shares: shares.c */
/* Sets the points' costs, and their unit: from an earlier file of results, or (NULL) by executing
 * each target without timing. 0 or -1. */
int shares_cost(
	struct sweep *, struct results *earlier, const char **unit, struct arena *, struct err *);

/* Sets the points' shards: the most expensive point first, into the shard with the least cost. */
void shares_divide(struct sweep *, unsigned shards, struct arena *);

#endif
