/* Pairs of kernels, faulty and fixed, that differ by one fault (bands.txt). */
#include "../../workloads/cuda.h"

struct __attribute__((aligned(16))) four {
	float x, y, z, w;
};

static __device__ __forceinline__ unsigned me()
{
	return blockIdx.x * blockDim.x + threadIdx.x;
}

/* Three quotients by what never changes, or shifts. */
extern "C" __global__ void divides(unsigned *out, unsigned steps, unsigned by)
{
	unsigned v = me() * 977 + 12345, w = v + 7, x = v + 9;

	for (unsigned i = 0; i < steps; i++) {
		v = v / by + 77777;
		w = w / by + 99999;
		x = x / by + 5555;
	}
	out[me()] = v + w + x;
}

extern "C" __global__ void shifts(unsigned *out, unsigned steps, unsigned by)
{
	unsigned v = me() * 977 + 12345, w = v + 7, x = v + 9;

	for (unsigned i = 0; i < steps; i++) {
		v = (v >> by) + 77777;
		w = (w >> by) + 99999;
		x = (x >> by) + 5555;
	}
	out[me()] = v + w + x;
}

/* f64 where f32 is precise enough. */
extern "C" __global__ void in_f64(double *out, unsigned steps, double by)
{
	double v = me(), w = v + 1, x = v + 2, y = v + 3;

	for (unsigned i = 0; i < steps; i++) {
		v = v * by + 0.5;
		w = w * by + 0.5;
		x = x * by + 0.5;
		y = y * by + 0.5;
	}
	out[me()] = v + w + x + y;
}

extern "C" __global__ void in_f32(float *out, unsigned steps, float by)
{
	float v = me(), w = v + 1, x = v + 2, y = v + 3;

	for (unsigned i = 0; i < steps; i++) {
		v = v * by + 0.5f;
		w = w * by + 0.5f;
		x = x * by + 0.5f;
		y = y * by + 0.5f;
	}
	out[me()] = v + w + x + y;
}

/* A table of constants, each lane at a word of its own, or all of a warp at one. */
__constant__ float table[256];

extern "C" __global__ void by_lane(float *out, unsigned steps)
{
	float v = 0;

	for (unsigned i = 0; i < steps; i++)
		v += table[(threadIdx.x + i) & 255];
	out[me()] = v;
}

extern "C" __global__ void by_warp(float *out, unsigned steps)
{
	float v = 0;

	for (unsigned i = 0; i < steps; i++)
		v += table[(threadIdx.x / 32 + i) & 255];
	out[me()] = v;
}

/* Sum and sum of squares by two launches that read the same, or by one. */
extern "C" __global__ void sum_of(const four *in, float *out, unsigned n, unsigned step)
{
	float v = 0;

	for (unsigned i = me(); i < n; i += 2 * step) {
		four a = in[i], b = in[i + step];

		v += ((a.x + a.y) + (a.z + a.w)) + ((b.x + b.y) + (b.z + b.w));
	}
	out[me()] = v;
}

extern "C" __global__ void squares_of(const four *in, float *out, unsigned n, unsigned step)
{
	float v = 0;

	for (unsigned i = me(); i < n; i += 2 * step) {
		four a = in[i], b = in[i + step];

		v += ((a.x * a.x + a.y * a.y) + (a.z * a.z + a.w * a.w)) +
		     ((b.x * b.x + b.y * b.y) + (b.z * b.z + b.w * b.w));
	}
	out[me()] = v;
}

extern "C" __global__ void both_of(const four *in, float *out, unsigned n, unsigned step)
{
	float v = 0, w = 0;

	for (unsigned i = me(); i < n; i += 2 * step) {
		four a = in[i], b = in[i + step];

		v += ((a.x + a.y) + (a.z + a.w)) + ((b.x + b.y) + (b.z + b.w));
		w += ((a.x * a.x + a.y * a.y) + (a.z * a.z + a.w * a.w)) +
		     ((b.x * b.x + b.y * b.y) + (b.z * b.z + b.w * b.w));
	}
	out[me()] = v + w;
}

/* A chain of loads from the L2: `kept` shared words and values in registers that it needs at the end only,
 * or none. */
