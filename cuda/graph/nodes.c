/* Adding nodes to graphs. */
#include "cuda/graph/describe.h"

/* A node that comes after those, each named once. `e`: of the operation. */
static cudaError_t add(void **out, void *graph, void *const *after, size_t n, cudaError_t e,
	const struct operation *op)
{
	struct graph *g = handle_find(HANDLE_GRAPH, graph);
	struct node *node;

	if (!e && (!out || !g || (n && !after)))
		e = cudaErrorInvalidValue;
	for (size_t i = 0; i < n && !e; i++) {
		const struct node *other = node_find(after[i]);

		if (!other || other->graph != g)
			e = cudaErrorInvalidValue;
		for (size_t k = 0; k < i && !e; k++)
			e = after[k] == after[i] ? cudaErrorInvalidValue : cudaSuccess;
	}
	node = e ? NULL : graph_add(g, op, NULL, 0);
	if (!e && !node)
		e = cudaErrorMemoryAllocation;
	for (size_t i = 0; i < n && !e; i++)
		if (!node_comes_after(node, node_find(after[i])))
			e = cudaErrorMemoryAllocation;
	if (!e)
		*out = node->handle;
	if (op->type == OPERATION_ALLOCATE && op->memory)
		graph_memory_drop(op->memory);
	return noted(e);
}

#define NEW_NODE void **out, void *graph, void *const *after, size_t n

API cudaError_t cudaGraphAddKernelNode(NEW_NODE, const cudaKernelNodeParams *p)
{
	struct operation op;
	cudaError_t e = operation_of_kernel(p, &op);

	return add(out, graph, after, n, e, &op);
}

API cudaError_t cudaGraphAddMemcpyNode(NEW_NODE, const cudaMemcpy3DParms *p)
{
	struct operation op;
	cudaError_t e = operation_of_copy(p, &op);

	return add(out, graph, after, n, e, &op);
}

API cudaError_t cudaGraphAddMemcpyNode1D(
	NEW_NODE, void *to, const void *from, size_t bytes, int kind)
{
	struct operation op;
	cudaError_t e = operation_of_bytes(to, from, bytes, kind, &op);

	return add(out, graph, after, n, e, &op);
}

API cudaError_t cudaGraphAddMemcpyNodeToSymbol(
	NEW_NODE, const void *symbol, const void *from, size_t bytes, size_t offset, int kind)
{
	struct operation op;
	cudaError_t e = operation_to_symbol(symbol, from, bytes, offset, kind, &op);

	return add(out, graph, after, n, e, &op);
}

API cudaError_t cudaGraphAddMemcpyNodeFromSymbol(
	NEW_NODE, void *to, const void *symbol, size_t bytes, size_t offset, int kind)
{
	struct operation op;
	cudaError_t e = operation_from_symbol(to, symbol, bytes, offset, kind, &op);

	return add(out, graph, after, n, e, &op);
}

API cudaError_t cudaGraphAddMemsetNode(NEW_NODE, const cudaMemsetParams *p)
{
	struct operation op;
	cudaError_t e = operation_of_fill(p, &op);

	return add(out, graph, after, n, e, &op);
}

API cudaError_t cudaGraphAddHostNode(NEW_NODE, const cudaHostNodeParams *p)
{
	struct operation op;
	cudaError_t e = operation_of_host(p, &op);

	return add(out, graph, after, n, e, &op);
}

API cudaError_t cudaGraphAddEmptyNode(NEW_NODE)
{
	const struct operation op = {.type = OPERATION_EMPTY};

	return add(out, graph, after, n, cudaSuccess, &op);
}

API cudaError_t cudaGraphAddChildGraphNode(NEW_NODE, void *child)
{
	struct operation op;
	cudaError_t e = operation_of_child(child, &op);

	return add(out, graph, after, n, e, &op);
}

API cudaError_t cudaGraphAddEventRecordNode(NEW_NODE, cudaEvent_t event)
{
	struct operation op;
	cudaError_t e = operation_of_event(event, OPERATION_RECORD, &op);

	return add(out, graph, after, n, e, &op);
}

API cudaError_t cudaGraphAddEventWaitNode(NEW_NODE, cudaEvent_t event)
{
	struct operation op;
	cudaError_t e = operation_of_event(event, OPERATION_WAIT, &op);

	return add(out, graph, after, n, e, &op);
}

API cudaError_t cudaGraphAddMemAllocNode(NEW_NODE, cudaMemAllocNodeParams *p)
{
	struct operation op;
	cudaError_t e = operation_of_allocation(p, &op);

	return add(out, graph, after, n, e, &op);
}

API cudaError_t cudaGraphAddMemFreeNode(NEW_NODE, void *at)
{
	struct operation op;
	cudaError_t e = operation_of_freeing(at, &op);

	return add(out, graph, after, n, e, &op);
}

API cudaError_t cudaGraphAddNode_v2(void **out, void *graph, void *const *after, const void *edges,
	size_t n, cudaGraphNodeParams *p)
{
	struct operation op;
	cudaError_t e = p ? operation_of_any(p, &op) : cudaErrorInvalidValue;

	(void)edges; /* whole dependencies are the only kind */
	return p ? add(out, graph, after, n, e, &op) : noted(e);
}

#if RUNTIME_VERSION >= 13
ALSO(cudaGraphAddNode_v2, cudaGraphAddNode);
#else
API cudaError_t cudaGraphAddNode(NEW_NODE, cudaGraphNodeParams *p)
{
	return cudaGraphAddNode_v2(out, graph, after, NULL, n, p);
}
#endif
