/* hotspot: a chip's temperature over time, with Rodinia's chip (Che et al., IISWC 2009). */
#include "workloads/workload.h"

/* As in hotspot.cu. */
#define TILE 16u

/* A finer grid than 1024 cells would make the explicit time step unstable. */
#define PARAMS(P, T) \
	P(T, UINT, n, 0, 0, 1024, "cells", \
		"Rows and columns of the grid; 0 = by size: 128 at small, 512 (the suite's) " \
		"at full.") \
	P(T, UINT, steps, 0, 0, 1000, "time steps", \
		"Time steps to simulate; 0 = by size: 4 at small, 2 (the suite's) at full.") \
	P(T, UINT, halo, 2, 1, 7, "cells", \
		"Height of the pyramid: time steps a launch makes, cells that CTAs overlap.")

/* The physics, rounded to float once for kernel and reference alike. */
struct physics {
	float step_per_capacity;             /* K/W, of a time step */
	float horizontal, vertical, ambient; /* W/K: to east and west, north and south, outside */
	float ambient_temperature;           /* C */
};

struct hotspot {
	struct {
		PARAMS(PARAM_FIELD, hotspot)
	} p;
	uint32_t n, steps;
	struct physics physics;
	float *power, *temperature;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, hotspot)};

/* A silicon die of 16 mm x 16 mm x 0.5 mm, cut into n x n cells. */
static struct physics make_physics(uint32_t n)
{
	const double thickness = 0.0005, edge = 0.016;             /* m */
	const double specific_heat = 1.75e6, conductivity = 100.0; /* J/(m3 K), W/(m K) */
	const double capacity_factor = 0.5, max_power = 3.0e6;     /* 1, W/m2 */
	const double precision = 0.001;                            /* K a step, at most */
	double cell = edge / n;
	double capacity = capacity_factor * specific_heat * thickness * cell * cell;
	double max_slope = max_power / (capacity_factor * thickness * specific_heat);

	return (struct physics){
		.step_per_capacity = (float)(precision / max_slope / capacity),
		.horizontal = (float)(2.0 * conductivity * thickness),
		.vertical = (float)(2.0 * conductivity * thickness),
		.ambient = (float)(conductivity * cell * cell / thickness),
		.ambient_temperature = 80.0f,
	};
}

/* Queues one pyramid: `steps` time steps from one buffer into the other. Rodinia's kernel divides:
 * by the capacity, here 1 J/K in units of the time step's, and by resistances. */
static int launch(struct workload_run *run, module_t module, uint32_t nsteps, buffer_t power,
	buffer_t from, buffer_t to, struct err *err)
{
	struct hotspot *w = run->state;
	struct physics *f = &w->physics;
	int32_t steps = (int32_t)nsteps, n = (int32_t)w->n, halo = (int32_t)w->p.halo;
	uint32_t ctas = (uint32_t)div_up(w->n, TILE - 2 * w->p.halo);
	float divisors[4] = {1, 1 / f->horizontal, 1 / f->vertical, 1 / f->ambient};

	return workload_launch(run,
		&(struct launch){
			.module = module,
			.kernel = "hotspot",
			.grid = {ctas, ctas, 1},
			.block = {TILE, TILE, 1},
			.args = (struct launch_arg[]){ARG_VAL(steps), ARG_BUF(power), ARG_BUF(from),
				ARG_BUF(to), ARG_VAL(n), ARG_VAL(n), ARG_VAL(halo),
				ARG_VAL(f->step_per_capacity), ARG_VAL(f->horizontal),
				ARG_VAL(f->vertical), ARG_VAL(f->ambient),
				ARG_VAL(f->ambient_temperature), ARG_VAL(divisors[0]),
				ARG_VAL(divisors[1]), ARG_VAL(divisors[2]), ARG_VAL(divisors[3])},
			.nargs = run->foreign ? 16 : 12,
		},
		err);
}

