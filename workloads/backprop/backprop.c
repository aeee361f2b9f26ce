/* backprop: one training step of a perceptron with many inputs, 16 hidden units and one output. */
#include "workloads/workload.h"

#include <math.h>

/* As in backprop.cu. */
#define HIDDEN 16u
#define COLUMNS (HIDDEN + 1)
#define RATE 0.3
#define MOMENTUM 0.3

#define TARGET 0.1 /* the output that training aims at */

#define PARAMS(P, T) \
	P(T, UINT, n, 0, 0, 1048560, "inputs", \
		"Units of the input layer, a multiple of 16; 0 = by size: 4096 at small, " \
		"65536 at full.")

struct backprop {
	struct {
		PARAMS(PARAM_FIELD, backprop)
	} p;
	uint32_t n;
	float *input;             /* n + 1, input 0 is the bias */
	float *weights, *changes; /* (n + 1) x COLUMNS, before the step */
	float out_weights[COLUMNS];
	module_t module;
	buffer_t d_input, d_weights, d_changes, d_partial, d_errors;
	bool adjusted;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, backprop)};

static uint32_t ctas(const struct backprop *w)
{
	return w->n / HIDDEN;
}

static int launch(struct workload_run *run, const char *kernel, const struct launch_arg *args,
	unsigned nargs, struct err *err)
{
	const struct backprop *w = run->state;

	return workload_launch(run,
		&(struct launch){
			.module = w->module,
			.kernel = kernel,
			.grid = {1, ctas(w), 1},
			.block = {HIDDEN, HIDDEN, 1},
			.args = args,
			.nargs = nargs,
		},
		err);
}

/* Weights small enough for sums over all inputs to leave the hidden units undecided. */
static double weight_scale(const struct backprop *w)
{
	return 3.0 / sqrt((double)w->n);
}

static void make_inputs(struct workload_run *run)
{
	struct backprop *w = run->state;
	size_t cells = (size_t)(w->n + 1) * COLUMNS;
	double scale = weight_scale(w);
	float *out = workload_random_f32(run, 3, COLUMNS, 0.1, 1.0);

	w->input = workload_random_f32(run, 0, w->n + 1, 0.0, 1.0);
	w->input[0] = 1.0f;
	w->weights = workload_random_f32(run, 1, cells, -scale, scale);
	w->changes = workload_random_f32(run, 2, cells, -0.1 * scale, 0.1 * scale);
	for (uint32_t j = 0; j < COLUMNS; j++)
		w->out_weights[j] = out[j];
}

static int setup(struct workload_run *run, struct err *err)
{
	struct backprop *w = run->state;
	uint32_t hidden = HIDDEN;
	size_t bytes;

	w->n = workload_by_size(run, w->p.n, 4096, 65536);
	if (w->n % HIDDEN)
		return err_add(
			err, ERR_INPUT, "backprop.n = %u: must be a multiple of %u", w->n, HIDDEN);
	make_inputs(run);
	bytes = (size_t)(w->n + 1) * COLUMNS * sizeof(float);
	w->module = workload_module(run, "backprop", err);
	w->d_input = workload_buffer(run, "input", w->input, (w->n + 1) * sizeof(float), err);
	w->d_partial = workload_buffer(
		run, "partial sums", NULL, (size_t)ctas(w) * HIDDEN * sizeof(float), err);
	w->d_errors = workload_buffer(run, "errors", NULL, COLUMNS * sizeof(float), err);
	w->d_changes = workload_buffer(run, "changes", w->changes, bytes, err);
	w->d_weights = workload_result(run, "weights", w->weights, bytes, err);
	if (!w->module || !w->d_input || !w->d_partial || !w->d_errors || !w->d_changes ||
		!w->d_weights)
		return -1;
	return launch(run, "backprop_forward",
		(struct launch_arg[]){ARG_BUF(w->d_input), ARG_BUF(w->d_weights),
			ARG_BUF(w->d_partial), ARG_VAL(hidden)},
		4, err);
}

