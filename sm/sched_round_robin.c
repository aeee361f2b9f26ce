/* Round robin over all resident warps. */
#include "sm/sched.h"

static uint64_t activate(const void *self, const struct sched_view *v)
{
	(void)self;
	return v->resident;
}

static unsigned pick(const void *self, const struct sched_view *v)
{
	(void)self;
	return sched_next(v->active & v->ready, v->last);
}

static const struct sched_ops ops = {.activate = activate, .steady = true, .pick = pick};

const struct plugin sched_round_robin = {
	.kind = "warp scheduler",
	.name = "round_robin",
	.text = "The next ready warp after the one that issued last.",
	.ops = &ops,
};
