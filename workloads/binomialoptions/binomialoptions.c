/* binomialoptions: European call options on a recombining tree. */
#include "workloads/workload.h"

#include <float.h>
#include <math.h>

/* As in binomialoptions.cu. */
#define THREADS 256u
#define LEVELS 32u
#define ROW 2064u
#define MAX_OPTIONS 1024
#define MAX_STEPS 2048

/* The SDK's: a year's interest and volatility of all options. */
#define INTEREST 0.06
#define VOLATILITY 0.10

#define PARAMS(P, T) \
	P(T, UINT, options, 0, 0, MAX_OPTIONS, "options", \
		"Options, a CTA each; 0 = by size: 8 at small, 128 at full (the SDK's: 512).") \
	P(T, UINT, steps, 0, 0, MAX_STEPS, "steps", \
		"Steps of the tree, a multiple of 32; 0 = by size: 512 at small, 1024 at full; with " \
		"--ptx-dir 2048 (the SDK's).") \
	P(T, BOOL, double_precision, false, 0, 1, "", "Values of type double.")

/* As in binomialoptions.cu, in float and in double. */
struct option_float {
	float price, strike, step, up, down;
};

struct option {
	double price, strike, step, up, down;
};

struct binomialoptions {
	struct {
		PARAMS(PARAM_FIELD, binomialoptions)
	} p;
	uint32_t options, steps;
	struct option *option; /* as the kernel computes with them */
	buffer_t rows;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, binomialoptions)};

static struct option draw_option(const struct binomialoptions *w, struct rng *rng)
{
	double price = 5 + 25 * rng_unit(rng), strike = 1 + 99 * rng_unit(rng);
	double years = 0.25 + 9.75 * rng_unit(rng), step = years / w->steps;
	double growth = exp(INTEREST * step), up = exp(VOLATILITY * sqrt(step));
	double chance = (growth - 1 / up) / (up - 1 / up);

	return (struct option){
		.price = price,
		.strike = strike,
		.step = VOLATILITY * sqrt(step),
		.up = chance / growth,
		.down = (1 - chance) / growth,
	};
}

static struct option_float to_float(const struct option *o)
{
	return (struct option_float){
		(float)o->price, (float)o->strike, (float)o->step, (float)o->up, (float)o->down};
}

/* Draws the options and writes them into the kernel's constant memory; in float, the reference
 * takes the rounded ones. */
static int write_options(struct workload_run *run, struct err *err)
{
	struct binomialoptions *w = run->state;
	struct option_float *rounded = arena_alloc(run->arena, w->options, sizeof(*rounded));
	struct rng rng = rng_new(run->seed, 0);
	bool doubles = w->p.double_precision;
	uint64_t bytes = w->options * (doubles ? sizeof(*w->option) : sizeof(*rounded));
	buffer_t to = workload_variable(run, doubles ? "options_double" : "options", bytes, err);

	w->option = arena_alloc(run->arena, w->options, sizeof(*w->option));
	for (uint32_t i = 0; i < w->options; i++) {
		struct option o = draw_option(w, &rng);
		struct option_float f = to_float(&o);

		rounded[i] = f;
		w->option[i] = doubles ? o
				       : (struct option){(double)f.price, (double)f.strike,
						 (double)f.step, (double)f.up, (double)f.down};
	}
	if (!to)
		return -1;
	if (doubles)
		gpu_write(run->gpu, to, 0, w->option, w->options * sizeof(*w->option));
	else
		gpu_write(run->gpu, to, 0, rounded, w->options * sizeof(*rounded));
	return 0;
}

static int choose_sizes(struct workload_run *run, struct err *err)
{
	struct binomialoptions *w = run->state;
	bool fixed = run->ptx_dir;

	w->options = workload_by_size(run, w->p.options, 8, 128);
	w->steps = workload_by_size(
		run, w->p.steps, fixed ? MAX_STEPS : 512, fixed ? MAX_STEPS : 1024);
	if (w->steps % LEVELS)
		return err_add(err, ERR_INPUT,
			"binomialoptions.steps = %u: must be a multiple of %u", w->steps, LEVELS);
	if (fixed && w->steps != MAX_STEPS)
		return err_add(err, ERR_INPUT,
			"binomialoptions.steps = %u: the kernels of --ptx-dir have %u steps",
			w->steps, MAX_STEPS);
	return 0;
}

static int setup(struct workload_run *run, struct err *err)
{
	struct binomialoptions *w = run->state;
	module_t module = workload_module(run, "binomialoptions", err);
	bool doubles = w->p.double_precision;
	int32_t steps;

	if (!module || choose_sizes(run, err) || write_options(run, err))
		return -1;
	run->result_name = doubles ? "values_double" : "values";
	run->result = workload_variable(run, run->result_name, MAX_OPTIONS * sizeof(float), err);
	w->rows = workload_variable(run, doubles ? "rows_double" : "rows",
		(uint64_t)w->options * ROW * (doubles ? sizeof(double) : sizeof(float)), err);
	if (!run->result || !w->rows)
		return -1;
	steps = (int32_t)w->steps;
	return workload_launch(run,
		&(struct launch){
			.module = module,
			.kernel = doubles ? "binomial_double" : "binomial",
			.grid = {w->options, 1, 1},
			.block = {THREADS, 1, 1},
			.args = (struct launch_arg[]){ARG_VAL(steps)},
			.nargs = 1,
		},
		err);
}

/* ---- the reference, in double */

