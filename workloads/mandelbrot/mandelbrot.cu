/* The Mandelbrot set, or a Julia set, as a picture: how many steps of z^2 + c leave the circle of
 * radius 2. Passes refine the picture by samples elsewhere in each pixel: of all pixels, or of
 * those whose neighbours differ. Numbers are floats, pairs of floats (Dekker, 1971; Knuth, TAOCP 2)
 * or doubles. A CTA colours a tile of the grid, or tiles that it takes from a counter until there
 * is none left. */
#include "cuda_math.h"

#define RADIUS_SQUARED 4
#define UNCOUNTED 20
/* Channels that differ by more are another colour. */
#define NEAR 10

struct __attribute__((aligned(4))) colour {
	unsigned char x, y, z, w;
};

struct picture {
	colour *image;
	int width, height;
	int limit;       /* of steps */
	colour steps;    /* what a step adds */
	int frame, turn; /* passes before; steps that colours are ahead */
	bool julia;
};

extern "C" {
__device__ unsigned next_tile;
}

/* ---- floats or doubles */

/* The picture's corner, Julia's c, and a pixel's side. */
template <class real> struct view {
	real x, y, julia_x, julia_y, scale;
};

/* Steps that are left of `limit` when z has left the circle, at most 0 when it has not. As in the
 * SDK's, whose loop is written out for UNCOUNTED steps, the last of them is not counted. */
template <class real>
static __device__ __forceinline__ int steps_left(
	const view<real> &v, int column, int row, const picture &p)
{
	real x = (real)column * v.scale + v.x, y = (real)row * v.scale + v.y;
	real cx = p.julia ? v.julia_x : x, cy = p.julia ? v.julia_y : y;
	int left = p.limit;

	if (!p.julia)
		x = y = 0;

	real xx = x * x, yy = y * y;

#pragma unroll 1
	for (;;)
#pragma unroll
		for (int i = 0; i < UNCOUNTED; i++) {
			left -= i > 0;
			if (left <= 0 || xx + yy > (real)RADIUS_SQUARED)
				return left;
			y = x * y * (real)2 + cy;
			x = xx - yy + cx;
			yy = y * y;
			xx = x * x;
		}
}

/* ---- pairs of floats: the sum of both, the second below half a unit of the first's last digit */

struct pair {
	float high, low;
};

struct pair_view {
	pair x, y;
	float julia_x, julia_y, scale;
};

/* high + low, the first of them by far the larger. */
static __device__ __forceinline__ pair renormalised(float high, float low)
{
	pair c;

	c.high = high + low;
	c.low = low - (c.high - high);
	return c;
}

/* Knuth's exact sum of the first parts. */
static __device__ __forceinline__ pair operator+(pair a, pair b)
{
	float sum = a.high + b.high, of_b = sum - a.high;
	float rest = (b.high - of_b) + (a.high - (sum - of_b));

	return renormalised(sum, rest + a.low + b.low);
}

static __device__ __forceinline__ pair operator-(pair a, pair b)
{
	pair negative = {-b.high, -b.low};

	return a + negative;
}

/* A product that the compiler fuses with no sum: the exactness of others depends on its rounding.
 */
static __device__ __forceinline__ float rounded(float a, float b)
{
	float c;

	__asm__("mul.rn.f32 %0, %1, %2;" : "=f"(c) : "f"(a), "f"(b));
	return c;
}

/* Dekker's exact product of the first parts, by halves of 12 bits. */
static __device__ __forceinline__ pair operator*(pair a, pair b)
{
	float wide_a = rounded(a.high, 8193.0f), wide_b = rounded(b.high, 8193.0f);
	float upper_a = wide_a - (wide_a - a.high), upper_b = wide_b - (wide_b - b.high);
	float lower_a = a.high - upper_a, lower_b = b.high - upper_b;
	float product = rounded(a.high, b.high);
	float rest =
		(((rounded(upper_a, upper_b) - product) + upper_a * lower_b) + lower_a * upper_b) +
		lower_a * lower_b;
	float mixed = fmaf(a.high, b.low, rounded(a.low, b.high));
	float sum = product + mixed, of_mixed = sum - product;

	rest += (mixed - of_mixed) + (product - (sum - of_mixed));
	return renormalised(sum, rest + a.low * b.low);
}

/* One step earlier than the other: it counts before it looks. */
static __device__ __forceinline__ int steps_left(
	const pair_view &v, int column, int row, const picture &p)
{
	pair x = {rounded((float)column, v.scale), 0.0f};
	pair y = {rounded((float)row, v.scale), 0.0f};
	pair cx = {v.julia_x, 0.0f}, cy = {v.julia_y, 0.0f}, xx = {0.0f, 0.0f}, yy = xx, sum;
	int left = p.limit;

	x = x + v.x;
	y = y + v.y;
	if (p.julia) {
		xx = x * x;
		yy = y * y;
	} else {
		cx = x;
		cy = y;
		x = y = xx;
	}
	sum = xx + yy;
#pragma unroll 1
	while (--left && sum.high + sum.low < (float)RADIUS_SQUARED) {
		y = x * y;
		y = y + y + cy;
		x = xx - yy + cx;
		yy = y * y;
		xx = x * x;
		sum = xx + yy;
	}
	return left;
}

