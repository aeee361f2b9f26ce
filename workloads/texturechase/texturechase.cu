/* A pointer chase of one thread through a texture (Mei et al., NPC 2014): texels hold the index of
 * the next texel, so that each fetch waits for the one before. Every access is stamped with the
 * clock; index and latency stay in shared memory until the end. What the arrays have one element more
 * for is the texel at which the timed accesses begin, and the time of all. */
#include "cuda_math.h"
#include "cuda_texture.h"

#define MOST 2048

CUDA_TEXTURE(chain);

static __device__ __forceinline__ unsigned clock_now()
{
	unsigned now;

	__asm__ volatile("mov.u32 %0, %%clock;" : "=r"(now)::"memory");
	return now;
}

extern "C" __global__ void texturechase(
	int warmup, int accesses, unsigned *visited, unsigned *latencies)
{
	__shared__ unsigned index[MOST], cycles[MOST];
	int at = 0;
	unsigned first;

#pragma unroll 1
	for (int i = 0; i < warmup; i++)
		at = tex1Dfetch_s32(chain, at);
	visited[accesses] = (unsigned)at; /* the clock waits for the last of them */
	first = clock_now();
#pragma unroll 1
	for (int i = 0; i < accesses; i++) {
		unsigned start = clock_now();

		at = tex1Dfetch_s32(chain, at);
		/* This store waits for the fetch, the clock for the store's issue. */
		index[i] = (unsigned)at;
		cycles[i] = clock_now() - start;
	}
	latencies[accesses] = clock_now() - first;
#pragma unroll 1
	for (int i = 0; i < accesses; i++) {
		visited[i] = index[i];
		latencies[i] = cycles[i];
	}
}
