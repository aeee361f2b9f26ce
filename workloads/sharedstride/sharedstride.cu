/* A stride through shared memory (Mei et al., NPC 2014): the lanes of one warp follow chains of
 * indices that start `stride` words apart and stay so, each load waiting for the one before. */
#include "cuda_math.h"

#define WORDS 4096
#define STEPS 64

static __device__ __forceinline__ unsigned clock_now()
{
	unsigned now;

	__asm__ volatile("mov.u32 %0, %%clock;" : "=r"(now)::"memory");
	return now;
}

/* A word leads to the word `hop` further, round and round. Of `iterations` walks of STEPS steps the
 * first is not timed. */
extern "C" __global__ void sharedstride(
	unsigned stride, unsigned hop, int iterations, unsigned *end, unsigned *cycles)
{
	__shared__ unsigned next[WORDS];
	unsigned t = threadIdx.x, at = t * stride % WORDS, total = 0;

	for (unsigned i = t; i < WORDS; i += 32)
		next[i] = (i + hop) % WORDS;
	barrier();
	for (int walk = 0; walk < iterations; walk++) {
		unsigned start = clock_now();

#pragma unroll
		for (int step = 0; step < STEPS; step++)
			at = next[at];
		/* The clock waits for the last load. */
		__asm__ volatile("" ::"r"(at) : "memory");
		end[t] = at;
		if (walk)
			total += clock_now() - start;
	}
	cycles[t] = total;
}
