/* Streams and events. */
#include "cuda/inside.h"

#include "cuda/graph/graph.h"

#include <pthread.h>
#include <stdlib.h>

#define NON_BLOCKING 1u
#define DISABLE_TIMING 2u
#define INTERPROCESS 4u

/* ---- what a handle is of: the other side's number, behind a flag, and a bit that makes it not 0
 */
static void *make_handle(enum handle_kind kind, uint64_t number, bool flag)
{
	return handle_new(kind, (void *)(uintptr_t)(number << 2 | (uint64_t)flag << 1 | 1));
}

static uintptr_t find(enum handle_kind kind, const void *handle)
{
	return (uintptr_t)handle_find(kind, handle);
}

static bool has_flag(enum handle_kind kind, const void *handle)
{
	return (find(kind, handle) & 2) != 0;
}

/* ---- threads' own streams: one that a thread leaves is another thread's */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t own;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct spare {
	struct spare *next;
	uint64_t number;
} * spares;
static _Thread_local bool own_default;

void stream_own_default(bool on)
{
	own_default = on;
}

static void give_back(void *spare)
{
	struct spare *s = spare;

	pthread_mutex_lock(&mutex);
	s->next = spares;
	spares = s;
	pthread_mutex_unlock(&mutex);
}

static void make_key(void)
{
	pthread_key_create(&own, give_back);
}

static struct spare *new_own(void)
{
	struct wire_message m;
	struct spare *s;

	pthread_mutex_lock(&mutex);
	s = spares;
	if (s)
		spares = s->next;
	pthread_mutex_unlock(&mutex);
	if (s)
		return s;
	s = malloc(sizeof(*s));
	if (!s || call_simply(WIRE_STREAM, WIRE_STREAM_BLOCKING, 0, 0, &m)) {
		free(s);
		return NULL;
	}
	s->number = m.a[0];
	return s;
}

static bool own_number(uint64_t *number)
{
	struct spare *s;

	pthread_once(&once, make_key);
	s = pthread_getspecific(own);
	if (!s) {
		s = new_own();
		pthread_setspecific(own, s);
	}
	if (s)
		*number = s->number;
	return s;
}

bool stream_number(cudaStream_t s, uint64_t *number)
{
	uintptr_t h = (uintptr_t)s, found;

	if (h == STREAM_PER_THREAD || (!h && own_default))
		return own_number(number);
	found = h <= STREAM_LEGACY ? 1 : find(HANDLE_STREAM, s);
	*number = found >> 2;
	return found;
}

bool stream_apart(cudaStream_t s)
{
	return has_flag(HANDLE_STREAM, s);
}

bool event_number(cudaEvent_t e, uint64_t *number)
{
	uintptr_t found = find(HANDLE_EVENT, e);

	*number = found >> 2;
	return found;
}

/* Waits for it, or ends it. */
static cudaError_t of_stream(enum wire_op op, cudaStream_t s)
{
	uint64_t n;
	cudaError_t e;

	if (!stream_number(s, &n))
		return noted(cudaErrorInvalidResourceHandle);
	e = op == WIRE_STREAM_END ? capture_leaves(n) : capture_forbids_wait(n);
	e = e ? noted(e) : call_simply(op, n, 0, 0, NULL);
	if (!e)
		pools_settle();
	return e;
}

static cudaError_t of_event(cudaEvent_t event)
{
	uint64_t n;
	cudaError_t e;

	if (!event_number(event, &n))
		return noted(cudaErrorInvalidResourceHandle);
	e = capture_forbids_event(event);
	e = e ? noted(e) : call_simply(WIRE_WAIT, n, 0, 0, NULL);
	if (!e)
		pools_settle();
	return e;
}

API cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags)
{
	struct wire_message m;
	cudaError_t e;

	if (!out || flags > NON_BLOCKING)
		return noted(cudaErrorInvalidValue);
	e = call_simply(
		WIRE_STREAM, flags ? WIRE_STREAM_NON_BLOCKING : WIRE_STREAM_BLOCKING, 0, 0, &m);
	if (e)
		return e;
	*out = make_handle(HANDLE_STREAM, m.a[0], flags != 0);
	owned_new(OWNED_STREAM, (uintptr_t)*out);
	if (*out)
		return cudaSuccess;
	call_simply(WIRE_STREAM_END, m.a[0], 0, 0, NULL);
	return noted(cudaErrorMemoryAllocation);
}

API cudaError_t cudaStreamCreate(cudaStream_t *out)
{
	return cudaStreamCreateWithFlags(out, 0);
}

/* Streams have one priority. */
API cudaError_t cudaStreamCreateWithPriority(cudaStream_t *out, unsigned flags, int priority)
{
	(void)priority;
	return cudaStreamCreateWithFlags(out, flags);
}

static cudaError_t of_property(cudaStream_t s, const void *out)
{
	uint64_t n;

	return noted(!stream_number(s, &n) ? cudaErrorInvalidResourceHandle
		     : out                 ? cudaSuccess
					   : cudaErrorInvalidValue);
}

API cudaError_t cudaStreamGetFlags(cudaStream_t s, unsigned *flags)
{
	cudaError_t e = of_property(s, flags);

	if (!e)
		*flags = stream_apart(s) ? NON_BLOCKING : 0;
	return e;
}

API cudaError_t cudaStreamGetPriority(cudaStream_t s, int *priority)
{
	cudaError_t e = of_property(s, priority);

	if (!e)
		*priority = 0;
	return e;
}
ALSO(cudaStreamGetPriority, cudaStreamGetDevice);

