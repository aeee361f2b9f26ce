/* Particles that collide (Green, Particle Simulation using CUDA, 2010): they move, are sorted by
 * the cell of a grid in which they are, and each looks for contacts in its own and the 26 cells
 * around. The sort is a radix sort of four bits a pass (Satish et al., IPDPS 2009): CTAs sort their
 * part, digits are counted, counts are summed up, all go to their places. */
#include "cuda_math.h"

#define THREADS 256
#define WARPS (THREADS / 32)
#define DIGITS 16
#define DIGIT_BITS 4
#define EMPTY 0xffffffffu

struct vector {
	float x, y, z;
};

struct __attribute__((aligned(16))) quad {
	float x, y, z, w;
};

struct world {
	vector gravity;
	float time_step, damping, wall_damping; /* of all motion, and at walls */
	float radius;
	vector origin;
	float cell;  /* edge */
	int size;    /* cells along each axis, a power of two */
	vector ball; /* that lies in the way */
	float ball_radius;
	float spring, contact_damping, shear, attraction;
};

static __device__ __forceinline__ vector operator+(vector a, vector b)
{
	return vector{a.x + b.x, a.y + b.y, a.z + b.z};
}

static __device__ __forceinline__ vector operator-(vector a, vector b)
{
	return vector{a.x - b.x, a.y - b.y, a.z - b.z};
}

static __device__ __forceinline__ vector operator*(float s, vector a)
{
	return vector{s * a.x, s * a.y, s * a.z};
}

