/* What programs ask of a graph's nodes and edges, and how they add and remove edges. The functions
 * of CUDA 13, and those of 12 with _v2 in their names, have the edges' data besides, all of which
 * is 0 here. */
#include "cuda/graph/graph.h"

#include <string.h>

/* Data of edges: a port of each end, and a kind. */
struct edge {
	unsigned char from_port, to_port, kind, reserved[5];
};

/* A list that is filled up to its capacity; the rest is 0. */
struct list {
	void **at;
	struct edge *data;
	size_t room, n;
};

static void put(struct list *l, void *handle)
{
	if (l->at && l->n < l->room) {
		l->at[l->n] = handle;
		if (l->data)
			l->data[l->n] = (struct edge){0};
	}
	l->n++;
}

static cudaError_t end_list(struct list *l, size_t *n)
{
	for (size_t i = l->n; l->at && i < l->room; i++)
		l->at[i] = NULL;
	*n = l->at && l->room < l->n ? l->room : l->n;
	return cudaSuccess;
}

static cudaError_t list_nodes(void *handle, void **out, size_t *n, bool roots)
{
	const struct graph *g = handle_find(HANDLE_GRAPH, handle);
	struct list l = {.at = out, .room = n ? *n : 0};

	if (!g || !n)
		return noted(cudaErrorInvalidValue);
	for (unsigned i = 0; i < g->n; i++)
		if (!roots || !g->node[i]->nafter)
			put(&l, g->node[i]->handle);
	return end_list(&l, n);
}

API cudaError_t cudaGraphGetNodes(void *graph, void **out, size_t *n)
{
	return list_nodes(graph, out, n, false);
}

API cudaError_t cudaGraphGetRootNodes(void *graph, void **out, size_t *n)
{
	return list_nodes(graph, out, n, true);
}

API cudaError_t cudaGraphNodeGetType(void *handle, int *type)
{
	const struct node *n = node_find(handle);

	if (!n || !type)
		return noted(cudaErrorInvalidValue);
	*type = (int)n->op.type;
	return cudaSuccess;
}

API cudaError_t cudaGraphGetEdges_v2(
	void *handle, void **from, void **to, struct edge *data, size_t *n)
{
	const struct graph *g = handle_find(HANDLE_GRAPH, handle);
	struct list a = {.at = from, .room = n ? *n : 0}, b = {to, data, a.room, 0};

	if (!g || !n || !from != !to)
		return noted(cudaErrorInvalidValue);
	for (unsigned i = 0; i < g->n; i++)
		for (unsigned k = 0; k < g->node[i]->nafter; k++) {
			put(&a, g->node[i]->after[k]->handle);
			put(&b, g->node[i]->handle);
		}
	end_list(&a, n);
	return end_list(&b, n);
}

API cudaError_t cudaGraphNodeGetDependencies_v2(
	void *handle, void **out, struct edge *data, size_t *n)
{
	const struct node *node = node_find(handle);
	struct list l = {out, data, n ? *n : 0, 0};

	if (!node || !n)
		return noted(cudaErrorInvalidValue);
	for (unsigned k = 0; k < node->nafter; k++)
		put(&l, node->after[k]->handle);
	return end_list(&l, n);
}

API cudaError_t cudaGraphNodeGetDependentNodes_v2(
	void *handle, void **out, struct edge *data, size_t *n)
{
	const struct node *node = node_find(handle);
	const struct graph *g = node ? node->graph : NULL;
	struct list l = {out, data, n ? *n : 0, 0};

	if (!node || !n)
		return noted(cudaErrorInvalidValue);
	for (unsigned i = 0; i < g->n; i++)
		for (unsigned k = 0; k < g->node[i]->nafter; k++)
			if (g->node[i]->after[k] == node)
				put(&l, g->node[i]->handle);
	return end_list(&l, n);
}

/* Where it is among what the node comes after; node->nafter: nowhere. */
static unsigned place_of(const struct node *node, const struct node *other)
{
	unsigned k = 0;

	while (k < node->nafter && node->after[k] != other)
		k++;
	return k;
}

/* An edge to be added, or removed. */
static cudaError_t change(const struct graph *g, const void *from, const void *to, bool adds)
{
	struct node *a = node_find(from), *b = node_find(to);
	unsigned k;

	if (!g || !a || !b || a == b || a->graph != g || b->graph != g)
		return cudaErrorInvalidValue;
	k = place_of(b, a);
	if (adds != (k == b->nafter))
		return cudaErrorInvalidValue;
	if (adds)
		return node_comes_after(b, a) ? cudaSuccess : cudaErrorMemoryAllocation;
	memmove(&b->after[k], &b->after[k + 1], (b->nafter - k - 1) * sizeof(*b->after));
	b->nafter--;
	return cudaSuccess;
}

static cudaError_t change_all(void *handle, void *const *from, void *const *to,
	const struct edge *data, size_t n, bool adds)
{
	const struct graph *g = handle_find(HANDLE_GRAPH, handle);
	cudaError_t e = g && (!n || (from && to)) ? cudaSuccess : cudaErrorInvalidValue;

	for (size_t i = 0; i < n && !e; i++) {
		if (data && (data[i].from_port || data[i].to_port || data[i].kind))
			return not_supported("an edge of a graph that is programmatic");
		e = change(g, from[i], to[i], adds);
	}
	return noted(e);
}

API cudaError_t cudaGraphAddDependencies_v2(
	void *graph, void *const *from, void *const *to, const struct edge *data, size_t n)
{
	return change_all(graph, from, to, data, n, true);
}

API cudaError_t cudaGraphRemoveDependencies_v2(
	void *graph, void *const *from, void *const *to, const struct edge *data, size_t n)
{
	return change_all(graph, from, to, data, n, false);
}

#if RUNTIME_VERSION >= 13
ALSO(cudaGraphGetEdges_v2, cudaGraphGetEdges);
ALSO(cudaGraphNodeGetDependencies_v2, cudaGraphNodeGetDependencies);
ALSO(cudaGraphNodeGetDependentNodes_v2, cudaGraphNodeGetDependentNodes);
ALSO(cudaGraphAddDependencies_v2, cudaGraphAddDependencies);
ALSO(cudaGraphRemoveDependencies_v2, cudaGraphRemoveDependencies);
#else
API cudaError_t cudaGraphGetEdges(void *graph, void **from, void **to, size_t *n)
{
	return cudaGraphGetEdges_v2(graph, from, to, NULL, n);
}

API cudaError_t cudaGraphNodeGetDependencies(void *node, void **out, size_t *n)
{
	return cudaGraphNodeGetDependencies_v2(node, out, NULL, n);
}

API cudaError_t cudaGraphNodeGetDependentNodes(void *node, void **out, size_t *n)
{
	return cudaGraphNodeGetDependentNodes_v2(node, out, NULL, n);
}

API cudaError_t cudaGraphAddDependencies(void *graph, void *const *from, void *const *to, size_t n)
{
	return change_all(graph, from, to, NULL, n, true);
}

API cudaError_t cudaGraphRemoveDependencies(
	void *graph, void *const *from, void *const *to, size_t n)
{
	return change_all(graph, from, to, NULL, n, false);
}
#endif
