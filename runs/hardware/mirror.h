/* A GPU's launches on a real GPU: the host side of a workload or scenario drives a struct gpu as
 * always; instead of the model the driver runs what it queued, and buffers get what that left. */
#ifndef RUNS_MIRROR_H
#define RUNS_MIRROR_H

#include "chip/elsewhere.h"
#include "core/mem.h"
#include "driver/driver.h"

struct mirror;

/* A kernel as the driver compiled it, beside ours. */
struct mirror_kernel {
	const struct program *program;
	module_t module;
	void *function;
	int registers, local_bytes, shared_bytes; /* per thread, per thread, per CTA */
};

/* A launch that ran, and its times by events: one for each run, the first of which warms up. */
struct mirror_launch {
	const struct launch *queued;
	unsigned kernel; /* of mirror_kernels */
	unsigned batch;  /* launches that were queued together */
	double *ms;
	uint64_t cycles; /* of a mirror with clocks; 0: not covered */
};

/* A mirror of the GPU, which has no buffers yet, on the driver's context. Host memory is the
 * arena's; `files` are the command's. `most_runs`: mirror_run counts as one, each mirror_again too.
 */
struct mirror *mirror_new(
	struct driver *, struct gpu *, struct files *, struct arena *, unsigned most_runs);

/* Before anything runs: launches run one after the other, as copies of their kernels that read the
 * SMs' clocks (clocked.h). mirror_run is then also ERR_UNSUPPORTED for kernels that cannot. */
void mirror_clocks(struct mirror *);

/* The host neither writes the buffer nor needs its bytes: they are not copied. 0 or -1. */
int mirror_leave(struct mirror *, buffer_t, struct err *);

/* Runs all launches that are queued, and ends when they are complete and buffers are read back; a
 * workload may then queue more. 0, or -1 and a message: any call of the driver that fails
 * (driver_result), a launch that CUDA cannot express (ERR_UNSUPPORTED). */
int mirror_run(struct mirror *, struct err *);

/* Everything that ran since mirror_new, again, from the same memory. 0 or -1. */
int mirror_again(struct mirror *, struct err *);

/* Buffers whose bytes after the last mirror_again are not those after mirror_run: the kernels'
 * results depend on the order of threads. 0 or -1. */
int mirror_unsteady(struct mirror *, unsigned *buffers, struct err *);

/* False: the driver has no such buffer (a variable that is not .visible), so it was not compared.
 */
bool mirror_has(const struct mirror *, buffer_t);
/* Its address on the GPU. */
cuda_address mirror_address(const struct mirror *, buffer_t);

unsigned mirror_launches(const struct mirror *);
const struct mirror_launch *mirror_launch(const struct mirror *, unsigned i);
unsigned mirror_kernels(const struct mirror *);
const struct mirror_kernel *mirror_kernel(const struct mirror *, unsigned i);

/* Of a mirror with clocks, of all launches one after the other; 0: of one it is unknown. */
uint64_t mirror_cycles(const struct mirror *);
/* Launches are in several streams. */
bool mirror_overlaps(const struct mirror *);

/* Of a run, from the first launch to the end of the last, summed over batches: without what the
 * host does between them. */
double mirror_span_ms(const struct mirror *, unsigned run);

/* Releases what it has on the GPU. A call that fails is reported unless err has a message. */
void mirror_free(struct mirror *, struct err *); /* accepts NULL */

#endif
