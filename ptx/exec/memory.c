/* Loads and stores: shared, local and parameter memory directly, other spaces through exec_memory.
 */
#include "ptx/exec/private.h"

#include <string.h>

/* ---- between value planes and lane-major data */

/* Values of 8 or 16 bits, one behind the other, as words. */
static void widen(uint32_t *words, const unsigned char *data, unsigned size, bool is_signed)
{
	unsigned shift = 32 - 8 * size, i;

	for (i = 0; size == 1 && i < WARP_LANES; i++)
		words[i] = data[i];
	for (i = 0; size == 2 && i < WARP_LANES; i++) {
		uint16_t value;

		memcpy(&value, data + 2 * (size_t)i, 2);
		words[i] = value;
	}
	for (i = 0; is_signed && i < WARP_LANES; i++)
		words[i] = (uint32_t)((int32_t)(words[i] << shift) >> shift);
}

static void spread_narrow(const struct issue *is, uint32_t *plane, const unsigned char *data,
	unsigned stride, unsigned size, bool is_signed)
{
	unsigned char values[2 * WARP_LANES];
	uint32_t words[WARP_LANES];

	for (unsigned i = 0; stride != size && i < WARP_LANES; i++)
		memcpy(values + (size_t)i * size, data + (size_t)i * stride, size);
	widen(words, stride == size ? data : values, size, is_signed);
	is->lanes->spread(plane, words, 1, is->mask);
}

/* The upper word of a register that is wider than the loaded value. */
static void extend(uint32_t *plane, uint32_t mask, bool is_signed)
{
	unsigned i;

	for (i = 0; i < WARP_LANES; i++) {
		uint32_t v = is_signed ? 0u - (plane[i] >> 31) : 0;

		plane[WARP_LANES + i] = mask >> i & 1 ? v : plane[WARP_LANES + i];
	}
}

void exec_spread(const struct issue *is, struct operand dst, const unsigned char *data,
	unsigned stride, unsigned size)
{
	const uint32_t *words = (const uint32_t *)(const void *)data; /* they are */
	bool is_signed = false;
	uint32_t *plane;

	if (dst.kind != OPND_REG)
		return;
	plane = is->warp->regs + (size_t)dst.index * WARP_LANES;
	if (size < 4 || dst.words > 1)
		is_signed = ptx_type_class((enum ptx_type)is->instr->mem_type) == 's';
	if (size == 4 && stride == 4 && is->mask == FULL_MASK)
		memcpy(plane, data, WARP_LANES * sizeof(*plane));
	else if (size >= 4)
		is->lanes->spread(plane, words, stride / 4, is->mask);
	else
		spread_narrow(is, plane, data, stride, size, is_signed);
	if (size == 8 && dst.words > 1)
		is->lanes->spread(plane + WARP_LANES, words + 1, stride / 4, is->mask);
	else if (dst.words > 1)
		extend(plane, is->mask, is_signed);
}

/* For lanes outside the mask the data is undefined. */
void exec_gather(
	const uint32_t *plane, uint32_t mask, unsigned char *data, unsigned stride, unsigned size)
{
	unsigned i;

	if (size == 4 && stride == 4) {
		memcpy(data, plane, WARP_LANES * sizeof(*plane));
		return;
	}
	for (i = 0; size >= 4 && i < WARP_LANES; i++)
		memcpy(data + (size_t)i * stride, &plane[i], 4);
	for (i = 0; size == 8 && i < WARP_LANES; i++)
		memcpy(data + (size_t)i * stride + 4, &plane[WARP_LANES + i], 4);
	for (; size < 4 && mask; mask &= mask - 1) {
		unsigned char *p = data + (size_t)low_bit(mask) * stride;

		p[0] = (unsigned char)plane[low_bit(mask)];
		if (size == 2)
			p[1] = (unsigned char)(plane[low_bit(mask)] >> 8);
	}
}

/* ---- storage of the warp and the CTA; memory is little-endian, like the host */

