/* particles: balls in a box that fall, bounce and push each other. */
#include "workloads/particles/sdk.h"
#include "workloads/workload.h"

#include <math.h>
#include <stdlib.h>

/* As in particles.cu. */
#define THREADS 256u
#define DIGITS 16u
#define DIGIT_BITS 4u

#define MOST_STEPS 16

#define PARAMS(P, T) \
	P(T, UINT, n, 0, 0, 131072, "particles", \
		"Particles, a multiple of 256; 0 = by size: 9472 at small, 65536 at full " \
		"(the SDK's are 16384).") \
	P(T, UINT, steps, 0, 0, MOST_STEPS, "time steps", \
		"Time steps; 0 = by size: 1 at small, 4 at full.") \
	P(T, UINT, grid, 64, 8, 64, "cells", \
		"Cells along each axis of the box, a power of two; a particle is half as wide as a " \
		"cell of 64.")

/* What the device had after a step. */
struct moment {
	struct quad *position, *velocity;
};

struct particles {
	struct {
		PARAMS(PARAM_FIELD, particles)
	} p;
	uint32_t n, steps, done;
	struct world world;
	struct moment moment[MOST_STEPS + 1];
	module_t module;
	buffer_t velocity, sorted_position, sorted_velocity, cell_start, cell_end, counts, starts;
	buffer_t key[2], value[2];
	double ball_attraction; /* that of the ball in the way */
	struct sdk_particles sdk;
	bool ordered; /* by the SDK's kernels: contacts are next */
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, particles)};

/* ---- inputs */
static void make_world(struct particles *w)
{
	float radius = 1.0f / 64;

	w->world = (struct world){
		.gravity = {0, -0.0003f, 0},
		.time_step = 0.5f,
		.damping = 0.98f,
		.wall_damping = -0.5f,
		.radius = radius,
		.origin = {-1, -1, -1},
		.cell = 2.0f / (float)w->p.grid,
		.size = (int32_t)w->p.grid,
		.ball = {-0.3f, -0.9f, 0.2f},
		.ball_radius = 0.2f,
		.spring = 0.5f,
		.contact_damping = 0.02f,
		.shear = 0.1f,
		.attraction = 0.01f,
	};
}

/* Two heaps of jittered layers as wide as the box, one on the floor, one below the ceiling. */
static void make_particles(struct workload_run *run, struct moment *m)
{
	const struct particles *w = run->state;
	struct rng rng = rng_new(run->seed, 0);
	uint32_t row = 64, half = w->n / 2;
	double spacing = 2.0 / row;

	for (uint32_t i = 0; i < w->n; i++) {
		uint32_t k = i % half, layer = k / (row * row);
		double height = spacing * (0.5 + 0.8 * layer);
		double at[3] = {-1 + spacing * (0.5 + k % row), i < half ? height - 1 : 1 - height,
			-1 + spacing * (0.5 + k / row % row)};
		double speed[3];

		for (unsigned axis = 0; axis < 3; axis++) {
			at[axis] += (axis == 1 ? 0.6 : 1.6) * spacing * (rng_unit(&rng) - 0.5);
			speed[axis] = 0.02 * (rng_unit(&rng) - 0.5);
		}
		m->position[i] = (struct quad){(float)at[0], (float)at[1], (float)at[2], 1};
		m->velocity[i] =
			(struct quad){(float)speed[0], (float)speed[1], (float)speed[2], 0};
	}
}

/* ---- launches */
static int launch(struct workload_run *run, const char *kernel, uint32_t threads,
	const struct launch_arg *args, unsigned nargs, struct err *err)
{
	struct particles *w = run->state;

	return workload_launch(run,
		&(struct launch){.module = w->module,
			.kernel = kernel,
			.grid = {threads / THREADS, 1, 1},
			.block = {THREADS, 1, 1},
			.args = args,
			.nargs = nargs},
		err);
}

/* One pass; keys and values go from the first buffer of each to the second. */
static int launch_sort(struct workload_run *run, uint32_t pass, struct err *err)
{
	struct particles *w = run->state;
	buffer_t *key = w->key, *value = w->value;
	unsigned from = pass % 2, to = !from;
	int32_t shift = (int32_t)(pass * DIGIT_BITS), counts = (int32_t)(DIGITS * w->n / THREADS);
	struct launch_arg part[] = {ARG_BUF(key[from]), ARG_BUF(value[from]), ARG_BUF(w->counts),
		ARG_BUF(w->starts), ARG_VAL(shift)};
	struct launch_arg sum[] = {ARG_BUF(w->counts), ARG_VAL(counts)};
	struct launch_arg move[] = {ARG_BUF(key[from]), ARG_BUF(value[from]), ARG_BUF(w->counts),
		ARG_BUF(w->starts), ARG_BUF(key[to]), ARG_BUF(value[to]), ARG_VAL(shift)};

	if (launch(run, "particles_sort_part", w->n, part, 5, err) ||
		launch(run, "particles_sort_sum", THREADS, sum, 2, err))
		return -1;
	return launch(run, "particles_sort_move", w->n, move, 7, err);
}

