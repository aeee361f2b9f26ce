/* Stream-ordered allocation: pools of device memory. What a stream frees is its own again at once,
 * and everybody's when nothing is pending; a pool gives back what exceeds its threshold then. */
#include "cuda/inside.h"

#include "cuda/graph/graph.h"

#include <pthread.h>
#include <stdlib.h>

#define UNIT 512u
#define BUCKETS 1024u
#define READ_WRITE 3

enum attribute {
	FOLLOW_EVENTS = 1,
	OPPORTUNISTIC,
	INTERNAL_DEPENDENCIES,
	THRESHOLD,
	RESERVED,
	RESERVED_HIGH,
	USED,
	USED_HIGH,
	ATTRIBUTES
};

struct block {
	struct block *next; /* of the bucket, or of the idle ones: the last freed first */
	struct pool *pool;
	uint64_t address, bytes;
	uint64_t stream; /* that freed it */
};

struct pool {
	struct pool *next;
	void *handle;
	uint64_t attribute[ATTRIBUTES], most;
	struct block *idle;
	bool destroyed; /* it lives until its last block is freed */
};

static struct block *blocks[BUCKETS]; /* in use */
static struct pool standard, *pools, *current;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void add(struct pool *p, enum attribute now, enum attribute high, uint64_t bytes)
{
	p->attribute[now] += bytes;
	if (p->attribute[high] < p->attribute[now])
		p->attribute[high] = p->attribute[now];
}

static bool enter(struct pool *p, uint64_t most)
{
	*p = (struct pool){
		.attribute =
			{[FOLLOW_EVENTS] = 1, [OPPORTUNISTIC] = 1, [INTERNAL_DEPENDENCIES] = 1},
		.most = most,
		.next = pools};
	p->handle = handle_new(HANDLE_POOL, p);
	if (p->handle)
		pools = p;
	return p->handle;
}

/* The device's own pool; within the mutex. */
static struct pool *default_pool(void)
{
	if (!standard.handle && !enter(&standard, 0))
		return NULL;
	if (!current)
		current = &standard;
	return &standard;
}

static struct block **bucket(uint64_t address)
{
	return &blocks[address / UNIT % BUCKETS];
}

static struct block *take_used(uint64_t address)
{
	struct block **link = bucket(address), *b;

	while (*link && (*link)->address != address)
		link = &(*link)->next;
	b = *link;
	if (b)
		*link = b->next;
	return b;
}

static void put_used(struct block *b)
{
	b->next = *bucket(b->address);
	*bucket(b->address) = b;
	add(b->pool, USED, USED_HIGH, b->bytes);
}

/* An idle block of at most twice the bytes that the stream may use, the smallest. */
static struct block *take_idle(struct pool *p, uint64_t bytes, uint64_t stream)
{
	struct block **best = NULL, *b;

	for (struct block **link = &p->idle; *link; link = &(*link)->next) {
		b = *link;
		if (b->bytes >= bytes && b->bytes <= 2 * bytes &&
			(b->stream == stream || !call_pending()) &&
			(!best || b->bytes < (*best)->bytes))
			best = link;
	}
	b = best ? *best : NULL;
	if (b)
		*best = b->next;
	return b;
}

/* Gives idle blocks back until at most `keep` bytes are reserved. */
static void trim(struct pool *p, uint64_t keep)
{
	while (p->idle && p->attribute[RESERVED] > keep) {
		struct block *b = p->idle;

		p->idle = b->next;
		p->attribute[RESERVED] -= b->bytes;
		call_simply(WIRE_FREE, b->address, 0, 0, NULL);
		free(b);
	}
}

void pools_settle(void)
{
	pthread_mutex_lock(&mutex);
	if (!call_pending())
		for (struct pool *p = pools; p; p = p->next)
			trim(p, p->attribute[THRESHOLD]);
	pthread_mutex_unlock(&mutex);
}

static cudaError_t new_block(struct pool *p, uint64_t bytes, struct block **out)
{
	struct block *b = malloc(sizeof(*b));
	struct wire_message m;
	cudaError_t e = cudaErrorMemoryAllocation;

	if (b && (!p->most || p->attribute[RESERVED] + bytes <= p->most))
		e = call_simply(WIRE_ALLOC, bytes, 0, 0, &m);
	if (e) {
		free(b);
		return noted(e);
	}
	*b = (struct block){.pool = p, .address = m.a[0], .bytes = bytes};
	add(p, RESERVED, RESERVED_HIGH, bytes);
	*out = b;
	return e;
}

static cudaError_t allocate(struct pool *p, void **out, size_t n, uint64_t stream)
{
	uint64_t bytes = (n + UNIT - 1) / UNIT * UNIT;
	struct block *b = take_idle(p, bytes, stream);
	cudaError_t e = b ? cudaSuccess : new_block(p, bytes, &b);

	if (e && p->idle) { /* other blocks are in the way */
		trim(p, 0);
		e = new_block(p, bytes, &b);
	}
	if (!e) {
		put_used(b);
		*out = (void *)(uintptr_t)b->address;
	}
	return e;
}

