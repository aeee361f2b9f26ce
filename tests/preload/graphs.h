/* What the programs for graphs and pools share: declarations, two kernels, a word of the device. */
#ifndef TESTS_PRELOAD_GRAPHS_H
#define TESTS_PRELOAD_GRAPHS_H

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fatbin.h"

typedef struct {
	unsigned x, y, z;
} dim3;
typedef struct {
	const void *function;
	dim3 grid, block;
	unsigned shared;
	void **values, **extra;
} kernel_node;
typedef struct {
	void *to;
	size_t pitch;
	unsigned value, element;
	size_t width, height;
} fill_node;
typedef struct {
	void (*function)(void *);
	void *data;
} host_node;
typedef struct {
	int type, handles, where, device;
	void *security;
	size_t most;
	char reserved[56];
} pool_properties;
typedef struct {
	pool_properties pool;
	const void *access;
	size_t naccess, bytes;
	void *at;
} memory_node;
typedef struct {
	int where, device, flags;
} access_to;
typedef struct {
	int type, reserved[3];
	union {
		kernel_node kernel;
		void *handle;
		long long room[29];
	} of;
	long long more;
} any_node;
typedef struct {
	int result;
	void *wrong, *from;
} update_result;
typedef struct {
	unsigned long long flags;
	void *stream, *wrong;
	int result;
} instantiation;

void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFunction(
	void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
int cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);
int cudaMalloc(void **, size_t), cudaFree(void *), cudaDeviceSynchronize(void);
int cudaMemcpy(void *, const void *, size_t, int), cudaDeviceReset(void), cudaGetLastError(void);
int cudaMemcpyAsync(void *, const void *, size_t, int, void *);
int cudaMemsetAsync(void *, int, size_t, void *);
int cudaLaunchHostFunc(void *, void (*)(void *), void *);
int cudaStreamAddCallback(void *, void (*)(void *, int, void *), void *, unsigned);
int cudaStreamCreateWithFlags(void **, unsigned), cudaStreamSynchronize(void *);
int cudaStreamCreate(void **), cudaStreamDestroy(void *), cudaStreamGetFlags(void *, unsigned *);
int cudaStreamGetPriority(void *, int *), cudaStreamGetId(void *, unsigned long long *);
int cudaStreamGetDevice(void *, int *);
int cudaEventCreate(void **), cudaEventRecord(void *, void *), cudaEventQuery(void *);
int cudaEventRecordWithFlags(void *, void *, unsigned),
	cudaStreamWaitEvent(void *, void *, unsigned);
int cudaEventElapsedTime(float *, void *, void *), cudaEventDestroy(void *);
int cudaMallocAsync(void **, size_t, void *), cudaFreeAsync(void *, void *);
int cudaMallocFromPoolAsync(void **, size_t, void *, void *);
int cudaMemPoolCreate(void **, const pool_properties *), cudaMemPoolDestroy(void *);
int cudaMemPoolGetAttribute(void *, int, void *), cudaMemPoolSetAttribute(void *, int, void *);
int cudaMemPoolTrimTo(void *, size_t), cudaDeviceGetDefaultMemPool(void **, int);
int cudaDeviceGetMemPool(void **, int), cudaDeviceSetMemPool(int, void *);
int cudaMemPoolSetAccess(void *, const access_to *, size_t);
int cudaMemPoolGetAccess(int *, void *, const access_to *);
int cudaMemPoolExportPointer(void *, void *), cudaDeviceGetAttribute(int *, int, int);
int cudaGraphCreate(void **, unsigned), cudaGraphDestroy(void *), cudaGraphClone(void **, void *);
int cudaGraphAddKernelNode(void **, void *, void **, size_t, const kernel_node *);
int cudaGraphAddMemcpyNode1D(void **, void *, void **, size_t, void *, const void *, size_t, int);
int cudaGraphAddMemsetNode(void **, void *, void **, size_t, const fill_node *);
int cudaGraphAddHostNode(void **, void *, void **, size_t, const host_node *);
int cudaGraphAddEmptyNode(void **, void *, void **, size_t);
int cudaGraphAddEventRecordNode(void **, void *, void **, size_t, void *);
int cudaGraphAddEventWaitNode(void **, void *, void **, size_t, void *);
int cudaGraphAddChildGraphNode(void **, void *, void **, size_t, void *);
int cudaGraphAddMemAllocNode(void **, void *, void **, size_t, memory_node *);
int cudaGraphAddMemFreeNode(void **, void *, void **, size_t, void *);
int cudaGraphChildGraphNodeGetGraph(void *, void **);
int cudaGraphGetNodes(void *, void **, size_t *), cudaGraphGetRootNodes(void *, void **, size_t *);
int cudaGraphNodeGetType(void *, int *), cudaGraphNodeFindInClone(void **, void *, void *);
int cudaGraphDestroyNode(void *),
	cudaGraphInstantiateWithFlags(void **, void *, unsigned long long);
int cudaGraphInstantiateWithParams(void **, void *, instantiation *);
int cudaGraphExecGetFlags(void *, unsigned long long *);
int cudaGraphLaunch(void *, void *), cudaGraphUpload(void *, void *), cudaGraphExecDestroy(void *);
int cudaGraphKernelNodeGetParams(void *, kernel_node *);
int cudaGraphKernelNodeSetParams(void *, const kernel_node *);
int cudaGraphExecKernelNodeSetParams(void *, void *, const kernel_node *);
int cudaGraphExecMemsetNodeSetParams(void *, void *, const fill_node *);
int cudaGraphExecChildGraphNodeSetParams(void *, void *, void *);
int cudaGraphMemsetNodeGetParams(void *, fill_node *);
int cudaGraphNodeSetEnabled(void *, void *, unsigned),
	cudaGraphNodeGetEnabled(void *, void *, unsigned *);
