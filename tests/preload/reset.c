/* A CUDA program that uses what it has destroyed, or lost with a reset, when others of the kind
 * have been made. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef CUDA_FATBIN /* compiled by a test, with our library */
#include "fatbin.h"

typedef struct {
	unsigned x, y, z;
} dim3;
typedef struct {
	int x, y, z, w, kind;
} format;
typedef struct {
	size_t width, height, depth;
} extent;
typedef struct {
	int type;
	union {
		void *array;
		int room[32];
	} of;
} resource;
typedef struct {
	int mode[3], linear, as_float, srgb;
	float border[4];
	int normalised;
	unsigned anisotropy;
	int blend;
	float bias, least, most;
	int more[4];
} reading;
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFunction(
	void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);
int cudaMemcpyToSymbol(const void *, const void *, size_t, size_t, int);
int cudaMemcpyFromSymbol(void *, const void *, size_t, size_t, int);
int cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);
int cudaMalloc(void **, size_t), cudaFree(void *), cudaDeviceReset(void);
int cudaMallocManaged(void **, size_t, unsigned), cudaMallocAsync(void **, size_t, void *);
int cudaHostAlloc(void **, size_t, unsigned), cudaFreeHost(void *);
int cudaHostRegister(void *, size_t, unsigned), cudaHostUnregister(void *);
int cudaMemcpy(void *, const void *, size_t, int), cudaMemset(void *, int, size_t);
int cudaMemsetAsync(void *, int, size_t, void *), cudaMemGetInfo(size_t *, size_t *);
int cudaStreamCreate(void **), cudaStreamDestroy(void *), cudaStreamSynchronize(void *);
int cudaStreamQuery(void *), cudaStreamWaitEvent(void *, void *, unsigned);
int cudaStreamGetFlags(void *, unsigned *);
int cudaEventCreate(void **), cudaEventDestroy(void *), cudaEventRecord(void *, void *);
int cudaEventSynchronize(void *), cudaEventQuery(void *);
int cudaEventElapsedTime(float *, void *, void *);
int cudaMallocArray(void **, const format *, size_t, size_t, unsigned), cudaFreeArray(void *);
int cudaMemcpyToArray(void *, size_t, size_t, const void *, size_t, int);
int cudaMallocMipmappedArray(void **, const format *, extent, unsigned, unsigned);
int cudaFreeMipmappedArray(void *), cudaGetMipmappedArrayLevel(void **, void *, unsigned);
int cudaCreateTextureObject(uint64_t *, const resource *, const reading *, const void *);
int cudaCreateSurfaceObject(uint64_t *, const resource *), cudaDestroySurfaceObject(uint64_t);
int cudaDestroyTextureObject(uint64_t);
int cudaGraphCreate(void **, unsigned), cudaGraphDestroy(void *);
int cudaGraphInstantiateWithFlags(void **, void *, unsigned long long),
	cudaGraphExecDestroy(void *);
int cudaGraphLaunch(void *, void *), cudaGraphAddEmptyNode(void **, void *, void *const *, size_t);
int cudaMemPoolCreate(void **, const void *), cudaMemPoolDestroy(void *);
int cudaMemPoolTrimTo(void *, size_t), cudaStreamBeginCapture(void *, int);
int cudaStreamEndCapture(void *, void **), cudaDeviceSynchronize(void);
int cudaThreadExchangeStreamCaptureMode(int *);
const char *cudaGetErrorName(int);

static char stub, step;
static const dim3 one = {1, 1, 1}, warp = {32, 1, 1};
static const format floats = {32, 0, 0, 0, 2};
static const int pool_of[22] = {1, 0, 1, 0};

__attribute__((constructor)) static void enter(void)
{
	void **handle = __cudaRegisterFatBinary((void *)(uintptr_t)&wrapper);

	__cudaRegisterFunction(handle, &stub, NULL, "fill", -1, 0, 0, 0, 0, 0);
	__cudaRegisterVar(handle, &step, NULL, "step", 0, 4, 0, 0);
}

static void show(const char *name, int error)
{
	printf("%s: %s\n", name, cudaGetErrorName(error));
	fflush(stdout);
}

static int fill(void *p, void *stream)
{
	int first = 3;
	void *args[] = {&p, &first};

	return cudaLaunchKernel(&stub, one, warp, args, 0, stream);
}

