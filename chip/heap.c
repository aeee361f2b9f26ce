/* The heap of malloc() in kernels: one for all modules, made with the first that calls it. */
#include "chip/gpu_inside.h"

#include <string.h>

static int make_heap(struct gpu *g, struct err *err)
{
	const uint64_t head[] = {HEAP_HEAD, HEAP_HEAD + g->p.heap_bytes};

	buffer_t heap = gpu_buffer_high(g, "heap", head[1], err);

	if (!heap)
		return -1;
	if (g->heap)
		gpu_buffer_free(g, g->heap);
	g->heap = heap;
	g->heap_since = g->nlaunches;
	gpu_write(g, g->heap, 0, head, sizeof(head));
	return 0;
}

int gpu_heap_place(struct gpu *g, const struct module *m, struct err *err)
{
	for (uint32_t i = 0; i < m->nvars; i++) {
		uint64_t address;

		if (strcmp(m->vars[i].name, HEAP_VARIABLE) != 0 || m->vars[i].bytes != 8)
			continue;
		if (!g->heap && make_heap(g, err))
			return -1;
		address = gpu_buffer_address(g, g->heap);
		memcpy(image_bytes_at(g->image, m->vars[i].address, 8), &address, 8);
	}
	return 0;
}

int gpu_heap(struct gpu *g, uint64_t bytes)
{
	uint64_t before = g->p.heap_bytes;
	struct err ignored = {0};

	if (g->heap && g->heap_since != g->nlaunches)
		return -1;
	g->p.heap_bytes = bytes;
	if (!g->heap || bytes == before)
		return 0;
	if (make_heap(g, &ignored)) {
		err_clear(&ignored);
		g->p.heap_bytes = before;
		return -1;
	}
	for (unsigned i = 0; i < g->nmodules; i++)
		gpu_heap_place(g, g->modules[i]->module, NULL);
	return 0;
}

void gpu_heap_reset(struct gpu *g)
{
	unsigned char head[HEAP_HEAD] = {0};
	const uint64_t ends[] = {HEAP_HEAD, HEAP_HEAD + g->p.heap_bytes};

	if (!g->heap)
		return;
	memcpy(head, ends, sizeof(ends));
	gpu_write(g, g->heap, 0, head, sizeof(head));
	g->heap_since = g->nlaunches;
}

uint64_t gpu_heap_bytes(const struct gpu *g)
{
	return g->p.heap_bytes;
}
