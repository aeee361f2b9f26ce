/* A CUDA program for stream-ordered allocation, and streams that are captured. */
#include <stdint.h>

#ifdef CUDA_FATBIN /* compiled by a test, with our library */
#include "graphs.h"

/* ---- pools */
static uint64_t attribute(void *pool, int which)
{
	uint64_t v = 0;

	cudaMemPoolGetAttribute(pool, which, &v);
	return v;
}

static void memory_is_the_streams_again(void)
{
	void *s, *t, *p, *q, *r, *pool;
	int supported = 0;

	cudaDeviceGetAttribute(&supported, 115, 0);
	cudaStreamCreate(&s);
	cudaStreamCreate(&t);
	show("default", cudaDeviceGetDefaultMemPool(&pool, 0));
	show("malloc", cudaMallocAsync(&p, 1000, s));
	spin(p, 100, s);
	show("free", cudaFreeAsync(p, s));
	cudaMallocAsync(&q, 1000, t);
	cudaMallocAsync(&r, 900, s);
	printf("supported %d, other stream other memory %d, same stream same memory %d\n",
		supported, p != q, p == r);
	printf("reserved %llu, used %llu\n", (unsigned long long)attribute(pool, 5),
		(unsigned long long)attribute(pool, 7));
	cudaFreeAsync(q, t);
	cudaFreeAsync(r, s);
	cudaStreamSynchronize(s);
	cudaDeviceSynchronize();
	printf("reserved %llu of %llu, used %llu of %llu\n", (unsigned long long)attribute(pool, 5),
		(unsigned long long)attribute(pool, 6), (unsigned long long)attribute(pool, 7),
		(unsigned long long)attribute(pool, 8));
}

static void pools_keep_what_they_are_told(void)
{
	pool_properties props = {.type = 1, .where = 1, .most = 4096};
	access_to access = {1, 0, 3}, other = {1, 1, 3};
	uint64_t threshold = UINT64_MAX, zero = 0;
	void *pool, *p, *q, *now;
	int flags = 0, off = 0, on = 1;

	show("create", cudaMemPoolCreate(&pool, &props));
	show("set", cudaMemPoolSetAttribute(pool, 4, &threshold));
	show("current", cudaDeviceSetMemPool(0, pool));
	cudaDeviceGetMemPool(&now, 0);
	cudaMallocAsync(&p, 2048, NULL);
	cudaFreeAsync(p, NULL);
	cudaDeviceSynchronize();
	printf("current %d, reserved %llu, used %llu\n", now == pool,
		(unsigned long long)attribute(pool, 5), (unsigned long long)attribute(pool, 7));
	show("high", cudaMemPoolSetAttribute(pool, 8, &zero));
	show("reuse", cudaMemPoolSetAttribute(pool, 1, &off));
	cudaMemPoolGetAttribute(pool, 1, &on);
	show("trim", cudaMemPoolTrimTo(pool, 0));
	printf("reuse %d, reserved %llu, high %llu\n", on, (unsigned long long)attribute(pool, 5),
		(unsigned long long)attribute(pool, 8));
	show("access", cudaMemPoolSetAccess(pool, &access, 1));
	show("has", cudaMemPoolGetAccess(&flags, pool, &access));
	show("of another", cudaMemPoolSetAccess(pool, &other, 1));
	show("too large", cudaMallocFromPoolAsync(&q, 8192, pool, NULL));
	show("from pool", cudaMallocFromPoolAsync(&q, 512, pool, NULL));
	show("destroy", cudaMemPoolDestroy(pool));
	show("from destroyed", cudaMallocFromPoolAsync(&p, 512, pool, NULL));
	show("free", cudaFree(q));
	show("gone", cudaMemPoolDestroy(pool));
	printf("flags %d\n", flags);
}

