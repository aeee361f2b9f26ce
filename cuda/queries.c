/* What programs ask of device and kernels, and preferences that a chip of a fixed design
 * does not follow: they are checked, kept where they can be asked for, and have no effect. */
#include "cuda/inside.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define CACHE_CONFIGS 4
#define BANK_CONFIGS 3
#define DEFAULT_BANKS 1 /* cudaSharedMemBankSizeFourByte */

static _Atomic int cache_config;
static _Atomic unsigned device_flags;

void preferences_forget(void)
{
	atomic_store(&cache_config, 0);
}

/* ---- the device */
API cudaError_t cudaDeviceSetCacheConfig(int config)
{
	if (config < 0 || config >= CACHE_CONFIGS)
		return noted(cudaErrorInvalidValue);
	atomic_store(&cache_config, config);
	return cudaSuccess;
}
ALSO(cudaDeviceSetCacheConfig, cudaThreadSetCacheConfig);

API cudaError_t cudaDeviceGetCacheConfig(int *config)
{
	if (!config)
		return noted(cudaErrorInvalidValue);
	*config = atomic_load(&cache_config);
	return cudaSuccess;
}
ALSO(cudaDeviceGetCacheConfig, cudaThreadGetCacheConfig);

API cudaError_t cudaDeviceSetSharedMemConfig(int config)
{
	return noted(config < 0 || config >= BANK_CONFIGS ? cudaErrorInvalidValue : cudaSuccess);
}

/* Banks are 4 bytes wide. */
API cudaError_t cudaDeviceGetSharedMemConfig(int *config)
{
	if (!config)
		return noted(cudaErrorInvalidValue);
	*config = DEFAULT_BANKS;
	return cudaSuccess;
}

API cudaError_t cudaSetDeviceFlags(unsigned flags)
{
	unsigned schedule = flags & 7; /* one of spin, yield, blocking; 0: automatic */

	if (flags > 0xff || schedule & (schedule - 1))
		return noted(cudaErrorInvalidValue);
	atomic_store(&device_flags, flags);
	return cudaSuccess;
}

API cudaError_t cudaGetDeviceFlags(unsigned *flags)
{
	if (!flags)
		return noted(cudaErrorInvalidValue);
	*flags = atomic_load(&device_flags);
	return cudaSuccess;
}

API cudaError_t cudaInitDevice(int device, unsigned device_flags_, unsigned flags)
{
	if (device)
		return noted(cudaErrorInvalidDevice);
	if (flags > 1)
		return noted(cudaErrorInvalidValue);
	return flags ? cudaSetDeviceFlags(device_flags_) : cudaSuccess;
}

API cudaError_t cudaChooseDevice(int *device, const void *properties)
{
	if (!device || !properties)
		return noted(cudaErrorInvalidValue);
	*device = 0;
	return cudaSuccess;
}

API cudaError_t cudaSetValidDevices(const int *devices, int n)
{
	if (n < 0 || n > 1 || (n && !devices))
		return noted(cudaErrorInvalidValue);
	return noted(n && devices[0] ? cudaErrorInvalidDevice : cudaSuccess);
}

#define BUS_ID "0000:00:00.0"

API cudaError_t cudaDeviceGetPCIBusId(char *out, int n, int device)
{
	if (device)
		return noted(cudaErrorInvalidDevice);
	if (!out || n < (int)sizeof(BUS_ID))
		return noted(cudaErrorInvalidValue);
	memcpy(out, BUS_ID, sizeof(BUS_ID));
	return cudaSuccess;
}

API cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id)
{
	unsigned domain = 0, bus, slot, function = 0;
	int n = 0;

	if (!device || !id)
		return noted(cudaErrorInvalidValue);
	if ((sscanf(id, "%x:%x:%x.%x%n", &domain, &bus, &slot, &function, &n) != 4 || id[n]) &&
		(domain = 0, sscanf(id, "%x:%x.%x%n", &bus, &slot, &function, &n) != 3 || id[n]) &&
		(domain = function = 0, sscanf(id, "%x:%x%n", &bus, &slot, &n) != 2 || id[n]))
		return noted(cudaErrorInvalidValue);
	*device = 0;
	return noted(domain | bus | slot | function ? cudaErrorInvalidDevice : cudaSuccess);
}

/* There are no two devices. */
API cudaError_t cudaDeviceGetP2PAttribute(int *value, int attribute, int from, int to)
{
	if (!value || attribute < 1 || attribute > 5)
		return noted(cudaErrorInvalidValue);
	(void)from;
	(void)to;
	return noted(cudaErrorInvalidDevice);
}

API cudaError_t cudaCtxResetPersistingL2Cache(void)
{
	return cudaSuccess;
}

/* ---- kernels and memory */
API cudaError_t cudaFuncGetName(const char **name, const void *host)
{
	struct function *f;
	struct call c;
	cudaError_t e = name ? call_begin(&c) : noted(cudaErrorInvalidValue);

	if (e)
		return e;
	f = function_find(&c, host, &e);
	if (f)
		*name = f->name;
	return call_end(&c, e);
}

API cudaError_t cudaHostGetFlags(unsigned *flags, void *p)
{
	cudaPointerAttributes a;
	struct call c;
	cudaError_t e = flags && p ? call_begin(&c) : noted(cudaErrorInvalidValue);

	if (e)
		return e;
	if (shared_attributes(p, &a) && a.type == MEMORY_PINNED)
		*flags = HOST_MAPPED;
	else if (is_pinned(p, 1))
		*flags = 0;
	else
		e = cudaErrorInvalidValue;
	return call_end(&c, e);
}
