/* What programs call to begin and end a stream's capture, and to ask for it. */
#include "cuda/graph/capture.h"

#include <stdlib.h>

enum status { STATUS_NONE, STATUS_ACTIVE, STATUS_INVALID };

/* The nodes of the handles; false: one is not of the graph. */
static bool find_nodes(const struct graph *g, void *const *handles, size_t n, struct node **out)
{
	for (size_t i = 0; i < n; i++) {
		out[i] = node_find(handles[i]);
		if (!out[i] || out[i]->graph != g)
			return false;
	}
	return true;
}

static cudaError_t begin(uint64_t stream, bool apart, int mode, struct graph *given,
	struct node *const *after, size_t n)
{
	struct graph *g = given ? given : graph_new();
	struct capture *c = NULL;
	struct captured *s;

	if (captured_stream(stream)) {
		graph_end(given ? NULL : g);
		return cudaErrorIllegalState;
	}
	c = g ? capture_new(g, given, stream, mode) : NULL;
	s = c ? captured_join(c, stream, apart) : NULL;
	if (s && captured_set(s, after, (unsigned)n))
		return cudaSuccess;
	if (c)
		capture_end(c);
	graph_end(given ? NULL : g);
	return cudaErrorMemoryAllocation;
}

/* With `to`, its nodes, and so far what the first one comes after. */
static cudaError_t begin_checked(
	cudaStream_t handle, int mode, struct graph *to, void *const *after, size_t n)
{
	struct node **nodes = calloc(n + 1, sizeof(struct node *));
	uint64_t stream;
	cudaError_t e = nodes ? cudaSuccess : cudaErrorMemoryAllocation;

	if (!stream_number(handle, &stream))
		e = cudaErrorInvalidResourceHandle;
	else if (mode < MODE_GLOBAL || mode > MODE_RELAXED || (n && !after))
		e = cudaErrorInvalidValue;
	else if (!stream)
		e = cudaErrorStreamCaptureUnsupported;
	captures_lock();
	if (!e && !find_nodes(to, after, n, nodes))
		e = cudaErrorInvalidValue;
	e = e ? e : begin(stream, stream_apart(handle), mode, to, nodes, n);
	captures_unlock();
	free(nodes);
	return noted(e);
}

API cudaError_t cudaStreamBeginCapture(cudaStream_t stream, int mode)
{
	return begin_checked(stream, mode, NULL, NULL, 0);
}

API cudaError_t cudaStreamBeginCaptureToGraph(
	cudaStream_t stream, void *graph, void *const *after, const void *edges, size_t n, int mode)
{
	struct graph *g = handle_find(HANDLE_GRAPH, graph);

	(void)edges; /* whole dependencies are the only kind */
	return g ? begin_checked(stream, mode, g, after, n) : noted(cudaErrorInvalidValue);
}

/* The capture ends; its graph, or why there is none, and the graph that is to go. */
static cudaError_t end(const struct captured *s, struct graph **out, struct graph **gone)
{
	struct capture *c = s->in;
	cudaError_t e = cudaSuccess;

	if (c->origin != s->stream)
		return cudaErrorStreamCaptureUnmatched;
	if (c->mode != MODE_RELAXED && !pthread_equal(c->owner, pthread_self()))
		return cudaErrorStreamCaptureWrongThread;
	if (c->invalid)
		e = cudaErrorStreamCaptureInvalidated;
	else if (!capture_is_joined(s))
		e = cudaErrorStreamCaptureUnjoined;
	if (!e)
		*out = c->graph;
	else if (!c->given)
		*gone = c->graph;
	capture_end(c);
	return e;
}

API cudaError_t cudaStreamEndCapture(cudaStream_t handle, void **out)
{
	struct graph *g = NULL, *gone = NULL;
	const struct captured *s;
	uint64_t stream;
	cudaError_t e;

	if (!out)
		return noted(cudaErrorInvalidValue);
	*out = NULL;
	if (!stream_number(handle, &stream))
		return noted(cudaErrorInvalidResourceHandle);
	captures_lock();
	s = captured_stream(stream);
	e = s ? end(s, &g, &gone) : cudaErrorIllegalState;
	captures_unlock();
	graph_end(gone);
	if (g)
		*out = g->handle;
	return noted(e);
}

