/* lps: Laplace's equation in a box, by Jacobi's iteration. */
#include "workloads/workload.h"

/* As in lps.cu. */
#define BX 32u
#define BY 4u

#define PARAMS(P, T) \
	P(T, UINT, nx, 0, 0, 512, "cells", \
		"Length of the box; 0 = by size: 70 at small, 100 (the suite's) at full.") \
	P(T, UINT, ny, 0, 0, 512, "cells", \
		"Width of the box; 0 = by size: 58 at small, 100 at full.") \
	P(T, UINT, nz, 0, 0, 512, "cells", \
		"Height of the box; 0 = by size: 24 at small, 100 at full.") \
	P(T, UINT, iterations, 0, 0, 1000, "iterations", \
		"Iterations, a launch each; 0 = by size: 2 at small, 1 (the suite's) at full.")

struct lps {
	struct {
		PARAMS(PARAM_FIELD, lps)
	} p;
	uint32_t n[3], iterations;
	float *start;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, lps)};

static int launch(
	struct workload_run *run, module_t module, buffer_t from, buffer_t to, struct err *err)
{
	struct lps *w = run->state;
	int32_t n[3] = {(int32_t)w->n[0], (int32_t)w->n[1], (int32_t)w->n[2]};

	return workload_launch(run,
		&(struct launch){
			.module = module,
			.kernel = "lps",
			.grid = {(uint32_t)div_up(w->n[0], BX), (uint32_t)div_up(w->n[1], BY), 1},
			.block = {BX, BY, 1},
			.args = (struct launch_arg[]){ARG_BUF(from), ARG_BUF(to), ARG_VAL(n[0]),
				ARG_VAL(n[1]), ARG_VAL(n[2])},
			.nargs = 5,
		},
		err);
}

static int setup(struct workload_run *run, struct err *err)
{
	static const char *const names[2] = {"potential", "potential2"};
	struct lps *w = run->state;
	module_t module = workload_module(run, "lps", err);
	buffer_t from, to;
	size_t cells;

	w->n[0] = workload_by_size(run, w->p.nx, 70, 100);
	w->n[1] = workload_by_size(run, w->p.ny, 58, 100);
	w->n[2] = workload_by_size(run, w->p.nz, 24, 100);
	w->iterations = workload_by_size(run, w->p.iterations, 2, 1);
	cells = (size_t)w->n[0] * w->n[1] * w->n[2];
	w->start = workload_random_f32(run, 0, cells, 0.0, 1.0);
	from = workload_buffer(run, names[0], w->start, cells * sizeof(float), err);
	to = workload_buffer(run, names[1], NULL, cells * sizeof(float), err);
	if (!module || !from || !to)
		return -1;
	for (uint32_t i = 0; i < w->iterations; i++) {
		if (launch(run, module, from, to, err))
			return -1;
		run->result = to;
		run->result_name = names[~i & 1];
		to = from;
		from = run->result;
	}
	return 0;
}

/* One iteration over the whole box. */
static void iterate(const struct lps *w, const double *now, double *next)
{
	size_t row = w->n[0], plane = row * w->n[1], cells = plane * w->n[2];

	for (size_t i = 0; i < cells; i++) {
		size_t x = i % row, y = i / row % w->n[1], z = i / plane;

		next[i] = now[i];
		if (x == 0 || y == 0 || z == 0 || x + 1 == row || y + 1 == w->n[1] ||
			z + 1 == w->n[2])
			continue;
		next[i] = (now[i - 1] + now[i + 1] + now[i - row] + now[i + row] + now[i - plane] +
				  now[i + plane]) /
			  6;
	}
}

/* A mean of values below 1 does not amplify their errors; its own: five sums up to 2, 3, 4, 5, 6,
 * of which a sixth is taken, the factor's rounding and the product's. */
#define STEP_ERROR (6 * F32_ROUNDING)

static int check(struct workload_run *run, struct err *err)
{
	const struct lps *w = run->state;
	size_t cells = (size_t)w->n[0] * w->n[1] * w->n[2];
	double *now = arena_alloc(run->arena, cells, sizeof(*now));
	double *next = arena_alloc(run->arena, cells, sizeof(*next));
	float *expected = arena_alloc(run->arena, cells, sizeof(*expected));
	struct tolerance tolerance = {
		.abs = (w->iterations + 1) * STEP_ERROR,
		.why = "roundings of each iteration at values below 1",
	};

	for (size_t i = 0; i < cells; i++)
		now[i] = (double)w->start[i];
	for (uint32_t k = 0; k < w->iterations; k++) {
		double *swap = now;

		iterate(w, now, next);
		now = next;
		next = swap;
	}
	for (size_t i = 0; i < cells; i++)
		expected[i] = (float)now[i];
	return workload_check_f32(run, expected, cells, tolerance, err);
}

static const char *const variants[] = {"lps.nx=33 lps.ny=5 lps.nz=3", NULL};

static const struct workload_ops ops = {
	.computes = "Potential in a box by Jacobi's iteration: a seven-point stencil.",
	.source = "Bakhoda et al., ISPASS 2009, LPS (Giles, Oxford, 2008)",
	.setup = setup,
	.check = check,
	.variants = variants,
};

const struct plugin lps_workload = {
	.kind = "workload",
	.name = "lps",
	.text = "Laplace's equation in three dimensions: planes march through shared memory.",
	.path = "lps",
	.size = sizeof(struct lps),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
