/* Merge sort (Satish, Harris and Garland, IPDPS 2009) of keys with values, stable. A CTA sorts a
 * tile of 1024 pairs in shared memory; then sorted segments are merged in pairs, A and B. Every
 * 128th key of both is a sample. Ranks of the samples of one segment in the other cut both into
 * intervals of at most 128 keys, of which a CTA merges two. An element's new position is its own
 * rank plus the one that a binary search finds in the other segment. */
#include "cuda.h"
#include "cuda_math.h"

#define TILE 1024u
#define HALF (TILE / 2)
#define SAMPLE 128u

CUDA_FUNCTION unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* x > 1: the least power of two that is not below. */
CUDA_FUNCTION unsigned power_above(unsigned x)
{
	return 1u << (32 - __builtin_clz(x - 1));
}

/* How many of n > 0 sorted keys go before `key`: the smaller ones, and if `after_equals` those that
 * equal it. `step` is a power of two, n or more. */
CUDA_FUNCTION unsigned rank_in(
	unsigned key, const unsigned *keys, unsigned n, unsigned step, bool after_equals)
{
	unsigned rank = 0;

#pragma unroll 1
	do {
		unsigned next = least(rank + step, n);
		unsigned last = keys[next - 1];

		if (after_equals ? last <= key : last < key)
			rank = next;
		step >>= 1;
	} while (step > 0);
	return rank;
}

/* ---- tiles */

/* A tile, or arrays of `length` keys in it: each thread moves a key of an A and of a B. */
extern "C" __global__ void mergesort_tiles(unsigned *sorted_key, unsigned *sorted_value,
	const unsigned *key, const unsigned *value, unsigned length)
{
	__shared__ unsigned tile_key[TILE], tile_value[TILE];
	unsigned t = threadIdx.x, at = blockIdx.x * TILE + t, stride = 1;

	tile_key[t] = key[at];
	tile_value[t] = value[at];
	tile_key[t + HALF] = key[at + HALF];
	tile_value[t + HALF] = value[at + HALF];
#pragma unroll 1
	do {
		unsigned within = t & (stride - 1);
		unsigned *pair_key = tile_key + 2 * (t - within);
		unsigned *pair_value = tile_value + 2 * (t - within);
		unsigned key_a, value_a, to_a, key_b, value_b, to_b;

		barrier();
		key_a = pair_key[within];
		value_a = pair_value[within];
		key_b = pair_key[within + stride];
		value_b = pair_value[within + stride];
		to_a = within + rank_in(key_a, pair_key + stride, stride, stride, false);
		to_b = within + rank_in(key_b, pair_key, stride, stride, true);
		barrier();
		pair_key[to_a] = key_a;
		pair_value[to_a] = value_a;
		pair_key[to_b] = key_b;
		pair_value[to_b] = value_b;
		stride <<= 1;
	} while (stride < length);
	barrier();
	sorted_key[at] = tile_key[t];
	sorted_value[at] = tile_value[t];
	sorted_key[at + HALF] = tile_key[t + HALF];
	sorted_value[at + HALF] = tile_value[t + HALF];
}

/* ---- intervals */

/* Keys of B in the pair of segments from key `base` on: as many as A's `stride`, a power of two, or
 * what is left of n. Both are whole tiles. */
CUDA_FUNCTION unsigned keys_of_b(unsigned base, unsigned stride, unsigned n)
{
	return least(stride, n - base - stride);
}

/* Sample `i` of A and of B: its rank in both. The samples of A come first, then those of B. */
extern "C" __global__ void mergesort_ranks(unsigned *ranks_a, unsigned *ranks_b,
	const unsigned *key, unsigned stride, unsigned n, unsigned threads)
{
	unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned of_a = stride / SAMPLE, i = t & (of_a - 1), base = (t - i) * (2 * SAMPLE);
	unsigned left;

	if (t >= threads)
		return;
	left = keys_of_b(base, stride, n);
	key += base;
	ranks_a += base / SAMPLE;
	ranks_b += base / SAMPLE;
	ranks_a[i] = i * SAMPLE;
	ranks_b[i] = rank_in(key[i * SAMPLE], key + stride, left, power_above(left), false);
	if (i < left / SAMPLE) {
		ranks_b[of_a + i] = i * SAMPLE;
		ranks_a[of_a + i] = rank_in(key[stride + i * SAMPLE], key, stride, stride, true);
	}
}

