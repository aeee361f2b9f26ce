/* c = a * b for square row-major matrices, by tiles in shared memory: each CTA of TILE x TILE
 * threads makes one tile of c, and reads every element of a and b TILE times less often than the
 * textbook loop would. */
#include "cuda.h"

#define TILE 16

extern "C" __global__ void matrixmul(const float *a, const float *b, float *c, int n)
{
	__shared__ float tile_a[TILE][TILE];
	__shared__ float tile_b[TILE][TILE];
	int x = (int)threadIdx.x, y = (int)threadIdx.y;
	int column = (int)blockIdx.x * TILE + x;
	int row = (int)blockIdx.y * TILE + y;
	float sum = 0.0f;

	for (int k = 0; k < n; k += TILE) {
		tile_a[y][x] = a[row * n + k + x];
		tile_b[y][x] = b[(k + y) * n + column];
		__syncthreads();
		for (int i = 0; i < TILE; i++)
			sum += tile_a[y][i] * tile_b[i][x];
		__syncthreads();
	}
	c[row * n + column] = sum;
}
