/* Compressible flow without viscosity around a body: finite volumes on an unstructured mesh of
 * tetrahedra, explicit Runge-Kutta steps of local size (Corrigan et al., AIAA 2009). One thread an
 * element; variables lie one behind the other: density, momentum along x, y, z, energy. */
#include "cuda_math.h"

#define VARIABLES 5
#define FACES 4
#define GAMMA 1.4f
#define SMOOTHING 0.2f
#define RK_STEPS 3

/* Instead of a neighbour. */
#define BODY -1
#define FAR -2

struct vector {
	float x, y, z;
};

struct state {
	float density;
	vector momentum;
	float energy;
};

struct derived {
	vector velocity;
	float speed_sqd, pressure, speed_of_sound;
};

/* Flux of each component of the momentum, and of the energy. */
struct fluxes {
	vector momentum_x, momentum_y, momentum_z, energy;
};

/* The undisturbed flow. */
struct far_field {
	state at;
	fluxes through;
};

static __device__ __forceinline__ float dot(vector a, vector b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

static __device__ __forceinline__ state load(const float *variables, int i, int n)
{
	return state{variables[i], {variables[i + n], variables[i + 2 * n], variables[i + 3 * n]},
		variables[i + 4 * n]};
}

static __device__ __forceinline__ derived derive(state s)
{
	derived d;

	d.velocity = vector{
		s.momentum.x / s.density, s.momentum.y / s.density, s.momentum.z / s.density};
	d.speed_sqd = dot(d.velocity, d.velocity);
	d.pressure = (GAMMA - 1.0f) * (s.energy - 0.5f * s.density * d.speed_sqd);
	d.speed_of_sound = sqrtf(GAMMA * d.pressure / s.density);
	return d;
}

static __device__ __forceinline__ fluxes flux_of(state s, derived d)
{
	fluxes f;
	float enthalpy = s.energy + d.pressure;

	f.momentum_x = vector{d.velocity.x * s.momentum.x + d.pressure, d.velocity.x * s.momentum.y,
		d.velocity.x * s.momentum.z};
	f.momentum_y = vector{f.momentum_x.y, d.velocity.y * s.momentum.y + d.pressure,
		d.velocity.y * s.momentum.z};
	f.momentum_z =
		vector{f.momentum_x.z, f.momentum_y.z, d.velocity.z * s.momentum.z + d.pressure};
	f.energy =
		vector{d.velocity.x * enthalpy, d.velocity.y * enthalpy, d.velocity.z * enthalpy};
	return f;
}

/* Adds what crosses a face between two flows: half of both sides' fluxes. */
static __device__ __forceinline__ void cross(
	state *sum, vector half, vector momentum, const fluxes &f, vector other, const fluxes &g)
{
	sum->density +=
		dot(half, vector{momentum.x + other.x, momentum.y + other.y, momentum.z + other.z});
	sum->energy += dot(half,
		vector{f.energy.x + g.energy.x, f.energy.y + g.energy.y, f.energy.z + g.energy.z});
	sum->momentum.x +=
		dot(half, vector{f.momentum_x.x + g.momentum_x.x, f.momentum_x.y + g.momentum_x.y,
				  f.momentum_x.z + g.momentum_x.z});
	sum->momentum.y +=
		dot(half, vector{f.momentum_y.x + g.momentum_y.x, f.momentum_y.y + g.momentum_y.y,
				  f.momentum_y.z + g.momentum_y.z});
	sum->momentum.z +=
		dot(half, vector{f.momentum_z.x + g.momentum_z.x, f.momentum_z.y + g.momentum_z.y,
				  f.momentum_z.z + g.momentum_z.z});
}

/* Starts from the undisturbed flow, each variable times 1 + disturbance. */
extern "C" __global__ void cfd_initialize(
	far_field far, const float *disturbance, float *variables, int n)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	float start[VARIABLES] = {far.at.density, far.at.momentum.x, far.at.momentum.y,
		far.at.momentum.z, far.at.energy};

#pragma unroll
	for (int k = 0; k < VARIABLES; k++)
		variables[i + k * n] = start[k] * (1.0f + disturbance[i + k * n]);
}

extern "C" __global__ void cfd_copy(const float *from, float *to)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	to[i] = from[i];
}

/* How far each element may go in time, by its volume. */
extern "C" __global__ void cfd_step_factor(
	const float *variables, const float *volumes, float *factors, int n)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	derived d = derive(load(variables, i, n));

	factors[i] = 0.5f / (sqrtf(volumes[i]) * (sqrtf(d.speed_sqd) + d.speed_of_sound));
}

/* What flows into each element through its four faces. */
extern "C" __global__ void cfd_flux(far_field far, const int *neighbours, const float *normals,
	const float *variables, float *inflow, int n)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	state own = load(variables, i, n);
	derived own_d = derive(own);
	fluxes own_f = flux_of(own, own_d);
	float own_speed = sqrtf(own_d.speed_sqd) + own_d.speed_of_sound;
	state sum = {0, {0, 0, 0}, 0};

#pragma unroll
	for (int face = 0; face < FACES; face++) {
		int nb = neighbours[i + face * n];
		vector normal = {normals[i + face * n], normals[i + (face + FACES) * n],
			normals[i + (face + 2 * FACES) * n]};
		vector half = {-0.5f * normal.x, -0.5f * normal.y, -0.5f * normal.z};

		if (nb >= 0) {
			state s = load(variables, nb, n);
			derived d = derive(s);
			float artificial = -sqrtf(dot(normal, normal)) * (0.5f * SMOOTHING) *
					   (own_speed + sqrtf(d.speed_sqd) + d.speed_of_sound);

			sum.density += artificial * (own.density - s.density);
			sum.energy += artificial * (own.energy - s.energy);
			sum.momentum.x += artificial * (own.momentum.x - s.momentum.x);
			sum.momentum.y += artificial * (own.momentum.y - s.momentum.y);
			sum.momentum.z += artificial * (own.momentum.z - s.momentum.z);
			cross(&sum, half, own.momentum, own_f, s.momentum, flux_of(s, d));
		} else if (nb == BODY) {
			sum.momentum.x -= normal.x * own_d.pressure;
			sum.momentum.y -= normal.y * own_d.pressure;
			sum.momentum.z -= normal.z * own_d.pressure;
		} else {
			cross(&sum, half, own.momentum, own_f, far.at.momentum, far.through);
		}
	}
	inflow[i] = sum.density;
	inflow[i + n] = sum.momentum.x;
	inflow[i + 2 * n] = sum.momentum.y;
	inflow[i + 3 * n] = sum.momentum.z;
	inflow[i + 4 * n] = sum.energy;
}

/* Step j of a Runge-Kutta step, from the variables before the first. */
extern "C" __global__ void cfd_time_step(
	int j, const float *old, const float *factors, const float *inflow, float *variables, int n)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	float factor = factors[i] / (float)(RK_STEPS + 1 - j);

#pragma unroll
	for (int k = 0; k < VARIABLES; k++)
		variables[i + k * n] = old[i + k * n] + factor * inflow[i + k * n];
}
