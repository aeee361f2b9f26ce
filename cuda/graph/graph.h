/* Graphs: operations of a stream kept as nodes, with what each comes after. */
#ifndef CUDA_GRAPH_GRAPH_H
#define CUDA_GRAPH_GRAPH_H

#include "cuda/inside.h"

/* The numbers of cudaGraphNodeType. */
enum operation_type {
	OPERATION_KERNEL,
	OPERATION_COPY,
	OPERATION_FILL,
	OPERATION_HOST,
	OPERATION_GRAPH,
	OPERATION_EMPTY,
	OPERATION_WAIT,
	OPERATION_RECORD,
	OPERATION_ALLOCATE = 10,
	OPERATION_FREE
};

struct operation {
	enum operation_type type;
	union {
		struct {
			struct function *function;
			struct shape shape;
			struct arguments arguments; /* a node's are its own, as bytes */
			void **values;              /* where each is in them */
			const void *named;          /* how the program names the kernel */
		} kernel;
		struct {
			struct box to, from;
			cudaExtent n;
			int kind;
			cudaMemcpy3DParms given;
		} copy;
		cudaMemsetParams fill;
		struct {
			void (*function)(void *);
			void *data;
		} host;
		cudaEvent_t event;
		struct graph *child; /* a node's own */
		struct graph_memory *memory;
	};
};

struct node {
	void *handle, *origin; /* origin: what it is a copy of, or NULL */
	struct graph *graph;
	struct operation op;
	struct node **after; /* what it comes after */
	unsigned nafter;
	unsigned at; /* in the graph */
	bool off;    /* of an executable graph: it does nothing */
};

struct graph {
	void *handle, *origin;
	struct node **node;
	unsigned n;
	const struct node *owner; /* whose child it is */
	struct retained *objects;
};

/* ---- graphs and nodes: NULL is no memory */
struct graph *graph_new(void);
/* With a handle for each node, if it is to be named. */
struct graph *graph_copy(const struct graph *, bool named);
void graph_end(struct graph *);
/* A node after those; the operation is copied. */
struct node *graph_add(
	struct graph *, const struct operation *, struct node *const *after, unsigned nafter);
bool node_comes_after(struct node *, struct node *other);
/* Replaces a node's operation by a copy of one of the same type. */
cudaError_t node_set(struct node *, const struct operation *);
/* The node of the handle; NULL. */
struct node *node_find(const void *handle);

/* ---- executing them */
/* After the stream's operations so far. */
cudaError_t graph_run(void *exec, uint64_t stream);
/* The node of an executable graph that is a copy of the one of the handle; NULL. */
struct node *exec_node(void *exec, const void *handle);

/* ---- capture: a stream's operations become nodes */
/* Whether the operation is not to be done, but was captured, or refused: *e. */
bool capture_takes(uint64_t stream, const struct operation *, cudaError_t *e);
bool capture_allocates(uint64_t stream, void **out, size_t n, cudaError_t *e);
bool capture_frees(uint64_t stream, void *at, cudaError_t *e);
/* Whether events are recorded and waited for in a capture, or that is refused: *e. */
bool capture_records(uint64_t stream, cudaEvent_t, bool external, cudaError_t *e);
bool capture_waits(cudaStream_t, uint64_t stream, cudaEvent_t, bool external, cudaError_t *e);
/* Why the host cannot wait for the stream, or the event. */
cudaError_t capture_forbids_wait(uint64_t stream);
/* The stream is destroyed. */
cudaError_t capture_leaves(uint64_t stream);
cudaError_t capture_forbids_event(cudaEvent_t);
void capture_forget_event(cudaEvent_t);

/* ---- memory of graphs: allocated with the node, as long as the graph, or a copy of it, lives */
struct graph_memory *graph_memory_new(size_t n);
struct graph_memory *graph_memory_at(const void *);
uint64_t graph_memory_address(const struct graph_memory *);
size_t graph_memory_bytes(const struct graph_memory *);
void graph_memory_hold(struct graph_memory *);
void graph_memory_drop(struct graph_memory *);
/* What a node does when it is run. */
cudaError_t graph_memory_take(struct graph_memory *, bool again);
cudaError_t graph_memory_give(struct graph_memory *);

/* ---- objects of the program that graphs keep */
bool objects_copy(const struct graph *from, struct graph *to);
void objects_end(struct graph *);

#endif
