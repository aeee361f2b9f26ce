/* particles with the SDK's own kernels. */
#include "workloads/particles/sdk.h"

#include <string.h>

/* How the SDK's radix sort is compiled. */
#define RADIX_BITS 8u
#define RADIX_CTAS 48u
#define RADIX_THREADS 64u
#define RADIX_ELEMENTS 3072u
#define PREFIX_CTAS 16u
#define PREFIX_THREADS 192u
#define SUM_BYTES 4096u
#define PREFIX_BYTES 13824u
#define SHUFFLE_BYTES 4160u

#define THREADS 256u
#define CONTACT_THREADS 64u

#define SDK "sdk2.2/particleSystem.ptx"

const struct workload_foreign particles_sdk[] = {
	FOREIGN(SDK, "integrate", "_Z9integrateP6float4S0_S0_S0_f", NULL),
	FOREIGN(SDK, "hash", "_Z9calcHashDP6float4P5uint2", NULL),
	FOREIGN(SDK, "radix_sum", "_Z8RadixSumP12KeyValuePairjjj", NULL),
	FOREIGN(SDK, "radix_prefix", "_Z14RadixPrefixSumv", NULL),
	FOREIGN(SDK, "radix_shuffle", "_Z25RadixAddOffsetsAndShuffleP12KeyValuePairS0_jji", NULL),
	FOREIGN(SDK, "reorder", "_Z28reorderDataAndFindCellStartDP5uint2P6float4S2_S2_S2_Pj", NULL),
	FOREIGN(SDK, "collide", "_Z8collideDP6float4S0_S0_S0_P5uint2Pj", NULL),
	FOREIGN(SDK, "world", "params", NULL),
	FOREIGN(SDK, "position_texture", "oldPosTex", NULL),
	FOREIGN(SDK, "velocity_texture", "oldVelTex", NULL),
	FOREIGN(SDK, "key_texture", "particleHashTex", NULL),
	FOREIGN(SDK, "start_texture", "cellStartTex", NULL),
	{.file = NULL},
};

/* The world as the SDK's kernels read it from constant memory. */
struct sdk_world {
	float ball[4], ball_radius, gravity[3], damping, radius;
	uint32_t size[3], cells;
	float origin[3], cell[3];
	uint32_t n, most_in_cell;
	float spring, contact_damping, shear, attraction, wall_damping, unused;
};

static int write_world(struct workload_run *run, const struct sdk_particles *s, struct err *err)
{
	const struct world *w = s->world;
	buffer_t buffer = workload_variable(run, "world", sizeof(struct sdk_world), err);
	uint32_t size = (uint32_t)w->size;
	struct sdk_world theirs = {
		.ball_radius = w->ball_radius,
		.damping = w->damping,
		.radius = w->radius,
		.size = {size, size, size},
		.cells = size * size * size,
		.cell = {w->cell, w->cell, w->cell},
		.n = s->n,
		.most_in_cell = s->n,
		.spring = w->spring,
		.contact_damping = w->contact_damping,
		.shear = w->shear,
		.attraction = w->attraction,
		.wall_damping = w->wall_damping,
	};

	if (!buffer)
		return -1;
	memcpy(theirs.ball, w->ball, sizeof(w->ball));
	memcpy(theirs.gravity, w->gravity, sizeof(w->gravity));
	memcpy(theirs.origin, w->origin, sizeof(w->origin));
	gpu_write(run->gpu, buffer, 0, &theirs, sizeof(theirs));
	return 0;
}

/* A row of texels; beyond its end there are zeros. */
static texture_t row(struct workload_run *run, const char *name, buffer_t buffer,
	enum texel_type type, unsigned channels, struct err *err)
{
	uint64_t bytes = buffer ? gpu_buffer_bytes(run->gpu, buffer) : 0;

	if (!buffer)
		return 0;
	return gpu_texture(run->gpu, name,
		&(struct texture_desc){.buffer = buffer,
			.type = type,
			.channels = channels,
			.width = (uint32_t)(bytes / (4 * channels)),
			.mode = {ADDRESS_BORDER}},
		err);
}

int sdk_set_up(struct workload_run *run, struct sdk_particles *s, struct err *err)
{
	unsigned before = err->count;

	s->pairs[0] = workload_buffer(run, "pairs", NULL, s->n * 8ull, err);
	s->pairs[1] = workload_buffer(run, "pairs2", NULL, s->n * 8ull, err);
	s->positions = row(run, "positions", s->position, TEXEL_F32, 4, err);
	s->velocities = row(run, "velocities", s->velocity, TEXEL_F32, 4, err);
	s->sorted_positions = row(run, "sorted_positions", s->sorted_position, TEXEL_F32, 4, err);
	s->sorted_velocities = row(run, "sorted_velocities", s->sorted_velocity, TEXEL_F32, 4, err);
	s->keys = row(run, "keys", s->pairs[0], TEXEL_U32, 2, err);
	s->starts = row(run, "starts", s->cell_start, TEXEL_U32, 1, err);
	return err->count > before || write_world(run, s, err) ? -1 : 0;
}

