/* DXT1 compression by cluster fit (Castano, High Quality DXT Compression using CUDA, 2007): a CTA
 * orders the 16 colours of a block along the line that fits them best; its 64 threads try all ways
 * to cut that order into four or three clusters, with the best pair of end colours for each, and
 * the best of all is written. */
#include "cuda_math.h"

#define THREADS 64
#define PIXELS 16
#define WAYS4 992 /* into four clusters; some stand there twice, to make whole warps */
#define WAYS3 160 /* into three */
#define TINY 1e-20f
#define POWER_STEPS 8

struct colour {
	float r, g, b;
};

/* A block as DXT1 has it: two end colours of 5, 6 and 5 bits, two bits for each pixel. */
struct __attribute__((aligned(8))) block {
	unsigned ends, indices;
};

struct choice {
	float error;
	unsigned first, second, way;
};

static __device__ __forceinline__ colour operator+(colour a, colour b)
{
	return colour{a.r + b.r, a.g + b.g, a.b + b.b};
}

static __device__ __forceinline__ colour operator-(colour a, colour b)
{
	return colour{a.r - b.r, a.g - b.g, a.b - b.b};
}

static __device__ __forceinline__ colour operator*(float s, colour c)
{
	return colour{s * c.r, s * c.g, s * c.b};
}

static __device__ __forceinline__ float dot(colour a, colour b)
{
	return a.r * b.r + a.g * b.g + a.b * b.b;
}

/* Lane t's sum over the PIXELS lanes of one warp, by doubling distances: all see each other. */
static __device__ __forceinline__ float sum_pixels(float v, volatile float *sums, int t)
{
	sums[t] = v;
#pragma unroll
	for (int far = 1; far < PIXELS; far *= 2) {
		float other = sums[t ^ far];

		v += other;
		sums[t] = v;
	}
	return v;
}

/* The covariance's eigenvector of the largest eigenvalue, by the power method. */
static __device__ __forceinline__ colour best_line(colour off, volatile float *sums, int t)
{
	float rr = sum_pixels(off.r * off.r, sums, t), rg = sum_pixels(off.r * off.g, sums, t);
	float rb = sum_pixels(off.r * off.b, sums, t), gg = sum_pixels(off.g * off.g, sums, t);
	float gb = sum_pixels(off.g * off.b, sums, t), bb = sum_pixels(off.b * off.b, sums, t);
	colour v = {1, 1, 1};

#pragma unroll 1
	for (int i = 0; i < POWER_STEPS; i++) {
		colour next = {v.r * rr + v.g * rg + v.b * rb, v.r * rg + v.g * gg + v.b * gb,
			v.r * rb + v.g * gb + v.b * bb};

		v = (1.0f / fmaxf(fmaxf(fabsf(next.r), fabsf(next.g)),
				    fmaxf(fabsf(next.b), TINY))) *
		    next;
	}
	return v;
}

/* The nearest colour of 5, 6 and 5 bits: its bits, and itself. */
static __device__ __forceinline__ unsigned round565(colour *c)
{
	float r = floorf(fminf(fmaxf(c->r, 0.0f), 1.0f) * 31.0f + 0.5f);
	float g = floorf(fminf(fmaxf(c->g, 0.0f), 1.0f) * 63.0f + 0.5f);
	float b = floorf(fminf(fmaxf(c->b, 0.0f), 1.0f) * 31.0f + 0.5f);

	*c = colour{r * (1.0f / 31.0f), g * (1.0f / 63.0f), b * (1.0f / 31.0f)};
	return (unsigned)r << 11 | (unsigned)g << 5 | (unsigned)b;
}

/* Tries one way: two bits for each colour in order tell how much of the first end it has, in steps
 * of 1 / `whole`. Least squares for both ends, rounded; keeps the better of it and `best`. */
