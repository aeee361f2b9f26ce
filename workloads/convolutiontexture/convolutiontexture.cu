/* A separable filter over an image in a texture (Podlozhnyuk, Image Convolution with CUDA, 2007),
 * 17 weights along rows or columns, one thread a pixel, no shared memory: neighbours share texels
 * through the texture's cache alone. Beyond the image lie copies of its edge. */
#include "cuda.h"
#include "cuda_texture.h"

#define RADIUS 8
#define WEIGHTS (2 * RADIUS + 1)

CUDA_TEXTURE(image);

__constant__ float weights[WEIGHTS];

/* A neighbour's coordinate. The compiler would keep a sum with zero. */
static __device__ __forceinline__ float beside(float x, int i)
{
	return i ? x + (float)i : x;
}

extern "C" __global__ void filter_rows(float *out, int width, int height)
{
	int px = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	int py = (int)(blockIdx.y * blockDim.y + threadIdx.y);
	float x = (float)px + 0.5f, y = (float)py + 0.5f, sum = 0.0f;

	if (px >= width || py >= height)
		return;
#pragma unroll
	for (int i = -RADIUS; i <= RADIUS; i++)
		sum += tex2D_f32(image, beside(x, i), y) * weights[RADIUS - i];
	out[py * width + px] = sum;
}

extern "C" __global__ void filter_columns(float *out, int width, int height)
{
	int px = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	int py = (int)(blockIdx.y * blockDim.y + threadIdx.y);
	float x = (float)px + 0.5f, y = (float)py + 0.5f, sum = 0.0f;

	if (px >= width || py >= height)
		return;
#pragma unroll
	for (int i = -RADIUS; i <= RADIUS; i++)
		sum += tex2D_f32(image, x, beside(y, i)) * weights[RADIUS - i];
	out[py * width + px] = sum;
}
