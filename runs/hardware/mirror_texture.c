/* A mirror's textures and surfaces: CUDA arrays that are filled from buffers before each batch, or
 * the buffers themselves (CUDA Driver API, "Texture Object Management" and, for references of
 * modules, "Texture Reference Management"). */
#include "runs/hardware/mirror_inside.h"

#include "core/base.h"

#include <string.h>

#define OVERRIDE_FORMAT 1u /* of cuTexRefSetArray: the array's format counts */

static int format_of(const struct texture *t)
{
	static const int formats[TEXEL_TYPES] = {[TEXEL_U8] = CUDA_U8,
		[TEXEL_S8] = CUDA_S8,
		[TEXEL_U16] = CUDA_U16,
		[TEXEL_S16] = CUDA_S16,
		[TEXEL_U32] = CUDA_U32,
		[TEXEL_S32] = CUDA_S32,
		[TEXEL_F32] = CUDA_F32,
		[TEXEL_F16] = CUDA_F16};

	return formats[t->type];
}

static int mode_of(unsigned mode)
{
	static const int modes[] = {[ADDRESS_CLAMP] = CUDA_CLAMP,
		[ADDRESS_BORDER] = CUDA_BORDER,
		[ADDRESS_WRAP] = CUDA_WRAP,
		[ADDRESS_MIRROR] = CUDA_MIRROR};

	return modes[mode];
}

static unsigned flags_of(const struct texture *t)
{
	unsigned flags = t->sampler.normalised ? CUDA_NORMALISED : 0;

	return flags | (!texel_type_is_float((enum texel_type)t->type) && !t->as_float
				       ? CUDA_READ_AS_INTEGER
				       : 0);
}

static uint64_t row_bytes(const struct texture *t)
{
	return (uint64_t)t->width * texture_texel_bytes(t);
}

/* ---- arrays */
static int make_array(struct mirror *m, struct mirrored_texture *x, struct err *err)
{
	const struct mirrored_module *module = &m->modules.at[x->module - 1];
	const struct texture *t = &x->of;
	bool one = t->height == 1 && module->rows, deep = t->depth > 1;
	struct cuda_array_descriptor d = {.width = t->width,
		.height = one ? 0 : t->height,
		.depth = deep ? t->depth : 0,
		.format = format_of(t),
		.channels = t->channels,
		.flags = (deep && module->layered ? CUDA_ARRAY_LAYERED : 0) |
			 (x->surface ? CUDA_ARRAY_SURFACE : 0)};

	if (deep && t->slice_bytes % t->row_bytes)
		return err_add(err, ERR_UNSUPPORTED,
			"a texture's slices of %llu bytes are not whole rows of %llu: CUDA cannot "
			"copy them",
			(unsigned long long)t->slice_bytes, (unsigned long long)t->row_bytes);
	if (DRIVER_CALL(m->d, "a texture", err, array_create, &x->array, &d))
		return -1;
	mirror_own(m, OWNED_ARRAY, (uintptr_t)x->array);
	return 0;
}

static int make_object(struct mirror *m, struct mirrored_texture *x, struct err *err)
{
	const struct texture *t = &x->of;
	struct cuda_resource_descriptor r = {.kind = CUDA_ARRAY_RESOURCE, .of.array = x->array};
	struct cuda_texture_descriptor d = {.linear = t->sampler.linear, .flags = flags_of(t)};

	for (unsigned i = 0; i < 3; i++)
		d.mode[i] = mode_of(t->sampler.mode[i]);
	if (!x->array) {
		r.kind = CUDA_LINEAR_RESOURCE;
		r.of.linear.address = mirror_translate(m, t->address);
		r.of.linear.format = format_of(t);
		r.of.linear.channels = t->channels;
		r.of.linear.bytes = row_bytes(t);
	}
	if (x->surface ? DRIVER_CALL(m->d, "a surface", err, surface_create, &x->handle, &r)
		       : DRIVER_CALL(
				 m->d, "a texture", err, texture_create, &x->handle, &r, &d, NULL))
		return -1;
	mirror_own(m, x->surface ? OWNED_SURFACE : OWNED_TEXTURE, x->handle);
	return 0;
}

static bool same(const struct mirrored_texture *x, const struct mirrored_texture *y)
{
	const struct texture *a = &x->of, *b = &y->of;

	return x->module == y->module && x->surface == y->surface && a->type == b->type &&
	       a->channels == b->channels && a->as_float == b->as_float && a->width == b->width &&
	       a->height == b->height && a->depth == b->depth && a->address == b->address &&
	       a->row_bytes == b->row_bytes && a->slice_bytes == b->slice_bytes &&
	       !memcmp(&a->sampler, &b->sampler, sizeof(a->sampler));
}

/* The mirror's texture for fetches of the module. 0 or -1. */
static int find_texture(struct mirror *m, const struct texture *t, module_t module, bool surface,
	unsigned *out, struct err *err)
{
	struct mirrored_texture x = {.of = *t, .module = module, .surface = surface};
	bool linear = t->height == 1 && t->depth == 1 && !t->sampler.linear &&
		      !t->sampler.normalised && m->modules.at[module - 1].whole_texels;

	if (t->kind == OBJECT_SAMPLER)
		return err_add(err, ERR_UNSUPPORTED,
			"a sampler apart from its texture: CUDA's driver has none");
	for (*out = 0; *out < m->textures.n; ++*out)
		if (same(&m->textures.at[*out], &x))
			return 0;
	if ((!linear || surface) && make_array(m, &x, err))
		return -1;
	*MIRROR_ADD(m, textures) = x;
	return 0;
}

