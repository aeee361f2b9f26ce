/* What a command runs: a workload, a scenario or a CUDA program, from its inputs to the check of
 * its results. */
#ifndef RUNS_WORK_H
#define RUNS_WORK_H

#include "runs/cuda/cuda.h"
#include "runs/options.h"
#include "runs/report.h"
#include "runs/scenario/scenario.h"
#include "workloads/workload.h"

/* A zeroed struct is an empty one. */
struct work {
	const char *target;
	struct workload_run *workload; /* NULL for a scenario */
	struct scenario *scenario;     /* the opener's; NULL for others */
	struct cuda_server *program;   /* once it is set up; NULL for others */
	struct gpu *gpu;               /* of a program */
	struct arena *arena;
	bool silent;               /* set by the opener: a program's output is dropped */
	const char *record;        /* where it is recorded; NULL: nowhere */
	const struct guest *guest; /* is served while a program computes; NULL: none */
	struct region region;      /* which launches run in time */
	struct region_watch watch;
	const struct run_options *o; /* what it was opened with */
	struct config *config;
};

/* A scenario has a slash or ends in .yaml or .yml. A program is a command line as work_program
 * writes it, or the folder of a recording. */
enum work_kind { WORK_WORKLOAD, WORK_SCENARIO, WORK_PROGRAM };
enum work_kind work_kind(const char *target);
bool work_is_scenario(const char *target);

/* The target for a program and its arguments, n words: "-- ./app 50\ 60". The arena's. */
const char *work_program(const char *const *words, unsigned n, struct arena *);
/* Its words, ended by NULL: the arena's; NULL and a message for a recording that has none. */
const char **work_words(const char *target, struct arena *, struct err *);
/* The same for a report; NULL: the target is none. */
const char *const *work_report_words(const char *target, struct arena *);
/* 0: a workload has this name; else -1 and a message with the nearest name. */
int work_workload(const char *name, struct err *);
/* The file of PTX, or the compiled program (also of "-- PROGRAM.."), whose code a command that runs
 * nothing reads; NULL when the target is a workload, a scenario or a recording. */
const char *work_code(const char *target, struct arena *);

/* A message when the target is a program, which `what` cannot take. 0 or -1. */
int work_no_program(const char *target, const char *what, struct err *);

/* Checks everything that can be wrong before a GPU exists: the workload's name, options that a
 * scenario does not take. 0 or -1. */
int work_admit(const char *target, const struct run_options *, struct err *);

/* Where the workloads' folders are: $WARPBEAM_DATADIR; the source tree, of a program in its build
 * folder; the installed ones relative to the program; those in the configured folder. The
 * arena's. */
const char *work_data_dir(struct arena *, const char *workload);

/* What a table of a paper chose of the workload (workloads/workload.h); NULL: nothing. */
const char *work_fitted(const char *workload);

/* What measurements with it set in machines; NULL: nothing. */
const char *work_calibrates(const char *workload);

/* Whether the workload has a list of other compilers' PTX (--ptx-dir). */
bool work_has_foreign(const char *workload);
/* Adds a line "FILE HASH" for each file of that list, below `dir`. 0; or -1 and a message at the
 * first that cannot be read, which has no line. */
int work_foreign_hashes(
	const char *workload, const char *dir, struct files *, struct text *out, struct err *);

/* Opens the target: a workload on the GPU, a scenario as it was loaded (NULL for others). Comes
 * before config_finish. 0 or -1. */
int work_open(struct work *, const char *target, struct scenario *, const struct run_options *,
	struct gpu *, struct config *, struct arena *, struct err *);

/* Sets what the work will launch on the GPU's chip, when storage is split once for all launches:
 * from a rehearsal on a GPU of its own, which runs without timing as far as later launches depend
 * on it. For works that share a chip it is called for all before the first is set up; otherwise
 * work_setup calls it. */
int work_foresee(struct work *, struct gpu *, struct err *);

/* Makes the inputs and queues the first launches. A program is started and served until it waits
 * for launches; when the arena ends, so does it. 0 or -1. */
int work_setup(struct work *, struct gpu *, struct err *);

/* Sets the work up on a GPU without a chip, and runs it there as far as is necessary to know all
 * its launches. 0 or -1. */
int work_rehearse(struct work *, struct gpu *, struct err *);

/* Runs the chip until all launches are complete, of a program as far as it waits for them. As
 * chip_run; what a program's kernels do wrong is reported when it has ended. */
int work_run(struct work *, uint64_t max_cycles, const struct host_hooks *hooks, struct err *err);
/* The same by the executor alone. As gpu_run_watched. */
int work_run_untimed(
	struct work *, const struct untimed_limits *, struct untimed_counts *, struct err *);

/* The buffer of that name, once it is set up: a scenario's own names come first. 0: there is
 * none. */
buffer_t work_buffer(const struct work *, const char *name);

/* All its launches are complete: queues the next ones and returns 1, or returns 0 when there are
 * none; -1 with err. */
int work_advance(struct work *, struct err *);

/* Whether all that was launched is complete; `bad`: the work failed. */
bool work_complete(const struct work *, bool bad);

/* Compares the results with the reference. 0, or -1 with ERR_CHECK. */
int work_verify(struct work *, struct gpu *, enum verdict *, struct err *);

/* The chip's name: the options', else the scenario's (which may be NULL), else m12. */
const char *work_chip(const struct run_options *, const struct scenario *);

/* Fills the report with everything except results. The messages of err and the source are then the
 * report's. */
struct report work_report(
	const struct work *, const struct gpu *, const struct source *, const struct err *);

#endif