cudaError_t pool_allocate(void *handle, void **out, size_t n, cudaStream_t s)
{
	uint64_t stream;
	struct pool *p;
	cudaError_t e;

	if (!out || n > SIZE_MAX / 4)
		return noted(out ? cudaErrorMemoryAllocation : cudaErrorInvalidValue);
	if (!stream_number(s, &stream))
		return noted(cudaErrorInvalidResourceHandle);
	*out = NULL;
	if (!n)
		return cudaSuccess;
	if (capture_allocates(stream, out, n, &e))
		return noted(e);
	pthread_mutex_lock(&mutex);
	default_pool();
	p = handle ? handle_find(HANDLE_POOL, handle) : current;
	e = p && !p->destroyed ? allocate(p, out, n, stream) : noted(cudaErrorInvalidValue);
	pthread_mutex_unlock(&mutex);
	if (!e)
		owned_new(OWNED_MEMORY, (uintptr_t)*out);
	return e;
}

API cudaError_t cudaMallocAsync(void **out, size_t n, cudaStream_t stream)
{
	return pool_allocate(NULL, out, n, stream);
}

API cudaError_t cudaMallocFromPoolAsync(void **out, size_t n, void *pool, cudaStream_t stream)
{
	return pool ? pool_allocate(pool, out, n, stream) : noted(cudaErrorInvalidValue);
}

/* A destroyed pool without blocks. */
static void end_pool(struct pool *p)
{
	struct pool **link = &pools;

	trim(p, 0);
	if (p->attribute[USED])
		return;
	while (*link != p)
		link = &(*link)->next;
	*link = p->next;
	handle_end(HANDLE_POOL, p->handle);
	free(p);
}

static void forget(struct block **list)
{
	for (struct block *b; (b = *list); free(b))
		*list = b->next;
}

void pools_forget(void)
{
	pthread_mutex_lock(&mutex);
	for (struct pool *p = pools, *next; p; p = next) {
		next = p->next;
		forget(&p->idle);
		p->attribute[RESERVED] = p->attribute[USED] = 0;
		if (p != &standard)
			end_pool(p);
	}
	current = NULL;
	for (unsigned i = 0; i < BUCKETS; i++)
		forget(&blocks[i]);
	pthread_mutex_unlock(&mutex);
}

static bool give_back(uint64_t address, uint64_t stream, bool whole)
{
	struct block *b;
	struct pool *p;

	pthread_mutex_lock(&mutex);
	b = take_used(address);
	p = b ? b->pool : NULL;
	if (p) {
		p->attribute[USED] -= b->bytes;
		b->stream = stream;
		b->next = p->idle;
		p->idle = b;
	}
	if (p && whole) {
		p->idle = b->next;
		p->attribute[RESERVED] -= b->bytes;
		free(b);
	}
	if (p && p->destroyed)
		end_pool(p);
	pthread_mutex_unlock(&mutex);
	return p;
}

void pool_forget(void *at)
{
	give_back((uintptr_t)at, 0, true);
}

bool pool_has_idle(const void *at)
{
	bool found = false;

	pthread_mutex_lock(&mutex);
	for (const struct pool *p = pools; p; p = p->next)
		for (const struct block *b = p->idle; b; b = b->next)
			found |= b->address == (uintptr_t)at;
	pthread_mutex_unlock(&mutex);
	return found;
}

API cudaError_t cudaFree(void *);

API cudaError_t cudaFreeAsync(void *at, cudaStream_t s)
{
	uint64_t stream;
	cudaError_t e;

	if (!at || pool_has_idle(at))
		return noted(cudaErrorInvalidValue);
	if (!stream_number(s, &stream))
		return noted(cudaErrorInvalidResourceHandle);
	if (capture_frees(stream, at, &e))
		return noted(e);
	if (graph_memory_free(at, &e))
		return noted(e);
	owned_ended(OWNED_MEMORY, (uintptr_t)at);
	if (give_back((uintptr_t)at, stream, false))
		return cudaSuccess;
	e = call_simply(WIRE_SYNC, stream, 0, 0, NULL); /* memory of cudaMalloc() */
	return e ? e : cudaFree(at);
}

/* ---- pools */
API cudaError_t cudaMemPoolCreate(void **out, const cudaMemPoolProps *props)
{
	struct pool *p;
	bool made;

	if (!out || !props || props->type != 1 || props->at.kind != 1 || props->at.id)
		return noted(cudaErrorInvalidValue);
	if (props->handles)
		return not_supported("a memory pool that is shared between processes");
	p = malloc(sizeof(*p));
	pthread_mutex_lock(&mutex);
	made = p && default_pool() && enter(p, props->most);
	pthread_mutex_unlock(&mutex);
	if (!made) {
		free(p);
		return noted(cudaErrorMemoryAllocation);
	}
	*out = p->handle;
	return cudaSuccess;
}

/* The pool of the handle, in the mutex; NULL: there is none, and it is given. */
static struct pool *enter_pool(const void *handle)
{
	struct pool *p;

