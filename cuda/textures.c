/* Textures and surfaces as objects, and texture references of CUDA 11 and before. */
#include "cuda/inside.h"

#include <stdlib.h>
#include <string.h>

#define BORDER_MODE 1u /* enum address_mode */
#define TEXEL_FLOAT 6u /* enum texel_type */
#define TEXEL_HALF 7u
#define TEXEL_WIDE 4u /* the first of 32 bits */

/* By enum address_mode_of_cuda; wrap and mirror need normalised coordinates. */
static uint32_t mode_of(int mode, bool normalised)
{
	static const uint32_t modes[] = {2, 0, 3, BORDER_MODE};

	return mode < MODE_WRAP || mode > MODE_BORDER                      ? UINT32_MAX
	       : (mode == MODE_WRAP || mode == MODE_MIRROR) && !normalised ? modes[MODE_CLAMP]
									   : modes[mode];
}

/* The texels' type and channels. */
static cudaError_t set_format(const cudaChannelFormatDesc *f, struct wire_texture *t)
{
	size_t bytes = 0;
	cudaError_t e = format_texel(f, &bytes);

	if (e)
		return e;
	t->channels = (uint32_t)bytes / ((uint32_t)f->x / 8);
	t->type = f->x == 8 ? 0 : f->x == 16 ? 2 : TEXEL_WIDE;
	if (f->kind == CHANNEL_FLOAT)
		t->type = f->x == 16 ? TEXEL_HALF : TEXEL_FLOAT;
	else
		t->type += f->kind == CHANNEL_SIGNED;
	return cudaSuccess;
}

static cudaError_t set_array(const struct cudaArray *a, struct wire_texture *t)
{
	if (!a)
		return cudaErrorInvalidResourceHandle;
	t->address = a->at;
	t->width = (uint32_t)a->extent.width;
	t->height = (uint32_t)a->extent.height;
	t->depth = (uint32_t)a->extent.depth;
	t->row_bytes = a->row;
	t->slice_bytes = a->slice;
	return set_format(&a->format, t);
}

static cudaError_t set_linear(
	const void *at, const cudaChannelFormatDesc *format, size_t bytes, struct wire_texture *t)
{
	size_t texel = 0;
	cudaError_t e = format_texel(format, &texel);

	if (!e && (!at || bytes < texel || bytes / texel > INT32_MAX))
		e = cudaErrorInvalidValue;
	if (e)
		return e;
	t->address = (uintptr_t)at;
	t->width = (uint32_t)(bytes / texel);
	for (unsigned k = 0; k < 3; k++)
		t->mode[k] = BORDER_MODE; /* whatever is asked for */
	t->linear = t->normalised = 0;
	return set_format(format, t);
}

static cudaError_t set_pitch(const void *at, const cudaChannelFormatDesc *format, size_t width,
	size_t height, size_t pitch, struct wire_texture *t)
{
	if (!at || !width || !height || width > INT32_MAX || height > INT32_MAX)
		return cudaErrorInvalidValue;
	t->address = (uintptr_t)at;
	t->width = (uint32_t)width;
	t->height = (uint32_t)height;
	t->row_bytes = pitch;
	return set_format(format, t);
}

static cudaError_t set_resource(const cudaResourceDesc *r, struct wire_texture *t)
{
	switch (r->type) {
	case RESOURCE_ARRAY:
		return set_array(array_find(r->array), t);
	case RESOURCE_LINEAR:
		return set_linear(r->linear.at, &r->linear.format, r->linear.bytes, t);
	case RESOURCE_PITCH:
		return set_pitch(r->pitch.at, &r->pitch.format, r->pitch.width, r->pitch.height,
			r->pitch.pitch, t);
	case RESOURCE_MIPMAPPED:
		return set_array(mipmap_level(r->mipmap, 0), t);
	default:
		return cudaErrorInvalidValue;
	}
}

static cudaError_t set_reading(const cudaTextureDesc *d, struct wire_texture *t)
{
	t->linear = d->linear != 0;
	t->normalised = d->normalised != 0;
	for (unsigned k = 0; k < 3; k++) {
		t->mode[k] = mode_of(d->mode[k], t->normalised);
		if (t->mode[k] == UINT32_MAX)
			return cudaErrorInvalidValue;
	}
	return (d->linear | d->as_float) & ~1 ? cudaErrorInvalidValue : cudaSuccess;
}