template <int whole>
static __device__ __forceinline__ void try_way(
	const colour *colours, colour sum, unsigned way, choice *best)
{
	float aa = 0, ab, bb, inverse, error;
	colour ax = {0, 0, 0}, bx, a, b;
	unsigned first, second;
	float ones = 0;

	/* Unrolled as a whole it would keep all colours in registers. */
#pragma unroll 4
	for (int i = 0; i < PIXELS; i++) {
		float part = (float)(way >> (2 * i) & 3) * (1.0f / whole);

		aa += part * part;
		ones += part;
		ax = ax + part * colours[i];
	}
	ab = ones - aa;
	bb = PIXELS - 2.0f * ones + aa;
	bx = sum - ax;
	inverse = 1.0f / (aa * bb - ab * ab);
	a = inverse * (bb * ax - ab * bx);
	b = inverse * (aa * bx - ab * ax);
	first = round565(&a);
	second = round565(&b);
	/* What is left of the squared distances, less the colours' own squares. */
	error = aa * dot(a, a) + bb * dot(b, b) + 2.0f * (ab * dot(a, b) - dot(a, ax) - dot(b, bx));
	if (error < best->error)
		*best = choice{error, first, second, way};
}

/* In DXT1 the larger end comes first with four colours, else there are three: 0 is the first end, 1
 * the second, 2 and 3 lie between, 2 halfway with three. */
static __device__ __forceinline__ block encode(choice c, bool three, const int *rank)
{
	bool swapped = three ? c.first > c.second : c.first < c.second;
	unsigned indices = 0;

#pragma unroll 1
	for (int i = 0; i < PIXELS; i++) {
		unsigned part = c.way >> (2 * rank[i]) & 3, index;

		if (three)
			index = part == 1 ? 2 : (part == 0) != swapped;
		else if (part == 0 || part == 3)
			index = (part == 0) != swapped;
		else
			index = (part == 1) != swapped ? 3 : 2;
		indices |= index << (2 * i);
	}
	if (c.first == c.second)
		indices = 0;
	return block{swapped ? c.second | c.first << 16 : c.first | c.second << 16, indices};
}

extern "C" __global__ void dxtc(
	const unsigned *ways4, const unsigned *ways3, const unsigned *pixels, block *blocks)
{
	__shared__ colour sorted[PIXELS];
	__shared__ float place[PIXELS], sums[PIXELS];
	__shared__ int rank[PIXELS];
	__shared__ float errors[THREADS];
	int t = (int)threadIdx.x, three = 0, winner = 0;
	colour sum = {0, 0, 0};
	choice best = {3.4e38f, 0, 0, 0}, best3;
	float least;

	if (t < PIXELS) {
		unsigned pixel = pixels[blockIdx.x * PIXELS + t];
		colour own = {(float)(pixel & 255) * (1.0f / 255.0f),
			(float)(pixel >> 8 & 255) * (1.0f / 255.0f),
			(float)(pixel >> 16 & 255) * (1.0f / 255.0f)};
		colour mean = (1.0f / PIXELS) * colour{sum_pixels(own.r, sums, t),
							sum_pixels(own.g, sums, t),
							sum_pixels(own.b, sums, t)};
		float along = dot(own, best_line(own - mean, sums, t));
		int at = 0;

		((volatile float *)place)[t] = along;
#pragma unroll
		for (int i = 0; i < PIXELS; i++) {
			float other = ((volatile float *)place)[i];

			at += other < along || (other == along && i < t);
		}
		rank[t] = at;
		sorted[at] = own;
	}
	barrier();
#pragma unroll
	for (int i = 0; i < PIXELS; i++)
		sum = sum + sorted[i];
#pragma unroll 1
	for (int i = t; i < WAYS4; i += THREADS)
		try_way<3>(sorted, sum, ways4[i], &best);
	best3 = best;
#pragma unroll 1
	for (int i = t; i < WAYS3; i += THREADS)
		try_way<2>(sorted, sum, ways3[i], &best3);
	if (best3.error < best.error) {
		best = best3;
		three = 1;
	}
	errors[t] = best.error;
	barrier();
	least = errors[0];
#pragma unroll 1
	for (int i = 1; i < THREADS; i++)
		if (errors[i] < least) {
			least = errors[i];
			winner = i;
		}
	if (t == winner)
		blocks[blockIdx.x] = encode(best, three != 0, rank);
}
