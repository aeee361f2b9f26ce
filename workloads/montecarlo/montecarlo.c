/* montecarlo: European call options by sums over random paths of a stock's price. */
#include "workloads/workload.h"

#include <float.h>
#include <math.h>

/* As in montecarlo.cu. */
#define THREADS 256u
#define MAX_OPTIONS 1024

/* The launch that makes the samples. */
#define SAMPLE_CTAS 128u
#define SAMPLE_THREADS 128u

/* As many paths for each option, and an option gets several CTAs. */
#define PATHS_OF_CTAS 8192u

/* The SDK's: a year's interest and volatility of all options. */
#define INTEREST 0.06
#define VOLATILITY 0.10

#define PARAMS(P, T) \
	P(T, UINT, options, 0, 0, MAX_OPTIONS, "options", \
		"Options; 0 = by size: 16 at small, 256 (the SDK's) at full.") \
	P(T, UINT, paths, 0, 0, 1048576, "paths", \
		"Paths, the same for all options; 0 = by size: 20000 at small, 262144 (the SDK's) at " \
		"full. From 8192 for each option on an option has 16 CTAs or, of fewer than 16 " \
		"options, 64.") \
	P(T, BOOL, random, false, 0, 1, "", \
		"Samples of random numbers instead of evenly distributed ones.") \
	P(T, BOOL, double_precision, false, 0, 1, "", "Payoffs and sums of type double.")

/* As in montecarlo.cu, in float and in double. */
struct option_float {
	float price, strike, mean, deviation;
};

struct option {
	double price, strike, mean, deviation;
};

struct sums {
	double payoffs, squares;
};

struct montecarlo {
	struct {
		PARAMS(PARAM_FIELD, montecarlo)
	} p;
	uint32_t options, paths;
	uint32_t nsamples;     /* random: two more than paths, of 0 and 1, which are NaN */
	uint32_t ctas;         /* of an option */
	struct option *option; /* as the kernel computes with them */
	float *parts;          /* random numbers in [0, 1], or NULL */
	module_t module;
	buffer_t samples;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, montecarlo)};

/* The part of one whose sample is the i-th, in double. */
static double part(const struct montecarlo *w, uint32_t i)
{
	return w->parts ? (double)w->parts[i] : (i + 1.0) / (w->nsamples + 1.0);
}

static struct option draw_option(struct rng *rng)
{
	double price = 5 + 45 * rng_unit(rng), strike = 10 + 15 * rng_unit(rng);
	double years = 1 + 4 * rng_unit(rng);

	return (struct option){
		.price = price,
		.strike = strike,
		.mean = (INTEREST - 0.5 * VOLATILITY * VOLATILITY) * years,
		.deviation = VOLATILITY * sqrt(years),
	};
}

/* Draws the options and writes them into the kernel's constant memory; in float, the reference
 * takes the rounded ones. */
static int write_options(struct workload_run *run, struct err *err)
{
	struct montecarlo *w = run->state;
	struct option_float *rounded = arena_alloc(run->arena, w->options, sizeof(*rounded));
	struct rng rng = rng_new(run->seed, 0);
	bool doubles = w->p.double_precision;
	uint64_t bytes = w->options * (doubles ? sizeof(*w->option) : sizeof(*rounded));
	buffer_t to = workload_variable(run, doubles ? "options_double" : "options", bytes, err);

	w->option = arena_alloc(run->arena, w->options, sizeof(*w->option));
	for (uint32_t i = 0; i < w->options; i++) {
		struct option o = draw_option(&rng);
		struct option_float f = {
			(float)o.price, (float)o.strike, (float)o.mean, (float)o.deviation};

		rounded[i] = f;
		w->option[i] = doubles ? o
				       : (struct option){(double)f.price, (double)f.strike,
						 (double)f.mean, (double)f.deviation};
	}
	if (!to)
		return -1;
	if (doubles)
		gpu_write(run->gpu, to, 0, w->option, w->options * sizeof(*w->option));
	else
		gpu_write(run->gpu, to, 0, rounded, w->options * sizeof(*rounded));
	return 0;
}

