/* nbody: gravity between all pairs of bodies of a small galaxy. */
#include "workloads/workload.h"

#include <math.h>

/* As in nbody.cu. */
#define SOFTENING 0.01 /* squared length */
#define DAMPING 0.995

#define TIME_STEP 0.016

#define PARAMS(P, T) \
	P(T, UINT, n, 0, 0, 131072, "bodies", \
		"Bodies, a multiple of threads; 0 = by size: 1024 at small, 16384 at full.") \
	P(T, UINT, threads, 0, 0, 512, "threads", \
		"Threads of a CTA, bodies of a tile, a multiple of 8; 0 = by size: 32 at " \
		"small (for CTAs on every SM), 256 at full.") \
	P(T, UINT, steps, 1, 1, 1000, "time steps", "Time steps, a launch each.")

struct nbody {
	struct {
		PARAMS(PARAM_FIELD, nbody)
	} p;
	uint32_t n, threads;
	float *positions, *velocities; /* n times x, y, z and mass, or 0 */
	buffer_t d_velocities;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, nbody)};

/* A ball of bodies of different masses, all together of mass 1; each moves at random. The SDK's
 * kernel takes a body's own mass for that of each other one: there, all are equal. */
static void make_bodies(struct workload_run *run)
{
	struct nbody *w = run->state;
	struct rng rng = rng_new(run->seed, 0);

	w->positions = arena_alloc(run->arena, 4 * (size_t)w->n, sizeof(float));
	w->velocities = arena_alloc(run->arena, 4 * (size_t)w->n, sizeof(float));
	for (size_t i = 0; i < w->n; i++) {
		float *p = w->positions + 4 * i;
		double square;

		do {
			square = 0.0;
			for (unsigned k = 0; k < 3; k++) {
				p[k] = (float)(2.0 * rng_unit(&rng) - 1.0);
				square += (double)p[k] * (double)p[k];
			}
		} while (square > 1.0);
		p[3] = (float)((0.5 + rng_unit(&rng)) / w->n);
		if (run->foreign)
			p[3] = 1.0f / (float)w->n;
		for (unsigned k = 0; k < 3; k++)
			w->velocities[4 * i + k] = (float)(rng_unit(&rng) - 0.5);
		w->velocities[4 * i + 3] = 1.0f;
	}
}

static int check_params(const struct nbody *w, struct err *err)
{
	if (w->threads % 8)
		return err_add(
			err, ERR_INPUT, "nbody.threads = %u: must be a multiple of 8", w->threads);
	if (w->n % w->threads)
		return err_add(err, ERR_INPUT,
			"nbody.n = %u: must be a multiple of nbody.threads = %u", w->n, w->threads);
	return 0;
}

static int launch(
	struct workload_run *run, module_t module, buffer_t from, buffer_t to, struct err *err)
{
	struct nbody *w = run->state;
	int32_t n = (int32_t)w->n;
	float time_step = (float)TIME_STEP, damping = (float)DAMPING;

	return workload_launch(run,
		&(struct launch){
			.module = module,
			.kernel = "nbody",
			.grid = {w->n / w->threads, 1, 1},
			.block = {w->threads, 1, 1},
			.shared_bytes = w->threads * 4 * (uint32_t)sizeof(float),
			.args = (struct launch_arg[]){ARG_BUF(from), ARG_BUF(to),
				ARG_BUF(w->d_velocities), ARG_VAL(n), ARG_VAL(time_step),
				ARG_VAL(damping)},
			.nargs = run->foreign ? 6 : 5,
		},
		err);
}

/* The SDK's kernel reads it from constant memory. */
static int write_softening(struct workload_run *run, struct err *err)
{
	buffer_t buffer = workload_variable(run, "softening", sizeof(float), err);
	float softening = (float)SOFTENING;

	if (!buffer)
		return -1;
	gpu_write(run->gpu, buffer, 0, &softening, sizeof(softening));
	return 0;
}

static int setup(struct workload_run *run, struct err *err)
{
	static const char *const names[2] = {"positions", "positions2"};
	struct nbody *w = run->state;
	module_t module = workload_module(run, "nbody", err);
	buffer_t positions[2];
	size_t bytes;

	w->n = workload_by_size(run, w->p.n, 1024, 16384);
	w->threads = workload_by_size(run, w->p.threads, 32, 256);
	if (check_params(w, err))
		return -1;
	make_bodies(run);
	bytes = 4 * (size_t)w->n * sizeof(float);
	positions[0] = workload_buffer(run, names[0], w->positions, bytes, err);
	positions[1] = workload_buffer(run, names[1], NULL, bytes, err);
	w->d_velocities = workload_buffer(run, "velocities", w->velocities, bytes, err);
	if (!module || !positions[0] || !positions[1] || !w->d_velocities)
		return -1;
	if (run->foreign && write_softening(run, err))
		return -1;
	for (uint64_t step = 0; step < w->p.steps; step++)
		if (launch(run, module, positions[step % 2], positions[(step + 1) % 2], err))
			return -1;
	run->result = positions[w->p.steps % 2];
	run->result_name = names[w->p.steps % 2];
	return 0;
}

