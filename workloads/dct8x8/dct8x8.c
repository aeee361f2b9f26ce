/* dct8x8: an image to cosine coefficients, quantised, and back (Ahmed, Natarajan and Rao, 1974). */
#include "workloads/workload.h"

#include <math.h>

#define N 8u
#define THREADS 64u
/* What quality 50 of JPEG's reference encoder means: ITU-T T.81, table K.1. */
#define QUANTISERS \
	16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, \
		69, 56, 14, 17, 22, 29, 51, 87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, \
		55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, \
		100, 103, 99

#define PARAMS(P, T) \
	P(T, UINT, n, 0, 0, 4096, "pixels", \
		"Rows and columns of the image, a multiple of 128; 0 = by size: 256 at " \
		"small, 512 (the SDK's) at full.")

enum stage { COEFFICIENTS, QUANTISED, RESTORED, STAGES };

struct dct8x8 {
	struct {
		PARAMS(PARAM_FIELD, dct8x8)
	} p;
	uint32_t n;
	float *image;
	module_t module;
	unsigned stage; /* of the SDK's kernels: how many are done */
	buffer_t d_image, half, coefficients, quantised, restored;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, dct8x8)};

static const float quantisers[N * N] = {QUANTISERS};

/* Grey levels of 8 bits less 128: waves of some lengths in some directions, and noise. */
static void draw_image(struct workload_run *run)
{
	struct dct8x8 *w = run->state;
	struct rng rng = rng_new(run->seed, 0);

	w->image = arena_alloc(run->arena, (size_t)w->n * w->n, sizeof(*w->image));
	for (uint32_t y = 0; y < w->n; y++) {
		for (uint32_t x = 0; x < w->n; x++) {
			double wave = 40 * sin(x * 0.31 + y * 0.17) + 30 * cos(x * 0.07 - y * 0.43);
			double grey = floor(wave + 110 * (rng_unit(&rng) - 0.5));

			w->image[(size_t)y * w->n + x] = (float)fmax(-128, fmin(127, grey));
		}
	}
}

static int launch_rows(
	struct workload_run *run, const char *kernel, buffer_t from, buffer_t to, struct err *err)
{
	const struct dct8x8 *w = run->state;

	return workload_launch(run,
		&(struct launch){
			.module = w->module,
			.kernel = kernel,
			.grid = {w->n * w->n / (2 * N) / THREADS, 1, 1},
			.block = {THREADS, 1, 1},
			.args = (struct launch_arg[]){ARG_BUF(from), ARG_BUF(to)},
			.nargs = 2,
		},
		err);
}

static int launch_columns(
	struct workload_run *run, const char *kernel, buffer_t from, buffer_t to, struct err *err)
{
	const struct dct8x8 *w = run->state;
	int32_t columns = (int32_t)w->n;

	return workload_launch(run,
		&(struct launch){
			.module = w->module,
			.kernel = kernel,
			.grid = {w->n / (2 * THREADS), w->n / N, 1},
			.block = {THREADS, 1, 1},
			.args = (struct launch_arg[]){ARG_BUF(from), ARG_BUF(to), ARG_VAL(columns)},
			.nargs = 3,
		},
		err);
}

static int launch_quantise(struct workload_run *run, struct err *err)
{
	const struct dct8x8 *w = run->state;
	int32_t columns = (int32_t)w->n;

	return workload_launch(run,
		&(struct launch){
			.module = w->module,
			.kernel = "quantise",
			.grid = {w->n / N, w->n / N, 1},
			.block = {N, N, 1},
			.args = (struct launch_arg[]){ARG_BUF(w->coefficients),
				ARG_BUF(w->quantised), ARG_VAL(columns)},
			.nargs = 3,
		},
		err);
}

/* The SDK's kernels overwrite the image; a CTA takes 4 x 2 blocks, one to quantise. Their own
 * quantisers are others. */