/* Merges the ranks of A's samples with those of B's: where intervals begin. */
extern "C" __global__ void mergesort_limits(
	unsigned *limits, const unsigned *ranks, unsigned stride, unsigned n, unsigned threads)
{
	unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned of_a = stride / SAMPLE, i = t & (of_a - 1), base = (t - i) * (2 * SAMPLE);
	unsigned of_b;

	if (t >= threads)
		return;
	of_b = keys_of_b(base, stride, n) / SAMPLE;
	ranks += base / SAMPLE;
	limits += base / SAMPLE;
	limits[i + rank_in(ranks[i], ranks + of_a, of_b, power_above(of_b), false)] = ranks[i];
	if (i < of_b)
		limits[i + rank_in(ranks[of_a + i], ranks, of_a, of_a, true)] = ranks[of_a + i];
}

/* What a CTA merges: where its intervals begin in A, in B and in the result, and their lengths. */
struct intervals {
	unsigned start_a, start_b, length_a, length_b, to_a, to_b;
};

CUDA_FUNCTION void find_intervals(intervals &s, const unsigned *limits_a, const unsigned *limits_b,
	unsigned interval, unsigned stride, unsigned left)
{
	bool last = interval + 1 >= (stride + left) / SAMPLE;

	s.start_a = limits_a[0];
	s.start_b = limits_b[0];
	s.length_a = (last ? stride : limits_a[1]) - s.start_a;
	s.length_b = (last ? left : limits_b[1]) - s.start_b;
	s.to_a = s.start_a + s.start_b;
	s.to_b = s.to_a + s.length_a;
}

/* Merges the interval of A at the front of shared memory with that of B in its second half. */
CUDA_FUNCTION void merge_pair(unsigned *pair_key, unsigned *pair_value, const intervals &s)
{
	unsigned t = threadIdx.x;
	unsigned key_a, value_a, rank_a, key_b, value_b, rank_b;

	if (t < s.length_a) {
		key_a = pair_key[t];
		value_a = pair_value[t];
		rank_a = t;
		if (s.length_b > 0)
			rank_a += rank_in(key_a, pair_key + SAMPLE, s.length_b, SAMPLE, false);
	}
	if (t < s.length_b) {
		key_b = pair_key[t + SAMPLE];
		value_b = pair_value[t + SAMPLE];
		rank_b = t;
		if (s.length_a > 0)
			rank_b += rank_in(key_b, pair_key, s.length_a, SAMPLE, true);
	}
	barrier();
	if (t < s.length_a) {
		pair_key[rank_a] = key_a;
		pair_value[rank_a] = value_a;
	}
	if (t < s.length_b) {
		pair_key[rank_b] = key_b;
		pair_value[rank_b] = value_b;
	}
}

extern "C" __global__ void mergesort_merge(unsigned *sorted_key, unsigned *sorted_value,
	const unsigned *key, const unsigned *value, const unsigned *limits_a,
	const unsigned *limits_b, unsigned stride, unsigned n)
{
	__shared__ unsigned pair_key[2 * SAMPLE], pair_value[2 * SAMPLE];
	__shared__ intervals s;
	unsigned t = threadIdx.x, interval = blockIdx.x & (2 * stride / SAMPLE - 1);
	unsigned base = (blockIdx.x - interval) * SAMPLE;

	if (t == 0)
		find_intervals(s, limits_a + blockIdx.x, limits_b + blockIdx.x, interval, stride,
			keys_of_b(base, stride, n));
	barrier();
	if (t < s.length_a) {
		pair_key[t] = key[base + s.start_a + t];
		pair_value[t] = value[base + s.start_a + t];
	}
	if (t < s.length_b) {
		pair_key[t + SAMPLE] = key[base + stride + s.start_b + t];
		pair_value[t + SAMPLE] = value[base + stride + s.start_b + t];
	}
	barrier();
	merge_pair(pair_key, pair_value, s);
	barrier();
	if (t < s.length_a) {
		sorted_key[base + s.to_a + t] = pair_key[t];
		sorted_value[base + s.to_a + t] = pair_value[t];
	}
	if (t < s.length_b) {
		sorted_key[base + s.to_b + t] = pair_key[s.length_a + t];
		sorted_value[base + s.to_b + t] = pair_value[s.length_a + t];
	}
}
