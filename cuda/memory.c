/* Memory: device allocations, the host's pinned ones, copies, and setting bytes. */
#include "cuda/inside.h"

#include "cuda/graph/graph.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define PITCH 512u

API cudaError_t cudaMalloc(void **out, size_t n)
{
	struct wire_message m;
	cudaError_t e;

	if (!out)
		return noted(cudaErrorInvalidValue);
	*out = NULL;
	e = capture_forbids();
	if (e)
		return noted(e);
	e = n ? call_simply(WIRE_ALLOC, n, 0, 0, &m) : cudaSuccess;
	if (!e && n) {
		*out = (void *)(uintptr_t)m.a[0];
		owned_new(OWNED_MEMORY, m.a[0]);
	}
	return e;
}

API cudaError_t cudaFree(void *p)
{
	struct call c;
	cudaError_t e = capture_forbids();

	if (e || (p && graph_memory_free(p, &e)))
		return noted(e);
	if (p && pool_has_idle(p))
		return noted(cudaErrorInvalidValue);
	e = call_begin(&c);
	if (e)
		return e;
	c.m.a[0] = (uintptr_t)p;
	e = call_do(&c, WIRE_FREE);
	if (!e)
		shared_forget(p);
	call_end(&c, e);
	if (!e && p) {
		pool_forget(p);
		owned_ended(OWNED_MEMORY, (uintptr_t)p);
	}
	return e;
}

API cudaError_t cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height)
{
	size_t row = (width + PITCH - 1) / PITCH * PITCH;

	if (!out || !pitch || row < width || (height && row > SIZE_MAX / height))
		return noted(cudaErrorInvalidValue);
	*pitch = row;
	return cudaMalloc(out, row * height);
}

API cudaError_t cudaMalloc3D(cudaPitchedPtr *out, cudaExtent e)
{
	if (!out || (e.height && e.depth > SIZE_MAX / e.height))
		return noted(cudaErrorInvalidValue);
	out->width = e.width;
	out->height = e.height;
	return cudaMallocPitch(&out->ptr, &out->pitch, e.width, e.height * e.depth);
}

/* ---- copies */
cudaError_t copy_in(struct call *c, uint64_t to, const void *from, size_t n, uint64_t stream)
{
	const unsigned char *at = from;
	cudaError_t e = cudaSuccess;

	while (n && !e) {
		size_t part = n < WIRE_WINDOW_BYTES ? n : WIRE_WINDOW_BYTES;

		memcpy(c->window, at, part);
		c->m.a[0] = to;
		c->m.a[1] = part;
		c->m.a[2] = stream;
		e = call_do(c, WIRE_WRITE);
		at += part;
		to += part;
		n -= part;
	}
	return e;
}

cudaError_t copy_out(struct call *c, void *to, uint64_t from, size_t n, uint64_t stream)
{
	unsigned char *at = to;
	cudaError_t e = cudaSuccess;

	c->m.a[0] = stream;
	e = call_do(c, WIRE_SYNC);
	while (n && !e) {
		size_t part = n < WIRE_WINDOW_BYTES ? n : WIRE_WINDOW_BYTES;

		c->m.a[0] = from;
		c->m.a[1] = part;
		c->m.a[2] = stream;
		e = call_do(c, WIRE_READ);
		if (!e)
			memcpy(at, c->window, part);
		at += part;
		from += part;
		n -= part;
	}
	return e;
}

bool is_device(struct call *c, const void *p)
{
	c->m.a[0] = (uintptr_t)p;
	return !call_do(c, WIRE_FIND) && c->m.a[1];
}

/* What cudaMemcpyDefault means by the two pointers. */
static int kind_of(struct call *c, const void *to, const void *from)
{
	bool device = is_device(c, to);

	return is_device(c, from) ? device ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost
	       : device           ? cudaMemcpyHostToDevice
				  : cudaMemcpyHostToHost;
}

static cudaError_t copy_kind(
	struct call *c, void *to, const void *from, size_t n, int kind, uint64_t stream)
{
	if (kind == cudaMemcpyDefault)
		kind = kind_of(c, to, from);
	/* programs name another kind where both are the device's: the addresses decide */
	if ((kind == cudaMemcpyHostToDevice && shared_forbids(from)) ||
		(kind == cudaMemcpyDeviceToHost && shared_forbids(to)))
		kind = cudaMemcpyDeviceToDevice;
	if (kind == cudaMemcpyHostToHost && (shared_forbids(from) || shared_forbids(to)))
		return cudaErrorInvalidValue;
	switch (kind) {
	case cudaMemcpyHostToHost:
		c->m.a[0] = stream;
		if (call_do(c, WIRE_SYNC))
			return (cudaError_t)c->m.status;
		memmove(to, from, n);
		return cudaSuccess;
	case cudaMemcpyHostToDevice:
		return copy_in(c, (uintptr_t)to, from, n, stream);
	case cudaMemcpyDeviceToHost:
		return copy_out(c, to, (uintptr_t)from, n, stream);
	case cudaMemcpyDeviceToDevice:
		c->m.a[0] = (uintptr_t)to;
		c->m.a[1] = (uintptr_t)from;
		c->m.a[2] = n;
		c->m.a[3] = stream;
		return call_do(c, WIRE_COPY);
	default:
		return cudaErrorInvalidMemcpyDirection;
	}
}

