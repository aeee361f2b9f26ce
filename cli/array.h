/* An array of tasks of Slurm, each of which runs one shard after the other. */
#ifndef CLI_ARRAY_H
#define CLI_ARRAY_H

#include "cli/options.h"
#include "core/text.h"

struct array {
	const struct options *o; /* partition, time, most tasks, processors, grace */
	const char *name;        /* of its jobs */
	const char *command;     /* of a shard, for the shell; "$shard" is its number */
	const char *files;       /* what tasks print is in FILES.task-N.log */
	const unsigned *todo;    /* shards */
	unsigned ntodo;
};

/* Adds a word for the shell; the path of this program as one. */
void array_add_word(const char *, struct text *);
int array_add_program(struct text *, struct err *);

/* Seconds that a task's points have after SIGTERM. */
unsigned array_grace_s(const struct options *);

/* Submits it, with at most as many tasks as Slurm allows. 0 or -1 (ERR_HOST). */
int array_submit(const struct array *, struct err *);

/* Waits until Slurm knows no task of its name. `show` (or NULL) writes a line on a terminal now and
 * then. 0 or -1 (ERR_HOST). */
typedef int array_show_fn(void *ctx, unsigned running, unsigned waiting, struct err *);
int array_follow(const struct array *, array_show_fn *, void *ctx, struct err *);

#endif