/* Passes that cover all bits of a cell's number. */
static uint32_t passes(const struct particles *w)
{
	uint32_t cells = (uint32_t)(w->p.grid * w->p.grid * w->p.grid), n = 0;

	while (cells > 1) {
		cells = (cells + DIGITS - 1) / DIGITS;
		n++;
	}
	return n;
}

static int launch_cells(struct workload_run *run, unsigned sorted, struct err *err)
{
	struct particles *w = run->state;
	uint32_t cells = (uint32_t)(w->p.grid * w->p.grid * w->p.grid);
	int32_t n = (int32_t)w->n;
	struct launch_arg clear[] = {ARG_BUF(w->cell_start)};
	struct launch_arg reorder[] = {ARG_BUF(w->key[sorted]), ARG_BUF(w->value[sorted]),
		ARG_BUF(run->result), ARG_BUF(w->velocity), ARG_BUF(w->cell_start),
		ARG_BUF(w->cell_end), ARG_BUF(w->sorted_position), ARG_BUF(w->sorted_velocity),
		ARG_VAL(n)};
	struct launch_arg collide[] = {ARG_VAL(w->world), ARG_BUF(w->sorted_position),
		ARG_BUF(w->sorted_velocity), ARG_BUF(w->value[sorted]), ARG_BUF(w->cell_start),
		ARG_BUF(w->cell_end), ARG_BUF(w->velocity)};

	if (launch(run, "particles_clear", cells, clear, 1, err) ||
		launch(run, "particles_reorder", w->n, reorder, 9, err))
		return -1;
	return launch(run, "particles_collide", w->n, collide, 7, err);
}

static int launch_step(struct workload_run *run, struct err *err)
{
	struct particles *w = run->state;
	struct launch_arg move[] = {ARG_VAL(w->world), ARG_BUF(run->result), ARG_BUF(w->velocity)};
	struct launch_arg hash[] = {
		ARG_VAL(w->world), ARG_BUF(run->result), ARG_BUF(w->key[0]), ARG_BUF(w->value[0])};
	uint32_t npasses = passes(w);

	if (run->foreign)
		return sdk_launch_order(run, &w->sdk, err);
	if (launch(run, "particles_integrate", w->n, move, 3, err) ||
		launch(run, "particles_hash", w->n, hash, 4, err))
		return -1;
	for (uint32_t pass = 0; pass < npasses; pass++)
		if (launch_sort(run, pass, err))
			return -1;
	return launch_cells(run, npasses % 2, err);
}

static int make_buffers(struct workload_run *run, const struct moment *start, struct err *err)
{
	struct particles *w = run->state;
	uint64_t quads = w->n * sizeof(struct quad), words = w->n * 4;
	uint64_t cells = w->p.grid * w->p.grid * w->p.grid * 4;
	uint64_t counts = w->n / THREADS * DIGITS * 4;
	unsigned before = err->count;

	workload_result(run, "position", start->position, quads, err);
	w->velocity = workload_buffer(run, "velocity", start->velocity, quads, err);
	w->sorted_position = workload_buffer(run, "sorted_position", NULL, quads, err);
	w->sorted_velocity = workload_buffer(run, "sorted_velocity", NULL, quads, err);
	w->cell_start = workload_buffer(run, "cell_start", NULL, cells, err);
	w->cell_end = workload_buffer(run, "cell_end", NULL, cells, err);
	w->counts = workload_buffer(run, "digit_counts", NULL, counts, err);
	w->starts = workload_buffer(run, "digit_starts", NULL, counts, err);
	w->key[0] = workload_buffer(run, "keys", NULL, words, err);
	w->key[1] = workload_buffer(run, "keys2", NULL, words, err);
	w->value[0] = workload_buffer(run, "values", NULL, words, err);
	w->value[1] = workload_buffer(run, "values2", NULL, words, err);
	return err->count == before ? 0 : -1;
}

