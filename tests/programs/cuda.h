/* What the small programs share: short names for types, atomics and warp operations. Not for host
 * code. */
#ifndef TESTS_PROGRAMS_CUDA_H
#define TESTS_PROGRAMS_CUDA_H

#include "workloads/cuda.h"

#define __constant__ __attribute__((constant))
#define __noinline__ __attribute__((noinline))
#define KERNEL extern "C" __global__ void
#define DEVICE static __device__ __forceinline__
#define FAR static __device__ __noinline__

typedef signed char s8;
typedef unsigned char u8;
typedef short s16;
typedef unsigned short u16;
typedef int s32;
typedef unsigned u32;
typedef long long s64;
typedef unsigned long long u64;

#define FULL 0xffffffffu

/* clang-14 knows that __syncthreads() cannot write a shared variable, and forgets the other
 * threads: it keeps values in registers across it. This one may write anything. */
DEVICE void barrier()
{
	__asm__ volatile("bar.sync 0;" ::: "memory");
}

DEVICE u32 thread()
{
	return blockIdx.x * blockDim.x + threadIdx.x;
}

DEVICE u32 lane()
{
	return threadIdx.x & 31;
}

DEVICE u32 atomic_add(u32 *p, u32 v)
{
	return (u32)__nvvm_atom_add_gen_i((int *)p, (int)v);
}

DEVICE u64 atomic_add64(u64 *p, u64 v)
{
	return (u64)__nvvm_atom_add_gen_ll((s64 *)p, (s64)v);
}

DEVICE u32 atomic_cas(u32 *p, u32 expected, u32 v)
{
	return (u32)__nvvm_atom_cas_gen_i((int *)p, (int)expected, (int)v);
}

DEVICE u32 atomic_exchange(u32 *p, u32 v)
{
	return (u32)__nvvm_atom_xchg_gen_i((int *)p, (int)v);
}

DEVICE u32 shuffle_down(u32 v, u32 by)
{
	return (u32)__nvvm_shfl_sync_down_i32((int)FULL, (int)v, (int)by, 31);
}

DEVICE u32 shuffle_up(u32 v, u32 by)
{
	return (u32)__nvvm_shfl_sync_up_i32((int)FULL, (int)v, (int)by, 0);
}

DEVICE u32 shuffle_xor(u32 v, u32 by)
{
	return (u32)__nvvm_shfl_sync_bfly_i32((int)FULL, (int)v, (int)by, 31);
}

DEVICE u32 shuffle(u32 v, u32 from)
{
	return (u32)__nvvm_shfl_sync_idx_i32((int)FULL, (int)v, (int)from, 31);
}

DEVICE u32 ballot(bool p)
{
	return __nvvm_vote_ballot_sync(FULL, p);
}

/* xorshift32, Marsaglia 2003; the state is never zero. */
DEVICE u32 next_random(u32 &state)
{
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

#endif