/* The acceleration of body i, and the sum of the terms' sizes: what rounding errors refer to. */
static double acceleration(const double *p, size_t n, size_t i, double a[3])
{
	double size = 0.0;

	a[0] = a[1] = a[2] = 0.0;
	for (size_t j = 0; j < n; j++) {
		double d[3], square = (double)(float)SOFTENING, strength;

		for (unsigned k = 0; k < 3; k++) {
			d[k] = p[4 * j + k] - p[4 * i + k];
			square += d[k] * d[k];
		}
		strength = p[4 * j + 3] / (square * sqrt(square));
		for (unsigned k = 0; k < 3; k++)
			a[k] += d[k] * strength;
		size += strength * sqrt(square);
	}
	return size;
}

/* One step of all bodies; returns the largest sum of sizes. */
static double reference_step(const double *now, double *next, double *velocities, size_t n)
{
	double largest = 0.0;

	for (size_t i = 0; i < n; i++) {
		double a[3];

		largest = fmax(largest, acceleration(now, n, i, a));
		next[4 * i + 3] = now[4 * i + 3];
		for (unsigned k = 0; k < 3; k++) {
			double *v = &velocities[4 * i + k];

			*v = (*v + a[k] * (double)(float)TIME_STEP) * (double)(float)DAMPING;
			next[4 * i + k] = now[4 * i + k] + *v * (double)(float)TIME_STEP;
		}
	}
	return largest;
}

static int check_velocities(struct workload_run *run, const float *expected,
	struct tolerance tolerance, struct err *err)
{
	const struct nbody *w = run->state;
	buffer_t positions = run->result;
	const char *name = run->result_name;
	int status;

	run->result = w->d_velocities;
	run->result_name = "velocities";
	status = workload_check_f32(run, expected, 4 * (size_t)w->n, tolerance, err);
	run->result = positions;
	run->result_name = name;
	return status;
}

static void to_float(const double *in, float *out, size_t n)
{
	for (size_t i = 0; i < n; i++)
		out[i] = (float)in[i];
}

/* A term of the acceleration is off by some ten roundings (six of them from the third power of a
 * reciprocal root with two ulp), its sum by n more, a random walk as a rule: sqrt(n), three
 * deviations taken. Positions and velocities are below 2 and rounded twice a step. */
static int check(struct workload_run *run, struct err *err)
{
	const struct nbody *w = run->state;
	size_t values = 4 * (size_t)w->n;
	double *now = arena_alloc(run->arena, values, sizeof(*now));
	double *next = arena_alloc(run->arena, values, sizeof(*next));
	double *velocities = arena_alloc(run->arena, values, sizeof(*velocities));
	float *expected = arena_alloc(run->arena, values, sizeof(*expected));
	double steps = (double)w->p.steps, size = 0.0;
	struct tolerance tolerance = {
		.why = "roundings of the terms, a random walk of their sum, each step"};

	for (size_t i = 0; i < values; i++) {
		now[i] = (double)w->positions[i];
		velocities[i] = (double)w->velocities[i];
	}
	for (uint64_t step = 0; step < w->p.steps; step++) {
		double *swap = now;

		size = fmax(size, reference_step(now, next, velocities, w->n));
		now = next;
		next = swap;
	}
	to_float(velocities, expected, values);
	tolerance.abs =
		steps * F32_ROUNDING * (4 + TIME_STEP * size * (10 + 3 * sqrt((double)w->n)));
	if (check_velocities(run, expected, tolerance, err))
		return -1;
	to_float(now, expected, values);
	tolerance.abs = steps * (4 * F32_ROUNDING + TIME_STEP * tolerance.abs);
	return workload_check_f32(run, expected, values, tolerance, err);
}

static const char *const variants[] = {"nbody.n=512 nbody.threads=128", NULL};

static const struct workload_foreign foreign[] = {
	FOREIGN("sdk2.2/bodysystemcuda.ptx", "nbody",
		"_Z15integrateBodiesILb0EEvP6float4S1_S1_S1_ffi", "1 2 0 2 4 5 3"),
	FOREIGN("sdk2.2/bodysystemcuda.ptx", "softening", "softeningSquared", NULL),
	{.file = NULL},
};

static const struct workload_ops ops = {
	.computes = "Motion of bodies under gravity, by tiles in shared memory.",
	.source = "CUDA SDK, nbody (Nyland et al., GPU Gems 3, 2007)",
	.setup = setup,
	.check = check,
	.variants = variants,
	.foreign = foreign,
};

const struct plugin nbody_workload = {
	.kind = "workload",
	.name = "nbody",
	.text = "All pairs of bodies: arithmetic, reciprocal roots, broadcast reads.",
	.path = "nbody",
	.size = sizeof(struct nbody),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
