/* Memory of graphs: it is allocated with its node, so that it has one address, and lives as long as
 * a graph has it; whether it is free is what nodes and the program say. */
#include "cuda/graph/graph.h"

#include <pthread.h>
#include <stdlib.h>

struct graph_memory {
	struct graph_memory *next;
	uint64_t address;
	size_t bytes;
	unsigned held;
	bool used;
};
static struct graph_memory *list;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

enum attribute { USED, USED_HIGH, RESERVED, RESERVED_HIGH, ATTRIBUTES };
static uint64_t attributes[ATTRIBUTES];

/* Within the mutex; bytes may be "negative". */
static void count(enum attribute now, uint64_t bytes)
{
	attributes[now] += bytes;
	if (attributes[now + 1] < attributes[now])
		attributes[now + 1] = attributes[now];
}

struct graph_memory *graph_memory_new(size_t n)
{
	struct graph_memory *m = malloc(sizeof(*m));
	struct wire_message reply;

	if (!m || call_simply(WIRE_ALLOC, n, 0, 0, &reply)) {
		free(m);
		return NULL;
	}
	pthread_mutex_lock(&mutex);
	*m = (struct graph_memory){
		.next = list, .address = reply.a[0], .bytes = n, .held = 1, .used = false};
	list = m;
	count(RESERVED, n);
	pthread_mutex_unlock(&mutex);
	return m;
}

struct graph_memory *graph_memory_at(const void *at)
{
	struct graph_memory *m;

	pthread_mutex_lock(&mutex);
	m = list;
	while (m && m->address != (uintptr_t)at)
		m = m->next;
	pthread_mutex_unlock(&mutex);
	return m;
}

uint64_t graph_memory_address(const struct graph_memory *m)
{
	return m->address;
}

size_t graph_memory_bytes(const struct graph_memory *m)
{
	return m->bytes;
}

void graph_memory_hold(struct graph_memory *m)
{
	pthread_mutex_lock(&mutex);
	m->held++;
	pthread_mutex_unlock(&mutex);
}

/* It is freed when no graph has it; not while the program uses it. */
static struct graph_memory *take_out(struct graph_memory *m)
{
	struct graph_memory **link = &list;

	if (m->held || m->used)
		return NULL;
	while (*link != m)
		link = &(*link)->next;
	*link = m->next;
	count(RESERVED, -(uint64_t)m->bytes);
	return m;
}

static void end(struct graph_memory *m)
{
	if (m)
		call_simply(WIRE_FREE, m->address, 0, 0, NULL);
	free(m);
}

void graph_memory_drop(struct graph_memory *m)
{
	struct graph_memory *gone;

	pthread_mutex_lock(&mutex);
	m->held--;
	gone = take_out(m);
	pthread_mutex_unlock(&mutex);
	end(gone);
}

/* `again`: what an earlier launch has left is freed. */
cudaError_t graph_memory_take(struct graph_memory *m, bool again)
{
	bool wrong;

	pthread_mutex_lock(&mutex);
	wrong = m->used && !again;
	if (!m->used)
		count(USED, m->bytes);
	m->used = true;
	pthread_mutex_unlock(&mutex);
	return wrong ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t graph_memory_give(struct graph_memory *m)
{
	bool used;

	pthread_mutex_lock(&mutex);
	used = m->used;
	if (used)
		count(USED, -(uint64_t)m->bytes);
	m->used = false;
	pthread_mutex_unlock(&mutex);
	return used ? cudaSuccess : cudaErrorInvalidValue;
}

bool graph_memory_free(void *at, cudaError_t *e)
{
	struct graph_memory *m = graph_memory_at(at), *gone;

	if (!m)
		return false;
	*e = graph_memory_give(m);
	pthread_mutex_lock(&mutex);
	gone = *e ? NULL : take_out(m);
	pthread_mutex_unlock(&mutex);
	end(gone);
	return true;
}

void graph_memory_forget(void)
{
	pthread_mutex_lock(&mutex);
	while (list) {
		struct graph_memory *m = list;

		list = m->next;
		free(m);
	}
	attributes[USED] = attributes[RESERVED] = 0;
	pthread_mutex_unlock(&mutex);
}

API cudaError_t cudaDeviceGetGraphMemAttribute(int device, int attribute, void *value)
{
	if (device)
		return noted(cudaErrorInvalidDevice);
	if (!value || attribute < 0 || attribute >= ATTRIBUTES)
		return noted(cudaErrorInvalidValue);
	*(uint64_t *)value = attributes[attribute];
	return cudaSuccess;
}

/* The highest values become the present ones. */
API cudaError_t cudaDeviceSetGraphMemAttribute(int device, int attribute, void *value)
{
	if (device)
		return noted(cudaErrorInvalidDevice);
	if (!value || (attribute != USED_HIGH && attribute != RESERVED_HIGH) || *(uint64_t *)value)
		return noted(cudaErrorInvalidValue);
	attributes[attribute] = attributes[attribute - 1];
	return cudaSuccess;
}

/* Memory of graphs is given back with them. */
API cudaError_t cudaDeviceGraphMemTrim(int device)
{
	return noted(device ? cudaErrorInvalidDevice : cudaSuccess);
}