API cudaError_t cudaThreadExchangeStreamCaptureMode(int *mode)
{
	int before = *capture_thread_mode();

	if (!mode || *mode < MODE_GLOBAL || *mode > MODE_RELAXED)
		return noted(cudaErrorInvalidValue);
	*capture_thread_mode() = *mode;
	*mode = before;
	return cudaSuccess;
}

/* ---- asking */
struct info {
	enum status status;
	unsigned long long id;
	void *graph, **after;
	size_t n;
};

/* The nodes' handles, kept with the stream until it is asked again. */
static cudaError_t describe(struct captured *s, struct info *out)
{
	void **handles = realloc(s->handles, (s->n + 1) * sizeof(void *));

	if (!handles)
		return cudaErrorMemoryAllocation;
	s->handles = handles;
	for (unsigned i = 0; i < s->n; i++)
		handles[i] = s->last[i]->handle;
	*out = (struct info){STATUS_ACTIVE, s->in->id, s->in->graph->handle, handles, s->n};
	return cudaSuccess;
}

static cudaError_t ask(cudaStream_t handle, const int *status, struct info *out)
{
	struct captured *s;
	uint64_t stream;
	cudaError_t e;

	*out = (struct info){STATUS_NONE, 0, NULL, NULL, 0};
	if (!status)
		return noted(cudaErrorInvalidValue);
	if (!stream_number(handle, &stream))
		return noted(cudaErrorInvalidResourceHandle);
	captures_lock();
	s = captured_stream(stream);
	e = !s ? captures_implicit(stream) : s->in->invalid ? cudaSuccess : describe(s, out);
	if (s && s->in->invalid)
		out->status = STATUS_INVALID;
	captures_unlock();
	return noted(e);
}

API cudaError_t cudaStreamIsCapturing(cudaStream_t stream, int *status)
{
	struct info i;
	cudaError_t e = ask(stream, status, &i);

	if (!e)
		*status = (int)i.status;
	return e;
}

/* What is NULL is not asked for. */
API cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream, int *status,
	unsigned long long *id, void **graph, void *const **after, const void **edges, size_t *n)
{
	struct info i;
	cudaError_t e = ask(stream, status, &i);

	if (e)
		return e;
	*status = (int)i.status;
	if (id)
		*id = i.id;
	if (graph)
		*graph = i.graph;
	if (after)
		*after = i.after;
	if (edges)
		*edges = NULL;
	if (n)
		*n = i.n;
	return e;
}

API cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, int *status,
	unsigned long long *id, void **graph, void *const **after, size_t *n)
{
	return cudaStreamGetCaptureInfo_v3(stream, status, id, graph, after, NULL, n);
}

#if RUNTIME_VERSION >= 13
ALSO(cudaStreamGetCaptureInfo_v3, cudaStreamGetCaptureInfo);
#else
API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, int *status, unsigned long long *id)
{
	return cudaStreamGetCaptureInfo_v3(stream, status, id, NULL, NULL, NULL, NULL);
}
#endif

/* ---- what the next node comes after */
static cudaError_t change(struct captured *s, struct node *const *nodes, size_t n, bool instead)
{
	bool done =
		instead ? captured_set(s, nodes, (unsigned)n) : captured_add(s, nodes, (unsigned)n);

	return done ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* flags: 1, instead of those so far. */
API cudaError_t cudaStreamUpdateCaptureDependencies_v2(
	cudaStream_t handle, void *const *after, const void *edges, size_t n, unsigned flags)
{
	struct node **nodes = calloc(n + 1, sizeof(struct node *));
	struct captured *s;
	uint64_t stream;
	cudaError_t e = cudaSuccess;

	(void)edges;
	if (!nodes || flags > 1 || (n && !after) || !stream_number(handle, &stream)) {
		free(nodes);
		return noted(cudaErrorInvalidValue);
	}
	captures_lock();
	s = captured_stream(stream);
	if (!s)
		e = cudaErrorIllegalState;
	else if (!find_nodes(s->in->graph, after, n, nodes))
		e = cudaErrorInvalidValue;
	e = e ? e : change(s, nodes, n, flags);
	captures_unlock();
	free(nodes);
	return noted(e);
}

#if RUNTIME_VERSION >= 13
ALSO(cudaStreamUpdateCaptureDependencies_v2, cudaStreamUpdateCaptureDependencies);
#else
API cudaError_t cudaStreamUpdateCaptureDependencies(
	cudaStream_t stream, void *const *after, size_t n, unsigned flags)
{
	return cudaStreamUpdateCaptureDependencies_v2(stream, after, NULL, n, flags);
}
#endif