static void use_stream(void *s, void *event)
{
	void *p;

	cudaMalloc(&p, 128);
	show("synchronize", cudaStreamSynchronize(s));
	show("query", cudaStreamQuery(s));
	show("flags", cudaStreamGetFlags(s, &(unsigned){0}));
	show("wait", cudaStreamWaitEvent(s, event, 0));
	show("launch", fill(p, s));
	show("set", cudaMemsetAsync(p, 0, 4, s));
	show("record", cudaEventRecord(event, s));
	show("allocate", cudaMallocAsync(&p, 4, s));
	show("destroy", cudaStreamDestroy(s));
}

static void use_event(void *e)
{
	void *good;
	float ms;

	cudaEventCreate(&good);
	cudaEventRecord(good, NULL);
	show("record", cudaEventRecord(e, NULL));
	show("synchronize", cudaEventSynchronize(e));
	show("query", cudaEventQuery(e));
	show("elapsed", cudaEventElapsedTime(&ms, good, e));
	show("waited for", cudaStreamWaitEvent(NULL, e, 0));
	show("destroy", cudaEventDestroy(e));
}

/* Each was destroyed, and another of the kind made, which keeps working. */
static void stale(void)
{
	void *old, *new, *event, *graph, *exec;
	float word = 5;

	cudaEventCreate(&event);
	cudaStreamCreate(&old);
	cudaStreamDestroy(old);
	cudaStreamCreate(&new);
	use_stream(old, event);
	show("new stream", cudaStreamSynchronize(new));
	cudaEventCreate(&old);
	cudaEventDestroy(old);
	cudaEventCreate(&new);
	use_event(old);
	show("new event", cudaEventSynchronize(new));
	cudaMallocArray(&old, &floats, 8, 4, 0);
	cudaFreeArray(old);
	cudaMallocArray(&new, &floats, 8, 4, 0);
	show("array", cudaMemcpyToArray(old, 0, 0, &word, 4, 1));
	show("array", cudaFreeArray(old));
	show("new array", cudaMemcpyToArray(new, 0, 0, &word, 4, 1));
	cudaMallocMipmappedArray(&old, &floats, (extent){8, 4, 0}, 2, 0);
	cudaGetMipmappedArrayLevel(&event, old, 1);
	cudaFreeMipmappedArray(old);
	cudaMallocMipmappedArray(&new, &floats, (extent){8, 4, 0}, 2, 0);
	show("level", cudaMemcpyToArray(event, 0, 0, &word, 4, 1));
	show("mipmap", cudaFreeMipmappedArray(old));
	show("new mipmap", cudaFreeMipmappedArray(new));
	cudaGraphCreate(&old, 0);
	cudaGraphInstantiateWithFlags(&exec, old, 0);
	cudaGraphDestroy(old);
	cudaGraphCreate(&graph, 0);
	show("graph", cudaGraphAddEmptyNode(&new, old, NULL, 0));
	show("graph", cudaGraphDestroy(old));
	cudaGraphExecDestroy(exec);
	cudaGraphInstantiateWithFlags(&new, graph, 0);
	show("executable", cudaGraphLaunch(exec, NULL));
	show("new executable", cudaGraphLaunch(new, NULL));
	cudaMemPoolCreate(&old, pool_of);
	cudaMemPoolDestroy(old);
	cudaMemPoolCreate(&new, pool_of);
	show("pool", cudaMemPoolTrimTo(old, 0));
	show("pool", cudaMemPoolDestroy(old));
	show("new pool", cudaMemPoolDestroy(new));
	for (int i = 0; i < 3000; i++) { /* handles are not used up */
		if (cudaStreamCreate(&new) || cudaStreamDestroy(new) || !cudaStreamQuery(new))
			break;
		if (i == 2999)
			printf("many\n");
	}
}

#define KINDS 10

/* One of each kind. */
static void make_all(void *made[KINDS], uint64_t object[3])
{
	reading r = {.mode = {1, 1, 1}};
	resource of = {.type = 0};

	cudaStreamCreate(&made[0]);
	cudaEventCreate(&made[1]);
	cudaMallocArray(&made[2], &floats, 8, 4, 2);
	cudaMallocMipmappedArray(&made[3], &floats, (extent){8, 4, 0}, 2, 0);
	cudaGraphCreate(&made[4], 0);
	cudaGraphInstantiateWithFlags(&made[5], made[4], 0);
	cudaMemPoolCreate(&made[6], pool_of);
	cudaMallocManaged(&made[7], 4096, 1);
	cudaHostAlloc(&made[8], 4096, 2);
	cudaHostAlloc(&made[9], 4096, 0);
	of.of.array = made[2];
	cudaCreateTextureObject(&object[0], &of, &r, NULL);
	cudaCreateSurfaceObject(&object[1], &of);
	r.normalised = 1;
	of.type = 1;
	of.of.array = made[3];
	cudaCreateTextureObject(&object[2], &of, &r, NULL);
}

