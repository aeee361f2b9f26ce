/* Executable graphs: a copy of a graph whose nodes run one after the other in an order that keeps
 * every dependency, those that do not wait for each other in several streams. */
#include "cuda/graph/exec.h"

#include <stdlib.h>

#define AUTO_FREE 1u
#define FLAGS 15u

static uint64_t new_number(enum wire_op op, uint64_t a)
{
	struct wire_message m;

	return call_simply(op, a, 0, 0, &m) ? EXEC_NONE : m.a[0];
}

static void end_number(enum wire_op op, uint64_t number)
{
	if (number != EXEC_NONE)
		call_simply(op, number, 0, 0, NULL);
}

/* ---- order and lanes */
/* Nodes in the order of their making, each as soon as all that it comes after is in it. False:
 * there is a cycle, the node *at is of it or behind it. */
static bool find_order(struct exec *x, unsigned *at)
{
	const struct graph *g = x->graph;
	unsigned n = 0, before = 1;

	for (unsigned i = 0; i < g->n; i++)
		x->order[i] = UINT32_MAX;
	while (n != before && n < g->n) {
		before = n;
		for (unsigned i = 0; i < g->n; i++) {
			bool ready = x->order[i] == UINT32_MAX;

			for (unsigned k = 0; k < g->node[i]->nafter && ready; k++)
				ready = x->order[g->node[i]->after[k]->at] != UINT32_MAX;
			if (ready) {
				x->step[n].at = i;
				x->order[i] = n++;
			}
		}
		if (!before && !n)
			break;
	}
	*at = 0;
	while (*at < g->n && x->order[*at] != UINT32_MAX)
		++*at;
	return n == g->n;
}

static const struct node *node_of(const struct exec *x, unsigned step)
{
	return x->graph->node[x->step[step].at];
}

/* A node goes on in the lane of what it comes after, if nothing else has. */
static void find_lanes(struct exec *x)
{
	unsigned last[EXEC_LANES] = {0}; /* 1 + the lane's last step */

	for (unsigned i = 0; i < x->graph->n; i++) {
		const struct node *n = node_of(x, i);
		unsigned lane = EXEC_LANES;

		for (unsigned k = 0; k < n->nafter && lane == EXEC_LANES; k++) {
			unsigned before = x->order[n->after[k]->at];

			if (last[x->step[before].lane] == before + 1)
				lane = x->step[before].lane;
		}
		if (lane == EXEC_LANES)
			lane = x->nlanes < EXEC_LANES ? x->nlanes++ : i % EXEC_LANES;
		x->step[i].lane = lane;
		last[lane] = i + 1;
	}
}

/* Streams, and events for what crosses from one to another. */
static void make_lanes(struct exec *x)
{
	for (unsigned i = 0; i < x->graph->n; i++) {
		const struct node *n = node_of(x, i);

		for (unsigned k = 0; k < n->nafter; k++) {
			struct step *before = &x->step[x->order[n->after[k]->at]];

			if (before->lane != x->step[i].lane && before->done == EXEC_NONE)
				before->done = new_number(WIRE_EVENT, 0);
		}
	}
	for (unsigned i = 0; i < x->nlanes; i++)
		x->done[i] = new_number(WIRE_EVENT, 0);
	for (unsigned i = 1; i < x->nlanes; i++)
		x->lane[i] = new_number(WIRE_STREAM, WIRE_STREAM_NON_BLOCKING);
	if (x->nlanes > 1)
		x->begun = new_number(WIRE_EVENT, 0);
}

/* ---- life */
static void end_exec(struct exec *x)
{
	if (!x)
		return;
	if (x->handle)
		handle_end(HANDLE_EXEC, x->handle);
	for (unsigned i = 0; x->child && i < x->graph->n; i++)
		end_exec(x->child[i]);
	for (unsigned i = 0; x->step && i < x->graph->n; i++)
		end_number(WIRE_EVENT_END, x->step[i].done);
	for (unsigned i = 0; i < EXEC_LANES; i++) {
		end_number(WIRE_STREAM_END, x->lane[i]);
		end_number(WIRE_EVENT_END, x->done[i]);
	}
	end_number(WIRE_EVENT_END, x->begun);
	graph_end(x->graph);
	free(x->step);
	free(x->order);
	free(x->child);
	free(x);
}

static cudaError_t make(
	const struct graph *g, unsigned long long flags, struct exec **out, void **wrong);

static cudaError_t make_children(struct exec *x, void **wrong)
{
	cudaError_t e = cudaSuccess;

	for (unsigned i = 0; i < x->graph->n && !e; i++)
		if (node_of(x, i)->op.type == OPERATION_GRAPH)
			e = make(node_of(x, i)->op.child, x->flags, &x->child[i], wrong);
	return e;
}

