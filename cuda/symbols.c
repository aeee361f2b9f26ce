/* Variables of modules: __device__ and __constant__. */
#include "cuda/inside.h"

API cudaError_t cudaMemcpyAsync(void *, const void *, size_t, int, cudaStream_t);

/* The address of n bytes from `offset` on. */
static cudaError_t place(const void *symbol, size_t n, size_t offset, uint64_t *address)
{
	struct variable *v;
	struct call c;
	cudaError_t e = call_begin(&c);

	if (e)
		return e;
	v = variable_find(&c, symbol, &e);
	if (v && (offset > v->bytes || n > v->bytes - offset))
		e = cudaErrorInvalidValue;
	*address = v ? v->address + offset : 0;
	return call_end(&c, e);
}

cudaError_t symbol_place(
	const void *symbol, size_t n, size_t offset, int kind, int host, uint64_t *address)
{
	if (kind != host && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
		return noted(cudaErrorInvalidMemcpyDirection);
	return place(symbol, n, offset, address);
}

API cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t n,
	size_t offset, int kind, cudaStream_t stream)
{
	uint64_t at;
	cudaError_t e = symbol_place(symbol, n, offset, kind, cudaMemcpyHostToDevice, &at);

	return e ? e : cudaMemcpyAsync((void *)(uintptr_t)at, from, n, kind, stream);
}

API cudaError_t cudaMemcpyToSymbol(
	const void *symbol, const void *from, size_t n, size_t offset, int kind)
{
	return cudaMemcpyToSymbolAsync(symbol, from, n, offset, kind, NULL);
}

API cudaError_t cudaMemcpyFromSymbolAsync(
	void *to, const void *symbol, size_t n, size_t offset, int kind, cudaStream_t stream)
{
	uint64_t at;
	cudaError_t e = symbol_place(symbol, n, offset, kind, cudaMemcpyDeviceToHost, &at);

	return e ? e : cudaMemcpyAsync(to, (void *)(uintptr_t)at, n, kind, stream);
}

API cudaError_t cudaMemcpyFromSymbol(
	void *to, const void *symbol, size_t n, size_t offset, int kind)
{
	return cudaMemcpyFromSymbolAsync(to, symbol, n, offset, kind, NULL);
}

API cudaError_t cudaGetSymbolAddress(void **out, const void *symbol)
{
	uint64_t at;
	cudaError_t e = out ? place(symbol, 0, 0, &at) : noted(cudaErrorInvalidValue);

	if (!e)
		*out = (void *)(uintptr_t)at;
	return e;
}

API cudaError_t cudaGetSymbolSize(size_t *out, const void *symbol)
{
	struct variable *v;
	struct call c;
	cudaError_t e = out ? call_begin(&c) : noted(cudaErrorInvalidValue);

	if (e)
		return e;
	v = variable_find(&c, symbol, &e);
	if (v)
		*out = v->bytes;
	return call_end(&c, e);
}
