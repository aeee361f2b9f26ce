/* pcr: many diagonally dominant tridiagonal systems by parallel cyclic reduction. */
#include "workloads/workload.h"

#include <math.h>

/* Columns of a system in shared memory: three of the matrix, right side, solution. */
#define ARRAYS 5u

#define DECAY 3.0

#define PARAMS(P, T) \
	P(T, UINT, n, 0, 0, 1024, "equations", \
		"Equations of a system, a power of two, 16 or more; 0 = by size: 128 at " \
		"small, 512 (CUDPP's) at full.") \
	P(T, UINT, systems, 0, 0, 65535, "systems", \
		"Systems; 0 = by size: 96 at small, 512 (CUDPP's) at full.")

struct pcr {
	struct {
		PARAMS(PARAM_FIELD, pcr)
	} p;
	uint32_t n, systems;
	float *lower, *diagonal, *upper, *right;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, pcr)};

/* Discrete Helmholtz equations, each scaled at random, half of the unknowns negated, with right
 * sides like noise. Green's function falls to e^-DECAY over half a system: to the last pass,
 * equations still matter to each other. */
static void make_systems(struct workload_run *run)
{
	struct pcr *w = run->state;
	size_t equations = (size_t)w->n * w->systems;
	double excess = 4.0 / 3.0 * 2.0 * DECAY * DECAY / ((double)w->n * w->n);
	float *scale = workload_random_f32(run, 4, equations, 0.5, 1.0);
	float *negated = workload_random_f32(run, 5, equations, -1.0, 1.0);

	w->lower = workload_random_f32(run, 0, equations, -1.0, -1.0 + excess);
	w->diagonal = workload_random_f32(run, 1, equations, 2.0, 2.0 + excess);
	w->upper = workload_random_f32(run, 2, equations, -1.0, -1.0 + excess);
	w->right = workload_random_f32(run, 3, equations, -1.0, 1.0);
	for (size_t i = 0; i < equations; i++) {
		float sign = negated[i] < 0.0f ? -scale[i] : scale[i];
		float before = i && negated[i - 1] < 0.0f ? -scale[i] : scale[i];
		float after = i + 1 < equations && negated[i + 1] < 0.0f ? -scale[i] : scale[i];

		w->lower[i] *= i % w->n ? before : 0.0f;
		w->diagonal[i] *= sign;
		w->upper[i] *= (i + 1) % w->n ? after : 0.0f;
	}
}

static int setup(struct workload_run *run, struct err *err)
{
	struct pcr *w = run->state;
	module_t module = workload_module(run, "pcr", err);
	buffer_t lower, diagonal, upper, right;
	uint64_t bytes;
	int32_t n;

	w->n = workload_by_size(run, w->p.n, 128, 512);
	w->systems = workload_by_size(run, w->p.systems, 96, 512);
	if (w->n < 16 || (w->n & (w->n - 1)))
		return err_add(
			err, ERR_INPUT, "pcr.n = %u: must be a power of two, 16 or more", w->n);
	make_systems(run);
	bytes = (uint64_t)w->n * w->systems * sizeof(float);
	lower = workload_buffer(run, "lower diagonal", w->lower, bytes, err);
	diagonal = workload_buffer(run, "diagonal", w->diagonal, bytes, err);
	upper = workload_buffer(run, "upper diagonal", w->upper, bytes, err);
	right = workload_buffer(run, "right side", w->right, bytes, err);
	workload_result(run, "solution", NULL, bytes, err);
	if (!module || !lower || !diagonal || !upper || !right || !run->result)
		return -1;
	n = (int32_t)w->n;
	return workload_launch(run,
		&(struct launch){
			.module = module,
			.kernel = "pcr",
			.grid = {w->systems, 1, 1},
			.block = {w->n, 1, 1},
			.shared_bytes = w->n * ARRAYS * (uint32_t)sizeof(float),
			.args = (struct launch_arg[]){ARG_BUF(lower), ARG_BUF(diagonal),
				ARG_BUF(upper), ARG_BUF(right), ARG_BUF(run->result), ARG_VAL(n)},
			.nargs = 6,
		},
		err);
}

/* Thomas: down the system eliminating, up again inserting. `factors` is scratch, n of them. */
static void reference(const struct pcr *w, size_t first, double *factors, double *values, float *x)
{
	double upper = 0.0, value = 0.0;

	for (size_t i = 0; i < w->n; i++) {
		double lower = (double)w->lower[first + i];
		double pivot = (double)w->diagonal[first + i] - lower * upper;

		upper = (double)w->upper[first + i] / pivot;
		value = ((double)w->right[first + i] - lower * value) / pivot;
		factors[i] = upper;
		values[i] = value;
	}
	for (size_t i = w->n; i-- > 0;) {
		value = values[i] - (i + 1 < w->n ? factors[i] * value : 0.0);
		x[i] = (float)value;
	}
}

/* Rounding a matrix's elements changes solutions by that, relative to the largest, times the norms
 * of matrix and inverse. Green's function has the length n / (2 DECAY): the inverse's norm is its
 * square. Each pass rounds too, but leaves a matrix of a quarter of the norm. */
static int check(struct workload_run *run, struct err *err)
{
	const struct pcr *w = run->state;
	size_t equations = (size_t)w->n * w->systems;
	double *factors = arena_alloc(run->arena, w->n, sizeof(*factors));
	double *values = arena_alloc(run->arena, w->n, sizeof(*values));
	float *expected = arena_alloc(run->arena, equations, sizeof(*expected));
	double length = (double)w->n / (2.0 * DECAY), largest = 0.0;
	struct tolerance tolerance = {.why = "roundings of the matrix, times the inverse's norm"};

	for (size_t s = 0; s < w->systems; s++)
		reference(w, s * w->n, factors, values, expected + s * w->n);
	for (size_t i = 0; i < equations; i++)
		largest = fmax(largest, fabs((double)expected[i]));
	tolerance.abs = F32_ROUNDING * largest * (8 + 2 * length * length);
	return workload_check_f32(run, expected, equations, tolerance, err);
}

static const char *const variants[] = {"pcr.n=16 pcr.systems=3", NULL};

static const struct workload_ops ops = {
	.computes = "Solutions of many tridiagonal systems, a CTA each.",
	.source = "Zhang, Cohen and Owens, PPoPP 2010 (Hockney and Jesshope, 1981)",
	.setup = setup,
	.check = check,
	.variants = variants,
};

const struct plugin pcr_workload = {
	.kind = "workload",
	.name = "pcr",
	.text = "Parallel cyclic reduction: divisions and shared memory, a barrier a pass.",
	.path = "pcr",
	.size = sizeof(struct pcr),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
