/* A CUDA program that calls each function of the runtime that programs use most, well and wrongly,
 * and prints each result that is not the documented one, and functions with fewer than four calls.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef CUDA_FATBIN /* compiled by a test, with our library */
#include "fatbin.h"
#include "functions.h"

static char fill_stub, step_host, unknown_host;
static const dim3 one = {1, 1, 1};
__attribute__((constructor)) static void enter(void)
{
	void **handle = __cudaRegisterFatBinary((void *)(uintptr_t)&wrapper);

	__cudaRegisterFunction(handle, &fill_stub, NULL, "fill", -1, 0, 0, 0, 0, 0);
	__cudaRegisterVar(handle, &step_host, NULL, "step", 0, 4, 0, 0);
	__cudaRegisterVar(handle, &unknown_host, NULL, "nothing", 0, 4, 0, 0);
}

static void memory(void)
{
	void *p = NO_POINTER, *q;
	size_t pitch, left, all, less;
	pitched box;

	IS(0, cudaMalloc(&p, 1024));
	IS(VALUE, cudaMalloc(NULL, 16));
	IS(0, cudaMalloc(&q, 0));
	SO(cudaMalloc(&q, 0) is NULL, !q);
	IS(NO_MEMORY, cudaMalloc(&q, HUGE_SIZE));
	IS(NO_MEMORY, cudaMalloc(&q, SIZE_MAX));
	IS(0, cudaMemGetInfo(&left, &all));
	SO(cudaMemGetInfo(&left, &all) fits, left < all && all > 1024);
	IS(VALUE, cudaMemGetInfo(NULL, &all));
	IS(VALUE, cudaMemGetInfo(&left, NULL));
	IS(VALUE, cudaFree((char *)p + 256));
	IS(0, cudaFree(p));
	IS(VALUE, cudaFree(p));
	IS(VALUE, cudaFree(bytes));
	IS(0, cudaFree(NULL));
	IS(0, cudaMemGetInfo(&less, &all));
	SO(cudaMemGetInfo(&less, &all) after cudaFree, less > left);

	IS(0, cudaMallocPitch(&p, &pitch, 100, 4));
	SO(cudaMallocPitch(&p, &pitch, 100, 4) pads, pitch >= 100 && pitch % 32 == 0);
	IS(0, cudaMemset2D(p, pitch, 5, 100, 4));
	IS(0, cudaFree(p));
	IS(VALUE, cudaMallocPitch(NULL, &pitch, 100, 4));
	IS(VALUE, cudaMallocPitch(&p, NULL, 100, 4));
	IS(NO_MEMORY, cudaMallocPitch(&p, &pitch, HUGE_SIZE, 4));
	IS(0, cudaMalloc3D(&box, (extent){100, 4, 3}));
	SO(cudaMalloc3D(&box, (extent){100, 4, 3}) pads,
		box.pitch >= 100 && box.width == 100 && box.height == 4);
	IS(0, cudaFree(box.at));
	IS(VALUE, cudaMalloc3D(NULL, (extent){100, 4, 3}));
	IS(NO_MEMORY, cudaMalloc3D(&box, (extent){100, HUGE_SIZE, 1}));
	IS(0, cudaMalloc3D(&box, (extent){0, 4, 3}));
}

