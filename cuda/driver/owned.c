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
	const void *context; /* NULL: of all */
	struct owned **list;
	size_t n;
};

cudaError_t cudaFree(void *), cudaFreeHost(void *), cudaHostUnregister(void *);
cudaError_t cudaFreeArray(void *), cudaFreeMipmappedArray(void *);
cudaError_t cudaDestroyTextureObject(uint64_t);
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
		__atomic_add_fetch(&ntree, 1, __ATOMIC_RELAXED);
	} else {
		free(o);
	}
	pthread_mutex_unlock(&mutex);
	return at ? cudaSuccess : cudaErrorMemoryAllocation;
}

void owned_new(enum owned_kind kind, uint64_t handle)
{
	if (context_is_made())
		owned_made(kind, handle);
}

/* Takes the entry out of the tree. */
static void take_out(struct owned *o)
{
	tdelete(o, &tree, compare);
	__atomic_sub_fetch(&ntree, 1, __ATOMIC_RELAXED);
}

void owned_ended(enum owned_kind kind, uint64_t handle)
{
	const struct owned key = {.kind = kind, .handle = handle};
	struct owned *o = NULL;
	void *at;

	if (!__atomic_load_n(&ntree, __ATOMIC_RELAXED))
		return;
	pthread_mutex_lock(&mutex);
	at = tfind(&key, &tree, compare);
	if (at) {
		o = *(struct owned **)at;
		take_out(o);
	}
	pthread_mutex_unlock(&mutex);
	free(o);
}

static void note(const void *node, VISIT which, void *closure)
{
	struct owned *o = *(struct owned *const *)node;
	struct found *f = closure;

	if ((which == postorder || which == leaf) && (!f->context || o->context == f->context))
		f->list[f->n++] = o;
}

static void end(const struct owned *o)
{
	void *at = (void *)(uintptr_t)o->handle;

	switch (o->kind) {
	case OWNED_TEXTURE:
		cudaDestroyTextureObject(o->handle);
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

/* Takes all that the context owns out of the tree; NULL: of all contexts. Allocated, in the order
 * of kinds, so that textures end before their arrays; NULL: no memory. */
static struct owned **take_all(const void *context, size_t *n)
{
	struct found f = {.context = context};

	pthread_mutex_lock(&mutex);
	f.list = malloc((ntree + 1) * sizeof(struct owned *));
	if (f.list)
		twalk_r(tree, note, &f);
	for (size_t i = 0; i < f.n; i++)
		take_out(f.list[i]);
	pthread_mutex_unlock(&mutex);
	*n = f.n;
	return f.list;
}

int owned_end_all(const void *context)
{
	size_t n;
	struct owned **list = take_all(context, &n);

	for (size_t i = 0; i < n; i++) {
		end(list[i]);
		free(list[i]);
	}
	free(list);
	return list ? cudaSuccess : cudaErrorMemoryAllocation;
}

void owned_forget(void)
{
	size_t n;
	struct owned **list = take_all(NULL, &n);

	for (size_t i = 0; i < n; i++) {
		if (list[i]->kind == OWNED_MODULE)
			end(list[i]);
		free(list[i]);
	}
	free(list);
}
