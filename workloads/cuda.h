/* The few words of CUDA that the workloads' kernels use, so that clang compiles them to PTX without
 * a CUDA SDK. Not for host code. */
#ifndef WORKLOADS_CUDA_H
#define WORKLOADS_CUDA_H

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ __inline__ __attribute__((always_inline))
/* The caller owns the line. */
#define CUDA_NODEBUG __attribute__((nodebug))

/* threadIdx and friends: every read of a member reads its special register. */
#define CUDA_INDEX(type, sreg) \
	struct type { \
		__declspec(property(get = get_x)) unsigned x; \
		__declspec(property(get = get_y)) unsigned y; \
		__declspec(property(get = get_z)) unsigned z; \
		static __device__ __forceinline__ CUDA_NODEBUG unsigned get_x() \
		{ \
			return __nvvm_read_ptx_sreg_##sreg##_x(); \
		} \
		static __device__ __forceinline__ CUDA_NODEBUG unsigned get_y() \
		{ \
			return __nvvm_read_ptx_sreg_##sreg##_y(); \
		} \
		static __device__ __forceinline__ CUDA_NODEBUG unsigned get_z() \
		{ \
			return __nvvm_read_ptx_sreg_##sreg##_z(); \
		} \
	}

CUDA_INDEX(cuda_thread_index, tid);
CUDA_INDEX(cuda_block_dim, ntid);
CUDA_INDEX(cuda_block_index, ctaid);
CUDA_INDEX(cuda_grid_dim, nctaid);

extern const __device__ cuda_thread_index threadIdx;
extern const __device__ cuda_block_dim blockDim;
extern const __device__ cuda_block_index blockIdx;
extern const __device__ cuda_grid_dim gridDim;

static __device__ __forceinline__ CUDA_NODEBUG int min(int a, int b)
{
	return a < b ? a : b;
}

static __device__ __forceinline__ CUDA_NODEBUG int max(int a, int b)
{
	return a > b ? a : b;
}

#endif