/* An executable graph without handle; *wrong: a node of a cycle. */
static cudaError_t make(
	const struct graph *g, unsigned long long flags, struct exec **out, void **wrong)
{
	struct exec *x = calloc(1, sizeof(*x));
	cudaError_t e = cudaErrorMemoryAllocation;
	unsigned at;

	if (!x)
		return e;
	x->flags = flags;
	x->begun = x->stream = EXEC_NONE;
	for (unsigned i = 0; i < EXEC_LANES; i++)
		x->lane[i] = x->done[i] = EXEC_NONE;
	x->graph = graph_copy(g, false);
	x->step = calloc(g->n + 1, sizeof(*x->step));
	x->order = calloc(g->n + 1, sizeof(*x->order));
	x->child = calloc(g->n + 1, sizeof(struct exec *));
	for (unsigned i = 0; x->step && i < g->n; i++)
		x->step[i].done = EXEC_NONE;
	if (x->graph && x->step && x->order && x->child) {
		e = find_order(x, &at) ? make_children(x, wrong) : cudaErrorInvalidValue;
		if (e && at < g->n)
			*wrong = g->node[at]->handle;
	}
	if (e) {
		if (!x->graph)
			free(x->step), x->step = NULL;
		end_exec(x);
		return e;
	}
	find_lanes(x);
	make_lanes(x);
	*out = x;
	return e;
}

static cudaError_t instantiate(void **out, void *graph, unsigned long long flags, void **wrong)
{
	const struct graph *g = handle_find(HANDLE_GRAPH, graph);
	struct exec *x = NULL;
	cudaError_t e;

	if (!out || !g || flags > FLAGS)
		return noted(cudaErrorInvalidValue);
	if (flags & 4)
		return not_supported("cudaGraphInstantiateFlagDeviceLaunch");
	e = make(g, flags, &x, wrong);
	if (!e) {
		x->handle = handle_new(HANDLE_EXEC, x);
		*out = x->handle;
	}
	return noted(e);
}

API cudaError_t cudaGraphInstantiateWithFlags(void **out, void *graph, unsigned long long flags)
{
	void *wrong = NULL;

	return instantiate(out, graph, flags, &wrong);
}

#if RUNTIME_VERSION >= 12
ALSO(cudaGraphInstantiateWithFlags, cudaGraphInstantiate);
#else
API cudaError_t cudaGraphInstantiate(
	void **out, void *graph, void **wrong_out, char *text, size_t room)
{
	void *wrong = NULL;
	cudaError_t e = instantiate(out, graph, 0, &wrong);

	if (wrong_out)
		*wrong_out = wrong;
	if (text && room)
		text[0] = '\0';
	return e;
}
#endif

/* The results: 0, 1 an error, the return value, 2 a cycle. */
struct instantiation {
	unsigned long long flags;
	cudaStream_t upload;
	void *wrong;
	int result;
};

API cudaError_t cudaGraphInstantiateWithParams(void **out, void *graph, struct instantiation *p)
{
	void *wrong = NULL;
	cudaError_t e =
		p ? instantiate(out, graph, p->flags, &wrong) : noted(cudaErrorInvalidValue);

	if (!p)
		return e;
	p->wrong = wrong;
	p->result = wrong ? 2 : e != 0;
	return e;
}

API cudaError_t cudaGraphExecDestroy(void *handle)
{
	struct exec *x = handle_find(HANDLE_EXEC, handle);

	if (!x)
		return noted(cudaErrorInvalidValue);
	end_exec(x);
	return cudaSuccess;
}

API cudaError_t cudaGraphExecGetFlags(void *handle, unsigned long long *flags)
{
	const struct exec *x = handle_find(HANDLE_EXEC, handle);

	if (!x || !flags)
		return noted(cudaErrorInvalidValue);
	*flags = x->flags;
	return cudaSuccess;
}

/* ---- running */
static cudaError_t run_kernel(const struct operation *op, uint64_t stream)
{
	struct call c;
	cudaError_t e = call_begin(&c);

	return e ? e
		 : call_end(&c, function_launch(&c, op->kernel.function, &op->kernel.shape,
					&op->kernel.arguments, stream));
}

static cudaError_t run_host(const struct operation *op, uint64_t stream)
{
	cudaError_t e = call_simply(WIRE_SYNC, stream, 0, 0, NULL);

	if (!e)
		op->host.function(op->host.data);
	return e;
}

