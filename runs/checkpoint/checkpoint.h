/* Checkpoints of a run: files from which the same command goes on, and how a run comes to write
 * and to read them. */
#ifndef RUNS_CHECKPOINT_CHECKPOINT_H
#define RUNS_CHECKPOINT_CHECKPOINT_H

#include "chip/journal.h"
#include "core/host.h"
#include "core/state.h"
#include "runs/work.h"

/* A file's first line; the rest is packed (program/stream.h). */
#define CHECKPOINT_LINE "warpbeam checkpoint 2\n"

struct stream_in;

/* What runs on the chip, and its host. */
struct checkpoint_host {
	struct work *works; /* on one GPU, of one run's options */
	unsigned n;
	const char *words; /* what else it is, in lines; NULL: nothing */
	/* Runs the chip and lets the host queue what is next: 1, or 0 when all is done; -1. */
	int (*again)(void *ctx, struct err *);
	void *ctx;
};

struct checkpoint {
	const struct checkpoint_options *o;
	const char *start; /* the file that the run goes on from; NULL: it begins */
	struct checkpoint_host host;
	struct gpu *gpu;
	struct text words; /* what a run must have in common with the one that wrote a file */
	struct gpu_journal journal;
	uint32_t batches; /* runs of the chip that are complete */
	struct host_hooks inner;
	uint64_t every_cycles, next_cycle; /* 0: not by cycles */
	double every_s, next_s;            /* 0: not by time */
	bool admitted;                     /* the parts' tables were tried */
	struct err refusal;                /* why a run cannot be in a checkpoint */
	char *bytes;                       /* of the file that is resumed */
	struct stream_in *in;
	struct state load;
};

/* False: what a checkpoint cannot have, such as a live CUDA program. */
bool checkpoint_possible(const struct work *);
/* Reads CYCLES, or SECONDSs; the other is 0. 0 or -1. */
int checkpoint_every(const char *text, uint64_t *cycles, double *s, struct err *);

/* Of runs of several, whose results are in that file: --checkpoint-every is right, and there is
 * one. 0 or -1. */
int checkpoint_admit_points(const struct run_options *, const char *out, struct err *err);

/* Before the work is set up; the work's arena frees it. NULL and messages: options that do not go
 * together, a file that cannot be read, is damaged, or is of another version. Without options there
 * is nothing to do here or below. */
struct checkpoint *checkpoint_open(
	struct work *, const struct checkpoint_options *, struct files *, struct err *);
/* The same of several works at once. */
struct checkpoint *checkpoint_open_host(const struct checkpoint_host *,
	const struct checkpoint_options *, struct files *, struct err *);
/* After it, before the first run: with a file to resume, repeats the host's part, and the next run
 * begins with the file's state. 0 or -1: the file is of another build, work or chip. */
int checkpoint_begin(struct checkpoint *, struct err *);
/* The host has queued the next launches. */
void checkpoint_advanced(struct checkpoint *);
/* The given hooks, with those that write checkpoints. */
struct host_hooks checkpoint_hooks(struct checkpoint *, const struct host_hooks *);
/* The file's state could not be loaded: what the chip has now means nothing. */
bool checkpoint_spoiled(const struct checkpoint *);
/* After each run: 0, or -1 and why it cannot be in a checkpoint. */
int checkpoint_check(struct checkpoint *, struct err *);

#endif