static void pools_refuse(void)
{
	pool_properties props = {.type = 2, .where = 1};
	char export_data[64];
	void *p, *pool, *s = NULL;
	uint64_t v = 1;

	cudaDeviceGetDefaultMemPool(&pool, 0);
	show("null", cudaMallocAsync(NULL, 4, NULL));
	show("nothing", cudaMallocAsync(&p, 0, NULL));
	show("huge", cudaMallocAsync(&p, (size_t)1 << 62, NULL));
	show("stream", cudaMallocAsync(&p, 4, (void *)&p));
	show("free null", cudaFreeAsync(NULL, NULL));
	show("free what is not", cudaFreeAsync((void *)0x123456000, NULL));
	show("no pool", cudaMallocFromPoolAsync(&p, 4, NULL, NULL));
	show("kind", cudaMemPoolCreate(&p, &props));
	show("shared",
		cudaMemPoolCreate(&p, &(pool_properties){.type = 1, .handles = 1, .where = 1}));
	show("attribute", cudaMemPoolGetAttribute(pool, 9, &v));
	show("read only", cudaMemPoolSetAttribute(pool, 5, &v));
	show("high", cudaMemPoolSetAttribute(pool, 6, &v));
	show("default", cudaMemPoolDestroy(pool));
	show("device", cudaDeviceGetDefaultMemPool(&p, 1));
	show("export", cudaMemPoolExportPointer(export_data, &s));
	cudaMallocAsync(&p, 4, NULL);
	show("twice", cudaFreeAsync(p, NULL) + cudaFreeAsync(p, NULL));
	cudaMalloc(&p, 4);
	show("of cudaMalloc", cudaFreeAsync(p, NULL));
}

/* ---- capture */
static void captured_streams_become_a_graph(void)
{
	void *s, *t, *fork, *join, *g, *x, *own;
	unsigned long long id = 0;
	size_t n = 0;
	int status[3] = {-1, -1, -1};

	cudaStreamCreateWithFlags(&s, 1);
	cudaStreamCreateWithFlags(&t, 1);
	cudaEventCreate(&fork);
	cudaEventCreate(&join);
	cudaStreamIsCapturing(s, &status[0]);
	show("begin", cudaStreamBeginCapture(s, 0));
	append(word, 1, s);
	cudaEventRecord(fork, s);
	show("fork", cudaStreamWaitEvent(t, fork, 0));
	append(word, 2, t);
	cudaStreamIsCapturing(t, &status[1]);
	cudaLaunchHostFunc(t, count_call, &(int){10});
	cudaEventRecord(join, t);
	show("join", cudaStreamWaitEvent(s, join, 0));
	append(word, 3, s);
	cudaMemsetAsync(word + 1, 1, 4, s);
	INFO(s, &status[2], &id, &n);
	printf("done: %u; %d %d %d, capture %d, %zu last\n", read_word(word), status[0], status[1],
		status[2], id != 0, n);
	show("end", cudaStreamEndCapture(s, &g));
	INSTANTIATE(&x, g);
	printf("%u", result_of(x, s));
	printf(", calls %d", calls);
	cudaGraphGetNodes(g, NULL, &n);
	printf(", %zu nodes", n);
	cudaGraphGetEdges(g, NULL, NULL, EDGES & n);
	printf(", %zu edges, filled %x\n", n, read_word(word + 1));
	/* into a graph of the program's; another graph as a child */
	cudaGraphCreate(&own, 0);
	fork = add_append(own, NULL, 0, 5);
	show("to graph", cudaStreamBeginCaptureToGraph(s, own, &fork, NULL, 1, 1));
	cudaGraphLaunch(x, s);
	show("end", cudaStreamEndCapture(s, &g));
	printf("the same %d\n", g == own);
	INSTANTIATE(&x, g);
	printf("%u\n", result_of(x, s));
	/* an event that exists outside */
	cudaEventCreate(&join);
	cudaStreamBeginCapture(s, 2);
	show("external", cudaEventRecordWithFlags(join, s, 1));
	show("external", cudaStreamWaitEvent(s, join, 1));
	cudaStreamEndCapture(s, &g);
	cudaGraphGetNodes(g, NULL, &n);
	printf("%zu nodes, event %s\n", n, cudaGetErrorName(cudaEventQuery(join)));
}

static int other_end;
static void *end_in_another(void *stream)
{
	void *g;

	other_end = cudaStreamEndCapture(stream, &g);
	return NULL;
}

/* Begins, does something wrong, and ends. */
static void capture(const char *name, void *s, int wrong)
{
	void *g = s;

	show(name, wrong);
	show("  then", cudaStreamEndCapture(s, &g));
	if (g)
		cudaGraphDestroy(g);
	cudaGetLastError();
}

static int begin(void *s, int mode)
{
	int e = cudaStreamBeginCapture(s, mode);

	append(word, 1, s);
	return e;
}

static void nothing(void *stream, int error, void *data)
{
	(void)stream;
	(void)error;
	(void)data;
}

