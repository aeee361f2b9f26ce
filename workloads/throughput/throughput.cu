/* What one SM does in a cycle, each kernel one unit: shared memory by width, by bank conflict and by
 * atomics on one word; multiply-adds of chosen warps; barriers. Operations go in groups of GROUP;
 * there is at least one iteration. */
#include "cuda_math.h"

#define GROUP 8
#define WORDS 4096
#define SLOTS 6

typedef unsigned pair __attribute__((ext_vector_type(2)));
typedef unsigned quad __attribute__((ext_vector_type(4)));
typedef __attribute__((address_space(3))) unsigned shared_word;

static __device__ __forceinline__ void fence()
{
	__asm__ volatile("membar.cta;" ::: "memory");
}

template <typename T> static __device__ __forceinline__ void swap(T *a, T *b)
{
	T v = *b;

	*b = *a;
	*a = v;
}

/* A thread's own SLOTS elements, a CTA's threads apart: 20 accesses an iteration. Three pairs are
 * exchanged, then the two between them (gpumembench, shmembench). */
template <typename T>
static __device__ __forceinline__ void swaps(T *own, const T *from, int iterations, T *to)
{
	unsigned n = blockDim.x, at = blockIdx.x * SLOTS * n + threadIdx.x;

#pragma unroll
	for (int i = 0; i < SLOTS; i++)
		own[i * n] = from[at + i * n];
	fence();
#pragma unroll 1
	do {
		swap(own, own + n);
		swap(own + 2 * n, own + 3 * n);
		swap(own + 4 * n, own + 5 * n);
		fence();
		swap(own + n, own + 2 * n);
		swap(own + 3 * n, own + 4 * n);
		fence();
	} while (--iterations);
#pragma unroll
	for (int i = 0; i < SLOTS; i++)
		to[at + i * n] = own[i * n];
}

extern __shared__ quad slots[];

extern "C" __global__ void throughput_swap1(const unsigned *from, int iterations, unsigned *to)
{
	swaps((unsigned *)slots + threadIdx.x, from, iterations, to);
}

extern "C" __global__ void throughput_swap2(const pair *from, int iterations, pair *to)
{
	swaps((pair *)slots + threadIdx.x, from, iterations, to);
}

extern "C" __global__ void throughput_swap4(const quad *from, int iterations, quad *to)
{
	swaps(slots + threadIdx.x, from, iterations, to);
}

static __device__ __forceinline__ unsigned shared_address(unsigned *p)
{
	return (unsigned)(unsigned long)(shared_word *)p;
}

/* Dependent loads of a warp, whose lanes are `stride` words apart: a word holds the address of the
 * one `hop` further. */
extern "C" __global__ void throughput_chase(
	unsigned stride, unsigned hop, int iterations, unsigned *end)
{
	__shared__ unsigned next[WORDS];
	unsigned t = threadIdx.x, base = shared_address(next);
	unsigned at = base + 4 * (t * stride % WORDS);

	for (unsigned i = t; i < WORDS; i += blockDim.x)
		next[i] = base + 4 * ((i + hop) % WORDS);
	barrier();
#pragma unroll 1
	do {
#pragma unroll
		for (int k = 0; k < GROUP; k++)
			__asm__ volatile("ld.shared.u32 %0, [%0];" : "+r"(at));
	} while (--iterations);
	end[t] = (at - base) / 4;
}

/* Additions of the first `lanes` threads to one word of shared memory. */
extern "C" __global__ void throughput_atomic(unsigned lanes, int iterations, unsigned *total)
{
	__shared__ unsigned sum;
	unsigned t = threadIdx.x, address = shared_address(&sum);

	if (t == 0)
		sum = 0;
	barrier();
	if (t < lanes) {
#pragma unroll 1
		do {
#pragma unroll
			for (int k = 0; k < GROUP; k++)
				__asm__ volatile("red.shared.add.u32 [%0], %1;" ::"r"(address),
					"r"(t + 1)
					: "memory");
		} while (--iterations);
	}
	barrier();
	if (t == 0)
		total[0] = sum;
}

/* GROUP independent chains of multiply-adds in each warp whose bit is in `warps`; four of each chain
 * an iteration. */
extern "C" __global__ void throughput_fma(
	unsigned warps, int iterations, float a, float b, float *end)
{
	unsigned t = threadIdx.x;
	float x[GROUP];

#pragma unroll
	for (int k = 0; k < GROUP; k++)
		x[k] = (float)(t + k);
	if (warps >> t / 32 & 1) {
#pragma unroll 1
		do {
#pragma unroll
			for (int k = 0; k < 4 * GROUP; k++)
				x[k % GROUP] = fmaf(x[k % GROUP], a, b);
		} while (--iterations);
	}
#pragma unroll
	for (int k = 0; k < GROUP; k++)
		end[k * blockDim.x + t] = x[k];
}

/* Barriers of the whole CTA. */
extern "C" __global__ void throughput_barrier(int iterations, unsigned *passed)
{
	unsigned n = 0;

#pragma unroll 1
	do {
#pragma unroll
		for (int k = 0; k < GROUP; k++)
			barrier();
		__asm__ volatile("add.u32 %0, %0, 1;" : "+r"(n));
	} while (--iterations);
	passed[threadIdx.x] = n;
}

/* A chain of additions to one word of global memory: each adds what the one before found there. */
extern "C" __global__ void throughput_global(int iterations, unsigned *total)
{
	unsigned found = 1;

	if (threadIdx.x)
		return;
	total[0] = 0;
	fence();
#pragma unroll 1
	do {
#pragma unroll
		for (int k = 0; k < GROUP; k++)
			found = atomicAdd(total, found);
	} while (--iterations);
}
