/* cfd: supersonic flow over a rough wall, on a mesh of irregular tetrahedra. */
#include "workloads/workload.h"

#include <math.h>
#include <string.h>

/* As in cfd.cu. */
#define VARIABLES 5u
#define FACES 4u
#define GAMMA ((double)1.4f)
#define SMOOTHING ((double)0.2f)
#define RK_STEPS 3u
#define BODY (-1)
#define FAR (-2)

#define THREADS 192u
#define PIECES 6u /* tetrahedra of a cell */
#define CELL 0.01 /* m */

#define PARAMS(P, T) \
	P(T, UINT, edge, 0, 0, 64, "cells", \
		"Edge of the mesh, a multiple of 4; each cell is six tetrahedra; 0 = by " \
		"size: 12 at small, 24 (82,944 elements; Rodinia's smallest mesh has 97,000) at full.") \
	P(T, UINT, iterations, 0, 0, 2000, "iterations", \
		"Runge-Kutta steps of three stages; 0 = by size: 1 at small, 10 at full " \
		"(Rodinia's are 2000).")

struct state {
	float v[VARIABLES]; /* density, momentum, energy */
};

struct far_field {
	struct state at;
	float momentum_flux[3][3], energy_flux[3];
};

struct cfd {
	struct {
		PARAMS(PARAM_FIELD, cfd)
	} p;
	uint32_t edge, n, iterations;
	struct far_field far;
	double (*corner)[3];
	int32_t *neighbours;                    /* FACES x n */
	float *normals, *volumes, *disturbance; /* 3 x FACES x n, n, VARIABLES x n */
	module_t module;
	buffer_t d_neighbours, d_normals, d_volumes, d_disturbance, old, factors, inflow;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, cfd)};

/* ---- the mesh: cells cut into six tetrahedra along the ways from one corner to the opposite one
 * (Kuhn's triangulation); a piece is the order in which such a way takes the axes */