static void copies(void)
{
	void *p, *q;

	memset(bytes, 7, sizeof(bytes));
	cudaMalloc(&p, 4096);
	cudaMalloc(&q, 4096);
	IS(0, cudaMemcpy(p, bytes, 4096, HD));
	IS(0, cudaMemcpy(q, p, 4096, DD));
	IS(0, cudaMemcpy(back, q, 4096, ANY));
	SO(cudaMemcpy(back, q, 4096, ANY) copied, !memcmp(back, bytes, 4096));
	IS(0, cudaMemcpy(back, bytes, 4096, HH));
	IS(DIRECTION, cudaMemcpy(p, bytes, 16, 5));
	IS(DIRECTION, cudaMemcpy(p, bytes, 16, -1));
	IS(VALUE, cudaMemcpy(p, NULL, 16, HD));
	IS(VALUE, cudaMemcpy(NULL, bytes, 16, HD));
	IS(VALUE, cudaMemcpy(p, bytes, 5000, HD));
	IS(VALUE, cudaMemcpy(back, (char *)p + 4090, 16, DH));
	IS(0, cudaMemcpy(p, bytes, 0, HD));
	IS(VALUE, cudaMemcpy(back, bytes, 16, DH));
	IS(0, cudaMemcpy(p, q, 16, HD)); /* both are the device's: addresses decide */
	IS(0, cudaMemcpy(p, q, 16, DH));
	IS(VALUE, cudaMemcpy(p, bytes, 16, HH));
	IS(VALUE, cudaMemcpy(back, bytes, 16, DD));
	IS(0, cudaMemcpyAsync(p, bytes, 4096, HD, NULL));
	IS(HANDLE, cudaMemcpyAsync(p, bytes, 16, HD, NO_HANDLE));
	IS(VALUE, cudaMemcpyAsync(p, NULL, 16, HD, NULL));
	IS(DIRECTION, cudaMemcpyAsync(p, bytes, 16, 9, NULL));
	IS(0, cudaMemcpyPeerAsync(p, 0, q, 0, 16, NULL));
	IS(DEVICE, cudaMemcpyPeerAsync(p, 1, q, 0, 16, NULL));
	IS(DEVICE, cudaMemcpyPeerAsync(p, 0, q, -1, 16, NULL));
	IS(VALUE, cudaMemcpyPeerAsync(p, 0, q, 0, 8192, NULL));
	IS(HANDLE, cudaMemcpyPeerAsync(p, 0, q, 0, 16, NO_HANDLE));

	IS(0, cudaMemset(p, 0x1ff, 4096)); /* a byte of it */
	IS(0, cudaMemcpy(back, p, 4096, DH));
	SO(cudaMemset(p, 0x1ff, 4096) sets bytes, (unsigned char)back[4095] == 255);
	IS(VALUE, cudaMemset(bytes, 0, 16));
	IS(VALUE, cudaMemset(p, 0, 4097));
	IS(0, cudaMemset(p, 0, 0));
	IS(VALUE, cudaMemset(NULL, 0, 16));
	IS(0, cudaMemsetAsync(p, 1, 16, NULL));
	IS(HANDLE, cudaMemsetAsync(p, 1, 16, NO_HANDLE));
	IS(VALUE, cudaMemsetAsync((char *)p + 4090, 1, 16, NULL));
	IS(VALUE, cudaMemsetAsync(bytes, 1, 16, NULL));
	cudaFree(p);
	IS(VALUE, cudaMemcpy(p, bytes, 16, HD));
	IS(VALUE, cudaMemset(p, 0, 16));
	cudaFree(q);
}

static void boxes(void)
{
	copy_3d c = {.n = {16, 2, 2}, .kind = HD};
	pitched box;
	void *p;

	cudaMalloc(&p, 4096);
	IS(0, cudaMemset(p, 0, 4096));
	IS(0, cudaMemcpy2D(p, 64, bytes, 32, 32, 4, HD));
	IS(0, cudaMemcpy2D(back, 32, p, 64, 32, 4, DH));
	SO(cudaMemcpy2D(back, 32, p, 64, 32, 4, DH) copied, !memcmp(back, bytes, 128));
	IS(PITCH, cudaMemcpy2D(p, 16, bytes, 32, 32, 4, HD));
	IS(PITCH, cudaMemcpy2D(p, 64, bytes, 16, 32, 4, HD));
	IS(DIRECTION, cudaMemcpy2D(p, 64, bytes, 32, 32, 4, 7));
	IS(VALUE, cudaMemcpy2D(p, 64, bytes, 32, 32, 100, HD));
	IS(0, cudaMemcpy2D(p, 64, bytes, 32, 0, 4, HD));
	IS(VALUE, cudaMemcpy2D(NULL, 64, bytes, 32, 32, 4, HD));
	IS(0, cudaMemset2D(p, 64, 3, 32, 4));
	IS(VALUE, cudaMemset2D(p, 16, 3, 32, 4));
	IS(VALUE, cudaMemset2D(p, 64, 3, 32, 100));
	IS(VALUE, cudaMemset2D(NULL, 64, 3, 32, 4));
	IS(0, cudaMemset2D(p, 64, 3, 32, 0));
	cudaMalloc3D(&box, (extent){16, 2, 2});
	c.from_ptr = (pitched){bytes, 16, 16, 2};
	c.to_ptr = box;
	IS(0, cudaMemcpy3D(&c));
	IS(VALUE, cudaMemcpy3D(NULL));
	c.kind = 9;
	IS(DIRECTION, cudaMemcpy3D(&c));
	c.kind = HD;
	c.n.width = 4096;
	IS(1, cudaMemcpy3D(&c) != 0);
	c.n.width = 0;
	IS(0, cudaMemcpy3D(&c));
	cudaFree(box.at);
	cudaFree(p);
}

