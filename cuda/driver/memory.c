/* The driver's memory: allocations, copies, fills, streams and events: the runtime's, by other
 * names. */
#include "cuda/driver/inside.h"

#define PITCH_ELEMENTS (4u | 8u | 16u)

cudaError_t cudaMemGetInfo(size_t *, size_t *), cudaMalloc(void **, size_t), cudaFree(void *);
cudaError_t cudaMallocPitch(void **, size_t *, size_t, size_t), cudaFreeHost(void *);
cudaError_t cudaHostAlloc(void **, size_t, unsigned), cudaHostUnregister(void *);
cudaError_t cudaHostGetDevicePointer(void **, void *, unsigned);
cudaError_t cudaHostRegister(void *, size_t, unsigned);
cudaError_t cudaMallocManaged(void **, size_t, unsigned);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *, const void *);
cudaError_t cudaMallocAsync(void **, size_t, cudaStream_t), cudaFreeAsync(void *, cudaStream_t);
cudaError_t cudaMemcpyAsync(void *, const void *, size_t, int, cudaStream_t);

static uint64_t number(const void *at)
{
	return (uintptr_t)at;
}

static void *at(uint64_t address)
{
	return (void *)(uintptr_t)address;
}

/* ---- allocations */
int cuMemGetInfo_v2(size_t *left, size_t *all)
{
	DRIVER_RETURN(cudaMemGetInfo(left, all));
}

int cuMemAlloc_v2(uint64_t *out, size_t n)
{
	if (!out || !n)
		return cudaErrorInvalidValue;
	DRIVER_MAKE(cudaMalloc((void **)out, n), OWNED_MEMORY, *out);
}

int cuMemAllocPitch_v2(uint64_t *out, size_t *pitch, size_t width, size_t height, unsigned element)
{
	if (!out || !pitch || !width || !height || !(element & PITCH_ELEMENTS) ||
		element & (element - 1))
		return cudaErrorInvalidValue;
	DRIVER_MAKE(cudaMallocPitch((void **)out, pitch, width, height), OWNED_MEMORY, *out);
}

int cuMemFree_v2(uint64_t address)
{
	if (!address)
		return cudaErrorInvalidValue;
	DRIVER_END(cudaFree(at(address)), OWNED_MEMORY, address);
}

int cuMemAllocAsync(uint64_t *out, size_t n, void *stream)
{
	if (!out || !n)
		return cudaErrorInvalidValue;
	DRIVER_MAKE(cudaMallocAsync((void **)out, n, stream), OWNED_MEMORY, *out);
}

int cuMemFreeAsync(uint64_t address, void *stream)
{
	DRIVER_END(cudaFreeAsync(at(address), stream), OWNED_MEMORY, address);
}

int cuMemAllocManaged(uint64_t *out, size_t n, unsigned flags)
{
	DRIVER_MAKE(cudaMallocManaged((void **)out, n, flags), OWNED_MEMORY, *out);
}

/* All pinned memory can be mapped. */
int cuMemHostAlloc(void **out, size_t n, unsigned flags)
{
	if (!out || !n)
		return cudaErrorInvalidValue;
	DRIVER_MAKE(cudaHostAlloc(out, n, flags), OWNED_HOST, number(*out));
}

int cuMemAllocHost_v2(void **out, size_t n)
{
	return cuMemHostAlloc(out, n, 0);
}

int cuMemFreeHost(void *host)
{
	if (!host)
		return cudaErrorInvalidValue;
	DRIVER_END(cudaFreeHost(host), OWNED_HOST, number(host));
}

int cuMemHostGetDevicePointer_v2(uint64_t *out, void *host, unsigned flags)
{
	DRIVER_RETURN(cudaHostGetDevicePointer((void **)out, host, flags));
}

int cuMemHostRegister_v2(void *host, size_t n, unsigned flags)
{
	DRIVER_MAKE(cudaHostRegister(host, n, flags), OWNED_REGISTERED, number(host));
}

int cuMemHostUnregister(void *host)
{
	DRIVER_END(cudaHostUnregister(host), OWNED_REGISTERED, number(host));
}

/* The allocation with that address. */
static int find(uint64_t address, uint64_t *base, uint64_t *n)
{
	struct wire_message m;
	int e = driver_ready();

	e = e ? e : driver_result(call_simply(WIRE_FIND, address, 0, 0, &m));
	if (e)
		return e;
	*base = m.a[0];
	*n = m.a[1];
	return m.a[1] ? cudaSuccess : DRIVER_NOT_FOUND;
}

int cuMemGetAddressRange_v2(uint64_t *base, size_t *n, uint64_t address)
{
	uint64_t from = 0, bytes = 0;
	int e = find(address, &from, &bytes);

	if (!e && base)
		*base = from;
	if (!e && n)
		*n = bytes;
	return e;
}

enum pointer_attribute {
	POINTER_CONTEXT = 1,
	POINTER_TYPE,
	POINTER_DEVICE,
	POINTER_HOST,
	POINTER_MANAGED = 8,
	POINTER_ORDINAL,
	POINTER_START = 11,
	POINTER_BYTES,
	POINTER_MAPPED
};

