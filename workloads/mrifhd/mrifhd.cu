/* The vector F^H d of magnetic resonance imaging on a non-Cartesian trajectory (Stone et al.,
 * Computing Frontiers 2008): for each voxel a sum over all samples of k-space, turned by their
 * phase there. A thread has one voxel; all read the same sample at a time, from constant memory.
 * Sine and cosine are the hardware's. */
#include "cuda.h"
#include "cuda_math.h"

#define TURN 6.28318531f

/* Samples of a launch. */
#define TILE 512

/* The samples: the measured data d times the conjugate of phi. */
extern "C" __global__ void mrifhd_products(int n, const float *phi_r, const float *phi_i,
	const float *d_r, const float *d_i, float *product_r, float *product_i)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i < n) {
		float a = phi_r[i], b = phi_i[i], c = d_r[i], d = d_i[i];

		product_r[i] = a * c + b * d;
		product_i[i] = a * d - b * c;
	}
}

struct sample {
	float x, y, z, r, i;
};

__constant__ sample samples[TILE];

struct complex {
	float r, i;
};

static __device__ __forceinline__ void add(complex &f, const sample &k, float x, float y, float z)
{
	float phase = TURN * (k.x * x + k.y * y + k.z * z);
	float c = __cosf(phase), s = __sinf(phase);

	f.r += k.r * c - k.i * s;
	f.i += k.i * c + k.r * s;
}

/* Adds the samples from `first` on that constant memory holds, of n: what is beyond a multiple of
 * four one by one, then four in a round. */
extern "C" __global__ void mrifhd(
	int n, int first, const float *x, const float *y, const float *z, float *f_r, float *f_i)
{
	int voxel = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	float vx = x[voxel], vy = y[voxel], vz = z[voxel];
	complex f = {f_r[voxel], f_i[voxel]};
	int held = min(n - first, TILE);
	int k = 0;

#pragma unroll 1
	for (; k < (held & 3); k++)
		add(f, samples[k], vx, vy, vz);
#pragma unroll 1
	for (; k < held; k += 4)
#pragma unroll
		for (int i = 0; i < 4; i++)
			add(f, samples[k + i], vx, vy, vz);
	f_r[voxel] = f.r;
	f_i[voxel] = f.i;
}