static void host_memory(void)
{
	char *own = aligned_alloc(4096, 8192), small[64];
	void *p, *q, *d;
	unsigned flags;

	(void)flags;
	IS(0, cudaHostAlloc(&p, 100, 0));
	memset(p, 1, 100);
	IS(0, cudaHostAlloc(&q, 100, 2));
	IS(VALUE, cudaHostAlloc(NULL, 100, 0));
	IS(VALUE, cudaHostAlloc(&d, 100, 64));
	IS(0, cudaHostGetDevicePointer(&d, q, 0));
	SO(cudaHostGetDevicePointer(&d, q, 0) is one of the device, d != NULL);
	IS(VALUE, cudaHostGetDevicePointer(&d, q, 1));
	IS(VALUE, cudaHostGetDevicePointer(NULL, q, 0));
	IS(VALUE, cudaHostGetDevicePointer(&d, small, 0));
	IS(0, cudaHostGetDevicePointer(&d, p, 0));
	SO(cudaHostGetDevicePointer(&d, p, 0) is the same pointer, d == p);
	IS(0, cudaFreeHost(q));
	IS(0, cudaFreeHost(p));
	IS(VALUE, cudaFreeHost(p));
	IS(VALUE, cudaFreeHost(small));
	IS(0, cudaFreeHost(NULL));
	IS(0, cudaMallocHost(&p, 4096));
	IS(VALUE, cudaMallocHost(NULL, 4096));
	IS(NO_MEMORY, cudaMallocHost(&q, HUGE_SIZE));
	IS(0, cudaFreeHost(p));
	IS(0, cudaMallocHost(&p, 0));

	IS(0, cudaHostRegister(own, 8192, 2));
	IS(REGISTERED, cudaHostRegister(own, 8192, 2));
	IS(REGISTERED, cudaHostRegister(own + 4096, 64, 0));
	IS(0, cudaHostGetDevicePointer(&d, own + 8, 0));
	IS(0, cudaHostUnregister(own));
	IS(NOT_REGISTERED, cudaHostUnregister(own));
	IS(0, cudaHostRegister(small, 64, 0));
	IS(REGISTERED, cudaHostRegister(small, 64, 0));
	IS(UNSUPPORTED, cudaHostGetDevicePointer(&d, small, 0));
	IS(NOT_REGISTERED, cudaHostUnregister(small + 1));
	IS(0, cudaHostUnregister(small));
	IS(VALUE, cudaHostRegister(NULL, 64, 0));
	IS(VALUE, cudaHostRegister(small, 0, 0));
	IS(VALUE, cudaHostRegister(small, 64, 0x100));
	IS(VALUE, cudaHostUnregister(NULL));
	free(own);
}

