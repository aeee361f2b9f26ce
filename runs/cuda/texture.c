/* Textures and surfaces of the program. */
#include "runs/cuda/inside.h"

#include <string.h>

uint32_t cuda_texture(struct cuda_server *v, struct wire_message *m)
{
	struct wire_texture w;
	const struct cuda_block *b;
	struct texture_desc d;
	struct err wrong = {0};

	memcpy(&w, v->window, sizeof(w)); /* the program can change the window */
	b = cuda_block_at(v, w.address, 1);
	if (!b || w.type >= TEXEL_TYPES)
		return CUDA_INVALID_VALUE;
	d = (struct texture_desc){.buffer = b->buffer,
		.offset = w.address - b->address,
		.type = (enum texel_type)w.type,
		.channels = w.channels,
		.as_float = w.as_float != 0,
		.srgb = w.as_float == WIRE_SRGB,
		.width = w.width,
		.height = w.height,
		.depth = w.depth,
		.row_bytes = w.row_bytes,
		.slice_bytes = w.slice_bytes,
		.linear = w.linear,
		.normalised = w.normalised};
	for (unsigned k = 0; k < 3; k++)
		d.mode[k] = (enum address_mode)w.mode[k];
	m->a[0] = gpu_texture(v->gpu, "of the program", &d, &wrong);
	if (m->a[0] && v->run.watch)
		v->run.watch->texture(v->run.watch->ctx, m->a[0], &d);
	return m->a[0] ? CUDA_OK : cuda_refused(v, CUDA_INVALID_VALUE, &wrong);
}

uint32_t cuda_mipmap(struct cuda_server *v, struct wire_message *m)
{
	struct wire_mipmap w;
	struct mipmap_desc d;
	struct err wrong = {0};

	(void)m;
	memcpy(&w, v->window, sizeof(w)); /* the program can change the window */
	if (!gpu_is_texture(v->gpu, w.texture) || !gpu_is_texture(v->gpu, w.smaller))
		return CUDA_INVALID_VALUE;
	d = (struct mipmap_desc){.smaller = w.smaller,
		.blend = w.blend != 0,
		.bias = w.bias,
		.least = w.least,
		.most = w.most};
	v->has_mipmaps = true;
	return gpu_mipmap(v->gpu, w.texture, &d, &wrong)
		       ? cuda_refused(v, CUDA_INVALID_VALUE, &wrong)
		       : CUDA_OK;
}

/* False: it is none. */
static bool end_texture(struct cuda_server *v, texture_t t)
{
	if (!gpu_texture_free(v->gpu, t))
		return false;
	if (v->run.watch)
		v->run.watch->texture(v->run.watch->ctx, t, NULL);
	return true;
}

uint32_t cuda_texture_end(struct cuda_server *v, struct wire_message *m)
{
	uint32_t status = cuda_run_all(v);

	if (status)
		return status;
	return end_texture(v, m->a[0]) ? CUDA_OK : CUDA_INVALID_VALUE;
}

void cuda_textures_end(struct cuda_server *v)
{
	for (texture_t t = 0; (t = gpu_texture_next(v->gpu, t));)
		end_texture(v, t);
}

/* Binds a module's reference to a texture; 0: only whether there is one of that name. */
uint32_t cuda_bind(struct cuda_server *v, struct wire_message *m)
{
	struct err wrong = {0};
	const char *name;
	uint32_t status = cuda_run_all(v);
	const struct cuda_code *c = status ? NULL : cuda_named(v, m, &name, &status);

	if (!c)
		return status;
	if (!gpu_has_reference(v->gpu, c->module, name))
		return CUDA_INVALID_SYMBOL;
	if (!m->a[2])
		return CUDA_OK;
	if (!gpu_is_texture(v->gpu, m->a[2]))
		return CUDA_INVALID_VALUE;
	if (gpu_bind(v->gpu, c->module, name, m->a[2], &wrong))
		return cuda_refused(v, CUDA_INVALID_VALUE, &wrong);
	if (v->run.watch)
		v->run.watch->bind(v->run.watch->ctx, c->module, name, m->a[2]);
	return CUDA_OK;
}
