/* The driver's arrays, and textures and surfaces as objects: the runtime's, described otherwise. */
#include "cuda/driver/inside.h"

#include <string.h>

API cudaError_t cudaMalloc3DArray(
	cudaArray_t *, const cudaChannelFormatDesc *, cudaExtent, unsigned flags);
API cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *, const cudaChannelFormatDesc *,
	cudaExtent, unsigned levels, unsigned flags);
API cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *, cudaMipmappedArray_t, unsigned);
API cudaError_t cudaFreeArray(cudaArray_t), cudaFreeMipmappedArray(cudaMipmappedArray_t);
API cudaError_t cudaCreateTextureObject(
	uint64_t *, const cudaResourceDesc *, const cudaTextureDesc *, const void *view);
API cudaError_t cudaDestroyTextureObject(uint64_t), cudaDestroySurfaceObject(uint64_t);
API cudaError_t cudaCreateSurfaceObject(uint64_t *, const cudaResourceDesc *);

/* CUarray_format. */
static const struct {
	int format, bits, kind;
} formats[] = {{1, 8, CHANNEL_UNSIGNED}, {2, 16, CHANNEL_UNSIGNED}, {3, 32, CHANNEL_UNSIGNED},
	{8, 8, CHANNEL_SIGNED}, {9, 16, CHANNEL_SIGNED}, {10, 32, CHANNEL_SIGNED},
	{16, 16, CHANNEL_FLOAT}, {32, 32, CHANNEL_FLOAT}};

#define FORMATS (sizeof(formats) / sizeof(*formats))

/* Of no bits: there is no such format. */
static cudaChannelFormatDesc channels_of(int format, unsigned n)
{
	cudaChannelFormatDesc out = {0};

	for (unsigned i = 0; i < FORMATS; i++)
		if (formats[i].format == format && (n == 1 || n == 2 || n == 4))
			out = (cudaChannelFormatDesc){formats[i].bits, n > 1 ? formats[i].bits : 0,
				n > 2 ? formats[i].bits : 0, n > 2 ? formats[i].bits : 0,
				formats[i].kind};
	return out;
}

/* ---- arrays */
int cuArray3DCreate_v2(void **out, const struct driver_array *d)
{
	cudaChannelFormatDesc f;

	if (!out || !d)
		return cudaErrorInvalidValue;
	f = channels_of(d->format, d->channels);
	if (!f.x)
		return cudaErrorInvalidValue;
	DRIVER_MAKE(cudaMalloc3DArray((cudaArray_t *)out, &f,
			    (cudaExtent){d->width, d->height, d->depth}, d->flags),
		OWNED_ARRAY, (uintptr_t)*out);
}

int cuArrayCreate_v2(void **out, const struct driver_array_2d *d)
{
	struct driver_array deep = {0};

	if (!d)
		return cudaErrorInvalidValue;
	deep.width = d->width;
	deep.height = d->height;
	deep.format = d->format;
	deep.channels = d->channels;
	return cuArray3DCreate_v2(out, &deep);
}

int cuArray3DGetDescriptor_v2(struct driver_array *out, void *array)
{
	const struct cudaArray *a = array_find(array);
	const cudaChannelFormatDesc *f = a ? &a->format : NULL;

	if (!out || !a)
		return a ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
	*out = (struct driver_array){.width = a->extent.width,
		.height = a->extent.height,
		.depth = a->extent.depth,
		.channels = !f->y   ? 1
			    : !f->z ? 2
				    : 4,
		.flags = a->flags};
	for (unsigned i = 0; i < FORMATS; i++)
		if (formats[i].bits == f->x && formats[i].kind == f->kind)
			out->format = formats[i].format;
	return driver_ready();
}

int cuArrayGetDescriptor_v2(struct driver_array_2d *out, void *array)
{
	struct driver_array deep;
	int bad = out ? cuArray3DGetDescriptor_v2(&deep, array) : cudaErrorInvalidValue;

	if (!bad)
		*out = (struct driver_array_2d){
			deep.width, deep.height, deep.format, deep.channels};
	return bad;
}

