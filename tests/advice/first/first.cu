/* Kernels that wait for one thing most: a barrier, the instruction before, DRAM
 * that reads lines again, MSHRs. */
#include "../../../workloads/cuda.h"

/* In each step one warp of eight follows a chain in shared memory, and the others wait. */
extern "C" __global__ void barriers(unsigned *out, unsigned steps)
{
	__shared__ unsigned next[256];
	unsigned warp = threadIdx.x / 32, at = threadIdx.x;

	next[at] = at;
	for (unsigned s = 0; s < steps; s++) {
		unsigned turns = (warp + s) % 8 ? 1 : 16;

		for (unsigned t = 0; t < turns; t++)
			at = next[at];
		__syncthreads();
	}
	out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

/* A chain of multiply-adds. */
extern "C" __global__ void dependency(float *out, unsigned steps, float by)
{
	float v = (float)threadIdx.x;

	for (unsigned s = 0; s < steps; s++)
#pragma unroll
		for (unsigned k = 0; k < 32; k++)
			v = v * by + 0.5f;
	out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

/* All CTAs read the whole table again and again, a line of a warp at a time, each what another one
 * read before. */
extern "C" __global__ void refetch(const unsigned *table, unsigned *out, unsigned n, unsigned passes)
{
	unsigned me = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x, sum = 0;

	for (unsigned p = 0; p < passes; p++)
		for (unsigned i = (me + p * 5 * blockDim.x) % step; i < n; i += 4 * step)
			sum += (table[i] + table[i + step]) +
			       (table[i + 2 * step] + table[i + 3 * step]);
	out[me] = sum;
}