static void managed(void)
{
	const location gpu = {1, 0}, cpu = {2, 0}, other = {1, 3};
	void *p, *device, *s;

	IS(0, cudaMallocManaged(&p, 4096, 1));
	IS(VALUE, cudaMallocManaged(NULL, 4096, 1));
	IS(VALUE, cudaMallocManaged(&device, 0, 1));
	IS(VALUE, cudaMallocManaged(&device, 16, 0));
	IS(VALUE, cudaMallocManaged(&device, 16, 4));
	IS(NO_MEMORY, cudaMallocManaged(&device, HUGE_SIZE, 1));
	cudaMalloc(&device, 4096);
	cudaStreamCreate(&s);
	IS(0, cudaMemPrefetchAsync(p, 4096, gpu, 0, s));
	IS(0, cudaMemPrefetchAsync(p, 64, cpu, 0, NULL));
	IS(DEVICE, cudaMemPrefetchAsync(p, 4096, other, 0, s));
	IS(VALUE, cudaMemPrefetchAsync(p, 8192, gpu, 0, s));
	IS(VALUE, cudaMemPrefetchAsync(p, 0, gpu, 0, s));
	IS(VALUE, cudaMemPrefetchAsync(device, 64, gpu, 0, s));
	IS(HANDLE, cudaMemPrefetchAsync(p, 64, gpu, 0, NO_HANDLE));
	IS(0, cudaMemAdvise(p, 4096, 1, gpu));
	IS(0, cudaMemAdvise(p, 4096, 3, cpu));
	IS(VALUE, cudaMemAdvise(p, 4096, 0, gpu));
	IS(VALUE, cudaMemAdvise(p, 4096, 7, gpu));
	IS(VALUE, cudaMemAdvise(device, 4096, 1, gpu));
	IS(DEVICE, cudaMemAdvise(p, 4096, 5, other));
	IS(0, cudaStreamAttachMemAsync(s, p, 0, 4));
	IS(VALUE, cudaStreamAttachMemAsync(NULL, p, 0, 4));
	IS(VALUE, cudaStreamAttachMemAsync(s, p, 0, 3));
	IS(VALUE, cudaStreamAttachMemAsync(s, device, 0, 1));
	IS(HANDLE, cudaStreamAttachMemAsync(NO_HANDLE, p, 0, 1));
	IS(0, cudaFree(p));
	IS(VALUE, cudaFree(p));
	cudaFree(device);
	cudaStreamDestroy(s);
}

static int called;
static void back_call(void *stream, int error, void *data)
{
	(void)stream;
	called += !error && data == &called;
}

static void host_call(void *data)
{
	called += data == &called;
}

static void streams(void)
{
	int least = 9, most = 9;
	void *s, *t, *e;

	IS(0, cudaStreamCreate(&s));
	IS(VALUE, cudaStreamCreate(NULL));
	IS(0, cudaStreamCreate(&t));
	IS(0, cudaStreamDestroy(t));
	SO(cudaStreamCreate(&t) differs, s != t);
	IS(0, cudaStreamDestroy(s));
	IS(HANDLE, cudaStreamDestroy(s));
	IS(0, cudaStreamCreateWithFlags(&s, 1));
	IS(0, cudaStreamCreateWithFlags(&t, 0));
	IS(VALUE, cudaStreamCreateWithFlags(&t, 2));
	IS(VALUE, cudaStreamCreateWithFlags(NULL, 0));
	IS(0, cudaStreamDestroy(t));
	IS(HANDLE, cudaStreamDestroy(NULL));
	IS(HANDLE, cudaStreamDestroy(NO_HANDLE));
	IS(0, cudaDeviceGetStreamPriorityRange(&least, &most));
	SO(cudaDeviceGetStreamPriorityRange(&least, &most) has one, least >= most);
	IS(0, cudaDeviceGetStreamPriorityRange(NULL, &most));
	IS(0, cudaDeviceGetStreamPriorityRange(&least, NULL));
	IS(0, cudaStreamCreateWithPriority(&t, 1, most));
	IS(0, cudaStreamDestroy(t));
	IS(0, cudaStreamCreateWithPriority(&t, 0, -100)); /* the nearest one */
	IS(0, cudaStreamDestroy(t));
	IS(VALUE, cudaStreamCreateWithPriority(NULL, 0, 0));
	IS(VALUE, cudaStreamCreateWithPriority(&t, 8, 0));

	cudaEventCreate(&e);
	IS(0, cudaStreamSynchronize(s));
	IS(0, cudaStreamSynchronize(NULL));
	IS(HANDLE, cudaStreamSynchronize(NO_HANDLE));
	IS(HANDLE, cudaStreamSynchronize(t));
	IS(0, cudaStreamQuery(s));
	IS(0, cudaStreamQuery(NULL));
	IS(HANDLE, cudaStreamQuery(NO_HANDLE));
	IS(HANDLE, cudaStreamQuery(t));
	IS(0, cudaStreamWaitEvent(s, e, 0)); /* not recorded: nothing to wait for */
	IS(VALUE, cudaStreamWaitEvent(s, e, 2));
	IS(HANDLE, cudaStreamWaitEvent(s, NULL, 0));
	IS(HANDLE, cudaStreamWaitEvent(NO_HANDLE, e, 0));
	IS(0, cudaStreamAddCallback(s, back_call, &called, 0));
	SO(cudaStreamAddCallback(s, back_call, &called, 0) called, called == 1);
	IS(VALUE, cudaStreamAddCallback(s, NULL, &called, 0));
	IS(VALUE, cudaStreamAddCallback(s, back_call, &called, 1));
	IS(HANDLE, cudaStreamAddCallback(NO_HANDLE, back_call, &called, 0));
	IS(HANDLE, cudaStreamAddCallback(t, back_call, &called, 0));
	IS(0, cudaLaunchHostFunc(s, host_call, &called));
	SO(cudaLaunchHostFunc(s, host_call, &called) called, called == 2);
	IS(VALUE, cudaLaunchHostFunc(s, NULL, &called));
	IS(HANDLE, cudaLaunchHostFunc(t, host_call, &called));
	IS(HANDLE, cudaLaunchHostFunc(NO_HANDLE, host_call, &called));
	cudaEventDestroy(e);
	cudaStreamDestroy(s);
}

