/* hwt with Rodinia's own kernel (--ptx-dir): it takes all that it needs from constant memory, keeps
 * frames, templates and sums by columns, and leaves each sum in an array of its own. */
#ifndef WORKLOADS_HWT_RODINIA_H
#define WORKLOADS_HWT_RODINIA_H

#include "workloads/workload.h"

/* What the kernel is compiled for: it keeps the template's radius in its code, and arrays that the
 * search's fits. The template of the first frame is used for ten; the window stays as long. */
#define RODINIA_TEMPLATE 25
#define RODINIA_SEARCH 40
#define RODINIA_FRAMES 1u

struct site {
	int32_t x, y;
};

extern const struct workload_foreign hwt_rodinia[];

struct rodinia_hwt {
	module_t module;
	uint32_t points, threads;
	int32_t width, height, reach; /* of a frame; of a point */
	float *const *video;          /* RODINIA_FRAMES + 1 frames, by rows */
	const struct site *start;
	buffer_t out_places, out_templates, out_correlations; /* as our kernels leave them */
	/* made by rodinia_set_up */
	buffer_t d_video, places, templates, work;
	uint32_t frame; /* the last one queued */
};

/* 0, or -1 and a message: the kernel is compiled for other sizes. */
int rodinia_admit(int32_t template, int32_t search, uint32_t frames, struct err *);

/* Queues the first frame. 0 or -1. */
int rodinia_set_up(struct workload_run *, struct rodinia_hwt *, struct err *);

/* Queues the next frame and returns 1; after the last one writes the results in all `out_` buffers
 * and returns 0; -1. Of the coefficients they are the last frame's, without their denominators: the
 * kernel lacks a barrier before the running sums of squares, so that what it divides by depends on
 * the order of warps. */
int rodinia_next(struct workload_run *, struct rodinia_hwt *, struct err *);

/* Where the point's largest quotient is, as the kernel left them. */
struct site rodinia_peak(struct workload_run *, const struct rodinia_hwt *, uint32_t point);

#endif
