/* Accesses for tests. */
#ifndef TESTS_RIG_ACCESS_H
#define TESTS_RIG_ACCESS_H

#include "ptx/exec/exec.h"
#include "ptx/isa/forms.h"

/* All lanes, consecutive addresses. */
static inline struct access warp_access(uint8_t action, uint64_t base, unsigned bytes)
{
	struct access a = {.space = SPACE_GLOBAL,
		.action = action,
		.bytes = (uint8_t)bytes,
		.mem_type = bytes == 8 ? T_U64 : T_U32,
		.vec = 1,
		.contiguous = true,
		.mask = UINT32_MAX};

	for (unsigned i = 0; i < WARP_LANES; i++)
		a.addr[i] = base + i * bytes;
	return a;
}

/* Lane 0 alone. */
static inline struct access lane_access(uint8_t action, uint64_t addr, unsigned bytes)
{
	struct access a = warp_access(action, addr, bytes);

	a.contiguous = false;
	a.mask = 1;
	return a;
}

#endif
