/* The transpose of a matrix, by CTAs that each move a square of TILE x TILE elements: directly, where
 * either the loads or the stores of a warp are TILE rows apart; through a tile in shared memory, whose
 * columns are then in one bank; and through one with a word of padding in each row. */
#include "cuda.h"

#define TILE 32
#define ROWS 8

extern "C" __global__ void transpose_naive(const float *in, float *out, int width, int height)
{
	int x = (int)(blockIdx.x * TILE + threadIdx.x);
	int y = (int)(blockIdx.y * TILE + threadIdx.y);

	for (int i = 0; i < TILE; i += ROWS)
		if (x < width && y + i < height)
			out[x * height + y + i] = in[(y + i) * width + x];
}

template <int COLUMNS>
__device__ static inline void through_tile(const float *in, float *out, int width, int height)
{
	__shared__ float tile[TILE * COLUMNS];
	int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
	int left = (int)blockIdx.x * TILE, top = (int)blockIdx.y * TILE;

	for (int i = ty; i < TILE; i += ROWS)
		if (left + tx < width && top + i < height)
			tile[i * COLUMNS + tx] = in[(top + i) * width + left + tx];
	__syncthreads();
	for (int i = ty; i < TILE; i += ROWS)
		if (top + tx < height && left + i < width)
			out[(left + i) * height + top + tx] = tile[tx * COLUMNS + i];
}

extern "C" __global__ void transpose_tiled(const float *in, float *out, int width, int height)
{
	through_tile<TILE>(in, out, width, height);
}

extern "C" __global__ void transpose_padded(const float *in, float *out, int width, int height)
{
	through_tile<TILE + 1>(in, out, width, height);
}