static void events(void)
{
	void *a, *b, *c, *s;
	float ms = -1;

	IS(0, cudaEventCreate(&a));
	IS(0, cudaEventCreate(&b));
	SO(cudaEventCreate(&b) differs, a != b);
	IS(VALUE, cudaEventCreate(NULL));
	IS(0, cudaEventCreateWithFlags(&c, 2));
	IS(VALUE, cudaEventCreateWithFlags(NULL, 0));
	IS(VALUE, cudaEventCreateWithFlags(&s, 8));
	IS(VALUE, cudaEventCreateWithFlags(&s, 4)); /* needs 2, too */
	IS(0, cudaEventQuery(a));
	IS(0, cudaEventSynchronize(a));
	IS(HANDLE, cudaEventElapsedTime(&ms, a, b)); /* not recorded */
	cudaStreamCreate(&s);
	IS(0, cudaEventRecord(a, NULL));
	IS(0, cudaEventRecord(b, s));
	IS(0, cudaEventRecord(c, s));
	IS(HANDLE, cudaEventRecord(NULL, s));
	IS(HANDLE, cudaEventRecord(a, NO_HANDLE));
	IS(0, cudaEventElapsedTime(&ms, a, b));
	SO(cudaEventElapsedTime(&ms, a, b) is a time, ms >= 0);
	IS(VALUE, cudaEventElapsedTime(NULL, a, b));
	IS(HANDLE, cudaEventElapsedTime(&ms, a, NO_HANDLE));
	IS(HANDLE, cudaEventElapsedTime(&ms, a, c)); /* without timing */
	IS(0, cudaEventQuery(b));
	IS(HANDLE, cudaEventQuery(NULL));
	IS(HANDLE, cudaEventQuery(NO_HANDLE));
	IS(0, cudaEventSynchronize(c));
	IS(HANDLE, cudaEventSynchronize(NULL));
	IS(HANDLE, cudaEventSynchronize(NO_HANDLE));
	IS(0, cudaEventDestroy(b));
	IS(HANDLE, cudaEventDestroy(b));
	IS(HANDLE, cudaEventDestroy(NULL));
	IS(HANDLE, cudaEventDestroy(NO_HANDLE));
	IS(HANDLE, cudaEventRecord(b, NULL));
	IS(0, cudaEventDestroy(a));
	IS(0, cudaEventDestroy(c));
	IS(0, cudaStreamDestroy(s));
}