/* What the parts allow together. */
static cudaError_t check_reading(const cudaTextureDesc *d, const struct wire_texture *t)
{
	if (t->as_float && t->type >= TEXEL_WIDE)
		return cudaErrorInvalidNormSetting;
	if (t->linear && !t->as_float && t->type < TEXEL_FLOAT)
		return cudaErrorInvalidFilterSetting;
	if (d->srgb && (t->type || !t->as_float)) {
		tell("sRGB textures that are not of unsigned bytes read as floats are not supported");
		return cudaErrorNotSupported;
	}
	if (d->border[0] != 0 || d->border[1] != 0 || d->border[2] != 0 || d->border[3] != 0) {
		tell("textures with a border that is not 0 are not supported");
		return cudaErrorNotSupported;
	}
	return cudaSuccess;
}

static cudaError_t describe(
	const cudaResourceDesc *r, const cudaTextureDesc *d, struct wire_texture *t)
{
	cudaError_t e = set_reading(d, t);

	e = e ? e : set_resource(r, t);
	t->as_float = d->as_float && t->type < TEXEL_FLOAT; /* floats are read as they are */
	e = e ? e : check_reading(d, t);
	if (t->as_float && d->srgb)
		t->as_float = WIRE_SRGB;
	return e;
}

/* Within no call. */
static cudaError_t make(const struct wire_texture *t, uint64_t *out)
{
	struct call c;
	cudaError_t e = call_begin(&c);

	if (e)
		return e;
	memcpy(c.window, t, sizeof(*t));
	e = call_do(&c, WIRE_TEXTURE);
	*out = c.m.a[0];
	return call_end(&c, e);
}

static cudaError_t make_level(const cudaTextureDesc *d, uint64_t texture, uint64_t smaller)
{
	const struct wire_mipmap level = {.texture = texture,
		.smaller = smaller,
		.bias = d->bias,
		.least = d->least,
		.most = d->most,
		.blend = d->blend != 0};
	struct call c;
	cudaError_t e = call_begin(&c);

	if (e)
		return e;
	memcpy(c.window, &level, sizeof(level));
	return call_end(&c, call_do(&c, WIRE_MIPMAP));
}

API cudaError_t cudaDestroyTextureObject(uint64_t texture);

/* From the last level to the first, whose handle the program gets; t: described. */
static cudaError_t make_mipmap(
	const cudaResourceDesc *r, const cudaTextureDesc *d, struct wire_texture *t, uint64_t *out)
{
	uint64_t smaller = 0;
	unsigned n = 0;
	cudaError_t e = cudaSuccess;

	if (!d->normalised || d->blend & ~1)
		return noted(cudaErrorInvalidValue);
	while (mipmap_level(r->mipmap, n))
		n++;
	while (n-- && !e) {
		set_array(mipmap_level(r->mipmap, n), t);
		e = make(t, out);
		if (!e && smaller)
			e = make_level(d, *out, smaller);
		smaller = e ? smaller : *out;
	}
	if (e && smaller)
		cudaDestroyTextureObject(smaller);
	return e;
}

API cudaError_t cudaCreateTextureObject(
	uint64_t *out, const cudaResourceDesc *r, const cudaTextureDesc *d, const void *view)
{
	struct wire_texture t = {0};
	cudaError_t e;

	if (!out || !r || !d)
		return noted(cudaErrorInvalidValue);
	if (view) {
		tell("views of a texture's resource are not supported");
		return noted(cudaErrorNotSupported);
	}
	e = describe(r, d, &t);
	if (e)
		return noted(e);
	e = r->type == RESOURCE_MIPMAPPED ? make_mipmap(r, d, &t, out) : make(&t, out);
	if (!e)
		owned_new(OWNED_TEXTURE, *out);
	return e;
}

API cudaError_t cudaDestroyTextureObject(uint64_t texture)
{
	cudaError_t e = texture ? call_simply(WIRE_TEXTURE_END, texture, 0, 0, NULL) : cudaSuccess;

	if (!e)
		owned_ended(OWNED_TEXTURE, texture);
	return e;
}
ALSO(cudaDestroyTextureObject, cudaDestroySurfaceObject);

API cudaError_t cudaCreateSurfaceObject(uint64_t *out, const cudaResourceDesc *r)
{
	struct wire_texture t = {0};
	cudaError_t e;

	if (!out || !r || r->type != RESOURCE_ARRAY)
		return noted(cudaErrorInvalidValue);
	e = set_array(array_find(r->array), &t);
	e = e ? noted(e) : make(&t, out);
	if (!e)
		owned_new(OWNED_TEXTURE, *out);
	return e;
}

