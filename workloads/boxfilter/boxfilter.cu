/* A box filter over a colour picture: the mean of the 2 * radius + 1 pixels around each, along rows,
 * then along columns. A thread moves along its row or column and keeps the sum of the window: one
 * pixel enters and one leaves for each result, whatever the radius. Rows are fetched through a
 * texture, as neighbouring threads' are far apart; columns are loaded, side by side. Beyond the
 * border the picture goes on as the border's pixel. Pixels are red, green, blue and opacity of 8
 * bits. */
#include "cuda_math.h"
#include "cuda_texture.h"

CUDA_TEXTURE(picture);

static __device__ __forceinline__ cuda_float4 unpack(unsigned pixel)
{
	return {(float)(pixel & 255) / 255.0f, (float)(pixel >> 8 & 255) / 255.0f,
		(float)(pixel >> 16 & 255) / 255.0f, (float)(pixel >> 24) / 255.0f};
}

static __device__ __forceinline__ unsigned level(float x)
{
	return (unsigned)(__saturatef(x) * 255.0f);
}

static __device__ __forceinline__ unsigned pack(const cuda_float4 &sum, float scale)
{
	return (level(sum.w * scale) << 24) + (level(sum.z * scale) << 16) +
	       (level(sum.y * scale) << 8) + level(sum.x * scale);
}

static __device__ __forceinline__ void enter(cuda_float4 &sum, const cuda_float4 &c)
{
	sum.x += c.x;
	sum.y += c.y;
	sum.z += c.z;
	sum.w += c.w;
}

static __device__ __forceinline__ void leave(cuda_float4 &sum, const cuda_float4 &c)
{
	sum.x -= c.x;
	sum.y -= c.y;
	sum.z -= c.z;
	sum.w -= c.w;
}

extern "C" __global__ void box_rows(unsigned *out, int width, int height, int radius)
{
	float scale = 1.0f / (2.0f * (float)radius + 1.0f);
	unsigned y = blockIdx.x * blockDim.x + threadIdx.x;
	cuda_float4 sum = {0.0f, 0.0f, 0.0f, 0.0f};
	float row = (float)y;
	int i = -radius;

	if (y >= (unsigned)height)
		return;
	out += y * (unsigned)width;
#pragma unroll 1
	do
		enter(sum, tex2D_f32x4(picture, (float)i, row));
	while (++i <= radius);
	out[0] = pack(sum, scale);
#pragma unroll 1
	for (int x = 1; x < width; x++) {
		enter(sum, tex2D_f32x4(picture, (float)(x + radius), row));
		leave(sum, tex2D_f32x4(picture, (float)(x - radius - 1), row));
		out[x] = pack(sum, scale);
	}
}

/* The height is more than 2 * radius. */
extern "C" __global__ void box_columns(
	const unsigned *in, unsigned *out, int width, int height, int radius)
{
	float scale = 1.0f / (2.0f * (float)radius + 1.0f);
	unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
	cuda_float4 sum;
	int i = 0;

	in += x;
	out += x;
	sum = unpack(in[0]);
	sum = {sum.x * (float)radius, sum.y * (float)radius, sum.z * (float)radius,
		sum.w * (float)radius};
#pragma unroll 1
	do
		enter(sum, unpack(in[i * width]));
	while (++i <= radius);
	out[0] = pack(sum, scale);
#pragma unroll 1
	for (int y = 1; y <= radius; y++) {
		enter(sum, unpack(in[(y + radius) * width]));
		leave(sum, unpack(in[0]));
		out[y * width] = pack(sum, scale);
	}
#pragma unroll 1
	for (int y = radius + 1; y < height - radius; y++) {
		enter(sum, unpack(in[(y + radius) * width]));
		leave(sum, unpack(in[(y - radius - 1) * width]));
		out[y * width] = pack(sum, scale);
	}
#pragma unroll 1
	for (int y = height - radius; y < height; y++) {
		enter(sum, unpack(in[(height - 1) * width]));
		leave(sum, unpack(in[(y - radius - 1) * width]));
		out[y * width] = pack(sum, scale);
	}
}
