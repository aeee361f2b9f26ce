/* sobolqrng: a Sobol sequence of many dimensions (Bratley and Fox, TOMS 1988). */
#include "workloads/workload.h"

#define THREADS 64u
#define DIRECTIONS 32u
/* CTAs that a launch has at least, if dimensions alone are fewer: four for each of 32 SMs. */
#define ENOUGH_CTAS 128u

#define PARAMS(P, T) \
	P(T, UINT, points, 0, 0, 1048576, "points", \
		"Points of the sequence; 0 = by size: 8192 at small, 100000 at full.") \
	P(T, UINT, dimensions, 0, 0, 1000, "dimensions", \
		"Coordinates of a point; 0 = by size: 32 at small, 100 at full (the SDK's).")

struct sobolqrng {
	struct {
		PARAMS(PARAM_FIELD, sobolqrng)
	} p;
	uint32_t points, dimensions;
	uint32_t (*directions)[DIRECTIONS];
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, sobolqrng)};

/* Whether x generates all non-zero remainders of the polynomial over GF(2), bit k the coefficient
 * of x^k. */
static bool is_primitive(uint32_t polynomial, unsigned degree)
{
	uint32_t remainder = 1, period = 0;

	do {
		remainder <<= 1;
		if (remainder >> degree & 1)
			remainder ^= polynomial;
		period++;
	} while (remainder > 1);
	return remainder == 1 && period == (1u << degree) - 1;
}

/* The direction numbers of a dimension from its polynomial and random odd starting numbers. */
static void make_directions(
	struct rng *rng, uint32_t polynomial, unsigned degree, uint32_t direction[DIRECTIONS])
{
	uint32_t m[DIRECTIONS];

	for (unsigned k = 0; k < DIRECTIONS; k++) {
		if (k < degree) {
			m[k] = 2 * rng_below(rng, 1u << k) + 1;
		} else {
			m[k] = m[k - degree];
			for (unsigned j = 1; j <= degree; j++)
				if (polynomial >> (degree - j) & 1)
					m[k] ^= m[k - j] << j;
		}
		direction[k] = m[k] << (DIRECTIONS - 1 - k);
	}
}

/* Dimension 0 is van der Corput's sequence, the others take the primitive polynomials in order. */
static void make_all_directions(struct workload_run *run)
{
	struct sobolqrng *w = run->state;
	struct rng rng = rng_new(run->seed, 0);
	uint32_t polynomial = 3;

	w->directions = arena_alloc(run->arena, w->dimensions, sizeof(*w->directions));
	for (unsigned k = 0; k < DIRECTIONS; k++)
		w->directions[0][k] = 1u << (DIRECTIONS - 1 - k);
	for (uint32_t d = 1; d < w->dimensions; polynomial += 2) {
		unsigned degree = 31 - (unsigned)__builtin_clz(polynomial);

		if (is_primitive(polynomial, degree))
			make_directions(&rng, polynomial, degree, w->directions[d++]);
	}
}

static int setup(struct workload_run *run, struct err *err)
{
	struct sobolqrng *w = run->state;
	module_t module = workload_module(run, "sobolqrng", err);
	buffer_t directions, numbers;
	uint32_t ctas = 1;
	int32_t points;

	w->points = workload_by_size(run, w->p.points, 8192, 100000);
	w->dimensions = workload_by_size(run, w->p.dimensions, 32, 100);
	make_all_directions(run);
	directions = workload_buffer(
		run, "directions", w->directions, w->dimensions * sizeof(*w->directions), err);
	numbers = workload_result(
		run, "numbers", NULL, (uint64_t)w->points * w->dimensions * sizeof(float), err);
	if (!module || !directions || !numbers)
		return -1;
	while (ctas * w->dimensions < ENOUGH_CTAS && ctas * THREADS < w->points)
		ctas *= 2;
	points = (int32_t)w->points;
	return workload_launch(run,
		&(struct launch){
			.module = module,
			.kernel = "sobolqrng",
			.grid = {ctas, w->dimensions, 1},
			.block = {THREADS, 1, 1},
			.args = (struct launch_arg[]){ARG_VAL(points), ARG_BUF(directions),
				ARG_BUF(numbers)},
			.nargs = 3,
		},
		err);
}

/* Every point of dimension d from the definition. */
static void reference(const struct sobolqrng *w, uint32_t d, float *out)
{
	for (uint32_t i = 0; i < w->points; i++) {
		uint32_t gray = i ^ i >> 1, x = 0;

		for (; gray; gray &= gray - 1)
			x ^= w->directions[d][low_bit(gray)];
		out[i] = (float)x * 0x1p-32f;
	}
}

static int check(struct workload_run *run, struct err *err)
{
	const struct sobolqrng *w = run->state;
	size_t n = (size_t)w->points * w->dimensions;
	float *expected = arena_alloc(run->arena, n, sizeof(*expected));
	struct tolerance exact = {.why = "one rounding, in kernel and reference alike"};

	for (uint32_t d = 0; d < w->dimensions; d++)
		reference(w, d, expected + (size_t)d * w->points);
	return workload_check_f32(run, expected, n, exact, err);
}

static const struct workload_foreign foreign[] = {
	FOREIGN("sdk2.2/sobol_gpu.ptx", "sobolqrng", "_Z15sobolGPU_kerneljjPjPf", "0 grid.y 1 2"),
	{.file = NULL},
};

static const struct workload_ops ops = {
	.computes = "A Sobol sequence: points in many dimensions, in Gray-code order.",
	.source = "CUDA SDK, SobolQRNG (Bratley and Fox, TOMS 1988)",
	.setup = setup,
	.check = check,
	.foreign = foreign,
};

const struct plugin sobolqrng_workload = {
	.kind = "workload",
	.name = "sobolqrng",
	.text = "Quasi-random numbers: integer arithmetic and a stream of stores.",
	.path = "sobolqrng",
	.size = sizeof(struct sobolqrng),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
