/* Changing executable graphs. */
#include "cuda/graph/exec.h"
static struct node *find_node(struct exec *x, const void *origin)
{
	struct node *found = NULL;

	for (unsigned i = 0; i < x->graph->n && !found; i++)
		if (x->graph->node[i]->origin == origin)
			found = x->graph->node[i];
		else if (x->child[x->order[i]])
			found = find_node(x->child[x->order[i]], origin);
	return found;
}

struct node *exec_node(void *handle, const void *origin)
{
	struct exec *x = handle_find(HANDLE_EXEC, handle);

	return x && origin ? find_node(x, origin) : NULL;
}

/* Only these can be off. */
static struct node *switchable(void *exec, void *handle)
{
	struct node *n = exec_node(exec, handle);

	return n && n->op.type <= OPERATION_FILL ? n : NULL;
}

API cudaError_t cudaGraphNodeSetEnabled(void *exec, void *handle, unsigned on)
{
	struct node *n = switchable(exec, handle);

	if (n)
		n->off = !on;
	return noted(n ? cudaSuccess : cudaErrorInvalidValue);
}

API cudaError_t cudaGraphNodeGetEnabled(void *exec, void *handle, unsigned *on)
{
	const struct node *n = on ? switchable(exec, handle) : NULL;

	if (n)
		*on = !n->off;
	return noted(n ? cudaSuccess : cudaErrorInvalidValue);
}

enum update { UPDATED, FAILED, TOPOLOGY, TYPE, FUNCTION, PARAMETERS, UNSUPPORTED };

/* Whether the nodes come after the same ones, and are of the same type. */
static enum update compare_nodes(const struct node *a, const struct node *b)
{
	if (a->op.type != b->op.type)
		return TYPE;
	if (a->nafter != b->nafter)
		return TOPOLOGY;
	for (unsigned k = 0; k < a->nafter; k++)
		if (a->after[k]->at != b->after[k]->at)
			return TOPOLOGY;
	if (a->op.type == OPERATION_COPY && a->op.copy.kind != b->op.copy.kind)
		return PARAMETERS;
	return (a->op.type == OPERATION_ALLOCATE || a->op.type == OPERATION_FREE) &&
			       a->op.memory != b->op.memory
		       ? UNSUPPORTED
		       : UPDATED;
}

static enum update compare(const struct graph *a, const struct graph *b, void **wrong)
{
	enum update u = UPDATED;

	for (unsigned i = 0; i < a->n && i < b->n && !u; i++) {
		*wrong = b->node[i]->handle;
		u = compare_nodes(a->node[i], b->node[i]);
		if (!u && a->node[i]->op.type == OPERATION_GRAPH)
			u = compare(a->node[i]->op.child, b->node[i]->op.child, wrong);
	}
	if (!u)
		*wrong = NULL;
	return !u && a->n != b->n ? TOPOLOGY : u;
}

/* Nodes keep the origin that they have. */
static cudaError_t update(struct exec *x, const struct graph *g)
{
	cudaError_t e = cudaSuccess;

	for (unsigned i = 0; i < g->n && !e; i++)
		e = g->node[i]->op.type == OPERATION_GRAPH
			    ? update(x->child[x->order[i]], g->node[i]->op.child)
			    : node_set(x->graph->node[i], &g->node[i]->op);
	return e;
}

static cudaError_t exec_update(void *exec, void *graph, enum update *result, void **wrong)
{
	struct exec *x = handle_find(HANDLE_EXEC, exec);
	const struct graph *g = handle_find(HANDLE_GRAPH, graph);

	*wrong = NULL;
	*result = FAILED;
	if (!x || !g)
		return noted(cudaErrorInvalidValue);
	*result = compare(x->graph, g, wrong);
	return noted(*result ? cudaErrorGraphExecUpdateFailure : update(x, g));
}

#if RUNTIME_VERSION >= 12
struct update_result {
	enum update result;
	void *wrong, *from;
};

API cudaError_t cudaGraphExecUpdate(void *exec, void *graph, struct update_result *out)
{
	struct update_result r = {.from = NULL};
	cudaError_t e = exec_update(exec, graph, &r.result, &r.wrong);

	if (out)
		*out = r;
	return e;
}
#else
API cudaError_t cudaGraphExecUpdate(void *exec, void *graph, void **wrong, enum update *result)
{
	enum update r;
	void *w;
	cudaError_t e = exec_update(exec, graph, &r, &w);

	if (wrong)
		*wrong = w;
	if (result)
		*result = r;
	return e;
}
#endif

/* The child's graph must have the same nodes. */
static cudaError_t set_child(struct exec *x, const void *origin, const struct graph *child)
{
	cudaError_t e = cudaErrorInvalidValue;
	void *wrong;

	for (unsigned i = 0; i < x->graph->n && e; i++) {
		struct exec *inner = x->child[x->order[i]];

		if (!inner)
			continue;
		if (x->graph->node[i]->origin != origin)
			e = set_child(inner, origin, child);
		else
			return compare(inner->graph, child, &wrong)
				       ? cudaErrorGraphExecUpdateFailure
				       : update(inner, child);
	}
	return e;
}

API cudaError_t cudaGraphExecChildGraphNodeSetParams(void *exec, void *node, void *child)
{
	struct exec *x = handle_find(HANDLE_EXEC, exec);
	const struct graph *g = handle_find(HANDLE_GRAPH, child);

	return noted(x && g && node ? set_child(x, node, g) : cudaErrorInvalidValue);
}
