/* What each context owns: it ends with it. */
#define _GNU_SOURCE /* twalk_r */
#include "cuda/driver/inside.h"

#include <pthread.h>
#include <search.h>
#include <stdlib.h>

struct owned {
	enum owned_kind kind;
	uint64_t handle;
	const void *context;
};

/* Those of one context. */
struct found {
	const void *context;
	struct owned **list;
	size_t n;
};

cudaError_t cudaFree(void *), cudaFreeHost(void *), cudaHostUnregister(void *);
cudaError_t cudaFreeArray(void *), cudaFreeMipmappedArray(void *);
cudaError_t cudaDestroyTextureObject(uint64_t), cudaDestroySurfaceObject(uint64_t);
cudaError_t cudaStreamDestroy(void *), cudaEventDestroy(void *);

static void *tree; /* of struct owned */
static size_t ntree;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int compare(const void *a, const void *b)
{
	const struct owned *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->handle < y->handle ? -1 : x->handle > y->handle;
}

int owned_made(enum owned_kind kind, uint64_t handle)
{
	struct owned *o = malloc(sizeof(*o));
	void *at;

	if (!o)
		return cudaErrorMemoryAllocation;
	*o = (struct owned){kind, handle, context_current()};
	pthread_mutex_lock(&mutex);
	at = tsearch(o, &tree, compare);
	if (at && *(struct owned **)at != o) { /* its end was not seen: the runtime's */
		(*(struct owned **)at)->context = o->context;
		free(o);
	} else if (at) {
		ntree++;
	} else {
		free(o);
	}
	pthread_mutex_unlock(&mutex);
	return at ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* Takes the entry out of the tree. */
static void take_out(struct owned *o)
{
	tdelete(o, &tree, compare);
	ntree--;
	free(o);
}

void owned_ended(enum owned_kind kind, uint64_t handle)
{
	const struct owned key = {.kind = kind, .handle = handle};
	void *at;

	pthread_mutex_lock(&mutex);
	at = tfind(&key, &tree, compare);
	if (at)
		take_out(*(struct owned **)at);
	pthread_mutex_unlock(&mutex);
}

static void note(const void *node, VISIT which, void *closure)
{
	struct owned *o = *(struct owned *const *)node;
	struct found *f = closure;

	if ((which == postorder || which == leaf) && o->context == f->context)
		f->list[f->n++] = o;
}

static void end(const struct owned *o)
{
	void *at = (void *)(uintptr_t)o->handle;

	switch (o->kind) {
	case OWNED_TEXTURE:
		cudaDestroyTextureObject(o->handle);
		break;
	case OWNED_SURFACE:
		cudaDestroySurfaceObject(o->handle);
		break;
	case OWNED_ARRAY:
		cudaFreeArray(at);
		break;
	case OWNED_MIPMAP:
		cudaFreeMipmappedArray(at);
		break;
	case OWNED_MEMORY:
		cudaFree(at);
		break;
	case OWNED_HOST:
		cudaFreeHost(at);
		break;
	case OWNED_REGISTERED:
		cudaHostUnregister(at);
		break;
	case OWNED_EVENT:
		cudaEventDestroy(at);
		break;
	case OWNED_STREAM:
		cudaStreamDestroy(at);
		break;
	case OWNED_MODULE:
		module_end(at);
		break;
	}
}

/* The tree is in the order of kinds, so that textures end before their arrays. */
int owned_end_all(const void *context)
{
	struct found f = {.context = context};

	pthread_mutex_lock(&mutex);
	f.list = malloc((ntree + 1) * sizeof(struct owned *));
	if (f.list)
		twalk_r(tree, note, &f);
	for (size_t i = 0; i < f.n; i++) {
		end(f.list[i]);
		take_out(f.list[i]);
	}
	pthread_mutex_unlock(&mutex);
	free(f.list);
	return f.list ? cudaSuccess : cudaErrorMemoryAllocation;
}