static void device(void)
{
	static char properties[2048];
	int n = -1, value = -1;
	size_t limit = 0;

	IS(0, cudaGetDeviceCount(&n));
	SO(cudaGetDeviceCount(&n) is 1, n == 1);
	IS(VALUE, cudaGetDeviceCount(NULL));
	IS(0, cudaGetDeviceCount(&value));
	IS(0, cudaSetDevice(0));
	IS(DEVICE, cudaSetDevice(1));
	IS(DEVICE, cudaSetDevice(-1));
	IS(0, cudaGetDevice(&n));
	SO(cudaGetDevice(&n) is 0, !n);
	IS(VALUE, cudaGetDevice(NULL));
	IS(DEVICE, cudaSetDevice(1 << 30));
	IS(0, cudaGetDevice(&value));
	IS(0, cudaGetDeviceProperties(properties, 0));
	IS(VALUE, cudaGetDeviceProperties(NULL, 0));
	IS(DEVICE, cudaGetDeviceProperties(properties, 1));
	IS(DEVICE, cudaGetDeviceProperties(properties, -1));
	IS(0, cudaDeviceGetAttribute(&value, 10, 0));
	SO(cudaDeviceGetAttribute(&value, 10, 0) is 32, value == 32);
	IS(0, cudaDeviceGetAttribute(&value, 22, 0));
	SO(cudaDeviceGetAttribute(&value, 22, 0) is there, value > 0);
	IS(VALUE, cudaDeviceGetAttribute(NULL, 10, 0));
	IS(VALUE, cudaDeviceGetAttribute(&value, 0, 0));
	IS(VALUE, cudaDeviceGetAttribute(&value, 100000, 0));
	IS(DEVICE, cudaDeviceGetAttribute(&value, 10, 1));
	IS(0, cudaSetDeviceFlags(4));
	IS(0, cudaSetDeviceFlags(8));
	IS(VALUE, cudaSetDeviceFlags(3));
	IS(VALUE, cudaSetDeviceFlags(0x1000));
	IS(0, cudaDeviceSetLimit(0, 4096));
	IS(0, cudaDeviceGetLimit(&limit, 0));
	SO(cudaDeviceGetLimit(&limit, 0) is what was set, limit == 4096);
	IS(0, cudaDeviceSetLimit(2, 1 << 20));
	IS(0, cudaDeviceGetLimit(&limit, 2));
	SO(cudaDeviceGetLimit(&limit, 2) is as large, limit >= 1 << 20);
	IS(VALUE, cudaDeviceSetLimit(7, 1));
	IS(VALUE, cudaDeviceSetLimit(-1, 1));
	IS(VALUE, cudaDeviceGetLimit(&limit, 7));
	IS(VALUE, cudaDeviceGetLimit(NULL, 0));
	IS(0, cudaDeviceCanAccessPeer(&n, 0, 0));
	SO(cudaDeviceCanAccessPeer(&n, 0, 0) is no, !n);
	IS(VALUE, cudaDeviceCanAccessPeer(NULL, 0, 0));
	IS(DEVICE, cudaDeviceCanAccessPeer(&n, 0, 1));
	IS(DEVICE, cudaDeviceCanAccessPeer(&n, 7, 0));
	IS(DEVICE, cudaDeviceEnablePeerAccess(0, 0));
	IS(DEVICE, cudaDeviceEnablePeerAccess(1, 0));
	IS(VALUE, cudaDeviceEnablePeerAccess(0, 1));
	IS(DEVICE, cudaDeviceEnablePeerAccess(-1, 0));
	IS(PEER, cudaDeviceDisablePeerAccess(0));
	IS(DEVICE, cudaDeviceDisablePeerAccess(1));
	IS(DEVICE, cudaDeviceDisablePeerAccess(-1));
	IS(DEVICE, cudaDeviceDisablePeerAccess(99));
}

