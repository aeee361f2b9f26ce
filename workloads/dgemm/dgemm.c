/* dgemm: c = alpha a b + beta c in double precision. */
#include "workloads/workload.h"

#include <math.h>

/* As in dgemm.cu. */
#define THREADS 16u
#define TILE 64u
#define DEPTH 16u

/* The largest relative error of one rounding to double. */
#define F64_ROUNDING 0x1p-53

#define PARAMS(P, T) \
	P(T, UINT, m, 0, 0, 4096, "elements", \
		"Rows of a and c, a multiple of 64; 0 = by size: 512 at small, 1024 at full.") \
	P(T, UINT, n, 0, 0, 4096, "elements", \
		"Columns of b and c, a multiple of 64; 0 = by size: 256 at small, 1024 at " \
		"full.") \
	P(T, UINT, k, 0, 0, 4096, "elements", \
		"Columns of a, rows of b, a multiple of 16; 0 = by size: 48 at small, 1024 " \
		"at full.")

struct dgemm {
	struct {
		PARAMS(PARAM_FIELD, dgemm)
	} p;
	uint32_t m, n, k;
	double *a, *b, *c; /* by columns, c before the launch */
	double alpha, beta;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, dgemm)};

/* n doubles in (0, 1), of all 53 bits. Nothing negative: then the rounding error is bounded
 * relative to each result. */
static double *random_f64(struct workload_run *run, uint64_t stream, size_t n)
{
	struct rng rng = rng_new(run->seed, stream);
	double *out = arena_alloc(run->arena, n, sizeof(*out));

	for (size_t i = 0; i < n; i++)
		out[i] = ((double)(rng_u64(&rng) >> 12) + 0.5) * 0x1p-52;
	return out;
}

static int check_params(const struct dgemm *w, struct err *err)
{
	if (w->m % TILE || w->n % TILE || w->k % DEPTH)
		return err_add(err, ERR_INPUT,
			"dgemm.m, n, k = %u, %u, %u: m and n must be multiples of %u, k of %u",
			w->m, w->n, w->k, TILE, DEPTH);
	return 0;
}

static int launch(
	struct workload_run *run, module_t module, buffer_t a, buffer_t b, struct err *err)
{
	const struct dgemm *w = run->state;
	int32_t m = (int32_t)w->m, k = (int32_t)w->k;

	return workload_launch(run,
		&(struct launch){
			.module = module,
			.kernel = "dgemm",
			.grid = {w->m / TILE, w->n / TILE, 1},
			.block = {THREADS, THREADS, 1},
			.args = (struct launch_arg[]){ARG_VAL(k), ARG_VAL(w->alpha), ARG_BUF(a),
				ARG_VAL(m), ARG_BUF(b), ARG_VAL(k), ARG_VAL(w->beta),
				ARG_BUF(run->result), ARG_VAL(m)},
			.nargs = 9,
		},
		err);
}

static int setup(struct workload_run *run, struct err *err)
{
	struct dgemm *w = run->state;
	module_t module = workload_module(run, "dgemm", err);
	size_t of_a, of_b, of_c;
	buffer_t a, b;

	w->m = workload_by_size(run, w->p.m, 512, 1024);
	w->n = workload_by_size(run, w->p.n, 256, 1024);
	w->k = workload_by_size(run, w->p.k, 48, 1024);
	if (check_params(w, err))
		return -1;
	of_a = (size_t)w->m * w->k;
	of_b = (size_t)w->k * w->n;
	of_c = (size_t)w->m * w->n;
	w->alpha = 1.25;
	w->beta = 0.75;
	w->a = random_f64(run, 0, of_a);
	w->b = random_f64(run, 1, of_b);
	w->c = random_f64(run, 2, of_c);
	a = workload_buffer(run, "a", w->a, of_a * sizeof(double), err);
	b = workload_buffer(run, "b", w->b, of_b * sizeof(double), err);
	workload_result(run, "c", w->c, of_c * sizeof(double), err);
	if (!module || !a || !b || !run->result)
		return -1;
	return launch(run, module, a, b, err);
}

/* Column j of a b, from the columns of a. */
static void reference_column(const struct dgemm *w, size_t j, double *column)
{
	for (size_t i = 0; i < w->m; i++)
		column[i] = 0.0;
	for (size_t l = 0; l < w->k; l++) {
		double of_b = w->b[j * w->k + l];

		for (size_t i = 0; i < w->m; i++)
			column[i] += w->a[l * w->m + i] * of_b;
	}
}

/* What differs by more than the tolerance, over all columns. */
struct finding {
	size_t wrong, first;
	double ours, theirs;
};

static void compare_column(const struct dgemm *w, size_t j, const double *column,
	const double *ours, struct finding *f)
{
	double tolerance = 2.0 * ((double)w->k + 3.0) * F64_ROUNDING;

	for (size_t i = j * w->m; i < (j + 1) * w->m; i++) {
		double theirs = w->alpha * column[i - j * w->m] + w->beta * w->c[i];

		if (fabs(ours[i] - theirs) <= tolerance * theirs)
			continue;
		if (f->wrong++ == 0) {
			f->first = i;
			f->ours = ours[i];
			f->theirs = theirs;
		}
	}
}

/* Kernel and reference sum k non-negative products each, with one or two roundings a product. */
static int check(struct workload_run *run, struct err *err)
{
	const struct dgemm *w = run->state;
	size_t elements = (size_t)w->m * w->n;
	double *column = arena_alloc(run->arena, w->m, sizeof(*column));
	double *ours = arena_alloc(run->arena, elements, sizeof(*ours));
	struct finding f = {0};

	gpu_read(run->gpu, run->result, 0, ours, elements * sizeof(*ours));
	for (size_t j = 0; j < w->n; j++) {
		reference_column(w, j, column);
		compare_column(w, j, column, ours, &f);
	}
	if (!f.wrong)
		return 0;
	return err_add(err, ERR_CHECK,
		"c[%zu] is %.17g, the reference says %.17g; %zu of %zu elements differ by more "
		"than 2 * (k + 3) * 2^-53 * |reference| (roundings of k products in both)",
		f.first, f.ours, f.theirs, f.wrong, elements);
}

static const char *const variants[] = {"dgemm.m=64 dgemm.n=64 dgemm.k=16", NULL};

static const struct workload_ops ops = {
	.computes = "c = alpha a b + beta c, 4 x 4 elements a thread.",
	.source = "MAGMA, dgemm (Nath et al., IJHPCA 2010)",
	.setup = setup,
	.check = check,
	.variants = variants,
};

const struct plugin dgemm_workload = {
	.kind = "workload",
	.name = "dgemm",
	.text = "Matrix multiplication in doubles, blocked for registers: many of them.",
	.path = "dgemm",
	.size = sizeof(struct dgemm),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