/* ---- launches */

/* A kernel in the run's precision. */
struct kernel {
	const char *name, *name_double;
};

static int launch(
	struct workload_run *run, struct kernel kernel, struct launch launch, struct err *err)
{
	const struct montecarlo *w = run->state;

	launch.module = w->module;
	launch.kernel = w->p.double_precision ? kernel.name_double : kernel.name;
	return workload_launch(run, &launch, err);
}

static int make_samples(struct workload_run *run, struct err *err)
{
	const struct montecarlo *w = run->state;
	uint64_t none = 0;
	struct launch_arg parts = {
		.kind = ARG_BYTES, .bytes = &none, .size = run->address_bits / 8};

	if (w->parts) {
		buffer_t given = workload_buffer(
			run, "parts", w->parts, w->nsamples * sizeof(*w->parts), err);

		if (!given)
			return -1;
		parts = ARG_BUF(given);
	}
	return launch(run, (struct kernel){"inverse_normal", "inverse_normal_double"},
		(struct launch){.grid = {SAMPLE_CTAS, 1, 1},
			.block = {SAMPLE_THREADS, 1, 1},
			.args = (struct launch_arg[]){ARG_BUF(w->samples), parts,
				ARG_VAL(w->nsamples)},
			.nargs = 3},
		err);
}

static int launch_cta(struct workload_run *run, struct err *err)
{
	const struct montecarlo *w = run->state;
	int32_t paths = (int32_t)w->paths;

	return launch(run, (struct kernel){"option_of_cta", "option_of_cta_double"},
		(struct launch){.grid = {w->options, 1, 1},
			.block = {THREADS, 1, 1},
			.args = (struct launch_arg[]){ARG_BUF(w->samples), ARG_VAL(paths)},
			.nargs = 2},
		err);
}

static int launch_ctas(struct workload_run *run, struct err *err)
{
	const struct montecarlo *w = run->state;
	int32_t paths = (int32_t)w->paths, threads = (int32_t)(w->ctas * THREADS);
	size_t bytes = w->p.double_precision ? 16 : 8;
	buffer_t sums =
		workload_buffer(run, "sums", NULL, (size_t)threads * w->options * bytes, err);

	if (!sums)
		return -1;
	if (launch(run, (struct kernel){"option_of_ctas", "option_of_ctas_double"},
		    (struct launch){.grid = {w->ctas, w->options, 1},
			    .block = {THREADS, 1, 1},
			    .args = (struct launch_arg[]){ARG_BUF(sums), ARG_BUF(w->samples),
				    ARG_VAL(paths)},
			    .nargs = 3},
		    err))
		return -1;
	return launch(run, (struct kernel){"option_sums", "option_sums_double"},
		(struct launch){.grid = {w->options, 1, 1},
			.block = {THREADS, 1, 1},
			.args = (struct launch_arg[]){ARG_BUF(sums), ARG_VAL(threads)},
			.nargs = 2},
		err);
}

static void choose_sizes(struct workload_run *run)
{
	struct montecarlo *w = run->state;

	w->options = workload_by_size(run, w->p.options, 16, 256);
	w->paths = workload_by_size(run, w->p.paths, 20000, 262144);
	w->nsamples = w->paths;
	w->ctas = w->paths / w->options < PATHS_OF_CTAS ? 1 : w->options < 16 ? 64 : 16;
	if (!w->p.random)
		return;
	w->nsamples += 2;
	w->parts = workload_random_f32(run, 1, w->nsamples, 0x1p-20, 1.0);
	w->parts[w->paths] = 0;
	w->parts[w->paths + 1] = 1;
}