static cudaError_t run_event(const struct operation *op, uint64_t stream)
{
	uint64_t event;

	if (!event_number(op->event, &event))
		return cudaErrorInvalidResourceHandle;
	return op->type == OPERATION_RECORD ? call_simply(WIRE_RECORD, event, stream, 0, NULL)
					    : call_simply(WIRE_STREAM_WAIT, stream, event, 0, NULL);
}

static cudaError_t run(struct exec *x, uint64_t stream);

static cudaError_t run_node(struct exec *x, unsigned step, uint64_t stream)
{
	const struct operation *op = &node_of(x, step)->op;

	switch (op->type) {
	case OPERATION_KERNEL:
		return run_kernel(op, stream);
	case OPERATION_COPY:
		return copy_rows(&op->copy.to, &op->copy.from, op->copy.n, op->copy.kind, stream);
	case OPERATION_FILL:
		return fill_rows(&op->fill, stream);
	case OPERATION_HOST:
		return run_host(op, stream);
	case OPERATION_GRAPH:
		return run(x->child[step], stream);
	case OPERATION_WAIT:
	case OPERATION_RECORD:
		return run_event(op, stream);
	case OPERATION_ALLOCATE:
		return graph_memory_take(op->memory, x->flags & AUTO_FREE);
	case OPERATION_FREE:
		return graph_memory_give(op->memory);
	default:
		return cudaSuccess;
	}
}

static uint64_t stream_of(const struct exec *x, unsigned lane, uint64_t first)
{
	return lane ? x->lane[lane] : first;
}

/* What the step's node comes after in other lanes. */
static cudaError_t await(const struct exec *x, unsigned step, uint64_t stream)
{
	const struct node *n = node_of(x, step);
	cudaError_t e = cudaSuccess;

	for (unsigned k = 0; k < n->nafter && !e; k++) {
		const struct step *before = &x->step[x->order[n->after[k]->at]];

		if (before->lane != x->step[step].lane)
			e = call_simply(WIRE_STREAM_WAIT, stream, before->done, 0, NULL);
	}
	return e;
}

static cudaError_t run_steps(struct exec *x, uint64_t first)
{
	bool begun[EXEC_LANES] = {true};
	cudaError_t e = cudaSuccess;

	for (unsigned i = 0; i < x->graph->n && !e; i++) {
		const struct step *s = &x->step[i];
		uint64_t stream = stream_of(x, s->lane, first);

		if (!begun[s->lane])
			e = call_simply(WIRE_STREAM_WAIT, stream, x->begun, 0, NULL);
		begun[s->lane] = true;
		e = e ? e : await(x, i, stream);
		if (!e && !node_of(x, i)->off)
			e = run_node(x, i, stream);
		if (!e && s->done != EXEC_NONE)
			e = call_simply(WIRE_RECORD, s->done, stream, 0, NULL);
	}
	return e;
}

/* A launch comes after the last one. */
static cudaError_t run(struct exec *x, uint64_t stream)
{
	cudaError_t e = cudaSuccess;

	if (x->stream != EXEC_NONE && x->stream != stream)
		e = call_simply(WIRE_STREAM_WAIT, stream, x->done[0], 0, NULL);
	if (!e && x->begun != EXEC_NONE)
		e = call_simply(WIRE_RECORD, x->begun, stream, 0, NULL);
	e = e ? e : run_steps(x, stream);
	for (unsigned i = 1; i < x->nlanes && !e; i++) {
		e = call_simply(WIRE_RECORD, x->done[i], x->lane[i], 0, NULL);
		e = e ? e : call_simply(WIRE_STREAM_WAIT, stream, x->done[i], 0, NULL);
	}
	if (!e && x->nlanes)
		e = call_simply(WIRE_RECORD, x->done[0], stream, 0, NULL);
	x->stream = x->nlanes ? stream : EXEC_NONE;
	return noted(e);
}

API cudaError_t cudaGraphLaunch(void *handle, cudaStream_t s)
{
	struct exec *x = handle_find(HANDLE_EXEC, handle);
	struct operation op = {.type = OPERATION_GRAPH};
	uint64_t stream;
	cudaError_t e;

	if (!x)
		return noted(cudaErrorInvalidValue);
	if (!stream_number(s, &stream))
		return noted(cudaErrorInvalidResourceHandle);
	op.child = x->graph;
	if (capture_takes(stream, &op, &e))
		return noted(e);
	return run(x, stream);
}

API cudaError_t cudaGraphUpload(void *handle, cudaStream_t s)
{
	uint64_t stream;

	if (!handle_find(HANDLE_EXEC, handle))
		return noted(cudaErrorInvalidValue);
	return noted(stream_number(s, &stream) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}