/* A row after some steps back, and the most that a kernel's differs, whose roundings are `u`. */
struct row {
	double u, *value, *error;
	uint32_t level;
};

/* A kernel rounds the exponent once, its exponential to 8 u, and two results. */
static void expire(struct row *r, const struct option *o)
{
	for (uint32_t i = 0; i <= r->level; i++) {
		double exponent = o->step * (2.0 * i - r->level);
		double price = o->price * exp(exponent);

		r->value[i] = fmax(price - o->strike, 0);
		r->error[i] = (price * (8 + 1 + fabs(exponent)) + r->value[i]) * r->u;
	}
}

/* Two roundings a step. Nothing cancels. */
static void step_back(struct row *r, const struct option *o)
{
	for (uint32_t i = 0; i < r->level; i++) {
		r->value[i] = o->up * r->value[i + 1] + o->down * r->value[i];
		r->error[i] =
			o->up * r->error[i + 1] + o->down * r->error[i] + 2 * r->u * r->value[i];
	}
	r->level--;
}

static int compare(struct workload_run *run, const struct row *r, uint32_t option, uint32_t i,
	double ours, struct err *err)
{
	if (fabs(ours - r->value[i]) <= r->error[i] + (double)FLT_MIN)
		return 0;
	return err_add(err, ERR_CHECK,
		"%s: option %u has %.9g at %u of step %u, the reference says %.9g and differs by "
		"at most %.3g (roundings)",
		run->result_name, option, ours, i, r->level, r->value[i], r->error[i]);
}

/* Element i of a buffer of the run's type. */
static double element(struct workload_run *run, buffer_t buffer, uint64_t i)
{
	const struct binomialoptions *w = run->state;
	double value;
	float rounded;

	if (w->p.double_precision) {
		gpu_read(run->gpu, buffer, i * sizeof(value), &value, sizeof(value));
		return value;
	}
	gpu_read(run->gpu, buffer, i * sizeof(rounded), &rounded, sizeof(rounded));
	return (double)rounded;
}

/* The kernel leaves in memory what it has after each 32 steps and does not overwrite: the end of
 * each such row. Elements behind the first row are still zero. */
static int check_option(struct workload_run *run, uint32_t option, struct row *r, struct err *err)
{
	const struct binomialoptions *w = run->state;
	uint64_t first = (uint64_t)option * ROW;

	for (uint32_t i = w->steps + 1; i < ROW; i++)
		if (element(run, w->rows, first + i) != 0)
			return err_add(err, ERR_CHECK, "%s: option %u has written behind its row",
				run->result_name, option);
	r->level = w->steps;
	expire(r, &w->option[option]);
	for (uint32_t i = w->steps;; i--) {
		if (r->level == i + LEVELS)
			for (uint32_t k = 0; k < LEVELS; k++)
				step_back(r, &w->option[option]);
		if (compare(run, r, option, i, element(run, w->rows, first + i), err))
			return -1;
		if (!i)
			return 0;
	}
}

static int check(struct workload_run *run, struct err *err)
{
	const struct binomialoptions *w = run->state;
	float ours[MAX_OPTIONS];
	struct row r = {.u = w->p.double_precision ? DBL_EPSILON : F32_ROUNDING,
		.value = arena_alloc(run->arena, w->steps + 1, sizeof(double)),
		.error = arena_alloc(run->arena, w->steps + 1, sizeof(double))};

	gpu_read(run->gpu, run->result, 0, ours, sizeof(ours));
	for (uint32_t i = 0; i < w->options; i++)
		if (check_option(run, i, &r, err))
			return -1;
	for (uint32_t i = 0; i < MAX_OPTIONS; i++) {
		float root = i < w->options ? (float)element(run, w->rows, (uint64_t)i * ROW) : 0;

		if (ours[i] != root)
			return err_add(err, ERR_CHECK, "%s[%u] is %.9g, the option's root is %.9g",
				run->result_name, i, (double)ours[i], (double)root);
	}
	return 0;
}

static const char *const variants[] = {
	"binomialoptions.steps=32",
	"binomialoptions.double_precision=true",
	"binomialoptions.double_precision=true binomialoptions.steps=32",
	NULL,
};

#define SM10(n, t, a) FOREIGN("sdk2.2/binomialOptions_SM10.ptx", n, t, a)
#define SM13(n, t, a) FOREIGN("sdk2.2/binomialOptions_SM13.ptx", n, t, a)

static const struct workload_foreign foreign[] = {
	SM10("binomial", "_Z21binomialOptionsKernelv", ""),
	SM10("options", "d_OptionData", NULL),
	SM10("values", "d_CallValue", NULL),
	SM10("rows", "d_CallBuffer", NULL),
	SM13("binomial_double", "_Z21binomialOptionsKernelv", ""),
	SM13("options_double", "d_OptionData", NULL),
	SM13("values_double", "d_CallValue", NULL),
	SM13("rows_double", "d_CallBuffer", NULL),
	{.file = NULL},
};

static const struct workload_ops ops = {
	.computes = "European call options by binomial trees, a CTA an option.",
	.source = "CUDA SDK, binomialOptions (Cox, Ross and Rubinstein, JFE 1979)",
	.setup = setup,
	.check = check,
	.variants = variants,
	.foreign = foreign,
};

const struct plugin binomialoptions_workload = {
	.kind = "workload",
	.name = "binomialoptions",
	.text = "Option prices on trees: shared memory and a barrier a step.",
	.path = "binomialoptions",
	.size = sizeof(struct binomialoptions),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