/* The SDK's ball does not attract. */
static int set_up_sdk(struct workload_run *run, struct err *err)
{
	struct particles *w = run->state;

	w->ball_attraction = 0;
	w->sdk = (struct sdk_particles){.module = w->module,
		.world = &w->world,
		.n = w->n,
		.position = run->result,
		.velocity = w->velocity,
		.sorted_position = w->sorted_position,
		.sorted_velocity = w->sorted_velocity,
		.cell_start = w->cell_start};
	return sdk_set_up(run, &w->sdk, err);
}

static int setup(struct workload_run *run, struct err *err)
{
	struct particles *w = run->state;

	w->n = workload_by_size(run, w->p.n, 9472, 65536);
	w->steps = workload_by_size(run, w->p.steps, 1, 4);
	if (w->n % THREADS)
		return err_add(err, ERR_INPUT, "particles.n = %u: must be a multiple of 256", w->n);
	if (w->p.grid & (w->p.grid - 1))
		return err_add(err, ERR_INPUT, "particles.grid = %llu: must be a power of two",
			(unsigned long long)w->p.grid);
	for (uint32_t i = 0; i <= w->steps; i++)
		w->moment[i] = (struct moment){arena_alloc(run->arena, w->n, sizeof(struct quad)),
			arena_alloc(run->arena, w->n, sizeof(struct quad))};
	make_world(w);
	make_particles(run, &w->moment[0]);
	w->module = workload_module(run, "particles", err);
	if (!w->module || make_buffers(run, &w->moment[0], err))
		return -1;
	w->ball_attraction = (double)w->world.attraction;
	if (run->foreign && set_up_sdk(run, err))
		return -1;
	return launch_step(run, err);
}

/* Keeps the device's state after the step: the reference starts from it. Contacts amplify
 * roundings, so that no two chains of many steps agree. */
static int next_step(struct workload_run *run, struct err *err)
{
	struct particles *w = run->state;
	struct moment *m;

	w->ordered = run->foreign && !w->ordered;
	if (w->ordered)
		return sdk_launch_contacts(run, &w->sdk, err) ? -1 : 1;
	m = &w->moment[++w->done];
	gpu_read(run->gpu, run->result, 0, m->position, w->n * sizeof(struct quad));
	gpu_read(run->gpu, w->velocity, 0, m->velocity, w->n * sizeof(struct quad));
	if (w->done == w->steps)
		return 0;
	return launch_step(run, err) ? -1 : 1;
}

/* ---- the reference: all pairs that a sweep along x brings together */
struct ball {
	double at[3], velocity[3], force[3];
	uint32_t index;
	/* A wall or another ball is so near that roundings decide whether they touch. */
	bool doubtful;
};

static void move_ball(const struct world *w, struct ball *b)
{
	const double doubt = 2e-7;

	for (unsigned k = 0; k < 3; k++) {
		double speed = (b->velocity[k] + (double)w->gravity[k] * (double)w->time_step) *
			       (double)w->damping;
		double at = b->at[k] + speed * (double)w->time_step, most = 1 - (double)w->radius;

		b->doubtful |= fabs(fabs(at) - most) < doubt;
		b->velocity[k] = fabs(at) > most ? speed * (double)w->wall_damping : speed;
		b->at[k] = fabs(at) > most ? copysign(most, at) : at;
	}
}

/* What `other` does to `b`; the reverse is the opposite. */
static void touch(
	const struct world *w, struct ball *b, struct ball *other, double reach, double attraction)
{
	double way[3], relative[3], squared = 0, along = 0, distance;

	for (unsigned k = 0; k < 3; k++) {
		way[k] = other->at[k] - b->at[k];
		relative[k] = other->velocity[k] - b->velocity[k];
		squared += way[k] * way[k];
		along += way[k] * relative[k];
	}
	distance = sqrt(squared);
	if (fabs(distance - reach) < 1e-8 + 3e-7 * (reach - 2 * (double)w->radius))
		b->doubtful = other->doubtful = true;
	if (distance >= reach)
		return;
	for (unsigned k = 0; k < 3; k++) {
		double across = relative[k] - along / squared * way[k];
		double force = -(double)w->spring * (reach / distance - 1) * way[k] +
			       (double)w->contact_damping * relative[k] +
			       (double)w->shear * across + attraction * way[k];

		b->force[k] += force;
		other->force[k] -= force;
	}
}

static int by_x(const void *a, const void *b)
{
	const struct ball *x = a, *y = b;

	return (x->at[0] > y->at[0]) - (x->at[0] < y->at[0]);
}

