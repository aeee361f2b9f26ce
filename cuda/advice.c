/* Advice on managed memory, and its copies ahead of use: there is one memory, so they are checked
 * and have no effect. */
#include "cuda/inside.h"

/* CUDA 13's cudaMemLocation, and what the second functions of CUDA 12 take. */
struct location {
	int kind, id;
};
enum { LOCATION_DEVICE = 1, LOCATION_HOST = 2, LOCATION_HOST_NUMA_CURRENT = 4, CPU = -1 };
enum { READ_MOSTLY = 1, NOT_READ_MOSTLY, PREFERRED, NOT_PREFERRED, ACCESSED_BY, NOT_ACCESSED_BY };

static cudaError_t of_managed(const void *p, size_t n)
{
	struct call c;
	cudaError_t e = call_begin(&c);

	if (e)
		return e;
	return call_end(&c, shared_managed(p, n) ? cudaSuccess : cudaErrorInvalidValue);
}

static cudaError_t place(const void *p, size_t n, struct location l)
{
	if (l.kind == LOCATION_DEVICE && l.id)
		return noted(cudaErrorInvalidDevice);
	if (l.kind < LOCATION_DEVICE || l.kind > LOCATION_HOST_NUMA_CURRENT)
		return noted(cudaErrorInvalidValue);
	return of_managed(p, n);
}

API cudaError_t cudaMemPrefetchAsync_v2(
	const void *p, size_t n, struct location to, unsigned flags, cudaStream_t stream)
{
	uint64_t s;

	if (!stream_number(stream, &s))
		return noted(cudaErrorInvalidResourceHandle);
	return flags ? noted(cudaErrorInvalidValue) : place(p, n, to);
}

API cudaError_t cudaMemAdvise_v2(const void *p, size_t n, int advice, struct location l)
{
	if (advice < READ_MOSTLY || advice > NOT_ACCESSED_BY)
		return noted(cudaErrorInvalidValue);
	return advice == PREFERRED || advice >= ACCESSED_BY ? place(p, n, l) : of_managed(p, n);
}

#if RUNTIME_VERSION >= 13
ALSO(cudaMemPrefetchAsync_v2, cudaMemPrefetchAsync);
ALSO(cudaMemAdvise_v2, cudaMemAdvise);
#else
static struct location number(int device)
{
	return device == CPU ? (struct location){LOCATION_HOST, 0}
			     : (struct location){LOCATION_DEVICE, device};
}

API cudaError_t cudaMemPrefetchAsync(const void *p, size_t n, int device, cudaStream_t stream)
{
	return cudaMemPrefetchAsync_v2(p, n, number(device), 0, stream);
}

API cudaError_t cudaMemAdvise(const void *p, size_t n, int advice, int device)
{
	return cudaMemAdvise_v2(p, n, advice, number(device));
}
#endif

ALSO(cudaMemPrefetchAsync, cudaMemPrefetchAsync_ptsz);
ALSO(cudaMemPrefetchAsync_v2, cudaMemPrefetchAsync_v2_ptsz);

API cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *p, size_t n, unsigned flags)
{
	uint64_t s;

	if (!stream_number(stream, &s))
		return noted(cudaErrorInvalidResourceHandle);
	if (!flags || flags > 4 || flags & (flags - 1) || (flags == 4 && !stream))
		return noted(cudaErrorInvalidValue);
	return of_managed(p, n ? n : 1);
}