static int launch(
	struct workload_run *run, const struct launch *shape, uint32_t threads, struct err *err)
{
	struct launch l = *shape;

	l.grid[1] = l.grid[2] = l.block[1] = l.block[2] = 1;
	l.block[0] = threads;
	return workload_launch(run, &l, err);
}

static int launch_particles(struct workload_run *run, const struct sdk_particles *s,
	const char *kernel, const struct launch_arg *args, unsigned nargs, struct err *err)
{
	return launch(run,
		&(struct launch){.module = s->module,
			.kernel = kernel,
			.grid = {s->n / THREADS},
			.args = args,
			.nargs = nargs},
		THREADS, err);
}

/* Sorts the pairs by one byte of the key. */
static int launch_pass(
	struct workload_run *run, const struct sdk_particles *s, uint32_t shift, struct err *err)
{
	unsigned from = shift / RADIX_BITS % 2;
	uint32_t rounded = (uint32_t)div_up(s->n, RADIX_ELEMENTS) * RADIX_ELEMENTS;
	struct launch sum = {.module = s->module,
		.kernel = "radix_sum",
		.grid = {RADIX_CTAS},
		.shared_bytes = SUM_BYTES,
		.args = (struct launch_arg[]){ARG_BUF(s->pairs[from]), ARG_VAL(s->n),
			ARG_VAL(rounded), ARG_VAL(shift)},
		.nargs = 4};
	struct launch prefix = {.module = s->module,
		.kernel = "radix_prefix",
		.grid = {PREFIX_CTAS},
		.shared_bytes = PREFIX_BYTES};
	struct launch shuffle = {.module = s->module,
		.kernel = "radix_shuffle",
		.grid = {RADIX_CTAS},
		.shared_bytes = SHUFFLE_BYTES,
		.args = (struct launch_arg[]){ARG_BUF(s->pairs[from]), ARG_BUF(s->pairs[!from]),
			ARG_VAL(s->n), ARG_VAL(rounded), ARG_VAL(shift)},
		.nargs = 5};

	if (launch(run, &sum, RADIX_THREADS, err) || launch(run, &prefix, PREFIX_THREADS, err))
		return -1;
	return launch(run, &shuffle, RADIX_THREADS, err);
}

static int bind(struct workload_run *run, const struct sdk_particles *s, texture_t positions,
	texture_t velocities, struct err *err)
{
	return workload_bind(run, s->module, "position_texture", positions, err) ||
			       workload_bind(run, s->module, "velocity_texture", velocities, err) ||
			       workload_bind(run, s->module, "key_texture", s->keys, err) ||
			       workload_bind(run, s->module, "start_texture", s->starts, err)
		       ? -1
		       : 0;
}

int sdk_launch_order(struct workload_run *run, const struct sdk_particles *s, struct err *err)
{
	struct launch_arg position = ARG_BUF(s->position), velocity = ARG_BUF(s->velocity);
	struct launch_arg pairs = ARG_BUF(s->pairs[0]);
	struct launch_arg integrate[] = {
		position, velocity, position, velocity, ARG_VAL(s->world->time_step)};
	struct launch_arg hash[] = {position, pairs};
	struct launch_arg reorder[] = {pairs, position, velocity, ARG_BUF(s->sorted_position),
		ARG_BUF(s->sorted_velocity), ARG_BUF(s->cell_start)};
	uint64_t cells = gpu_buffer_bytes(run->gpu, s->cell_start);
	void *empty = arena_alloc(run->arena, cells, 1);

	memset(empty, 0xff, cells);
	gpu_write(run->gpu, s->cell_start, 0, empty, cells);
	if (bind(run, s, s->positions, s->velocities, err) ||
		launch_particles(run, s, "integrate", integrate, 5, err) ||
		launch_particles(run, s, "hash", hash, 2, err))
		return -1;
	for (uint32_t shift = 0; shift < 32; shift += RADIX_BITS)
		if (launch_pass(run, s, shift, err))
			return -1;
	return launch_particles(run, s, "reorder", reorder, 6, err);
}

int sdk_launch_contacts(struct workload_run *run, const struct sdk_particles *s, struct err *err)
{
	struct launch_arg args[] = {ARG_BUF(s->position), ARG_BUF(s->velocity),
		ARG_BUF(s->sorted_position), ARG_BUF(s->sorted_velocity), ARG_BUF(s->pairs[0]),
		ARG_BUF(s->cell_start)};

	if (bind(run, s, s->sorted_positions, s->sorted_velocities, err))
		return -1;
	return launch(run,
		&(struct launch){.module = s->module,
			.kernel = "collide",
			.grid = {s->n / CONTACT_THREADS},
			.args = args,
			.nargs = 6},
		CONTACT_THREADS, err);
}
