/* CUDA 13's runtime as far as tests/preload/functions.c calls it, and its checks. */
#ifndef TESTS_PRELOAD_FUNCTIONS_H
#define TESTS_PRELOAD_FUNCTIONS_H

#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef struct {
	unsigned x, y, z;
} dim3;
typedef struct {
	size_t width, height, depth;
} extent;
typedef struct {
	void *at;
	size_t pitch, width, height;
} pitched;
typedef struct {
	void *from;
	size_t from_at[3];
	pitched from_ptr;
	void *to;
	size_t to_at[3];
	pitched to_ptr;
	extent n;
	int kind;
} copy_3d;
typedef struct {
	int kind, id;
} location;
struct attributes {
	size_t shared, constant, local;
	int most_threads, registers, ptx, binary, rest[25];
};

void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFunction(
	void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);

int cudaMalloc(void **, size_t), cudaFree(void *), cudaMemGetInfo(size_t *, size_t *);
int cudaMallocPitch(void **, size_t *, size_t, size_t), cudaMalloc3D(pitched *, extent);
int cudaMemcpy(void *, const void *, size_t, int);
int cudaMemcpyAsync(void *, const void *, size_t, int, void *);
int cudaMemcpyPeerAsync(void *, int, const void *, int, size_t, void *);
int cudaMemset(void *, int, size_t), cudaMemsetAsync(void *, int, size_t, void *);
int cudaMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t, int);
int cudaMemset2D(void *, size_t, int, size_t, size_t), cudaMemcpy3D(const copy_3d *);
int cudaHostAlloc(void **, size_t, unsigned), cudaMallocHost(void **, size_t), cudaFreeHost(void *);
int cudaHostGetDevicePointer(void **, void *, unsigned);
int cudaHostRegister(void *, size_t, unsigned), cudaHostUnregister(void *);
int cudaMallocManaged(void **, size_t, unsigned);
int cudaMemPrefetchAsync(const void *, size_t, location, unsigned, void *);
int cudaMemAdvise(const void *, size_t, int, location);
int cudaStreamAttachMemAsync(void *, void *, size_t, unsigned);

int cudaStreamCreate(void **), cudaStreamCreateWithFlags(void **, unsigned);
int cudaStreamCreateWithPriority(void **, unsigned, int), cudaStreamDestroy(void *);
int cudaDeviceGetStreamPriorityRange(int *, int *);
int cudaStreamSynchronize(void *), cudaStreamQuery(void *);
int cudaStreamWaitEvent(void *, void *, unsigned);
int cudaStreamAddCallback(void *, void (*)(void *, int, void *), void *, unsigned);
int cudaLaunchHostFunc(void *, void (*)(void *), void *);
int cudaEventCreate(void **), cudaEventCreateWithFlags(void **, unsigned), cudaEventDestroy(void *);
int cudaEventRecord(void *, void *), cudaEventQuery(void *), cudaEventSynchronize(void *);
int cudaEventElapsedTime(float *, void *, void *);

int cudaGetDeviceCount(int *), cudaSetDevice(int), cudaGetDevice(int *);
int cudaGetDeviceProperties(void *, int), cudaDeviceGetAttribute(int *, int, int);
int cudaSetDeviceFlags(unsigned), cudaDeviceSetLimit(int, size_t);
int cudaDeviceGetLimit(size_t *, int), cudaDeviceCanAccessPeer(int *, int, int);
int cudaDeviceEnablePeerAccess(int, unsigned), cudaDeviceDisablePeerAccess(int);
int cudaDeviceSynchronize(void), cudaThreadSynchronize(void), cudaDeviceReset(void);
int cudaProfilerStart(void), cudaProfilerStop(void);

int cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);
int cudaLaunchCooperativeKernel(const void *, dim3, dim3, void **, size_t, void *);
int cudaFuncGetAttributes(struct attributes *, const void *);
int cudaFuncSetCacheConfig(const void *, int), cudaFuncSetAttribute(const void *, int, int);
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, const void *, int, size_t);
int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
	int *, const void *, int, size_t, unsigned);

