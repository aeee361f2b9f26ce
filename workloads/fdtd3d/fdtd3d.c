/* fdtd3d: time steps of a finite-difference star over a volume whose boundary is constant. */
#include "workloads/workload.h"

/* As in fdtd3d.cu. */
#define RADIUS 4u
#define TILE_X 32u
#define TILE_Y 16u

#define PARAMS(P, T) \
	P(T, UINT, width, 0, 0, 376, "cells", \
		"Along x and y; 0 = by size: 126 at small, 192 at full (the SDK's is 376).") \
	P(T, UINT, depth, 0, 0, 376, "cells", \
		"Along z; 0 = by size: 7 at small, 192 at full (the SDK's is 376).") \
	P(T, UINT, steps, 0, 0, 1000, "time steps", \
		"Time steps; 0 = by size: 2 at small, 5 at full (the SDK's).") \
	P(T, UINT, unrolled, 0, 0, 16, "rows", \
		"Rows of a CTA, 8 or 16, of a kernel whose loop along z is unrolled by nine planes " \
		"(the SDK's is); 0 = the plain kernel.")

struct star {
	float weight[RADIUS + 1];
};

struct fdtd3d {
	struct {
		PARAMS(PARAM_FIELD, fdtd3d)
	} p;
	uint32_t width, depth, steps;
	struct star star;
	uint32_t pitch; /* cells of a row with its rim */
	size_t layer, cells;
	float *volume;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, fdtd3d)};

/* The weights' sizes add up to 1 over the star: errors and values do not grow. */
static void make_star(struct workload_run *run)
{
	struct fdtd3d *w = run->state;
	struct rng rng = rng_new(run->seed, 1);
	double sum = 0;
	double draw[RADIUS + 1];

	for (unsigned i = 0; i <= RADIUS; i++) {
		draw[i] = 0.1 + 0.1 * rng_unit(&rng);
		sum += draw[i] * (i ? 6 : 1);
	}
	for (unsigned i = 0; i <= RADIUS; i++)
		w->star.weight[i] = (float)(draw[i] / sum);
}

static int launch_step(struct workload_run *run, module_t module, buffer_t from, struct err *err)
{
	struct fdtd3d *w = run->state;
	static const struct {
		const char *name;
		uint32_t rows;
	} kernels[] = {{"fdtd3d", TILE_Y}, {"fdtd3d_unrolled_8", 8}, {"fdtd3d_unrolled_16", 16}};
	unsigned k = (unsigned)w->p.unrolled / 8;
	int32_t n = (int32_t)w->width, nz = (int32_t)w->depth, pitch = (int32_t)w->pitch;

	return workload_launch(run,
		&(struct launch){
			.module = module,
			.kernel = kernels[k].name,
			.grid = {(uint32_t)div_up(w->width, TILE_X),
				(uint32_t)div_up(w->width, kernels[k].rows), 1},
			.block = {TILE_X, kernels[k].rows, 1},
			.args = (struct launch_arg[]){ARG_BUF(run->result), ARG_BUF(from),
				ARG_VAL(n), ARG_VAL(n), ARG_VAL(nz), ARG_VAL(pitch),
				ARG_VAL(w->star)},
			.nargs = 7,
		},
		err);
}

static int setup(struct workload_run *run, struct err *err)
{
	struct fdtd3d *w = run->state;
	static const char *const names[2] = {"volume", "volume2"};
	module_t module = workload_module(run, "fdtd3d", err);
	buffer_t buffers[2];

	if (w->p.unrolled % 8)
		return err_add(err, ERR_INPUT, "fdtd3d.unrolled = %u: must be 0, 8 or 16",
			(unsigned)w->p.unrolled);
	w->width = workload_by_size(run, w->p.width, 126, 192);
	w->depth = workload_by_size(run, w->p.depth, 7, 192);
	w->steps = workload_by_size(run, w->p.steps, 2, 5);
	w->pitch = w->width + 2 * RADIUS;
	w->layer = (size_t)w->pitch * w->pitch;
	w->cells = w->layer * (w->depth + 2 * RADIUS);
	make_star(run);
	w->volume = workload_random_f32(run, 0, w->cells, 0.5, 1.0);
	for (unsigned i = 0; i < 2; i++)
		buffers[i] =
			workload_buffer(run, names[i], w->volume, w->cells * sizeof(float), err);
	if (!module || !buffers[0] || !buffers[1])
		return -1;
	for (uint32_t step = 0; step < w->steps; step++) {
		run->result = buffers[(step + 1) % 2];
		run->result_name = names[(step + 1) % 2];
		if (launch_step(run, module, buffers[step % 2], err))
			return -1;
	}
	return 0;
}