/* The sizes are constants so that each copy compiles to one move. */
static inline void copy_lane(unsigned char *to, const unsigned char *from, unsigned bytes)
{
	switch (bytes) {
	case 1:
		*to = *from;
		break;
	case 2:
		memcpy(to, from, 2);
		break;
	case 4:
		memcpy(to, from, 4);
		break;
	case 8:
		memcpy(to, from, 8);
		break;
	case 16:
		memcpy(to, from, 16);
		break;
	default:
		memcpy(to, from, LANE_BYTES_MAX);
	}
}

/* One loop per size, so that each copy is one move. */
static inline void read_each(
	const struct access *a, const unsigned char *from, unsigned char *data, unsigned bytes)
{
	uint32_t left;

	for (left = a->mask; left; left &= left - 1)
		copy_lane(
			data + (size_t)low_bit(left) * bytes, from + a->addr[low_bit(left)], bytes);
}

static inline void write_each(
	const struct access *a, unsigned char *to, const unsigned char *data, unsigned bytes)
{
	uint32_t left;

	for (left = a->mask; left; left &= left - 1)
		copy_lane(to + a->addr[low_bit(left)], data + (size_t)low_bit(left) * bytes, bytes);
}

/* Four in a turn: the loop itself would cost as much as they do. */
static inline void read_words(const uint64_t *addr, const unsigned char *from, unsigned char *data)
{
	for (const uint64_t *end = addr + WARP_LANES; addr < end; addr += 4, data += 16) {
		memcpy(data, from + addr[0], 4);
		memcpy(data + 4, from + addr[1], 4);
		memcpy(data + 8, from + addr[2], 4);
		memcpy(data + 12, from + addr[3], 4);
	}
}

/* The words of halves of a warp: rows, or one word each. */
static inline void read_halves(const struct access *a, const unsigned char *from, uint32_t *words)
{
	const unsigned char *half[] = {from + a->addr[0], from + a->addr[HALF_LANES]};

	for (unsigned h = 0; h < 2; h++, words += HALF_LANES) {
		uint32_t word;

		if (a->halves == HALVES_ROWS) {
			memcpy(words, half[h], HALF_LANES * sizeof(word));
			continue;
		}
		memcpy(&word, half[h], sizeof(word));
		for (unsigned i = 0; i < HALF_LANES; i++)
			words[i] = word;
	}
}

static void read_lanes(
	const struct access *a, bool row, const unsigned char *from, unsigned char *data)
{
	unsigned i, first;

	if (a->contiguous) {
		memcpy(data, from + a->addr[0], (size_t)a->bytes * WARP_LANES);
	} else if (a->halves && a->bytes == 4) {
		read_halves(a, from, (uint32_t *)(void *)data);
	} else if (row) { /* also reads the gaps between the lanes */
		first = low_bit(a->mask);
		i = 31u - (unsigned)__builtin_clz(a->mask);
		memcpy(data + (size_t)first * a->bytes, from + a->addr[first],
			(size_t)a->bytes * (i + 1 - first));
	} else if (a->bytes == 4 && a->mask == FULL_MASK) {
		read_words(a->addr, from, data);
	} else if (a->bytes == 4) {
		read_each(a, from, data, 4);
	} else if (a->bytes == 8) {
		read_each(a, from, data, 8);
	} else {
		read_each(a, from, data, a->bytes);
	}
}

static void write_lanes(const struct access *a, unsigned char *to, const unsigned char *data)
{
	if (a->contiguous)
		memcpy(to + a->addr[0], data, (size_t)a->bytes * WARP_LANES);
	else if (a->bytes == 4)
		write_each(a, to, data, 4);
	else if (a->bytes == 8)
		write_each(a, to, data, 8);
	else
		write_each(a, to, data, a->bytes);
}

/* Moves `bytes` bytes, a constant where this is inlined, between each lane's element and local
 * memory, where a lane's words are WARP_LANES words apart. */
static inline void move_each(const struct issue *is, unsigned char *data, unsigned bytes, bool load)
{
	const struct access *a = is->access;
	unsigned piece = bytes < 4 ? bytes : 4;

	for (uint32_t left = a->mask; left; left &= left - 1) {
		unsigned i = low_bit(left);
		unsigned char *at = is->warp->local + (a->addr[i] - is->warp->local_base);
		unsigned char *lane = data + (size_t)i * bytes;

		for (unsigned k = 0; k < bytes; k += piece) {
			if (load)
				memcpy(lane + k, at + (size_t)k * WARP_LANES, piece);
			else
				memcpy(at + (size_t)k * WARP_LANES, lane + k, piece);
		}
	}
}

