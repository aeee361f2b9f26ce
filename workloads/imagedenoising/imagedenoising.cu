/* Takes noise out of an image, one thread a pixel, texels fetched through a texture: the k nearest
 * neighbours filter (weights by colour and distance), and non-local means (Buades et al., CVPR
 * 2005; weights by the likeness of whole blocks), plainly and in its fast form, in which an 8 x 8
 * CTA shares one set of weights. Where a pixel's surroundings are flat the filtered colour
 * prevails, else the pixel's own. */
#include "cuda_math.h"
#include "cuda_texture.h"

#define RADIUS 3
#define SIDE (2 * RADIUS + 1)
#define AREA (SIDE * SIDE)
#define TILE 8
#define WEIGHT_LIMIT 0.02f
#define SHARE_LIMIT 0.79f

CUDA_TEXTURE(image);

static __device__ __forceinline__ float squared_distance(const cuda_float3 &a, const cuda_float3 &b)
{
	return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z);
}

/* A mean of colours, and how many of them weighed much. */
struct mean {
	cuda_float3 sum;
	float weights, heavy;
};

static __device__ __forceinline__ void add(mean &m, const cuda_float3 &c, float w)
{
	m.sum.x += c.x * w;
	m.sum.y += c.y * w;
	m.sum.z += c.z * w;
	m.weights += w;
	m.heavy += w > WEIGHT_LIMIT ? 1.0f / AREA : 0.0f;
}

static __device__ __forceinline__ unsigned level(float own, float filtered, float share)
{
	return (unsigned)((filtered + (own - filtered) * share) * 255.0f + 0.5f);
}

static __device__ __forceinline__ void put(
	unsigned *out, int at, const cuda_float3 &own, const mean &m, float blend)
{
	float one = 1.0f / m.weights, share = m.heavy > SHARE_LIMIT ? blend : 1.0f - blend;

	out[at] = level(own.x, m.sum.x * one, share) + level(own.y, m.sum.y * one, share) * 0x100 +
		  level(own.z, m.sum.z * one, share) * 0x10000;
}

extern "C" __global__ void denoise_knn(unsigned *out, int width, int height, float noise, float blend)
{
	int px = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	int py = (int)(blockIdx.y * blockDim.y + threadIdx.y);
	float x = (float)px + 0.5f, y = (float)py + 0.5f;
	mean m = {{0.0f, 0.0f, 0.0f}, 0.0f, 0.0f};
	cuda_float3 own;

	if (px >= width || py >= height)
		return;
	own = tex2D_f32x3(image, x, y);
#pragma unroll 1
	for (float i = -RADIUS; i <= RADIUS; i++)
#pragma unroll 1
		for (float j = -RADIUS; j <= RADIUS; j++) {
			cuda_float3 c = tex2D_f32x3(image, x + j, y + i);

			add(m, c,
				__expf(-(squared_distance(own, c) * noise +
					 (i * i + j * j) * (1.0f / AREA))));
		}
	put(out, py * width + px, own, m, blend);
}

/* How unlike the blocks around two points are. */
static __device__ __forceinline__ float unlikeness(float x, float y, float u, float v)
{
	float sum = 0.0f;

#pragma unroll 1
	for (float n = -RADIUS; n <= RADIUS; n++)
#pragma unroll 1
		for (float m = -RADIUS; m <= RADIUS; m++) {
			cuda_float3 a = tex2D_f32x3(image, u + m, v + n);
			cuda_float3 b = tex2D_f32x3(image, x + m, y + n);

			sum += squared_distance(a, b);
		}
	return sum;
}

extern "C" __global__ void denoise_nlm(unsigned *out, int width, int height, float noise, float blend)
{
	int px = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	int py = (int)(blockIdx.y * blockDim.y + threadIdx.y);
	float x = (float)px + 0.5f, y = (float)py + 0.5f;
	mean m = {{0.0f, 0.0f, 0.0f}, 0.0f, 0.0f};
	cuda_float3 own;

	if (px >= width || py >= height)
		return;
#pragma unroll 1
	for (float i = -RADIUS; i <= RADIUS; i++)
#pragma unroll 1
		for (float j = -RADIUS; j <= RADIUS; j++) {
			float w = __expf(-(unlikeness(x, y, x + j, y + i) * noise +
					   (i * i + j * j) * (1.0f / AREA)));

			add(m, tex2D_f32x3(image, x + j, y + i), w);
		}
	own = tex2D_f32x3(image, x, y);
	put(out, py * width + px, own, m, blend);
}