/* ---- references: a kernel's names, bound to one texture after the other */
/* The reference has a copy of the texture, but of a mipmap's first level alone. */
static cudaError_t bind_made(const struct textureReference *r, uint64_t texture, bool kept)
{
	struct call c;
	cudaError_t e = call_begin(&c), bad;
	uint64_t before;

	if (e)
		return e;
	e = call_end(&c, reference_bind(&c, r, texture));
	if (e) {
		cudaDestroyTextureObject(texture);
		return e;
	}
	before = reference_keep(r, kept ? texture : 0);
	bad = cudaDestroyTextureObject(before);
	return kept ? bad : cudaDestroyTextureObject(texture);
}

static cudaError_t bind(const struct textureReference *r, const cudaResourceDesc *resource)
{
	bool mipmap = resource->type == RESOURCE_MIPMAPPED;
	cudaTextureDesc d = {0};
	struct wire_texture t = {0};
	uint64_t texture;
	cudaError_t e;
	int as_float;

	if (!r || !reference_reads(r, &as_float))
		return noted(cudaErrorInvalidTexture);
	d = (cudaTextureDesc){.linear = r->linear,
		.normalised = r->normalised,
		.srgb = r->srgb,
		.as_float = as_float};
	memcpy(d.mode, r->mode, sizeof(d.mode));
	if (mipmap) {
		d.blend = r->blend;
		d.bias = r->bias;
		d.least = r->least;
		d.most = r->most;
	}
	e = describe(resource, &d, &t);
	if (e)
		return noted(e);
	e = mipmap ? make_mipmap(resource, &d, &t, &texture) : make(&t, &texture);
	return e ? e : bind_made(r, texture, mipmap);
}

API cudaError_t cudaBindTextureToMipmappedArray(const struct textureReference *r,
	cudaMipmappedArray_t mipmap, const cudaChannelFormatDesc *format)
{
	return format ? bind(r, &(cudaResourceDesc){.type = RESOURCE_MIPMAPPED, .mipmap = mipmap})
		      : noted(cudaErrorInvalidValue);
}

API cudaError_t cudaBindTextureToArray(
	const struct textureReference *r, cudaArray_t array, const cudaChannelFormatDesc *format)
{
	return format ? bind(r, &(cudaResourceDesc){.type = RESOURCE_ARRAY, .array = array})
		      : noted(cudaErrorInvalidValue);
}

API cudaError_t cudaBindTexture2D(size_t *offset, const struct textureReference *r, const void *at,
	const cudaChannelFormatDesc *format, size_t width, size_t height, size_t pitch)
{
	cudaResourceDesc resource = {.type = RESOURCE_PITCH};

	if (!format)
		return noted(cudaErrorInvalidValue);
	resource.pitch.at = (void *)(uintptr_t)at;
	resource.pitch.format = *format;
	resource.pitch.width = width;
	resource.pitch.height = height;
	resource.pitch.pitch = pitch;
	if (offset)
		*offset = 0;
	return bind(r, &resource);
}

/* Bytes from `at` to its allocation's end, at most n. */
static size_t bounded(const void *at, size_t n)
{
	struct wire_message m;

	if (call_simply(WIRE_FIND, (uintptr_t)at, 0, 0, &m) || !m.a[1])
		return n;
	m.a[1] -= (uintptr_t)at - m.a[0];
	return n < m.a[1] ? n : m.a[1];
}

API cudaError_t cudaBindTexture(size_t *offset, const struct textureReference *r, const void *at,
	const cudaChannelFormatDesc *format, size_t n)
{
	cudaResourceDesc resource = {.type = RESOURCE_LINEAR};

	if (!format)
		return noted(cudaErrorInvalidValue);
	resource.linear.at = (void *)(uintptr_t)at;
	resource.linear.format = *format;
	resource.linear.bytes = bounded(at, n);
	if (offset)
		*offset = 0;
	return bind(r, &resource);
}

/* Kernels that read it before it is bound again have no defined result. */
API cudaError_t cudaUnbindTexture(const struct textureReference *r)
{
	return noted(r ? cudaSuccess : cudaErrorInvalidTexture);
}

API cudaError_t cudaGetTextureReference(
	const struct textureReference **out, const struct textureReference *symbol)
{
	if (!out || !symbol)
		return noted(cudaErrorInvalidTexture);
	*out = symbol;
	return cudaSuccess;
}

API cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const struct textureReference *r)
{
	if (!offset || !r)
		return noted(cudaErrorInvalidTexture);
	*offset = 0;
	return cudaSuccess;
}