static int setup(struct workload_run *run, struct err *err)
{
	struct montecarlo *w = run->state;

	choose_sizes(run);
	w->module = workload_module(run, "montecarlo", err);
	if (!w->module || write_options(run, err))
		return -1;
	w->samples = workload_buffer(run, "samples", NULL, w->nsamples * sizeof(float), err);
	run->result_name = w->p.double_precision ? "values_double" : "values";
	run->result = workload_variable(run, run->result_name,
		w->options * (w->p.double_precision ? sizeof(struct sums) : 2 * sizeof(float)),
		err);
	if (!w->samples || !run->result || make_samples(run, err))
		return -1;
	return w->ctas == 1 ? launch_cta(run, err) : launch_ctas(run, err);
}

/* ---- the reference, in double */

static double below(double x)
{
	return 0.5 * erfc(-x * sqrt(0.5));
}

static double density(double x)
{
	return exp(-0.5 * x * x) * 0.3989422804014327;
}

/* The inverse of the normal distribution, by Newton's method from its middle. Beyond the middle the
 * distribution bends towards it, so that steps never pass the root. */
static double inverse_normal(double p)
{
	double lower = p < 0.5 ? p : 1 - p, x = 0, step;

	do {
		step = (below(x) - lower) / density(x);
		x -= step;
	} while (step > 1e-12);
	return p < 0.5 ? x : -x;
}

/* What rounding costs in float: up to 20 times the numerator and 30 times the denominator cancel in
 * Moro's fraction, in 14 roundings; a part near one is rounded, not its distance to it. In double
 * what is left is Moro's own error. */
static double sample_error(const struct montecarlo *w, double p, double x)
{
	double u = F32_ROUNDING, moro = 3e-9;

	if (w->p.double_precision)
		return moro + fabs(x) * u;
	return moro + fabs(x) * 400 * u + (w->parts ? 0 : 3 * p * u / density(x));
}

static int check_samples(struct workload_run *run, const float *samples, struct err *err)
{
	const struct montecarlo *w = run->state;

	for (uint32_t i = 0; i < w->nsamples; i++) {
		double p = part(w, i), x = 0, error = 0;
		bool defined = p > 0 && p < 1;

		if (defined) {
			x = inverse_normal(p);
			error = sample_error(w, p, x);
		}
		if (defined ? fabs((double)samples[i] - x) <= error : isnan(samples[i]))
			continue;
		return err_add(err, ERR_CHECK,
			"samples[%u] is %.9g, the reference says %.9g and differs by at most %.3g "
			"(roundings, and Moro's error)",
			i, (double)samples[i], defined ? x : (double)NAN, error);
	}
	return 0;
}

/* Sums over the paths that the samples on the device give, and the most that a kernel's differ. It
 * makes three roundings of the exponent, an exponential of up to 2^-22, or in double 2 ulp, and
 * two of results. */
static struct sums reference(const struct montecarlo *w, const struct option *o,
	const float *samples, struct sums *error)
{
	bool doubles = w->p.double_precision;
	double u = doubles ? DBL_EPSILON / 2 : F32_ROUNDING;
	double additions = doubles ? w->paths : w->paths / (THREADS * w->ctas) + w->ctas + 9;
	struct sums sum = {0};

	*error = (struct sums){0};
	for (uint32_t i = 0; i < w->paths; i++) {
		double gain = o->deviation * (double)samples[i];
		double terms = fabs(o->mean) + fabs(gain);
		double price = o->price * exp(o->mean + gain), payoff = fmax(price - o->strike, 0);
		double wrong = price * (3 * terms + 6) * u;

		sum.payoffs += payoff;
		sum.squares += payoff * payoff;
		error->payoffs += price + wrong > o->strike ? wrong : 0;
		error->squares += (2 * payoff + wrong) * wrong;
	}
	error->payoffs += sum.payoffs * (additions + 1) * u;
	error->squares += sum.squares * (additions + 3) * u;
	return sum;
}

static struct sums read_sums(struct workload_run *run, uint32_t i)
{
	const struct montecarlo *w = run->state;
	struct sums sums;
	float rounded[2];