/* A CTA's threads first make one weight each, by the CTA's middle; all use them. */
extern "C" __global__ void denoise_nlm_fast(
	unsigned *out, int width, int height, float noise, float blend)
{
	__shared__ float weights[TILE * TILE];
	int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
	int px = (int)blockIdx.x * TILE + tx, py = (int)blockIdx.y * TILE + ty;
	float x = (float)px + 0.5f, y = (float)py + 0.5f;
	float middle_x = (float)((int)blockIdx.x * TILE + TILE / 2) + 0.5f;
	float middle_y = (float)((int)blockIdx.y * TILE + TILE / 2) + 0.5f;
	mean m = {{0.0f, 0.0f, 0.0f}, 0.0f, 0.0f};
	cuda_float3 own;
	int k = 0;

	if (tx < SIDE && ty < SIDE) {
		float i = (float)(ty - RADIUS), j = (float)(tx - RADIUS);

		weights[ty * SIDE + tx] =
			__expf(-(unlikeness(middle_x, middle_y, middle_x + j, middle_y + i) * noise +
				 (i * i + j * j) * (1.0f / AREA)));
	}
	barrier();
	if (px >= width || py >= height)
		return;
#pragma unroll 1
	for (float i = -RADIUS; i <= RADIUS; i++)
#pragma unroll 1
		for (float j = -RADIUS; j <= RADIUS; j++)
			add(m, tex2D_f32x3(image, x + j, y + i), weights[k++]);
	own = tex2D_f32x3(image, x, y);
	put(out, py * width + px, own, m, blend);
}

/* The fast form with all 49 neighbours in a row, as the SDK's loops are after nvcc, and CTAs of
 * 8 x 8 or 16 x 16. */
template <int SIZE>
static __device__ __forceinline__ void nlm_fast(
	unsigned *out, int width, int height, float noise, float blend)
{
	__shared__ float weights[SIZE * SIZE];
	int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
	int px = (int)blockIdx.x * SIZE + tx, py = (int)blockIdx.y * SIZE + ty;
	float x = (float)px + 0.5f, y = (float)py + 0.5f;
	float middle_x = (float)((int)blockIdx.x * SIZE + SIZE / 2) + 0.5f;
	float middle_y = (float)((int)blockIdx.y * SIZE + SIZE / 2) + 0.5f;
	mean m = {{0.0f, 0.0f, 0.0f}, 0.0f, 0.0f};
	cuda_float3 own;

	if (tx < SIDE && ty < SIDE) {
		float i = (float)(ty - RADIUS), j = (float)(tx - RADIUS);

		weights[ty * SIDE + tx] =
			__expf(-(unlikeness(middle_x, middle_y, middle_x + j, middle_y + i) * noise +
				 (i * i + j * j) * (1.0f / AREA)));
	}
	barrier();
	if (px >= width || py >= height)
		return;
#pragma unroll
	for (int k = 0; k < AREA; k++)
		add(m,
			tex2D_f32x3(image, x + (float)(k % SIDE - RADIUS),
				y + (float)(k / SIDE - RADIUS)),
			weights[k]);
	own = tex2D_f32x3(image, x, y);
	put(out, py * width + px, own, m, blend);
}

extern "C" __global__ void denoise_nlm_fast_unrolled_8(
	unsigned *out, int width, int height, float noise, float blend)
{
	nlm_fast<8>(out, width, height, noise, blend);
}

extern "C" __global__ void denoise_nlm_fast_unrolled_16(
	unsigned *out, int width, int height, float noise, float blend)
{
	nlm_fast<16>(out, width, height, noise, blend);
}
