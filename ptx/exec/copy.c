/* cp.async: bytes are copied to shared memory at once; the timing model knows when they arrive,
 * before which a program may not read them. */
#include "ptx/exec/private.h"

#include <string.h>

#define MOST 16u /* bytes of a lane */

/* Bytes that the lanes read; the lanes that read any. */
static uint32_t lengths(const struct issue *is, unsigned bytes, uint32_t *length)
{
	struct operand o = is->instr->src[2];
	const uint32_t *given = exec_source(is->warp, o);
	uint32_t some = 0;

	for (unsigned i = 0; i < WARP_LANES; i++) {
		length[i] = o.kind == OPND_NONE || given[i] > bytes ? bytes : given[i];
		some |= (uint32_t)(length[i] > 0) << i;
	}
	return some & is->mask;
}

/* A lane reads less than the others: byte by byte. */
static enum exec_result read_part(const struct issue *is, const struct access *whole, unsigned lane,
	unsigned n, unsigned char *to)
{
	unsigned char data[WARP_LANES];
	struct access one = *whole;

	one.mask = 1u << lane;
	one.bytes = one.vec = 1;
	one.mem_type = T_B8;
	one.contiguous = false;
	one.halves = HALVES_ANY;
	one.same = 0;
	for (unsigned k = 0; k < n; k++) {
		int result;

		one.addr[lane] = whole->addr[lane] + k;
		result = is->memory->load(is->memory->ctx, &one, data);
		if (result != 0)
			return exec_memory_result(is, result);
		to[k] = data[lane];
	}
	return EXEC_OK;
}

/* *data is zero before. */
static enum exec_result read_lanes(
	const struct issue *is, const uint32_t *length, unsigned bytes, unsigned char *data)
{
	struct access *a = is->access;
	uint32_t part = 0, all = a->mask;
	enum exec_result result = EXEC_OK;

	for (uint32_t left = all; left; left &= left - 1)
		if (length[low_bit(left)] < bytes)
			part |= left & (0u - left);
	a->mask = all & ~part;
	if (a->mask)
		result = exec_memory_result(is, is->memory->load(is->memory->ctx, a, data));
	a->mask = all;
	for (; part && result == EXEC_OK; part &= part - 1) {
		unsigned lane = low_bit(part);

		result = read_part(is, a, lane, length[lane], data + (size_t)lane * bytes);
	}
	return result;
}

/* Where the lane writes in shared memory. */
static enum exec_result check_target(
	const struct issue *is, unsigned lane, uint64_t at, unsigned bytes)
{
	uint32_t limit = is->warp->cta->shared_bytes;

	if (at % bytes == 0 && limit >= bytes && at <= limit - bytes)
		return EXEC_OK;
	is->access->space = SPACE_SHARED;
	return exec_fault(is, at % bytes ? FAULT_MISALIGNED : FAULT_OUT_OF_BOUNDS, lane, at);
}

enum exec_result exec_copy(struct issue *is)
{
	const struct instr *in = is->instr;
	unsigned bytes = ptx_type_bytes((enum ptx_type)in->mem_type) * in->vec;
	const uint32_t *to = exec_source(is->warp, in->src[1]);
	unsigned char data[WARP_LANES * MOST] = {0};
	uint32_t length[WARP_LANES], mask = is->mask;
	enum exec_result result = EXEC_OK;

	is->access->bytes = (uint8_t)bytes;
	is->mask = lengths(is, bytes, length);
	if (is->mask) {
		result = exec_addresses(is, bytes);
		is->access->action = ACT_LOAD;
		if (result == EXEC_OK)
			result = read_lanes(is, length, bytes, data);
	}
	is->mask = mask;
	for (uint32_t left = mask; left && result == EXEC_OK; left &= left - 1)
		result = check_target(is, low_bit(left), to[low_bit(left)], bytes);
	for (uint32_t left = mask; left && result == EXEC_OK; left &= left - 1)
		memcpy(is->warp->cta->shared + to[low_bit(left)],
			data + (size_t)low_bit(left) * bytes, bytes);
	return result;
}
