/* Memory of host and device: managed and pinned, at one address for both, and the host's own that
 * it registered. Its pages are warpbeam's, too; while launches are pending the host cannot touch
 * them, but those that were pinned without being mapped: every device maps these, and programs fill
 * the next one's while a launch reads another. */
#define _GNU_SOURCE
#include "cuda/inside.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ATTACH_GLOBAL 1u
#define ATTACH_HOST 2u
#define REGISTER_MAPPED 2u /* cudaHostRegisterMapped */
#define LONG 1000u         /* attempts */

struct shared {
	struct shared *next;
	void *at;        /* the host's address */
	uint64_t device; /* another one if the host registered it */
	size_t bytes;
	bool managed, variable; /* managed: else pinned */
	bool open;              /* also while launches are pending */
};
static struct shared *list;                     /* changed within calls only */
static atomic_flag changing = ATOMIC_FLAG_INIT; /* the list is, or a handler reads it */

static bool begin_change(unsigned attempts)
{
	while (atomic_flag_test_and_set(&changing))
		if (attempts && !--attempts)
			return false;
		else
			sched_yield();
	return true;
}

static void put(struct shared *s)
{
	begin_change(0);
	s->next = list;
	list = s;
	atomic_flag_clear(&changing);
}

/* Out of the list; the caller's. */
static struct shared *take(struct shared **link)
{
	struct shared *s = *link;

	begin_change(0);
	*link = s->next;
	atomic_flag_clear(&changing);
	return s;
}

void shared_protect(bool pending)
{
	for (struct shared *s = list; s; s = s->next)
		if (!s->open)
			mprotect(s->at, s->bytes, pending ? PROT_NONE : PROT_READ | PROT_WRITE);
}

cudaError_t shared_settle(struct call *c)
{
	const struct shared *s = list;

	while (s && s->open)
		s = s->next;
	if (!s)
		return cudaSuccess;
	c->m.a[0] = WIRE_ALL;
	return call_do(c, WIRE_SYNC);
}

/* Maps the pages of a descriptor, which is closed, at the host's address; notes `as`. */
static cudaError_t map(int fd, const struct shared *as)
{
	struct shared *s = malloc(sizeof(*s));
	bool mapped = s && fd >= 0 &&
		      mmap(as->at, as->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
			      0) == as->at;

	if (fd >= 0)
		close(fd);
	if (!mapped) {
		free(s);
		return cudaErrorMemoryAllocation;
	}
	*s = *as;
	put(s);
	return cudaSuccess;
}

/* At that device address. */
static cudaError_t map_device(uint64_t address, size_t n, struct shared as)
{
	as.at = (void *)(uintptr_t)address;
	as.device = address;
	as.bytes = n;
	return map(call_descriptor(), &as);
}

cudaError_t shared_variable(uint64_t address, size_t n)
{
	return map_device(address, n, (struct shared){.managed = true, .variable = true});
}

/* Device memory whose pages come as a descriptor. */
static cudaError_t ask(struct call *c, size_t n, bool open)
{
	cudaError_t e = shared_settle(c);

	c->m.a[0] = n;
	c->m.a[1] = open ? 2 : 1;
	return e ? e : call_do(c, WIRE_ALLOC);
}

static cudaError_t allocate(void **out, size_t n, struct shared as)
{
	struct call c;
	cudaError_t e = capture_forbids();

	e = e ? noted(e) : call_begin(&c);
	if (e)
		return e;
	e = ask(&c, n, as.open);
	e = e ? e : map_device(c.m.a[0], n, as);
	if (!e)
		*out = list->at;
	e = call_end(&c, e);
	if (!e)
		owned_new(OWNED_MEMORY, (uintptr_t)*out);
	return e;
}