static double reference_cell(const struct fdtd3d *w, const double *c)
{
	ptrdiff_t x = 1, y = (ptrdiff_t)w->pitch, z = (ptrdiff_t)w->layer;
	double sum = (double)w->star.weight[0] * c[0];

	for (ptrdiff_t i = 1; i <= (ptrdiff_t)RADIUS; i++)
		sum += (double)w->star.weight[i] *
		       (c[-i * x] + c[i * x] + c[-i * y] + c[i * y] + c[-i * z] + c[i * z]);
	return sum;
}

static void reference_step(const struct fdtd3d *w, const double *now, double *next)
{
	for (uint32_t z = 0; z < w->depth; z++)
		for (uint32_t y = 0; y < w->width; y++)
			for (uint32_t x = 0; x < w->width; x++) {
				size_t at = (z + RADIUS) * w->layer +
					    (y + RADIUS) * (size_t)w->pitch + x + RADIUS;

				next[at] = reference_cell(w, now + at);
			}
}

/* Values are at most 1 and so are the weights' sum, so that a step adds at most its own roundings:
 * within each of the four rings five additions of sums below 6 that are weighted by about 1/25,
 * and the ring's own fma. Measured errors are a fifth of that. */
#define STEP_ERROR (10 * F32_ROUNDING)

static int check(struct workload_run *run, struct err *err)
{
	const struct fdtd3d *w = run->state;
	double *now = arena_alloc(run->arena, w->cells, sizeof(*now));
	double *next = arena_alloc(run->arena, w->cells, sizeof(*next));
	float *expected = arena_alloc(run->arena, w->cells, sizeof(*expected));
	struct tolerance tolerance = {
		.abs = (double)w->steps * STEP_ERROR,
		.why = "roundings of each time step at values below 1",
	};

	for (size_t i = 0; i < w->cells; i++)
		now[i] = next[i] = (double)w->volume[i];
	for (uint32_t step = 0; step < w->steps; step++) {
		double *swap = now;

		reference_step(w, now, next);
		now = next;
		next = swap;
	}
	for (size_t i = 0; i < w->cells; i++)
		expected[i] = (float)now[i];
	return workload_check_f32(run, expected, w->cells, tolerance, err);
}

/* Fewer planes than nine, a multiple of them, some more; edges within a CTA. */
static const char *const variants[] = {"fdtd3d.unrolled=8 fdtd3d.width=45 fdtd3d.depth=11",
	"fdtd3d.unrolled=16 fdtd3d.width=45 fdtd3d.depth=13",
	"fdtd3d.unrolled=8 fdtd3d.width=33 fdtd3d.depth=5 fdtd3d.steps=3", NULL};

static const struct workload_ops ops = {
	.computes = "A volume over time under a star of radius 4, planes in shared memory.",
	.source = "CUDA SDK, FDTD3d (Micikevicius, GPGPU 2009); in Hayes and Zhang, ICS 2014",
	.setup = setup,
	.check = check,
	.variants = variants,
};

const struct plugin fdtd3d_workload = {
	.kind = "workload",
	.name = "fdtd3d",
	.text = "Stencil over a volume: columns in registers, a barrier a plane.",
	.path = "fdtd3d",
	.size = sizeof(struct fdtd3d),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
