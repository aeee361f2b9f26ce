/* Tries the choices of a storage design: the resident threads of an SM, or the split of the
 * Fermi-like storage (Gebhart et al., MICRO 2012, sections 4.5 and 6.3). */
#ifndef CLI_TUNE_H
#define CLI_TUNE_H

#include "cli/command.h"
#include "runs/levels/levels.h"
#include "runs/trial.h"

#define TUNE_CANDIDATES 64u

struct tune_candidate {
	char value[40];      /* "512", or the split "32/96" */
	const char *setting; /* "storage.unified.threads=512" */
	double threads;      /* that fit an SM, of the kernel that has most */
	double cycles, dram_bytes, energy_nj;
	bool stopped;       /* by a limit: the figures are NAN */
	double cache_bytes; /* the least of a launch */
	/* of --concurrency: the kernel whose level it is (NULL: the rule's level of each), and
	 * whether the rule chooses it */
	const struct kernel_levels *kernel;
	struct thread_level level;
	bool automatic;
	double local_miss; /* lines of local memory that loads did not find in the L1, % */
};

struct tune {
	const struct options *o;
	const char *target;
	struct machine machine; /* of the session */
	struct sm_storage sm;
	struct storage_need *needs;
	unsigned nneeds;
	struct tune_candidate candidates[TUNE_CANDIDATES]; /* the most threads first, which is the
							      default of a run */
	unsigned n, best;
	unsigned base;             /* the candidate that speedups are relative to */
	struct work_levels levels; /* of --concurrency */
	const json_t *report;      /* of the best */
};

/* cli/tune/tune_levels.c: the candidates of --concurrency. 0 or -1. */
int tune_levels(struct tune *, struct session *, struct err *);

int tune_json(void *ctx, struct text *);
void tune_csv(void *ctx, struct text *);
void tune_svg(void *ctx, struct text *);
void tune_text(void *ctx, struct text *);

#endif
