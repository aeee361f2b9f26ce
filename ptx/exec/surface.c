/* Surface accesses, and queries of textures, samplers and surfaces. */
#include "ptx/exec/private.h"

#include <string.h>

#define MAX_BYTES 16 /* per lane */

/* ---- addresses. */

struct surface_layout {
	const struct texture *surface;
	enum geometry geometry;
	enum surface_mode mode;
	unsigned bytes;
	bool texels; /* x counts texels, not bytes */
};

/* Clamps i to 0 .. most if the mode asks for it; false when it is out of bounds. */
static bool bring(int64_t *i, int64_t most, enum surface_mode mode)
{
	if (*i >= 0 && *i <= most)
		return true;
	*i = *i < 0 || most < 0 ? 0 : most;
	return mode == SURFACE_CLAMP && most >= 0;
}

static bool lane_address(const struct surface_layout *p, const uint32_t *const *plane,
	unsigned lane, uint64_t *address)
{
	const struct texture *t = p->surface;
	unsigned texel = texture_texel_bytes(t), n = geometry_coords(p->geometry);
	bool array = geometry_is_array(p->geometry), inside;
	int64_t c[3] = {0};

	for (unsigned k = 0; k < n - array; k++)
		c[k] = (int32_t)plane[k + array][lane];
	if (array)
		c[2] = plane[0][lane] < t->depth ? plane[0][lane] : t->depth - 1;
	c[0] *= p->texels ? texel : 1;
	inside = bring(&c[0], (int64_t)t->width * texel - p->bytes, p->mode);
	inside &= bring(&c[1], (int64_t)t->height - 1, p->mode);
	inside &= bring(&c[2], (int64_t)t->depth - 1, p->mode);
	*address = t->address + (uint64_t)c[0] + (uint64_t)c[1] * t->row_bytes +
		   (uint64_t)c[2] * t->slice_bytes;
	return inside;
}

static enum exec_result outside(const struct issue *is, const struct surface_layout *p,
	const uint32_t *const *plane, unsigned lane)
{
	bool array = geometry_is_array(p->geometry);
	uint64_t x = plane[array][lane];
	uint64_t y = geometry_coords(p->geometry) - array > 1 ? plane[1 + array][lane] : 0;

	return exec_fault(is, FAULT_OUTSIDE_SURFACE, lane, x | y << 32);
}

/* Addresses of the lanes into *is->access; lanes out of bounds without effect leave its mask. */
static enum exec_result surface_addresses(struct issue *is, unsigned bytes, unsigned action)
{
	const struct instr *in = is->instr;
	struct access *a = is->access;
	const uint32_t *const plane[3] = {exec_source(is->warp, in->src[1]),
		exec_source(is->warp, in->src[2]), exec_source(is->warp, in->src[3])};
	struct surface_layout p = {.geometry = (enum geometry)(in->op % 16 / 3),
		.mode = (enum surface_mode)(in->op % 16 % 3),
		.bytes = bytes,
		.texels = in->op >= SURFACE_REDUCE_TEXELS};

	a->space = SPACE_GLOBAL;
	a->action = (uint8_t)action;
	a->bytes = (uint8_t)bytes;
	a->mem_type = in->mem_type;
	a->vec = in->vec;
	a->atom_op = in->atom_op;
	a->cache_op = in->cache_op;
	a->contiguous = false;
	a->halves = HALVES_ANY;
	a->mask = 0;
	for (uint32_t left = is->mask; left; left &= left - 1) {
		unsigned lane = low_bit(left);

		p.surface = exec_object(is, 0, lane, OBJECT_SURFACE);
		if (!p.surface)
			return EXEC_FAULT;
		if (lane_address(&p, plane, lane, &a->addr[lane]))
			a->mask |= 1u << lane;
		else if (p.mode == SURFACE_TRAP)
			return outside(is, &p, plane, lane);
		if (a->addr[lane] % bytes && a->mask >> lane & 1)
			return exec_fault(is, FAULT_MISALIGNED, lane, a->addr[lane]);
		if (p.texels)
			a->mem_type = p.surface->type == TEXEL_S32 ? T_S32 : T_U32;
	}
	return EXEC_OK;
}

/* ---- accesses. */

static enum exec_result surface_load(struct issue *is, unsigned size)
{
	const struct instr *in = is->instr;
	_Alignas(64) uint32_t words[WARP_LANES * MAX_BYTES / 4] = {0};
	unsigned char *data = (unsigned char *)words;
	enum exec_result result = EXEC_OK;

	if (is->access->mask)
		result =
			exec_memory_result(is, is->memory->load(is->memory->ctx, is->access, data));
	for (uint32_t left = is->mask & ~is->access->mask; left; left &= left - 1)
		memset(data + low_bit(left) * (size_t)is->access->bytes, 0, is->access->bytes);
	for (unsigned k = 0; result == EXEC_OK && k < in->vec; k++)
		exec_spread(is, in->dst[k], data + (size_t)k * size, is->access->bytes, size);
	return result;
}

static enum exec_result surface_store(struct issue *is, unsigned size)
{
	const struct instr *in = is->instr;
	_Alignas(64) unsigned char data[WARP_LANES * MAX_BYTES];

