/* Two-electron repulsion integrals over s shells by the Rys polynomial method (Rys, Dupuis and
 * King, Journal of Computational Chemistry 1983; Boys, 1950). A quartet of shells is a sum over all
 * quartets of their primitives, Gaussians; a thread has one of these, a CTA 64. A second kernel
 * adds the sums of a quartet's CTAs. Atoms and primitives are fetched as textures. */
#include "cuda.h"
#include "cuda_math.h"
#include "cuda_texture.h"

#define THREADS 64

#define SCALE 34.9868367f /* 2 pi^(5/2) */
#define NEGLIGIBLE 1e-23f

/* Of a CTA. Four numbers in a word, the first shell's in the highest bits. */
struct __attribute__((aligned(16))) work {
	unsigned counts;     /* of primitives, 4 bits each */
	unsigned centres;    /* atoms, 8 bits each */
	unsigned primitives; /* each shell's first, 8 bits each */
	unsigned first;      /* CTA of the same quartet */
};

/* Of a quartet: the CTAs that worked for it. */
struct __attribute__((aligned(8))) range {
	unsigned first, count;
};

CUDA_TEXTURE(atoms);      /* x, y, z */
CUDA_TEXTURE(primitives); /* exponent, coefficient */

template <int n> static __device__ __forceinline__ float polynomial(const float (&c)[n], float x)
{
	float sum = c[n - 1];

#pragma unroll
	for (int i = n - 2; i >= 0; i--)
		sum = sum * x + c[i];
	return sum;
}

/* Boys' function of order 0 from that of order 1, given as a polynomial of x. */
template <int n>
static __device__ __forceinline__ float from_order_1(const float (&c)[n], float x, float t)
{
	return polynomial(c, x) * (t + t) + __expf(-t);
}

/* What it is for large t, less the tail, a polynomial of 1 / t and exp(-t). */
template <int n>
static __device__ __forceinline__ float less_tail(const float (&c)[n], float limit, float t)
{
	return __expf(-t) * polynomial(c, 1.0f / t) + limit;
}

/* Boys' function of order 0: the weight of a Rys quadrature of one root. The first three
 * polynomials are Taylor's about 0, 2 and 4, the others interpolate at Chebyshev's points. */
static __device__ __forceinline__ float weight(float t)
{
	const float about_0[] = {0.333333333f, -0.2f, 0.0714285714f, -0.0185185185f, 0.00378787879f,
		-0.000641025641f, 9.25925926e-05f, -1.16713352e-05f, 1.3053467e-06f,
		-1.3122533e-07f};
	const float about_2[] = {0.115702181f, -0.0529428148f, 0.0161723489f, -0.00379490004f,
		0.000724888737f, -0.000116740299f, 1.62429106e-05f, -1.98849959e-06f,
		2.17257948e-07f, -2.14269769e-08f, 1.92546885e-09f, -1.58886537e-10f};
	const float about_4[] = {0.0528406321f, -0.0175257822f, 0.0043320795f, -0.000881947376f,
		0.000152653747f, -2.29009899e-05f, 3.02255301e-06f, -3.55355497e-07f,
		3.76091893e-08f, -3.61552332e-09f, 3.18162487e-10f, -2.58004332e-11f};
	const float from_5[] = {-2.4328681e-06f, -0.499869827f, 0.246942448f, -0.333121904f,
		0.557972338f, -0.754240309f, 0.527537052f};
	const float from_10[] = {-1.76770442e-05f, -0.499084838f, 0.231613639f, -0.194309147f};
	const float from_15[] = {-2.78477401e-05f, -0.498079653f, 0.205951981f};
	float limit;

	if (t < 3e-7f)
		return 1.0f - 0.333333333f * t;
	if (t < 1.0f)
		return from_order_1(about_0, t, t);
	if (t < 3.0f)
		return from_order_1(about_2, t - 2.0f, t);
	if (t < 5.0f)
		return from_order_1(about_4, t - 4.0f, t);
	limit = 1.0f / sqrtf(1.27323954f * t);
	if (t < 10.0f)
		return less_tail(from_5, limit, t);
	if (t < 15.0f)
		return less_tail(from_10, limit, t);
	if (t < 33.0f)
		return less_tail(from_15, limit, t);
	return limit;
}

static __device__ __forceinline__ float square(cuda_float3 a, cuda_float3 b)
{
	float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;

	return x * x + y * y + z * z;
}

/* Where the product of two Gaussians has its centre: between theirs. */
static __device__ __forceinline__ float between(float a, float x, float b, float y, float sum)
{
	return __fdividef(a * x + b * y, sum);
}

