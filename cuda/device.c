/* The device: there is one, the chip. */
#include "cuda/inside.h"

#include <stdatomic.h>
#include <string.h>

/* ---- limits, kept for who asks: the stack is as deep as a kernel needs; text is printed as it
 * comes */
#define LIMIT_HEAP 2
#define LIMITS 7
static const size_t limits_at_first[LIMITS] = {1024, 1 << 20, 8 << 20, 2, 2048, 128, 0};
static _Atomic size_t limits[LIMITS] = {1024, 1 << 20, 8 << 20, 2, 2048, 128, 0};

static void limits_forget(void)
{
	for (unsigned i = 0; i < LIMITS; i++)
		atomic_store(&limits[i], limits_at_first[i]);
}

cudaError_t device_facts(int device, struct wire_device *out)
{
	struct call c;
	cudaError_t e = device ? noted(cudaErrorInvalidDevice) : call_begin(&c);

	if (e)
		return e;
	e = call_do(&c, WIRE_DEVICE);
	memcpy(out, c.window, sizeof(*out));
	return call_end(&c, e);
}

API cudaError_t cudaGetDeviceCount(int *n)
{
	cudaError_t e = n ? call_simply(WIRE_MEMORY, 0, 0, 0, NULL) : noted(cudaErrorInvalidValue);

	if (n)
		*n = e ? 0 : 1;
	return e;
}

API cudaError_t cudaSetDevice(int device)
{
	return device ? noted(cudaErrorInvalidDevice) : cudaSuccess;
}

API cudaError_t cudaGetDevice(int *device)
{
	if (!device)
		return noted(cudaErrorInvalidValue);
	*device = 0;
	return cudaSuccess;
}

API cudaError_t cudaDeviceSynchronize(void)
{
	cudaError_t e = capture_forbids();

	e = e ? noted(e) : call_simply(WIRE_SYNC, WIRE_ALL, 0, 0, NULL);
	if (!e)
		pools_settle();
	return e;
}
ALSO(cudaDeviceSynchronize, cudaThreadSynchronize);

cudaError_t cudaGraphExecDestroy(void *), cudaGraphDestroy(void *);
cudaError_t cudaStreamDestroy(cudaStream_t), cudaEventDestroy(cudaEvent_t);

/* Children of graphs end with them. */
static void end_all(enum handle_kind kind, cudaError_t (*end)(void *))
{
	cudaError_t before = last_error(false);
	uint32_t at = 0;
	void *handle;

	while ((handle = handle_next(kind, &at)))
		end(handle);
	last_error(true);
	noted(before);
}

/* All that the program made is gone, but what it registered before main(); variables have the
 * values that they had then. */
API cudaError_t cudaDeviceReset(void)
{
	cudaError_t e = capture_forbids();

	if (!e && capture_is_active())
		e = cudaErrorStreamCaptureUnsupported;
	e = e ? noted(e) : call_simply(WIRE_SYNC, WIRE_ALL, 0, 0, NULL);
	if (e)
		return e;
	end_all(HANDLE_EXEC, cudaGraphExecDestroy);
	end_all(HANDLE_GRAPH, cudaGraphDestroy);
	end_all(HANDLE_EVENT, cudaEventDestroy);
	end_all(HANDLE_STREAM, cudaStreamDestroy);
	owned_forget();
	e = shared_end_all();
	e = e ? e : call_simply(WIRE_RESET, 0, 0, 0, NULL);
	if (e)
		return e;
	arrays_forget();
	references_forget();
	pools_forget();
	graph_memory_forget();
	pinned_end_all();
	limits_forget();
	preferences_forget();
	return e;
}
ALSO(cudaDeviceReset, cudaThreadExit);

API cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
	if (!can)
		return noted(cudaErrorInvalidValue);
	*can = 0;
	return noted(device || peer ? cudaErrorInvalidDevice : cudaSuccess);
}

API cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
	(void)peer;
	return noted(flags ? cudaErrorInvalidValue : cudaErrorInvalidDevice);
}

API cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
	return noted(peer ? cudaErrorInvalidDevice : cudaErrorPeerAccessNotEnabled);
}

API cudaError_t cudaProfilerStart(void)
{
	return cudaSuccess;
}

API cudaError_t cudaProfilerStop(void)
{
	return cudaSuccess;
}

API cudaError_t cudaDriverGetVersion(int *version)
{
	if (!version)
		return noted(cudaErrorInvalidValue);
	*version = RUNTIME_VERSION * 1000;
	return cudaSuccess;
}

API cudaError_t cudaRuntimeGetVersion(int *version)
{
	return cudaDriverGetVersion(version);
}

/* ---- limits */
API cudaError_t cudaDeviceGetLimit(size_t *value, int limit)
{
	struct wire_message m;
	cudaError_t e;

	if (!value || limit < 0 || limit >= LIMITS)
		return noted(cudaErrorInvalidValue);
	*value = atomic_load(&limits[limit]);
	if (limit != LIMIT_HEAP)
		return cudaSuccess;
	e = call_simply(WIRE_HEAP, 0, 0, 0, &m);
	if (!e)
		*value = m.a[0];
	return e;
}

API cudaError_t cudaDeviceSetLimit(int limit, size_t value)
{
	if (limit == LIMIT_HEAP)
		return call_simply(WIRE_HEAP, value ? value : 1, 0, 0, NULL);
	if (limit < 0 || limit >= LIMITS)
		return noted(cudaErrorInvalidValue);
	atomic_store(&limits[limit], value);
	return cudaSuccess;
}
ALSO(cudaDeviceGetLimit, cudaThreadGetLimit);
ALSO(cudaDeviceSetLimit, cudaThreadSetLimit);

API cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *out, const void *p)
{
	struct call c;
	cudaError_t e = out ? call_begin(&c) : noted(cudaErrorInvalidValue);

	if (e)
		return e;
	*out = (cudaPointerAttributes){.type = is_pinned(p, 1) ? MEMORY_PINNED : MEMORY_OTHER,
		.host_pointer = (void *)(uintptr_t)p};
	if (!shared_attributes(p, out) && is_device(&c, p))
		*out = (cudaPointerAttributes){
			.type = MEMORY_DEVICE, .device_pointer = (void *)(uintptr_t)p};
	return call_end(&c, cudaSuccess);
}