static void reset(void)
{
	size_t before, after, all;
	uint64_t object[3], again[3];
	int same = 0;
	void *made[KINDS], *p, *q, *more[KINDS];
	char *own;

	cudaMalloc(&p, 128);
	fill(p, NULL);
	cudaDeviceSynchronize();
	cudaFree(p);
	cudaMemGetInfo(&before, &all);
	if (posix_memalign((void **)&own, 4096, 8192))
		return;
	memset(own, 6, 8192);
	show("register", cudaHostRegister(own, 4096, 2));
	cudaMalloc(&p, 128);
	cudaMallocAsync(&q, 128, NULL);
	make_all(made, object);
	show("launch", fill(made[7], made[0]));
	show("reset", cudaDeviceReset());
	cudaMemGetInfo(&after, &all);
	printf("free as before: %d\n", before == after);
	show("stream", cudaStreamSynchronize(made[0]));
	show("event", cudaEventSynchronize(made[1]));
	show("array", cudaFreeArray(made[2]));
	show("mipmap", cudaFreeMipmappedArray(made[3]));
	show("graph", cudaGraphDestroy(made[4]));
	show("executable", cudaGraphLaunch(made[5], NULL));
	show("pool", cudaMemPoolTrimTo(made[6], 0));
	show("managed", cudaFree(made[7]));
	show("mapped", cudaFreeHost(made[8]));
	show("pinned", cudaFreeHost(made[9]));
	show("texture", cudaDestroyTextureObject(object[0]));
	show("surface", cudaDestroySurfaceObject(object[1]));
	show("mipmapped", cudaDestroyTextureObject(object[2]));
	show("memory", cudaFree(p));
	show("memory of a pool", cudaFree(q));
	show("unregister", cudaHostUnregister(own));
	own[0]++;
	printf("kept: %d %d %d\n", own[0], own[4095], own[4096]);
	make_all(more, again);
	printf("textures: %d\n", (int)again[0] <= 4 && (int)again[1] <= 4 && (int)again[2] <= 4 &&
					 again[0] != object[0] && again[1] != object[1] &&
					 again[2] != object[2]);
	show("launch", fill(more[7], more[0]));
	show("wait", cudaStreamSynchronize(more[0]));
	printf("filled: %d\n", ((int *)more[7])[5] == 8);
	for (int i = 0; i < 7; i++)
		same += more[i] == made[i];
	printf("handles used again: %d\n", same);
}

/* A module's variable is as it was at first. */
static void variable(void)
{
	int five = 5, out[32], now;
	void *p;

	for (int turn = 0; turn < 2; turn++) {
		cudaMalloc(&p, 128);
		fill(p, NULL);
		cudaMemcpy(out, p, 128, 2);
		cudaMemcpyFromSymbol(&now, &step, 4, 0, 2);
		printf("%d: step %d, %d\n", turn, now, out[2] - out[1]);
		cudaMemcpyToSymbol(&step, &five, 4, 0, 1);
		fill(p, NULL);
		cudaMemcpy(out, p, 128, 2);
		printf("%d: then %d\n", turn, out[2] - out[1]);
		show("reset", cudaDeviceReset());
	}
}

/* Nothing may be captured. */
static void captured(void)
{
	int mode = 2;
	void *s, *graph;

	cudaThreadExchangeStreamCaptureMode(&mode);
	cudaStreamCreate(&s);
	show("begin", cudaStreamBeginCapture(s, 2));
	show("reset", cudaDeviceReset());
	show("end", cudaStreamEndCapture(s, &graph));
	show("reset", cudaDeviceReset());
	show("end", cudaGraphDestroy(graph));
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "stale"))
		stale();
	if (!strcmp(what, "reset"))
		reset();
	if (!strcmp(what, "variable"))
		variable();
	if (!strcmp(what, "captured"))
		captured();
	return 0;
}

#endif
