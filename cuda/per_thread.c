/* The functions of programs compiled with --default-stream per-thread: no stream means the calling
 * thread's own. */
#include "cuda/inside.h"

/* The same function for such programs. */
#define OTHER(name, other, parameters, ...) \
	cudaError_t name parameters; \
	API cudaError_t other parameters \
	{ \
		cudaError_t e; \
\
		stream_own_default(true); \
		e = name(__VA_ARGS__); \
		stream_own_default(false); \
		return e; \
	}
#define PTSZ(name, parameters, ...) OTHER(name, name##_ptsz, parameters, __VA_ARGS__)
#define PTDS(name, parameters, ...) OTHER(name, name##_ptds, parameters, __VA_ARGS__)

#define LAUNCH \
	(const void *host, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t s), \
		host, grid, block, args, shared, s
#define APPLY(macro, ...) macro(__VA_ARGS__)

APPLY(PTSZ, cudaLaunchKernel, LAUNCH)
APPLY(PTSZ, __cudaLaunchKernel, LAUNCH)
APPLY(PTSZ, cudaLaunchCooperativeKernel, LAUNCH)
PTSZ(cudaLaunchKernelExC, (const cudaLaunchConfig_t *l, const void *host, void **args), l, host,
	args)

PTDS(cudaMemcpy, (void *to, const void *from, size_t n, int kind), to, from, n, kind)
PTSZ(cudaMemcpyAsync, (void *to, const void *from, size_t n, int kind, cudaStream_t s), to, from, n,
	kind, s)
PTSZ(cudaMemcpyPeerAsync,
	(void *to, int to_device, const void *from, int from_device, size_t n, cudaStream_t s), to,
	to_device, from, from_device, n, s)
PTDS(cudaMemcpyPeer, (void *to, int to_device, const void *from, int from_device, size_t n), to,
	to_device, from, from_device, n)
PTSZ(cudaMemsetAsync, (void *to, int value, size_t n, cudaStream_t s), to, value, n, s)
PTDS(cudaMemset, (void *to, int value, size_t n), to, value, n)

#define BOX \
	void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height
PTSZ(cudaMemcpy2DAsync, (BOX, int kind, cudaStream_t s), to, to_pitch, from, from_pitch, width,
	height, kind, s)
PTDS(cudaMemcpy2D, (BOX, int kind), to, to_pitch, from, from_pitch, width, height, kind)
PTSZ(cudaMemset2DAsync,
	(void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t s), to, pitch,
	value, width, height, s)
PTDS(cudaMemset2D, (void *to, size_t pitch, int value, size_t width, size_t height), to, pitch,
	value, width, height)
PTSZ(cudaMemset3DAsync, (cudaPitchedPtr to, int value, cudaExtent n, cudaStream_t s), to, value, n,
	s)
PTDS(cudaMemset3D, (cudaPitchedPtr to, int value, cudaExtent n), to, value, n)

#define TO_ARRAY cudaArray_t to, size_t x, size_t y, const void *from
#define FROM_ARRAY cudaArray_t from, size_t x, size_t y
PTSZ(cudaMemcpy2DToArrayAsync,
	(TO_ARRAY, size_t pitch, size_t width, size_t height, int kind, cudaStream_t s), to, x, y,
	from, pitch, width, height, kind, s)
PTDS(cudaMemcpy2DToArray, (TO_ARRAY, size_t pitch, size_t width, size_t height, int kind), to, x, y,
	from, pitch, width, height, kind)
PTSZ(cudaMemcpy2DFromArrayAsync,
	(void *to, size_t pitch, FROM_ARRAY, size_t width, size_t height, int kind, cudaStream_t s),
	to, pitch, from, x, y, width, height, kind, s)
PTDS(cudaMemcpy2DFromArray,
	(void *to, size_t pitch, FROM_ARRAY, size_t width, size_t height, int kind), to, pitch,
	from, x, y, width, height, kind)
PTSZ(cudaMemcpyToArrayAsync, (TO_ARRAY, size_t n, int kind, cudaStream_t s), to, x, y, from, n,
	kind, s)
PTDS(cudaMemcpyToArray, (TO_ARRAY, size_t n, int kind), to, x, y, from, n, kind)
PTSZ(cudaMemcpyFromArrayAsync, (void *to, FROM_ARRAY, size_t n, int kind, cudaStream_t s), to, from,
	x, y, n, kind, s)
PTDS(cudaMemcpyFromArray, (void *to, FROM_ARRAY, size_t n, int kind), to, from, x, y, n, kind)
PTDS(cudaMemcpy2DArrayToArray,
	(cudaArray_t to, size_t to_x, size_t to_y, FROM_ARRAY, size_t width, size_t height,
		int kind),
	to, to_x, to_y, from, x, y, width, height, kind)