static int setup(struct workload_run *run, struct err *err)
{
	struct hotspot *w = run->state;
	module_t module = workload_module(run, "hotspot", err);
	static const char *const names[2] = {"temperature", "temperature2"};
	buffer_t power, from, to;
	size_t cells, bytes;

	w->n = workload_by_size(run, w->p.n, 128, 512);
	w->steps = workload_by_size(run, w->p.steps, 4, 2);
	w->physics = make_physics(w->n);
	cells = (size_t)w->n * w->n;
	bytes = cells * sizeof(float);
	w->power = workload_random_f32(run, 0, cells, 0.0, 0.01);
	w->temperature = workload_random_f32(run, 1, cells, 323.0, 343.0);
	power = workload_buffer(run, "power", w->power, bytes, err);
	from = workload_buffer(run, names[0], w->temperature, bytes, err);
	to = workload_buffer(run, names[1], NULL, bytes, err);
	if (!module || !power || !from || !to)
		return -1;
	for (uint64_t done = 0, k = 1; done < w->steps; done += w->p.halo, k ^= 1) {
		uint32_t steps = (uint32_t)min_u64(w->p.halo, w->steps - done);

		if (launch(run, module, steps, power, from, to, err))
			return -1;
		run->result = to;
		run->result_name = names[k];
		to = from;
		from = run->result;
	}
	return 0;
}

/* The flow into cell (x, y) in a time step, by Kirchhoff's law; the border is insulated. */
static double reference_cell(const struct hotspot *w, const double *t, uint32_t x, uint32_t y)
{
	const struct physics *f = &w->physics;
	size_t n = w->n, i = y * n + x;
	double in = (double)w->power[i];

	in += (double)f->ambient * ((double)f->ambient_temperature - t[i]);
	if (x > 0)
		in += (double)f->horizontal * (t[i - 1] - t[i]);
	if (x + 1 < n)
		in += (double)f->horizontal * (t[i + 1] - t[i]);
	if (y > 0)
		in += (double)f->vertical * (t[i - n] - t[i]);
	if (y + 1 < n)
		in += (double)f->vertical * (t[i + n] - t[i]);
	return t[i] + (double)f->step_per_capacity * in;
}

/* All time steps over the whole grid, in double. */
static void reference(const struct hotspot *w, double *now, double *next, float *out)
{
	size_t cells = (size_t)w->n * w->n;

	for (size_t i = 0; i < cells; i++)
		now[i] = (double)w->temperature[i];
	for (uint64_t step = 0; step < w->steps; step++) {
		double *swap = now;

		for (uint32_t y = 0; y < w->n; y++)
			for (uint32_t x = 0; x < w->n; x++)
				next[(size_t)y * w->n + x] = reference_cell(w, now, x, y);
		now = next;
		next = swap;
	}
	for (size_t i = 0; i < cells; i++)
		out[i] = (float)now[i];
}

/* One step's error, in units of F32_ROUNDING with temperatures below 350: the last addition 350;
 * within the inflow (weights 0.1, sums of two neighbours below 700, result below 10 W, five
 * roundings) 190, times at most 1.4 K/W. Steps do not amplify it: a cell's new value is a mean of
 * old ones. */
#define STEP_ERROR (650 * F32_ROUNDING)

static int check(struct workload_run *run, struct err *err)
{
	const struct hotspot *w = run->state;
	size_t cells = (size_t)w->n * w->n;
	double *now = arena_alloc(run->arena, cells, sizeof(*now));
	double *next = arena_alloc(run->arena, cells, sizeof(*next));
	float *expected = arena_alloc(run->arena, cells, sizeof(*expected));
	struct tolerance tolerance = {
		.abs = (double)(w->steps + 1) * STEP_ERROR,
		.why = "roundings of each time step at temperatures below 350",
	};

	reference(w, now, next, expected);
	return workload_check_f32(run, expected, cells, tolerance, err);
}

static const char *const variants[] = {"hotspot.n=37 hotspot.halo=3 hotspot.steps=7", NULL};

static const struct workload_foreign foreign[] = {
	FOREIGN("rodinia/hotspot.ptx", "hotspot", "_Z14calculate_tempiPfS_S_iiiiffffff",
		"0 1 2 3 4 5 6 6 12 13 14 15 7 7"),
	{.file = NULL},
};

static const struct workload_ops ops = {
	.computes = "A chip's temperature over time: five points, pyramids in shared memory.",
	.source = "Rodinia, hotspot (Che et al., IISWC 2009; Huang et al., TVLSI 2006)",
	.setup = setup,
	.check = check,
	.variants = variants,
	.foreign = foreign,
};

const struct plugin hotspot_workload = {
	.kind = "workload",
	.name = "hotspot",
	.text = "Thermal stencil: overlapping tiles, divergence at their rims.",
	.path = "hotspot",
	.size = sizeof(struct hotspot),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