template <unsigned shared, unsigned kept>
static __device__ __forceinline__ void chain(const unsigned *in, unsigned *out, unsigned n, unsigned steps)
{
	__shared__ unsigned words[shared];
	unsigned value[kept], at = me() & (n - 1), sum = 0;

	words[threadIdx.x] = at;
	__syncthreads();
#pragma unroll
	for (unsigned k = 0; k < kept; k++)
		value[k] = at * (2 * k + 1);
#pragma unroll
	for (unsigned k = 0; k < kept; k++)
		asm volatile("" : "+r"(value[k])); /* here, and not behind the loop */
	for (unsigned i = 0; i < steps; i++)
		at = in[(at + 4096) & (n - 1)] + at + 4096;
#pragma unroll
	for (unsigned k = 0; k < kept; k++)
		sum = (sum << 1) + (value[k] ^ at);
	out[me()] = sum + words[(at + shared - 256) % shared];
}

extern "C" __global__ void few_fit(const unsigned *in, unsigned *out, unsigned n, unsigned steps)
{
	chain<8192, 96>(in, out, n, steps);
}

extern "C" __global__ void all_fit(const unsigned *in, unsigned *out, unsigned n, unsigned steps)
{
	chain<256, 4>(in, out, n, steps);
}

/* One warp of a CTA works between barriers, or each does its part. */
static __device__ __forceinline__ unsigned work(unsigned v, unsigned steps)
{
#pragma unroll 1
	for (unsigned i = 0; i < steps; i++)
		v = (v * 5 + i) ^ 77;
	return v;
}

extern "C" __global__ void one_works(unsigned *out, unsigned rounds, unsigned steps)
{
	__shared__ unsigned words[256];
	unsigned v = me();

	for (unsigned k = 0; k < rounds; k++) {
		if (threadIdx.x < 32)
			words[threadIdx.x] = work(v, steps);
		__syncthreads();
		v += words[threadIdx.x % 32];
		__syncthreads();
	}
	out[me()] = v;
}

extern "C" __global__ void all_work(unsigned *out, unsigned rounds, unsigned steps)
{
	__shared__ unsigned words[256];
	unsigned v = me();

	for (unsigned k = 0; k < rounds; k++) {
		words[threadIdx.x] = work(v, steps / (blockDim.x / 32));
		__syncthreads();
		v += words[threadIdx.x % 32];
		__syncthreads();
	}
	out[me()] = v;
}

/* A transpose that stores columns, or exchanges a tile through shared memory. */
extern "C" __global__ void stores_columns(const float *in, float *out, unsigned n)
{
	unsigned x = blockIdx.x % (n / 32) * 32 + threadIdx.x % 32;
	unsigned y = blockIdx.x / (n / 32) * 32 + threadIdx.x / 32;

	for (unsigned k = 0; k < 32; k += 8)
		out[x * n + y + k] = in[(y + k) * n + x];
}

extern "C" __global__ void stores_rows(const float *in, float *out, unsigned n)
{
	__shared__ float tile[32][33];
	unsigned x = blockIdx.x % (n / 32) * 32, y = blockIdx.x / (n / 32) * 32;
	unsigned i = threadIdx.x % 32, j = threadIdx.x / 32;

	for (unsigned k = 0; k < 32; k += 8)
		tile[j + k][i] = in[(y + j + k) * n + x + i];
	__syncthreads();
	for (unsigned k = 0; k < 32; k += 8)
		out[(x + j + k) * n + y + i] = tile[i][j + k];
}

/* Each thread fills a record of its own, or all fill an array of each field. */
extern "C" __global__ void fills_records(unsigned *out, unsigned fields)
{
#pragma unroll 1
	for (unsigned i = 0; i < fields; i++)
		out[me() * fields + i] = me() + i;
}

extern "C" __global__ void fills_fields(unsigned *out, unsigned fields)
{
#pragma unroll 1
	for (unsigned i = 0; i < fields; i++)
		out[i * gridDim.x * blockDim.x + me()] = me() + i;
}

/* A sum in one chain, or in four. */
extern "C" __global__ void one_chain(float *out, unsigned steps, float by)
{
	float v = me();

#pragma unroll 1
	for (unsigned i = 0; i < steps; i++) {
#pragma unroll
		for (unsigned k = 0; k < 8; k++)
			v = v * by + 0.5f;
	}
	out[me()] = v;
}

