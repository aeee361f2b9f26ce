/* sgemv: a matrix stored by columns times a vector. */
#include "workloads/workload.h"

/* As in sgemv.cu. */
#define THREADS 64u

#define PARAMS(P, T) \
	P(T, UINT, m, 0, 0, 65536, "rows", \
		"Rows of the matrix; 0 = by size: 2010 at small, 8190 at full.") \
	P(T, UINT, n, 0, 0, 65536, "columns", \
		"Columns of the matrix; 0 = by size: 500 at small, 8190 at full.")

struct sgemv {
	struct {
		PARAMS(PARAM_FIELD, sgemv)
	} p;
	uint32_t m, n, lda;
	float *a, *x; /* a[j * lda + i] is row i, column j */
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, sgemv)};

static int setup(struct workload_run *run, struct err *err)
{
	struct sgemv *w = run->state;
	module_t module = workload_module(run, "sgemv", err);
	buffer_t a, x, y;
	int32_t m, n, lda;

	w->m = workload_by_size(run, w->p.m, 2010, 8190);
	w->n = workload_by_size(run, w->p.n, 500, 8190);
	w->lda = (uint32_t)div_up(w->m, 32) * 32;
	/* Nothing negative: then the rounding error is bounded relative to each result. */
	w->a = workload_random_f32(run, 0, (size_t)w->lda * w->n, 0.0, 1.0);
	w->x = workload_random_f32(run, 1, w->n, 0.0, 1.0);
	a = workload_buffer(run, "a", w->a, (uint64_t)w->lda * w->n * sizeof(float), err);
	x = workload_buffer(run, "x", w->x, w->n * sizeof(float), err);
	y = workload_result(run, "y", NULL, w->m * sizeof(float), err);
	if (!module || !a || !x || !y)
		return -1;
	m = (int32_t)w->m;
	n = (int32_t)w->n;
	lda = (int32_t)w->lda;
	return workload_launch(run,
		&(struct launch){
			.module = module,
			.kernel = "sgemv",
			.grid = {(uint32_t)div_up(w->m, THREADS), 1, 1},
			.block = {THREADS, 1, 1},
			.args = (struct launch_arg[]){ARG_VAL(m), ARG_VAL(n), ARG_BUF(a),
				ARG_VAL(lda), ARG_BUF(x), ARG_BUF(y)},
			.nargs = 6,
		},
		err);
}

static int check(struct workload_run *run, struct err *err)
{
	const struct sgemv *w = run->state;
	double *sums = arena_alloc(run->arena, w->m, sizeof(*sums));
	float *expected = arena_alloc(run->arena, w->m, sizeof(*expected));
	struct tolerance tolerance = {
		.rel = (double)(w->n + 1) * F32_ROUNDING,
		.why = "n fused multiply-adds of non-negative terms, one rounding each, and the "
		       "reference's own",
	};

	for (size_t j = 0; j < w->n; j++)
		for (size_t i = 0; i < w->m; i++)
			sums[i] += (double)w->a[j * w->lda + i] * (double)w->x[j];
	for (size_t i = 0; i < w->m; i++)
		expected[i] = (float)sums[i];
	return workload_check_f32(run, expected, w->m, tolerance, err);
}

static const char *const variants[] = {
	"sgemv.m=70 sgemv.n=64", "sgemv.m=65 sgemv.n=65", "sgemv.m=1 sgemv.n=129", NULL};

static const struct workload_ops ops = {
	.computes = "y = A x, floats stored by columns, a row a thread.",
	.source = "MAGMA, sgemv (Tomov et al., 2010; Nath et al., VECPAR 2010)",
	.setup = setup,
	.check = check,
	.variants = variants,
};

const struct plugin sgemv_workload = {
	.kind = "workload",
	.name = "sgemv",
	.text = "Matrix times vector: streaming, the vector through shared memory.",
	.path = "sgemv",
	.size = sizeof(struct sgemv),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
