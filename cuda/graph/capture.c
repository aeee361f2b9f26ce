/* Stream capture: which streams are captured into which graph, and what is refused meanwhile. */
#include "cuda/graph/capture.h"

#include <stdlib.h>
#include <string.h>

static struct capture *captures;
static struct captured *streams;
static struct captured_event *events;
static unsigned active; /* captures, and events that were recorded in one */
static uint64_t names;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int thread_mode;

static bool is_idle(void)
{
	return !__atomic_load_n(&active, __ATOMIC_RELAXED);
}

void captures_lock(void)
{
	pthread_mutex_lock(&mutex);
}

void captures_unlock(void)
{
	pthread_mutex_unlock(&mutex);
}

int *capture_thread_mode(void)
{
	return &thread_mode;
}

struct captured *captured_stream(uint64_t stream)
{
	struct captured *s = streams;

	while (s && s->stream != stream)
		s = s->next;
	return s;
}

bool captured_set(struct captured *s, struct node *const *last, unsigned n)
{
	struct node **copy = malloc((n + 1) * sizeof(struct node *));

	if (!copy)
		return false;
	if (n)
		memcpy(copy, last, n * sizeof(struct node *));
	free(s->last);
	s->last = copy;
	s->n = n;
	return true;
}

bool captured_add(struct captured *s, struct node *const *more, unsigned n)
{
	struct node **grown = realloc(s->last, (s->n + n + 1) * sizeof(struct node *));

	if (!grown)
		return false;
	s->last = grown;
	for (unsigned i = 0; i < n; i++) {
		unsigned k = 0;

		while (k < s->n && s->last[k] != more[i])
			k++;
		if (k == s->n)
			s->last[s->n++] = more[i];
	}
	return true;
}

struct captured *captured_join(struct capture *c, uint64_t stream, bool apart)
{
	struct captured *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	*s = (struct captured){.next = streams, .in = c, .stream = stream, .apart = apart};
	streams = s;
	return s;
}

struct capture *capture_new(struct graph *g, bool given, uint64_t stream, int mode)
{
	struct capture *c = malloc(sizeof(*c));

	if (!c)
		return NULL;
	*c = (struct capture){.next = captures,
		.graph = g,
		.given = given,
		.id = ++names,
		.origin = stream,
		.mode = mode,
		.owner = pthread_self()};
	captures = c;
	active++;
	return c;
}

void capture_end(struct capture *c)
{
	struct capture **link = &captures;
	struct captured **at = &streams;

	while (*link != c)
		link = &(*link)->next;
	*link = c->next;
	while (*at) {
		struct captured *s = *at;

		if (s->in != c) {
			at = &s->next;
			continue;
		}
		*at = s->next;
		free(s->handles);
		free(s->last);
		free(s);
	}
	for (struct captured_event *e = events; e; e = e->next)
		if (e->in == c)
			e->in = NULL;
	active--;
	free(c);
}

/* ---- what is refused */
static cudaError_t invalidate(struct capture *c, cudaError_t e)
{
	c->invalid = true;
	return e;
}

/* A blocking stream's capture: the default stream would come after it. */
static struct capture *implicit(uint64_t stream)
{
	const struct captured *s = streams;

	if (stream)
		return NULL;
	while (s && s->apart)
		s = s->next;
	return s ? s->in : NULL;
}

/* Not for the thread's mode. */
static bool forbids(const struct capture *c)
{
	if (pthread_equal(c->owner, pthread_self()) && c->mode != MODE_RELAXED)
		return true;
	return c->mode == MODE_GLOBAL && thread_mode == MODE_GLOBAL;
}

bool capture_is_active(void)
{
	return !is_idle();
}

cudaError_t capture_forbids(void)
{
	cudaError_t e = cudaSuccess;

	if (is_idle() || thread_mode == MODE_RELAXED)
		return e;
	pthread_mutex_lock(&mutex);
	for (struct capture *c = captures; c; c = c->next)
		if (forbids(c))
			e = invalidate(c, cudaErrorStreamCaptureUnsupported);
	pthread_mutex_unlock(&mutex);
	return e;
}

