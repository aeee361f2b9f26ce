/* Streams through global memory, by footprint, stride and width. Thread t of CTA c begins at element
 * c * cta_stride + t * thread_stride; its next one is `step` elements further. Loads go in groups of
 * GROUP; there is at least one group and one pass. */
#include "cuda.h"

#define GROUP 8
#define GLOBAL __attribute__((address_space(1)))

typedef unsigned pair __attribute__((ext_vector_type(2)));
typedef unsigned quad __attribute__((ext_vector_type(4)));

static __device__ __forceinline__ unsigned first(unsigned cta_stride, unsigned thread_stride)
{
	return blockIdx.x * cta_stride + threadIdx.x * thread_stride;
}

static __device__ __forceinline__ unsigned thread()
{
	return blockIdx.x * blockDim.x + threadIdx.x;
}

static __device__ __forceinline__ unsigned folded(unsigned v)
{
	return v;
}

static __device__ __forceinline__ unsigned folded(pair v)
{
	return v.x + 3 * v.y;
}

static __device__ __forceinline__ unsigned folded(quad v)
{
	return v.x + 3 * v.y + 5 * v.z + 7 * v.w;
}

/* Independent loads, `passes` times the same ones. */
template <typename T>
static __device__ __forceinline__ unsigned sum(
	const T *data, unsigned at, unsigned step, int groups, int passes)
{
	unsigned total = 0;

#pragma unroll 1
	do {
		const T *from = data + at;
		int left = groups;

#pragma unroll 1
		do {
			T v[GROUP];

#pragma unroll
			for (int k = 0; k < GROUP; k++) {
				v[k] = *from;
				from += step;
			}
#pragma unroll
			for (int k = 0; k < GROUP; k++)
				total += folded(v[k]);
		} while (--left);
	} while (--passes);
	return total;
}

extern "C" __global__ void bandwidth_read1(const unsigned *data, unsigned cta_stride,
	unsigned thread_stride, unsigned step, int groups, int passes, unsigned *result)
{
	result[thread()] = sum(data, first(cta_stride, thread_stride), step, groups, passes);
}

extern "C" __global__ void bandwidth_read2(const pair *data, unsigned cta_stride,
	unsigned thread_stride, unsigned step, int groups, int passes, unsigned *result)
{
	result[thread()] = sum(data, first(cta_stride, thread_stride), step, groups, passes);
}

extern "C" __global__ void bandwidth_read4(const quad *data, unsigned cta_stride,
	unsigned thread_stride, unsigned step, int groups, int passes, unsigned *result)
{
	result[thread()] = sum(data, first(cta_stride, thread_stride), step, groups, passes);
}

/* CTAs share what they read: that of one of so many. */
extern "C" __global__ void bandwidth_sections(const pair *data, unsigned cta_stride,
	unsigned thread_stride, unsigned step, int groups, int passes, unsigned *result,
	unsigned sections)
{
	unsigned at = blockIdx.x % sections * cta_stride + threadIdx.x * thread_stride;

	result[thread()] = sum(data, at, step, groups, passes);
}

extern "C" __global__ void bandwidth_copy(const unsigned *data, unsigned cta_stride,
	unsigned thread_stride, unsigned step, int groups, unsigned *result)
{
	unsigned at = first(cta_stride, thread_stride);

#pragma unroll 1
	do {
		unsigned v[GROUP];

#pragma unroll
		for (int k = 0; k < GROUP; k++)
			v[k] = data[at + (unsigned)k * step];
#pragma unroll
		for (int k = 0; k < GROUP; k++)
			result[at + (unsigned)k * step] = v[k];
		at += GROUP * step;
	} while (--groups);
}

/* Each load waits for the one before and an addition: an element holds the bytes to the next one. */
extern "C" __global__ void bandwidth_walk(const char *data, unsigned cta_stride,
	unsigned thread_stride, int groups, unsigned *result)
{
	const char *at = data + 4 * first(cta_stride, thread_stride);

#pragma unroll 1
	do {
#pragma unroll
		for (int k = 0; k < GROUP; k++)
			at += *(const int *)at;
	} while (--groups);
	result[thread()] = (unsigned)(at - data);
}

/* Each load waits for the one before alone: an element holds the address of the next one. */
extern "C" __global__ void bandwidth_chase(const char *data, unsigned cta_stride,
	unsigned thread_stride, int groups, unsigned *result)
{
	typedef const GLOBAL char *link;
	link begin = (link)data;
	link at = begin + sizeof(link) * first(cta_stride, thread_stride);

#pragma unroll 1
	do {
#pragma unroll
		for (int k = 0; k < GROUP; k++)
			at = *(const GLOBAL link *)at;
	} while (--groups);
	result[thread()] = (unsigned)(at - begin);
}
