/* Loops over the lanes of a warp, and results of the active ones. Included by ptx/exec/lanes.c and
 * its headers only. */
#ifndef PTX_EXEC_LANES_EACH_H
#define PTX_EXEC_LANES_EACH_H

#include "ptx/isa/lanes.h"

/* A destination may be a source, but only lane for lane: there is no dependence between lanes. */
#ifdef __clang__
#define FOR_LANES(i) \
	_Pragma("clang loop vectorize(assume_safety) unroll(disable)") for (unsigned i = 0; \
									    i < WARP_LANES; i++)
#else
#define FOR_LANES(i) _Pragma("GCC ivdep") for (unsigned i = 0; i < WARP_LANES; i++)
#endif

#ifdef __clang__
#define FOR_HALF(i) for (unsigned i = 0; i < HALF_LANES; i++)
#else
#define FOR_HALF(i) _Pragma("GCC unroll 4") for (unsigned i = 0; i < HALF_LANES; i++)
#endif

/* A lane's bit, from memory: lets the vectoriser test masks without variable shifts. */
static const uint32_t bit[WARP_LANES] = {1u << 0, 1u << 1, 1u << 2, 1u << 3, 1u << 4, 1u << 5,
	1u << 6, 1u << 7, 1u << 8, 1u << 9, 1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14,
	1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
	1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

static inline void blend(uint32_t *d, const uint32_t *t, uint32_t mask)
{
	FOR_LANES(i)
	{
		uint32_t on = (mask & bit[i]) == bit[i] ? UINT32_MAX : 0;

		d[i] = (t[i] & on) | (d[i] & ~on); /* a conditional would be slow */
	}
}

static inline void merge(uint32_t *d, uint32_t bits, uint32_t mask)
{
	*d = (*d & ~mask) | (bits & mask);
}

#endif
