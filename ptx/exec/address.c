/* Addresses of memory instructions: computed for each lane, translated from the generic address
 * space, and checked. */
#include "ptx/exec/private.h"

static enum ptx_space window_of(uint64_t a)
{
	if (a - GENERIC_SHARED_BASE < GENERIC_LOCAL_BASE - GENERIC_SHARED_BASE)
		return SPACE_SHARED;
	return a - GENERIC_LOCAL_BASE < GENERIC_LOCAL_BASE ? SPACE_LOCAL : SPACE_GLOBAL;
}

/* Keeps the lanes in the same state space as the first one; the others are executed later. */
static void keep_one_space(struct issue *is, struct lane_base *base, struct lane_span *span)
{
	struct access *a = is->access;
	enum ptx_space space = window_of(a->addr[low_bit(is->mask)]);
	uint32_t left, mask = 0;

	for (left = is->mask; left; left &= left - 1)
		if (window_of(a->addr[low_bit(left)]) == space)
			mask |= left & (0u - left);
	if (mask == is->mask)
		return;
	a->more = true;
	a->mask = is->mask = base->mask = mask;
	is->lanes->address(base, a->addr, span);
}

/* Selects the lanes of one space and translates their addresses. */
static void resolve_generic(struct issue *is, struct lane_base *lanes, struct lane_span *span)
{
	struct access *a = is->access;
	enum ptx_space space;
	uint64_t base;
	unsigned i;

	if (span->least < GENERIC_GLOBAL_BASE)
		keep_one_space(is, lanes, span);
	space = window_of(span->most);
	base = space == SPACE_SHARED ? GENERIC_SHARED_BASE : GENERIC_LOCAL_BASE;
	a->space = (uint8_t)space;
	if (space == SPACE_GLOBAL)
		return;
	span->least -= base;
	span->most -= base;
	for (i = 0; i < WARP_LANES; i++)
		a->addr[i] -= base;
}

static enum exec_result misaligned(const struct issue *is, unsigned bytes)
{
	const uint64_t *addr = is->access->addr;
	uint32_t left = is->mask;

	while ((addr[low_bit(left)] & (bytes - 1)) == 0)
		left &= left - 1;
	return exec_fault(is, FAULT_MISALIGNED, low_bit(left), addr[low_bit(left)]);
}

static enum exec_result out_of_bounds(const struct issue *is, unsigned bytes, uint64_t limit)
{
	const uint64_t *addr = is->access->addr;
	uint32_t left = is->mask;

	while (limit >= bytes && addr[low_bit(left)] <= limit - bytes)
		left &= left - 1;
	return exec_fault(is, FAULT_OUT_OF_BOUNDS, low_bit(left), addr[low_bit(left)]);
}

/* A slot is a row of its warp: each lane has a word of it. */
static enum exec_result check_slot(const struct issue *is)
{
	const struct cta *cta = is->warp->cta;
	uint64_t size = (uint64_t)is->warp->program->slots * SLOT_ROW;
	uint64_t row = cta->slots_at + is->warp->first_tid / WARP_LANES * size +
		       (uint64_t)is->instr->offset;
	const uint64_t *addr = is->access->addr;

	for (uint32_t left = is->mask; left; left &= left - 1) {
		unsigned lane = low_bit(left);

		if (addr[lane] != row + 4 * lane || addr[lane] + 4 > cta->slots_end)
			return exec_fault(is, FAULT_OUT_OF_BOUNDS, lane, addr[lane]);
	}
	return EXEC_OK;
}

/* Local memory is word-interleaved: the timing model sees the device address of the first word. */
static void place_local(const struct issue *is, struct lane_span *span)
{
	uint64_t *addr = is->access->addr;
	uint64_t away = 0;
	unsigned i;

	for (i = 0; i < WARP_LANES; i++) {
		addr[i] =
			is->warp->local_base + addr[i] / 4 * (4 * WARP_LANES) + 4 * i + addr[i] % 4;
		away |= addr[i] ^ (addr[0] + (uint64_t)i * is->access->bytes);
	}
	span->contiguous = is->mask == FULL_MASK && away == 0;
	span->halves = span->contiguous ? HALVES_ROWS : HALVES_ANY;
}

static uint64_t space_limit(const struct issue *is)
{
	switch (is->access->space) {
	case SPACE_SHARED:
		return is->instr->slot ? is->warp->cta->slots_end : is->warp->cta->shared_bytes;
	case SPACE_LOCAL:
		return is->warp->program->local_bytes;
	case SPACE_PARAM:
		return is->warp->program->param_bytes;
	default:
		return UINT64_MAX;
	}
}

enum exec_result exec_addresses(struct issue *is, unsigned bytes)
{
	const struct instr *in = is->instr;
	const uint32_t *low = exec_source(is->warp, in->src[0]);
	uint32_t mask = is->mask &= ~is->warp->done;
	struct lane_base base = {low, in->src[0].words > 1 ? low + WARP_LANES : exec_zeros,
		(uint64_t)in->offset, in->address_words == 1 ? UINT32_MAX : UINT64_MAX, mask,
		bytes};
	struct access *a = is->access;
	struct lane_span span;
	uint64_t limit;

	a->space = in->space;
	a->action = in->action;
	a->bytes = (uint8_t)bytes;
	a->mem_type = in->mem_type;
	a->vec = in->vec;
	a->atom_op = in->atom_op;
	a->cache_op = in->cache_op;
	a->mask = mask;
	is->lanes->address(&base, a->addr, &span);
	if (a->space == SPACE_GENERIC)
		resolve_generic(is, &base, &span);
	if (span.bits & (bytes - 1))
		return misaligned(is, bytes);
	limit = space_limit(is);
	if (limit < bytes || span.most > limit - bytes)
		return out_of_bounds(is, bytes, limit);
	if (in->slot && check_slot(is) != EXEC_OK)
		return EXEC_FAULT;
	if (a->space == SPACE_LOCAL)
		place_local(is, &span);
	a->contiguous = span.contiguous;
	a->halves = span.halves;
	a->same = a->space == SPACE_LOCAL ? 0 : span.same;
	is->row = span.row && span.most - span.least < WARP_LANES * bytes;
	return EXEC_OK;
}