	for (unsigned k = 0; k < in->vec; k++)
		exec_gather(exec_source(is->warp, in->src[4 + k]), is->mask,
			data + (size_t)k * size, is->access->bytes, size);
	return exec_memory_result(is, is->memory->store(is->memory->ctx, is->access, data));
}

static enum exec_result surface_reduce(struct issue *is, unsigned size)
{
	_Alignas(64) unsigned char data[WARP_LANES * 8];

	exec_gather(exec_source(is->warp, is->instr->src[4]), is->mask, data, size, size);
	return exec_memory_result(
		is, is->memory->atomic(is->memory->ctx, is->access, data, NULL, NULL));
}

enum exec_result exec_surface(struct issue *is)
{
	static const uint8_t actions[] = {ACT_LOAD, ACT_STORE, ACT_RED, ACT_RED};
	const struct instr *in = is->instr;
	unsigned size = ptx_type_bytes((enum ptx_type)in->mem_type);
	enum action action = (enum action)actions[in->op / 16];

	if (!is->mask)
		return EXEC_OK;
	if (surface_addresses(is, size * in->vec, action) != EXEC_OK)
		return EXEC_FAULT;
	if (action == ACT_LOAD) {
		enum exec_result result = surface_load(is, size);

		if (!is->access->mask)
			is->access->space = SPACE_NONE;
		return result;
	}
	if (!is->access->mask) {
		is->access->space = SPACE_NONE;
		return EXEC_OK;
	}
	return action == ACT_STORE ? surface_store(is, size) : surface_reduce(is, size);
}

/* ---- queries. */

/* OpenCL's numbers for channel types, by texel type and whether it is read as float. */
static uint32_t channel_data_type(const struct texture *t)
{
	static const uint16_t plain[TEXEL_TYPES] = {
		0x10da, 0x10d7, 0x10db, 0x10d8, 0x10dc, 0x10d9, 0x10de, 0x10dd};
	static const uint16_t normalised[TEXEL_TYPES] = {
		0x10d2, 0x10d0, 0x10d3, 0x10d1, 0x10dc, 0x10d9, 0x10de, 0x10dd};

	return t->as_float ? normalised[t->type] : plain[t->type];
}

static uint32_t channel_order(const struct texture *t)
{
	return t->channels == 4 ? 0x10b5 : t->channels == 2 ? 0x10b2 : 0x10b0;
}

/* Address modes in the order of the PTX ISA. */
static uint32_t mode_number(uint8_t mode)
{
	static const uint8_t number[] = {[ADDRESS_CLAMP] = 3,
		[ADDRESS_BORDER] = 4,
		[ADDRESS_WRAP] = 0,
		[ADDRESS_MIRROR] = 1};

	return number[mode];
}

enum {
	ASK_WIDTH,
	ASK_HEIGHT,
	ASK_DEPTH,
	ASK_DATA_TYPE,
	ASK_ORDER,
	ASK_LAYERS,
	ASK_LAYOUT,
	ASK_TEXTURE = QUERY_TEXTURE + ASK_LAYOUT, /* normalised coordinates */
	ASK_LEVELS,
	ASK_SAMPLES,
	ASK_FILTER,
	ASK_MODE_X,
	ASK_MODE_Y,
	ASK_MODE_Z,
	ASK_FORCED
};

static uint32_t image_property(const struct texture *t, unsigned question)
{
	switch (question) {
	case ASK_WIDTH:
		return t->width;
	case ASK_HEIGHT:
		return t->height;
	case ASK_DEPTH:
	case ASK_LAYERS:
		return t->depth;
	case ASK_DATA_TYPE:
		return channel_data_type(t);
	case ASK_ORDER:
		return channel_order(t);
	default: /* one sample, and linear layout, which is 1 for surfaces */
		return 1;
	}
}

static uint32_t result_of(const struct texture *t, unsigned question)
{
	switch (question) {
	case ASK_TEXTURE:
		return t->sampler.normalised;
	case ASK_FILTER:
		return t->sampler.linear;
	case ASK_MODE_X:
	case ASK_MODE_Y:
	case ASK_MODE_Z:
		return mode_number(t->sampler.mode[question - ASK_MODE_X]);
	case ASK_FORCED:
		return t->sampler.unnormalised;
	default:
		return image_property(t, question % QUERY_TEXTURE);
	}
}

enum exec_result exec_query(struct issue *is)
{
	unsigned question = is->instr->op;
	bool of_sampler = question >= ASK_FILTER;
	uint32_t sink[2 * WARP_LANES];
	uint32_t *to = exec_destination(is->warp, is->instr->dst[0], sink);

	for (uint32_t left = is->mask; left; left &= left - 1) {
		unsigned lane = low_bit(left);
		const struct texture_table *table = is->warp->cta->grid->textures;
		struct operand o = is->instr->src[0];
		const struct texture *t =
			of_sampler ? texture_find(
					     table, exec_source(is->warp, o)[lane], OBJECT_SAMPLER)
				   : NULL;

		if (!t) /* a texture includes a sampler */
			t = exec_object(is, 0, lane, OBJECT_TEXTURE);
		if (!t)
			return EXEC_FAULT;
		to[lane] =
			question == ASK_LEVELS ? texture_levels(table, t) : result_of(t, question);
	}
	return EXEC_OK;
}
