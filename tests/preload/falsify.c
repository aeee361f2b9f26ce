/*
 * Falsifies what a CUDA program gets from the device, to see that its own check notices: preloaded
 * by tools/compat. FALSIFY=word alters the first eight bytes of each result, FALSIFY=all each byte,
 * FALSIFY=third each byte of every third result: others that belong to it stay.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum kind { TO_HOST = 2, DEFAULT = 4 };
#define MAPPED 2u

/* Memory that host and device share, altered when the host has waited for the device. */
struct area {
	unsigned char *at;
	size_t bytes;
	struct area *next;
};

/* The library's functions call each other through ours: only the outermost alters. */
static _Thread_local unsigned depth;

static struct {
	pthread_mutex_t mutex;
	struct area *areas;
	unsigned turns;
} falsify = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* 0x40 turns the exponent of a float, half or double, and a high bit of an integer's byte; another
 * bit in each turn: two equal results become unequal, none turns back. */
static void alter(void *at, size_t bytes)
{
	const char *how = getenv("FALSIFY");
	unsigned char *to = at, bits = (unsigned char)(0x40 >> falsify.turns % 3);

	if (how && !strcmp(how, "word") && bytes > 8)
		bytes = 8;
	if (how && !strcmp(how, "third") && falsify.turns % 3 != 2)
		bytes = 0;
	for (size_t i = 0; how && to && i < bytes; i++)
		to[i] ^= bits;
}

/* The function behind ours; `function` points at a pointer to it. */
static void next(const char *name, void *function)
{
	void *found = dlsym(RTLD_NEXT, name);

	memcpy(function, &found, sizeof(found));
}

static void share(void *at, size_t bytes)
{
	struct area *a = malloc(sizeof(*a));

	if (!a)
		return;
	pthread_mutex_lock(&falsify.mutex);
	*a = (struct area){at, bytes, falsify.areas};
	falsify.areas = a;
	pthread_mutex_unlock(&falsify.mutex);
}

static void forget(const void *at)
{
	struct area **a;

	pthread_mutex_lock(&falsify.mutex);
	for (a = &falsify.areas; *a; a = &(*a)->next)
		if ((*a)->at == at) {
			struct area *gone = *a;

			*a = gone->next;
			free(gone);
			break;
		}
	pthread_mutex_unlock(&falsify.mutex);
}

static int waited(int e)
{
	pthread_mutex_lock(&falsify.mutex);
	for (struct area *a = falsify.areas; !e && a; a = a->next)
		alter(a->at, a->bytes);
	falsify.turns += falsify.areas != NULL;
	pthread_mutex_unlock(&falsify.mutex);
	return e;
}

/* Default copies to device memory pass: their address is not the host's. */
static int copied(int e, void *to, size_t bytes, int kind)
{
	struct {
		int type, device;
		void *on_device, *on_host;
		long rest[16];
	} attributes = {.type = 0};
	int (*ask)(void *, const void *);

	if (e || depth || (kind != TO_HOST && kind != DEFAULT))
		return e;
	next("cudaPointerGetAttributes", &ask);
	if (kind == DEFAULT && ask && !ask(&attributes, to) && attributes.type == 2)
		return e;
	pthread_mutex_lock(&falsify.mutex);
	alter(to, bytes);
	falsify.turns++;
	pthread_mutex_unlock(&falsify.mutex);
	return e;
}

/* Each function below is CUDA's of that name. */
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind)
{
	__typeof__(&cudaMemcpy) real;
	int e;

	next("cudaMemcpy", &real);
	depth++;
	e = real(to, from, bytes, kind);
	depth--;
	return copied(e, to, bytes, kind);
}

int cudaDeviceSynchronize(void);
int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream);
int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream)
{
	__typeof__(&cudaMemcpyAsync) real;
	__typeof__(&cudaDeviceSynchronize) wait;
	int e;

	next("cudaMemcpyAsync", &real);
	next("cudaDeviceSynchronize", &wait);
	depth++;
	e = real(to, from, bytes, kind, stream);
	if (!e && (kind == TO_HOST || kind == DEFAULT))
		e = wait();
	depth--;
	return copied(e, to, bytes, kind);
}

int cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, int kind);
int cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, int kind)
{
	__typeof__(&cudaMemcpyFromSymbol) real;
	int e;

	next("cudaMemcpyFromSymbol", &real);
	depth++;
	e = real(to, symbol, bytes, offset, kind);
	depth--;
	return copied(e, to, bytes, kind);
}

int cudaMemcpy2D(void *to, size_t pitch, const void *from, size_t from_pitch, size_t width,
	size_t height, int kind);
int cudaMemcpy2D(void *to, size_t pitch, const void *from, size_t from_pitch, size_t width,
	size_t height, int kind)
{
	__typeof__(&cudaMemcpy2D) real;
	int e;

	next("cudaMemcpy2D", &real);
	depth++;
	e = real(to, pitch, from, from_pitch, width, height, kind);
	depth--;
	for (size_t y = 0; y < height; y++)
		copied(e, (char *)to + y * pitch, width, kind);
	return e;
}

int cudaMallocManaged(void **at, size_t bytes, unsigned flags);
int cudaMallocManaged(void **at, size_t bytes, unsigned flags)
{
	__typeof__(&cudaMallocManaged) real;
	int e;

	next("cudaMallocManaged", &real);
	e = real(at, bytes, flags);
	if (!e)
		share(*at, bytes);
	return e;
}

int cudaHostAlloc(void **at, size_t bytes, unsigned flags);
int cudaHostAlloc(void **at, size_t bytes, unsigned flags)
{
	__typeof__(&cudaHostAlloc) real;
	int e;

	next("cudaHostAlloc", &real);
	e = real(at, bytes, flags);
	if (!e && (flags & MAPPED))
		share(*at, bytes);
	return e;
}

int cudaFree(void *at);
int cudaFree(void *at)
{
	__typeof__(&cudaFree) real;

	next("cudaFree", &real);
	forget(at);
	return real(at);
}

int cudaFreeHost(void *at);
int cudaFreeHost(void *at)
{
	__typeof__(&cudaFreeHost) real;

	next("cudaFreeHost", &real);
	forget(at);
	return real(at);
}

int cudaDeviceSynchronize(void)
{
	__typeof__(&cudaDeviceSynchronize) real;

	next("cudaDeviceSynchronize", &real);
	return waited(real());
}

int cudaStreamSynchronize(void *stream);
int cudaStreamSynchronize(void *stream)
{
	__typeof__(&cudaStreamSynchronize) real;

	next("cudaStreamSynchronize", &real);
	return waited(real(stream));
}

int cudaEventSynchronize(void *event);
int cudaEventSynchronize(void *event)
{
	__typeof__(&cudaEventSynchronize) real;

	next("cudaEventSynchronize", &real);
	return waited(real(event));
}
