/* Kernels that wait for one thing most: a barrier, the instruction before, DRAM
 * that reads lines again, MSHRs. */
#include "../../../workloads/cuda.h"

/* In each step another warp's loads miss, and all wait for it. */
extern "C" __global__ void barriers(unsigned *out, const unsigned *in, unsigned n, unsigned steps)
{
	__shared__ unsigned next[256];
	unsigned warp = threadIdx.x / 32, at = threadIdx.x;

	next[at] = at;
	for (unsigned s = 0; s < steps; s++) {
		unsigned most = (warp + s) % 8 ? 31 : n - 1;

		for (unsigned t = 0; t < 4; t++)
			at = in[(at + s * 9176 + t * 40960) & most] + at;
		__syncthreads();
	}
	out[blockIdx.x * blockDim.x + threadIdx.x] = at + next[at & 255];
}

/* A chain of multiply-adds. */
extern "C" __global__ void dependency(float *out, unsigned steps, float by)
{
	float v = (float)threadIdx.x;

	for (unsigned s = 0; s < steps; s++)
#pragma unroll
		for (unsigned k = 0; k < 32; k++)
			v = v * by + 0.5f;
	out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

/* All CTAs read the whole table again and again, a line of a warp at a time, each what another one
 * read before. */
extern "C" __global__ void refetch(const unsigned *table, unsigned *out, unsigned n, unsigned passes)
{
	unsigned me = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x, sum = 0;

	for (unsigned p = 0; p < passes; p++)
		for (unsigned i = (me + p * 5 * blockDim.x) % step; i < n; i += 4 * step)
			sum += (table[i] + table[i + step]) +
			       (table[i + 2 * step] + table[i + 3 * step]);
	out[me] = sum;
}

/* Each lane walks by what it has loaded. */
extern "C" __global__ void walk(unsigned *out, const unsigned *in, unsigned n, unsigned steps)
{
	unsigned me = blockIdx.x * blockDim.x + threadIdx.x, at = me * 977 & (n - 1);

	for (unsigned s = 0; s < steps; s++)
		at = (in[at] + at * 1664525 + 1013904223) & (n - 1);
	out[me] = at;
}

/* Each lane searches a sorted table: lanes begin together and part, the last of a warp's lines is
 * what it waits for. */
extern "C" __global__ void search(
	unsigned *out, const unsigned *table, unsigned n, unsigned searches)
{
	unsigned me = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;

	for (unsigned s = 0; s < searches; s++) {
		unsigned key = (me * 2654435761u + s * 40503u) & 0xfffff, low = 0, high = n;

		while (low < high) {
			unsigned middle = (low + high) / 2;

			if (table[middle] < key)
				low = middle + 1;
			else
				high = middle;
		}
		sum += low;
	}
	out[me] = sum;
}

/* Loads that wait for each other, and arithmetic between them. */
extern "C" __global__ void gather(unsigned *out, const unsigned *in, unsigned n, unsigned steps)
{
	unsigned me = blockIdx.x * blockDim.x + threadIdx.x, at = me & (n - 1), sum = 0;

	for (unsigned s = 0; s < steps; s++) {
		sum ^= in[at];
		at = (at + 32768 + 96) & (n - 1);
		for (unsigned k = 0; k < 6; k++)
			sum = sum * 5 + k;
	}
	out[me] = sum;
}

/* Each lane walks a list, and adds what its nodes have beside their links. */
extern "C" __global__ void nodes(unsigned *out, const unsigned *in, unsigned n, unsigned steps)
{
	unsigned me = blockIdx.x * blockDim.x + threadIdx.x, at = me * 977 & (n - 1), sum = 0;

#pragma unroll 1
	for (unsigned s = 0; s < steps; s++) {
		sum += in[n + at];
		at = (in[at] + at * 1664525 + 1013904223) & (n - 1);
	}
	out[me] = sum;
}

/* Warps read parts of rows that are further apart. */
extern "C" __global__ void rows(unsigned *out, const unsigned *in, unsigned pitch, unsigned steps)
{
	unsigned me = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;

#pragma unroll 1
	for (unsigned s = 0; s < steps; s++)
		sum += in[(me / 32 + s * (gridDim.x * blockDim.x / 32)) * pitch + threadIdx.x % 32];
	out[me] = sum;
}

/* The first lane of each warp walks. */
extern "C" __global__ void leaders(unsigned *out, const unsigned *in, unsigned n, unsigned steps)
{
	unsigned me = blockIdx.x * blockDim.x + threadIdx.x, at = me * 977 & (n - 1);

	if (threadIdx.x % 32)
		return;
#pragma unroll 1
	for (unsigned s = 0; s < steps; s++)
		at = (in[at] + at * 1664525 + 1013904223) & (n - 1);
	out[me] = at;
}

/* Later CTAs walk further. */
extern "C" __global__ void longer(unsigned *out, const unsigned *in, unsigned n, unsigned steps)
{
	unsigned me = blockIdx.x * blockDim.x + threadIdx.x, at = blockIdx.x * 977 & (n - 1);

#pragma unroll 1
	for (unsigned s = 0; s <= blockIdx.x / 8 * steps; s++)
		at = (in[at] + at * 1664525 + 1013904223) & (n - 1);
	out[me] = at;
}

/* A count of each thread, in a sector of its own. */
extern "C" __global__ void counts_apart(unsigned *count, const int *in, unsigned steps)
{
	unsigned me = blockIdx.x * blockDim.x + threadIdx.x;

#pragma unroll 1
	for (unsigned s = 0; s < steps; s++)
		if (in[s * gridDim.x * blockDim.x + me] >= 0)
			count[8 * me]++;
}