	if (w->p.double_precision) {
		gpu_read(run->gpu, run->result, i * sizeof(sums), &sums, sizeof(sums));
		return sums;
	}
	gpu_read(run->gpu, run->result, i * sizeof(rounded), rounded, sizeof(rounded));
	return (struct sums){(double)rounded[0], (double)rounded[1]};
}

static int check(struct workload_run *run, struct err *err)
{
	const struct montecarlo *w = run->state;
	float *samples = arena_alloc(run->arena, w->nsamples, sizeof(*samples));

	gpu_read(run->gpu, w->samples, 0, samples, w->nsamples * sizeof(*samples));
	if (check_samples(run, samples, err))
		return -1;
	for (uint32_t i = 0; i < MAX_OPTIONS; i++) {
		struct sums error = {0}, theirs = {0}, ours = read_sums(run, i);

		if (i < w->options) /* else they are still zero */
			theirs = reference(w, &w->option[i], samples, &error);
		if (fabs(ours.payoffs - theirs.payoffs) <= error.payoffs &&
			fabs(ours.squares - theirs.squares) <= error.squares)
			continue;
		return err_add(err, ERR_CHECK,
			"%s[%u] is %.9g, %.9g, the reference says %.9g, %.9g and differs by at "
			"most %.3g, %.3g (roundings of sums of payoffs, and of their squares)",
			run->result_name, i, ours.payoffs, ours.squares, theirs.payoffs,
			theirs.squares, error.payoffs, error.squares);
	}
	return 0;
}

/* Fewer paths than threads, and more than threads that make samples; one CTA an option, and
 * several. */
static const char *const variants[] = {
	"montecarlo.paths=100",
	"montecarlo.options=1 montecarlo.paths=20000 montecarlo.random=true",
	"montecarlo.options=3 montecarlo.paths=20000 montecarlo.double_precision=true "
	"montecarlo.random=true",
	"montecarlo.options=1 montecarlo.paths=20000 montecarlo.double_precision=true",
	NULL,
};

#define SM10(n, t, a) FOREIGN("sdk2.2/MonteCarlo_SM10.ptx", n, t, a)
#define SM13(n, t, a) FOREIGN("sdk2.2/MonteCarlo_SM13.ptx", n, t, a)

static const struct workload_foreign foreign[] = {
	SM10("inverse_normal", "_Z16inverseCNDKernelPfS_j", NULL),
	SM10("option_of_cta", "_Z27MonteCarloOneBlockPerOptionPfi", NULL),
	SM10("option_of_ctas", "_Z16MonteCarloKernelP14__TOptionValuePfi", NULL),
	SM10("option_sums", "_Z16MonteCarloReduceP14__TOptionValuei", NULL),
	SM10("options", "d_OptionData", NULL),
	SM10("values", "d_CallValue", NULL),
	SM13("inverse_normal_double", "_Z16inverseCNDKernelPfS_j", NULL),
	SM13("option_of_cta_double", "_Z27MonteCarloOneBlockPerOptionPfi", NULL),
	SM13("option_of_ctas_double", "_Z16MonteCarloKernelP14__TOptionValuePfi", NULL),
	SM13("option_sums_double", "_Z16MonteCarloReduceP14__TOptionValuei", NULL),
	SM13("options_double", "d_OptionData", NULL),
	SM13("values_double", "d_CallValue", NULL),
	{.file = NULL},
};

static const struct workload_ops ops = {
	.computes = "European call options by Monte Carlo: normal samples, sums of payoffs.",
	.source = "CUDA SDK, MonteCarlo (Boyle, JFE 1977; Moro, Risk 1995)",
	.setup = setup,
	.check = check,
	.variants = variants,
	.foreign = foreign,
};

const struct plugin montecarlo_workload = {
	.kind = "workload",
	.name = "montecarlo",
	.text = "Option prices by random paths: exponentials, and a reduction at the end.",
	.path = "montecarlo",
	.size = sizeof(struct montecarlo),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