/* ---- pixels */

static __device__ __forceinline__ bool is_other(colour a, colour b)
{
	int x = b.x - a.x, y = b.y - a.y, z = b.z - a.z;

	return x > NEAR || x < -NEAR || y > NEAR || y < -NEAR || z > NEAR || z < -NEAR;
}

static __device__ __forceinline__ bool is_edge(const picture &p, int column, int row)
{
	const colour *at = &p.image[p.width * row + column];
	colour own = *at;
	int others = 0;

	if (column > 0)
		others += is_other(own, at[-1]);
	if (column + 1 < p.width)
		others += is_other(own, at[1]);
	if (row > 0)
		others += is_other(own, at[-p.width]);
	if (row + 1 < p.height)
		others += is_other(own, at[p.width]);
	return others > 0;
}

/* A channel's mean over the passes. */
static __device__ __forceinline__ unsigned char mix(unsigned char before, int now, int frame)
{
	return (unsigned char)((before * frame + (now & 255) + (frame + 1) / 2) / (frame + 1));
}

template <bool edges, class View>
static __device__ __forceinline__ void draw(const View &v, const picture &p, int column, int row)
{
	colour *at = &p.image[p.width * row + column];
	int left, steps;

	if (column >= p.width || row >= p.height)
		return;
	if (edges && !is_edge(p, column, row))
		return;
	left = steps_left(v, column, row, p);
	steps = left > 0 ? p.limit - left : 0;
	if (steps)
		steps += p.turn;
	if (!edges && p.frame == 0) {
		colour first = {(unsigned char)(steps * p.steps.x),
			(unsigned char)(steps * p.steps.y), (unsigned char)(steps * p.steps.z), 0};

		*at = first;
	} else {
		at->x = mix(at->x, steps * p.steps.x, p.frame);
		at->y = mix(at->y, steps * p.steps.y, p.frame);
		at->z = mix(at->z, steps * p.steps.z, p.frame);
	}
}

template <bool edges, class View>
static __device__ __forceinline__ void draw_tile(const View &v, const picture &p)
{
	draw<edges>(v, p, (int)(blockDim.x * blockIdx.x + threadIdx.x),
		(int)(blockDim.y * blockIdx.y + threadIdx.y));
}

/* Of `tiles`, `across` in a row. */
template <bool edges, class View>
static __device__ __forceinline__ void draw_tiles(
	const View &v, const picture &p, unsigned across, unsigned tiles)
{
	__shared__ unsigned tile, tile_x, tile_y;

#pragma unroll 1
	for (;;) {
		if (threadIdx.x == 0 && threadIdx.y == 0) {
			tile = atomicAdd(&next_tile, 1u);
			tile_x = tile % across;
			tile_y = tile / across;
		}
		barrier();
		if (tile >= tiles)
			break;
		draw<edges>(v, p, (int)(blockDim.x * tile_x + threadIdx.x),
			(int)(blockDim.y * tile_y + threadIdx.y));
		barrier();
	}
}

/* ---- kernels: for each kind of number four */

#define PICTURE colour *image, int width, int height, int limit
#define FRAME colour steps, int frame, int turn

#define KERNEL(name, edges, View, v, ...) \
	extern "C" __global__ void name(PICTURE, __VA_ARGS__, FRAME, bool julia) \
	{ \
		const picture p = {image, width, height, limit, steps, frame, turn, julia}; \
		const View view = v; \
\
		draw_tile<edges>(view, p); \
	} \
	extern "C" __global__ void name##_workers( \
		PICTURE, __VA_ARGS__, FRAME, int across, int tiles, bool julia) \
	{ \
		const picture p = {image, width, height, limit, steps, frame, turn, julia}; \
		const View view = v; \
\
		draw_tiles<edges>(view, p, (unsigned)across, (unsigned)tiles); \
	}

#define UNPACK(...) \
	{ \
		__VA_ARGS__ \
	}
#define ONE_VIEW UNPACK(x, y, julia_x, julia_y, scale)
#define PAIR_VIEW UNPACK({x0, x1}, {y0, y1}, julia_x, julia_y, scale)
#define ONE(real) real x, real y, real julia_x, real julia_y, real scale
#define PAIR float x0, float x1, float y0, float y1, float julia_x, float julia_y, float scale

KERNEL(all_float, false, ::view<float>, ONE_VIEW, ONE(float))
KERNEL(edges_float, true, ::view<float>, ONE_VIEW, ONE(float))
KERNEL(all_pair, false, pair_view, PAIR_VIEW, PAIR)
KERNEL(edges_pair, true, pair_view, PAIR_VIEW, PAIR)
KERNEL(all_double, false, ::view<double>, ONE_VIEW, ONE(cuda_double))
KERNEL(edges_double, true, ::view<double>, ONE_VIEW, ONE(cuda_double))