/* Of known memory: `out` has 8 bytes or 4, by the attribute. */
static int give(void *out, int attribute, uint64_t address, const cudaPointerAttributes *a)
{
	uint64_t base, n;

	switch (attribute) {
	case POINTER_CONTEXT:
		return cuCtxGetCurrent(out);
	case POINTER_TYPE:
		*(unsigned *)out = a->type == MEMORY_PINNED ? 1 : 2;
		return cudaSuccess;
	case POINTER_DEVICE:
		*(void **)out = a->device_pointer;
		return a->device_pointer ? cudaSuccess : cudaErrorInvalidValue;
	case POINTER_HOST:
		*(void **)out = a->host_pointer;
		return a->host_pointer ? cudaSuccess : cudaErrorInvalidValue;
	case POINTER_MANAGED:
		*(unsigned *)out = a->type == MEMORY_MANAGED;
		return cudaSuccess;
	case POINTER_ORDINAL:
		*(int *)out = 0;
		return cudaSuccess;
	case POINTER_START:
		return find(address, out, &n);
	case POINTER_BYTES:
		return find(address, &base, out);
	case POINTER_MAPPED:
		*(unsigned *)out = 1;
		return cudaSuccess;
	default:
		return driver_result(not_supported("cuPointerGetAttribute of another attribute"));
	}
}

int cuPointerGetAttribute(void *out, int attribute, uint64_t address)
{
	cudaPointerAttributes a;
	int e = driver_ready();

	if (!e && !out)
		e = cudaErrorInvalidValue;
	e = e ? e : driver_result(cudaPointerGetAttributes(&a, at(address)));
	if (!e && a.type == MEMORY_OTHER)
		e = cudaErrorInvalidValue;
	return e ? e : give(out, attribute, address, &a);
}

/* ---- copies */
static int copy(void *to, const void *from, size_t n, int kind, void *stream)
{
	DRIVER_RETURN(cudaMemcpyAsync(to, from, n, kind, stream));
}

int cuMemcpyAsync(uint64_t to, uint64_t from, size_t n, void *stream)
{
	return copy(at(to), at(from), n, cudaMemcpyDefault, stream);
}

int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t n, void *stream)
{
	return copy(at(to), from, n, cudaMemcpyHostToDevice, stream);
}

int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t n, void *stream)
{
	return copy(to, at(from), n, cudaMemcpyDeviceToHost, stream);
}

int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t n, void *stream)
{
	return copy(at(to), at(from), n, cudaMemcpyDeviceToDevice, stream);
}

int cuMemcpy(uint64_t to, uint64_t from, size_t n)
{
	return cuMemcpyAsync(to, from, n, NULL);
}

int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t n)
{
	return cuMemcpyHtoDAsync_v2(to, from, n, NULL);
}

int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t n)
{
	return cuMemcpyDtoHAsync_v2(to, from, n, NULL);
}

int cuMemcpyDtoD_v2(uint64_t to, uint64_t from, size_t n)
{
	return cuMemcpyDtoDAsync_v2(to, from, n, NULL);
}

/* Where a side's rows begin; false: it is an array, or nothing. */
static bool corner(const struct driver_side *s, size_t width, struct box *out)
{
	uintptr_t base = s->memory == 1 ? (uintptr_t)s->host : s->device;

	*out = (struct box){base + s->y * s->pitch + s->x_bytes, s->pitch ? s->pitch : width, 0};
	return base && (s->memory == 1 || s->memory == 2 || s->memory == 4);
}

int cuMemcpy2DAsync_v2(const struct driver_copy *p, void *stream)
{
	static const int kinds[2][2] = {{cudaMemcpyHostToHost, cudaMemcpyHostToDevice},
		{cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice}};
	struct box to, from;
	int kind;

	if (!p)
		return cudaErrorInvalidValue;
	if (p->to.memory == 3 || p->from.memory == 3)
		return driver_copy_arrays(p, stream);
	if (!corner(&p->to, p->width, &to) || !corner(&p->from, p->width, &from))
		return cudaErrorInvalidValue;
	kind = p->to.memory == 4 || p->from.memory == 4
		       ? cudaMemcpyDefault
		       : kinds[p->from.memory - 1][p->to.memory - 1];
	DRIVER_RETURN(copy_box(&to, &from, (cudaExtent){p->width, p->height, 1}, kind, stream));
}

int cuMemcpy2D_v2(const struct driver_copy *p)
{
	return cuMemcpy2DAsync_v2(p, NULL);
}

int cuMemcpy2DUnaligned_v2(const struct driver_copy *p)
{
	return cuMemcpy2DAsync_v2(p, NULL);
}

/* ---- fills */
static int fill(const cudaMemsetParams *p, void *stream)
{
	uint64_t number;

	if (!stream_number(stream, &number))
		return cudaErrorInvalidResourceHandle;
	DRIVER_RETURN(fill_rows(p, number));
}

#define FILL(bits, type) \
	int cuMemsetD##bits##Async(uint64_t to, type value, size_t n, void *stream) \
	{ \
		return fill(&(cudaMemsetParams){at(to), 0, value, (bits) / 8, n, 1}, stream); \
	} \
	int cuMemsetD##bits##_v2(uint64_t to, type value, size_t n) \
	{ \
		return cuMemsetD##bits##Async(to, value, n, NULL); \
	} \
	int cuMemsetD2D##bits##_v2( \
		uint64_t to, size_t pitch, type value, size_t width, size_t height) \
	{ \
		return fill(&(cudaMemsetParams){at(to), pitch, value, (bits) / 8, width, height}, \
			NULL); \
	}
FILL(8, unsigned char)
FILL(16, unsigned short)
FILL(32, unsigned)
