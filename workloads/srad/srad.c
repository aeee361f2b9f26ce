/* srad: speckle reduction in a synthetic ultrasound image, two kernels an iteration; the host
 * measures the speckle between iterations. */
#include "workloads/workload.h"

#include <math.h>

/* As in srad.cu. */
#define TILE 16u

/* The homogeneous region in which the speckle is measured: its first and last row and column. */
#define FIRST 0u
#define LAST 63u

#define STEP 0.5

#define PARAMS(P, T) \
	P(T, UINT, n, 0, 0, 8192, "pixels", \
		"Rows and columns of the image, a multiple of 16, 64 or more; 0 = by size: " \
		"128 at small, 2048 at full.") \
	P(T, UINT, iterations, 2, 1, 1000, "iterations", "Iterations, two launches each.")

struct srad {
	struct {
		PARAMS(PARAM_FIELD, srad)
	} p;
	uint32_t n;
	uint64_t done;
	float *image; /* n x n, before the first iteration */
	float *now;   /* n x n, before the present one */
	module_t module;
	buffer_t d_slopes[4]; /* east, west, north, south */
	buffer_t d_coefficients;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, srad)};

/* Two discs on a ground, all under speckle: intensities are multiplied with noise. */
static void make_image(struct workload_run *run)
{
	struct srad *w = run->state;
	struct rng rng = rng_new(run->seed, 0);
	double n = (double)w->n;

	w->image = arena_alloc(run->arena, (size_t)w->n * w->n, sizeof(float));
	for (uint32_t y = 0; y < w->n; y++)
		for (uint32_t x = 0; x < w->n; x++) {
			double u = x / n - 0.72, v = y / n - 0.75;
			double square = u * u + v * v;
			double level = square < 0.02 ? 2.2 : square < 0.05 ? 1.7 : 1.3;

			w->image[(size_t)y * w->n + x] =
				(float)(level * (0.75 + 0.5 * rng_unit(&rng)));
		}
}

/* The squared coefficient of variation in the homogeneous region of an image. */
static float measure_speckle(const float *image, uint32_t columns)
{
	double sum = 0.0, squares = 0.0, count = (LAST - FIRST + 1.0) * (LAST - FIRST + 1.0), mean;

	for (uint32_t y = FIRST; y <= LAST; y++)
		for (uint32_t x = FIRST; x <= LAST; x++) {
			double value = (double)image[(size_t)y * columns + x];

			sum += value;
			squares += value * value;
		}
	mean = sum / count;
	return (float)((squares / count - mean * mean) / (mean * mean));
}

static int launch(struct workload_run *run, const char *kernel, const float *last, struct err *err)
{
	const struct srad *w = run->state;
	int32_t n = (int32_t)w->n;

	return workload_launch(run,
		&(struct launch){
			.module = w->module,
			.kernel = kernel,
			.grid = {w->n / TILE, w->n / TILE, 1},
			.block = {TILE, TILE, 1},
			.args = (struct launch_arg[]){ARG_BUF(w->d_slopes[0]),
				ARG_BUF(w->d_slopes[1]), ARG_BUF(w->d_slopes[2]),
				ARG_BUF(w->d_slopes[3]), ARG_BUF(run->result),
				ARG_BUF(w->d_coefficients), ARG_VAL(n), ARG_VAL(n), ARG_VAL(*last)},
			.nargs = 9,
		},
		err);
}

static int iterate(struct workload_run *run, const float *image, struct err *err)
{
	struct srad *w = run->state;
	float speckle = measure_speckle(image, w->n), step = (float)STEP;

	w->done++;
	if (launch(run, "srad_coefficients", &speckle, err))
		return -1;
	return launch(run, "srad_diffuse", &step, err);
}

static int setup(struct workload_run *run, struct err *err)
{
	static const char *const names[4] = {
		"east slopes", "west slopes", "north slopes", "south slopes"};
	struct srad *w = run->state;
	size_t bytes;

	w->n = workload_by_size(run, w->p.n, 128, 2048);
	if (w->n % TILE || w->n <= LAST)
		return err_add(err, ERR_INPUT, "srad.n = %u: must be a multiple of %u, %u or more",
			w->n, TILE, LAST + 1);
	make_image(run);
	w->now = arena_alloc(run->arena, (size_t)w->n * w->n, sizeof(float));
	bytes = (size_t)w->n * w->n * sizeof(float);
	w->module = workload_module(run, "srad", err);
	for (unsigned k = 0; k < 4; k++) {
		w->d_slopes[k] = workload_buffer(run, names[k], NULL, bytes, err);
		if (!w->d_slopes[k])
			return -1;
	}
	w->d_coefficients = workload_buffer(run, "coefficients", NULL, bytes, err);
	workload_result(run, "image", w->image, bytes, err);
	if (!w->module || !w->d_coefficients || !run->result)
		return -1;
	return iterate(run, w->image, err);
}

static int advance(struct workload_run *run, struct err *err)
{
	struct srad *w = run->state;

	if (w->done == w->p.iterations)
		return 0;
	gpu_read(run->gpu, run->result, 0, w->now, (size_t)w->n * w->n * sizeof(float));
	return iterate(run, w->now, err) ? -1 : 1;
}

/* An image in double, with its coefficients and the inflow into every pixel. */
struct field {
	size_t n;
	double *image, *coefficients, *inflow;
};