cudaError_t captures_implicit(uint64_t stream)
{
	struct capture *c = implicit(stream);

	return c ? invalidate(c, cudaErrorStreamCaptureImplicit) : cudaSuccess;
}

cudaError_t capture_forbids_wait(uint64_t stream)
{
	const struct captured *s;
	cudaError_t e;

	if (is_idle())
		return cudaSuccess;
	pthread_mutex_lock(&mutex);
	s = captured_stream(stream);
	e = s ? invalidate(s->in, cudaErrorStreamCaptureUnsupported) : captures_implicit(stream);
	pthread_mutex_unlock(&mutex);
	return e;
}

/* What it did stays part of the capture. */
cudaError_t capture_leaves(uint64_t stream)
{
	struct captured *s;
	cudaError_t e = cudaSuccess;

	if (is_idle())
		return e;
	pthread_mutex_lock(&mutex);
	s = captured_stream(stream);
	if (s && s->in->origin == stream)
		e = invalidate(s->in, cudaErrorStreamCaptureUnsupported);
	else if (s)
		s->stream = UINT64_MAX;
	pthread_mutex_unlock(&mutex);
	return e;
}

/* ---- operations */
/* A node after what the stream's operations are so far. */
static cudaError_t take(struct captured *s, const struct operation *op)
{
	struct node *n;

	if (s->in->invalid)
		return cudaErrorStreamCaptureInvalidated;
	n = graph_add(s->in->graph, op, s->last, s->n);
	return n && captured_set(s, &n, 1) ? cudaSuccess
					   : invalidate(s->in, cudaErrorMemoryAllocation);
}

bool capture_takes(uint64_t stream, const struct operation *op, cudaError_t *e)
{
	struct captured *s;

	if (is_idle())
		return false;
	pthread_mutex_lock(&mutex);
	s = captured_stream(stream);
	*e = s ? take(s, op) : captures_implicit(stream);
	pthread_mutex_unlock(&mutex);
	return s || *e;
}

static bool is_captured(uint64_t stream)
{
	bool is;

	if (is_idle())
		return false;
	pthread_mutex_lock(&mutex);
	is = captured_stream(stream);
	pthread_mutex_unlock(&mutex);
	return is;
}

bool capture_allocates(uint64_t stream, void **out, size_t n, cudaError_t *e)
{
	struct operation op = {.type = OPERATION_ALLOCATE};

	if (!is_captured(stream))
		return false;
	op.memory = graph_memory_new(n);
	*e = op.memory ? cudaSuccess : cudaErrorMemoryAllocation;
	if (*e)
		return true;
	capture_takes(stream, &op, e);
	if (!*e)
		*out = (void *)(uintptr_t)graph_memory_address(op.memory);
	graph_memory_drop(op.memory);
	return true;
}

/* Memory of another graph, or of none, cannot be freed by this one. */
bool capture_frees(uint64_t stream, void *at, cudaError_t *e)
{
	struct operation op = {.type = OPERATION_FREE};

	if (!is_captured(stream))
		return false;
	op.memory = graph_memory_at(at);
	*e = cudaErrorInvalidValue;
	return !op.memory || capture_takes(stream, &op, e);
}

/* ---- events */
static struct captured_event *find_event(cudaEvent_t event)
{
	struct captured_event *e = events;

	while (e && e->event != event)
		e = e->next;
	return e;
}

static void forget(cudaEvent_t event)
{
	struct captured_event **link = &events, *e;

	while (*link && (*link)->event != event)
		link = &(*link)->next;
	e = *link;
	if (!e)
		return;
	*link = e->next;
	active--;
	free(e->last);
	free(e);
}

void capture_forget_event(cudaEvent_t event)
{
	if (is_idle())
		return;
	pthread_mutex_lock(&mutex);
	forget(event);
	pthread_mutex_unlock(&mutex);
}

