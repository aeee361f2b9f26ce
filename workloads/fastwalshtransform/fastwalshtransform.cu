/* Walsh-Hadamard transforms by butterflies of four values (Arndt, Matters Computational, chapter
 * 23), and with them a dyadic convolution: the product of two spectra, transformed back. While a
 * part is too long for shared memory, each step is a kernel over global memory. */
#include "cuda.h"
#include "cuda_math.h"

extern __shared__ float values[];

/* Four values `stride` apart from `in` to `out`: the sums with all combinations of signs. */
static __device__ __forceinline__ void butterfly(const float *in, float *out, int stride)
{
	float a = in[0], b = in[stride], c = in[2 * stride], d = in[3 * stride];
	float ac = a + c, bd = b + d, a_c = a - c, b_d = b - d;

	out[0] = ac + bd;
	out[stride] = ac - bd;
	out[2 * stride] = a_c + b_d;
	out[3 * stride] = a_c - b_d;
}

/* Where a thread's first value is: `stride` threads in a row take neighbours. */
static __device__ __forceinline__ int first_value(int thread, int stride)
{
	int low = thread & (stride - 1);

	return ((thread - low) << 2) + low;
}

/* One step, all of whose parts have 4 * stride values; blockIdx.y counts vectors. */
extern "C" __global__ void walsh_step(float *out, const float *in, int stride)
{
	int thread = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	int vector = (int)(blockIdx.y * (blockDim.x * gridDim.x * 4));
	int first = vector + first_value(thread, stride);

	butterfly(in + first, out + first, stride);
}

/* All steps of a vector of 2^log2n values a CTA. */
extern "C" __global__ void walsh_shared(float *out, const float *in, int log2n)
{
	int n = 1 << log2n, base = (int)blockIdx.x << log2n;
	int thread = (int)threadIdx.x, threads = (int)blockDim.x;

#pragma unroll 1
	for (int i = thread; i < n; i += threads)
		values[i] = in[base + i];
#pragma unroll 1
	for (int stride = n >> 2; stride > 0; stride >>= 2) {
		float *first = values + first_value(thread, stride);

		barrier();
		butterfly(first, first, stride);
	}
	if (log2n & 1) {
		barrier();
#pragma unroll 1
		for (int i = thread; i < n >> 1; i += threads) {
			float a = values[2 * i], b = values[2 * i + 1];

			values[2 * i] = a + b;
			values[2 * i + 1] = a - b;
		}
	}
	barrier();
#pragma unroll 1
	for (int i = thread; i < n; i += threads)
		out[base + i] = values[i];
}

/* Two transforms make a vector n times as large. */
extern "C" __global__ void modulate(float *data, const float *kernel, int n)
{
	int threads = (int)(blockDim.x * gridDim.x);
	float part = 1.0f / (float)n;

#pragma unroll 1
	for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += threads)
		data[i] *= kernel[i] * part;
}
