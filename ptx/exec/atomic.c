/* Atomics: on shared memory directly, on global memory through exec_memory. */
#include "ptx/exec/private.h"

#include <string.h>

/* The registers that hold an operand: each has `size` bytes of a lane. */
struct parts {
	unsigned n, size;
};

static struct parts parts_of(const struct instr *in)
{
	if (in->mem_type == T_B128)
		return (struct parts){2, 8};
	return (struct parts){in->vec, ptx_type_bytes((enum ptx_type)in->mem_type)};
}

/* The destination planes of the old values; false when there are none. */
static bool find_planes(const struct issue *is, struct parts p, uint32_t *planes[ATOM_PLANES])
{
	const struct instr *in = is->instr;
	unsigned words = p.size == 8 ? 2 : 1, k;
	bool wanted = false;

	if (in->action != ACT_ATOM)
		return false;
	for (k = 0; k < p.n; k++) {
		uint32_t *plane = exec_destination(is->warp, in->dst[k], NULL);

		planes[k * words] = plane;
		if (plane && words == 2)
			planes[k * words + 1] = plane + WARP_LANES;
		wanted |= plane != NULL;
	}
	return wanted;
}

/* Operand `which`, in memory order. */
static void gather_operand(
	const struct issue *is, struct parts p, unsigned which, unsigned char *data)
{
	const struct operand *first = &is->instr->src[1 + which * p.n];

	for (unsigned k = 0; k < p.n; k++)
		exec_gather(exec_source(is->warp, first[k]), is->mask, data + (size_t)k * p.size,
			p.n * p.size, p.size);
}

/* The lanes access shared memory in order, lowest first. */
static void atomic_shared(const struct issue *is, unsigned size, uint32_t *const *planes)
{
	const struct instr *in = is->instr;
	enum ptx_type type = (enum ptx_type)in->mem_type;
	const uint32_t *a = exec_source(is->warp, in->src[1]),
		       *b = exec_source(is->warp, in->src[2]);
	uint32_t left;

	for (left = is->mask; left; left &= left - 1) {
		unsigned i = low_bit(left);
		unsigned char *cell = is->warp->cta->shared + is->access->addr[i];
		uint64_t old = 0, new;
		uint64_t va = a[i], vb = b[i];

		if (size == 8) {
			va |= (uint64_t)a[WARP_LANES + i] << 32;
			vb |= (uint64_t)b[WARP_LANES + i] << 32;
		}
		memcpy(&old, cell, size);
		new = atom_apply((enum atom_op)in->atom_op, type, old, va, vb);
		memcpy(cell, &new, size);
		if (planes)
			planes[0][i] = (uint32_t)old;
		if (planes && planes[1])
			planes[1][i] = (uint32_t)(old >> 32);
	}
}

/* The same for 128 bits. */
static void atomic_shared_whole(const struct issue *is, struct parts p, uint32_t *const *planes)
{
	const struct instr *in = is->instr;
	const struct atom atom = {in->atom_op, in->mem_type, in->vec};
	unsigned char a[WARP_LANES * ATOM_BYTES], b[WARP_LANES * ATOM_BYTES];
	uint32_t left;

	gather_operand(is, p, 0, a);
	if (in->atom_op == ATOM_CAS)
		gather_operand(is, p, 1, b);
	for (left = is->mask; left; left &= left - 1) {
		unsigned i = low_bit(left);

		atom_lane(&atom, is->warp->cta->shared + is->access->addr[i], a + i * ATOM_BYTES,
			b + i * ATOM_BYTES, i, planes);
	}
}

static enum exec_result atomic_memory(
	const struct issue *is, struct parts p, uint32_t *const *planes)
{
	_Alignas(64) unsigned char a[WARP_LANES * ATOM_BYTES], b[WARP_LANES * ATOM_BYTES];
	bool cas = is->instr->atom_op == ATOM_CAS;

	gather_operand(is, p, 0, a);
	if (cas)
		gather_operand(is, p, 1, b);
	return exec_memory_result(
		is, is->memory->atomic(is->memory->ctx, is->access, a, cas ? b : NULL, planes));
}

/* PTX has vectors in global memory only. */
static bool is_legal_space(const struct issue *is)
{
	return is->access->space == SPACE_GLOBAL ||
	       (is->access->space == SPACE_SHARED && is->instr->vec == 1);
}

enum exec_result exec_atomic(struct issue *is)
{
	struct parts p = parts_of(is->instr);
	uint32_t *planes[ATOM_PLANES] = {NULL};
	bool wanted;

	if (!is->mask)
		return EXEC_OK;
	if (exec_addresses(is, p.n * p.size) != EXEC_OK)
		return EXEC_FAULT;
	if (!is_legal_space(is))
		return exec_fault(is, FAULT_OUT_OF_BOUNDS, low_bit(is->mask),
			is->access->addr[low_bit(is->mask)]);
	wanted = find_planes(is, p, planes);
	if (is->access->space == SPACE_GLOBAL)
		return atomic_memory(is, p, wanted ? planes : NULL);
	if (is->instr->mem_type == T_B128)
		atomic_shared_whole(is, p, wanted ? planes : NULL);
	else
		atomic_shared(is, p.size, wanted ? planes : NULL);
	return EXEC_OK;
}
