/* Scalar products of many pairs of vectors, a pair a CTA at a time: SLOTS partial sums in shared
 * memory, each over every SLOTS-th product, then a tree reduction over them. */
#include "cuda.h"

#define SLOTS 1024

extern "C" __global__ void scalarprod(
	const float *a, const float *b, float *products, int pairs, int elements)
{
	__shared__ float partial[SLOTS];

	for (int pair = (int)blockIdx.x; pair < pairs; pair += (int)gridDim.x) {
		int first = pair * elements;
		int end = first + elements;

		for (int slot = (int)threadIdx.x; slot < SLOTS; slot += (int)blockDim.x) {
			float sum = 0.0f;

			for (int i = first + slot; i < end; i += SLOTS)
				sum += a[i] * b[i];
			partial[slot] = sum;
		}
		for (int half = SLOTS / 2; half > 0; half >>= 1) {
			__syncthreads();
			for (int slot = (int)threadIdx.x; slot < half; slot += (int)blockDim.x)
				partial[slot] += partial[slot + half];
		}
		/* Thread 0 made the last sum itself, and is the one that reuses slot 0. */
		if (threadIdx.x == 0)
			products[pair] = partial[0];
		__syncthreads();
	}
}
