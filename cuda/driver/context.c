/* The driver: its beginning, its device, and contexts, which are names for the one device. */
#include "cuda/driver/inside.h"

#include <stdlib.h>
#include <string.h>

#define DEEP 64u /* contexts that a thread has pushed */
#define FLAGS 0xffu
#define API_VERSION 3020u

cudaError_t cudaDeviceGetAttribute(int *, int, int), cudaDeviceReset(void);
cudaError_t cudaDeviceSynchronize(void), cudaDeviceGetLimit(size_t *, int);
cudaError_t cudaDeviceSetLimit(int, size_t), cudaDeviceGetStreamPriorityRange(int *, int *);
cudaError_t cudaDeviceSetCacheConfig(int), cudaDeviceCanAccessPeer(int *, int, int);

struct context {
	void *handle;
	unsigned flags;
};

static bool initialised;
static struct context primary;
static unsigned retained;
static _Thread_local void *current[DEEP]; /* handles; the last is current */
static _Thread_local unsigned ncurrent;

int driver_result(cudaError_t e)
{
	if (e == cudaErrorInvalidSymbol || e == cudaErrorInvalidDeviceFunction)
		return DRIVER_NOT_FOUND;
	return e > DRIVER_NOT_INITIALIZED && e < cudaErrorNoDevice ? cudaErrorInvalidValue : e;
}

static bool make_primary(void)
{
	if (!primary.handle)
		primary.handle = handle_new(HANDLE_CONTEXT, &primary);
	return primary.handle;
}

/* A program of the runtime has the primary one as soon as it needs one. NULL: none. */
void *context_current(void)
{
	if (ncurrent)
		return current[ncurrent - 1];
	return runtime_is_used() && make_primary() ? primary.handle : NULL;
}

bool context_is_made(void)
{
	return ncurrent && current[ncurrent - 1] != primary.handle;
}

static struct context *find(const void *handle)
{
	return handle_find(HANDLE_CONTEXT, handle);
}

int driver_ready(void)
{
	const void *now = context_current();

	if (!initialised)
		return DRIVER_NOT_INITIALIZED;
	return !now ? DRIVER_INVALID_CONTEXT : !find(now) ? DRIVER_CONTEXT_DESTROYED : cudaSuccess;
}

int cuInit(unsigned flags)
{
	cudaError_t e = flags ? cudaErrorInvalidValue : call_simply(WIRE_MEMORY, 0, 0, 0, NULL);

	initialised |= !e;
	return driver_result(e);
}

int cuDriverGetVersion(int *version)
{
	if (!version)
		return cudaErrorInvalidValue;
	*version = RUNTIME_VERSION * 1000;
	return cudaSuccess;
}

/* ---- the device */
static int of_device(int device, const void *out)
{
	if (!initialised)
		return DRIVER_NOT_INITIALIZED;
	return !out ? cudaErrorInvalidValue : device ? cudaErrorInvalidDevice : cudaSuccess;
}

int cuDeviceGetCount(int *n)
{
	int e = of_device(0, n);

	if (!e)
		*n = 1;
	return e;
}

int cuDeviceGet(int *device, int i)
{
	int e = of_device(i, device);

	if (!e)
		*device = 0;
	return e;
}

int cuDeviceGetName(char *out, int n, int device)
{
	struct wire_device d;
	int e = of_device(device, out);

	if (!e && n < 1)
		e = cudaErrorInvalidValue;
	e = e ? e : driver_result(device_facts(0, &d));
	if (!e) {
		strncpy(out, d.name, (size_t)n - 1);
		out[n - 1] = '\0';
	}
	return e;
}

int cuDeviceGetUuid_v2(void *out, int device)
{
	int e = of_device(device, out);

	if (!e)
		memcpy(out, "warpbeam, a chip", 16);
	return e;
}

int cuDeviceGetUuid(void *out, int device)
{
	return cuDeviceGetUuid_v2(out, device);
}

int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
	struct wire_device d;
	int e = of_device(device, bytes);

	e = e ? e : driver_result(device_facts(0, &d));
	if (!e)
		*bytes = d.memory_bytes;
	return e;
}

/* The numbers of attributes are the runtime's. */
int cuDeviceGetAttribute(int *value, int attribute, int device)
{
	int e = of_device(device, value);

	return e ? e : driver_result(cudaDeviceGetAttribute(value, attribute, device));
}

int cuDeviceComputeCapability(int *major, int *minor, int device)
{
	int e = of_device(device, major && minor ? major : NULL);

	e = e ? e : cuDeviceGetAttribute(major, 75, device);
	return e ? e : cuDeviceGetAttribute(minor, 76, device);
}

int cuDeviceCanAccessPeer(int *can, int device, int peer)
{
	int e = of_device(device, can);

	return e ? e : driver_result(cudaDeviceCanAccessPeer(can, device, peer));
}

/* ---- the primary context */
int cuDevicePrimaryCtxRetain(void **context, int device)
{
	int e = of_device(device, context);

	if (!e && !make_primary())
		e = cudaErrorMemoryAllocation;
	if (!e) {
		retained++;
		*context = primary.handle;
	}
	return e;
}

static int end_primary(void)
{
	int e = driver_result(cudaDeviceSynchronize());

	return e ? e : owned_end_all(primary.handle);
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
	int e = of_device(device, &device);

	if (!e && !retained)
		e = DRIVER_INVALID_CONTEXT;
	if (e || --retained || runtime_is_used())
		return e;
	return end_primary();
}

