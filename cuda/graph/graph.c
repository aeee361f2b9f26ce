/* Graphs and their nodes, without the functions that programs call. */
#include "cuda/graph/graph.h"

#include <stdlib.h>
#include <string.h>

struct graph *graph_new(void)
{
	struct graph *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	g->handle = handle_new(HANDLE_GRAPH, g);
	if (g->handle)
		return g;
	free(g);
	return NULL;
}

struct node *node_find(const void *handle)
{
	return handle_find(HANDLE_NODE, handle);
}

/* ---- what a node holds of its operation */
/* Pointers to the values, and their bytes, in one piece of memory. */
static bool hold_arguments(const struct operation *from, struct operation *to)
{
	const struct function *f = from->kernel.function;
	size_t places = f->nparams * sizeof(void *);
	unsigned char *room = malloc(places + f->param_bytes + 1);

	if (!room || function_pack(f, &from->kernel.arguments, room + places)) {
		free(room);
		return false;
	}
	to->kernel.values = (void **)(void *)room;
	for (unsigned i = 0; i < f->nparams; i++)
		to->kernel.values[i] = room + places + f->params[i].offset;
	to->kernel.arguments = (struct arguments){.bytes = room + places, .n = f->param_bytes};
	return true;
}

static bool hold(const struct operation *from, struct operation *to)
{
	*to = *from;
	switch (from->type) {
	case OPERATION_KERNEL:
		return hold_arguments(from, to);
	case OPERATION_GRAPH:
		to->child = graph_copy(from->child, true);
		return to->child;
	case OPERATION_ALLOCATE:
	case OPERATION_FREE:
		graph_memory_hold(from->memory);
		return true;
	default:
		return true;
	}
}

static void drop(const struct operation *op)
{
	if (op->type == OPERATION_KERNEL)
		free(op->kernel.values);
	else if (op->type == OPERATION_GRAPH)
		graph_end(op->child);
	else if (op->type == OPERATION_ALLOCATE || op->type == OPERATION_FREE)
		graph_memory_drop(op->memory);
}

cudaError_t node_set(struct node *n, const struct operation *op)
{
	struct operation held;

	if (op->type != n->op.type)
		return cudaErrorInvalidValue;
	if (!hold(op, &held))
		return cudaErrorMemoryAllocation;
	drop(&n->op);
	n->op = held;
	if (held.type == OPERATION_GRAPH)
		held.child->owner = n;
	return cudaSuccess;
}

/* ---- nodes */
bool node_comes_after(struct node *n, struct node *other)
{
	struct node **grown = realloc(n->after, (n->nafter + 1) * sizeof(*grown));

	if (!grown)
		return false;
	n->after = grown;
	n->after[n->nafter++] = other;
	return true;
}

static void end_node(struct node *n)
{
	if (n->handle)
		handle_end(HANDLE_NODE, n->handle);
	drop(&n->op);
	free(n->after);
	free(n);
}

static struct node *new_node(struct graph *g, const struct operation *op)
{
	struct node **grown = realloc(g->node, (g->n + 1) * sizeof(*grown));
	struct node *n = grown ? calloc(1, sizeof(*n)) : NULL;

	if (grown)
		g->node = grown;
	if (!n || !hold(op, &n->op)) {
		free(n);
		return NULL;
	}
	n->graph = g;
	n->at = g->n;
	g->node[g->n++] = n;
	if (op->type == OPERATION_GRAPH)
		n->op.child->owner = n;
	return n;
}

struct node *graph_add(
	struct graph *g, const struct operation *op, struct node *const *after, unsigned nafter)
{
	struct node *n = new_node(g, op);
	bool whole;

	if (!n)
		return NULL;
	n->handle = handle_new(HANDLE_NODE, n);
	whole = n->handle;
	for (unsigned i = 0; i < nafter && whole; i++)
		whole = node_comes_after(n, after[i]);
	if (whole)
		return n;
	g->n--;
	end_node(n);
	return NULL;
}