static void captures_are_invalidated(void)
{
	void *s, *t, *p, *g;
	int mode = 2;

	cudaStreamCreate(&s);
	cudaStreamCreateWithFlags(&t, 1);
	show("default", cudaStreamBeginCapture(NULL, 0));
	show("mode", cudaStreamBeginCapture(s, 3));
	show("not begun", cudaStreamEndCapture(s, &g));
	begin(s, 0);
	capture("begun", s, cudaStreamBeginCapture(s, 0));
	begin(s, 2);
	capture("synchronise", s, cudaStreamSynchronize(s));
	begin(s, 2);
	capture("callback", s, cudaStreamAddCallback(s, nothing, NULL, 0));
	begin(s, 2);
	capture("implicit", s, cudaMemcpy(&mode, word, 4, TO_HOST));
	begin(t, 2);
	capture("apart", t, cudaMemsetAsync(word, 0, 4, NULL));
	begin(s, 0);
	capture("malloc", s, cudaMalloc(&p, 4));
	begin(t, 1);
	capture("device", t, cudaDeviceSynchronize());
	begin(t, 2);
	capture("relaxed", t, cudaMalloc(&p, 4));
	begin(t, 0);
	mode = 2;
	cudaThreadExchangeStreamCaptureMode(&mode);
	capture("exchanged", t, cudaMalloc(&p, 4));
	printf("mode %d\n", mode);
	cudaThreadExchangeStreamCaptureMode(&mode);
}

static void captures_cross_wrongly(void)
{
	void *s, *t, *u, *event, *outside, *g;
	pthread_t thread;

	cudaStreamCreate(&s);
	cudaStreamCreateWithFlags(&t, 1);
	cudaStreamCreateWithFlags(&u, 1);
	cudaEventCreate(&event);
	cudaEventCreate(&outside);
	cudaEventRecord(outside, t);
	begin(t, 2);
	capture("isolation", t, cudaStreamWaitEvent(t, outside, 0));
	begin(t, 2);
	begin(u, 2);
	cudaEventRecord(event, u);
	capture("merge", t, cudaStreamWaitEvent(t, event, 0));
	capture("merged", u, 0);
	begin(t, 2);
	cudaEventRecord(event, t);
	cudaStreamWaitEvent(u, event, 0);
	append(word, 1, u);
	capture("unjoined", t, 0);
	begin(t, 2);
	cudaEventRecord(event, t);
	cudaStreamWaitEvent(u, event, 0);
	capture("unmatched", t, cudaStreamEndCapture(u, &g));
	begin(t, 2);
	cudaEventRecord(event, t);
	capture("captured event", t, cudaEventQuery(event));
	show("of an ended one", cudaStreamWaitEvent(u, event, 0));
	begin(t, 2);
	cudaStreamSynchronize(t);
	capture("invalid", t, append(word, 1, t));
	begin(t, 1);
	pthread_create(&thread, NULL, end_in_another, t);
	pthread_join(thread, NULL);
	capture("thread", t, other_end);
	begin(t, 2);
	cudaEventRecord(event, t);
	cudaStreamWaitEvent(u, event, 0);
	capture("left", t, cudaStreamDestroy(u));
	show("still works", append(word, 1, s) + cudaDeviceSynchronize());
}

static void streams_have_properties(void)
{
	unsigned flags = 7;
	int priority = 7, device = 7;
	unsigned long long id = 0;
	void *s;

	cudaStreamCreateWithFlags(&s, 1);
	show("flags", cudaStreamGetFlags(s, &flags));
	cudaStreamGetPriority(s, &priority);
	cudaStreamGetDevice(s, &device);
	cudaStreamGetId(s, &id);
	printf("%u %d %d %d\n", flags, priority, device, id != 0);
	show("null", cudaStreamGetFlags(s, NULL));
	show("no stream", cudaStreamGetFlags(&s, &flags));
}

int main(int argc, char **argv)
{
	static const struct part parts[] = {{"memory", memory_is_the_streams_again},
		{"pools", pools_keep_what_they_are_told}, {"pools_wrong", pools_refuse},
		{"capture", captured_streams_become_a_graph},
		{"capture_wrong", captures_are_invalidated},
		{"capture_cross", captures_cross_wrongly}, {"streams", streams_have_properties}};

	return run_part(parts, sizeof(parts) / sizeof(*parts), argc > 1 ? argv[1] : NULL);
}

#endif