cudaError_t copy_any(void *to, const void *from, size_t n, int kind, uint64_t stream)
{
	const struct operation op = {.type = OPERATION_COPY,
		.copy = {{(uintptr_t)to, n, n}, {(uintptr_t)from, n, n}, {n, 1, 1}, kind,
			{.kind = 0}}};
	struct call c;
	cudaError_t e;

	if (kind < 0 || kind > cudaMemcpyDefault)
		return noted(cudaErrorInvalidMemcpyDirection);
	if (n && (!to || !from))
		return noted(cudaErrorInvalidValue);
	if (capture_takes(stream, &op, &e))
		return noted(e);
	e = call_begin(&c);
	if (e)
		return e;
	if (kind != cudaMemcpyDeviceToDevice) /* the host's pointer may be of shared memory */
		e = shared_settle(&c);
	if (n && !e)
		e = copy_kind(&c, to, from, n, kind, stream);
	return call_end(&c, e);
}

API cudaError_t cudaMemcpyAsync(void *, const void *, size_t, int, cudaStream_t);

API cudaError_t cudaMemcpy(void *to, const void *from, size_t n, int kind)
{
	return cudaMemcpyAsync(to, from, n, kind, NULL);
}

API cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n, int kind, cudaStream_t stream)
{
	uint64_t s;

	if (!stream_number(stream, &s))
		return noted(cudaErrorInvalidResourceHandle);
	return copy_any(to, from, n, kind, s);
}

API cudaError_t cudaMemcpyPeerAsync(
	void *to, int to_device, const void *from, int from_device, size_t n, cudaStream_t stream)
{
	if (to_device || from_device)
		return noted(cudaErrorInvalidDevice);
	return cudaMemcpyAsync(to, from, n, cudaMemcpyDeviceToDevice, stream);
}

API cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t n)
{
	return cudaMemcpyPeerAsync(to, to_device, from, from_device, n, NULL);
}

API cudaError_t cudaMemGetInfo(size_t *left, size_t *all)
{
	struct wire_message m;
	cudaError_t e;

	if (!left || !all)
		return noted(cudaErrorInvalidValue);
	e = call_simply(WIRE_MEMORY, 0, 0, 0, &m);
	if (!e) {
		*left = m.a[0];
		*all = m.a[1];
	}
	return e;
}

/* ---- the program's own memory that it registered: it is known */
struct pinned {
	struct pinned *next;
	void *at;
	size_t bytes;
};
static struct pinned *pinned[1024];
static pthread_mutex_t pinned_mutex = PTHREAD_MUTEX_INITIALIZER;

static struct pinned **pinned_bucket(const void *p)
{
	return &pinned[((uintptr_t)p >> 12) % 1024];
}

bool is_pinned(const void *at, size_t n)
{
	bool found = false;

	pthread_mutex_lock(&pinned_mutex);
	for (size_t i = 0; i < sizeof(pinned) / sizeof(*pinned); i++)
		for (const struct pinned *p = pinned[i]; p; p = p->next)
			found |= (uintptr_t)at - (uintptr_t)p->at < p->bytes ||
				 (uintptr_t)p->at - (uintptr_t)at < n;
	pthread_mutex_unlock(&pinned_mutex);
	return found;
}

static void pinned_add(struct pinned *p)
{
	pthread_mutex_lock(&pinned_mutex);
	p->next = *pinned_bucket(p->at);
	*pinned_bucket(p->at) = p;
	pthread_mutex_unlock(&pinned_mutex);
}

/* NULL: it was not added so. The caller's. */
static struct pinned *pinned_take(const void *at)
{
	struct pinned **link, *found;

	pthread_mutex_lock(&pinned_mutex);
	link = pinned_bucket(at);
	while (*link && (*link)->at != at)
		link = &(*link)->next;
	found = *link;
	if (found)
		*link = found->next;
	pthread_mutex_unlock(&pinned_mutex);
	return found;
}

cudaError_t pinned_register(void *at, size_t n)
{
	struct pinned *p;

	if (is_pinned(at, n))
		return cudaErrorHostMemoryAlreadyRegistered;
	p = malloc(sizeof(*p));
	if (!p)
		return cudaErrorMemoryAllocation;
	*p = (struct pinned){.at = at, .bytes = n};
	pinned_add(p);
	return cudaSuccess;
}

bool pinned_unregister(const void *at)
{
	struct pinned *p = pinned_take(at);

	free(p);
	return p;
}

void pinned_end_all(void)
{
	pthread_mutex_lock(&pinned_mutex);
	for (size_t i = 0; i < sizeof(pinned) / sizeof(*pinned); i++)
		while (pinned[i]) {
			struct pinned *p = pinned[i];

			pinned[i] = p->next;
			free(p);
		}
	pthread_mutex_unlock(&pinned_mutex);
}

API cudaError_t cudaHostAlloc(void **out, size_t n, unsigned flags)
{
	if (!out || flags & ~7u)
		return noted(cudaErrorInvalidValue);
	*out = NULL;
	if (!n)
		return cudaSuccess;
	if (capture_forbids())
		return noted(cudaErrorStreamCaptureUnsupported);
	return shared_pinned(out, n, !(flags & HOST_MAPPED));
}

API cudaError_t cudaMallocHost(void **out, size_t n)
{
	return cudaHostAlloc(out, n, 0);
}

API cudaError_t cudaFreeHost(void *at)
{
	if (!at)
		return cudaSuccess;
	return (uintptr_t)at - WIRE_DEVICE_BASE < WIRE_DEVICE_BYTES ? cudaFree(at)
								    : noted(cudaErrorInvalidValue);
}