static int launch_in_place(struct workload_run *run, struct err *err)
{
	static const char *const kernels[STAGES] = {"dct", "quantise", "idct"};
	const struct dct8x8 *w = run->state;
	bool alone = w->stage == QUANTISED;
	int32_t columns = (int32_t)w->n;

	return workload_launch(run,
		&(struct launch){
			.module = w->module,
			.kernel = kernels[w->stage],
			.grid = {w->n / N / (alone ? 1 : 4), w->n / N / (alone ? 1 : 2), 1},
			.block = {N, alone ? N : 4, alone ? 1 : 2},
			.args = (struct launch_arg[]){ARG_BUF(w->d_image), ARG_VAL(columns)},
			.nargs = 2,
		},
		err);
}

static int set_up_in_place(struct workload_run *run, struct err *err)
{
	buffer_t table = workload_variable(run, "quantisers", sizeof(int16_t) * N * N, err);
	int16_t values[N * N];

	if (!table)
		return -1;
	for (unsigned i = 0; i < N * N; i++)
		values[i] = (int16_t)quantisers[i];
	gpu_write(run->gpu, table, 0, values, sizeof(values));
	return launch_in_place(run, err);
}

/* Keeps for the check what a kernel left in the image's buffer. */
static int next_in_place(struct workload_run *run, struct err *err)
{
	struct dct8x8 *w = run->state;
	size_t cells = (size_t)w->n * w->n;
	buffer_t to[STAGES] = {w->coefficients, w->quantised, w->restored};
	float *values;

	if (!run->foreign)
		return 0;
	values = arena_alloc(run->arena, cells, sizeof(*values));
	gpu_read(run->gpu, w->d_image, 0, values, cells * sizeof(*values));
	gpu_write(run->gpu, to[w->stage++], 0, values, cells * sizeof(*values));
	if (w->stage == STAGES)
		return 0;
	return launch_in_place(run, err) ? -1 : 1;
}

static int make_buffers(struct workload_run *run, struct err *err)
{
	struct dct8x8 *w = run->state;
	size_t bytes = (size_t)w->n * w->n * sizeof(float);

	w->d_image = workload_buffer(run, "image", w->image, bytes, err);
	w->half = workload_buffer(run, "half", NULL, bytes, err);
	w->coefficients = workload_buffer(run, "coefficients", NULL, bytes, err);
	w->quantised = workload_buffer(run, "quantised", NULL, bytes, err);
	w->restored = workload_result(run, "restored", NULL, bytes, err);
	if (!w->d_image || !w->half || !w->coefficients || !w->quantised || !w->restored)
		return -1;
	return 0;
}

static int setup(struct workload_run *run, struct err *err)
{
	struct dct8x8 *w = run->state;

	w->n = workload_by_size(run, w->p.n, 256, 512);
	if (w->n % (2 * THREADS))
		return err_add(err, ERR_INPUT, "dct8x8.n = %u: must be a multiple of %u", w->n,
			2 * THREADS);
	w->module = workload_module(run, "dct8x8", err);
	draw_image(run);
	if (!w->module || make_buffers(run, err))
		return -1;
	if (run->foreign)
		return set_up_in_place(run, err);
	if (launch_rows(run, "dct_rows", w->d_image, w->half, err))
		return -1;
	if (launch_columns(run, "dct_columns", w->half, w->coefficients, err))
		return -1;
	if (launch_quantise(run, err))
		return -1;
	if (launch_columns(run, "idct_columns", w->quantised, w->half, err))
		return -1;
	return launch_rows(run, "idct_rows", w->half, w->restored, err);
}

/* basis[k][i]: what coefficient k weighs value i with. */
static void make_basis(double basis[N][N])
{
	const double pi = 3.14159265358979323846;

	for (unsigned k = 0; k < N; k++)
		for (unsigned i = 0; i < N; i++)
			basis[k][i] = sqrt(k ? 0.25 : 0.125) * cos(pi * (2 * i + 1) * k / 16);
}

/* One block, element (v, u) of the result by its definition: the double sum over all 64 values
 * weighed with b[v][y] * b[u][x]. */
static void transform_block(
	double weight[N * N][N * N], const float *in, size_t columns, float *out)
{
	double value[N * N];

	for (unsigned i = 0; i < N * N; i++)
		value[i] = (double)in[i / N * columns + i % N];
	for (unsigned k = 0; k < N * N; k++) {
		double sum = 0.0;

		for (unsigned i = 0; i < N * N; i++)
			sum += weight[k][i] * value[i];
		out[k / N * columns + k % N] = (float)sum;
	}
}