int cuDevicePrimaryCtxReset_v2(int device)
{
	int e = of_device(device, &device);

	e = e ? e : end_primary();
	return e || !runtime_is_used() ? e : driver_result(cudaDeviceReset());
}

int cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags)
{
	int e = of_device(device, &device);

	if (!e && flags & ~FLAGS)
		e = cudaErrorInvalidValue;
	if (!e)
		primary.flags = flags;
	return e;
}

int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active)
{
	int e = of_device(device, flags && active ? flags : NULL);

	if (!e) {
		*flags = primary.flags;
		*active = retained || runtime_is_used();
	}
	return e;
}

/* ---- contexts */
static int push(void *handle)
{
	if (ncurrent == DEEP)
		return cudaErrorMemoryAllocation;
	current[ncurrent++] = handle;
	return cudaSuccess;
}

int cuCtxCreate_v2(void **out, unsigned flags, int device)
{
	int e = of_device(device, out);
	struct context *c;

	if (!e && flags & ~FLAGS)
		e = cudaErrorInvalidValue;
	if (e)
		return e;
	c = calloc(1, sizeof(*c));
	if (!c)
		return cudaErrorMemoryAllocation;
	c->flags = flags;
	c->handle = handle_new(HANDLE_CONTEXT, c);
	*out = c->handle;
	return push(c->handle);
}

int cuCtxCreate_v3(void **out, void *limits, int n, unsigned flags, int device)
{
	if (limits || n)
		return driver_result(not_supported("cuCtxCreate for a part of the SMs"));
	return cuCtxCreate_v2(out, flags, device);
}

/* how: two lists, of limits on SMs and of shared resources. */
int cuCtxCreate_v4(void **out, void *how, unsigned flags, int device)
{
	void *const *lists = how;

	return cuCtxCreate_v3(out, lists ? lists[0] : NULL, 0, flags, device);
}

/* With what the driver's functions made while it was current. */
int cuCtxDestroy_v2(void *handle)
{
	struct context *c = find(handle);
	int e;

	if (!initialised)
		return DRIVER_NOT_INITIALIZED;
	if (!c || c == &primary)
		return DRIVER_INVALID_CONTEXT;
	e = driver_result(cudaDeviceSynchronize());
	e = e ? e : owned_end_all(handle);
	handle_end(HANDLE_CONTEXT, handle);
	free(c);
	if (ncurrent && current[ncurrent - 1] == handle)
		ncurrent--;
	return e;
}

int cuCtxPushCurrent_v2(void *context)
{
	if (!initialised)
		return DRIVER_NOT_INITIALIZED;
	return find(context) ? push(context) : DRIVER_INVALID_CONTEXT;
}

int cuCtxPopCurrent_v2(void **context)
{
	if (!initialised)
		return DRIVER_NOT_INITIALIZED;
	if (!ncurrent)
		return DRIVER_INVALID_CONTEXT;
	ncurrent--;
	if (context)
		*context = current[ncurrent];
	return cudaSuccess;
}

/* Instead of the current one. */
int cuCtxSetCurrent(void *context)
{
	if (!initialised)
		return DRIVER_NOT_INITIALIZED;
	if (context && !find(context))
		return DRIVER_INVALID_CONTEXT;
	if (ncurrent)
		ncurrent--;
	return context ? push(context) : cudaSuccess;
}

int cuCtxGetCurrent(void **context)
{
	int e = of_device(0, context);

	if (!e)
		*context = context_current();
	return e;
}

int cuCtxGetDevice(int *device)
{
	int e = driver_ready();

	if (!e && !device)
		e = cudaErrorInvalidValue;
	if (!e)
		*device = 0;
	return e;
}

int cuCtxGetFlags(unsigned *flags)
{
	int e = driver_ready();

	if (!e && !flags)
		e = cudaErrorInvalidValue;
	if (!e)
		*flags = find(context_current())->flags;
	return e;
}

int cuCtxGetApiVersion(void *context, unsigned *version)
{
	int e = of_device(0, version);

	if (!e && !find(context ? context : context_current()))
		e = DRIVER_INVALID_CONTEXT;
	if (!e)
		*version = API_VERSION;
	return e;
}

int cuCtxSynchronize(void)
{
	DRIVER_RETURN(cudaDeviceSynchronize());
}

int cuCtxGetLimit(size_t *value, int limit)
{
	DRIVER_RETURN(cudaDeviceGetLimit(value, limit));
}

int cuCtxSetLimit(int limit, size_t value)
{
	DRIVER_RETURN(cudaDeviceSetLimit(limit, value));
}

int cuCtxGetCacheConfig(int *config)
{
	int e = driver_ready();

	if (!e && !config)
		e = cudaErrorInvalidValue;
	if (!e)
		*config = 0;
	return e;
}

int cuCtxSetCacheConfig(int config)
{
	DRIVER_RETURN(cudaDeviceSetCacheConfig(config));
}

int cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
	DRIVER_RETURN(cudaDeviceGetStreamPriorityRange(least, greatest));
}

int cuProfilerStart(void)
{
	return driver_ready();
}

int cuProfilerStop(void)
{
	return driver_ready();
}
