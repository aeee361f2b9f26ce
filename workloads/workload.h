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
	const char *ptx_dir;  /* where foreign PTX is; NULL: the workload runs its own */
	struct arena *arena;  /* for everything the run needs; freed after it */
	void *state;          /* plugin->size zeroed bytes; parameters loaded into it */
	module_t module;      /* loaded last by workload_module: its own, whose variables it has */
	struct workload_modules *foreign; /* loaded from ptx_dir by workload_module */
	/* Set by setup: a PTX file whose recorded sum is not that of its text: changed by hand. */
	const char *altered;
	/* Set by setup: what check compares. */
	buffer_t result;
	const char *result_name;
};

/* A name in PTX that another compiler made of the same computation, for which the workload's host
 * side serves as well: a kernel, or a reference or variable of a module. */
struct workload_foreign {
	const char *file;   /* in the folder that the user names */
	const char *name;   /* in the workload's own PTX, or the host side's for it */
	const char *theirs; /* in the file */
	/* A kernel's arguments, separated by blanks; NULL: as ours. Each is one of ours, counted
	 * from 0 ("2"), a dimension of the launch ("grid.x", "block.y") or a whole number ("#16"),
	 * these as integers of 4 bytes. "texImage=2": the texture that is our argument 2 is bound
	 * to the file's reference texImage instead. A launch with `run->foreign` may have more
	 * arguments than our kernel, for rows alone. */
	const char *arguments;
	uint32_t shared_bytes;  /* dynamic shared memory that theirs needs beyond ours */
	uint32_t ctas, threads; /* grid.x and block.x of theirs; 0: as ours */
};
#define FOREIGN(f, n, t, a) \
	{ \
		.file = (f), .name = (n), .theirs = (t), .arguments = (a) \
	}

struct workload_ops {
	/* What it computes, in a sentence; where it comes from in the literature. */
	const char *computes, *source;
	/* Which table of a paper chose the input or the layout, and what it chose: "CTAs of 48
	 * threads, by table 1's bytes of shared memory per thread". Such a workload is in no score.
	 * NULL: none did. */
	const char *fitted;
	/* What its measurements on real GPUs set in machines (machines/): "latencies and capacities
	 * of caches". Beside hardware such a workload is in no score. NULL: none did. */
	const char *calibrates;
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
	/* Foreign PTX that it runs with ptx_dir, by name; ends with a NULL file. All kernels of the
	 * workload are in it. NULL: there is none. */
	const struct workload_foreign *foreign;
	/* Settings, as in a variant, that replace defaults with ptx_dir: what the foreign kernels
	 * were compiled for. NULL: none. */
	const char *foreign_settings;
};

/* Loads "DATA_DIR/NAME/NAME.ptx" (32-bit addressing) or NAME.64.ptx. One that was changed by hand
 * is loaded also, and noted in the run. With ptx_dir: loads the workload's foreign files instead.
 */
module_t workload_module(struct workload_run *, const char *name, struct err *err);

/* Loads the workload's foreign files and returns the first; for workload_module. */
module_t workload_foreign_modules(struct workload_run *, struct err *err);

/* gpu_launch, gpu_bind and gpu_variable of a workload's module; with ptx_dir of the foreign one
 * that has the name, with its arguments. workload_variable returns 0 and a message when there is no
 * variable of that name with at least that many bytes. */
int workload_launch(struct workload_run *, const struct launch *, struct err *err);
int workload_bind(struct workload_run *, module_t, const char *reference, texture_t, struct err *);
buffer_t workload_variable(
	struct workload_run *, const char *name, uint64_t bytes, struct err *err);

/* Sets the workload's foreign_settings, except parameters that a setting gives already. 0 or -1.
 */
int workload_set_foreign(const char *workload, struct config *, struct err *err);

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

/* The same, each element within its own bound; `why` states the reason for them. */
int workload_check_f32_each(struct workload_run *, const float *theirs, const float *bounds,
	size_t n, const char *why, struct err *);

/* The same for integers, which must be equal. */
int workload_check_i32(struct workload_run *, const int32_t *theirs, size_t n, struct err *);

/* A new run: finds the workload, loads its parameters from the configuration under its name. NULL
 * and a message when unknown. Memory comes from the arena, whose escape the caller has set. The run
 * has size small, 32-bit addressing, seed 1 and data_dir "workloads": change the fields before
 * setup. */
struct workload_run *workload_open(
	const char *name, struct gpu *, struct config *, struct arena *, struct err *);

#endif