static double reference_speckle(const struct field *f)
{
	double count = (LAST - FIRST + 1.0) * (LAST - FIRST + 1.0), mean = 0.0, variance = 0.0;

	for (size_t y = FIRST; y <= LAST; y++)
		for (size_t x = FIRST; x <= LAST; x++)
			mean += f->image[y * f->n + x] / count;
	for (size_t y = FIRST; y <= LAST; y++)
		for (size_t x = FIRST; x <= LAST; x++)
			variance += pow(f->image[y * f->n + x] - mean, 2.0) / count;
	return variance / (mean * mean);
}

/* Pixel (x, y), or the nearest one in the image. */
static double at(const struct field *f, const double *values, long x, long y)
{
	long last = (long)f->n - 1;

	x = x < 0 ? 0 : x > last ? last : x;
	y = y < 0 ? 0 : y > last ? last : y;
	return values[(size_t)y * f->n + (size_t)x];
}

/* Yu and Acton's equations (31), (33) and (35): the instantaneous coefficient of variation and what
 * follows from it. */
static double reference_coefficient(const struct field *f, long x, long y, double speckle)
{
	double here = at(f, f->image, x, y), gradient = 0.0, laplacian = -4.0, variation, c;
	double neighbours[4] = {at(f, f->image, x - 1, y), at(f, f->image, x + 1, y),
		at(f, f->image, x, y - 1), at(f, f->image, x, y + 1)};

	for (unsigned k = 0; k < 4; k++) {
		gradient += pow(neighbours[k] / here - 1.0, 2.0);
		laplacian += neighbours[k] / here;
	}
	variation =
		(gradient / 2.0 - laplacian * laplacian / 16.0) / pow(1.0 + laplacian / 4.0, 2.0);
	c = 1.0 / (1.0 + (variation - speckle) / (speckle * (1.0 + speckle)));
	return c < 0.0 ? 0.0 : c > 1.0 ? 1.0 : c;
}

/* The flow over an edge goes by the coefficient of its eastern or southern pixel. */
static double reference_inflow(const struct field *f, long x, long y)
{
	const double *image = f->image, *c = f->coefficients;
	double here = at(f, image, x, y);

	return at(f, c, x, y) * (at(f, image, x - 1, y) + at(f, image, x, y - 1) - 2.0 * here) +
	       at(f, c, x + 1, y) * (at(f, image, x + 1, y) - here) +
	       at(f, c, x, y + 1) * (at(f, image, x, y + 1) - here);
}

static void reference_iteration(const struct field *f)
{
	double speckle = reference_speckle(f);
	long n = (long)f->n;

	for (long y = 0; y < n; y++)
		for (long x = 0; x < n; x++)
			f->coefficients[y * n + x] = reference_coefficient(f, x, y, speckle);
	for (long y = 0; y < n; y++)
		for (long x = 0; x < n; x++)
			f->inflow[y * n + x] = reference_inflow(f, x, y);
	for (size_t i = 0; i < f->n * f->n; i++)
		f->image[i] += STEP / 4.0 * f->inflow[i];
}

/* An iteration's error, in units of F32_ROUNDING with pixels below 4: 4 from the last addition; 28
 * from slopes and coefficients. A coefficient's error is divided by the squared speckle, but it
 * multiplies slopes that are as small as the speckle, or it is cut off at 1. Diffusion does not
 * amplify errors. */
static int check(struct workload_run *run, struct err *err)
{
	const struct srad *w = run->state;
	size_t pixels = (size_t)w->n * w->n;
	struct field f = {
		.n = w->n,
		.image = arena_alloc(run->arena, pixels, sizeof(double)),
		.coefficients = arena_alloc(run->arena, pixels, sizeof(double)),
		.inflow = arena_alloc(run->arena, pixels, sizeof(double)),
	};
	float *expected = arena_alloc(run->arena, pixels, sizeof(*expected));
	struct tolerance tolerance = {
		.abs = (double)w->p.iterations * 32 * F32_ROUNDING,
		.why = "roundings of each iteration at pixels below 4",
	};

	for (size_t i = 0; i < pixels; i++)
		f.image[i] = (double)w->image[i];
	for (uint64_t k = 0; k < w->p.iterations; k++)
		reference_iteration(&f);
	for (size_t i = 0; i < pixels; i++)
		expected[i] = (float)f.image[i];
	return workload_check_f32(run, expected, pixels, tolerance, err);
}

static const char *const variants[] = {"srad.n=64 srad.iterations=1", NULL};

static const struct workload_foreign foreign[] = {
	FOREIGN("rodinia/srad.ptx", "srad_coefficients", "_Z11srad_cuda_1PfS_S_S_S_S_iif", NULL),
	FOREIGN("rodinia/srad.ptx", "srad_diffuse", "_Z11srad_cuda_2PfS_S_S_S_S_iiff",
		"0 1 2 3 4 5 6 7 8 8"),
	{.file = NULL},
};

static const struct workload_ops ops = {
	.computes = "Speckle reduction in an image, two kernels an iteration.",
	.source = "Rodinia, srad (Che et al., IISWC 2009; Yu and Acton, IEEE TIP 2002)",
	.setup = setup,
	.advance = advance,
	.check = check,
	.variants = variants,
	.foreign = foreign,
};

const struct plugin srad_workload = {
	.kind = "workload",
	.name = "srad",
	.text = "Anisotropic diffusion: stencils with divisions, much shared memory.",
	.path = "srad",
	.size = sizeof(struct srad),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