static void kernels(void)
{
	uint32_t first = 5, got[32] = {0};
	struct attributes a = {0};
	void *p, *args[] = {&p, &first}, *s;
	int n = -1;

	cudaMalloc(&p, 128);
	cudaStreamCreate(&s);
	IS(0, cudaLaunchKernel(&fill_stub, one, (dim3){32, 1, 1}, args, 0, s));
	IS(0, cudaMemcpy(got, p, 128, DH));
	SO(cudaLaunchKernel(&fill_stub, one, (dim3){32, 1, 1}, args, 0, s) wrote, got[31] == 36);
	IS(CONFIGURATION, cudaLaunchKernel(&fill_stub, (dim3){0, 1, 1}, one, args, 0, NULL));
	IS(CONFIGURATION, cudaLaunchKernel(&fill_stub, one, (dim3){2048, 1, 1}, args, 0, NULL));
	IS(CONFIGURATION, cudaLaunchKernel(&fill_stub, one, (dim3){1, 1, 65}, args, 0, NULL));
	IS(CONFIGURATION, cudaLaunchKernel(&fill_stub, (dim3){1, 65536, 1}, one, args, 0, NULL));
	IS(FUNCTION, cudaLaunchKernel(NULL, one, one, args, 0, NULL));
	IS(FUNCTION, cudaLaunchKernel(bytes, one, one, args, 0, NULL));
	IS(HANDLE, cudaLaunchKernel(&fill_stub, one, one, args, 0, NO_HANDLE));
	IS(VALUE, cudaLaunchKernel(&fill_stub, one, one, NULL, 0, NULL));
	IS(VALUE, cudaLaunchKernel(&fill_stub, one, one, args, 1 << 24, NULL));
	IS(0, cudaLaunchCooperativeKernel(&fill_stub, one, one, args, 0, NULL));
	IS(TOO_LARGE,
		cudaLaunchCooperativeKernel(&fill_stub, (dim3){1000000, 1, 1}, one, args, 0, NULL));
	IS(FUNCTION, cudaLaunchCooperativeKernel(bytes, one, one, args, 0, NULL));
	IS(CONFIGURATION, cudaLaunchCooperativeKernel(&fill_stub, (dim3){0}, one, args, 0, NULL));
	IS(0, cudaFuncGetAttributes(&a, &fill_stub));
	SO(cudaFuncGetAttributes(&a, &fill_stub) tells, a.most_threads >= 32 && a.registers > 0);
	IS(VALUE, cudaFuncGetAttributes(NULL, &fill_stub));
	IS(FUNCTION, cudaFuncGetAttributes(&a, bytes));
	IS(FUNCTION, cudaFuncGetAttributes(&a, NULL));
	IS(0, cudaFuncSetCacheConfig(&fill_stub, 2));
	IS(FUNCTION, cudaFuncSetCacheConfig(bytes, 2));
	IS(VALUE, cudaFuncSetCacheConfig(&fill_stub, 4));
	IS(VALUE, cudaFuncSetCacheConfig(&fill_stub, -1));
	IS(0, cudaFuncSetAttribute(&fill_stub, 8, 1024));
	IS(VALUE, cudaFuncSetAttribute(&fill_stub, 8, 1 << 24));
	IS(VALUE, cudaFuncSetAttribute(&fill_stub, 8, -1));
	IS(0, cudaFuncSetAttribute(&fill_stub, 9, 50));
	IS(VALUE, cudaFuncSetAttribute(&fill_stub, 9, 101));
	IS(VALUE, cudaFuncSetAttribute(&fill_stub, 3, 0));
	IS(FUNCTION, cudaFuncSetAttribute(bytes, 8, 1024));
	IS(0, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, &fill_stub, 128, 0));
	SO(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, &fill_stub, 128, 0) is some, n > 0);
	IS(VALUE, cudaOccupancyMaxActiveBlocksPerMultiprocessor(NULL, &fill_stub, 128, 0));
	IS(VALUE, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, &fill_stub, 0, 0));
	IS(FUNCTION, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, bytes, 128, 0));
	IS(0, cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&n, &fill_stub, 128, 0, 1));
	IS(VALUE,
		cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&n, &fill_stub, 128, 0, 2));
	IS(VALUE, cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&n, &fill_stub, -1, 0, 0));
	IS(FUNCTION, cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&n, NULL, 32, 0, 0));
	cudaStreamDestroy(s);
	cudaFree(p);
}