static void move_local(const struct issue *is, unsigned char *data, bool load)
{
	unsigned bytes = is->access->bytes;

	if (bytes == 1)
		move_each(is, data, 1, load);
	else if (bytes == 4)
		move_each(is, data, 4, load);
	else if (bytes == 8)
		move_each(is, data, 8, load);
	else
		move_each(is, data, bytes, load);
}

enum exec_result exec_memory_result(const struct issue *is, int result)
{
	if (result == 0)
		return EXEC_OK;
	if (result == EXEC_RETRY)
		return EXEC_AGAIN;
	return exec_fault(
		is, FAULT_OUT_OF_BOUNDS, (uint32_t)(result - 1), is->access->addr[result - 1]);
}

/* A register whose plane is what all lanes load from memory that the access cannot leave. */
static inline bool loads_plane(const struct issue *is, unsigned bytes)
{
	struct operand dst = is->instr->dst[0];

	return bytes == 4 && is->instr->vec == 1 && is->mask == FULL_MASK && dst.kind == OPND_REG &&
	       dst.words == 1;
}

enum exec_result exec_load(struct issue *is)
{
	const struct instr *in = is->instr;
	unsigned size = ptx_type_bytes((enum ptx_type)in->mem_type), bytes = size * in->vec, i;
	_Alignas(64) uint32_t words[WARP_LANES * LANE_BYTES_MAX / 4];
	unsigned char *data = (unsigned char *)words;
	enum exec_result result = EXEC_OK;
	bool whole;

	if (!is->mask)
		return EXEC_OK;
	if (exec_addresses(is, bytes) != EXEC_OK)
		return EXEC_FAULT;
	whole = loads_plane(is, bytes);
	if (whole)
		data = (unsigned char *)(is->warp->regs + (size_t)in->dst[0].index * WARP_LANES);
	switch (is->access->space) {
	case SPACE_SHARED:
		read_lanes(is->access, is->row, is->warp->cta->shared, data);
		break;
	case SPACE_PARAM:
		read_lanes(is->access, is->row, is->warp->cta->grid->params, data);
		break;
	case SPACE_LOCAL:
		move_local(is, data, true);
		break;
	default:
		data = (unsigned char *)words; /* a load that fails writes no register */
		whole = false;
		result =
			exec_memory_result(is, is->memory->load(is->memory->ctx, is->access, data));
	}
	if (whole || result != EXEC_OK)
		return result;
	for (i = 0; i < in->vec; i++)
		exec_spread(is, in->dst[i], data + (size_t)i * size, bytes, size);
	return EXEC_OK;
}

enum exec_result exec_store(struct issue *is)
{
	const struct instr *in = is->instr;
	unsigned size = ptx_type_bytes((enum ptx_type)in->mem_type), bytes = size * in->vec, i;
	_Alignas(64) unsigned char data[WARP_LANES * LANE_BYTES_MAX];

	if (!is->mask)
		return EXEC_OK;
	if (exec_addresses(is, bytes) != EXEC_OK)
		return EXEC_FAULT;
	for (i = 0; i < in->vec; i++)
		exec_gather(exec_source(is->warp, in->src[1 + i]), is->mask,
			data + (size_t)i * size, bytes, size);
	switch (is->access->space) {
	case SPACE_SHARED:
		write_lanes(is->access, is->warp->cta->shared, data);
		return EXEC_OK;
	case SPACE_LOCAL:
		move_local(is, data, false);
		return EXEC_OK;
	case SPACE_GLOBAL:
		return exec_memory_result(is, is->memory->store(is->memory->ctx, is->access, data));
	default: /* constants and parameters are read-only */
		return exec_fault(is, FAULT_OUT_OF_BOUNDS, low_bit(is->mask),
			is->access->addr[low_bit(is->mask)]);
	}
}