int cudaDeviceGetGraphMemAttribute(int, int, void *), cudaDeviceGraphMemTrim(int);
int cudaStreamBeginCapture(void *, int), cudaStreamEndCapture(void *, void **);
int cudaStreamBeginCaptureToGraph(void *, void *, void **, const void *, size_t, int);
int cudaStreamIsCapturing(void *, int *), cudaThreadExchangeStreamCaptureMode(int *);
int cudaUserObjectCreate(void **, void *, void (*)(void *), unsigned, unsigned);
int cudaUserObjectRelease(void *, unsigned),
	cudaGraphRetainUserObject(void *, void *, unsigned, unsigned);
#if TESTED >= 13
int cudaGraphGetEdges(void *, void **, void **, void *, size_t *);
int cudaGraphNodeGetDependencies(void *, void **, void *, size_t *);
int cudaGraphNodeGetDependentNodes(void *, void **, void *, size_t *);
int cudaGraphAddDependencies(void *, void **, void **, const void *, size_t);
int cudaGraphRemoveDependencies(void *, void **, void **, const void *, size_t);
int cudaGraphAddNode(void **, void *, void **, const void *, size_t, any_node *);
int cudaStreamGetCaptureInfo(
	void *, int *, unsigned long long *, void **, void ***, const void **, size_t *);
int cudaStreamUpdateCaptureDependencies(void *, void **, const void *, size_t, unsigned);
#define EDGES NULL,
#define INFO(s, status, id, n) cudaStreamGetCaptureInfo(s, status, id, NULL, NULL, NULL, n)
#else
int cudaGraphGetEdges(void *, void **, void **, size_t *);
int cudaGraphNodeGetDependencies(void *, void **, size_t *);
int cudaGraphNodeGetDependentNodes(void *, void **, size_t *);
int cudaGraphAddDependencies(void *, void **, void **, size_t);
int cudaGraphRemoveDependencies(void *, void **, void **, size_t);
int cudaGraphAddNode(void **, void *, void **, size_t, any_node *);
int cudaStreamGetCaptureInfo_v2(void *, int *, unsigned long long *, void **, void ***, size_t *);
int cudaStreamUpdateCaptureDependencies(void *, void **, size_t, unsigned);
#define EDGES
#define INFO(s, status, id, n) cudaStreamGetCaptureInfo_v2(s, status, id, NULL, NULL, n)
#endif
#if TESTED >= 12
int cudaGraphInstantiate(void **, void *, unsigned long long);
int cudaGraphExecUpdate(void *, void *, update_result *);
#define INSTANTIATE(out, graph) cudaGraphInstantiate(out, graph, 0)
#else
int cudaGraphInstantiate(void **, void *, void **, char *, size_t);
int cudaGraphExecUpdate(void *, void *, void **, int *);
#define INSTANTIATE(out, graph) cudaGraphInstantiate(out, graph, NULL, NULL, 0)
#endif
const char *cudaGetErrorName(int);

enum { TO_DEVICE = 1, TO_HOST, ON_DEVICE };
static char append_stub, spin_stub;
static const dim3 one = {1, 1, 1};
static uint32_t *word; /* of the device: digits show the order of kernels */

__attribute__((constructor)) static void enter(void)
{
	void **handle = __cudaRegisterFatBinary((void *)(uintptr_t)&wrapper);

	__cudaRegisterFunction(handle, &append_stub, NULL, "append", -1, 0, 0, 0, 0, 0);
	__cudaRegisterFunction(handle, &spin_stub, NULL, "spin", -1, 0, 0, 0, 0, 0);
}

static void show(const char *name, int error)
{
	printf("%s: %s\n", name, cudaGetErrorName(error));
	fflush(stdout);
}

static int append(uint32_t *p, uint32_t digit, void *stream)
{
	void *args[] = {&p, &digit};

	return cudaLaunchKernel(&append_stub, one, one, args, 0, stream);
}

static int spin(uint32_t *p, uint32_t n, void *stream)
{
	void *args[] = {&p, &n};

	return cudaLaunchKernel(&spin_stub, one, one, args, 0, stream);
}

static uint32_t read_word(const uint32_t *p)
{
	uint32_t v = 0;

	cudaMemcpy(&v, p, 4, TO_HOST);
	return v;
}

/* What the graph makes of 0. */
static uint32_t result_of(void *exec, void *stream)
{
	const uint32_t zero = 0;
	int e;

	cudaMemcpy(word, &zero, 4, TO_DEVICE);
	e = cudaGraphLaunch(exec, stream);
	if (e)
		show("launch", e);
	cudaStreamSynchronize(stream);
	return read_word(word);
}

static kernel_node kernel_of(void **args, uint32_t **p, uint32_t *digit)
{
	args[0] = p;
	args[1] = digit;
	return (kernel_node){&append_stub, one, one, 0, args, NULL};
}

static void *add_append(void *graph, void **after, size_t n, uint32_t digit)
{
	void *args[2], *node = NULL;
	kernel_node k = kernel_of(args, &word, &digit);
	int e = cudaGraphAddKernelNode(&node, graph, after, n, &k);

	if (e)
		show("kernel node", e);
	return node;
}

static int calls;
static void count_call(void *by)
{
	calls += *(int *)by;
}

struct part {
	const char *name;
	void (*run)(void);
};

static int run_part(const struct part *parts, unsigned n, const char *name)
{
	cudaMalloc((void **)&word, 64);
	for (unsigned i = 0; i < n; i++)
		if (name && !strcmp(name, parts[i].name))
			parts[i].run();
	return 0;
}

#endif
