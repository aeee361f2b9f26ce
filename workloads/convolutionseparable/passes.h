/* What the two programs that filter an image along its rows, then along its columns, have in
 * common: the filter and the reference. They differ in what is beyond the image's edges. */
#ifndef WORKLOADS_CONVOLUTIONSEPARABLE_PASSES_H
#define WORKLOADS_CONVOLUTIONSEPARABLE_PASSES_H

#include "workloads/workload.h"

/* As in both programs' CUDA-C. */
#define PASSES_RADIUS 8
#define PASSES_WEIGHTS (2 * PASSES_RADIUS + 1)

struct passes {
	uint32_t width, height;
	bool clamped; /* a pixel beyond an edge is the edge's; else it is zero */
	float weights[PASSES_WEIGHTS], *image;
	buffer_t rows; /* filtered */
};

/* Sets the weights: a Gaussian of a standard deviation of one radius whose peak is `shift` pixels
 * from the middle; the sum of all weights is one. */
void passes_weights(struct passes *, double shift);

/* Compares the rows, and the run's result with the columns of the rows that the device has left. 0
 * or -1. */
int passes_check(struct workload_run *, const struct passes *, struct err *);

#endif