static __device__ __forceinline__ cuda_float3 between(
	cuda_float3 p, cuda_float3 q, float a, float b, float sum)
{
	return {between(a, p.x, b, q.x, sum), between(a, p.y, b, q.y, sum),
		between(a, p.z, b, q.z, sum)};
}

/* The integral over four primitives, each an atom's number and its own. */
static __device__ __forceinline__ float integral(const int (&atom)[4], const int (&primitive)[4])
{
	cuda_float3 a = tex1D_f32x3(atoms, (float)atom[0]);
	cuda_float3 b = tex1D_f32x3(atoms, (float)atom[1]);
	cuda_float3 c = tex1D_f32x3(atoms, (float)atom[2]);
	cuda_float3 d = tex1D_f32x3(atoms, (float)atom[3]);
	cuda_float2 u = tex1D_f32x2(primitives, (float)primitive[0]);
	cuda_float2 v = tex1D_f32x2(primitives, (float)primitive[1]);
	cuda_float2 w = tex1D_f32x2(primitives, (float)primitive[2]);
	cuda_float2 x = tex1D_f32x2(primitives, (float)primitive[3]);
	float p = u.x + v.x, q = w.x + x.x;
	float decay =
		__fdividef(u.x * v.x, p) * square(a, b) + __fdividef(w.x * x.x, q) * square(c, d);
	float size =
		__fdividef(u.y * v.y * w.y * x.y * __expf(-decay), p * q) * (1.0f / sqrtf(p + q));
	float apart;

	if (!(size * size > NEGLIGIBLE))
		return 0.0f;
	apart = square(between(a, b, u.x, v.x, p), between(c, d, w.x, x.x, q));
	return SCALE * size * weight(__fdividef(p * q, p + q) * apart);
}

/* n / divisor; the half keeps an inexact quotient on the right side of a whole number. */
static __device__ __forceinline__ int quotient(int n, int divisor)
{
	return (int)__fdividef((float)n + 0.5f, (float)divisor);
}

/* The place of integral i among those of a quartet, the last shell's primitives fastest. */
static __device__ __forceinline__ void find_primitives(int i, const int (&count)[4], int (&n)[4])
{
	int rest = count[1] * count[2] * count[3];

	n[0] = quotient(i, rest);
	i -= n[0] * rest;
	rest = count[2] * count[3];
	n[1] = quotient(i, rest);
	i -= n[1] * rest;
	n[2] = quotient(i, count[3]);
	n[3] = i - n[2] * count[3];
}

/* To values[0] the sum of all; a CTA's threads are a power of two. */
static __device__ __forceinline__ void add_all(float *values)
{
	unsigned t = threadIdx.x;

	barrier();
#pragma unroll 1
	for (unsigned half = blockDim.x >> 1; half > 0; half >>= 1) {
		if (t < half)
			values[t] += values[t + half];
		barrier();
	}
}

extern "C" __global__ void rpes(const work *works, float *partial, int offset)
{
	__shared__ float value[THREADS];
	__shared__ work mine;
	int cta = offset + (int)blockIdx.x, t = (int)threadIdx.x;
	int count[4], i;
	float v = 0.0f;

	if (t == 0)
		mine = {works[cta].counts, works[cta].centres, works[cta].primitives,
			works[cta].first};
	barrier();
	for (int k = 0; k < 4; k++)
		count[k] = (int)(mine.counts >> (12 - 4 * k) & 15);
	i = (cta - (int)mine.first) * THREADS + t;
	if (i < count[0] * count[1] * count[2] * count[3]) {
		int atom[4], primitive[4];

		find_primitives(i, count, primitive);
		for (int k = 0; k < 4; k++) {
			atom[k] = (int)(mine.centres >> (24 - 8 * k) & 255);
			primitive[k] += (int)(mine.primitives >> (24 - 8 * k) & 255);
		}
		v = integral(atom, primitive);
	}
	value[t] = v;
	add_all(value);
	if (t == 0)
		partial[cta] = value[0];
}

extern "C" __global__ void rpes_sums(
	float *sums, const float *partial, const range *ranges, int offset)
{
	__shared__ float value[THREADS];
	int quartet = offset + (int)blockIdx.x, t = (int)threadIdx.x;
	range r = ranges[quartet];

	value[t] = t < (int)r.count ? partial[(int)r.first + t] : 0.0f;
	add_all(value);
	if (t == 0)
		sums[quartet] = value[0];
}