extern "C" __global__ void four_chains(float *out, unsigned steps, float by)
{
	float v = me(), w = v + 1, x = v + 2, y = v + 3;

#pragma unroll 1
	for (unsigned i = 0; i < steps; i++) {
#pragma unroll
		for (unsigned k = 0; k < 2; k++) {
			v = v * by + 0.5f;
			w = w * by + 0.5f;
			x = x * by + 0.5f;
			y = y * by + 0.5f;
		}
	}
	out[me()] = v + w + x + y;
}

/* Barriers in every round, of which each warp has a long one now and then, or none. */
static __device__ __forceinline__ void rounds(unsigned *out, unsigned n, bool meets)
{
	unsigned v = me();

#pragma unroll 1
	for (unsigned i = 0; i < n; i++) {
		v = work(v, (threadIdx.x / 32 + i) % 8 ? 2 : 24);
		if (meets)
			__syncthreads();
	}
	out[me()] = v;
}

extern "C" __global__ void rounds_meet(unsigned *out, unsigned n)
{
	rounds(out, n, true);
}

extern "C" __global__ void rounds_pass(unsigned *out, unsigned n)
{
	rounds(out, n, false);
}

/* A matrix filled by columns, or by rows: each thread stores a word. */
extern "C" __global__ void fills_columns(float *out, unsigned width)
{
	out[me() % width * width + me() / width] = (float)(me() / width) * 0.5f;
}

extern "C" __global__ void fills_rows(float *out, unsigned width)
{
	out[me()] = (float)(me() / width) * 0.5f;
}

/* Bytes copied one by one, or as words. */
template <typename T>
static __device__ __forceinline__ void copies(const T *in, T *out, unsigned n)
{
#pragma unroll 1
	for (unsigned i = me(); i < n / sizeof(T); i += gridDim.x * blockDim.x)
		out[i] = in[i];
}

extern "C" __global__ void copies_bytes(const unsigned char *in, unsigned char *out, unsigned n)
{
	copies(in, out, n);
}

extern "C" __global__ void copies_words(const unsigned *in, unsigned *out, unsigned n)
{
	copies(in, out, n);
}

/* Rows that begin in the middle of a line, or with one: as many loads. */
extern "C" __global__ void shifted(const float *in, float *out, unsigned shift, unsigned steps)
{
	float v = 0;

#pragma unroll 1
	for (unsigned i = 0; i < steps; i++)
		v += in[(me() / 32 * steps + i) * 160 + shift + threadIdx.x % 32];
	out[me()] = v;
}

/* Neighbours exchange values, whole CTAs wait; or warps alone do. */
static __device__ __forceinline__ void exchange(float *out, unsigned n, bool meets)
{
	__shared__ volatile float s[256];
	float v = me();

#pragma unroll 1
	for (unsigned i = 0; i < n; i++) {
		s[threadIdx.x] = v;
		if (meets)
			__syncthreads();
		v += s[threadIdx.x ^ 1] * 0.5f;
		if (meets)
			__syncthreads();
	}
	out[me()] = v;
}

extern "C" __global__ void exchange_meets(float *out, unsigned n)
{
	exchange(out, n, true);
}

extern "C" __global__ void exchange_passes(float *out, unsigned n)
{
	exchange(out, n, false);
}

/* Sines, or polynomials of as many instructions. */
extern "C" __global__ void sines(float *out, unsigned n)
{
	float v = me();

#pragma unroll 1
	for (unsigned i = 0; i < n; i++)
		v += __nvvm_sin_approx_f(v) * __nvvm_cos_approx_f(v);
	out[me()] = v;
}

extern "C" __global__ void polynomials(float *out, unsigned n, float by)
{
	float v = me();

#pragma unroll 1
	for (unsigned i = 0; i < n; i++)
		v += (v * by + 0.5f) * (v * by - 0.5f);
	out[me()] = v;
}

/* Warps go down the rows of a matrix together, and two rows further to the next line of them. */
extern "C" __global__ void goes_down(
	const unsigned *in, unsigned *out, unsigned pitch, unsigned steps)
{
	unsigned sum = 0;

#pragma unroll 1
	for (unsigned i = 0; i < steps; i++)
		sum += in[(me() / 32 + i * 256) % 512 * pitch + threadIdx.x % 32 + i / 2 * 32];
	out[me()] = sum;
}

/* A table for each thread, by words that the thread has just looked up: in local memory; in shared
 * memory, a column for each thread. */
