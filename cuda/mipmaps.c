/* Mipmapped arrays: an array for each level. */
#include "cuda/inside.h"

#include <stdlib.h>

#define LEVELS 32u
#define ARRAY_LAYERED 1u
#define ARRAY_CUBEMAP 4u

struct mipmap {
	void *handle;
	unsigned levels;
	struct cudaArray *level[LEVELS];
};

/* Levels until all sides are 1. */
static unsigned most_levels(cudaExtent e)
{
	size_t side = e.width > e.height ? e.width : e.height;
	unsigned n = 1;

	side = side > e.depth ? side : e.depth;
	for (; side > 1 && n < LEVELS; side /= 2)
		n++;
	return n;
}

/* Half of a side; 0: there is none. */
static size_t half(size_t side)
{
	return side > 1 ? side / 2 : side;
}

/* Layers are as many at each level. */
static cudaExtent smaller(cudaExtent e, unsigned flags)
{
	e.width = half(e.width);
	e.height = half(e.height);
	if (!(flags & (ARRAY_LAYERED | ARRAY_CUBEMAP)))
		e.depth = half(e.depth);
	return e;
}

static cudaError_t release(struct mipmap *m)
{
	cudaError_t e = cudaSuccess, bad;

	for (unsigned i = 0; i < m->levels; i++) {
		bad = array_free(m->level[i]);
		e = e ? e : bad;
	}
	free(m);
	return e;
}

API cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *out,
	const cudaChannelFormatDesc *format, cudaExtent extent, unsigned levels, unsigned flags)
{
	struct mipmap *m = out ? calloc(1, sizeof(*m)) : NULL;
	bool layered = flags & (ARRAY_LAYERED | ARRAY_CUBEMAP);
	cudaExtent sides = {extent.width, extent.height, layered ? 0 : extent.depth};
	cudaError_t e = cudaSuccess;

	if (!m)
		return noted(out ? cudaErrorMemoryAllocation : cudaErrorInvalidValue);
	levels = !levels ? 1 : levels > most_levels(sides) ? most_levels(sides) : levels;
	while (m->levels < levels && !e) {
		e = array_new(&m->level[m->levels], format, extent, flags, true);
		m->levels += !e;
		extent = smaller(extent, flags);
	}
	if (!e) {
		m->handle = handle_new(HANDLE_MIPMAP, m);
		e = m->handle ? cudaSuccess : noted(cudaErrorMemoryAllocation);
	}
	if (e) {
		release(m);
		return e;
	}
	*out = m->handle;
	owned_new(OWNED_MIPMAP, (uintptr_t)*out);
	return e;
}

const struct cudaArray *mipmap_level(cudaMipmappedArray_t handle, unsigned level)
{
	const struct mipmap *m = handle_find(HANDLE_MIPMAP, handle);

	return m && level < m->levels ? m->level[level] : NULL;
}

API cudaError_t cudaGetMipmappedArrayLevel(
	cudaArray_t *out, cudaMipmappedArray_t mipmap, unsigned level)
{
	if (!mipmap_level(mipmap, 0))
		return noted(cudaErrorInvalidResourceHandle);
	if (!out || !mipmap_level(mipmap, level))
		return noted(cudaErrorInvalidValue);
	*out = mipmap_level(mipmap, level)->handle;
	return cudaSuccess;
}

API cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmap)
{
	struct mipmap *m = handle_find(HANDLE_MIPMAP, mipmap);

	if (!mipmap)
		return cudaSuccess;
	owned_ended(OWNED_MIPMAP, (uintptr_t)mipmap);
	handle_end(HANDLE_MIPMAP, mipmap);
	return m ? release(m) : noted(cudaErrorInvalidResourceHandle);
}

void mipmaps_forget(void)
{
	struct mipmap *m;
	uint32_t at = 0;

	while ((m = handle_find(HANDLE_MIPMAP, handle_next(HANDLE_MIPMAP, &at)))) {
		handle_end(HANDLE_MIPMAP, m->handle);
		free(m);
	}
}
