/* Sum of an array in a tree (Harris, Optimizing Parallel Reduction in CUDA, 2007, the last of its
 * seven kernels): threads add up as many elements as the grid leaves them, two at a time, a CTA
 * halves its sums in shared memory with all steps unrolled, and the last warp goes on without
 * barriers. */
#include "cuda_math.h"

/* The warp's lanes run together: what one stores is there when the others load. */
template <int B>
static __device__ __forceinline__ void reduce_warp(volatile int *sums, int &sum, int t)
{
	if (B >= 64)
		sums[t] = sum = sum + sums[t + 32];
	sums[t] = sum = sum + sums[t + 16];
	sums[t] = sum = sum + sums[t + 8];
	sums[t] = sum = sum + sums[t + 4];
	sums[t] = sum = sum + sums[t + 2];
	sums[t] = sum = sum + sums[t + 1];
}

/* Adds the upper half of `width` sums to the lower one. */
template <int B, int width> static __device__ __forceinline__ void halve(int *sums, int &sum, int t)
{
	if (B < width)
		return;
	if (t < width / 2)
		sums[t] = sum = sum + sums[t + width / 2];
	barrier();
}

template <int B> static __device__ __forceinline__ void reduce(const int *in, int *out, unsigned n)
{
	/* Lanes 16 to 31 of a lone warp read beyond its sums. */
	__shared__ int sums[B < 64 ? 2 * B : B];
	int t = (int)threadIdx.x, sum = 0;

	for (unsigned i = blockIdx.x * (B * 2) + threadIdx.x; i < n; i += B * 2 * gridDim.x) {
		sum += in[i];
		if (i + B < n)
			sum += in[i + B];
	}
	sums[t] = sum;
	barrier();
	halve<B, 512>(sums, sum, t);
	halve<B, 256>(sums, sum, t);
	halve<B, 128>(sums, sum, t);
	if (t < 32)
		reduce_warp<B>(sums, sum, t);
	if (t == 0)
		out[blockIdx.x] = sum;
}

#define REDUCTION(B) \
	extern "C" __global__ void reduction_##B(const int *in, int *out, unsigned n) \
	{ \
		reduce<B>(in, out, n); \
	}

REDUCTION(256)
REDUCTION(32)
