/* matrixmul: c = a * b by tiles in shared memory. */
#include "workloads/workload.h"

/* As in matrixmul.cu. */
#define TILE 16u

#define PARAMS(P, T) \
	P(T, UINT, n, 0, 0, 4096, "elements", \
		"Columns of the matrices and rows of b, a multiple of 16; 0 = by size: 128 at " \
		"small, 80 (the SDK's) at full.") \
	P(T, UINT, rows, 0, 0, 4096, "elements", \
		"Rows of a and c, a multiple of 16; 0: n, and with n = 0 160 (the SDK's) at full.")

struct matrixmul {
	struct {
		PARAMS(PARAM_FIELD, matrixmul)
	} p;
	uint32_t n, rows;
	float *a, *b;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, matrixmul)};

static int setup(struct workload_run *run, struct err *err)
{
	struct matrixmul *w = run->state;
	module_t module = workload_module(run, "matrixmul", err);
	size_t cells, others;
	buffer_t a, b, c;
	int32_t n;

	w->n = workload_by_size(run, w->p.n, 128, 80);
	w->rows = workload_by_size(run, w->p.rows, w->n, w->p.n ? w->n : 160);
	if (w->n % TILE)
		return err_add(
			err, ERR_INPUT, "matrixmul.n = %u: must be a multiple of %u", w->n, TILE);
	if (w->rows % TILE)
		return err_add(err, ERR_INPUT, "matrixmul.rows = %u: must be a multiple of %u",
			w->rows, TILE);
	cells = (size_t)w->rows * w->n;
	others = (size_t)w->n * w->n;
	/* Nothing negative: then the rounding error is bounded relative to each result. */
	w->a = workload_random_f32(run, 0, cells, 0.0, 1.0);
	w->b = workload_random_f32(run, 1, others, 0.0, 1.0);
	a = workload_buffer(run, "a", w->a, cells * sizeof(float), err);
	b = workload_buffer(run, "b", w->b, others * sizeof(float), err);
	c = workload_result(run, "c", NULL, cells * sizeof(float), err);
	if (!module || !a || !b || !c)
		return -1;
	n = (int32_t)w->n;
	return workload_launch(run,
		&(struct launch){
			.module = module,
			.kernel = "matrixmul",
			.grid = {w->n / TILE, w->rows / TILE, 1},
			.block = {TILE, TILE, 1},
			.args = (struct launch_arg[]){ARG_BUF(a), ARG_BUF(b), ARG_BUF(c),
				ARG_VAL(n)},
			.nargs = 4,
		},
		err);
}

/* TILE elements of row i of the product, from column j on, accumulated in double: a constant
 * number, so that the compiler makes vectors of them. */
static void reference_tile(const struct matrixmul *w, size_t i, size_t j, float *restrict out)
{
	const float *restrict b = w->b + j;
	double sum[TILE] = {0};
	size_t n = w->n;

	for (size_t k = 0; k < n; k++, b += n) {
		double a = (double)w->a[i * n + k];

		for (size_t t = 0; t < TILE; t++)
			sum[t] += a * (double)b[t];
	}
	for (size_t t = 0; t < TILE; t++)
		out[t] = (float)sum[t];
}

static int check(struct workload_run *run, struct err *err)
{
	const struct matrixmul *w = run->state;
	size_t n = w->n;
	float *expected = arena_alloc(run->arena, w->rows * n, sizeof(*expected));
	struct tolerance tolerance = {
		.rel = (double)(n + 1) * F32_ROUNDING,
		.why = "n fused multiply-adds of non-negative terms, one rounding each, and the "
		       "reference's own",
	};

	for (size_t i = 0; i < w->rows; i++)
		for (size_t j = 0; j < n; j += TILE)
			reference_tile(w, i, j, expected + i * n + j);
	return workload_check_f32(run, expected, w->rows * n, tolerance, err);
}

static const char *const variants[] = {"matrixmul.n=16", "matrixmul.n=32 matrixmul.rows=80", NULL};

static const struct workload_foreign foreign[] = {
	FOREIGN("sdk2.2/matrixMul_kernel.ptx", "matrixmul", "_Z9matrixMulPfS_S_ii", "2 0 1 3 3"),
	{.file = NULL},
};

static const struct workload_ops ops = {
	.computes = "c = a * b over floats, tiles of 16x16.",
	.source = "CUDA SDK, matrixMul",
	.setup = setup,
	.check = check,
	.variants = variants,
	.foreign = foreign,
};

const struct plugin matrixmul_workload = {
	.kind = "workload",
	.name = "matrixmul",
	.text = "Tiled matrix multiplication: shared memory and arithmetic.",
	.path = "matrixmul",
	.size = sizeof(struct matrixmul),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
