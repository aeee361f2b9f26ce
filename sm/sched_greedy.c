/* Greedy-then-oldest (GTO) over all resident warps: the usual single-level scheduler. */
#include "sm/sched.h"

static uint64_t activate(const void *self, const struct sched_view *v)
{
	(void)self;
	return v->resident;
}

static unsigned pick(const void *self, const struct sched_view *v)
{
	uint64_t able = v->active & v->ready;

	(void)self;
	if (able >> v->last & 1)
		return v->last;
	return sched_oldest(able, v->age);
}

static const struct sched_ops ops = {.activate = activate, .steady = true, .pick = pick};

const struct plugin sched_greedy = {
	.kind = "warp scheduler",
	.name = "greedy",
	.text = "Keeps issuing one warp while it can, then the oldest ready one.",
	.ops = &ops,
};
