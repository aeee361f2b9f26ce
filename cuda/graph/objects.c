/* Objects of the program that graphs keep alive, by counting references. */
#include "cuda/graph/graph.h"

#include <limits.h>
#include <stdlib.h>

struct object {
	void *handle, *data;
	void (*destroy)(void *);
	unsigned held;
};

/* A graph's references to one. */
struct retained {
	struct retained *next;
	struct object *object;
	unsigned held;
};

static void release(struct object *o, unsigned n)
{
	o->held -= n;
	if (o->held)
		return;
	o->destroy(o->data);
	handle_end(HANDLE_OBJECT, o->handle);
	free(o);
}

/* The graph's references of the object; NULL: it has none, and no memory for them. */
static struct retained *reference(struct graph *g, struct object *o, bool make)
{
	struct retained *r = g->objects;

	while (r && r->object != o)
		r = r->next;
	if (r || !make)
		return r;
	r = malloc(sizeof(*r));
	if (!r)
		return NULL;
	*r = (struct retained){.next = g->objects, .object = o};
	g->objects = r;
	return r;
}

bool objects_copy(const struct graph *from, struct graph *to)
{
	for (const struct retained *r = from->objects; r; r = r->next) {
		struct retained *copy = r->held ? reference(to, r->object, true) : NULL;

		if (r->held && !copy)
			return false;
		if (copy)
			copy->held += r->held;
		r->object->held += r->held;
	}
	return true;
}

void objects_end(struct graph *g)
{
	while (g->objects) {
		struct retained *r = g->objects;

		g->objects = r->next;
		if (r->held)
			release(r->object, r->held);
		free(r);
	}
}

/* flags: 1, that the destructor may not wait for the device. */
API cudaError_t cudaUserObjectCreate(
	void **out, void *data, void (*destroy)(void *), unsigned n, unsigned flags)
{
	struct object *o;

	if (!out || !destroy || !n || n > INT_MAX || flags != 1)
		return noted(cudaErrorInvalidValue);
	o = malloc(sizeof(*o));
	if (!o)
		return noted(cudaErrorMemoryAllocation);
	*o = (struct object){.data = data, .destroy = destroy, .held = n};
	o->handle = handle_new(HANDLE_OBJECT, o);
	*out = o->handle;
	return cudaSuccess;
}

API cudaError_t cudaUserObjectRetain(void *handle, unsigned n)
{
	struct object *o = handle_find(HANDLE_OBJECT, handle);

	if (!o || !n || n > INT_MAX)
		return noted(cudaErrorInvalidValue);
	o->held += n;
	return cudaSuccess;
}

API cudaError_t cudaUserObjectRelease(void *handle, unsigned n)
{
	struct object *o = handle_find(HANDLE_OBJECT, handle);

	if (!o || !n || n > o->held)
		return noted(cudaErrorInvalidValue);
	release(o, n);
	return cudaSuccess;
}

/* flags: 1, that the caller's references become the graph's. */
API cudaError_t cudaGraphRetainUserObject(void *graph, void *handle, unsigned n, unsigned flags)
{
	struct graph *g = handle_find(HANDLE_GRAPH, graph);
	struct object *o = handle_find(HANDLE_OBJECT, handle);
	struct retained *r;

	if (!g || !o || !n || n > INT_MAX || flags > 1)
		return noted(cudaErrorInvalidValue);
	r = reference(g, o, true);
	if (!r)
		return noted(cudaErrorMemoryAllocation);
	r->held += n;
	o->held += flags ? 0 : n;
	return cudaSuccess;
}

API cudaError_t cudaGraphReleaseUserObject(void *graph, void *handle, unsigned n)
{
	struct graph *g = handle_find(HANDLE_GRAPH, graph);
	struct object *o = handle_find(HANDLE_OBJECT, handle);
	struct retained *r = g && o ? reference(g, o, false) : NULL;

	if (!r || !n || n > r->held)
		return noted(cudaErrorInvalidValue);
	r->held -= n;
	release(o, n);
	return cudaSuccess;
}
