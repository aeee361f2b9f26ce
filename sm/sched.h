/* Warp schedulers: which warps are active, and which of them issues. A plugin of kind "warp
 * scheduler" each; policies only choose. */
#ifndef SM_SCHED_H
#define SM_SCHED_H

#include "core/plugin.h"

/* What a policy may know of its scheduler's warps; bit w is warp slot w. */
struct sched_view {
	uint64_t resident;
	uint64_t active;      /* as activate() last answered, without warps that left */
	uint64_t ready;       /* could issue this cycle */
	uint64_t waiting;     /* on a long-latency result, a barrier, a fence, or their exit */
	uint64_t drained;     /* of `waiting`: their short-latency writes are done */
	const uint64_t *age;  /* per warp: order of arrival */
	unsigned last;        /* the warp that issued last */
	unsigned last_active; /* the warp activated last */
	unsigned max_active;
};

struct sched_ops {
	/* The new active set: which warps may issue. Called whenever something changed. */
	uint64_t (*activate)(const struct sched_view *);
	/* The warp to issue, one of active & ready; that set is not empty. */
	unsigned (*pick)(const struct sched_view *);
};

/* The lowest bit of `set` above `after`, wrapping around; set != 0. */
static inline unsigned sched_next(uint64_t set, unsigned after)
{
	uint64_t above = after >= 63 ? 0 : set & (~UINT64_C(0) << (after + 1));

	return low_bit(above ? above : set);
}

/* The bit of `set` with the smallest age; set != 0. */
static inline unsigned sched_oldest(uint64_t set, const uint64_t *age)
{
	unsigned best = low_bit(set);

	for (set &= set - 1; set; set &= set - 1)
		if (age[low_bit(set)] < age[best])
			best = low_bit(set);
	return best;
}

#endif