int cuArrayDestroy(void *array)
{
	if (!array)
		return cudaErrorInvalidResourceHandle;
	DRIVER_END(cudaFreeArray(array), OWNED_ARRAY, (uintptr_t)array);
}

int cuMipmappedArrayCreate(void **out, const struct driver_array *d, unsigned levels)
{
	cudaChannelFormatDesc f;

	if (!out || !d)
		return cudaErrorInvalidValue;
	f = channels_of(d->format, d->channels);
	if (!f.x)
		return cudaErrorInvalidValue;
	DRIVER_MAKE(cudaMallocMipmappedArray((cudaMipmappedArray_t *)out, &f,
			    (cudaExtent){d->width, d->height, d->depth}, levels, d->flags),
		OWNED_MIPMAP, (uintptr_t)*out);
}

int cuMipmappedArrayGetLevel(void **out, void *mipmap, unsigned level)
{
	DRIVER_RETURN(cudaGetMipmappedArrayLevel((cudaArray_t *)out, mipmap, level));
}

int cuMipmappedArrayDestroy(void *mipmap)
{
	if (!mipmap)
		return cudaErrorInvalidResourceHandle;
	DRIVER_END(cudaFreeMipmappedArray(mipmap), OWNED_MIPMAP, (uintptr_t)mipmap);
}

/* ---- copies */
/* Where a box of n (its width in bytes) begins; false: it is not inside. */
static bool locate(const struct driver_side_3d *s, cudaExtent n, struct box *out)
{
	const struct cudaArray *a = s->memory == 3 ? array_find(s->array) : NULL;
	uint64_t base = s->memory == 2 ? s->device : (uintptr_t)s->host;
	size_t pitch = s->pitch ? s->pitch : n.width, rows = s->height ? s->height : n.height;

	if (s->memory < 1 || s->memory > 4 || s->lod)
		return false;
	if (s->memory == 4)
		base = s->device ? s->device : base;
	if (s->memory != 3) {
		*out = (struct box){base + s->x_bytes + s->y * pitch + s->z * pitch * rows, pitch,
			pitch * rows};
		return base && pitch >= n.width && rows >= n.height;
	}
	if (!a || s->x_bytes % a->texel || n.width % a->texel ||
		s->x_bytes + n.width > a->extent.width * a->texel ||
		s->y + n.height > (a->extent.height ? a->extent.height : 1) ||
		s->z + n.depth > (a->extent.depth ? a->extent.depth : 1))
		return false;
	*out = (struct box){a->at + s->x_bytes + s->y * a->row + s->z * a->slice, a->row, a->slice};
	return true;
}

int cuMemcpy3DAsync_v2(const struct driver_copy_3d *p, void *stream)
{
	static const int kinds[2][2] = {{cudaMemcpyHostToHost, cudaMemcpyHostToDevice},
		{cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice}};
	struct box to, from;
	cudaExtent n;
	int kind = cudaMemcpyDefault;

	if (!p)
		return cudaErrorInvalidValue;
	n = (cudaExtent){p->size.width, p->size.height, p->size.depth};
	if (!locate(&p->to, n, &to) || !locate(&p->from, n, &from))
		return cudaErrorInvalidValue;
	if (p->to.memory != 4 && p->from.memory != 4)
		kind = kinds[p->from.memory != 1][p->to.memory != 1];
	DRIVER_RETURN(copy_box(&to, &from, n, kind, stream));
}

int cuMemcpy3D_v2(const struct driver_copy_3d *p)
{
	return cuMemcpy3DAsync_v2(p, NULL);
}

static struct driver_side_3d deepen(const struct driver_side *s)
{
	return (struct driver_side_3d){.x_bytes = s->x_bytes,
		.y = s->y,
		.memory = s->memory,
		.host = s->host,
		.device = s->device,
		.array = s->array,
		.pitch = s->pitch};
}

int driver_copy_arrays(const struct driver_copy *p, void *stream)
{
	const struct driver_copy_3d deep = {
		deepen(&p->from), deepen(&p->to), {p->width, p->height, 1}};

	return cuMemcpy3DAsync_v2(&deep, stream);
}