/* All blocks; inverse: with the transposed basis. */
static void transform(const struct dct8x8 *w, bool inverse, const float *in, float *out)
{
	double b[N][N], weight[N * N][N * N];
	size_t n = w->n;

	make_basis(b);
	for (unsigned k = 0; k < N * N; k++)
		for (unsigned i = 0; i < N * N; i++)
			weight[k][i] = inverse ? b[i / N][k / N] * b[i % N][k % N]
					       : b[k / N][i / N] * b[k % N][i % N];
	for (size_t y = 0; y < n; y += N)
		for (size_t x = 0; x < n; x += N)
			transform_block(weight, in + y * n + x, n, out + y * n + x);
}

/* Compares another buffer than the run's result. */
static int check_buffer(struct workload_run *run, buffer_t buffer, const char *name,
	const float *expected, struct tolerance tolerance, struct err *err)
{
	const struct dct8x8 *w = run->state;
	int status;

	run->result = buffer;
	run->result_name = name;
	status = workload_check_f32(run, expected, (size_t)w->n * w->n, tolerance, err);
	run->result = w->restored;
	run->result_name = "restored";
	return status;
}

/* A block of 64 values below 128 has norm 1024, and no value or sum of a pass is larger. Two passes
 * of at most eight roundings each, the first's errors weighed with sqrt(8) at most. */
#define TRANSFORM_ERROR (8 * (1 + 2.83) * 1024 * F32_ROUNDING)

/* Each stage from what the one before it left on the device: a quantisation that falls to the other
 * side of a half is then no difference. */
static int check(struct workload_run *run, struct err *err)
{
	const struct dct8x8 *w = run->state;
	size_t cells = (size_t)w->n * w->n;
	float *expected = arena_alloc(run->arena, cells, sizeof(*expected));
	float *given = arena_alloc(run->arena, cells, sizeof(*given));
	struct tolerance exact = {.why = "roundings to nearest, in kernel and reference alike"};
	struct tolerance rounded = {
		.abs = TRANSFORM_ERROR, .why = "roundings of two passes over values below 1024"};

	transform(w, false, w->image, expected);
	if (check_buffer(run, w->coefficients, "coefficients", expected, rounded, err))
		return -1;
	gpu_read(run->gpu, w->coefficients, 0, given, cells * sizeof(*given));
	for (size_t i = 0; i < cells; i++) {
		float quantiser = quantisers[i / w->n % N * N + i % N],
		      level = given[i] / quantiser;

		/* halfway between two levels: to the even one, by the SDK away from 0 */
		expected[i] = (run->foreign ? roundf(level) : rintf(level)) * quantiser;
	}
	if (check_buffer(run, w->quantised, "quantised", expected, exact, err))
		return -1;
	transform(w, true, expected, given);
	return check_buffer(run, w->restored, "restored", given, rounded, err);
}

static const struct workload_foreign foreign[] = {
	FOREIGN("sdk2.2/dct8x8.ptx", "dct", "_Z14CUDAkernel2DCTPfi", NULL),
	FOREIGN("sdk2.2/dct8x8.ptx", "quantise", "_Z27CUDAkernelQuantizationFloatPfi", NULL),
	FOREIGN("sdk2.2/dct8x8.ptx", "idct", "_Z15CUDAkernel2IDCTPfi", NULL),
	FOREIGN("sdk2.2/dct8x8.ptx", "quantisers", "Q", NULL),
	{.file = NULL},
};

static const struct workload_ops ops = {
	.computes = "Cosine transform of 8x8 blocks, quantisation, inverse transform.",
	.fitted = "no shared memory, by MICRO 2012's table 1; the SDK's kernels have a tile of it",
	.source = "CUDA SDK, dct8x8 (Ahmed, Natarajan and Rao, 1974; ITU-T T.81)",
	.setup = setup,
	.advance = next_in_place,
	.check = check,
	.foreign = foreign,
};

const struct plugin dct8x8_workload = {
	.kind = "workload",
	.name = "dct8x8",
	.text = "Image blocks to the frequency domain and back, in registers.",
	.path = "dct8x8",
	.size = sizeof(struct dct8x8),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
