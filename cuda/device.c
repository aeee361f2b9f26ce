/* The device: there is one, the chip. */
#include "cuda/inside.h"

#include <string.h>

cudaError_t device_facts(struct wire_device *out)
{
	struct call c;
	cudaError_t e = call_begin(&c);

	if (e)
		return e;
	e = call_do(&c, WIRE_DEVICE);
	memcpy(out, c.window, sizeof(*out));
	return call_end(&c, e);
}

API cudaError_t cudaGetDeviceCount(int *n)
{
	cudaError_t e = n ? call_simply(WIRE_MEMORY, 0, 0, 0, NULL) : noted(cudaErrorInvalidValue);

	if (n)
		*n = e ? 0 : 1;
	return e;
}

API cudaError_t cudaSetDevice(int device)
{
	return device ? noted(cudaErrorInvalidDevice) : cudaSuccess;
}

API cudaError_t cudaGetDevice(int *device)
{
	if (!device)
		return noted(cudaErrorInvalidValue);
	*device = 0;
	return cudaSuccess;
}

API cudaError_t cudaSetDeviceFlags(unsigned flags)
{
	return noted(flags & ~0x3fu ? cudaErrorInvalidValue : cudaSuccess);
}

API cudaError_t cudaDeviceSynchronize(void)
{
	return call_simply(WIRE_SYNC, WIRE_ALL, 0, 0, NULL);
}
ALSO(cudaDeviceSynchronize, cudaThreadSynchronize);

API cudaError_t cudaDeviceReset(void)
{
	return call_simply(WIRE_RESET, 0, 0, 0, NULL);
}
ALSO(cudaDeviceReset, cudaThreadExit);

API cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
	if (!can)
		return noted(cudaErrorInvalidValue);
	*can = 0;
	return noted(device || peer ? cudaErrorInvalidDevice : cudaSuccess);
}

API cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
	(void)flags;
	(void)peer;
	return noted(cudaErrorInvalidDevice);
}

API cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
	return noted(peer ? cudaErrorInvalidDevice : cudaErrorPeerAccessNotEnabled);
}

API cudaError_t cudaProfilerStart(void)
{
	return cudaSuccess;
}

API cudaError_t cudaProfilerStop(void)
{
	return cudaSuccess;
}

API cudaError_t cudaDriverGetVersion(int *version)
{
	if (!version)
		return noted(cudaErrorInvalidValue);
	*version = 13000;
	return cudaSuccess;
}

API cudaError_t cudaRuntimeGetVersion(int *version)
{
	return cudaDriverGetVersion(version);
}

/* ---- properties: of CUDA 13, the offsets of the fields in its structure of 1008 bytes */
#define PROPERTIES_BYTES 1008u

static void put(void *properties, size_t at, uint64_t value, size_t bytes)
{
	memcpy((char *)properties + at, &value, bytes); /* hosts are little-endian */
}

static void put_sizes(void *p, const struct wire_device *d)
{
	const struct {
		unsigned short at, bytes;
		uint64_t value;
	} fields[] = {{288, 8, d->memory_bytes}, {296, 8, d->cta_shared_bytes},
		{304, 4, d->registers}, {308, 4, 32}, {312, 8, INT32_MAX}, {320, 4, 1024},
		{324, 4, 1024}, {328, 4, 1024}, {332, 4, 64}, {336, 4, INT32_MAX}, {340, 4, 65535},
		{344, 4, 65535}, {352, 8, d->constant_bytes}, {360, 4, d->major},
		{364, 4, d->minor}, {368, 8, 512}, {376, 8, 32}, {384, 4, d->sms}, {396, 4, 131072},
		{404, 4, 131072}, {408, 4, 65536}, {440, 4, 16384}, {444, 4, 16384},
		{448, 4, 16384}, {552, 8, 512}, {560, 4, 1}, {584, 4, 1}, {588, 4, 1},
		{592, 4, d->bus_bits}, {596, 4, d->l2_bytes}, {604, 4, d->warps * 32}, {612, 4, 1},
		{616, 4, 1}, {624, 8, d->shared_bytes}, {632, 4, d->registers}, {636, 4, 1},
		{392, 4, 1}, {668, 4, 1}, {672, 8, d->cta_shared_bytes}, {688, 4, d->ctas}};

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		put(p, fields[i].at, fields[i].value, fields[i].bytes);
}

API cudaError_t cudaGetDeviceProperties(void *properties, int device)
{
	struct wire_device d;
	cudaError_t e;

	if (!properties)
		return noted(cudaErrorInvalidValue);
	if (device)
		return noted(cudaErrorInvalidDevice);
	e = device_facts(&d);
	if (e)
		return e;
	memset(properties, 0, PROPERTIES_BYTES);
	memcpy(properties, d.name, sizeof(d.name));
	put_sizes(properties, &d);
	return e;
}

/* By the numbers of enum cudaDeviceAttr. */
API cudaError_t cudaDeviceGetAttribute(int *value, int attribute, int device)
{
	struct wire_device d;
	cudaError_t e;

	if (!value || attribute < 1 || attribute > 200)
		return noted(cudaErrorInvalidValue);
	if (device)
		return noted(cudaErrorInvalidDevice);
	e = device_facts(&d);
	if (e)
		return e;
	{
		const struct {
			int attribute;
			uint64_t value;
		} known[] = {{1, 1024}, {2, 1024}, {3, 1024}, {4, 64}, {5, INT32_MAX}, {6, 65535},
			{7, 65535}, {8, d.cta_shared_bytes}, {9, d.constant_bytes}, {10, 32},
			{11, INT32_MAX}, {12, d.registers}, {13, d.clock_khz}, {14, 512}, {15, 1},
			{16, d.sms}, {31, 1}, {36, d.memory_khz}, {37, d.bus_bits},
			{38, d.l2_bytes}, {39, d.warps * 32u}, {40, 1}, {41, 1}, {75, d.major},
			{76, d.minor}, {79, 1}, {80, 1}, {81, d.shared_bytes}, {82, d.registers},
			{83, 1}, {19, 1}, {95, 1}, {97, d.cta_shared_bytes}, {106, d.ctas}};

		*value = 0;
		for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
			if (known[i].attribute == attribute)
				*value = (int)known[i].value;
	}
	return e;
}

/* ---- limits: the stack is as deep as a kernel needs; text is printed as it comes */
API cudaError_t cudaDeviceGetLimit(size_t *value, int limit)
{
	static const size_t limits[] = {1024, 1 << 20, 8 << 20, 2, 2048, 128, 0};

	if (!value || limit < 0 || limit > 6)
		return noted(cudaErrorInvalidValue);
	*value = limits[limit];
	return cudaSuccess;
}

API cudaError_t cudaDeviceSetLimit(int limit, size_t value)
{
	(void)value;
	return noted(limit < 0 || limit > 6 ? cudaErrorInvalidValue : cudaSuccess);
}

API cudaError_t cudaDeviceSetCacheConfig(int config)
{
	return noted(config < 0 || config > 3 ? cudaErrorInvalidValue : cudaSuccess);
}

API cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *out, const void *p)
{
	struct call c;
	cudaError_t e = out ? call_begin(&c) : noted(cudaErrorInvalidValue);

	if (e)
		return e;
	*out = (cudaPointerAttributes){.host_pointer = (void *)(uintptr_t)p};
	if (is_device(&c, p))
		*out = (cudaPointerAttributes){.type = 2, .device_pointer = (void *)(uintptr_t)p};
	return call_end(&c, cudaSuccess);
}