static void collide(const struct particles *p, struct ball *balls)
{
	const struct world *w = &p->world;
	double reach = 2 * (double)w->radius;
	uint32_t n = p->n;

	qsort(balls, n, sizeof(*balls), by_x);
	for (uint32_t i = 0; i < n; i++) {
		struct ball obstacle = {
			.at = {(double)w->ball[0], (double)w->ball[1], (double)w->ball[2]}};

		touch(w, &balls[i], &obstacle, (double)w->radius + (double)w->ball_radius,
			p->ball_attraction);
		for (uint32_t k = i + 1; k < n && balls[k].at[0] < balls[i].at[0] + 1.01 * reach;
			k++)
			touch(w, &balls[i], &balls[k], reach, (double)w->attraction);
	}
}

static void start_from(const struct moment *m, struct ball *balls, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct quad *p = &m->position[i], *v = &m->velocity[i];

		balls[i] = (struct ball){.at = {(double)p->x, (double)p->y, (double)p->z},
			.velocity = {(double)v->x, (double)v->y, (double)v->z},
			.index = i};
	}
}

/* Contacts are found between the device's own positions, once those are known to be right. */
static void use_places(const struct moment *m, struct ball *balls, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct quad *p = &m->position[i];

		balls[i].at[0] = (double)p->x;
		balls[i].at[1] = (double)p->y;
		balls[i].at[2] = (double)p->z;
	}
}

/* What differs between ours and theirs, unless a ball is doubtful; w is the fourth number. */
struct comparison {
	const char *name;
	const struct quad *ours;
	bool velocity;
	double tolerance, w;
	uint32_t step;
};

static int compare(
	const struct comparison *c, const struct ball *balls, uint32_t n, struct err *err)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct ball *b = &balls[i];
		const struct quad *q = &c->ours[b->index];
		double ours[4] = {(double)q->x, (double)q->y, (double)q->z, (double)q->w};

		for (unsigned k = 0; k < 4 && !b->doubtful; k++) {
			double theirs = k == 3        ? c->w
					: c->velocity ? b->velocity[k] + b->force[k]
						      : b->at[k];

			if (!(fabs(ours[k] - theirs) <= c->tolerance))
				return err_add(err, ERR_CHECK,
					"%s[%u] is %.9g after step %u, the reference says %.9g; 1 "
					"of %u or more elements differ by more than %.3g "
					"(roundings "
					"of one step)",
					c->name, b->index * 4 + k, ours[k], c->step, theirs, n * 4,
					c->tolerance);
		}
	}
	return 0;
}

/* Positions are below 1, after three roundings; forces are below 0.03, but directions are known
 * only as well as positions 1/64 apart, and some ten contacts add up. */
#define POSITION_ERROR (2 * F32_ROUNDING)
#define VELOCITY_ERROR (1.5 * F32_ROUNDING)

static int check_step(struct workload_run *run, uint32_t step, struct ball *balls, struct err *err)
{
	const struct particles *w = run->state;
	const struct moment *after = &w->moment[step];
	uint32_t doubtful = 0;

	start_from(after - 1, balls, w->n);
	for (uint32_t i = 0; i < w->n; i++)
		move_ball(&w->world, &balls[i]);
	if (compare(&(struct comparison){"position", after->position, false, POSITION_ERROR, 1,
			    step},
		    balls, w->n, err))
		return -1;
	use_places(after, balls, w->n);
	collide(w, balls);
	for (uint32_t i = 0; i < w->n; i++)
		doubtful += balls[i].doubtful;
	if (doubtful > 8 + w->n / 1000)
		return err_add(err, ERR_CHECK,
			"%u of %u particles are too near to a contact to be checked", doubtful,
			w->n);
	return compare(
		&(struct comparison){"velocity", after->velocity, true, VELOCITY_ERROR, 0, step},
		balls, w->n, err);
}

static int check(struct workload_run *run, struct err *err)
{
	struct particles *w = run->state;
	struct moment *last = &w->moment[w->steps];
	struct ball *balls = arena_alloc(run->arena, w->n, sizeof(*balls));

	gpu_read(run->gpu, run->result, 0, last->position, w->n * sizeof(struct quad));
	for (uint32_t step = 1; step <= w->steps; step++)
		if (check_step(run, step, balls, err))
			return -1;
	return 0;
}

static const struct workload_ops ops = {
	.computes = "Balls in a box that fall and push each other.",
	.source = "CUDA SDK, particles (Green, Particle Simulation using CUDA, 2010); in Hayes and "
		  "Zhang, ICS 2014",
	.setup = setup,
	.advance = next_step,
	.check = check,
	.foreign = particles_sdk,
};

const struct plugin particles_workload = {
	.kind = "workload",
	.name = "particles",
	.text = "Colliding particles: a radix sort, then gathers through a grid's cells.",
	.path = "particles",
	.size = sizeof(struct particles),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