static __device__ __forceinline__ float dot(vector a, vector b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

static __device__ __forceinline__ int thread_index()
{
	return (int)(blockIdx.x * THREADS + threadIdx.x);
}

/* ---- motion */
static __device__ __forceinline__ void bounce(float *at, float *velocity, world w)
{
	if (*at > 1.0f - w.radius) {
		*at = 1.0f - w.radius;
		*velocity *= w.wall_damping;
	}
	if (*at < -1.0f + w.radius) {
		*at = -1.0f + w.radius;
		*velocity *= w.wall_damping;
	}
}

extern "C" __global__ void particles_integrate(world w, quad *positions, quad *velocities)
{
	int i = thread_index();
	quad p = positions[i], v = velocities[i];
	vector velocity = w.damping * (vector{v.x, v.y, v.z} + w.time_step * w.gravity);
	vector at = vector{p.x, p.y, p.z} + w.time_step * velocity;

	bounce(&at.x, &velocity.x, w);
	bounce(&at.y, &velocity.y, w);
	bounce(&at.z, &velocity.z, w);
	positions[i] = quad{at.x, at.y, at.z, p.w};
	velocities[i] = quad{velocity.x, velocity.y, velocity.z, v.w};
}

/* ---- the grid: beyond its borders it goes on with its other side */
struct place {
	int x, y, z;
};

static __device__ __forceinline__ place cell_of(world w, vector at)
{
	return place{(int)floorf((at.x - w.origin.x) / w.cell),
		(int)floorf((at.y - w.origin.y) / w.cell),
		(int)floorf((at.z - w.origin.z) / w.cell)};
}

static __device__ __forceinline__ unsigned hash_of(world w, place cell)
{
	int last = w.size - 1;

	return (unsigned)(((cell.z & last) * w.size + (cell.y & last)) * w.size + (cell.x & last));
}

extern "C" __global__ void particles_hash(
	world w, const quad *positions, unsigned *keys, unsigned *values)
{
	int i = thread_index();
	quad p = positions[i];

	keys[i] = hash_of(w, cell_of(w, vector{p.x, p.y, p.z}));
	values[i] = (unsigned)i;
}

/* ---- the sort */
/* The lanes of the warp for which it is so. */
static __device__ __forceinline__ unsigned ballot(bool so)
{
	unsigned lanes;

	__asm__ volatile("{\n\t.reg .pred so;\n\tsetp.ne.u32 so, %1, 0;\n\t"
			 "vote.ballot.b32 %0, so;\n\t}"
			 : "=r"(lanes)
			 : "r"((unsigned)so));
	return lanes;
}

/* Sorts each CTA's part by the digit at `shift`, bit by bit, keeping the order of equals; tells
 * where each digit starts, and how many there are: counts[digit][CTA]. */
extern "C" __global__ void particles_sort_part(
	unsigned *keys, unsigned *values, unsigned *counts, unsigned *starts, int shift)
{
	__shared__ unsigned part_keys[THREADS], part_values[THREADS];
	__shared__ unsigned ones[WARPS];
	__shared__ unsigned start[DIGITS], end[DIGITS];
	int i = thread_index();
	unsigned t = threadIdx.x, warp = t / 32, key = keys[i], value = values[i];
	unsigned digit, before;

#pragma unroll 1
	for (int bit = shift; bit < shift + DIGIT_BITS; bit++) {
		bool set = key >> bit & 1;
		unsigned vote = ballot(set);
		unsigned below = (unsigned)__builtin_popcount(
			vote & (unsigned)__nvvm_read_ptx_sreg_lanemask_lt());
		unsigned total = 0, to;

		if (t % 32 == 0)
			ones[warp] = (unsigned)__builtin_popcount(vote);
		barrier();
#pragma unroll
		for (unsigned k = 0; k < WARPS; k++) {
			below += k < warp ? ones[k] : 0;
			total += ones[k];
		}
		to = set ? THREADS - total + below : t - below;
		part_keys[to] = key;
		part_values[to] = value;
		barrier();
		key = part_keys[t];
		value = part_values[t];
	}
	keys[i] = key;
	values[i] = value;
	if (t < DIGITS)
		start[t] = end[t] = 0;
	barrier();
	digit = key >> shift & (DIGITS - 1);
	before = t ? part_keys[t - 1] >> shift & (DIGITS - 1) : DIGITS;
	if (digit != before) {
		start[digit] = t;
		if (t)
			end[before] = t;
	}
	if (t == THREADS - 1)
		end[digit] = THREADS;
	barrier();
	if (t < DIGITS) {
		counts[t * gridDim.x + blockIdx.x] = end[t] - start[t];
		starts[blockIdx.x * DIGITS + t] = start[t];
	}
}

/* One CTA replaces n counts by the sums of those before each. */
extern "C" __global__ void particles_sort_sum(unsigned *counts, int n)
{
	__shared__ unsigned sum[THREADS];
	unsigned t = threadIdx.x, carry = 0;

#pragma unroll 1
	for (int i = (int)t; i < n + (int)t; i += THREADS) {
		unsigned own = i < n ? counts[i] : 0;

		sum[t] = own;
		barrier();
#pragma unroll 1
		for (unsigned far = 1; far < THREADS; far *= 2) {
			unsigned other = t >= far ? sum[t - far] : 0;

			barrier();
			sum[t] += other;
			barrier();
		}
		if (i < n)
			counts[i] = carry + sum[t] - own;
		carry += sum[THREADS - 1];
		barrier();
	}
}

extern "C" __global__ void particles_sort_move(const unsigned *keys, const unsigned *values,
	const unsigned *counts, const unsigned *starts, unsigned *to_keys, unsigned *to_values,
	int shift)
{
	int i = thread_index();
	unsigned key = keys[i], digit = key >> shift & (DIGITS - 1);
	unsigned to = counts[digit * gridDim.x + blockIdx.x] + threadIdx.x -
		      starts[blockIdx.x * DIGITS + digit];

	to_keys[to] = key;
	to_values[to] = values[i];
}

/* ---- cells */
extern "C" __global__ void particles_clear(unsigned *cell_start)
{
	cell_start[thread_index()] = EMPTY;
}

/* Finds where each cell's particles start and end, and puts all in the cells' order. */
extern "C" __global__ void particles_reorder(const unsigned *keys, const unsigned *values,
	const quad *positions, const quad *velocities, unsigned *cell_start, unsigned *cell_end,
	quad *sorted_positions, quad *sorted_velocities, int n)
{
	__shared__ unsigned part[THREADS + 1];
	int i = thread_index(), t = (int)threadIdx.x;
	unsigned key = keys[i], from = values[i];

	part[t + 1] = key;
	if (i > 0 && t == 0)
		part[0] = keys[i - 1];
	barrier();
	if (i == 0 || key != part[t]) {
		cell_start[key] = (unsigned)i;
		if (i > 0)
			cell_end[part[t]] = (unsigned)i;
	}
	if (i == n - 1)
		cell_end[key] = (unsigned)(i + 1);
	sorted_positions[i] = positions[from];
	sorted_velocities[i] = velocities[from];
}

/* ---- contacts */
/* What a ball at `other` does to one at `at`: a spring, dampers along and across, attraction. */
static __device__ __forceinline__ vector contact(
	world w, vector at, vector other, vector velocity, vector other_velocity, float reach)
{
	vector way = other - at;
	float distance = sqrtf(dot(way, way));
	vector normal, relative, across;

	if (distance >= reach)
		return vector{0, 0, 0};
	normal = (1.0f / distance) * way;
	relative = other_velocity - velocity;
	across = relative - dot(relative, normal) * normal;
	return -w.spring * (reach - distance) * normal + w.contact_damping * relative +
	       w.shear * across + w.attraction * way;
}

static __device__ __forceinline__ vector contacts_in_cell(world w, place cell, unsigned self,
	vector at, vector velocity, const quad *positions, const quad *velocities,
	const unsigned *cell_start, const unsigned *cell_end)
{
	unsigned hash = hash_of(w, cell), start = cell_start[hash];
	vector force = {0, 0, 0};

	if (start == EMPTY)
		return force;
	for (unsigned k = start; k < cell_end[hash]; k++) {
		quad p, v;

		if (k == self)
			continue;
		p = positions[k];
		v = velocities[k];
		force = force + contact(w, at, vector{p.x, p.y, p.z}, velocity,
					vector{v.x, v.y, v.z}, 2.0f * w.radius);
	}
	return force;
}

extern "C" __global__ void particles_collide(world w, const quad *positions, const quad *velocities,
	const unsigned *values, const unsigned *cell_start, const unsigned *cell_end,
	quad *new_velocities)
{
	unsigned i = (unsigned)thread_index();
	quad p = positions[i], v = velocities[i];
	vector at = {p.x, p.y, p.z}, velocity = {v.x, v.y, v.z}, force = {0, 0, 0};
	place cell = cell_of(w, at);

#pragma unroll 1
	for (int z = -1; z <= 1; z++)
#pragma unroll 1
		for (int y = -1; y <= 1; y++)
#pragma unroll 1
			for (int x = -1; x <= 1; x++)
				force = force + contacts_in_cell(w,
							place{cell.x + x, cell.y + y, cell.z + z},
							i, at, velocity, positions, velocities,
							cell_start, cell_end);
	force = force + contact(w, at, w.ball, velocity, vector{0, 0, 0}, w.radius + w.ball_radius);
	velocity = velocity + force;
	new_velocities[values[i]] = quad{velocity.x, velocity.y, velocity.z, 0.0f};
}