	pthread_mutex_lock(&mutex);
	p = handle_find(HANDLE_POOL, handle);
	if (!p || p->destroyed)
		pthread_mutex_unlock(&mutex);
	return p && !p->destroyed ? p : NULL;
}

static cudaError_t leave(void)
{
	pthread_mutex_unlock(&mutex);
	return cudaSuccess;
}

API cudaError_t cudaMemPoolDestroy(void *handle)
{
	struct pool *p = enter_pool(handle);

	if (!p)
		return noted(cudaErrorInvalidValue);
	if (p == &standard) {
		leave();
		return noted(cudaErrorInvalidValue);
	}
	if (current == p)
		current = &standard;
	p->destroyed = true;
	end_pool(p);
	return leave();
}

API cudaError_t cudaMemPoolTrimTo(void *handle, size_t keep)
{
	struct pool *p = enter_pool(handle);

	if (!p)
		return noted(cudaErrorInvalidValue);
	if (!call_pending())
		trim(p, keep);
	return leave();
}

static bool is_flag(int attribute)
{
	return attribute >= FOLLOW_EVENTS && attribute <= INTERNAL_DEPENDENCIES;
}

API cudaError_t cudaMemPoolGetAttribute(void *handle, int attribute, void *value)
{
	bool known = value && attribute >= FOLLOW_EVENTS && attribute < ATTRIBUTES;
	const struct pool *p = known ? enter_pool(handle) : NULL;

	if (!p)
		return noted(cudaErrorInvalidValue);
	if (is_flag(attribute))
		*(int *)value = (int)p->attribute[attribute];
	else
		*(uint64_t *)value = p->attribute[attribute];
	return leave();
}

/* Of the highest values, only 0: they become the present ones. */
API cudaError_t cudaMemPoolSetAttribute(void *handle, int attribute, void *value)
{
	bool high = attribute == RESERVED_HIGH || attribute == USED_HIGH;
	bool known = value && (is_flag(attribute) || attribute == THRESHOLD ||
				      (high && !*(uint64_t *)value));
	struct pool *p = known ? enter_pool(handle) : NULL;

	if (!p)
		return noted(cudaErrorInvalidValue);
	if (is_flag(attribute))
		p->attribute[attribute] = *(int *)value != 0;
	else if (high)
		p->attribute[attribute] = p->attribute[attribute - 1];
	else
		p->attribute[attribute] = *(uint64_t *)value;
	return leave();
}

/* The one device has access to all. */
API cudaError_t cudaMemPoolSetAccess(void *handle, const cudaMemAccessDesc *list, size_t n)
{
	struct pool *p = n && !list ? NULL : enter_pool(handle);
	cudaError_t e = cudaSuccess;

	if (!p)
		return noted(cudaErrorInvalidValue);
	for (size_t i = 0; i < n && !e; i++)
		if (list[i].at.kind != 1 || list[i].flags != READ_WRITE)
			e = cudaErrorInvalidValue;
		else if (list[i].at.id)
			e = cudaErrorInvalidDevice;
	leave();
	return noted(e);
}

API cudaError_t cudaMemPoolGetAccess(int *flags, void *handle, const cudaMemLocation *at)
{
	if (!flags || !at || at->kind != 1 || !enter_pool(handle))
		return noted(cudaErrorInvalidValue);
	leave();
	*flags = READ_WRITE;
	return at->id ? noted(cudaErrorInvalidDevice) : cudaSuccess;
}

static cudaError_t give(void **out, int device, bool standard_one)
{
	struct pool *p;

	if (!out || device)
		return noted(out ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
	pthread_mutex_lock(&mutex);
	p = default_pool();
	if (p)
		*out = standard_one ? p->handle : current->handle;
	pthread_mutex_unlock(&mutex);
	return noted(p ? cudaSuccess : cudaErrorMemoryAllocation);
}

API cudaError_t cudaDeviceGetDefaultMemPool(void **out, int device)
{
	return give(out, device, true);
}

API cudaError_t cudaDeviceGetMemPool(void **out, int device)
{
	return give(out, device, false);
}

API cudaError_t cudaDeviceSetMemPool(int device, void *handle)
{
	struct pool *p = device ? NULL : enter_pool(handle);

	if (!p)
		return noted(device ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
	default_pool();
	current = p;
	return leave();
}

/* The same by location; allocations of device memory only. */
static bool is_here(const cudaMemLocation *at, int type)
{
	return at && at->kind == 1 && type == 1;
}

API cudaError_t cudaMemGetDefaultMemPool(void **out, const cudaMemLocation *at, int type)
{
	return is_here(at, type) ? give(out, at->id, true) : noted(cudaErrorInvalidValue);
}

API cudaError_t cudaMemGetMemPool(void **out, const cudaMemLocation *at, int type)
{
	return is_here(at, type) ? give(out, at->id, false) : noted(cudaErrorInvalidValue);
}

API cudaError_t cudaMemSetMemPool(const cudaMemLocation *at, int type, void *pool)
{
	return is_here(at, type) ? cudaDeviceSetMemPool(at->id, pool)
				 : noted(cudaErrorInvalidValue);
}
