/* A CUDA program whose kernels run on the chip: the program is a process of its own, which the
 * library in cuda/ connects with this one. */
#ifndef RUNS_CUDA_CUDA_H
#define RUNS_CUDA_CUDA_H

#include "core/host.h"
#include "runs/session.h"

/* Launches of a kernel that run in time: numbered among the kernel's, from 1 on. */
struct cuda_timed {
	const char *kernel; /* as in the PTX or in the source; "*": any */
	uint64_t first, last;
	bool met; /* there was a launch of the kernel */
};

struct cuda_run {
	struct gpu *gpu;
	struct config *config; /* finished */
	struct arena *arena;   /* at its end no process is left */
	const char **argv;     /* of the program, ended by NULL */
	const char *library;   /* the folder of libcudart.so.* */
	bool silent;           /* its stdout is dropped, and it has no stdin */
	bool no_chip;          /* the GPU has none */
	/* Of cuda_run: */
	uint64_t max_cycles;      /* 0: no limit */
	bool untimed;             /* all launches are executed only */
	struct cuda_timed *timed; /* others, too, if there are any; else 100 million warp */
	unsigned ntimed;          /* instructions run in time */
	struct host_hooks *hooks; /* of runs of the chip; NULL: the caller of cuda_next runs it */
};

/* What it launched, and whether all of it ran to its end. */
struct cuda_end {
	uint64_t launches;
	bool complete;
};

/* Starts the program and serves it until it ends. 0, or -1 and
 * messages: what its kernels did wrong (as chip_run's), ERR_INTERRUPTED, ERR_HOST (it cannot be
 * started), ERR_CHECK (it ended with a status of its own, or by a signal). No process is left. */
int cuda_run(const struct cuda_run *, struct cuda_end *, struct err *);

/* Reads --timed (NULL: not given), KERNEL[:FIRST-LAST],.., into the run. 0 or -1. */
int cuda_read_timed(const char *, struct arena *, struct cuda_run *, struct err *);

/* The same in steps. Starts the program, which lives in the arena; NULL and messages on failure. */
struct cuda_server *cuda_open(const struct cuda_run *, struct err *);
/* Serves it until launches must be complete before it can go on: 1; they are at the next call.
 * 0: it has ended, and all is complete. -1 and messages as cuda_run's. */
int cuda_next(struct cuda_server *, struct err *);
/* Runs the chip as far as that requires. As chip_run. */
int cuda_run_held(
	struct cuda_server *, uint64_t max_cycles, const struct host_hooks *, struct err *);

/* The folder of the libraries that programs need, beside warpbeam where it was built or installed:
 * the arena's. NULL and a message: it is not there. */
const char *cuda_library(struct arena *, struct err *);

#endif