/* ---- launches */
/* Whether the kernel's handles are surfaces': it has no fetches. */
static bool has_surfaces(const struct program *p)
{
	bool surfaces = false;

	for (uint32_t i = 0; i < p->ninstr; i++) {
		const struct instr *in = &p->code[i];

		if (in->action == ACT_TEXTURE)
			return false;
		surfaces |= in->action == ACT_SURFACE ||
			    (in->action == ACT_QUERY && in->op < QUERY_TEXTURE);
	}
	return surfaces;
}

int mirror_handle(struct mirror *m, const struct program *p, module_t module, texture_t texture,
	uint64_t *handle, struct err *err)
{
	bool surface = has_surfaces(p);
	struct mirrored_texture *x;
	unsigned at;

	if (find_texture(m, gpu_texture_of(m->gpu, texture), module, surface, &at, err))
		return -1;
	x = &m->textures.at[at];
	if (!x->handle && make_object(m, x, err))
		return -1;
	*handle = x->handle;
	return 0;
}

int mirror_bind(struct mirror *m, const struct program *p, module_t module, struct err *err)
{
	for (uint32_t i = 0; i < p->nrefs; i++) {
		const struct module_var *v = &p->module->vars[p->refs[i]];
		const struct texture *t = gpu_texture_of(m->gpu, (texture_t)v->address);
		unsigned at;

		if (find_texture(m, t, module, v->kind == OBJECT_SURFACE, &at, err))
			return -1;
		*MIRROR_ADD(m, bindings) = (struct mirror_binding){m->batches, module, v->name, at};
	}
	return 0;
}

/* ---- batches */
static int set_texture(
	struct mirror *m, const struct mirrored_texture *x, void *reference, struct err *err)
{
	const struct texture *t = &x->of;
	struct driver *d = m->d;
	size_t offset = 0;

	if (DRIVER_CALL(d, NULL, err, reference_flags, reference, flags_of(t)) ||
		DRIVER_CALL(d, NULL, err, reference_filter, reference, t->sampler.linear))
		return -1;
	for (int i = 0; i < 3; i++)
		if (DRIVER_CALL(d, NULL, err, reference_mode, reference, i,
			    mode_of(t->sampler.mode[i])))
			return -1;
	if (x->array)
		return DRIVER_CALL(
			d, NULL, err, reference_array, reference, x->array, OVERRIDE_FORMAT);
	if (DRIVER_CALL(d, NULL, err, reference_format, reference, format_of(t), t->channels) ||
		DRIVER_CALL(d, NULL, err, reference_linear, &offset, reference,
			mirror_translate(m, t->address), row_bytes(t)))
		return -1;
	return offset ? err_add(err, ERR_UNSUPPORTED,
				"a texture begins %zu bytes after an address that the GPU can bind",
				offset)
		      : 0;
}

static int bind(struct mirror *m, const struct mirror_binding *b, struct err *err)
{
	const struct mirrored_texture *x = &m->textures.at[b->texture];
	void *module = m->modules.at[b->module - 1].module, *reference = NULL;

	if (!x->surface)
		return DRIVER_CALL(
			       m->d, b->name, err, module_texture, &reference, module, b->name) ||
		       set_texture(m, x, reference, err);
	return DRIVER_CALL(m->d, b->name, err, module_surface, &reference, module, b->name) ||
	       DRIVER_CALL(m->d, b->name, err, surface_array, reference, x->array, 0);
}

/* Between the array and the buffer. */
static int copy(struct mirror *m, const struct mirrored_texture *x, bool back, struct err *err)
{
	const struct texture *t = &x->of;
	struct cuda_copy_side array = {.memory = CUDA_ARRAY_MEMORY, .array = x->array};
	struct cuda_copy_side buffer = {.memory = CUDA_DEVICE_MEMORY,
		.device = mirror_translate(m, t->address),
		.pitch = t->row_bytes,
		.height = t->slice_bytes / t->row_bytes};
	struct cuda_copy c = {.from = back ? array : buffer,
		.to = back ? buffer : array,
		.width_bytes = row_bytes(t),
		.height = t->height,
		.depth = t->depth};

	return DRIVER_CALL(m->d, "a texture", err, copy, &c);
}

int mirror_fill_textures(struct mirror *m, unsigned batch, struct err *err)
{
	for (unsigned i = 0; i < m->textures.n; i++)
		if (m->textures.at[i].array && copy(m, &m->textures.at[i], false, err))
			return -1;
	for (unsigned i = 0; i < m->bindings.n; i++)
		if (m->bindings.at[i].batch == batch && bind(m, &m->bindings.at[i], err))
			return -1;
	return 0;
}

int mirror_empty_surfaces(struct mirror *m, struct err *err)
{
	for (unsigned i = 0; i < m->textures.n; i++)
		if (m->textures.at[i].surface && copy(m, &m->textures.at[i], true, err))
			return -1;
	return 0;
}
