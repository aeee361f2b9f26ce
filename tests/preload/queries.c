/* As functions.c: what programs ask of device, streams and kernels, and preferences. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef CUDA_FATBIN /* compiled by a test, with our library */
#include "fatbin.h"
#include "functions.h"

static char fill_stub;

__attribute__((constructor)) static void enter(void)
{
	void **handle = __cudaRegisterFatBinary((void *)(uintptr_t)&wrapper);

	__cudaRegisterFunction(handle, &fill_stub, NULL, "fill", -1, 0, 0, 0, 0, 0);
}

static void of_device(void)
{
	const int none = 0, other = 1;
	unsigned flags = 9;
	char bus[16];
	int n = -1;

	IS(0, cudaDeviceSetCacheConfig(2));
	IS(0, cudaDeviceGetCacheConfig(&n));
	SO(cudaDeviceGetCacheConfig(&n) is what was set, n == 2);
	IS(VALUE, cudaDeviceSetCacheConfig(4));
	IS(VALUE, cudaDeviceGetCacheConfig(NULL));
	IS(0, cudaDeviceSetSharedMemConfig(2));
	IS(VALUE, cudaDeviceSetSharedMemConfig(3));
	IS(0, cudaDeviceGetSharedMemConfig(&n));
	IS(VALUE, cudaDeviceGetSharedMemConfig(NULL));
	IS(0, cudaSetDeviceFlags(8));
	IS(0, cudaGetDeviceFlags(&flags));
	SO(cudaGetDeviceFlags(&flags) is what was set, flags == 8);
	IS(VALUE, cudaGetDeviceFlags(NULL));
	IS(VALUE, cudaSetDeviceFlags(3));
	IS(0, cudaInitDevice(0, 4, 1));
	IS(DEVICE, cudaInitDevice(1, 0, 0));
	IS(VALUE, cudaInitDevice(0, 3, 1));
	IS(0, cudaChooseDevice(&n, bytes));
	IS(VALUE, cudaChooseDevice(NULL, bytes));
	IS(VALUE, cudaChooseDevice(&n, NULL));
	IS(0, cudaSetValidDevices(&none, 1));
	IS(DEVICE, cudaSetValidDevices(&other, 1));
	IS(VALUE, cudaSetValidDevices(NULL, 1));
	IS(0, cudaDeviceGetPCIBusId(bus, 16, 0));
	IS(VALUE, cudaDeviceGetPCIBusId(bus, 5, 0));
	IS(DEVICE, cudaDeviceGetPCIBusId(bus, 16, 1));
	IS(0, cudaDeviceGetByPCIBusId(&n, bus));
	IS(DEVICE, cudaDeviceGetByPCIBusId(&n, "0000:3b:00.0"));
	IS(VALUE, cudaDeviceGetByPCIBusId(&n, "here"));
	IS(VALUE, cudaDeviceGetByPCIBusId(NULL, bus));
	IS(DEVICE, cudaDeviceGetP2PAttribute(&n, 1, 0, 0));
	IS(VALUE, cudaDeviceGetP2PAttribute(&n, 0, 0, 1));
	IS(VALUE, cudaDeviceGetP2PAttribute(NULL, 1, 0, 1));
	IS(0, cudaCtxResetPersistingL2Cache());
}

static void of_streams_and_kernels(void)
{
	unsigned flags = 9;
	unsigned long long id = 0, first = 0;
	const char *name = "";
	size_t shared = 0;
	int n = -1;
	void *s, *p;

	cudaStreamCreateWithFlags(&s, 1);
	IS(0, cudaStreamGetFlags(s, &flags));
	SO(cudaStreamGetFlags(s, &flags) is what was asked, flags == 1);
	IS(0, cudaStreamGetFlags(NULL, &flags));
	IS(HANDLE, cudaStreamGetFlags(NO_HANDLE, &flags));
	IS(0, cudaStreamGetPriority(s, &n));
	IS(VALUE, cudaStreamGetPriority(s, NULL));
	IS(HANDLE, cudaStreamGetPriority(NO_HANDLE, &n));
	IS(0, cudaStreamGetId(NULL, &first));
	IS(0, cudaStreamGetId(s, &id));
	SO(cudaStreamGetId(s, &id) differs, id != first);
	IS(HANDLE, cudaStreamGetId(NO_HANDLE, &id));
	cudaStreamDestroy(s);
	IS(0, cudaFuncGetName(&name, &fill_stub));
	SO(cudaFuncGetName(&name, &fill_stub) is its own, !strcmp(name, "fill"));
	IS(VALUE, cudaFuncGetName(NULL, &fill_stub));
	IS(FUNCTION, cudaFuncGetName(&name, bytes));
	cudaHostAlloc(&p, 64, 2);
	IS(0, cudaHostGetFlags(&flags, p));
	SO(cudaHostGetFlags(&flags, p) is mapped, flags == 2);
	IS(VALUE, cudaHostGetFlags(NULL, p));
	IS(VALUE, cudaHostGetFlags(&flags, bytes));
	cudaFreeHost(p);
	IS(0, cudaOccupancyAvailableDynamicSMemPerBlock(&shared, &fill_stub, 1, 32));
	SO(cudaOccupancyAvailableDynamicSMemPerBlock(&shared, &fill_stub, 1, 32) is some, shared);
	IS(VALUE, cudaOccupancyAvailableDynamicSMemPerBlock(&shared, &fill_stub, 10000, 32));
	IS(FUNCTION, cudaOccupancyAvailableDynamicSMemPerBlock(&shared, bytes, 1, 32));
}

int main(void)
{
	of_device();
	of_streams_and_kernels();
	summary(2);
	return 0;
}

#endif
