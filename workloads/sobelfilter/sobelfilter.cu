/* Sobel's operator on a grey picture: an edge's strength is the sum of the absolute differences
 * across and down, each weighted 1, 2, 1. Three kernels: the picture itself, brighter or darker; the
 * operator with a fetch for each neighbour; and the operator from shared memory, where a CTA stages its
 * pixels and their neighbours through the texture, and a thread makes four pixels at a time. Beyond
 * the border the picture goes on as the border's pixel. */
#include "cuda_math.h"
#include "cuda_texture.h"

#define RADIUS 1

CUDA_TEXTURE(picture);

extern __shared__ unsigned char staged[];

/* Three pixels, one above the other. */
struct column {
	int top, middle, bottom;
};

struct __attribute__((aligned(4))) four_pixels {
	unsigned char x, y, z, w;
};

static __device__ __forceinline__ int absolute(int x)
{
	return x < 0 ? -x : x;
}

static __device__ __forceinline__ unsigned char edge(
	const column &left, const column &middle, const column &right, float scale)
{
	int across = right.top + 2 * right.middle + right.bottom - left.top - 2 * left.middle -
		     left.bottom;
	int down = left.top + 2 * middle.top + right.top - left.bottom - 2 * middle.bottom -
		   right.bottom;
	int sum = (int)(scale * (float)(absolute(across) + absolute(down)));

	return (unsigned char)min(max(sum, 0), 255);
}

extern "C" __global__ void sobel_copy(
	unsigned char *out, unsigned pitch, int width, int, float scale)
{
	out += blockIdx.x * pitch;
#pragma unroll 1
	for (int i = (int)threadIdx.x; i < width; i += (int)blockDim.x) {
		float grey = (float)tex2D_u32(picture, (float)i, (float)blockIdx.x);

		out[i] = (unsigned char)fminf(fmaxf(grey * scale, 0.0f), 255.0f);
	}
}

static __device__ __forceinline__ column fetch(float x, float y)
{
	return {(int)tex2D_u32(picture, x, y - 1.0f), (int)tex2D_u32(picture, x, y),
		(int)tex2D_u32(picture, x, y + 1.0f)};
}

extern "C" __global__ void sobel_texture(
	unsigned char *out, unsigned pitch, int width, int, float scale)
{
	float y = (float)blockIdx.x;

	out += blockIdx.x * pitch;
#pragma unroll 1
	for (int i = (int)threadIdx.x; i < width; i += (int)blockDim.x) {
		float x = (float)i;

		out[i] = edge(fetch(x - 1.0f, y), fetch(x, y), fetch(x + 1.0f, y), scale);
	}
}

/* A row of the staged pixels, four at a time: `left` is the first one's column. */
static __device__ __forceinline__ void stage(int to, int left, float y, int block_width)
{
#pragma unroll 1
	for (int i = (int)threadIdx.x; i < block_width + 2 * RADIUS; i += (int)blockDim.x) {
		int x = left + 4 * i;

		staged[to + 4 * i] = (unsigned char)tex2D_u32(picture, (float)x, y);
		staged[to + 4 * i + 1] = (unsigned char)tex2D_u32(picture, (float)(x + 1), y);
		staged[to + 4 * i + 2] = (unsigned char)tex2D_u32(picture, (float)(x + 2), y);
		staged[to + 4 * i + 3] = (unsigned char)tex2D_u32(picture, (float)(x + 3), y);
	}
}

static __device__ __forceinline__ column staged_column(int at, int shared_pitch)
{
	return {staged[at], staged[at + shared_pitch], staged[at + 2 * shared_pitch]};
}

/* block_width counts fours of pixels; a CTA makes blockDim.y rows of them. `width` and `pitch` are
 * multiples of four. */
extern "C" __global__ void sobel_shared(four_pixels *out, unsigned short pitch, short block_width,
	short shared_pitch, short width, short height, float scale)
{
	int first = (int)blockIdx.x * block_width;
	int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
	int row = (int)threadIdx.y * shared_pitch;

	stage(row, 4 * first - RADIUS, (float)(y - RADIUS), block_width);
	if (threadIdx.y < 2 * RADIUS)
		stage(row + (int)blockDim.y * shared_pitch, 4 * first - RADIUS,
			(float)(y + (int)blockDim.y - RADIUS), block_width);
	barrier();
	out = (four_pixels *)((char *)out + y * pitch);
#pragma unroll 1
	for (int i = (int)threadIdx.x; i < block_width; i += (int)blockDim.x) {
		column c[6];
		four_pixels four;

#pragma unroll
		for (int k = 0; k < 6; k++)
			c[k] = staged_column(row + 4 * i + k, shared_pitch);
		four.x = edge(c[0], c[1], c[2], scale);
		four.y = edge(c[1], c[2], c[3], scale);
		four.z = edge(c[2], c[3], c[4], scale);
		four.w = edge(c[3], c[4], c[5], scale);
		if (first + i < (width >> 2) && y < height)
			out[first + i] = four;
	}
}
