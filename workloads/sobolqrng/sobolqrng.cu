/* Sobol's quasi-random numbers (Sobol, 1967) in Gray-code order (Antonov and Saleev, 1979; Bratley
 * and Fox, TOMS 1988): point i is the exclusive or of the direction numbers at the ones of Gray(i).
 * blockIdx.y is the dimension. A thread makes every 2^k-th point, 2^k the threads of a dimension:
 * from one of its points to the next only two bits of the Gray code change, bit k - 1 and one
 * above.
 */
#include "cuda.h"

#define DIRECTIONS 32

/* x > 0: the index of its lowest one. */
static __device__ __forceinline__ int lowest_one(unsigned x)
{
	return __builtin_ctz(x);
}

extern "C" __global__ void sobolqrng(int points, const unsigned *all_directions, float *all_numbers)
{
	__shared__ unsigned direction[DIRECTIONS];
	const unsigned *directions = all_directions + DIRECTIONS * blockIdx.y;
	float *numbers = all_numbers + points * (int)blockIdx.y;
	int first = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	int stride = (int)(gridDim.x * blockDim.x);
	int log_stride = lowest_one((unsigned)stride);
	unsigned x = 0, gray = (unsigned)(first ^ (first >> 1)), near;

	if (threadIdx.x < DIRECTIONS)
		direction[threadIdx.x] = directions[threadIdx.x];
	__syncthreads();
#pragma unroll 1
	for (int k = 0; k < log_stride; k++, gray >>= 1)
		x ^= -(gray & 1) & direction[k];
	near = direction[log_stride - 1];
#pragma unroll 1
	for (int i = first; i < points; i += stride) {
		numbers[i] = (float)x * 0x1p-32f;
		x ^= near ^ direction[lowest_one(~(unsigned)(i | (stride - 1)))];
	}
}
