/* Sorting networks (Batcher, AFIPS 1968) over arrays of keys with values, a comparator a thread. A
 * CTA takes a tile of 1024 pairs through all steps that stay within it in shared memory; of longer
 * arrays, steps with wider strides are launches of their own, over global memory. Array lengths are
 * powers of two; `ascending` is 0 or 1. */
#include "cuda.h"
#include "cuda_math.h"

#define TILE 1024u
#define HALF (TILE / 2)

/* In shared memory. */
struct tile {
	unsigned key[TILE], value[TILE];
};

/* Equal keys are exchanged in descending order: their values come in any order. */
CUDA_FUNCTION bool misplaced(unsigned first, unsigned second, unsigned ascending)
{
	return (first > second) == ascending;
}

CUDA_FUNCTION void exchange(unsigned &a, unsigned &b)
{
	unsigned was = a;

	a = b;
	b = was;
}

CUDA_FUNCTION void compare(tile &s, unsigned first, unsigned second, unsigned ascending)
{
	if (misplaced(s.key[first], s.key[second], ascending)) {
		exchange(s.key[first], s.key[second]);
		exchange(s.value[first], s.value[second]);
	}
}

/* The first element of comparator t in a step; the second is `stride` behind. */
CUDA_FUNCTION unsigned first_of(unsigned t, unsigned stride)
{
	return 2 * t - (t & (stride - 1));
}

CUDA_FUNCTION void compare_global(unsigned *sorted_key, unsigned *sorted_value, const unsigned *key,
	const unsigned *value, unsigned a, unsigned b, unsigned ascending)
{
	unsigned key_a = key[a], value_a = value[a], key_b = key[b], value_b = value[b];

	if (misplaced(key_a, key_b, ascending)) {
		exchange(key_a, key_b);
		exchange(value_a, value_b);
	}
	sorted_key[a] = key_a;
	sorted_value[a] = value_a;
	sorted_key[b] = key_b;
	sorted_value[b] = value_b;
}

CUDA_FUNCTION void load(tile &s, const unsigned *key, const unsigned *value)
{
	unsigned t = threadIdx.x, from = blockIdx.x * TILE + t;

	s.key[t] = key[from];
	s.value[t] = value[from];
	s.key[t + HALF] = key[from + HALF];
	s.value[t + HALF] = value[from + HALF];
}

CUDA_FUNCTION void store(tile &s, unsigned *key, unsigned *value)
{
	unsigned t = threadIdx.x, to = blockIdx.x * TILE + t;

	barrier();
	key[to] = s.key[t];
	value[to] = s.value[t];
	key[to + HALF] = s.key[t + HALF];
	value[to + HALF] = s.value[t + HALF];
}

/* ---- the bitonic network */

/* Merges bitonic sequences of 2 * stride elements. */
CUDA_FUNCTION void merge_bitonic(tile &s, unsigned stride, unsigned ascending)
{
#pragma unroll 1
	do {
		unsigned first = first_of(threadIdx.x, stride);

		barrier();
		compare(s, first, first + stride, ascending);
		stride >>= 1;
	} while (stride > 0);
}

/* Sequences of `size` elements, half of them in each direction: bitonic in pairs. */
CUDA_FUNCTION void sort_below(tile &s, unsigned length, unsigned ascending)
{
#pragma unroll 1
	for (unsigned size = 2; size < length; size <<= 1)
		merge_bitonic(s, size / 2, ascending ^ ((threadIdx.x & (size / 2)) != 0));
}

/* Arrays of at most a tile. */
extern "C" __global__ void bitonic_sort(unsigned *sorted_key, unsigned *sorted_value,
	const unsigned *key, const unsigned *value, unsigned length, unsigned ascending)
{
	__shared__ tile s;

	load(s, key, value);
	sort_below(s, length, ascending);
	merge_bitonic(s, length / 2, ascending);
	store(s, sorted_key, sorted_value);
}

/* Tiles of longer arrays: every second one ascending. */
extern "C" __global__ void bitonic_sort_tiles(
	unsigned *sorted_key, unsigned *sorted_value, const unsigned *key, const unsigned *value)
{
	__shared__ tile s;

	load(s, key, value);
	sort_below(s, TILE, 0);
	merge_bitonic(s, TILE / 2, blockIdx.x & 1);
	store(s, sorted_key, sorted_value);
}

/* The direction in which a comparator of a merge of `size` elements orders. */
CUDA_FUNCTION unsigned direction(
	unsigned comparator, unsigned length, unsigned size, unsigned ascending)
{
	return ascending ^ ((comparator & (length / 2 - 1) & (size / 2)) != 0);
}

/* One step of a merge of `size` elements, its stride a tile or more. */
extern "C" __global__ void bitonic_merge(unsigned *sorted_key, unsigned *sorted_value,
	const unsigned *key, const unsigned *value, unsigned length, unsigned size, unsigned stride,
	unsigned ascending)
{
	unsigned comparator = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned at = first_of(comparator, stride);

	compare_global(sorted_key, sorted_value, key, value, at, at + stride,
		direction(comparator, length, size, ascending));
}

/* The steps of such a merge whose strides are below a tile. */
extern "C" __global__ void bitonic_merge_tiles(unsigned *sorted_key, unsigned *sorted_value,
	const unsigned *key, const unsigned *value, unsigned length, unsigned size,
	unsigned ascending)
{
	__shared__ tile s;
	unsigned comparator = blockIdx.x * blockDim.x + threadIdx.x;

	load(s, key, value);
	merge_bitonic(s, TILE / 2, direction(comparator, length, size, ascending));
	store(s, sorted_key, sorted_value);
}

/* ---- the odd-even merge network: all comparators order in one direction */

/* Arrays of at most a tile, or tiles. */
extern "C" __global__ void odd_even_sort(unsigned *sorted_key, unsigned *sorted_value,
	const unsigned *key, const unsigned *value, unsigned length, unsigned ascending)
{
	__shared__ tile s;
	unsigned t = threadIdx.x, size = 2;

	load(s, key, value);
#pragma unroll 1
	do {
		unsigned stride = size / 2, within = t & (stride - 1);
		unsigned first = first_of(t, stride);

		barrier();
		compare(s, first, first + stride, ascending);
#pragma unroll 1
		for (stride >>= 1; stride > 0; stride >>= 1) {
			unsigned second = first_of(t, stride);

			barrier();
			if (within >= stride)
				compare(s, second - stride, second, ascending);
		}
		size <<= 1;
	} while (size <= length);
	store(s, sorted_key, sorted_value);
}

/* One step of a merge of `size` elements, of any stride: after the first one, comparators reach
 * across the borders of tiles. */
extern "C" __global__ void odd_even_merge(unsigned *sorted_key, unsigned *sorted_value,
	const unsigned *key, const unsigned *value, unsigned size, unsigned stride,
	unsigned ascending)
{
	unsigned comparator = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned at = first_of(comparator, stride);

	if (stride >= size / 2)
		compare_global(sorted_key, sorted_value, key, value, at, at + stride, ascending);
	else if ((comparator & (size / 2 - 1)) >= stride)
		compare_global(sorted_key, sorted_value, key, value, at - stride, at, ascending);
}
