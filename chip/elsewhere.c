/* A GPU's launches, buffers and textures for another device that runs them. */
#include "chip/elsewhere.h"

#include "chip/gpu_inside.h"

void gpu_elsewhere(struct gpu *g, const struct gpu_elsewhere *elsewhere)
{
	BUG_ON(image_count(g->image));
	g->elsewhere = *elsewhere;
}

uint32_t gpu_launches(const struct gpu *g)
{
	return g->nlaunches;
}

const struct launch *gpu_launch_queued(
	const struct gpu *g, uint32_t i, const struct program **program)
{
	const struct launch_state *l = launches_at(g, i);

	*program = l->grid.program;
	return &l->queued;
}

void gpu_complete(struct gpu *g)
{
	while (g->oldest) {
		g->oldest->finished = g->oldest->timed;
		launches_complete(g, g->oldest);
	}
}

buffer_t gpu_buffers(const struct gpu *g)
{
	return image_count(g->image);
}

bool gpu_buffer_is_inner(const struct gpu *g, buffer_t b)
{
	return *image_name(g->image, b) == '(';
}

unsigned char *gpu_buffer_data(const struct gpu *g, buffer_t b)
{
	return image_bytes_at(g->image, image_address(g->image, b), image_bytes(g->image, b));
}

buffer_t gpu_buffer_holding(const struct gpu *g, uint64_t address, uint64_t *base)
{
	buffer_t b = image_find(g->image, address, 1);

	if (b)
		*base = image_address(g->image, b);
	return b;
}

const struct texture *gpu_texture_of(const struct gpu *g, texture_t t)
{
	return &g->textures.texture[texture_index(t)];
}

const char *gpu_module_given(const struct gpu *g, module_t module)
{
	const struct gpu_module *m = g->modules[module - 1];

	return m->given && m->ntexts == 1 ? m->texts[0].text : NULL;
}

const struct gpu_file *gpu_module_files(const struct gpu *g, module_t module, unsigned *n)
{
	const struct gpu_module *m = g->modules[module - 1];

	*n = m->nfiles;
	return g->files ? g->files + m->first_file : NULL;
}