int cudaOccupancyAvailableDynamicSMemPerBlock(size_t *, const void *, int, int);
int cudaFuncGetName(const char **, const void *), cudaHostGetFlags(unsigned *, void *);
int cudaDeviceSetCacheConfig(int), cudaDeviceGetCacheConfig(int *);
int cudaDeviceSetSharedMemConfig(int), cudaDeviceGetSharedMemConfig(int *);
int cudaGetDeviceFlags(unsigned *), cudaInitDevice(int, unsigned, unsigned);
int cudaChooseDevice(int *, const void *), cudaSetValidDevices(const int *, int);
int cudaDeviceGetPCIBusId(char *, int, int), cudaDeviceGetByPCIBusId(int *, const char *);
int cudaDeviceGetP2PAttribute(int *, int, int, int);
int cudaStreamGetFlags(void *, unsigned *), cudaStreamGetPriority(void *, int *);
int cudaStreamGetId(void *, unsigned long long *), cudaCtxResetPersistingL2Cache(void);

int cudaMemcpyToSymbol(const void *, const void *, size_t, size_t, int);
int cudaMemcpyFromSymbol(void *, const void *, size_t, size_t, int);
int cudaGetSymbolAddress(void **, const void *), cudaGetSymbolSize(size_t *, const void *);

int cudaGetLastError(void), cudaPeekAtLastError(void);
const char *cudaGetErrorName(int), *cudaGetErrorString(int);

/* ---- checks */
static unsigned checks, wrong;
static struct {
	char name[64];
	unsigned calls;
} functions[128];
static unsigned nfunctions;

/* The function that the text of the call names has one more. */
static void count(const char *call)
{
	size_t n = strcspn(call, "(");
	unsigned i = 0;

	while (i < nfunctions &&
		(strlen(functions[i].name) != n || strncmp(functions[i].name, call, n)))
		i++;
	if (i == nfunctions)
		snprintf(functions[nfunctions++].name, sizeof(functions->name), "%.*s", (int)n,
			call);
	functions[i].calls++;
}

static void is(int line, const char *call, long long expected, long long got)
{
	count(call);
	checks++;
	if (expected == got)
		return;
	wrong++;
	printf("line %d: %s: %lld (%s), not %lld\n", line, call, got, cudaGetErrorName((int)got),
		expected);
}

/* A call's result; and whether something is true after it. */
#define IS(expected, call) is(__LINE__, #call, expected, call)
#define SO(call, condition) is(__LINE__, #call, 1, (condition) ? 1 : 0)

enum {
	VALUE = 1,
	NO_MEMORY = 2,
	CONFIGURATION = 9,
	PITCH = 12,
	SYMBOL = 13,
	DIRECTION = 21,
	FUNCTION = 98,
	DEVICE = 101,
	HANDLE = 400,
	PEER = 705,
	REGISTERED = 712,
	NOT_REGISTERED = 713,
	TOO_LARGE = 720,
	UNSUPPORTED = 801
};
enum { HH, HD, DH, DD, ANY };
#define HUGE_SIZE ((size_t)1 << 50)
#define NO_POINTER ((void *)(uintptr_t)64)
#define NO_HANDLE ((void *)(uintptr_t)0x1234567)
static char bytes[4096], back[4096];

/* "called NAME N" for each function. */
static inline void names(void)
{
	for (unsigned i = 0; i < nfunctions; i++)
		printf("called %s %u\n", functions[i].name, functions[i].calls);
}

/* Which functions were called seldom, and how much was wrong. */
static void summary(unsigned least)
{
	static const char *const few[] = {"cudaProfilerStart", "cudaProfilerStop",
		"cudaThreadSynchronize", "cudaDeviceSynchronize", "cudaDeviceReset",
		"cudaCtxResetPersistingL2Cache"};
	unsigned short_of = 0;
	for (unsigned i = 0; i < nfunctions; i++) {
		unsigned without = 0;

		for (unsigned k = 0; k < sizeof(few) / sizeof(*few); k++)
			without |= !strcmp(functions[i].name, few[k]);
		if (functions[i].calls >= least || without)
			continue;
		printf("%s: %u calls\n", functions[i].name, functions[i].calls);
		short_of++;
	}
	printf("%u functions, %u with few calls; %u of %u results wrong\n", nfunctions, short_of,
		wrong, checks);
}

#endif
