/* y = A x for a matrix of m rows and n columns stored by columns (leading dimension lda), a row a
 * thread: neighbours read neighbouring elements of a column, and a CTA passes over x in pieces that
 * it keeps in shared memory, an element a thread. */
#include "cuda_math.h"

#define THREADS 64

extern "C" __global__ void sgemv(int m, int n, const float *a, int lda, const float *x, float *y)
{
	__shared__ float piece[THREADS];
	int t = (int)threadIdx.x;
	int row = (int)blockIdx.x * THREADS + t;
	float sum = 0.0f;

	/* Threads beyond the last row read that one, and help to load. */
	a += min(row, m - 1);
	x += t;
	do {
		if (t < n)
			piece[t] = *x;
		x += THREADS;
		barrier();
		if (n >= THREADS) {
#pragma unroll
			for (int k = 0; k < THREADS; k++) {
				sum += *a * piece[k];
				a += lda;
			}
		} else {
#pragma unroll 1
			for (int k = 0; k < n; k++) {
				sum += *a * piece[k];
				a += lda;
			}
		}
		barrier();
		n -= THREADS;
	} while (n > 0);
	if (row < m)
		y[row] = sum;
}