/* 1 / (1 + e^-x) without the C library, whose last bits differ from host to host. */
static double squash(double x)
{
	double y = -x / 1024.0,
	       power = 1.0 + y * (1.0 + y / 2.0 * (1.0 + y / 3.0 * (1.0 + y / 4.0)));

	for (unsigned i = 0; i < 10; i++)
		power *= power;
	return 1.0 / (1.0 + power);
}

/* From the partial sums of all CTAs to the errors of the hidden units. */
static void find_errors(struct workload_run *run, float errors[COLUMNS])
{
	struct backprop *w = run->state;
	size_t n = (size_t)ctas(w) * HIDDEN;
	float *partial = arena_alloc(run->arena, n, sizeof(*partial));
	double unit[COLUMNS] = {1.0}, sum[COLUMNS] = {0.0}, out = (double)w->out_weights[0], error;

	gpu_read(run->gpu, w->d_partial, 0, partial, n * sizeof(*partial));
	for (size_t i = 0; i < n; i++)
		sum[i % HIDDEN + 1] += (double)partial[i];
	for (uint32_t j = 1; j < COLUMNS; j++) {
		unit[j] = squash(sum[j] + (double)w->weights[j]);
		out += unit[j] * (double)w->out_weights[j];
	}
	out = squash(out);
	error = out * (1.0 - out) * (TARGET - out);
	errors[0] = 0.0f;
	for (uint32_t j = 1; j < COLUMNS; j++)
		errors[j] = (float)(unit[j] * (1.0 - unit[j]) * error * (double)w->out_weights[j]);
}

static int advance(struct workload_run *run, struct err *err)
{
	struct backprop *w = run->state;
	float errors[COLUMNS], rate = (float)RATE, momentum = (float)MOMENTUM;
	uint32_t hidden = HIDDEN;

	if (w->adjusted)
		return 0;
	w->adjusted = true;
	find_errors(run, errors);
	gpu_write(run->gpu, w->d_errors, 0, errors, sizeof(errors));
	/* Rodinia's first kernel leaves its sums where the weights were; its host does this. */
	if (run->foreign)
		gpu_write(run->gpu, w->d_weights, 0, w->weights,
			(size_t)(w->n + 1) * COLUMNS * sizeof(float));
	if (launch(run, "backprop_adjust",
		    (struct launch_arg[]){ARG_BUF(w->d_errors), ARG_BUF(w->d_input),
			    ARG_BUF(w->d_weights), ARG_BUF(w->d_changes), ARG_VAL(hidden),
			    ARG_VAL(rate), ARG_VAL(momentum)},
		    run->foreign ? 7 : 5, err))
		return -1;
	return 1;
}

/* Compares a buffer that is not the result. */
static int check_buffer(struct workload_run *run, buffer_t buffer, const char *name,
	const float *expected, struct tolerance tolerance, struct err *err)
{
	buffer_t result = run->result;
	const char *result_name = run->result_name;
	size_t n = gpu_buffer_bytes(run->gpu, buffer) / sizeof(float);
	int status;

	run->result = buffer;
	run->result_name = name;
	status = workload_check_f32(run, expected, n, tolerance, err);
	run->result = result;
	run->result_name = result_name;
	return status;
}

/* What a CTA's sum may be off by: 16 products below `scale`, a rounding of each, four levels of
 * sums, and the reference's own. */
static double partial_error(const struct backprop *w)
{
	return 6 * HIDDEN * weight_scale(w) * F32_ROUNDING;
}

/* Each CTA's sums, straight from the definition. Adds up the sums of all CTAs. */
static int check_partial(struct workload_run *run, double sums[COLUMNS], struct err *err)
{
	const struct backprop *w = run->state;
	float *expected = arena_alloc(run->arena, w->n, sizeof(*expected));
	struct tolerance tolerance = {
		.abs = partial_error(w), .why = "six roundings of sums of 16 products"};

	for (uint32_t cta = 0; cta < ctas(w); cta++)
		for (uint32_t j = 1; j < COLUMNS; j++) {
			double sum = 0.0;

			for (uint32_t i = cta * HIDDEN + 1; i <= (cta + 1) * HIDDEN; i++)
				sum += (double)w->input[i] * (double)w->weights[i * COLUMNS + j];
			expected[cta * HIDDEN + j - 1] = (float)sum;
			sums[j] += sum;
		}
	return check_buffer(run, w->d_partial, "partial sums", expected, tolerance, err);
}