/* ---- the whole */
void graph_end(struct graph *g)
{
	if (!g)
		return;
	handle_end(HANDLE_GRAPH, g->handle);
	for (unsigned i = 0; i < g->n; i++)
		end_node(g->node[i]);
	objects_end(g);
	free(g->node);
	free(g);
}

static bool copy_node(const struct node *from, struct graph *to, bool named)
{
	struct node *n = new_node(to, &from->op);
	bool whole = n;

	if (!n)
		return false;
	n->origin = from->handle;
	n->off = from->off;
	if (named) {
		n->handle = handle_new(HANDLE_NODE, n);
		whole = n->handle;
	}
	return whole;
}

struct graph *graph_copy(const struct graph *from, bool named)
{
	struct graph *g = graph_new();
	bool whole = g && objects_copy(from, g);

	for (unsigned i = 0; i < from->n && whole; i++)
		whole = copy_node(from->node[i], g, named);
	for (unsigned i = 0; i < from->n && whole; i++)
		for (unsigned k = 0; k < from->node[i]->nafter && whole; k++)
			whole = node_comes_after(g->node[i], g->node[from->node[i]->after[k]->at]);
	if (!whole) {
		graph_end(g);
		return NULL;
	}
	g->origin = from->handle;
	return g;
}

/* ---- what programs call */
API cudaError_t cudaGraphCreate(void **out, unsigned flags)
{
	struct graph *g;

	if (!out || flags)
		return noted(cudaErrorInvalidValue);
	g = graph_new();
	if (g)
		*out = g->handle;
	return noted(g ? cudaSuccess : cudaErrorMemoryAllocation);
}

API cudaError_t cudaGraphDestroy(void *handle)
{
	struct graph *g = handle_find(HANDLE_GRAPH, handle);

	if (!g || g->owner)
		return noted(cudaErrorInvalidValue);
	graph_end(g);
	return cudaSuccess;
}

API cudaError_t cudaGraphClone(void **out, void *handle)
{
	const struct graph *g = handle_find(HANDLE_GRAPH, handle);
	struct graph *copy;

	if (!out || !g)
		return noted(cudaErrorInvalidValue);
	for (unsigned i = 0; i < g->n; i++)
		if (g->node[i]->op.type == OPERATION_ALLOCATE ||
			g->node[i]->op.type == OPERATION_FREE)
			return not_supported("cudaGraphClone of a graph with memory nodes");
	copy = graph_copy(g, true);
	if (copy)
		*out = copy->handle;
	return noted(copy ? cudaSuccess : cudaErrorMemoryAllocation);
}

API cudaError_t cudaGraphNodeFindInClone(void **out, void *node, void *clone)
{
	const struct graph *g = handle_find(HANDLE_GRAPH, clone);

	for (unsigned i = 0; g && out && node && i < g->n; i++)
		if (g->node[i]->origin == node) {
			*out = g->node[i]->handle;
			return cudaSuccess;
		}
	return noted(cudaErrorInvalidValue);
}

/* The node and all that name it go. */
API cudaError_t cudaGraphDestroyNode(void *handle)
{
	struct node *n = node_find(handle);
	struct graph *g = n ? n->graph : NULL;

	if (!n)
		return noted(cudaErrorInvalidValue);
	for (unsigned i = 0; i < g->n; i++) {
		struct node *other = g->node[i];
		unsigned kept = 0;

		for (unsigned k = 0; k < other->nafter; k++)
			if (other->after[k] != n)
				other->after[kept++] = other->after[k];
		other->nafter = kept;
	}
	memmove(&g->node[n->at], &g->node[n->at + 1], (g->n - n->at - 1) * sizeof(struct node *));
	g->n--;
	for (unsigned i = n->at; i < g->n; i++)
		g->node[i]->at = i;
	end_node(n);
	return cudaSuccess;
}
