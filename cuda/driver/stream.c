/* The driver's streams, events and captures, which are the runtime's; names of results. */
#include "cuda/driver/inside.h"

#define FORWARD(name, runtime, parameters, arguments) \
	cudaError_t runtime parameters; \
	int name parameters \
	{ \
		DRIVER_RETURN(runtime arguments); \
	}

/* Of what the thread's context owns. */
#define MAKE(name, runtime, kind, parameters, arguments) \
	cudaError_t runtime parameters; \
	int name parameters \
	{ \
		DRIVER_MAKE(runtime arguments, kind, (uintptr_t)*out); \
	}
#define END(name, runtime, kind) \
	cudaError_t runtime(void *); \
	int name(void *handle) \
	{ \
		DRIVER_END(runtime(handle), kind, (uintptr_t)handle); \
	}

MAKE(cuStreamCreate, cudaStreamCreateWithFlags, OWNED_STREAM, (void **out, unsigned flags),
	(out, flags))
MAKE(cuStreamCreateWithPriority, cudaStreamCreateWithPriority, OWNED_STREAM,
	(void **out, unsigned flags, int priority), (out, flags, priority))
END(cuStreamDestroy_v2, cudaStreamDestroy, OWNED_STREAM)
FORWARD(cuStreamSynchronize, cudaStreamSynchronize, (void *stream), (stream))
FORWARD(cuStreamQuery, cudaStreamQuery, (void *stream), (stream))
FORWARD(cuStreamWaitEvent, cudaStreamWaitEvent, (void *stream, void *event, unsigned flags),
	(stream, event, flags))
FORWARD(cuStreamGetFlags, cudaStreamGetFlags, (void *stream, unsigned *flags), (stream, flags))
FORWARD(cuStreamGetPriority, cudaStreamGetPriority, (void *stream, int *priority),
	(stream, priority))
FORWARD(cuStreamAddCallback, cudaStreamAddCallback,
	(void *stream, void (*function)(void *, int, void *), void *data, unsigned flags),
	(stream, function, data, flags))
MAKE(cuEventCreate, cudaEventCreateWithFlags, OWNED_EVENT, (void **out, unsigned flags),
	(out, flags))
END(cuEventDestroy_v2, cudaEventDestroy, OWNED_EVENT)
FORWARD(cuEventRecord, cudaEventRecord, (void *event, void *stream), (event, stream))
FORWARD(cuEventSynchronize, cudaEventSynchronize, (void *event), (event))
FORWARD(cuEventQuery, cudaEventQuery, (void *event), (event))
FORWARD(cuEventElapsedTime, cudaEventElapsedTime, (float *ms, void *from, void *to), (ms, from, to))
FORWARD(cuEventElapsedTime_v2, cudaEventElapsedTime_v2, (float *ms, void *from, void *to),
	(ms, from, to))
FORWARD(cuStreamBeginCapture_v2, cudaStreamBeginCapture, (void *stream, int mode), (stream, mode))
FORWARD(cuStreamEndCapture, cudaStreamEndCapture, (void *stream, void **graph), (stream, graph))
FORWARD(cuStreamIsCapturing, cudaStreamIsCapturing, (void *stream, int *status), (stream, status))
FORWARD(cuGraphInstantiateWithFlags, cudaGraphInstantiateWithFlags,
	(void **exec, void *graph, unsigned long long flags), (exec, graph, flags))
FORWARD(cuGraphLaunch, cudaGraphLaunch, (void *exec, void *stream), (exec, stream))
FORWARD(cuGraphExecDestroy, cudaGraphExecDestroy, (void *exec), (exec))
FORWARD(cuGraphDestroy, cudaGraphDestroy, (void *graph), (graph))
