/* fastwalshtransform: a dyadic convolution by fast Walsh transforms. */
#include "workloads/workload.h"

#include <math.h>

#define LOG2_KERNEL 7
#define KERNEL_VALUES (1u << LOG2_KERNEL)

/* Longer vectors are quartered by steps over global memory. */
#define LOG2_SHARED 11
#define STEP_THREADS 256u
#define MODULATE_THREADS 256u
#define MODULATE_CTAS 128u

#define PARAMS(P, T) \
	P(T, UINT, log2n, 0, 0, 23, "", \
		"Base-2 logarithm of the data's length, at least 7, the kernel's; 0 = by size: 15 at " \
		"small, 21 at full. The SDK's is 23; with 22, CTAs would have half its threads.") \
	P(T, BOOL, together, false, 0, 1, "", \
		"Data and kernel are transformed by the same launches, as two vectors.")

struct fastwalshtransform {
	struct {
		PARAMS(PARAM_FIELD, fastwalshtransform)
	} p;
	uint32_t log2n, n;
	float *data, *kernel;
	module_t module;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, fastwalshtransform)};

/* The buffer has both vectors, one behind the other. */
enum vector { DATA, KERNEL, VECTORS };

static struct launch_arg vector_arg(const struct workload_run *run, enum vector vector)
{
	const struct fastwalshtransform *w = run->state;
	struct launch_arg arg = ARG_BUF(run->result);

	arg.offset = (uint64_t)vector * w->n * sizeof(float);
	return arg;
}

/* Vectors that their spectra replace. */
struct batch {
	enum vector first;
	uint32_t count;
};

static int launch_step(struct workload_run *run, struct batch b, uint32_t part, struct err *err)
{
	const struct fastwalshtransform *w = run->state;
	struct launch_arg vectors = vector_arg(run, b.first);
	uint32_t stride = part / 4;

	return workload_launch(run,
		&(struct launch){
			.module = w->module,
			.kernel = "walsh_step",
			.grid = {w->n / (4 * STEP_THREADS), b.count, 1},
			.block = {STEP_THREADS, 1, 1},
			.args = (struct launch_arg[]){vectors, vectors, ARG_VAL(stride)},
			.nargs = 3,
		},
		err);
}

/* Steps until the parts fit into shared memory, then a CTA a part. */
static int transform(struct workload_run *run, struct batch b, struct err *err)
{
	const struct fastwalshtransform *w = run->state;
	struct launch_arg vectors = vector_arg(run, b.first);
	uint32_t log2_part = w->log2n, part;

	for (; log2_part > LOG2_SHARED; log2_part -= 2)
		if (launch_step(run, b, 1u << log2_part, err))
			return -1;
	part = 1u << log2_part;
	return workload_launch(run,
		&(struct launch){
			.module = w->module,
			.kernel = "walsh_shared",
			.grid = {w->n / part * b.count, 1, 1},
			.block = {part / 4, 1, 1},
			.shared_bytes = part * (uint32_t)sizeof(float),
			.args = (struct launch_arg[]){vectors, vectors, ARG_VAL(log2_part)},
			.nargs = 3,
		},
		err);
}

static int modulate(struct workload_run *run, struct err *err)
{
	const struct fastwalshtransform *w = run->state;

	return workload_launch(run,
		&(struct launch){
			.module = w->module,
			.kernel = "modulate",
			.grid = {MODULATE_CTAS, 1, 1},
			.block = {MODULATE_THREADS, 1, 1},
			.args = (struct launch_arg[]){vector_arg(run, DATA),
				vector_arg(run, KERNEL), ARG_VAL(w->n)},
			.nargs = 3,
		},
		err);
}

static int launch_all(struct workload_run *run, struct err *err)
{
	const struct fastwalshtransform *w = run->state;

	if (transform(run, (struct batch){DATA, w->p.together ? VECTORS : 1}, err))
		return -1;
	if (!w->p.together && transform(run, (struct batch){KERNEL, 1}, err))
		return -1;
	if (modulate(run, err))
		return -1;
	return transform(run, (struct batch){DATA, 1}, err);
}

