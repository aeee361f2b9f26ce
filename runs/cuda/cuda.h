/* A CUDA program whose kernels run on the chip: the program is a process of its own, which the
 * library in cuda/ connects with this one. */
#ifndef RUNS_CUDA_CUDA_H
#define RUNS_CUDA_CUDA_H

#include "runs/session.h"

/* Launches of a kernel that run in time: numbered among the kernel's, from 1 on. */
struct cuda_timed {
	const char *kernel; /* as in the PTX or in the source; "*": any */
	uint64_t first, last;
	bool met; /* there was a launch of the kernel */
};

struct cuda_run {
	struct session *session;  /* open, its configuration finished */
	const char **argv;        /* of the program, ended by NULL */
	const char *library;      /* the folder of libcudart.so.* */
	uint64_t max_cycles;      /* 0: no limit */
	bool untimed;             /* all launches are executed only */
	struct cuda_timed *timed; /* others, too, if there are any; else 100 million warp */
	unsigned ntimed;          /* instructions run in time */
	struct host_hooks *hooks; /* of runs of the chip */
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

/* The folder of the libraries that programs need, beside warpbeam where it was built or installed:
 * the arena's. NULL: it is not there. */
const char *cuda_library(struct arena *);

#endif
