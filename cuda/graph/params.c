/* What nodes do: asking for it, and changing it, also in executable graphs. */
#include "cuda/graph/describe.h"

/* ---- asking */
/* The operation of a node of that type; NULL: it is none. */
static const struct operation *of_type(void *handle, enum operation_type type, const void *out)
{
	const struct node *n = node_find(handle);

	return n && out && n->op.type == type ? &n->op : NULL;
}

/* Nothing was found. */
static cudaError_t unless(const void *found)
{
	return noted(found ? cudaSuccess : cudaErrorInvalidValue);
}

API cudaError_t cudaGraphKernelNodeGetParams(void *node, cudaKernelNodeParams *out)
{
	const struct operation *op = of_type(node, OPERATION_KERNEL, out);

	if (op)
		*out = (cudaKernelNodeParams){.function = op->kernel.named,
			.grid = op->kernel.shape.grid,
			.block = op->kernel.shape.block,
			.shared = (unsigned)op->kernel.shape.shared,
			.values = op->kernel.values};
	return unless(op);
}

/* As a box of bytes, unless it was given so. */
API cudaError_t cudaGraphMemcpyNodeGetParams(void *node, cudaMemcpy3DParms *out)
{
	const struct operation *op = of_type(node, OPERATION_COPY, out);

	if (op && op->copy.given.extent.width)
		*out = op->copy.given;
	else if (op)
		*out = (cudaMemcpy3DParms){.from = {(void *)op->copy.from.at, op->copy.from.row,
						   op->copy.n.width, op->copy.n.height},
			.to = {(void *)op->copy.to.at, op->copy.to.row, op->copy.n.width,
				op->copy.n.height},
			.extent = op->copy.n,
			.kind = op->copy.kind};
	return unless(op);
}

API cudaError_t cudaGraphMemsetNodeGetParams(void *node, cudaMemsetParams *out)
{
	const struct operation *op = of_type(node, OPERATION_FILL, out);

	if (op)
		*out = op->fill;
	return unless(op);
}

API cudaError_t cudaGraphHostNodeGetParams(void *node, cudaHostNodeParams *out)
{
	const struct operation *op = of_type(node, OPERATION_HOST, out);

	if (op)
		*out = (cudaHostNodeParams){op->host.function, op->host.data};
	return unless(op);
}

API cudaError_t cudaGraphChildGraphNodeGetGraph(void *node, void **out)
{
	const struct operation *op = of_type(node, OPERATION_GRAPH, out);

	if (op)
		*out = op->child->handle;
	return unless(op);
}

API cudaError_t cudaGraphEventRecordNodeGetEvent(void *node, cudaEvent_t *out)
{
	const struct operation *op = of_type(node, OPERATION_RECORD, out);

	if (op)
		*out = op->event;
	return unless(op);
}

API cudaError_t cudaGraphEventWaitNodeGetEvent(void *node, cudaEvent_t *out)
{
	const struct operation *op = of_type(node, OPERATION_WAIT, out);

	if (op)
		*out = op->event;
	return unless(op);
}

API cudaError_t cudaGraphMemAllocNodeGetParams(void *node, cudaMemAllocNodeParams *out)
{
	const struct operation *op = of_type(node, OPERATION_ALLOCATE, out);

	if (op)
		*out = (cudaMemAllocNodeParams){.pool = {.type = 1, .at = {1, 0}},
			.bytes = graph_memory_bytes(op->memory),
			.at = (void *)(uintptr_t)graph_memory_address(op->memory)};
	return unless(op);
}

API cudaError_t cudaGraphMemFreeNodeGetParams(void *node, void **out)
{
	const struct operation *op = of_type(node, OPERATION_FREE, out);

	if (op)
		*out = (void *)(uintptr_t)graph_memory_address(op->memory);
	return unless(op);
}

