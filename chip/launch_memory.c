/* Memory of a launch's own: local memory of its warps, and the words of grid-wide barriers. */
#include "chip/gpu_inside.h"

#define WORKSPACE_BYTES 16u
#define KEPT_BYTES (UINT64_C(1) << 30) /* of addresses */
#define KEPT_LEAST 16384u              /* of one buffer: a page */

int gpu_local_memory(struct gpu *g, struct launch_state *s, uint64_t slots, struct err *err)
{
	uint64_t stride = (uint64_t)s->grid.program->local_bytes * WARP_LANES;

	if (!stride)
		return 0;
	stride = div_up(stride, 128) * 128;
	s->local = image_add(g->image, "(local)", stride * slots, false, err);
	if (!s->local)
		return -1;
	s->grid.local_stride = stride;
	s->grid.local_base = image_address(g->image, s->local);
	s->grid.local = image_bytes_at(g->image, s->grid.local_base, stride * slots);
	return 0;
}

int gpu_workspace(struct gpu *g, struct launch_state *s, struct err *err)
{
	if (!s->grid.program->module->uses_workspace)
		return 0;
	s->workspace = image_add(g->image, "(grid workspace)", WORKSPACE_BYTES, true, err);
	if (!s->workspace)
		return -1;
	s->grid.workspace = image_address(g->image, s->workspace);
	return 0;
}

/* An entry for one more buffer. */
static bool make_room(struct kept_addresses *k)
{
	uint32_t room = k->room ? 2 * k->room : 64;
	buffer_t *buffer;
	uint64_t *bytes;

	if (k->n < k->room)
		return true;
	buffer = mem_alloc(room, sizeof(*buffer));
	bytes = mem_alloc(room, sizeof(*bytes));
	for (uint32_t i = 0; i < k->n && buffer && bytes; i++) {
		buffer[i] = k->buffer[(k->first + i) % k->room];
		bytes[i] = k->bytes[(k->first + i) % k->room];
	}
	mem_free(buffer ? k->buffer : NULL);
	if (!buffer || !bytes) {
		mem_free(buffer);
		mem_free(bytes);
		return false;
	}
	mem_free(k->bytes);
	k->buffer = buffer;
	k->bytes = bytes;
	k->first = 0;
	k->room = room;
	return true;
}

/* The buffer's bytes are freed; its addresses wait for their turn. */
static void give(struct gpu *g, buffer_t b)
{
	struct kept_addresses *k = &g->kept;
	uint64_t bytes;

	if (!b)
		return;
	bytes = max_u64(image_bytes(g->image, b), KEPT_LEAST);
	if (!make_room(k)) {
		image_remove(g->image, b);
		return;
	}
	image_vacate(g->image, b);
	k->buffer[(k->first + k->n) % k->room] = b;
	k->bytes[(k->first + k->n++) % k->room] = bytes;
	k->all_bytes += bytes;
	while (k->all_bytes > KEPT_BYTES) {
		image_remove(g->image, k->buffer[k->first]);
		k->all_bytes -= k->bytes[k->first];
		k->first = (k->first + 1) % k->room;
		k->n--;
	}
}

void gpu_launch_memory_free(struct gpu *g, struct launch_state *s)
{
	give(g, s->local);
	give(g, s->workspace);
	s->local = s->workspace = 0;
}
