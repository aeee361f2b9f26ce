/* The GPU as its host sees it: device memory. */
#include "chip/gpu_inside.h"
#include "chip/untimed/together.h"

#include "chip/chip.h"
#include "chip/journal.h"

#include <string.h>

static const struct param_def gpu_params[] = {GPU_PARAMS(PARAM_ROW, gpu)};

const struct param_table gpu_param_table = {"gpu", gpu_params, ARRAY_LEN(gpu_params)};

/* Settings of slots in shared memory without spills to it would have no effect. A rank is a reading
 * of the paper, which its tables give to all machines. */
static int check_spill(const struct gpu *g, struct err *err)
{
	static const char *const paths[] = {"gpu.spill_slots", "gpu.spill_stack"};

	for (size_t i = 0; i < ARRAY_LEN(paths) && g->p.spill == SPILL_LOCAL && !g->nkernels; i++)
		if (config_given(g->config, paths[i]))
			return err_add(err, ERR_INPUT,
				"%s is set, but gpu.spill=local spills to local memory alone; "
				"gpu.spill=shared uses slots of shared memory",
				paths[i]);
	return 0;
}

struct gpu *gpu_new(struct config *config, struct files *files, struct err *err)
{
	struct gpu *g = mem_alloc(1, sizeof(*g));
	unsigned before = err->count;

	if (!g) {
		err_add(err, ERR_RESOURCE, "no host memory for a GPU");
		return NULL;
	}
	g->config = config;
	g->read = files;
	config_load(config, "gpu", gpu_params, ARRAY_LEN(gpu_params), g, err);
	gpu_read_kernels(g, err);
	check_spill(g, err);
	gpu_read_levels(g, err);
	g->image = image_new(err);
	g->notes = mem_alloc(1, sizeof(*g->notes));
	if (!g->notes)
		err_add(err, ERR_RESOURCE, "no host memory for a GPU");
	g->lanes = lanes_select(*g->p.isa ? g->p.isa : NULL, err);
	if (err->count != before || !g->image || !g->lanes) {
		gpu_free(g);
		return NULL;
	}
	return g;
}

void gpu_free(struct gpu *g)
{
	if (!g)
		return;
	chip_free(g->chip);
	together_free(g->together);
	for (unsigned i = 0; i < g->nmodules; i++)
		gpu_free_module(g->modules[i]);
	mem_free(g->modules);
	for (unsigned i = 0; i < g->nfiles; i++)
		mem_free((char *)g->files[i].path);
	mem_free(g->files);
	launches_free(g);
	arena_free(&g->arena);
	mem_free(g->notes);
	mem_free(g->races);
	mem_free(g->textures.texture);
	image_free(g->image);
	mem_free(g);
}

void gpu_threads(struct gpu *g, unsigned threads)
{
	g->threads = threads;
}

void gpu_output(struct gpu *g, const struct exec_output *output)
{
	g->output = *output;
}

buffer_t gpu_buffer(struct gpu *g, const char *name, uint64_t bytes, struct err *err)
{
	return image_add(g->image, name, bytes, true, err);
}

void gpu_managed(struct gpu *g, const struct gpu_pages *pages)
{
	g->pages = *pages;
}

buffer_t gpu_buffer_high(struct gpu *g, const char *name, uint64_t bytes, struct err *err)
{
	return image_add(g->image, name, bytes, false, err);
}

uint64_t gpu_page_bytes(const struct gpu *g)
{
	return g->p.page_bytes;
}

buffer_t gpu_buffer_placed(
	struct gpu *g, const char *name, uint64_t address, uint64_t bytes, struct err *err)
{
	return image_add_placed(g->image, name, address, bytes, err);
}

buffer_t gpu_buffer_at(struct gpu *g, const char *name, void *host, uint64_t bytes, struct err *err)
{
	return image_add_at(g->image, name, host, bytes, err);
}

void gpu_buffer_free(struct gpu *g, buffer_t b)
{
	image_remove(g->image, b);
}

uint64_t gpu_memory_bytes(const struct gpu *g)
{
	return image_live_bytes(g->image);
}

buffer_t gpu_buffer_named(const struct gpu *g, const char *name)
{
	for (unsigned b = 1; b <= image_count(g->image); b++)
		if (!strcmp(image_name(g->image, b), name))
			return b;
	return 0;
}

const char *gpu_buffer_name(const struct gpu *g, buffer_t b)
{
	return image_name(g->image, b);
}

uint64_t gpu_buffer_address(const struct gpu *g, buffer_t b)
{
	return g->elsewhere.address ? g->elsewhere.address(g->elsewhere.ctx, b)
				    : image_address(g->image, b);
}

uint64_t gpu_buffer_bytes(const struct gpu *g, buffer_t b)
{
	return image_bytes(g->image, b);
}

void gpu_write(struct gpu *g, buffer_t b, uint64_t offset, const void *data, uint64_t bytes)
{
	unsigned char *at = image_bytes_at(g->image, image_address(g->image, b) + offset, bytes);

	BUG_ON(!at);
	memcpy(at, data, bytes);
}

void gpu_read(const struct gpu *g, buffer_t b, uint64_t offset, void *data, uint64_t bytes)
{
	const unsigned char *at =
		image_bytes_at(g->image, image_address(g->image, b) + offset, bytes);

	BUG_ON(!at);
	memcpy(data, at, bytes);
	gpu_note(g, data, bytes);
}