template <unsigned Step>
static __device__ __forceinline__ void look_up(unsigned *table, unsigned *out, unsigned n)
{
	unsigned at = 3;

#pragma unroll
	for (unsigned i = 0; i < 32; i++)
		table[i * Step] = me() + i;
#pragma unroll 1
	for (unsigned i = 0; i < n; i++) {
		table[(at + i) % 32 * Step] += at;
		at += table[(at * 3 + i) % 32 * Step];
	}
	out[me()] = at;
}

extern "C" __global__ void looks_up_local(unsigned *out, unsigned n)
{
	unsigned table[32];

	look_up<1>(table, out, n);
}

extern "C" __global__ void looks_up_shared(unsigned *out, unsigned n)
{
	__shared__ unsigned table[32 * 128];

	look_up<128>(table + threadIdx.x, out, n);
}

/* The first thread of a CTA counts, in words `step` apart. */
extern "C" __global__ void counts(unsigned *out, unsigned step, unsigned n)
{
	if (threadIdx.x)
		return;
#pragma unroll 1
	for (unsigned i = 0; i < n; i++)
		__nvvm_atom_add_gen_i((int *)out + blockIdx.x * step, i);
}

/* A ring of 80 values, with the registers of four CTAs an SM or of one. */
static __device__ __forceinline__ void ring(float *out, unsigned n)
{
	float v[80], sum = 0;

#pragma unroll
	for (unsigned i = 0; i < 80; i++)
		v[i] = out[me() + i];
#pragma nounroll
	for (unsigned k = 0; k < n; k++) {
#pragma unroll
		for (unsigned i = 0; i < 80; i++)
			v[i] = v[i] * v[(i + 13) % 80] + 1;
	}
#pragma unroll
	for (unsigned i = 0; i < 80; i++)
		sum += v[i];
	out[me()] = sum;
}

extern "C" __global__ void __attribute__((launch_bounds(256, 4))) ring_four(float *out, unsigned n)
{
	ring(out, n);
}

extern "C" __global__ void __attribute__((launch_bounds(256, 1))) ring_one(float *out, unsigned n)
{
	ring(out, n);
}

/* A matrix scaled with a row for each x, or a column. */
extern "C" __global__ void scales_columns(const float *in, float *out, unsigned width)
{
	unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned column = blockIdx.y * blockDim.y + threadIdx.y;

	out[row * width + column] = in[row * width + column] * 2;
}

extern "C" __global__ void scales_rows(const float *in, float *out, unsigned width)
{
	unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned row = blockIdx.y * blockDim.y + threadIdx.y;

	out[row * width + column] = in[row * width + column] * 2;
}

/* A sum by an atomic of each thread, or of each CTA, whose warps add up in registers first. */
extern "C" __global__ void sums_threads(const int *in, int *out)
{
	__nvvm_atom_add_gen_i(out, in[me()]);
}

extern "C" __global__ void sums_ctas(const int *in, int *out)
{
	__shared__ int words[8];
	int v = in[me()];

#pragma unroll
	for (unsigned i = 16; i; i /= 2)
		v += __nvvm_shfl_sync_down_i32(~0u, v, i, 31);
	if (threadIdx.x % 32 == 0)
		words[threadIdx.x / 32] = v;
	__syncthreads();
	if (threadIdx.x)
		return;
#pragma unroll
	for (unsigned i = 1; i < 8; i++)
		v += words[i];
	__nvvm_atom_add_gen_i(out, v);
}

/* Sums over all that are before a CTA, which later ones have more of, or over half of all. */
extern "C" __global__ void sums_triangle(float *out, const float *x, unsigned half)
{
	unsigned n = half ? gridDim.x / 2 : blockIdx.x;
	float at = x[threadIdx.x], sum = 0;

#pragma unroll 1
	for (unsigned i = 0; i < n; i++) {
		float d = at - x[i];

		sum += d * d * (1 + d) + sum * d;
	}
	out[me()] = sum;
}

/* A lane of each warp has eight times as much to do, or a warp of each CTA has all of those. */
extern "C" __global__ void longer_lanes(float *out, unsigned steps, unsigned packed)
{
	unsigned is_long = packed ? threadIdx.x < blockDim.x / 32 : threadIdx.x % 32 == 0;
	float v = me();

#pragma unroll 1
	for (unsigned i = is_long ? 8 * steps : steps; i; i--)
		v = v * 0.5f + 1;
	out[me()] = v;
}
