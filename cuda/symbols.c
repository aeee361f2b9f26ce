/* Variables of modules: __device__ and __constant__. */
#include "cuda/inside.h"

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

API cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t n,
	size_t offset, int kind, cudaStream_t stream)
{
	uint64_t at, s;
	cudaError_t e;

	if (!stream_number(stream, &s))
		return noted(cudaErrorInvalidResourceHandle);
	if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice &&
		kind != cudaMemcpyDefault)
		return noted(cudaErrorInvalidMemcpyDirection);
	e = place(symbol, n, offset, &at);
	return e ? e : copy_any((void *)(uintptr_t)at, from, n, kind, s);
}
ALSO(cudaMemcpyToSymbolAsync, cudaMemcpyToSymbolAsync_ptsz);

API cudaError_t cudaMemcpyToSymbol(
	const void *symbol, const void *from, size_t n, size_t offset, int kind)
{
	return cudaMemcpyToSymbolAsync(symbol, from, n, offset, kind, NULL);
}
ALSO(cudaMemcpyToSymbol, cudaMemcpyToSymbol_ptds);

API cudaError_t cudaMemcpyFromSymbolAsync(
	void *to, const void *symbol, size_t n, size_t offset, int kind, cudaStream_t stream)
{
	uint64_t at, s;
	cudaError_t e;

	if (!stream_number(stream, &s))
		return noted(cudaErrorInvalidResourceHandle);
	if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice &&
		kind != cudaMemcpyDefault)
		return noted(cudaErrorInvalidMemcpyDirection);
	e = place(symbol, n, offset, &at);
	return e ? e : copy_any(to, (void *)(uintptr_t)at, n, kind, s);
}
ALSO(cudaMemcpyFromSymbolAsync, cudaMemcpyFromSymbolAsync_ptsz);

API cudaError_t cudaMemcpyFromSymbol(
	void *to, const void *symbol, size_t n, size_t offset, int kind)
{
	return cudaMemcpyFromSymbolAsync(to, symbol, n, offset, kind, NULL);
}
ALSO(cudaMemcpyFromSymbol, cudaMemcpyFromSymbol_ptds);

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
