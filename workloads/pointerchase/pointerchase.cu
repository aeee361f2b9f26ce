/* Pointer chases of one thread (Saavedra and Smith, IEEE TC 1995; Mei et al., NPC 2014): an
 * array's elements hold the index of the next element, so that each load waits for the one before.
 * The fine-grained one stamps every access with the clock and keeps index and latency in shared
 * memory until the end; the classic one takes the time of all. What an array of results has one
 * element more for is the time of all. */
#include "cuda_math.h"

#define MOST 2048

static __device__ __forceinline__ unsigned clock_now()
{
	unsigned now;

	__asm__ volatile("mov.u32 %0, %%clock;" : "=r"(now)::"memory");
	return now;
}

static __device__ __forceinline__ unsigned walk(const unsigned *array, unsigned at, int n)
{
#pragma unroll 1
	for (int i = 0; i < n; i++)
		at = array[at];
	return at;
}

extern "C" __global__ void pointerchase_fine(
	const unsigned *array, int warmup, int accesses, unsigned *visited, unsigned *latencies)
{
	__shared__ unsigned index[MOST], cycles[MOST];
	unsigned at = walk(array, 0, warmup), first = clock_now();

#pragma unroll 1
	for (int i = 0; i < accesses; i++) {
		unsigned start = clock_now();

		at = array[at];
		/* This store waits for the load, the clock for the store's issue. */
		index[i] = at;
		cycles[i] = clock_now() - start;
	}
	latencies[accesses] = clock_now() - first;
#pragma unroll 1
	for (int i = 0; i < accesses; i++) {
		visited[i] = index[i];
		latencies[i] = cycles[i];
	}
}

extern "C" __global__ void pointerchase_classic(
	const unsigned *array, int warmup, int accesses, unsigned *visited, unsigned *latencies)
{
	unsigned at = walk(array, 0, warmup), start = clock_now();

	at = walk(array, at, accesses);
	visited[accesses] = at;
	latencies[accesses + 1] = clock_now() - start;
}
