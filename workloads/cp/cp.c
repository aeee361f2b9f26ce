/* cp: the Coulombic potential of point charges, summed directly on a plane (Parboil). */
#include "workloads/workload.h"

#include <math.h>

/* As in cp.cu. */
#define MAX_CHARGES 4000u
#define BLOCK_X 16u
#define BLOCK_Y 8u
#define POINTS 8u

#define SPACING 0.1f /* between points, in Angstrom */

#define PARAMS(P, T) \
	P(T, UINT, width, 512, 128, 8192, "points", \
		"Points of a row, a multiple of 128 (Parboil: 512).") \
	P(T, UINT, height, 0, 0, 8192, "points", \
		"Rows of the plane, a multiple of 8; 0 = by size: 64 at small, 512 at full " \
		"(Parboil's).") \
	P(T, UINT, charges, 0, 0, 1000000, "charges", \
		"Point charges; 0 = by size: 50 at small, 625 at full (Parboil: 40000).") \
	P(T, UINT, batch, MAX_CHARGES, 1, MAX_CHARGES, "charges", \
		"Charges that constant memory holds at a time, those of a launch.")

struct charge {
	float x, y, z2, q;
};

struct cp {
	struct {
		PARAMS(PARAM_FIELD, cp)
	} p;
	uint32_t height, charges, done;
	struct charge *charge;
	module_t module;
	buffer_t potentials;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, cp)};

/* Charges from -1 to 1 anywhere in the slab of one spacing above the plane. */
static void make_charges(struct workload_run *run)
{
	struct cp *w = run->state;
	struct rng rng = rng_new(run->seed, 0);
	double spacing = (double)SPACING;

	w->charge = arena_alloc(run->arena, w->charges, sizeof(*w->charge));
	for (uint32_t i = 0; i < w->charges; i++) {
		struct charge *c = &w->charge[i];
		double z;

		c->x = (float)(rng_unit(&rng) * spacing * (double)w->p.width);
		c->y = (float)(rng_unit(&rng) * spacing * w->height);
		z = rng_unit(&rng) * spacing;
		c->z2 = (float)(z * z);
		c->q = (float)(2.0 * rng_unit(&rng) - 1.0);
	}
}

/* The next charges to constant memory, and a launch that adds their potential. */
static int launch_batch(struct workload_run *run, struct err *err)
{
	struct cp *w = run->state;
	int32_t n = (int32_t)min_u64(w->p.batch, w->charges - w->done);
	buffer_t charges = workload_variable(run, "charges", (uint64_t)n * sizeof(*w->charge), err);
	float spacing = SPACING;

	if (!charges)
		return -1;
	gpu_write(run->gpu, charges, 0, w->charge + w->done, (uint64_t)n * sizeof(*w->charge));
	w->done += (uint32_t)n;
	return workload_launch(run,
		&(struct launch){
			.module = w->module,
			.kernel = "cp",
			.grid = {(uint32_t)w->p.width / (BLOCK_X * POINTS), w->height / BLOCK_Y, 1},
			.block = {BLOCK_X, BLOCK_Y, 1},
			.args = (struct launch_arg[]){ARG_VAL(n), ARG_VAL(spacing),
				ARG_BUF(w->potentials)},
			.nargs = 3,
		},
		err);
}

static int setup(struct workload_run *run, struct err *err)
{
	struct cp *w = run->state;

	w->height = workload_by_size(run, w->p.height, 64, 512);
	w->charges = workload_by_size(run, w->p.charges, 50, 625);
	if (w->p.width % (BLOCK_X * POINTS) || w->height % BLOCK_Y)
		return err_add(err, ERR_INPUT,
			"cp.width = %llu, .height = %u: must be multiples of %u and %u",
			(unsigned long long)w->p.width, w->height, BLOCK_X * POINTS, BLOCK_Y);
	make_charges(run);
	w->module = workload_module(run, "cp", err);
	w->potentials = workload_result(
		run, "potentials", NULL, w->p.width * w->height * sizeof(float), err);
	if (!w->module || !w->potentials)
		return -1;
	return launch_batch(run, err);
}

static int next_batch(struct workload_run *run, struct err *err)
{
	const struct cp *w = run->state;

	if (w->done == w->charges)
		return 0;
	return launch_batch(run, err) ? -1 : 1;
}

/* The potential at a point, and how far roundings may move it. A coordinate's difference is that of
 * two numbers below `extent` and takes up to ten roundings of such (from a thread's first point to
 * its last); a term takes five more, the sum one for each charge. */
static double potential(const struct cp *w, double x, double y, double *bound)
{
	double extent = fmax((double)w->p.width, w->height) * (double)SPACING;
	double moved = 12 * extent * F32_ROUNDING, sum = 0.0, size = 0.0;

	*bound = 0.0;
	for (uint32_t i = 0; i < w->charges; i++) {
		const struct charge *c = &w->charge[i];
		double dx = x - (double)c->x, dy = y - (double)c->y, q = fabs((double)c->q);
		double r = sqrt(dx * dx + dy * dy + (double)c->z2);

		sum += (double)c->q / r;
		size += q / r;
		*bound += r > moved ? q / (r - moved) - q / r : (double)INFINITY;
	}
	*bound += (5 + w->charges) * F32_ROUNDING * size;
	return sum;
}

static int check(struct workload_run *run, struct err *err)
{
	const struct cp *w = run->state;
	size_t n = (size_t)w->p.width * w->height;
	float *expected = arena_alloc(run->arena, n, sizeof(*expected));
	float *bounds = arena_alloc(run->arena, n, sizeof(*bounds));

	for (size_t i = 0; i < n; i++) {
		double x = (double)(i % w->p.width) * (double)SPACING, bound;
		double y = (double)(i / w->p.width) * (double)SPACING;

		expected[i] = (float)potential(w, x, y, &bound);
		bounds[i] = (float)bound;
	}
	return workload_check_f32_each(run, expected, bounds, n,
		"roundings of coordinates, which count most near a charge, of terms and of sums",
		err);
}

static const char *const variants[] = {"cp.width=256 cp.height=8 cp.charges=50 cp.batch=30", NULL};

static const struct workload_foreign foreign[] = {
	FOREIGN("parboil/cuenergy_pre8_coalesce.ptx", "cp", "_Z7cenergyifPf", NULL),
	FOREIGN("parboil/cuenergy_pre8_coalesce.ptx", "charges", "atominfo", NULL),
	{.file = NULL},
};

static const struct workload_ops ops = {
	.computes = "The electric potential of point charges at the points of a plane.",
	.source = "Parboil, cp (Stone et al., Journal of Computational Chemistry 2007)",
	.setup = setup,
	.advance = next_batch,
	.check = check,
	.variants = variants,
	.foreign = foreign,
};

const struct plugin cp_workload = {
	.kind = "workload",
	.name = "cp",
	.text = "Direct summation of charges: reciprocal roots, charges in constant memory.",
	.path = "cp",
	.size = sizeof(struct cp),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
