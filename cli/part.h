/* Part files: what one start of a shard has finished. Their names have the shard and the count of
 * restarts: "DIR/plan.3-of-8.r0.sqlite". */
#ifndef CLI_PART_H
#define CLI_PART_H

#include "core/err.h"
#include "core/mem.h"

/* What is in front of the restart count, for the file of a plan or of results; shard 0: all has one
 * part. */
const char *part_stem(const char *of, unsigned shard, unsigned shards, struct arena *);

/* The part files of a stem, by restart count. 0, or -1: their folder cannot be read (ERR_INPUT). */
struct part_file {
	const char *path;
	unsigned restart;
};
int part_files(const char *stem, struct part_file **, unsigned *n, struct arena *, struct err *);

const char *part_path(const char *stem, unsigned restart, struct arena *);

/* Reads "3/8". 0 or -1 (ERR_USAGE). */
int part_number(const char *text, unsigned *shard, unsigned *shards, struct err *);

/* This start's count: SLURM_RESTART_COUNT or 0, or the next of which there is no file. 0 or -1. */
int part_restart(const struct part_file *, unsigned n, unsigned *restart, struct err *);

#endif