static int setup(struct workload_run *run, struct err *err)
{
	struct fastwalshtransform *w = run->state;
	uint64_t bytes;

	w->log2n = workload_by_size(run, w->p.log2n, 15, 21);
	if (w->log2n < LOG2_KERNEL)
		return err_add(err, ERR_INPUT,
			"fastwalshtransform.log2n = %u: must be at least %d, the kernel's",
			w->log2n, LOG2_KERNEL);
	w->n = 1u << w->log2n;
	bytes = (uint64_t)w->n * sizeof(float);
	w->data = workload_random_f32(run, 0, w->n, 0.0, 1.0);
	w->kernel = workload_random_f32(run, 1, KERNEL_VALUES, 0.0, 1.0);
	w->module = workload_module(run, "fastwalshtransform", err);
	workload_result(run, "vectors", NULL, VECTORS * bytes, err);
	if (!w->module || !run->result)
		return -1;
	gpu_write(run->gpu, run->result, 0, w->data, bytes);
	gpu_write(run->gpu, run->result, bytes, w->kernel, KERNEL_VALUES * sizeof(float));
	return launch_all(run, err);
}

/* ---- the reference, by definition, in double */

static void convolve(const struct fastwalshtransform *w, float *out)
{
	for (uint32_t i = 0; i < w->n; i++) {
		double sum = 0;

		for (uint32_t j = 0; j < KERNEL_VALUES; j++)
			sum += (double)w->data[i ^ j] * (double)w->kernel[j];
		out[i] = (float)sum;
	}
}

static void kernel_spectrum(const struct fastwalshtransform *w, float *out)
{
	for (uint32_t i = 0; i < w->n; i++) {
		double sum = 0;

		for (uint32_t j = 0; j < KERNEL_VALUES; j++)
			sum += __builtin_parity(i & j) ? -(double)w->kernel[j]
						       : (double)w->kernel[j];
		out[i] = (float)sum;
	}
}

static double norm(const float *x, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (double)x[i] * (double)x[i];
	return sqrt(sum);
}

/* A step rounds every value once: a transform's error is log2n roundings, relative to the norm of
 * the spectrum, which is sqrt(n) times the vector's. Both spectra have such errors. By the
 * inequality of Cauchy and Schwarz the magnitudes of their products / n sum up to the product of
 * the vectors' norms at most; so they bound each value while it is transformed back, which rounds
 * log2n times more. Modulation and the reference round a few times. The kernel's own spectrum is
 * sums of its values, whose error is below that. */
static int check(struct workload_run *run, struct err *err)
{
	const struct fastwalshtransform *w = run->state;
	float *expected = arena_alloc(run->arena, VECTORS * (size_t)w->n, sizeof(*expected));
	struct tolerance tolerance = {
		.abs = (3 * w->log2n + 4) * norm(w->data, w->n) * norm(w->kernel, KERNEL_VALUES) *
		       F32_ROUNDING,
		.why = "one rounding a step of three transforms, relative to the vectors' norms",
	};

	convolve(w, expected);
	kernel_spectrum(w, expected + w->n);
	return workload_check_f32(run, expected, VECTORS * (size_t)w->n, tolerance, err);
}

/* Nothing but shared memory, and threads of modulate without a value; an even logarithm, two
 * vectors, and several values for each of those threads. */
static const char *const variants[] = {"fastwalshtransform.log2n=9",
	"fastwalshtransform.log2n=16 fastwalshtransform.together=true", NULL};

static const struct workload_foreign foreign[] = {
	FOREIGN("sdk2.2/fastWalshTransform.ptx", "walsh_step", "_Z15fwtBatch2KernelPfS_i", NULL),
	FOREIGN("sdk2.2/fastWalshTransform.ptx", "walsh_shared", "_Z15fwtBatch1KernelPfS_i", NULL),
	FOREIGN("sdk2.2/fastWalshTransform.ptx", "modulate", "_Z14modulateKernelPfS_i", NULL),
	{.file = NULL},
};

static const struct workload_ops ops = {
	.computes = "The dyadic convolution of two vectors, by Walsh-Hadamard transforms.",
	.source = "CUDA SDK 2.2, fastWalshTransform (Arndt, Matters Computational, 2010)",
	.setup = setup,
	.check = check,
	.variants = variants,
	.foreign = foreign,
};

const struct plugin fastwalshtransform_workload = {
	.kind = "workload",
	.name = "fastwalshtransform",
	.text = "Butterflies over global, then shared memory, a barrier a step.",
	.path = "fastwalshtransform",
	.size = sizeof(struct fastwalshtransform),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
