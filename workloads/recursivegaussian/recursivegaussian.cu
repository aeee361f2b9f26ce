/* Deriche's recursive Gaussian filter (Deriche, INRIA 1993): a blur whose cost does not depend on
 * its width. A causal pass down a column of the image and an anticausal one up again, a thread a
 * column; the sum of both is the filtered column. Rows follow as columns of the turned image.
 * Pixels are red, green, blue and opacity of 8 bits. */
#include "cuda.h"
#include "cuda_math.h"

#define TILE 16

struct colour {
	float r, g, b, a;
};

static __device__ __forceinline__ colour unpack(unsigned pixel)
{
	const float unit = 1.0f / 255.0f;
	colour c = {(float)(pixel & 255) * unit, (float)(pixel >> 8 & 255) * unit,
		(float)(pixel >> 16 & 255) * unit, (float)(pixel >> 24) * unit};

	return c;
}

static __device__ __forceinline__ unsigned pack_one(float x)
{
	return (unsigned)(fminf(fmaxf(x, 0.0f), 1.0f) * 255.0f);
}

static __device__ __forceinline__ unsigned pack(colour c)
{
	return pack_one(c.a) << 24 | pack_one(c.b) << 16 | pack_one(c.g) << 8 | pack_one(c.r);
}

static __device__ __forceinline__ colour add(colour a, colour b)
{
	colour c = {a.r + b.r, a.g + b.g, a.b + b.b, a.a + b.a};

	return c;
}

static __device__ __forceinline__ colour scale(float factor, colour a)
{
	colour c = {factor * a.r, factor * a.g, factor * a.b, factor * a.a};

	return c;
}

/* One step of the recursion: inputs x and x1 before it, outputs y1, y2 before it. */
static __device__ __forceinline__ float recur(
	float a0, float a1, float b1, float b2, float x, float x1, float y1, float y2)
{
	return a0 * x + a1 * x1 - b1 * y1 - b2 * y2;
}

#define RECUR(a0, a1, x, x1, y1, y2) \
	{ \
		recur(a0, a1, b1, b2, x.r, x1.r, y1.r, y2.r), \
			recur(a0, a1, b1, b2, x.g, x1.g, y1.g, y2.g), \
			recur(a0, a1, b1, b2, x.b, x1.b, y1.b, y2.b), \
			recur(a0, a1, b1, b2, x.a, x1.a, y1.a, y2.a) \
	}

/* Beyond the border the image goes on as the border's pixel, for ever: `forward_gain` and
 * `backward_gain` are the passes' answers to a constant. */
extern "C" __global__ void gaussian_columns(const unsigned *image, unsigned *filtered, int width,
	int height, float a0, float a1, float a2, float a3, float b1, float b2, float forward_gain,
	float backward_gain)
{
	int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	colour x1, x2, y1, y2;

	image += x;
	filtered += x;
	x1 = unpack(*image);
	y1 = scale(forward_gain, x1);
	y2 = y1;
	for (int y = 0; y < height; y++) {
		colour x0 = unpack(*image);
		colour y0 = RECUR(a0, a1, x0, x1, y1, y2);

		*filtered = pack(y0);
		x1 = x0;
		y2 = y1;
		y1 = y0;
		image += width;
		filtered += width;
	}
	image -= width;
	filtered -= width;
	x1 = unpack(*image);
	x2 = x1;
	y1 = scale(backward_gain, x1);
	y2 = y1;
	for (int y = 0; y < height; y++) {
		colour y0 = RECUR(a2, a3, x1, x2, y1, y2);

		*filtered = pack(add(unpack(*filtered), y0));
		x2 = x1;
		x1 = unpack(*image);
		y2 = y1;
		y1 = y0;
		image -= width;
		filtered -= width;
	}
}

/* Tiles through shared memory, so that loads and stores both run along rows. */
extern "C" __global__ void turn(const unsigned *from, unsigned *to, int width, int height)
{
	__shared__ unsigned tile[TILE][TILE + 1];
	int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
	int left = (int)blockIdx.x * TILE, top = (int)blockIdx.y * TILE;

	tile[ty][tx] = from[(top + ty) * width + left + tx];
	barrier();
	to[(left + ty) * height + top + tx] = tile[tx][ty];
}
