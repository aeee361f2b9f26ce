/* Gravity between all pairs of n bodies, one body a thread (Nyland, Harris and Prins, GPU Gems 3,
 * 2007): a CTA's threads share each other's loads through shared memory, a body a thread and tile,
 * as much as the launch gives. Then one step of a damped leapfrog. w is a position's mass. */
#include "cuda_math.h"

typedef float float4 __attribute__((ext_vector_type(4)));

#define SOFTENING 0.01f /* squared length */
#define DAMPING 0.995f
#define UNROLL 8 /* the number of threads is a multiple of it */

extern __shared__ float4 tile[];

/* The pull of body `other` on one at `own`, softened so that it stays finite. */
static __device__ __forceinline__ void pull(
	float4 own, float4 other, float &ax, float &ay, float &az)
{
	float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
	float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + SOFTENING);
	float scale = other.w * inverse * inverse * inverse;

	ax += dx * scale;
	ay += dy * scale;
	az += dz * scale;
}

extern "C" __global__ void nbody(
	const float4 *from, float4 *to, float4 *velocities, int n, float time_step)
{
	int threads = (int)blockDim.x, t = (int)threadIdx.x;
	int i = (int)blockIdx.x * threads + t;
	float4 own = from[i];
	float ax = 0.0f, ay = 0.0f, az = 0.0f;
	float4 v;

	int first = 0;

	do {
		int k = 0;

		tile[t] = from[first + t];
		barrier();
		do {
#pragma unroll
			for (int j = 0; j < UNROLL; j++)
				pull(own, tile[k + j], ax, ay, az);
			k += UNROLL;
		} while (k < threads);
		barrier();
		first += threads;
	} while (first < n);
	v = velocities[i];
	v.x = (v.x + ax * time_step) * DAMPING;
	v.y = (v.y + ay * time_step) * DAMPING;
	v.z = (v.z + az * time_step) * DAMPING;
	own.x += v.x * time_step;
	own.y += v.y * time_step;
	own.z += v.z * time_step;
	to[i] = own;
	velocities[i] = v;
}
