/* Greedy-then-youngest over all resident warps: what Huerta et al. (MICRO 2025, table 1) found in
 * the cores of NVIDIA's Ampere generation, without the compiler's hints. */
#include "sm/sched.h"

static uint64_t activate(const void *self, const struct sched_view *v)
{
	(void)self;
	return v->resident;
}

static unsigned pick(const void *self, const struct sched_view *v)
{
	uint64_t able = v->active & v->ready;
	unsigned best;

	(void)self;
	if (able >> v->last & 1)
		return v->last;
	best = low_bit(able);
	for (able &= able - 1; able; able &= able - 1)
		if (v->age[low_bit(able)] >= v->age[best])
			best = low_bit(able);
	return best;
}

static const struct sched_ops ops = {.activate = activate, .steady = true, .pick = pick};

const struct plugin sched_youngest = {
	.kind = "warp scheduler",
	.name = "youngest",
	.text = "Keeps issuing one warp while it can, then the youngest ready one.",
	.ops = &ops,
};
