/* c = alpha a b + beta c in double precision for matrices stored by columns, blocked for shared
 * memory and registers (Nath, Tomov and Dongarra, IJHPCA 2010): a CTA of 16 x 16 threads makes a
 * tile of 64 x 64 elements of c, a thread 4 x 4 of them, 16 rows and columns apart. Tiles in shared
 * memory have one more row than they need, against bank conflicts. */
#include "cuda_math.h"

#define THREADS 16
#define EACH 4
#define TILE (THREADS * EACH)
#define DEPTH 16

extern "C" __global__ void dgemm(int k, cuda_double alpha, const cuda_double *a, int lda,
	const cuda_double *b, int ldb, cuda_double beta, cuda_double *c, int ldc)
{
	__shared__ cuda_double tile_a[DEPTH][TILE + 1];
	__shared__ cuda_double tile_b[TILE][DEPTH + 1];
	int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
	cuda_double sums[EACH][EACH] = {};

	a += (int)blockIdx.x * TILE + tx + ty * lda;
	b += ((int)blockIdx.y * TILE + ty) * ldb + tx;
	c += (int)blockIdx.x * TILE + tx + ((int)blockIdx.y * TILE + ty) * ldc;
	do {
#pragma unroll
		for (int i = 0; i < EACH; i++) {
			tile_a[ty][tx + i * THREADS] = a[i * THREADS];
			tile_b[ty + i * THREADS][tx] = b[i * THREADS * ldb];
		}
		a += DEPTH * lda;
		b += DEPTH;
		barrier();
#pragma unroll
		for (int l = 0; l < DEPTH; l++) {
			cuda_double of_a[EACH];

#pragma unroll
			for (int i = 0; i < EACH; i++)
				of_a[i] = tile_a[l][tx + i * THREADS];
#pragma unroll
			for (int j = 0; j < EACH; j++) {
				cuda_double of_b = tile_b[ty + j * THREADS][l];

#pragma unroll
				for (int i = 0; i < EACH; i++)
					sums[j][i] += of_a[i] * of_b;
			}
		}
		barrier();
		k -= DEPTH;
	} while (k > 0);
#pragma unroll
	for (int j = 0; j < EACH; j++) {
#pragma unroll
		for (int i = 0; i < EACH; i++)
			c[i * THREADS] = alpha * sums[j][i] + beta * c[i * THREADS];
		c += THREADS * ldc;
	}
}
