/* What one SM does in a cycle, each kernel one unit: shared memory by width, by bank conflict and by
 * atomics on one word; multiply-adds of chosen warps; barriers; products of matrices. Operations go
 * in groups of GROUP; there is at least one iteration. */
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

/* ---- products of matrices
 * CHAINS independent sums of products in each warp, four GROUPs of products an iteration. All elements
 * of a matrix are the same, so that each product adds one number to all elements of a sum, whatever
 * thread holds which. */
struct f16
{
	enum { SUMS = 8 };
	static __device__ __forceinline__ void product(float *d)
	{
		/* 16 x 1/4 x 1/4 */
		__asm__("{\n\t.reg .b32 q;\n\tmov.b32 q, 0x34003400;\n\t"
			"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 "
			"{%0, %1, %2, %3, %4, %5, %6, %7}, "
			"{q, q, q, q, q, q, q, q}, {q, q, q, q, q, q, q, q}, "
			"{%0, %1, %2, %3, %4, %5, %6, %7};\n\t}"
			: "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),
			"+f"(d[6]), "+f"(d[7]));
	}
};

struct half
{
	enum { SUMS = 4 };
	static __device__ __forceinline__ void product(unsigned *d)
	{
		__asm__("{\n\t.reg .b32 q;\n\tmov.b32 q, 0x34003400;\n\t"
			"wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16 {%0, %1, %2, %3}, "
			"{q, q, q, q, q, q, q, q}, {q, q, q, q, q, q, q, q}, {%0, %1, %2, %3};\n\t}"
			: "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]));
	}
};

struct tf32
{
	enum { SUMS = 8 };
	static __device__ __forceinline__ void product(float *d)
	{
		/* 8 x 1/4 x 1/2 */
		__asm__("{\n\t.reg .b32 q, h;\n\tmov.b32 q, 0f3E800000;\n\tmov.b32 h, 0f3F000000;\n\t"
			"wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32 "
			"{%0, %1, %2, %3, %4, %5, %6, %7}, {q, q, q, q}, {h, h, h, h}, "
			"{%0, %1, %2, %3, %4, %5, %6, %7};\n\t}"
			: "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),
			"+f"(d[6]), "+f"(d[7]));
	}
};

struct f64
{
	enum { SUMS = 2 };
	static __device__ __forceinline__ void product(double *d)
	{
		/* 4 x 1/2 x 1/2 */
		__asm__("{\n\t.reg .f64 h;\n\tmov.f64 h, 0d3FE0000000000000;\n\t"
			"wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64 "
			"{%0, %1}, {h}, {h}, {%0, %1};\n\t}"
			: "+d"(d[0]), "+d"(d[1]));
	}
};

struct u8
{
	enum { SUMS = 8 };
	static __device__ __forceinline__ void product(int *d)
	{
		/* 16 x 1 x 1 */
		__asm__("{\n\t.reg .b32 e;\n\tmov.b32 e, 0x01010101;\n\t"
			"wmma.mma.sync.aligned.row.col.m16n16k16.s32.u8.u8.s32 "
			"{%0, %1, %2, %3, %4, %5, %6, %7}, {e, e}, {e, e}, "
			"{%0, %1, %2, %3, %4, %5, %6, %7};\n\t}"
			: "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]),
			"+r"(d[6]), "+r"(d[7]));
	}
};

/* What a register of the sums begins with: its number, in f16 in both halves of a word. */
static __device__ __forceinline__ void begin(float *d, unsigned number)
{
	*d = (float)number;
}

static __device__ __forceinline__ void begin(double *d, unsigned number)
{
	*d = (double)number;
}

static __device__ __forceinline__ void begin(int *d, unsigned number)
{
	*d = (int)number;
}

static __device__ __forceinline__ void begin(unsigned *d, unsigned number)
{
	unsigned e = number ? 31 - __builtin_clz(number) : 0;

	*d = number ? ((e + 15) << 10 | (number << (10 - e) & 0x3ff)) * 0x10001 : 0;
}

template <typename MATRIX, int CHAINS, typename T>
static __device__ __forceinline__ void products(int iterations, T *end)
{
	unsigned n = blockDim.x * gridDim.x, at = blockIdx.x * blockDim.x + threadIdx.x;
	T d[CHAINS][MATRIX::SUMS];

#pragma unroll
	for (int k = 0; k < CHAINS * MATRIX::SUMS; k++)
		begin(&d[k / MATRIX::SUMS][k % MATRIX::SUMS], k);
#pragma unroll 1
	do {
#pragma unroll
		for (int k = 0; k < 4 * GROUP; k++)
			MATRIX::product(d[k % CHAINS]);
	} while (--iterations);
#pragma unroll
	for (int k = 0; k < CHAINS * MATRIX::SUMS; k++)
		end[k * n + at] = d[k / MATRIX::SUMS][k % MATRIX::SUMS];
}

#define PRODUCTS(matrix, type)                                                                     \
	extern "C" __global__ void throughput_##matrix##_1(int iterations, type *end)              \
	{                                                                                          \
		products<matrix, 1>(iterations, end);                                              \
	}                                                                                          \
	extern "C" __global__ void throughput_##matrix##_4(int iterations, type *end)              \
	{                                                                                          \
		products<matrix, 4>(iterations, end);                                              \
	}
PRODUCTS(f16, float)
PRODUCTS(half, unsigned)
PRODUCTS(tf32, float)
PRODUCTS(f64, double)
PRODUCTS(u8, int)