API cudaError_t cudaStreamGetId(cudaStream_t s, unsigned long long *id)
{
	cudaError_t e = of_property(s, id);
	uint64_t n;

	if (!e) {
		stream_number(s, &n);
		*id = n;
	}
	return e;
}

API cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
	if (least)
		*least = 0;
	if (greatest)
		*greatest = 0;
	return cudaSuccess;
}

API cudaError_t cudaStreamDestroy(cudaStream_t s)
{
	cudaError_t e;

	if ((uintptr_t)s <= STREAM_PER_THREAD)
		return noted(cudaErrorInvalidResourceHandle);
	e = of_stream(WIRE_STREAM_END, s);
	if (!e) {
		owned_ended(OWNED_STREAM, (uintptr_t)s);
		handle_end(HANDLE_STREAM, s);
	}
	return e;
}

API cudaError_t cudaStreamSynchronize(cudaStream_t s)
{
	return of_stream(WIRE_SYNC, s);
}

/* Runs what is pending, so that a loop that asks ends. */
API cudaError_t cudaStreamQuery(cudaStream_t s)
{
	return of_stream(WIRE_SYNC, s);
}

API cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t event, unsigned flags)
{
	uint64_t stream, n;
	cudaError_t e;

	if (flags > 1)
		return noted(cudaErrorInvalidValue);
	if (!stream_number(s, &stream) || !event_number(event, &n))
		return noted(cudaErrorInvalidResourceHandle);
	if (capture_waits(s, stream, event, flags == 1, &e))
		return noted(e);
	return call_simply(WIRE_STREAM_WAIT, stream, n, 0, NULL);
}

/* The host's functions run when what is before them in the stream is complete: at once. */
API cudaError_t cudaStreamAddCallback(cudaStream_t s,
	void (*callback)(cudaStream_t, cudaError_t, void *), void *data, unsigned flags)
{
	uint64_t number;
	cudaError_t e;

	if (!callback || flags)
		return noted(cudaErrorInvalidValue);
	if (!stream_number(s, &number))
		return noted(cudaErrorInvalidResourceHandle);
	if (capture_forbids_wait(number))
		return noted(cudaErrorStreamCaptureUnsupported);
	e = cudaStreamSynchronize(s);
	if (e != cudaErrorInvalidResourceHandle) /* the stream was destroyed */
		callback(s, e, data);
	return e;
}

API cudaError_t cudaLaunchHostFunc(cudaStream_t s, void (*fn)(void *), void *data)
{
	const struct operation op = {.type = OPERATION_HOST, .host = {fn, data}};
	cudaError_t e;
	uint64_t n;

	if (!fn)
		return noted(cudaErrorInvalidValue);
	if (stream_number(s, &n) && capture_takes(n, &op, &e))
		return noted(e);
	e = cudaStreamSynchronize(s);
	if (!e)
		fn(data);
	return e;
}

API cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags)
{
	struct wire_message m;
	cudaError_t e;

	if (!out || flags > 7 || (flags & INTERPROCESS && !(flags & DISABLE_TIMING)))
		return noted(cudaErrorInvalidValue);
	e = call_simply(WIRE_EVENT, 0, 0, 0, &m);
	if (e)
		return e;
	*out = make_handle(HANDLE_EVENT, m.a[0], (flags & DISABLE_TIMING) != 0);
	owned_new(OWNED_EVENT, (uintptr_t)*out);
	if (*out)
		return cudaSuccess;
	call_simply(WIRE_EVENT_END, m.a[0], 0, 0, NULL);
	return noted(cudaErrorMemoryAllocation);
}

API cudaError_t cudaEventCreate(cudaEvent_t *out)
{
	return cudaEventCreateWithFlags(out, 0);
}

API cudaError_t cudaEventDestroy(cudaEvent_t e)
{
	cudaError_t bad;
	uint64_t n;

	if (!event_number(e, &n))
		return noted(cudaErrorInvalidResourceHandle);
	capture_forget_event(e);
	bad = call_simply(WIRE_EVENT_END, n, 0, 0, NULL);
	if (!bad) {
		owned_ended(OWNED_EVENT, (uintptr_t)e);
		handle_end(HANDLE_EVENT, e);
	}
	return bad;
}

API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t s, unsigned flags)
{
	uint64_t n, stream;
	cudaError_t e;

	if (flags > 1)
		return noted(cudaErrorInvalidValue);
	if (!event_number(event, &n) || !stream_number(s, &stream))
		return noted(cudaErrorInvalidResourceHandle);
	if (capture_records(stream, event, flags == 1, &e))
		return noted(e);
	return call_simply(WIRE_RECORD, n, stream, 0, NULL);
}

API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t s)
{
	return cudaEventRecordWithFlags(event, s, 0);
}

API cudaError_t cudaEventSynchronize(cudaEvent_t e)
{
	return of_event(e);
}

API cudaError_t cudaEventQuery(cudaEvent_t e)
{
	return of_event(e);
}

/* In simulated time; milliseconds. */
API cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to)
{
	struct wire_message m;
	uint64_t a, b;
	cudaError_t e;

	if (!ms)
		return noted(cudaErrorInvalidValue);
	if (!event_number(from, &a) || !event_number(to, &b) || has_flag(HANDLE_EVENT, from) ||
		has_flag(HANDLE_EVENT, to))
		return noted(cudaErrorInvalidResourceHandle);
	e = capture_forbids_event(from);
	e = e ? e : capture_forbids_event(to);
	if (e)
		return noted(e);
	e = call_simply(WIRE_ELAPSED, a, b, 0, &m);
	if (!e)
		*ms = (float)((double)(int64_t)m.a[0] * 1e-6);
	return e;
}
ALSO(cudaEventElapsedTime, cudaEventElapsedTime_v2);
