/* The stand-in's arrays, textures and surfaces. */
#include "tests/preload/cuda_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned format_bytes(int format)
{
	return format == CUDA_U8 || format == CUDA_S8     ? 1
	       : format == CUDA_U16 || format == CUDA_S16 ? 2
							  : 4;
}

static size_t one(size_t n)
{
	return n ? n : 1;
}

EXPORT(cuArray3DCreate_v2, (void **array, const struct cuda_array_descriptor *d))
{
	struct err err = {0};
	struct object *o;

	ENTER();
	o = make(ARRAY, true);
	o->array = *d;
	o->buffer = gpu_buffer(s.gpu, "array",
		d->width * one(d->height) * one(d->depth) * d->channels * format_bytes(d->format),
		&err);
	if (!o->buffer)
		abort();
	*array = o;
	return 0;
}

EXPORT(cuArrayDestroy, (void *array))
{
	return drop(array, ARRAY);
}

/* A row of one side of a copy. */
static unsigned char *row_of(const struct cuda_copy_side *c, size_t y, size_t z, size_t bytes)
{
	const struct object *o = c->array;

	if (c->memory != CUDA_ARRAY_MEMORY)
		return bytes_at(c->device + (z * c->height + y) * c->pitch, bytes);
	return gpu_buffer_data(s.gpu, o->buffer) + (z * one(o->array.height) + y) * o->array.width *
							   o->array.channels *
							   format_bytes(o->array.format);
}

EXPORT(cuMemcpy3D_v2, (const struct cuda_copy *c))
{
	ENTER();
	for (size_t z = 0; z < c->depth; z++)
		for (size_t y = 0; y < c->height; y++) {
			unsigned char *from = row_of(&c->from, y, z, c->width_bytes);
			unsigned char *to = row_of(&c->to, y, z, c->width_bytes);

			if (!from || !to)
				return INVALID;
			memcpy(to, from, c->width_bytes);
		}
	return 0;
}

/* ---- textures */
static enum texel_type texel_of(int format)
{
	static const int formats[TEXEL_TYPES] = {[TEXEL_U8] = CUDA_U8,
		[TEXEL_S8] = CUDA_S8,
		[TEXEL_U16] = CUDA_U16,
		[TEXEL_S16] = CUDA_S16,
		[TEXEL_U32] = CUDA_U32,
		[TEXEL_S32] = CUDA_S32,
		[TEXEL_F32] = CUDA_F32,
		[TEXEL_F16] = CUDA_F16};
	unsigned i = 0;

	while (formats[i] != format)
		i++;
	return (enum texel_type)i;
}

static void set_mode(struct texture_desc *d, int axis, int mode)
{
	static const enum address_mode modes[] = {
		ADDRESS_WRAP, ADDRESS_CLAMP, ADDRESS_MIRROR, ADDRESS_BORDER};

	d->mode[axis] = modes[mode];
}

static void set_flags(struct texture_desc *d, unsigned flags)
{
	d->normalised = flags & CUDA_NORMALISED;
	d->as_float = d->type <= TEXEL_S16 && !(flags & CUDA_READ_AS_INTEGER);
}

static void set_array(struct texture_desc *d, const struct object *array)
{
	d->buffer = array->buffer;
	d->type = texel_of(array->array.format);
	d->channels = array->array.channels;
	d->width = (uint32_t)array->array.width;
	d->height = (uint32_t)array->array.height;
	d->depth = (uint32_t)array->array.depth;
}

static int set_linear(
	struct texture_desc *d, cuda_address at, int format, unsigned channels, size_t bytes)
{
	uint64_t base = 0;

	d->buffer = gpu_buffer_holding(s.gpu, at, &base);
	if (!d->buffer)
		return INVALID;
	d->offset = at - base;
	d->type = texel_of(format);
	d->channels = channels;
	d->width = (uint32_t)(bytes / channels / format_bytes(format));
	return 0;
}

static texture_t make_texture(const struct texture_desc *d)
{
	struct err err = {0};
	texture_t t = gpu_texture(s.gpu, "texture", d, &err);

	if (err.count)
		fprintf(stderr, "%s", err_text(&err));
	err_clear(&err);
	return t;
}

/* The handle counts an object that must be given back. */
static int add_handle(texture_t t, cuda_texture *out)
{
	if (!t)
		return INVALID;
	make(TEXTURE, true)->handle = t;
	*out = t;
	return 0;
}

