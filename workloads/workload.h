/* A workload: a real kernel with its host side. One folder each: NAME.cu (CUDA-C source), NAME.ptx
 * and NAME.64.ptx (made from it by workloads/ptx.sh, `make ptx`), NAME.c (inputs, launches, CPU
 * reference, `const struct plugin NAME_workload = {`). Nothing elsewhere names it. */
#ifndef WORKLOADS_WORKLOAD_H
#define WORKLOADS_WORKLOAD_H

#include "chip/gpu.h"
#include "core/mem.h"
#include "core/plugin.h"
#include "core/rng.h"

enum workload_size { SIZE_SMALL, SIZE_FULL };

/* One run of a workload. */
struct workload_run {
	struct gpu *gpu;
	const struct plugin *plugin;
	const struct workload_ops *ops;
	enum workload_size size;
	unsigned address_bits; /* which PTX: 32 (default) or 64 */
	uint64_t seed;
	const char *data_dir; /* where the workloads' folders are */
	struct arena *arena;  /* for everything the run needs; freed after it */
	void *state;          /* plugin->size zeroed bytes; parameters loaded into it */
	/* Set by setup: a PTX file whose recorded sum is not that of its text: changed by hand. */
	const char *altered;
	/* Set by setup: what check compares. */
	buffer_t result;
	const char *result_name;
};

struct workload_ops {
	/* What it computes, in a sentence; where it comes from in the literature. */
	const char *computes, *source;
	/* Makes buffers and inputs, loads modules, queues the first launches. 0 or -1. */
	int (*setup)(struct workload_run *, struct err *);
	/* Called when all queued launches are complete: queues the next ones and returns 1, or
	 * returns 0 when the workload is done, -1 with err. NULL: one batch of launches was all. */
	int (*advance)(struct workload_run *, struct err *);
	/* Compares device results with the CPU reference, which shares no code with the kernel. 0,
	 * or -1 and ERR_CHECK: buffer, first differing element, both values, how many differ, the
	 * tolerance. */
	int (*check)(struct workload_run *, struct err *);
	/* Settings, "needle.n=64 needle.block=16", of runs at size small that tests make besides
	 * the one without settings, so that all of the PTX is executed: sizes that fill no CTA,
	 * other kernels. Ends with NULL; NULL itself: none. */
	const char *const *variants;
};

/* Loads "DATA_DIR/NAME/NAME.ptx" (32-bit addressing) or NAME.64.ptx. One that was changed by hand
 * is loaded also, and noted in the run. */
module_t workload_module(struct workload_run *, const char *name, struct err *err);

/* False when the text of a PTX file begins with a sum that is not that of the rest. */
bool workload_sum_holds(const char *text, size_t bytes);

/* A new buffer of the GPU, filled with `bytes` from `data` (NULL: zeros). 0 and a message on
 * failure. */
buffer_t workload_buffer(
	struct workload_run *, const char *name, const void *data, uint64_t bytes, struct err *);

/* The same, for the buffer that will hold the run's result; `name` outlives the run. */
buffer_t workload_result(
	struct workload_run *, const char *name, const void *data, uint64_t bytes, struct err *);

/* n floats uniform in [low, high), in the run's arena; each input of a run has its own `stream`. */
float *workload_random_f32(
	struct workload_run *, uint64_t stream, size_t n, double low, double high);

/* A parameter whose default, 0, means a value that depends on the run's size. */
static inline uint32_t workload_by_size(
	const struct workload_run *run, uint64_t given, uint32_t small, uint32_t full)
{
	if (given)
		return (uint32_t)given;
	return run->size == SIZE_FULL ? full : small;
}

/* Half the distance from 1 to the next float: the largest relative error of one rounding. */
#define F32_ROUNDING 0x1p-24

/* Compares the run's result with n floats: every |ours - theirs| must be within abs + rel *
 * |theirs|. The message names the buffer. `why` states the reason for the tolerance. 0 or -1. */
struct tolerance {
	double abs, rel;
	const char *why;
};
int workload_check_f32(
	struct workload_run *, const float *theirs, size_t n, struct tolerance, struct err *);

/* The same for integers, which must be equal. */
int workload_check_i32(struct workload_run *, const int32_t *theirs, size_t n, struct err *);

/* A new run: finds the workload, loads its parameters from the configuration under its name. NULL
 * and a message when unknown. Memory comes from the arena, whose escape the caller has set. The run
 * has size small, 32-bit addressing, seed 1 and data_dir "workloads": change the fields before
 * setup. */
struct workload_run *workload_open(
	const char *name, struct gpu *, struct config *, struct arena *, struct err *);

#endif
