/* Histograms of bytes (Podlozhnyuk, Histogram calculation in CUDA, 2007), with 64 and with 256
 * bins: each CTA counts its share of the data in shared memory into a partial histogram, then a CTA
 * for each bin adds up what the partial histograms have of it. */
#include "cuda_math.h"

#define BINS_64 64
#define THREADS_64 64

#define BINS_256 256
#define WARPS_256 6
#define THREADS_256 (WARPS_256 * 32)

#define THREADS_MERGE 256

struct __attribute__((aligned(16))) four_words {
	unsigned x, y, z, w;
};

/* ---- 64 bins: each thread has a counter of one byte for each bin */

/* The upper six bits of the four bytes. `mine` is the thread's counter of bin 0. */
static __device__ __forceinline__ void count_upper_bits(unsigned char *mine, unsigned word)
{
	mine[(word >> 2 & 63) * THREADS_64]++;
	mine[(word >> 10 & 63) * THREADS_64]++;
	mine[(word >> 18 & 63) * THREADS_64]++;
	mine[(word >> 26) * THREADS_64]++;
}

/* Thread t adds up the counters of bin t. Sixteen threads begin in sixteen banks. */
static __device__ __forceinline__ unsigned sum_of_bin(const unsigned char *counters, unsigned t)
{
	const unsigned char *bin = counters + t * THREADS_64;
	unsigned sum = 0, at = 4 * (t & 15);

#pragma unroll
	for (int i = 0; i < THREADS_64 / 4; i++) {
		sum += bin[at] + bin[at + 1] + bin[at + 2] + bin[at + 3];
		at = (at + 4) & (THREADS_64 - 1);
	}
	return sum;
}

/* `words` is a multiple of four. No thread may have more than 15 times four words: a counter ends
 * at 255. */
extern "C" __global__ void histogram64(unsigned *partials, const four_words *data, unsigned words)
{
	__shared__ __attribute__((aligned(4))) unsigned char counters[THREADS_64 * BINS_64];
	unsigned t = threadIdx.x;
	/* Sixteen threads in a row have their bytes in sixteen banks. */
	unsigned char *mine = counters + ((t & 15) << 2 | t >> 4);

#pragma unroll
	for (int i = 0; i < BINS_64 / 4; i++)
		((unsigned *)counters)[t + i * THREADS_64] = 0;
	barrier();
	for (unsigned i = blockIdx.x * blockDim.x + t; i < words / 4; i += blockDim.x * gridDim.x) {
		four_words four = data[i];

		count_upper_bits(mine, four.x);
		count_upper_bits(mine, four.y);
		count_upper_bits(mine, four.z);
		count_upper_bits(mine, four.w);
	}
	barrier();
	partials[blockIdx.x * BINS_64 + t] = sum_of_bin(counters, t);
}

/* ---- 256 bins: each warp has a counter of a word for each bin */

/* What a CTA does with its counters: lanes that meet in one counter take turns, the lane in its
 * upper bits being the one whose store remained; or count by an atomic in shared memory. */
struct by_turns {
	static const unsigned mask = 0x07ffffff;

	static __device__ __forceinline__ void count(unsigned *counter, unsigned lane)
	{
		volatile unsigned *shared = counter;
		unsigned mine;

		do {
			mine = (*shared & mask) + 1;
			mine |= lane << 27;
			*shared = mine;
		} while (*shared != mine);
	}
};

struct by_atomics {
	static const unsigned mask = 0xffffffff;

	static __device__ __forceinline__ void count(unsigned *counter, unsigned)
	{
		atomicAdd(counter, 1u);
	}
};

template <class Counting>
static __device__ __forceinline__ void count_bytes(unsigned *warps, unsigned word, unsigned lane)
{
	Counting::count(warps + (word & 255), lane);
	Counting::count(warps + (word >> 8 & 255), lane);
	Counting::count(warps + (word >> 16 & 255), lane);
	Counting::count(warps + (word >> 24), lane);
}

/* Counts the CTA's share of the words into shared memory. */
template <class Counting>
static __device__ __forceinline__ void count_share(
	unsigned *counters, const unsigned *data, unsigned words)
{
	unsigned t = threadIdx.x;

#pragma unroll
	for (int i = 0; i < BINS_256 * WARPS_256 / THREADS_256; i++)
		counters[t + i * THREADS_256] = 0;
	barrier();
	for (unsigned i = blockIdx.x * blockDim.x + t; i < words; i += blockDim.x * gridDim.x)
		count_bytes<Counting>(counters + (t >> 5) * BINS_256, data[i], t);
	barrier();
}

/* Of all warps. */
template <class Counting>
static __device__ __forceinline__ unsigned sum_of_warps(const unsigned *counters, unsigned bin)
{
	unsigned sum = 0;

#pragma unroll
	for (int i = 0; i < WARPS_256; i++)
		sum += counters[bin + i * BINS_256] & Counting::mask;
	return sum;
}

template <class Counting>
static __device__ __forceinline__ void make_partial(
	unsigned *partials, const unsigned *data, unsigned words)
{
	__shared__ unsigned counters[WARPS_256 * BINS_256];

	count_share<Counting>(counters, data, words);
	for (unsigned bin = threadIdx.x; bin < BINS_256; bin += THREADS_256)
		partials[blockIdx.x * BINS_256 + bin] = sum_of_warps<Counting>(counters, bin);
}

extern "C" __global__ void histogram256(unsigned *partials, const unsigned *data, unsigned words)
{
	make_partial<by_turns>(partials, data, words);
}

extern "C" __global__ void histogram256_shared(
	unsigned *partials, const unsigned *data, unsigned words)
{
	make_partial<by_atomics>(partials, data, words);
}

/* Adds to the result at once; no partial histogram is left to merge. */
extern "C" __global__ void histogram256_global(
	unsigned *histogram, const unsigned *data, unsigned words)
{
	__shared__ unsigned counters[WARPS_256 * BINS_256];

	count_share<by_turns>(counters, data, words);
	for (unsigned bin = threadIdx.x; bin < BINS_256; bin += THREADS_256)
		atomicAdd(histogram + bin, sum_of_warps<by_turns>(counters, bin));
}

/* ---- the CTA adds up its bin of n partial histograms */
template <int bins>
static __device__ __forceinline__ void merge(
	unsigned *histogram, const unsigned *partials, unsigned n)
{
	__shared__ unsigned sums[THREADS_MERGE];
	unsigned t = threadIdx.x, sum = 0;

#pragma unroll 1
	for (unsigned i = t; i < n; i += THREADS_MERGE)
		sum += partials[blockIdx.x + i * bins];
	sums[t] = sum;
	for (unsigned half = THREADS_MERGE / 2; half > 0; half >>= 1) {
		barrier();
		if (t < half)
			sums[t] += sums[t + half];
	}
	if (t == 0)
		histogram[blockIdx.x] = sums[0];
}

extern "C" __global__ void histogram64_merge(
	unsigned *histogram, const unsigned *partials, unsigned n)
{
	merge<BINS_64>(histogram, partials, n);
}

extern "C" __global__ void histogram256_merge(
	unsigned *histogram, const unsigned *partials, unsigned n)
{
	merge<BINS_256>(histogram, partials, n);
}