/* ---- changing: a graph's node, or with `exec` its copy in an executable graph */
static cudaError_t set(void *exec, bool of_exec, void *handle, cudaError_t e, struct operation *op)
{
	struct node *n = of_exec ? exec_node(exec, handle) : node_find(handle);

	if (e)
		return noted(e);
	if (!n || n->op.type == OPERATION_ALLOCATE || n->op.type == OPERATION_FREE)
		return noted(cudaErrorInvalidValue);
	if (op->type == OPERATION_KERNEL && n->op.type == OPERATION_KERNEL)
		op->kernel.shape.cooperative = n->op.kernel.shape.cooperative;
	if (of_exec && op->type == OPERATION_COPY && op->copy.kind != n->op.copy.kind)
		return noted(cudaErrorInvalidValue);
	return noted(node_set(n, op));
}

#define SETTERS(name, description, of) \
	API cudaError_t cudaGraph##name(void *node, description) \
	{ \
		struct operation op; \
		cudaError_t e = of; \
\
		return set(NULL, false, node, e, &op); \
	} \
	API cudaError_t cudaGraphExec##name(void *exec, void *node, description) \
	{ \
		struct operation op; \
		cudaError_t e = of; \
\
		return set(exec, true, node, e, &op); \
	}
#define DESCRIBED(...) __VA_ARGS__

SETTERS(KernelNodeSetParams, const cudaKernelNodeParams *p, operation_of_kernel(p, &op))
SETTERS(MemcpyNodeSetParams, const cudaMemcpy3DParms *p, operation_of_copy(p, &op))
SETTERS(MemcpyNodeSetParams1D, DESCRIBED(void *to, const void *from, size_t n, int kind),
	operation_of_bytes(to, from, n, kind, &op))
SETTERS(MemcpyNodeSetParamsToSymbol,
	DESCRIBED(const void *symbol, const void *from, size_t n, size_t offset, int kind),
	operation_to_symbol(symbol, from, n, offset, kind, &op))
SETTERS(MemcpyNodeSetParamsFromSymbol,
	DESCRIBED(void *to, const void *symbol, size_t n, size_t offset, int kind),
	operation_from_symbol(to, symbol, n, offset, kind, &op))
SETTERS(MemsetNodeSetParams, const cudaMemsetParams *p, operation_of_fill(p, &op))
SETTERS(HostNodeSetParams, const cudaHostNodeParams *p, operation_of_host(p, &op))
SETTERS(EventRecordNodeSetEvent, cudaEvent_t event,
	operation_of_event(event, OPERATION_RECORD, &op))
SETTERS(EventWaitNodeSetEvent, cudaEvent_t event, operation_of_event(event, OPERATION_WAIT, &op))
SETTERS(NodeSetParams, cudaGraphNodeParams *p,
	!p || p->type == OPERATION_ALLOCATE ? cudaErrorInvalidValue : operation_of_any(p, &op))

/* ---- attributes of kernels: whether the launch is cooperative; their priority is 0 */
#define PRIORITY 8

API cudaError_t cudaGraphKernelNodeGetAttribute(void *handle, int attribute, int *value)
{
	const struct operation *op = of_type(handle, OPERATION_KERNEL, value);

	if (!op)
		return noted(cudaErrorInvalidValue);
	if (attribute != LAUNCH_COOPERATIVE && attribute != PRIORITY)
		return not_supported("another attribute of a graph's kernel");
	*value = attribute == LAUNCH_COOPERATIVE && op->kernel.shape.cooperative;
	return cudaSuccess;
}

API cudaError_t cudaGraphKernelNodeSetAttribute(void *handle, int attribute, const int *value)
{
	struct node *n = node_find(handle);

	if (!of_type(handle, OPERATION_KERNEL, value))
		return noted(cudaErrorInvalidValue);
	if (attribute != LAUNCH_COOPERATIVE && attribute != PRIORITY)
		return not_supported("another attribute of a graph's kernel");
	if (attribute == LAUNCH_COOPERATIVE)
		n->op.kernel.shape.cooperative = *value != 0;
	return cudaSuccess;
}

API cudaError_t cudaGraphKernelNodeCopyAttributes(void *from, void *to)
{
	struct node *a = node_find(from), *b = node_find(to);

	if (!of_type(from, OPERATION_KERNEL, a) || !of_type(to, OPERATION_KERNEL, b))
		return noted(cudaErrorInvalidValue);
	b->op.kernel.shape.cooperative = a->op.kernel.shape.cooperative;
	return cudaSuccess;
}
