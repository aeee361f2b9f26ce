/* The matrix Q of magnetic resonance imaging on a non-Cartesian trajectory (Stone et al., Computing
 * Frontiers 2008): for each voxel a sum over all samples of k-space of their magnitude, turned by
 * their phase there. A thread has one voxel; all read the same sample at a time, from constant
 * memory. Sine and cosine are the hardware's. */
#include "cuda.h"
#include "cuda_math.h"

#define TURN 6.28318531f

/* Samples of a launch. */
#define TILE 1024

extern "C" __global__ void mriq_magnitude(
	const float *phi_r, const float *phi_i, float *magnitude, int n)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i < n)
		magnitude[i] = phi_r[i] * phi_r[i] + phi_i[i] * phi_i[i];
}

struct __attribute__((aligned(16))) sample {
	float x, y, z, magnitude;
};

__constant__ sample samples[TILE];

struct complex {
	float r, i;
};

static __device__ __forceinline__ void add(complex &q, const sample &k, float x, float y, float z)
{
	float phase = TURN * (k.x * x + k.y * y + k.z * z);

	q.r += k.magnitude * __cosf(phase);
	q.i += k.magnitude * __sinf(phase);
}

/* Adds the samples from `first` on that constant memory holds, of n: two in a round; of an odd
 * number one before. */
extern "C" __global__ void mriq(
	int n, int first, const float *x, const float *y, const float *z, float *q_r, float *q_i)
{
	int voxel = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	float vx = x[voxel], vy = y[voxel], vz = z[voxel];
	complex q = {q_r[voxel], q_i[voxel]};
	int held = min(n - first, TILE);
	int k = held & 1;

	if (k)
		add(q, samples[0], vx, vy, vz);
#pragma unroll 1
	for (; k < held; k += 2) {
		add(q, samples[k], vx, vy, vz);
		add(q, samples[k + 1], vx, vy, vz);
	}
	q_r[voxel] = q.r;
	q_i[voxel] = q.i;
}
