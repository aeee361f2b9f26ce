/* A workload's run in a test, without timing unless requested. */
#ifndef TESTS_RIG_WORKLOAD_RIG_H
#define TESTS_RIG_WORKLOAD_RIG_H

#include "chip/chip.h"
#include "core/text.h"
#include "workloads/workload.h"

#define WORKLOADS_DIR WARPBEAM_SRCDIR "/workloads"

/* The run, and the expected message when it is refused. */
struct subject {
	const char *name;
	unsigned address_bits; /* 0: 32 */
	uint64_t seed;
	const char *settings; /* "needle.n=64 needle.block=16" */
	const char *data_dir; /* NULL: the source's */
	const char *message;
	bool timed;       /* on a chip, for kernels that read the clock; else without timing */
	unsigned threads; /* of the host, on a chip; 0: 1 */
	/* called when the first launches are queued; may be NULL */
	void (*ready)(struct gpu *, void *ctx);
	void *ready_ctx;
	const struct untimed_watch *watch; /* without timing; may be NULL */
	uint64_t limit; /* warp instructions of a CTA, or cycles of the chip; 0: no limit */
};

/* One run from opening to result. */
struct workload_rig {
	const struct subject *subject;
	struct err err;
	struct config *config;
	struct arena arena;
	struct gpu *gpu;
	struct workload_run *run;
	uint64_t work;        /* warp instructions of all launches so far, or cycles */
	uint64_t allocations; /* of host memory, while the chip ran */
	unsigned batches;
};

/* Opens the subject's run, lets `body` test it, and frees all. */
void workload_rig(
	void (*body)(struct workload_rig *, void *ctx), const struct subject *, void *ctx);

/* Setup, and all launches until the workload is done. 0, or -1 with the rig's err; more batches of
 * launches than `most` (0: any number) are an error. */
int workload_rig_run(struct workload_rig *, unsigned most);

/* All figures of the subject's timed run, which must be right and take no memory of the host while
 * it runs; the chip's accounts must balance. The caller's. */
struct text workload_rig_figures(const struct subject *);

/* The settings of a workload's v-th run: v = 0 none, then its variants, then NULL. */
const char *workload_variant(const struct plugin *, unsigned v);

/* The i-th workload among the plugins, NULL after the last one. */
const struct plugin *workload_number(unsigned i);

#endif