static void symbols(void)
{
	int two = 2, got = 0;
	size_t size = 0;
	void *p;

	IS(0, cudaMemcpyToSymbol(&step_host, &two, 4, 0, HD));
	IS(0, cudaMemcpyFromSymbol(&got, &step_host, 4, 0, DH));
	SO(cudaMemcpyFromSymbol(&got, &step_host, 4, 0, DH) copied, got == 2);
	IS(SYMBOL, cudaMemcpyToSymbol(&unknown_host, &two, 4, 0, HD));
	IS(SYMBOL, cudaMemcpyToSymbol(bytes, &two, 4, 0, HD));
	IS(VALUE, cudaMemcpyToSymbol(&step_host, &two, 8, 0, HD));
	IS(VALUE, cudaMemcpyToSymbol(&step_host, &two, 4, 4, HD));
	IS(DIRECTION, cudaMemcpyToSymbol(&step_host, &two, 4, 0, DH));
	IS(SYMBOL, cudaMemcpyFromSymbol(&got, NULL, 4, 0, DH));
	IS(VALUE, cudaMemcpyFromSymbol(&got, &step_host, 4, SIZE_MAX, DH));
	IS(DIRECTION, cudaMemcpyFromSymbol(&got, &step_host, 4, 0, HD));
	IS(0, cudaGetSymbolAddress(&p, &step_host));
	IS(0, cudaMemcpy(&got, p, 4, DH));
	IS(SYMBOL, cudaGetSymbolAddress(&p, &unknown_host));
	IS(SYMBOL, cudaGetSymbolAddress(&p, NULL));
	IS(VALUE, cudaGetSymbolAddress(NULL, &step_host));
	IS(0, cudaGetSymbolSize(&size, &step_host));
	SO(cudaGetSymbolSize(&size, &step_host) is 4, size == 4);
	IS(SYMBOL, cudaGetSymbolSize(&size, bytes));
	IS(VALUE, cudaGetSymbolSize(NULL, &step_host));
}

static void errors(void)
{
	cudaGetLastError();
	cudaSetDevice(5);
	IS(DEVICE, cudaPeekAtLastError());
	IS(0, cudaDeviceSynchronize());
	IS(DEVICE, cudaPeekAtLastError());
	IS(DEVICE, cudaGetLastError());
	IS(0, cudaGetLastError());
	IS(0, cudaPeekAtLastError());
	cudaMalloc(NULL, 1);
	IS(0, cudaMemset(NULL, 0, 0));
	IS(VALUE, cudaGetLastError());
	cudaStreamQuery(NO_HANDLE);
	IS(HANDLE, cudaPeekAtLastError());
	IS(HANDLE, cudaGetLastError());
	SO(cudaGetErrorName(0), !strcmp(cudaGetErrorName(0), "cudaSuccess"));
	SO(cudaGetErrorName(2), !strcmp(cudaGetErrorName(2), "cudaErrorMemoryAllocation"));
	SO(cudaGetErrorName(700), !strcmp(cudaGetErrorName(700), "cudaErrorIllegalAddress"));
	SO(cudaGetErrorName(-5), !strcmp(cudaGetErrorName(-5), "unrecognized error code"));
	SO(cudaGetErrorString(0), !strcmp(cudaGetErrorString(0), "no error"));
	SO(cudaGetErrorString(1), !strcmp(cudaGetErrorString(1), "invalid argument"));
	SO(cudaGetErrorString(2), !strcmp(cudaGetErrorString(2), "out of memory"));
	SO(cudaGetErrorString(9999), strstr(cudaGetErrorString(9999), "unrecognized") != NULL);
	IS(0, cudaProfilerStart());
	IS(0, cudaProfilerStop());
	IS(0, cudaThreadSynchronize());
	IS(0, cudaDeviceReset());
}

int main(int argc, char **argv)
{
	memory();
	copies();
	boxes();
	host_memory();
	managed();
	streams();
	events();
	device();
	kernels();
	symbols();
	errors();
	if (argc > 1 && !strcmp(argv[1], "names"))
		names();
	summary(4);
	return 0;
}

#endif
