/* lu: LU decomposition of a diagonally dominant matrix, three kernels for each block on the
 * diagonal. */
#include "workloads/workload.h"

#include <math.h>

/* As in lu.cu. */
#define TILE 16u

#define PARAMS(P, T) \
	P(T, UINT, n, 0, 0, 4096, "elements", \
		"Rows and columns of the matrix, a multiple of 16, 32 or more; 0 = by size: " \
		"192 at small, 256 (the suite's run; its largest is 2048) at full.")

struct lu {
	struct {
		PARAMS(PARAM_FIELD, lu)
	} p;
	uint32_t n;
	float *matrix;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, lu)};

/* On the diagonal elements above 1, off it so small that all of a column are less together: then
 * there is no need to pivot. */
static void make_matrix(struct workload_run *run)
{
	struct lu *w = run->state;
	size_t n = w->n;
	float *diagonal = workload_random_f32(run, 1, n, 1.0, 1.5);

	w->matrix = workload_random_f32(run, 0, n * n, -1.0 / (double)n, 1.0 / (double)n);
	for (size_t i = 0; i < n; i++)
		w->matrix[i * n + i] = diagonal[i];
}

/* Queues a kernel, complete except for its arguments, for the block at `at` on the diagonal. */
static int launch(
	struct workload_run *run, const struct launch *shape, uint32_t block_at, struct err *err)
{
	struct lu *w = run->state;
	int32_t n = (int32_t)w->n, at = (int32_t)block_at;
	struct launch launch = *shape;

	launch.args = (struct launch_arg[]){ARG_BUF(run->result), ARG_VAL(n), ARG_VAL(at)};
	launch.nargs = 3;
	return workload_launch(run, &launch, err);
}

/* The three kernels for one block on the diagonal; for the last, there is nothing around it. */
static int launch_block(struct workload_run *run, module_t module, uint32_t at, struct err *err)
{
	const struct lu *w = run->state;
	uint32_t around = (w->n - at) / TILE - 1;
	struct launch diagonal = {.module = module,
		.kernel = "lu_diagonal",
		.grid = {1, 1, 1},
		.block = {TILE, 1, 1}};
	struct launch perimeter = {.module = module,
		.kernel = "lu_perimeter",
		.grid = {around, 1, 1},
		.block = {2 * TILE, 1, 1}};
	struct launch interior = {.module = module,
		.kernel = "lu_interior",
		.grid = {around, around, 1},
		.block = {TILE, TILE, 1}};

	if (launch(run, &diagonal, at, err))
		return -1;
	if (!around)
		return 0;
	if (launch(run, &perimeter, at, err))
		return -1;
	return launch(run, &interior, at, err);
}

static int setup(struct workload_run *run, struct err *err)
{
	struct lu *w = run->state;
	module_t module = workload_module(run, "lu", err);

	w->n = workload_by_size(run, w->p.n, 192, 256);
	if (w->n % TILE || w->n < 2 * TILE)
		return err_add(err, ERR_INPUT, "lu.n = %u: must be a multiple of %u, %u or more",
			w->n, TILE, 2 * TILE);
	make_matrix(run);
	workload_result(run, "matrix", w->matrix, (size_t)w->n * w->n * sizeof(float), err);
	if (!module || !run->result)
		return -1;
	for (uint32_t at = 0; at < w->n; at += TILE)
		if (launch_block(run, module, at, err))
			return -1;
	return 0;
}

/* Gauss, column by column of L, row by row of the rest, without blocks. */
static void reference(double *a, size_t n)
{
	for (size_t k = 0; k < n; k++)
		for (size_t i = k + 1; i < n; i++) {
			double factor = a[i * n + k] / a[k * n + k];

			a[i * n + k] = factor;
			for (size_t j = k + 1; j < n; j++)
				a[i * n + j] -= factor * a[k * n + j];
		}
}

/* The kernels round an element each time they subtract a block's products, n / 16 times: a random
 * walk, of which three deviations are taken, and eight roundings on the way of the last block. Off
 * the diagonal elements are near 1 / n, on it near 1. Errors of the elements that it is made of
 * come with weights that add up to less than 1. */
static int check(struct workload_run *run, struct err *err)
{
	const struct lu *w = run->state;
	size_t n = w->n;
	double *a = arena_alloc(run->arena, n * n, sizeof(*a));
	float *expected = arena_alloc(run->arena, n * n, sizeof(*expected));
	double roundings = 8 + 3 * sqrt((double)n / TILE);
	struct tolerance tolerance = {
		.abs = roundings / (double)n * F32_ROUNDING,
		.rel = roundings * F32_ROUNDING,
		.why = "a random walk of roundings, one for each block",
	};

	for (size_t i = 0; i < n * n; i++)
		a[i] = (double)w->matrix[i];
	reference(a, n);
	for (size_t i = 0; i < n * n; i++)
		expected[i] = (float)a[i];
	return workload_check_f32(run, expected, n * n, tolerance, err);
}

static const char *const variants[] = {"lu.n=32", NULL};

static const struct workload_foreign foreign[] = {
	FOREIGN("rodinia/lud_kernel.ptx", "lu_diagonal", "_Z12lud_diagonalPfii", NULL),
	FOREIGN("rodinia/lud_kernel.ptx", "lu_perimeter", "_Z13lud_perimeterPfii", NULL),
	FOREIGN("rodinia/lud_kernel.ptx", "lu_interior", "_Z12lud_internalPfii", NULL),
	{.file = NULL},
};

static const struct workload_ops ops = {
	.computes = "In-place decomposition of a matrix, by blocks, without pivoting.",
	.source = "Rodinia, lud (Che et al., IISWC 2009)",
	.setup = setup,
	.check = check,
	.variants = variants,
	.foreign = foreign,
};

const struct plugin lu_workload = {
	.kind = "workload",
	.name = "lu",
	.text = "LU decomposition: few threads with much shared memory, and a shrinking front.",
	.path = "lu",
	.size = sizeof(struct lu),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
