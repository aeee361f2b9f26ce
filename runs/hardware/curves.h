/* Microbenchmarks that run on a chip and on a real GPU alike: chases, bandwidths, atomics, strides
 * in shared memory, latencies and throughputs of instructions. */
#ifndef RUNS_CURVES_H
#define RUNS_CURVES_H

#include "chip/gpu.h"
#include "core/mem.h"

#include <jansson.h>

/* A point. What it does not have is 0 or NULL. */
struct curve {
	const char *group; /* "chase", "bandwidth", "atomic", "shared", "latency", "throughput" */
	const char *what;  /* the path, or the instruction */
	uint32_t footprint, stride; /* bytes; of shared memory words */
	uint32_t warps;             /* of a CTA */
	uint32_t ctas;              /* of each SM; 0: one for all, or as the group says */
	double value;               /* NAN: not measured */
	const char *unit;           /* cycles, B/cycle, operations/cycle */
};

struct curves {
	struct curve *at;
	unsigned n;
};

/* All points of the groups named; n 0: of all. The arena's. */
void curves_list(struct curves *, const char *const *groups, unsigned n, struct arena *);

/* Where they run: on a GPU whose queued launches `run` completes. */
struct curves_bench {
	struct gpu *gpu;
	unsigned sms; /* CTAs of points that need all SMs are as many */
	int (*run)(void *ctx, struct err *);
	void *ctx;
	/* private */
	struct text *text;
	module_t module;
	buffer_t memory, out;
	texture_t texels; /* the memory as a texture */
};

/* Makes buffers and kernels on the GPU; 0 or -1; curves_close in any case. */
int curves_open(struct curves_bench *, struct err *);
/* The buffer whose bytes the host needs not. */
buffer_t curves_memory(const struct curves_bench *);
/* Measures one. 0, or -1 and a message. */
int curves_measure(struct curves_bench *, struct curve *, struct err *);

/* Frees the text of its kernels, after the GPU. */
void curves_close(struct curves_bench *);

/* Rows of a file; whether a row is of the point. */
json_t *curves_json(const struct curves *);
bool curve_is(const struct curve *, const json_t *row);

#endif
