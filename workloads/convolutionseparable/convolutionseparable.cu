/* A separable filter over an image (Podlozhnyuk, Image Convolution with CUDA, 2007): first along
 * the rows, then along the columns, 17 weights each, pixels beyond the image zero. A CTA loads its
 * tile of the image and an apron of eight pixels on both sides into shared memory. */
#include "cuda.h"
#include "cuda_math.h"

#define RADIUS 8
#define WEIGHTS (2 * RADIUS + 1)

/* Threads of a CTA along a row: one for each pixel of the tile and its apron, and before them so
 * many that do nothing that each warp begins at a multiple of 16 pixels. */
#define ROW_TILE 128
#define ALIGNED_RADIUS 16

/* A CTA of 16 x 8 threads for a tile of 16 x 48. */
#define COLUMN_TILE_WIDTH 16
#define COLUMN_TILE_HEIGHT 48

__constant__ float weights[WEIGHTS];

/* The sum around data[0]; its neighbours are `step` apart. The last weight is for the first. */
static __device__ __forceinline__ float convolve(const float *data, int step)
{
	float sum = 0.0f;

#pragma unroll
	for (int i = -RADIUS; i <= RADIUS; i++)
		sum += data[i * step] * weights[RADIUS - i];
	return sum;
}

extern "C" __global__ void convolve_rows(float *out, const float *in, int width)
{
	__shared__ float tile[RADIUS + ROW_TILE + RADIUS];
	int left = (int)blockIdx.x * ROW_TILE, apron = left - RADIUS;
	int row = (int)blockIdx.y * width;
	int load = left - ALIGNED_RADIUS + (int)threadIdx.x;
	int x = left + (int)threadIdx.x;

	if (load >= apron)
		tile[load - apron] = load >= 0 && load < width ? in[row + load] : 0.0f;
	barrier();
	if (x < min(left + ROW_TILE, width))
		out[row + x] = convolve(tile + (x - apron), 1);
}

/* shared_step and image_step: floats from one pixel of a thread to its next, eight rows below. */
extern "C" __global__ void convolve_columns(
	float *out, const float *in, int width, int height, int shared_step, int image_step)
{
	__shared__ float tile[COLUMN_TILE_WIDTH * (RADIUS + COLUMN_TILE_HEIGHT + RADIUS)];
	int tx = (int)threadIdx.x, ty = (int)threadIdx.y, rows = (int)blockDim.y;
	int x = (int)blockIdx.x * COLUMN_TILE_WIDTH + tx;
	int top = (int)blockIdx.y * COLUMN_TILE_HEIGHT, bottom = top + COLUMN_TILE_HEIGHT;
	int at = ty * COLUMN_TILE_WIDTH + tx;
	int pixel = (top - RADIUS + ty) * width + x;

#pragma unroll 1
	for (int y = top - RADIUS + ty; y < bottom + RADIUS; y += rows) {
		tile[at] = y >= 0 && y < height ? in[pixel] : 0.0f;
		at += shared_step;
		pixel += image_step;
	}
	barrier();
	at = (ty + RADIUS) * COLUMN_TILE_WIDTH + tx;
	pixel = (top + ty) * width + x;
#pragma unroll 1
	for (int y = top + ty; y < min(bottom, height); y += rows) {
		out[pixel] = convolve(tile + at, COLUMN_TILE_WIDTH);
		at += shared_step;
		pixel += image_step;
	}
}