static const uint8_t orders[PIECES][3] = {
	{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

static uint32_t piece_of(unsigned a, unsigned b)
{
	uint32_t i = 0;

	while (orders[i][0] != a || orders[i][1] != b)
		i++;
	return i;
}

static size_t corner_at(const struct cfd *w, const uint32_t at[3])
{
	size_t side = w->edge + 1;

	return (at[2] * side + at[1]) * side + at[0];
}

static void make_corners(struct workload_run *run)
{
	struct cfd *w = run->state;
	struct rng rng = rng_new(run->seed, 0);
	uint32_t side = w->edge + 1;

	w->corner = arena_alloc(run->arena, (size_t)side * side * side, sizeof(*w->corner));
	for (uint32_t z = 0; z < side; z++)
		for (uint32_t y = 0; y < side; y++)
			for (uint32_t x = 0; x < side; x++) {
				uint32_t at[3] = {x, y, z};
				double *c = w->corner[corner_at(w, at)];

				for (unsigned k = 0; k < 3; k++)
					c[k] = CELL * (at[k] + 0.3 * (rng_unit(&rng) - 0.5));
			}
}

/* The element behind the face opposite to corner `face` of a piece, or the border's kind. */
static int32_t neighbour(
	const struct cfd *w, const uint32_t cell[3], const uint8_t order[3], unsigned face)
{
	uint8_t a = order[0], b = order[1], c = order[2];
	int64_t at[3] = {cell[0], cell[1], cell[2]};
	uint32_t piece;

	if (face == 1 || face == 2)
		piece = face == 1 ? piece_of(b, a) : piece_of(a, c);
	else
		piece = face == 0 ? piece_of(b, c) : piece_of(c, a);
	at[a] += face == 0;
	at[c] -= face == 3;
	if (at[2] < 0)
		return BODY;
	for (unsigned k = 0; k < 3; k++)
		if (at[k] < 0 || at[k] >= w->edge)
			return FAR;
	return (int32_t)(((at[2] * w->edge + at[1]) * w->edge + at[0]) * PIECES + piece);
}

static void subtract(double out[3], const double a[3], const double b[3])
{
	for (unsigned k = 0; k < 3; k++)
		out[k] = a[k] - b[k];
}

static void multiply(double out[3], const double a[3], const double b[3])
{
	for (unsigned k = 0; k < 3; k++)
		out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static double dot(const double a[3], const double b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Six times the volume for a face's area times two, both signed: the normal leads outwards. */
static double measure_face(double *const corner[4], unsigned face, double normal[3])
{
	double *p = corner[(face + 1) % 4], *q = corner[(face + 2) % 4],
	       *r = corner[(face + 3) % 4];
	double a[3], b[3], up[3], volume;

	subtract(a, q, p);
	subtract(b, r, p);
	subtract(up, corner[face], p);
	multiply(normal, a, b);
	volume = dot(normal, up);
	for (unsigned k = 0; k < 3; k++)
		normal[k] *= volume > 0 ? -0.5 : 0.5;
	return fabs(volume);
}

/* `first` is where in its list the element's faces start: any of them may be at the border. */
static void make_element(struct cfd *w, const uint32_t cell[3], uint32_t piece, uint32_t first)
{
	uint32_t i = ((cell[2] * w->edge + cell[1]) * w->edge + cell[0]) * PIECES + piece;
	uint32_t at[3] = {cell[0], cell[1], cell[2]};
	double *corner[4], normal[3];

	for (unsigned k = 0; k < 4; k++) {
		corner[k] = w->corner[corner_at(w, at)];
		if (k < 3)
			at[orders[piece][k]]++;
	}
	for (unsigned face = 0; face < FACES; face++) {
		uint32_t slot = (face + first) % FACES;

		w->volumes[i] = (float)(measure_face(corner, face, normal) / 6);
		w->neighbours[i + slot * w->n] = neighbour(w, cell, orders[piece], face);
		for (unsigned k = 0; k < 3; k++)
			w->normals[i + (slot + k * FACES) * w->n] = (float)normal[k];
	}
}

static void make_mesh(struct workload_run *run)
{
	struct cfd *w = run->state;
	struct rng rng = rng_new(run->seed, 2);

	make_corners(run);
	w->neighbours = arena_alloc(run->arena, (size_t)FACES * w->n, sizeof(int32_t));
	w->normals = arena_alloc(run->arena, (size_t)3 * FACES * w->n, sizeof(float));
	w->volumes = arena_alloc(run->arena, w->n, sizeof(float));
	for (uint32_t z = 0; z < w->edge; z++)
		for (uint32_t y = 0; y < w->edge; y++)
			for (uint32_t x = 0; x < w->edge; x++)
				for (uint32_t piece = 0; piece < PIECES; piece++)
					make_element(w, (uint32_t[]){x, y, z}, piece,
						rng_below(&rng, FACES));
}

/* Mach 1.2, as Rodinia's, a few degrees off the axes. */
static void make_far_field(struct far_field *far)
{
	double density = 1.4, pressure = 1.0, speed = 1.2 * sqrt(GAMMA * pressure / density);
	double pitch = 0.05, yaw = 0.03;
	double u[3] = {
		speed * cos(pitch) * cos(yaw), speed * cos(pitch) * sin(yaw), speed * sin(pitch)};
	double energy = pressure / (GAMMA - 1) + density * speed * speed / 2;

	far->at.v[0] = (float)density;
	far->at.v[4] = (float)energy;
	for (unsigned i = 0; i < 3; i++) {
		far->at.v[1 + i] = (float)(density * u[i]);
		far->energy_flux[i] = (float)(u[i] * (energy + pressure));
		for (unsigned k = 0; k < 3; k++)
			far->momentum_flux[i][k] =
				(float)(density * u[i] * u[k] + (i == k ? pressure : 0));
	}
}

/* ---- launches */
static int launch(struct workload_run *run, const char *kernel, uint32_t threads,
	const struct launch_arg *args, unsigned nargs, struct err *err)
{
	struct cfd *w = run->state;

	return workload_launch(run,
		&(struct launch){.module = w->module,
			.kernel = kernel,
			.grid = {threads / THREADS, 1, 1},
			.block = {THREADS, 1, 1},
			.args = args,
			.nargs = nargs},
		err);
}

static int launch_iteration(struct workload_run *run, struct err *err)
{
	struct cfd *w = run->state;
	int32_t n = (int32_t)w->n;
	struct launch_arg copy[] = {ARG_BUF(run->result), ARG_BUF(w->old)};
	struct launch_arg factor[] = {
		ARG_BUF(run->result), ARG_BUF(w->d_volumes), ARG_BUF(w->factors), ARG_VAL(n)};
	struct launch_arg flux[] = {ARG_VAL(w->far), ARG_BUF(w->d_neighbours),
		ARG_BUF(w->d_normals), ARG_BUF(run->result), ARG_BUF(w->inflow), ARG_VAL(n)};

	if (launch(run, "cfd_copy", VARIABLES * w->n, copy, 2, err) ||
		launch(run, "cfd_step_factor", w->n, factor, 4, err))
		return -1;
	for (int32_t j = 1; j <= (int32_t)RK_STEPS; j++) {
		struct launch_arg step[] = {ARG_VAL(j), ARG_BUF(w->old), ARG_BUF(w->factors),
			ARG_BUF(w->inflow), ARG_BUF(run->result), ARG_VAL(n)};

		if (launch(run, "cfd_flux", w->n, flux, 6, err) ||
			launch(run, "cfd_time_step", w->n, step, 6, err))
			return -1;
	}
	return 0;
}

static int make_buffers(struct workload_run *run, struct err *err)
{
	struct cfd *w = run->state;
	uint64_t all = (uint64_t)w->n * sizeof(float);

	w->d_neighbours = workload_buffer(run, "neighbours", w->neighbours, FACES * all, err);
	w->d_normals = workload_buffer(run, "normals", w->normals, 3 * FACES * all, err);
	w->d_volumes = workload_buffer(run, "volumes", w->volumes, all, err);
	w->d_disturbance =
		workload_buffer(run, "disturbance", w->disturbance, VARIABLES * all, err);
	w->old = workload_buffer(run, "old_variables", NULL, VARIABLES * all, err);
	w->factors = workload_buffer(run, "step_factors", NULL, all, err);
	w->inflow = workload_buffer(run, "fluxes", NULL, VARIABLES * all, err);
	workload_result(run, "variables", NULL, VARIABLES * all, err);
	if (!w->d_neighbours || !w->d_normals || !w->d_volumes || !w->d_disturbance || !w->old ||
		!w->factors || !w->inflow || !run->result)
		return -1;
	return 0;
}

static int setup(struct workload_run *run, struct err *err)
{
	struct cfd *w = run->state;
	int32_t n;

	w->edge = workload_by_size(run, w->p.edge, 12, 24);
	w->iterations = workload_by_size(run, w->p.iterations, 1, 10);
	if (w->edge % 4)
		return err_add(err, ERR_INPUT, "cfd.edge = %u: must be a multiple of 4", w->edge);
	w->module = workload_module(run, "cfd", err);
	w->n = w->edge * w->edge * w->edge * PIECES;
	make_mesh(run);
	make_far_field(&w->far);
	w->disturbance = workload_random_f32(run, 1, (size_t)VARIABLES * w->n, -0.05, 0.05);
	if (!w->module || make_buffers(run, err))
		return -1;
	n = (int32_t)w->n;
	if (launch(run, "cfd_initialize", w->n,
		    (struct launch_arg[]){ARG_VAL(w->far), ARG_BUF(w->d_disturbance),
			    ARG_BUF(run->result), ARG_VAL(n)},
		    4, err))
		return -1;
	for (uint32_t i = 0; i < w->iterations; i++)
		if (launch_iteration(run, err))
			return -1;
	return 0;
}

/* ---- the reference: fluxes through a face as a projection on its normal */
struct flow {
	double v[VARIABLES];
};

/* Pressure, and the largest wave speed. */
static double pressure_of(const double v[VARIABLES], double *fastest)
{
	double kinetic = dot(v + 1, v + 1) / v[0];
	double pressure = (GAMMA - 1) * (v[4] - kinetic / 2);

	*fastest = sqrt(kinetic / v[0]) + sqrt(GAMMA * pressure / v[0]);
	return pressure;
}

/* sum -= the flow out through the face. */
static void flow_out(
	double sum[VARIABLES], const double v[VARIABLES], const double normal[3], double part)
{
	double fastest, pressure = pressure_of(v, &fastest), way = dot(v + 1, normal) / v[0];

	for (unsigned k = 0; k < VARIABLES; k++)
		sum[k] -= part * way * (v[k] + (k == 4 ? pressure : 0));
	for (unsigned k = 0; k < 3; k++)
		sum[1 + k] -= part * pressure * normal[k];
}

static void through_face(const struct cfd *w, const struct flow *flow, uint32_t i, unsigned face,
	double sum[VARIABLES])
{
	const double *v = flow[i].v;
	int32_t nb = w->neighbours[i + face * w->n];
	double normal[3], far[VARIABLES], own_fastest, fastest, pressure;

	for (unsigned k = 0; k < 3; k++)
		normal[k] = (double)w->normals[i + (face + k * FACES) * w->n];
	for (unsigned k = 0; k < VARIABLES; k++)
		far[k] = (double)w->far.at.v[k];
	pressure = pressure_of(v, &own_fastest);
	if (nb == BODY) {
		for (unsigned k = 0; k < 3; k++)
			sum[1 + k] -= pressure * normal[k];
		return;
	}
	flow_out(sum, v, normal, 0.5);
	flow_out(sum, nb == FAR ? far : flow[nb].v, normal, 0.5);
	if (nb == FAR)
		return;
	pressure_of(flow[nb].v, &fastest);
	for (unsigned k = 0; k < VARIABLES; k++)
		sum[k] += SMOOTHING / 2 * sqrt(dot(normal, normal)) * (own_fastest + fastest) *
			  (flow[nb].v[k] - v[k]);
}

static void reference_stage(const struct cfd *w, unsigned stage, const struct flow *old,
	const struct flow *now, struct flow *next)
{
	for (uint32_t i = 0; i < w->n; i++) {
		double sum[VARIABLES] = {0}, fastest, factor;

		pressure_of(old[i].v, &fastest);
		factor = 0.5 / (sqrt((double)w->volumes[i]) * fastest) / (RK_STEPS + 1 - stage);
		for (unsigned face = 0; face < FACES; face++)
			through_face(w, now, i, face, sum);
		for (unsigned k = 0; k < VARIABLES; k++)
			next[i].v[k] = old[i].v[k] + factor * sum[k];
	}
}

static void reference(struct workload_run *run, float *out)
{
	const struct cfd *w = run->state;
	struct flow *v[3];

	for (unsigned k = 0; k < 3; k++)
		v[k] = arena_alloc(run->arena, w->n, sizeof(struct flow));
	for (size_t i = 0; i < w->n; i++)
		for (unsigned k = 0; k < VARIABLES; k++)
			v[0][i].v[k] = (double)w->far.at.v[k] *
				       (1 + (double)w->disturbance[i + (size_t)k * w->n]);
	for (uint32_t i = 0; i < w->iterations; i++) {
		reference_stage(w, 1, v[0], v[0], v[1]);
		reference_stage(w, 2, v[0], v[1], v[2]);
		reference_stage(w, 3, v[0], v[2], v[1]);
		memcpy(v[0], v[1], w->n * sizeof(struct flow));
	}
	for (size_t i = 0; i < w->n; i++)
		for (unsigned k = 0; k < VARIABLES; k++)
			out[i + (size_t)k * w->n] = (float)v[0][i].v[k];
}

/* A stage's roundings: of its last addition, to values below 4, and of what it adds, some ten of
 * sums below 2 whose lesser part counts. Stages do not amplify them: the scheme is stable. */
#define STAGE_ERROR (10 * F32_ROUNDING)

static int check(struct workload_run *run, struct err *err)
{
	const struct cfd *w = run->state;
	size_t n = (size_t)VARIABLES * w->n;
	float *expected = arena_alloc(run->arena, n, sizeof(*expected));
	struct tolerance tolerance = {
		.abs = (double)w->iterations * RK_STEPS * STAGE_ERROR,
		.why = "roundings of each stage at values below 4",
	};

	reference(run, expected);
	return workload_check_f32(run, expected, n, tolerance, err);
}

static const struct workload_ops ops = {
	.computes = "Compressible flow over a wall: finite volumes on a mesh of tetrahedra.",
	.source = "Rodinia, cfd/euler3d (Corrigan et al., AIAA 2009); in Hayes and Zhang, ICS 2014",
	.setup = setup,
	.check = check,
};

const struct plugin cfd_workload = {
	.kind = "workload",
	.name = "cfd",
	.text = "Euler equations on an unstructured mesh: many registers, gathered neighbours.",
	.path = "cfd",
	.size = sizeof(struct cfd),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