PTSZ(cudaMemcpy3DAsync, (const cudaMemcpy3DParms *p, cudaStream_t s), p, s)
PTDS(cudaMemcpy3D, (const cudaMemcpy3DParms *p), p)

#define TO_SYMBOL const void *symbol, const void *from, size_t n, size_t offset, int kind
#define FROM_SYMBOL void *to, const void *symbol, size_t n, size_t offset, int kind
PTSZ(cudaMemcpyToSymbolAsync, (TO_SYMBOL, cudaStream_t s), symbol, from, n, offset, kind, s)
PTDS(cudaMemcpyToSymbol, (TO_SYMBOL), symbol, from, n, offset, kind)
PTSZ(cudaMemcpyFromSymbolAsync, (FROM_SYMBOL, cudaStream_t s), to, symbol, n, offset, kind, s)
PTDS(cudaMemcpyFromSymbol, (FROM_SYMBOL), to, symbol, n, offset, kind)

PTSZ(cudaStreamAttachMemAsync, (cudaStream_t s, void *p, size_t n, unsigned flags), s, p, n, flags)
PTSZ(cudaStreamSynchronize, (cudaStream_t s), s)
PTSZ(cudaStreamQuery, (cudaStream_t s), s)
PTSZ(cudaStreamWaitEvent, (cudaStream_t s, cudaEvent_t event, unsigned flags), s, event, flags)
PTSZ(cudaStreamAddCallback,
	(cudaStream_t s, void (*callback)(cudaStream_t, cudaError_t, void *), void *data,
		unsigned flags),
	s, callback, data, flags)
PTSZ(cudaLaunchHostFunc, (cudaStream_t s, void (*fn)(void *), void *data), s, fn, data)
PTSZ(cudaEventRecord, (cudaEvent_t e_, cudaStream_t s), e_, s)
PTSZ(cudaEventRecordWithFlags, (cudaEvent_t e_, cudaStream_t s, unsigned flags), e_, s, flags)

PTSZ(cudaMallocAsync, (void **out, size_t n, cudaStream_t s), out, n, s)
PTSZ(cudaMallocFromPoolAsync, (void **out, size_t n, void *pool, cudaStream_t s), out, n, pool, s)
PTSZ(cudaFreeAsync, (void *at, cudaStream_t s), at, s)
PTSZ(cudaGraphLaunch, (void *exec, cudaStream_t s), exec, s)
PTSZ(cudaGraphUpload, (void *exec, cudaStream_t s), exec, s)
PTSZ(cudaGraphInstantiateWithParams, (void **out, void *graph, void *p), out, graph, p)
PTSZ(cudaStreamBeginCapture, (cudaStream_t s, int mode), s, mode)
PTSZ(cudaStreamBeginCaptureToGraph,
	(cudaStream_t s, void *graph, void *const *after, const void *edges, size_t n, int mode), s,
	graph, after, edges, n, mode)
PTSZ(cudaStreamEndCapture, (cudaStream_t s, void **out), s, out)
PTSZ(cudaStreamIsCapturing, (cudaStream_t s, int *status), s, status)
#define INFO cudaStream_t s, int *status, unsigned long long *id
PTSZ(cudaStreamGetCaptureInfo_v3,
	(INFO, void **graph, void *const **after, const void **edges, size_t *n), s, status, id,
	graph, after, edges, n)
PTSZ(cudaStreamGetCaptureInfo_v2, (INFO, void **graph, void *const **after, size_t *n), s, status,
	id, graph, after, n)
PTSZ(cudaStreamUpdateCaptureDependencies_v2,
	(cudaStream_t s, void *const *after, const void *edges, size_t n, unsigned flags), s, after,
	edges, n, flags)
#if RUNTIME_VERSION >= 13
ALSO(cudaStreamGetCaptureInfo_v3_ptsz, cudaStreamGetCaptureInfo_ptsz);
ALSO(cudaStreamUpdateCaptureDependencies_v2_ptsz, cudaStreamUpdateCaptureDependencies_ptsz);
#else
PTSZ(cudaStreamGetCaptureInfo, (INFO), s, status, id)
PTSZ(cudaStreamUpdateCaptureDependencies,
	(cudaStream_t s, void *const *after, size_t n, unsigned flags), s, after, n, flags)
#endif
PTSZ(cudaStreamGetFlags, (cudaStream_t s, unsigned *flags), s, flags)
PTSZ(cudaStreamGetPriority, (cudaStream_t s, int *priority), s, priority)
PTSZ(cudaStreamGetDevice, (cudaStream_t s, int *device), s, device)
PTSZ(cudaStreamGetId, (cudaStream_t s, unsigned long long *id), s, id)