cudaError_t capture_forbids_event(cudaEvent_t event)
{
	const struct captured_event *found;

	if (is_idle())
		return cudaSuccess;
	pthread_mutex_lock(&mutex);
	found = find_event(event);
	if (found && found->in)
		invalidate(found->in, cudaSuccess);
	pthread_mutex_unlock(&mutex);
	return found ? cudaErrorCapturedEvent : capture_forbids();
}

/* What the stream's operations are so far. */
static cudaError_t record(struct captured *s, cudaEvent_t event)
{
	struct captured_event *e;

	if (s->in->invalid)
		return cudaErrorStreamCaptureInvalidated;
	forget(event);
	e = calloc(1, sizeof(*e));
	if (e)
		e->last = malloc((s->n + 1) * sizeof(struct node *));
	if (!e || !e->last) {
		free(e);
		return cudaErrorMemoryAllocation;
	}
	memcpy(e->last, s->last, s->n * sizeof(struct node *));
	e->n = s->n;
	e->in = s->in;
	e->event = event;
	e->next = events;
	events = e;
	active++;
	return cudaSuccess;
}

bool capture_records(uint64_t stream, cudaEvent_t event, bool external, cudaError_t *e)
{
	const struct operation op = {.type = OPERATION_RECORD, .event = event};
	struct captured *s;

	if (is_idle())
		return false;
	pthread_mutex_lock(&mutex);
	s = captured_stream(stream);
	*e = !s ? captures_implicit(stream) : external ? take(s, &op) : record(s, event);
	if (!s && !*e)
		forget(event);
	pthread_mutex_unlock(&mutex);
	return s || *e;
}

/* A captured stream, or one that joins the capture, waits for an event of it. */
static cudaError_t join(
	const struct captured_event *e, struct captured *s, uint64_t stream, bool apart)
{
	if (e->in->invalid)
		return cudaErrorStreamCaptureInvalidated;
	if (s && s->in != e->in) {
		invalidate(s->in, cudaSuccess);
		return invalidate(e->in, cudaErrorStreamCaptureMerge);
	}
	if (!stream)
		return invalidate(e->in, cudaErrorStreamCaptureImplicit);
	if (!s)
		s = captured_join(e->in, stream, apart);
	return s && captured_add(s, e->last, e->n) ? cudaSuccess : cudaErrorMemoryAllocation;
}

bool capture_waits(
	cudaStream_t handle, uint64_t stream, cudaEvent_t event, bool external, cudaError_t *e)
{
	const struct operation op = {.type = OPERATION_WAIT, .event = event};
	const struct captured_event *found;
	struct captured *s;

	if (is_idle())
		return false;
	pthread_mutex_lock(&mutex);
	s = captured_stream(stream);
	found = find_event(event);
	if (s && external)
		*e = take(s, &op);
	else if (found && found->in)
		*e = join(found, s, stream, stream_apart(handle));
	else if (s)
		*e = invalidate(s->in, cudaErrorStreamCaptureIsolation);
	else
		*e = found ? cudaErrorCapturedEvent : captures_implicit(stream);
	pthread_mutex_unlock(&mutex);
	return s || found || *e;
}

/* ---- the end */
/* Marks what the nodes come after. */
static void mark(const struct graph *g, bool *marked)
{
	bool more = true;

	while (more) {
		more = false;
		for (unsigned i = g->n; i-- > 0;)
			for (unsigned k = 0; marked[i] && k < g->node[i]->nafter; k++) {
				bool *before = &marked[g->node[i]->after[k]->at];

				more |= !*before && g->node[i]->after[k]->at > i;
				*before = true;
			}
	}
}

/* All that the capture's other streams did comes before what its first stream's end is. */
bool capture_is_joined(const struct captured *first)
{
	const struct graph *g = first->in->graph;
	bool *marked = calloc(g->n + 1, 1), joined = marked;

	for (unsigned i = 0; i < first->n && marked; i++)
		marked[first->last[i]->at] = true;
	if (marked)
		mark(g, marked);
	for (const struct captured *s = streams; s && joined; s = s->next)
		for (unsigned i = 0; s->in == first->in && i < s->n; i++)
			joined &= marked[s->last[i]->at];
	free(marked);
	return joined;
}
