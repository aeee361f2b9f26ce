/* Mipmapped arrays: an array for each level. */
#include "cuda/inside.h"

#include <pthread.h>
#include <stdlib.h>

#define LEVELS 32u
#define ARRAY_LAYERED 1u
#define ARRAY_CUBEMAP 4u

struct cudaMipmappedArray {
	struct cudaMipmappedArray *next;
	unsigned levels;
	cudaArray_t level[LEVELS];
};

API cudaError_t cudaMalloc3DArray(
	cudaArray_t *, const cudaChannelFormatDesc *, cudaExtent, unsigned);

static struct cudaMipmappedArray *mipmaps;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

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

static cudaError_t release(struct cudaMipmappedArray *m)
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
	struct cudaMipmappedArray *m = out ? calloc(1, sizeof(*m)) : NULL;
	bool layered = flags & (ARRAY_LAYERED | ARRAY_CUBEMAP);
	cudaExtent sides = {extent.width, extent.height, layered ? 0 : extent.depth};
	cudaError_t e = cudaSuccess;

	if (!m)
		return noted(out ? cudaErrorMemoryAllocation : cudaErrorInvalidValue);
	levels = !levels ? 1 : levels > most_levels(sides) ? most_levels(sides) : levels;
	while (m->levels < levels && !e) {
		e = cudaMalloc3DArray(&m->level[m->levels], format, extent, flags);
		if (!e)
			m->level[m->levels++]->level = true;
		extent = smaller(extent, flags);
	}
	if (e) {
		release(m);
		return e;
	}
	pthread_mutex_lock(&mutex);
	m->next = mipmaps;
	mipmaps = m;
	pthread_mutex_unlock(&mutex);
	*out = m;
	return cudaSuccess;
}

/* The link to it; NULL: there is no such one. Within the mutex. */
static struct cudaMipmappedArray **link_to(const struct cudaMipmappedArray *m)
{
	struct cudaMipmappedArray **link = &mipmaps;

	while (*link && *link != m)
		link = &(*link)->next;
	return m && *link ? link : NULL;
}

const struct cudaArray *mipmap_level(cudaMipmappedArray_t m, unsigned level)
{
	const struct cudaArray *found = NULL;

	pthread_mutex_lock(&mutex);
	if (link_to(m) && level < m->levels)
		found = m->level[level];
	pthread_mutex_unlock(&mutex);
	return found;
}

API cudaError_t cudaGetMipmappedArrayLevel(
	cudaArray_t *out, cudaMipmappedArray_t mipmap, unsigned level)
{
	if (!mipmap_level(mipmap, 0))
		return noted(cudaErrorInvalidResourceHandle);
	if (!out || !mipmap_level(mipmap, level))
		return noted(cudaErrorInvalidValue);
	*out = (cudaArray_t)(uintptr_t)mipmap_level(mipmap, level);
	return cudaSuccess;
}

API cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmap)
{
	struct cudaMipmappedArray **link;

	if (!mipmap)
		return cudaSuccess;
	pthread_mutex_lock(&mutex);
	link = link_to(mipmap);
	if (link)
		*link = mipmap->next;
	pthread_mutex_unlock(&mutex);
	return link ? release(mipmap) : noted(cudaErrorInvalidResourceHandle);
}

void mipmaps_forget(void)
{
	while (mipmaps) {
		struct cudaMipmappedArray *m = mipmaps;

		mipmaps = m->next;
		free(m);
	}
}
