/* The driver's functions for programs of the runtime, by name, from libcuda.so.1. */
#include "cuda/inside.h"

#include <dlfcn.h>
#include <string.h>

#define NOT_FOUND 500 /* cudaErrorSymbolNotFound */

typedef int get_function(const char *, void **, int, uint64_t, int *);

static get_function *find_driver(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW);
	void *found = library ? dlsym(library, "cuGetProcAddress_v2") : NULL;
	get_function *get = NULL;

	memcpy(&get, &found, sizeof(get));
	return get;
}

/* flags: 0, 1 for the one default stream, 2 for those of threads. *status: 1, there is none. */
API cudaError_t cudaGetDriverEntryPointByVersion(
	const char *name, void **out, unsigned version, unsigned long long flags, int *status)
{
	get_function *get = find_driver();
	int e;

	if (!name || !out || flags > 2)
		return noted(cudaErrorInvalidValue);
	*out = NULL;
	if (status)
		*status = 1;
	if (!get)
		return not_supported("cudaGetDriverEntryPoint without warpbeam's libcuda.so.1");
	e = get(name, out, (int)version, flags, status);
	return noted(e == NOT_FOUND ? NOT_FOUND : e ? cudaErrorInvalidValue : cudaSuccess);
}
ALSO(cudaGetDriverEntryPointByVersion, cudaGetDriverEntryPointByVersion_ptsz);

#if RUNTIME_VERSION >= 12
API cudaError_t cudaGetDriverEntryPoint(
	const char *name, void **out, unsigned long long flags, int *status)
{
	return cudaGetDriverEntryPointByVersion(name, out, RUNTIME_VERSION * 1000, flags, status);
}
#else
API cudaError_t cudaGetDriverEntryPoint(const char *name, void **out, unsigned long long flags)
{
	return cudaGetDriverEntryPointByVersion(name, out, RUNTIME_VERSION * 1000, flags, NULL);
}
#endif
ALSO(cudaGetDriverEntryPoint, cudaGetDriverEntryPoint_ptsz);

/* The kernel's address serves as its handle. */
API cudaError_t cudaGetFuncBySymbol(const void **out, const void *symbol)
{
	struct call c;
	cudaError_t e = out ? call_begin(&c) : noted(cudaErrorInvalidValue);

	if (e)
		return e;
	if (function_find(&c, symbol, &e))
		*out = symbol;
	return call_end(&c, e);
}
ALSO(cudaGetFuncBySymbol, cudaGetKernel);

/* For libcuda.so.1: a library of the program cannot work here. */
void library_lacks(const char *library)
{
	struct call c;
	size_t n = strlen(library);

	if (n > WIRE_WINDOW_BYTES || call_begin(&c))
		return;
	memcpy(c.window, library, n);
	c.m.a[0] = n;
	call_end(&c, call_do(&c, WIRE_LACKS));
}
