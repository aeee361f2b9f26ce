/* Handles of textures, samplers and surfaces, one of each lane. */
#include "ptx/exec/private.h"
#include "ptx/exec/texture.h"

const struct texture *exec_object(
	const struct issue *is, unsigned source, uint32_t lane, enum object_kind kind)
{
	struct operand o = is->instr->src[source];
	const uint32_t *plane = exec_source(is->warp, o);
	uint64_t handle =
		plane[lane] | (o.words > 1 ? (uint64_t)plane[WARP_LANES + lane] << 32 : 0);
	const struct texture *t = texture_find(is->warp->cta->grid->textures, handle, kind);

	if (!t) {
		is->access->space = SPACE_NONE;
		is->access->bytes = 0;
		exec_fault(is, FAULT_BAD_HANDLE, lane, handle);
	}
	return t;
}

bool texture_has_four(const struct instr *in)
{
	return in->op < TEXTURE_GATHER && in->op / 3 == GEOMETRY_ACUBE;
}

uint32_t texture_alike(const struct issue *is, uint32_t left)
{
	uint32_t lanes = left;

	for (unsigned source = 0; source < 5; source += 4) {
		struct operand o = is->instr->src[source];

		if (source && texture_has_four(is->instr))
			break;
		const uint32_t *plane = exec_source(is->warp, o);

		for (unsigned i = 0; o.kind == OPND_REG && i < WARP_LANES * o.words; i++)
			if (plane[i] != plane[i / WARP_LANES * WARP_LANES + low_bit(left)])
				lanes &= ~(1u << i % WARP_LANES);
	}
	return lanes;
}