/* The gradient at the hidden units, by the chain rule, from the sums that reach them. */
static void reference_errors(const struct backprop *w, const double *sums, double *errors)
{
	double hidden[COLUMNS], out = (double)w->out_weights[0];

	for (uint32_t j = 1; j < COLUMNS; j++) {
		hidden[j] = 0.5 + 0.5 * tanh(0.5 * (sums[j] + (double)w->weights[j]));
		out += hidden[j] * (double)w->out_weights[j];
	}
	out = 0.5 + 0.5 * tanh(0.5 * out);
	for (uint32_t j = 1; j < COLUMNS; j++)
		errors[j] = (TARGET - out) * out * (1.0 - out) * (double)w->out_weights[j] *
			    hidden[j] * (1.0 - hidden[j]);
}

/* With S for the error of a hidden unit's sum, the output's sum is off by 16/4 S, the output by S,
 * its error by 0.9 S, a hidden unit's by (0.25 * 0.9 + 0.1 * 0.25) S, a change by RATE of that.
 * Roundings: changes are below 0.1, weights below their scale. */
static int check(struct workload_run *run, struct err *err)
{
	const struct backprop *w = run->state;
	size_t cells = (size_t)(w->n + 1) * COLUMNS;
	float *changes = arena_alloc(run->arena, cells, sizeof(*changes));
	float *weights = arena_alloc(run->arena, cells, sizeof(*weights));
	double sums[COLUMNS] = {0.0}, errors[COLUMNS] = {0.0};
	struct tolerance tolerance = {
		.abs = RATE * 0.25 * ctas(w) * partial_error(w) +
		       (0.3 + weight_scale(w)) * F32_ROUNDING,
		.why = "errors of all CTAs' sums, carried to the weights, and a few roundings",
	};

	if (check_partial(run, sums, err))
		return -1;
	reference_errors(w, sums, errors);
	for (size_t i = 0; i < cells; i++) {
		double change = RATE * errors[i % COLUMNS] * (double)w->input[i / COLUMNS] +
				MOMENTUM * (double)w->changes[i];

		if (i % COLUMNS == 0)
			change = 0.0;
		changes[i] = i % COLUMNS ? (float)change : w->changes[i];
		weights[i] = (float)((double)w->weights[i] + change);
	}
	if (check_buffer(run, w->d_changes, "changes", changes, tolerance, err))
		return -1;
	return workload_check_f32(run, weights, cells, tolerance, err);
}

static const char *const variants[] = {"backprop.n=16", NULL};

static const struct workload_foreign foreign[] = {
	FOREIGN("rodinia/backprop_cuda.ptx", "backprop_forward",
		"_Z22bpnn_layerforward_CUDAPfS_S_S_ii", "0 2 1 2 grid.y 3"),
	FOREIGN("rodinia/backprop_cuda.ptx", "backprop_adjust",
		"_Z24bpnn_adjust_weights_cudaPfiS_iS_S_ff", "0 4 1 grid.y 2 3 5 6"),
	{.file = NULL},
};

static const struct workload_ops ops = {
	.computes = "One step: sums of weighted inputs, then new weights.",
	.source = "Rodinia, backprop (Che et al., IISWC 2009; Rumelhart et al., Nature 1986)",
	.setup = setup,
	.advance = advance,
	.check = check,
	.variants = variants,
	.foreign = foreign,
};

const struct plugin backprop_workload = {
	.kind = "workload",
	.name = "backprop",
	.text = "Perceptron training: a pass over all weights with a reduction, one without.",
	.path = "backprop",
	.size = sizeof(struct backprop),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
