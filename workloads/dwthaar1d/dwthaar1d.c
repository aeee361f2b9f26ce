/* dwthaar1d: Haar's wavelet transform of a whole signal, ten levels a launch. */
#include "workloads/workload.h"

#include <math.h>

/* As in dwthaar1d.cu. */
#define THREADS 512u

/* What the SDK's kernel keeps in shared memory: a word skipped in 16. */
#define SDK_SHARED_BYTES ((2 * THREADS + 2 * THREADS / 16) * sizeof(float))

#define PARAMS(P, T) \
	P(T, UINT, levels, 0, 0, 24, "levels", \
		"Levels: the signal has 2 to this power values; 0 = by size: 17 at small, 12 " \
		"(the SDK's) at full.")

struct dwthaar1d {
	struct {
		PARAMS(PARAM_FIELD, dwthaar1d)
	} p;
	uint32_t levels;
	float *signal;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, dwthaar1d)};

/* Queues one launch: n values of `signal`, ten levels or as many as there are. The SDK's kernel
 * takes the levels, half the length and the threads. */
static int launch(struct workload_run *run, module_t module, uint32_t n, buffer_t signal,
	buffer_t approximations, struct err *err)
{
	uint32_t threads = (uint32_t)min_u64(n / 2, THREADS);
	uint32_t levels = (uint32_t)__builtin_ctz(2 * threads), half = n / 2;
	int32_t length = (int32_t)n;

	return workload_launch(run,
		&(struct launch){
			.module = module,
			.kernel = "dwthaar1d",
			.grid = {n / 2 / threads, 1, 1},
			.block = {threads, 1, 1},
			.args = (struct launch_arg[]){ARG_BUF(signal), ARG_BUF(run->result),
				ARG_BUF(approximations), ARG_VAL(length), ARG_VAL(levels),
				ARG_VAL(half), ARG_VAL(threads)},
			.nargs = run->foreign ? 7 : 4,
		},
		err);
}

static int setup(struct workload_run *run, struct err *err)
{
	static const char *const names[2] = {"approximations", "approximations2"};
	struct dwthaar1d *w = run->state;
	module_t module = workload_module(run, "dwthaar1d", err);
	buffer_t signal, next;
	uint32_t n;

	w->levels = workload_by_size(run, w->p.levels, 17, 12);
	n = 1u << w->levels;
	w->signal = workload_random_f32(run, 0, n, -1.0, 1.0);
	signal = workload_buffer(run, "signal", w->signal, n * sizeof(float), err);
	if (!workload_result(run, "coefficients", NULL, n * sizeof(float), err) || !module ||
		!signal)
		return -1;
	for (unsigned k = 0; n > 1; k++) {
		bool last = n <= 2 * THREADS;

		next = last ? run->result
			    : workload_buffer(run, names[k & 1], NULL,
				      n / 2 / THREADS * sizeof(float), err);
		if (!next || launch(run, module, n, signal, next, err))
			return -1;
		signal = next;
		n = last ? 1 : n / 2 / THREADS;
	}
	return 0;
}

/* Coefficients as inner products with the wavelets, from sums over stretches of the signal:
 * sums[i] is the sum of its first i values. Returns a bound of magnitudes. */
static double reference(const struct dwthaar1d *w, double *sums, float *out)
{
	size_t n = (size_t)1 << w->levels;
	double largest = 1.0;

	sums[0] = 0.0;
	for (size_t i = 0; i < n; i++)
		sums[i + 1] = sums[i] + (double)w->signal[i];
	out[0] = (float)(sums[n] / sqrt((double)n));
	for (size_t i = 1; i < n; i++) {
		size_t level = (size_t)1 << (63 - (unsigned)__builtin_clzll(i));
		size_t length = n / level, start = (i - level) * length;
		double left = sums[start + length / 2] - sums[start];
		double right = sums[start + length] - sums[start + length / 2];

		out[i] = (float)((left - right) / sqrt((double)length));
		largest = fmax(largest, (fabs(left) + fabs(right)) / sqrt((double)length));
	}
	return largest;
}

static int check(struct workload_run *run, struct err *err)
{
	const struct dwthaar1d *w = run->state;
	size_t n = (size_t)1 << w->levels;
	float *expected = arena_alloc(run->arena, n, sizeof(*expected));
	double *sums = arena_alloc(run->arena, n + 1, sizeof(*sums));
	double largest = reference(w, sums, expected);
	struct tolerance tolerance = {
		.abs = 4 * (w->levels + 1) * largest * F32_ROUNDING,
		.why = "a sum, a product and a constant rounded in each level, weights of one",
	};

	return workload_check_f32(run, expected, n, tolerance, err);
}

static const struct workload_foreign foreign[] = {
	{.file = "sdk2.2/dwtHaar1D.ptx",
		.name = "dwthaar1d",
		.theirs = "_Z9dwtHaar1DPfS_S_jji",
		.arguments = "0 1 2 4 5 6",
		.shared_bytes = SDK_SHARED_BYTES},
	{.file = NULL},
};

static const struct workload_ops ops = {
	.computes = "Haar's averages and differences of a signal, all levels.",
	.source = "CUDA SDK, dwtHaar1D (Haar, 1910; Mallat, 1989)",
	.setup = setup,
	.check = check,
	.foreign = foreign,
};

const struct plugin dwthaar1d_workload = {
	.kind = "workload",
	.name = "dwthaar1d",
	.text = "Wavelet transform: fewer threads at work with each level.",
	.path = "dwthaar1d",
	.size = sizeof(struct dwthaar1d),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
