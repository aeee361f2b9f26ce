/* Operations as programs describe them; an error if nothing is described so. What they name is
 * kept by a node only. */
#ifndef CUDA_GRAPH_DESCRIBE_H
#define CUDA_GRAPH_DESCRIBE_H

#include "cuda/graph/graph.h"

cudaError_t operation_of_kernel(const cudaKernelNodeParams *, struct operation *);
cudaError_t operation_of_copy(const cudaMemcpy3DParms *, struct operation *);
cudaError_t operation_of_bytes(
	const void *to, const void *from, size_t n, int kind, struct operation *);
cudaError_t operation_to_symbol(const void *symbol, const void *from, size_t bytes, size_t offset,
	int kind, struct operation *);
cudaError_t operation_from_symbol(
	void *to, const void *symbol, size_t bytes, size_t offset, int kind, struct operation *);
cudaError_t operation_of_fill(const cudaMemsetParams *, struct operation *);
cudaError_t operation_of_host(const cudaHostNodeParams *, struct operation *);
cudaError_t operation_of_event(cudaEvent_t, enum operation_type, struct operation *);
cudaError_t operation_of_child(void *graph, struct operation *);
/* The caller drops the memory when the node was added or not (graph_memory_drop). */
cudaError_t operation_of_allocation(cudaMemAllocNodeParams *, struct operation *);
cudaError_t operation_of_freeing(const void *at, struct operation *);
cudaError_t operation_of_any(cudaGraphNodeParams *, struct operation *);

#endif