int cuMemcpyHtoA_v2(void *to, size_t offset, const void *from, size_t n)
{
	const struct driver_copy_3d p = {.from = {.memory = 1, .host = from},
		.to = {.memory = 3, .array = to, .x_bytes = offset},
		.size = {n, 1, 1}};

	return cuMemcpy3D_v2(&p);
}

int cuMemcpyAtoH_v2(void *to, void *from, size_t offset, size_t n)
{
	const struct driver_copy_3d p = {.from = {.memory = 3, .array = from, .x_bytes = offset},
		.to = {.memory = 1, .host = to},
		.size = {n, 1, 1}};

	return cuMemcpy3D_v2(&p);
}

/* ---- textures and surfaces */
enum { READ_AS_INTEGER = 1, NORMALISED = 2, SRGB = 16 };

static cudaError_t take_resource(const struct driver_resource *d, cudaResourceDesc *out)
{
	cudaChannelFormatDesc f = {0};

	*out = (cudaResourceDesc){.type = d->type};
	if (d->type == RESOURCE_ARRAY || d->type == RESOURCE_MIPMAPPED) {
		out->array = d->array;
		return cudaSuccess;
	}
	if (d->type == RESOURCE_LINEAR || d->type == RESOURCE_PITCH)
		f = channels_of(d->plane.format, d->plane.channels);
	if (!f.x)
		return cudaErrorInvalidValue;
	if (d->type == RESOURCE_LINEAR) {
		out->linear.at = (void *)(uintptr_t)d->plane.at;
		out->linear.format = f;
		out->linear.bytes = d->plane.width;
		return cudaSuccess;
	}
	out->pitch.at = (void *)(uintptr_t)d->plane.at;
	out->pitch.format = f;
	out->pitch.width = d->plane.width;
	out->pitch.height = d->plane.height;
	out->pitch.pitch = d->plane.pitch;
	return cudaSuccess;
}

int cuTexObjectCreate(uint64_t *out, const struct driver_resource *resource,
	const struct driver_texture *d, const void *view)
{
	cudaResourceDesc r;
	cudaTextureDesc t = {0};

	if (!out || !resource || !d || take_resource(resource, &r))
		return cudaErrorInvalidValue;
	memcpy(t.mode, d->mode, sizeof(t.mode));
	memcpy(t.border, d->border, sizeof(t.border));
	t.linear = d->linear;
	t.as_float = !(d->flags & READ_AS_INTEGER);
	t.srgb = (d->flags & SRGB) != 0;
	t.normalised = (d->flags & NORMALISED) != 0;
	t.blend = d->blend;
	t.bias = d->bias;
	t.least = d->least;
	t.most = d->most;
	if (t.as_float && r.type != RESOURCE_ARRAY && r.type != RESOURCE_MIPMAPPED)
		t.as_float =
			(r.type == RESOURCE_LINEAR ? r.linear.format.x : r.pitch.format.x) < 32;
	else if (t.as_float && r.type == RESOURCE_ARRAY && array_find(r.array))
		t.as_float = array_find(r.array)->format.x < 32;
	else if (t.as_float && mipmap_level(r.mipmap, 0))
		t.as_float = mipmap_level(r.mipmap, 0)->format.x < 32;
	DRIVER_MAKE(cudaCreateTextureObject(out, &r, &t, view), OWNED_TEXTURE, *out);
}

int cuTexObjectDestroy(uint64_t texture)
{
	DRIVER_END(cudaDestroyTextureObject(texture), OWNED_TEXTURE, texture);
}

int cuSurfObjectCreate(uint64_t *out, const struct driver_resource *resource)
{
	cudaResourceDesc r;

	if (!out || !resource || resource->type != RESOURCE_ARRAY || take_resource(resource, &r))
		return cudaErrorInvalidValue;
	DRIVER_MAKE(cudaCreateSurfaceObject(out, &r), OWNED_TEXTURE, *out);
}

int cuSurfObjectDestroy(uint64_t surface)
{
	DRIVER_END(cudaDestroySurfaceObject(surface), OWNED_TEXTURE, surface);
}
