/* Operations from what programs describe them with. */
#include "cuda/graph/describe.h"

cudaError_t operation_of_kernel(const cudaKernelNodeParams *p, struct operation *op)
{
	struct function *f;
	struct call c;
	cudaError_t e = p ? call_begin(&c) : cudaErrorInvalidValue;

	if (e)
		return e;
	f = function_find(&c, p->function, &e);
	*op = (struct operation){.type = OPERATION_KERNEL,
		.kernel = {.function = f,
			.shape = {p->grid, p->block, p->shared, false},
			.arguments = arguments_of(p->values, p->extra),
			.named = p->function}};
	if (f && f->nparams && !op->kernel.arguments.values && !op->kernel.arguments.bytes)
		e = cudaErrorInvalidValue;
	return call_end(&c, e);
}

cudaError_t operation_of_copy(const cudaMemcpy3DParms *p, struct operation *op)
{
	*op = (struct operation){.type = OPERATION_COPY};
	if (!p)
		return cudaErrorInvalidValue;
	op->copy.given = *p;
	op->copy.kind = p->kind;
	return p->kind < 0 || p->kind > cudaMemcpyDefault
		       ? cudaErrorInvalidMemcpyDirection
		       : copy_boxes(p, &op->copy.to, &op->copy.from, &op->copy.n);
}

cudaError_t operation_of_bytes(
	const void *to, const void *from, size_t n, int kind, struct operation *op)
{
	*op = (struct operation){.type = OPERATION_COPY,
		.copy = {{(uintptr_t)to, n, n}, {(uintptr_t)from, n, n}, {n, 1, 1}, kind,
			{.kind = 0}}};
	if (kind < 0 || kind > cudaMemcpyDefault)
		return cudaErrorInvalidMemcpyDirection;
	return to && from && n ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t operation_of_fill(const cudaMemsetParams *p, struct operation *op)
{
	*op = (struct operation){.type = OPERATION_FILL};
	if (!p || !p->to || !p->width || !p->height ||
		(p->element != 1 && p->element != 2 && p->element != 4) || p->width > SIZE_MAX / 4)
		return cudaErrorInvalidValue;
	op->fill = *p;
	return p->height > 1 && p->width * p->element > p->pitch ? cudaErrorInvalidValue
								 : cudaSuccess;
}

cudaError_t operation_of_host(const cudaHostNodeParams *p, struct operation *op)
{
	*op = (struct operation){.type = OPERATION_HOST};
	if (!p || !p->function)
		return cudaErrorInvalidValue;
	op->host.function = p->function;
	op->host.data = p->data;
	return cudaSuccess;
}

cudaError_t operation_of_event(cudaEvent_t event, enum operation_type type, struct operation *op)
{
	uint64_t number;

	*op = (struct operation){.type = type, .event = event};
	return event_number(event, &number) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t operation_of_child(void *graph, struct operation *op)
{
	*op = (struct operation){
		.type = OPERATION_GRAPH, .child = handle_find(HANDLE_GRAPH, graph)};
	return op->child ? cudaSuccess : cudaErrorInvalidValue;
}

/* Freed by the caller (graph_memory_drop), who has added the node or not. */
cudaError_t operation_of_allocation(cudaMemAllocNodeParams *p, struct operation *op)
{
	*op = (struct operation){.type = OPERATION_ALLOCATE};
	if (!p || !p->bytes || p->pool.type != 1 || p->pool.at.kind != 1 || p->pool.at.id ||
		(p->naccess && !p->access))
		return cudaErrorInvalidValue;
	op->memory = graph_memory_new(p->bytes);
	if (op->memory)
		p->at = (void *)(uintptr_t)graph_memory_address(op->memory);
	return op->memory ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t operation_of_freeing(const void *at, struct operation *op)
{
	*op = (struct operation){.type = OPERATION_FREE, .memory = graph_memory_at(at)};
	return op->memory ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t operation_to_symbol(const void *symbol, const void *from, size_t bytes, size_t offset,
	int kind, struct operation *op)
{
	uint64_t at = 0;
	cudaError_t e = symbol_place(symbol, bytes, offset, kind, cudaMemcpyHostToDevice, &at);
	cudaError_t bad = operation_of_bytes((void *)(uintptr_t)at, from, bytes, kind, op);

	return e ? e : bad;
}

cudaError_t operation_from_symbol(
	void *to, const void *symbol, size_t bytes, size_t offset, int kind, struct operation *op)
{
	uint64_t at = 0;
	cudaError_t e = symbol_place(symbol, bytes, offset, kind, cudaMemcpyDeviceToHost, &at);
	cudaError_t bad = operation_of_bytes(to, (void *)(uintptr_t)at, bytes, kind, op);

	return e ? e : bad;
}

cudaError_t operation_of_any(cudaGraphNodeParams *p, struct operation *op)
{
	switch (p->type) {
	case OPERATION_KERNEL:
		return operation_of_kernel(&p->kernel, op);
	case OPERATION_COPY:
		return operation_of_copy(&p->copy.copy, op);
	case OPERATION_FILL:
		return operation_of_fill(&p->fill, op);
	case OPERATION_HOST:
		return operation_of_host(&p->host, op);
	case OPERATION_GRAPH:
		return operation_of_child(p->handle, op);
	case OPERATION_EMPTY:
		*op = (struct operation){.type = OPERATION_EMPTY};
		return cudaSuccess;
	case OPERATION_WAIT:
	case OPERATION_RECORD:
		return operation_of_event(p->handle, (enum operation_type)p->type, op);
	case OPERATION_ALLOCATE:
		return operation_of_allocation(&p->allocation, op);
	case OPERATION_FREE:
		return operation_of_freeing(p->memory, op);
	default:
		return not_supported("a graph's node with a condition or a semaphore");
	}
}
