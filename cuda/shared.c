/* Memory at one address for host and device: managed, and pinned with a mapping. Its pages are
 * warpbeam's, too; while launches are pending the host cannot touch them. */
#define _GNU_SOURCE
#include "cuda/inside.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define ATTACH_GLOBAL 1u
#define ATTACH_HOST 2u

struct shared {
	struct shared *next;
	void *at;
	size_t bytes;
};
static struct shared *list; /* changed within calls only */

void shared_protect(bool pending)
{
	for (struct shared *s = list; s; s = s->next)
		mprotect(s->at, s->bytes, pending ? PROT_NONE : PROT_READ | PROT_WRITE);
}

cudaError_t shared_settle(struct call *c)
{
	if (!list)
		return cudaSuccess;
	c->m.a[0] = WIRE_ALL;
	return call_do(c, WIRE_SYNC);
}

/* Maps the pages that came with the reply at their device address. */
static bool map(struct shared *s, uint64_t address, size_t n)
{
	int fd = call_descriptor();
	void *at = fd < 0 ? MAP_FAILED
			  : mmap((void *)(uintptr_t)address, n, PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_FIXED, fd, 0);

	if (fd >= 0)
		close(fd);
	*s = (struct shared){.next = list, .at = at, .bytes = n};
	return at != MAP_FAILED;
}

cudaError_t shared_map(uint64_t address, size_t n)
{
	struct shared *s = malloc(sizeof(*s));

	if (!s || !map(s, address, n)) {
		free(s);
		return cudaErrorMemoryAllocation;
	}
	list = s;
	return cudaSuccess;
}

static cudaError_t allocate(void **out, size_t n)
{
	struct call c;
	cudaError_t e = call_begin(&c);

	if (e)
		return e;
	e = shared_settle(&c);
	c.m.a[0] = n;
	c.m.a[1] = 1;
	e = e ? e : call_do(&c, WIRE_ALLOC);
	e = e ? e : shared_map(c.m.a[0], n);
	if (!e)
		*out = list->at;
	return call_end(&c, e);
}

/* Gives the address range back to the device; within a call. False: it is no such memory. */
bool shared_forget(void *at)
{
	for (struct shared **link = &list; *link; link = &(*link)->next) {
		struct shared *s = *link;

		if (s->at != at)
			continue;
		mmap(at, s->bytes, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
		*link = s->next;
		free(s);
		return true;
	}
	return false;
}

static bool is_shared(const void *p)
{
	for (const struct shared *s = list; s; s = s->next)
		if ((uintptr_t)p - (uintptr_t)s->at < s->bytes)
			return true;
	return false;
}

API cudaError_t cudaMallocManaged(void **out, size_t n, unsigned flags)
{
	if (!out || !n || (flags != ATTACH_GLOBAL && flags != ATTACH_HOST))
		return noted(cudaErrorInvalidValue);
	return allocate(out, n);
}

cudaError_t shared_pinned(void **out, size_t n)
{
	return allocate(out, n);
}

API cudaError_t cudaHostGetDevicePointer(void **out, void *host, unsigned flags)
{
	struct call c;
	cudaError_t e = out && !flags ? call_begin(&c) : noted(cudaErrorInvalidValue);

	if (e)
		return e;
	e = is_shared(host) ? cudaSuccess : cudaErrorNotSupported;
	if (e)
		tell("cudaHostGetDevicePointer: the memory was not allocated as mapped");
	else
		*out = host;
	return call_end(&c, e);
}

/* Advice, and copies ahead of use: there is one memory. */
API cudaError_t cudaMemPrefetchAsync(const void *p, size_t n)
{
	return noted(p && n ? cudaSuccess : cudaErrorInvalidValue);
}

API cudaError_t cudaMemAdvise(const void *p, size_t n)
{
	return noted(p && n ? cudaSuccess : cudaErrorInvalidValue);
}

API cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *p, size_t n, unsigned flags)
{
	uint64_t number;

	(void)n;
	return noted(!stream_number(stream, &number)       ? cudaErrorInvalidResourceHandle
		     : !p || !flags || flags & (flags - 1) ? cudaErrorInvalidValue
							   : cudaSuccess);
}
