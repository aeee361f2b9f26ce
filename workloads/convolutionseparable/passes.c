/* Two passes over an image: the filter, and the reference in double. */
#include "workloads/convolutionseparable/passes.h"

#include <math.h>

void passes_weights(struct passes *p, double shift)
{
	double weights[PASSES_WEIGHTS], sum = 0;

	for (int i = 0; i < PASSES_WEIGHTS; i++) {
		double distance = ((double)(i - PASSES_RADIUS) - shift) / PASSES_RADIUS;

		weights[i] = exp(-distance * distance / 2);
		sum += weights[i];
	}
	for (int i = 0; i < PASSES_WEIGHTS; i++)
		p->weights[i] = (float)(weights[i] / sum);
}

/* A line of n pixels, `step` apart, filtered. */
static void filter_line(const struct passes *p, const float *in, size_t step, long n, float *out)
{
	for (long x = 0; x < n; x++) {
		double sum = 0;

		for (long k = 0; k < PASSES_WEIGHTS; k++) {
			long at = x + PASSES_RADIUS - k, inside = at < 0 ? 0 : at < n ? at : n - 1;

			if (p->clamped || at == inside)
				sum += (double)in[(size_t)inside * step] * (double)p->weights[k];
		}
		out[(size_t)x * step] = (float)sum;
	}
}

static int check_pass(struct workload_run *run, const struct passes *p, buffer_t buffer,
	const char *name, const float *expected, struct err *err)
{
	buffer_t result = run->result;
	const char *result_name = run->result_name;
	struct tolerance tolerance = {
		.rel = (PASSES_WEIGHTS + 1) * F32_ROUNDING,
		.why = "17 fused multiply-adds of non-negative terms, one rounding each, and the "
		       "reference's own",
	};
	int status;

	run->result = buffer;
	run->result_name = name;
	status = workload_check_f32(run, expected, (size_t)p->width * p->height, tolerance, err);
	run->result = result;
	run->result_name = result_name;
	return status;
}

int passes_check(struct workload_run *run, const struct passes *p, struct err *err)
{
	size_t width = p->width, height = p->height;
	float *expected = arena_alloc(run->arena, width * height, sizeof(*expected));
	float *rows = arena_alloc(run->arena, width * height, sizeof(*rows));

	for (size_t y = 0; y < height; y++)
		filter_line(p, p->image + y * width, 1, (long)width, expected + y * width);
	if (check_pass(run, p, p->rows, "rows", expected, err))
		return -1;
	gpu_read(run->gpu, p->rows, 0, rows, width * height * sizeof(*rows));
	for (size_t x = 0; x < width; x++)
		filter_line(p, rows + x, width, (long)height, expected + x);
	return check_pass(run, p, run->result, run->result_name, expected, err);
}
