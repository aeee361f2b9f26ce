/* The heap of malloc() in kernels: one for all modules, made with the first that calls it. */
#include "chip/gpu_inside.h"

#include <string.h>

static int make_heap(struct gpu *g, struct err *err)
{
	const uint64_t head[] = {HEAP_HEAD, HEAP_HEAD + g->p.heap_bytes};

	g->heap = gpu_buffer_high(g, "heap", head[1], err);
	if (!g->heap)
		return -1;
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
	if (g->heap)
		return -1;
	g->p.heap_bytes = bytes;
	return 0;
}

uint64_t gpu_heap_bytes(const struct gpu *g)
{
	return g->p.heap_bytes;
}