/* Gives the address range back to the device; within a call. False: it is no such memory. */
bool shared_forget(void *at)
{
	for (struct shared **link = &list; *link; link = &(*link)->next) {
		struct shared *s = *link;

		if (s->at != at || s->device != (uintptr_t)at)
			continue;
		mmap(at, s->bytes, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
		free(take(link));
		return true;
	}
	return false;
}

/* The memory that has a byte of the n from p on, n > 0; NULL: none. */
static const struct shared *find(const void *p, size_t n)
{
	for (const struct shared *s = list; s; s = s->next)
		if ((uintptr_t)p - (uintptr_t)s->at < s->bytes ||
			(uintptr_t)s->at - (uintptr_t)p < n)
			return s;
	return NULL;
}

/* A list that another thread has long been changing is not read. */
enum shared_kind shared_kind_of(const void *p)
{
	const struct shared *s = NULL;
	enum shared_kind kind =
		(uintptr_t)p - WIRE_DEVICE_BASE < WIRE_DEVICE_BYTES ? SHARED_DEVICE : SHARED_NONE;

	if (!begin_change(LONG))
		return kind;
	s = find(p, 1);
	if (s)
		kind = s->managed                      ? SHARED_MANAGED
		       : s->device == (uintptr_t)s->at ? SHARED_MAPPED
						       : SHARED_REGISTERED;
	atomic_flag_clear(&changing);
	return kind;
}

static void *on_device(const struct shared *s, const void *host)
{
	return (void *)(uintptr_t)(s->device + ((uintptr_t)host - (uintptr_t)s->at));
}

bool shared_forbids(const void *p)
{
	return (uintptr_t)p - WIRE_DEVICE_BASE < WIRE_DEVICE_BYTES && !find(p, 1);
}

bool shared_managed(const void *p, size_t n)
{
	const struct shared *s = find(p, 1);

	return n && s && s->managed && n <= s->bytes - ((uintptr_t)p - (uintptr_t)s->at);
}

bool shared_attributes(const void *p, cudaPointerAttributes *out)
{
	const struct shared *s = find(p, 1);

	if (s)
		*out = (cudaPointerAttributes){.type = s->managed ? MEMORY_MANAGED : MEMORY_PINNED,
			.device_pointer = on_device(s, p),
			.host_pointer = (void *)(uintptr_t)p};
	return s;
}

API cudaError_t cudaMallocManaged(void **out, size_t n, unsigned flags)
{
	if (!out || !n || (flags != ATTACH_GLOBAL && flags != ATTACH_HOST))
		return noted(cudaErrorInvalidValue);
	return allocate(out, n, (struct shared){.managed = true});
}

cudaError_t shared_pinned(void **out, size_t n, bool open)
{
	return allocate(out, n, (struct shared){.open = open});
}

API cudaError_t cudaHostGetDevicePointer(void **out, void *host, unsigned flags)
{
	struct call c;
	const struct shared *s;
	cudaError_t e = out && !flags ? call_begin(&c) : noted(cudaErrorInvalidValue);

	if (e)
		return e;
	s = find(host, 1);
	if (s) {
		*out = on_device(s, host);
	} else if (is_pinned(host, 1)) {
		tell("cudaHostGetDevicePointer: the memory was not registered as mapped, in whole pages");
		e = cudaErrorNotSupported;
	} else {
		e = cudaErrorInvalidValue;
	}
	return call_end(&c, e);
}

/* ---- the host's own memory: whole pages of it become shared ones */
static bool is_pages(const void *at, size_t n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (uintptr_t)at % page == 0 && n % page == 0;
}

/* Fills the pages with the host's bytes, if all can be read. */
static bool fill(int fd, const void *from, size_t n)
{
	size_t at = 0;

	while (at < n) {
		ssize_t part = pwrite(fd, (const char *)from + at, n - at, (off_t)at);

		if (part <= 0)
			return false;
		at += (size_t)part;
	}
	return true;
}

/* Within a call. */
static cudaError_t share(struct call *c, void *at, size_t n)
{
	cudaError_t e = ask(c, n, false);
	uint64_t device = c->m.a[0];
	int fd = e ? -1 : call_descriptor();

	if (e)
		return e;
	if (fd >= 0 && fill(fd, at, n))
		e = map(fd, &(struct shared){.at = at, .device = device, .bytes = n});
	else {
		if (fd >= 0)
			close(fd);
		e = cudaErrorInvalidValue;
	}
	c->m.a[0] = device;
	if (e)
		call_do(c, WIRE_FREE);
	return e;
}

API cudaError_t cudaHostRegister(void *at, size_t n, unsigned flags)
{
	struct call c;
	cudaError_t e;

	if (!at || !n || flags & ~15u)
		return noted(cudaErrorInvalidValue);
	e = call_begin(&c);
	if (e)
		return e;
	if (find(at, n) || is_pinned(at, n))
		e = cudaErrorHostMemoryAlreadyRegistered;
	else if (flags & REGISTER_MAPPED && is_pages(at, n))
		e = share(&c, at, n);
	else /* pinned memory is ordinary memory */
		e = pinned_register(at, n);
	e = call_end(&c, e);
	if (!e)
		owned_new(OWNED_REGISTERED, (uintptr_t)at);
	return e;
}

/* The host's pages are its own again, with their content. */
static cudaError_t give_back(struct call *c, struct shared **link)
{
	struct shared *s = *link;
	void *own =
		mmap(NULL, s->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (own == MAP_FAILED)
		return cudaErrorMemoryAllocation;
	memcpy(own, s->at, s->bytes);
	if (mremap(own, s->bytes, s->bytes, MREMAP_MAYMOVE | MREMAP_FIXED, s->at) == MAP_FAILED) {
		munmap(own, s->bytes);
		return cudaErrorMemoryAllocation;
	}
	c->m.a[0] = s->device;
	free(take(link));
	return call_do(c, WIRE_FREE);
}

API cudaError_t cudaHostUnregister(void *at)
{
	struct shared **link = &list;
	struct call c;
	cudaError_t e = at ? call_begin(&c) : noted(cudaErrorInvalidValue);

	if (e)
		return e;
	while (*link && ((*link)->at != at || (*link)->device == (uintptr_t)at))
		link = &(*link)->next;
	if (*link)
		e = shared_settle(&c);
	if (*link && !e)
		e = give_back(&c, link);
	else if (!*link && !pinned_unregister(at))
		e = cudaErrorHostMemoryNotRegistered;
	e = call_end(&c, e);
	if (!e)
		owned_ended(OWNED_REGISTERED, (uintptr_t)at);
	return e;
}

cudaError_t shared_end_all(void)
{
	struct shared **link = &list;
	struct call c;
	cudaError_t e = call_begin(&c);

	if (e)
		return e;
	while (*link && !e) {
		struct shared *s = *link;

		if (s->variable)
			link = &s->next;
		else if (s->device != (uintptr_t)s->at)
			e = give_back(&c, link);
		else
			shared_forget(s->at);
	}
	return call_end(&c, e);
}
