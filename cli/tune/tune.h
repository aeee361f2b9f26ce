/* Tries the choices of a storage design: the resident threads of an SM, or the split of the
 * Fermi-like storage (Gebhart et al., MICRO 2012, sections 4.5 and 6.3). */
#ifndef CLI_TUNE_H
#define CLI_TUNE_H

#include "cli/command.h"
#include "cli/tune/levels.h"
#include "mem/storage/storage.h"
#include "runs/trial.h"

#define TUNE_CANDIDATES 64u

struct tune_candidate {
	char value[40];   /* "512", or the split "32/96" */
	char setting[80]; /* "storage.unified.threads=512"; several have spaces between them */
	double threads;   /* that fit an SM, of the kernel that has most */
	double cycles, dram_bytes, energy_nj;
	bool stopped;              /* by a limit: the figures are NAN */
	double cache_bytes;        /* the least of a launch */
	struct thread_level level; /* of --concurrency */
};

#define TUNE_SETTINGS 3u

struct tune {
	const struct options *o;
	const char *target, *storage; /* the design's name */
	const void *design;           /* its parameters */
	const struct plugin *plugin;
	bool once; /* one split for all kernels */
	uint64_t warp_slots, cta_slots, sms;
	struct storage_rules rules;
	struct storage_need *needs;
	unsigned nneeds;
	struct tune_candidate candidates[TUNE_CANDIDATES]; /* the most threads first, which is the
							      default of a run */
	unsigned n, best;
	/* of --concurrency: the kernel with the most registers, its need, the lanes of an SM's
	 * cores, and the candidate that levels_choose names */
	const char *kernel;
	struct storage_need main;
	double cores;
	unsigned automatic;
	const json_t *report; /* of the best */
};

/* Lists a candidate's settings; returns their number. */
unsigned tune_settings(const struct tune_candidate *, const char **set, struct arena *);
/* cli/tune/tune_levels.c: the candidates of --concurrency. 0 or -1. */
int tune_levels(struct tune *, struct session *, struct err *);
/* The registers and slots of a thread that leave an SM this number of CTAs: the most registers, up
 * to the need's, then the most slots beside its own shared memory. False: not that many CTAs. */
bool tune_room(
	const struct tune *, const struct storage_need *, uint32_t ctas, struct thread_level *);
/* The candidate that speedups are relative to. */
unsigned tune_base(const struct tune *);

int tune_json(void *ctx, struct text *);
void tune_csv(void *ctx, struct text *);
void tune_svg(void *ctx, struct text *);
void tune_text(void *ctx, struct text *);

#endif