EXPORT(cuTexObjectCreate, (cuda_texture * out, const struct cuda_resource_descriptor *r,
				  const struct cuda_texture_descriptor *t, const void *view))
{
	struct texture_desc d = {.linear = t->linear != 0};

	ENTER();
	if (view || r->flags)
		return INVALID;
	for (int i = 0; i < 3; i++)
		set_mode(&d, i, t->mode[i]);
	if (r->kind == CUDA_ARRAY_RESOURCE)
		set_array(&d, r->of.array);
	else if (set_linear(&d, r->of.linear.address, r->of.linear.format, r->of.linear.channels,
			 r->of.linear.bytes))
		return INVALID;
	set_flags(&d, t->flags);
	return add_handle(make_texture(&d), out);
}

static int drop_handle(cuda_texture handle)
{
	struct object *o = s.first;

	while (o && (o->kind != TEXTURE || o->handle != handle || !o->live))
		o = o->next;
	if (!o)
		abort();
	return drop(o, TEXTURE);
}

EXPORT(cuTexObjectDestroy, (cuda_texture handle))
{
	return drop_handle(handle);
}

EXPORT(cuSurfObjectCreate, (cuda_texture * out, const struct cuda_resource_descriptor *r))
{
	struct texture_desc d = {0};
	const struct object *array = r->of.array;

	ENTER();
	if (r->kind != CUDA_ARRAY_RESOURCE || !(array->array.flags & CUDA_ARRAY_SURFACE))
		return INVALID;
	set_array(&d, array);
	return add_handle(make_texture(&d), out);
}

EXPORT(cuSurfObjectDestroy, (cuda_texture handle))
{
	return drop_handle(handle);
}

static int find_reference(void **out, void *module, const char *name)
{
	struct object *o = make(REFERENCE, false), *m = module;

	o->module = m->module;
	snprintf(o->name, sizeof(o->name), "%s", name);
	*out = o;
	return 0;
}

EXPORT(cuModuleGetTexRef, (void **out, void *module, const char *name))
{
	ENTER();
	return find_reference(out, module, name);
}

EXPORT(cuModuleGetSurfRef, (void **out, void *module, const char *name))
{
	ENTER();
	return find_reference(out, module, name);
}

static int bind(struct object *o, unsigned flags)
{
	struct err err = {0};
	texture_t t;

	set_flags(&o->texture, flags);
	t = make_texture(&o->texture);
	return !t || gpu_bind(s.gpu, o->module, o->name, t, &err) ? NOT_FOUND : 0;
}

/* The flags wait in an event's time until the array says what the texels are. */
EXPORT(cuTexRefSetFlags, (void *reference, unsigned flags))
{
	ENTER();
	((struct object *)reference)->ms = flags;
	return 0;
}

EXPORT(cuTexRefSetFilterMode, (void *reference, int linear))
{
	ENTER();
	((struct object *)reference)->texture.linear = linear != 0;
	return 0;
}

EXPORT(cuTexRefSetAddressMode, (void *reference, int axis, int mode))
{
	ENTER();
	set_mode(&((struct object *)reference)->texture, axis, mode);
	return 0;
}

EXPORT(cuTexRefSetFormat, (void *reference, int format, int channels))
{
	struct object *o = reference;

	ENTER();
	o->format = format;
	o->texture.channels = (unsigned)channels;
	return 0;
}

EXPORT(cuTexRefSetAddress_v2, (size_t * offset, void *reference, cuda_address at, size_t bytes))
{
	struct object *o = reference;

	ENTER();
	*offset = 0;
	if (set_linear(&o->texture, at, o->format, o->texture.channels, bytes))
		return INVALID;
	return bind(o, (unsigned)o->ms);
}

EXPORT(cuTexRefSetArray, (void *reference, void *array, unsigned flags))
{
	struct object *o = reference;

	ENTER();
	if (flags != 1)
		return INVALID;
	set_array(&o->texture, array);
	return bind(o, (unsigned)o->ms);
}

EXPORT(cuSurfRefSetArray, (void *reference, void *array, unsigned flags))
{
	struct object *o = reference;

	ENTER();
	set_array(&o->texture, array);
	return flags ? INVALID : bind(o, CUDA_READ_AS_INTEGER);
}
