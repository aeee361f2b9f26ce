/* The two-level warp scheduler: a small active set issues greedily, the rest waits out long
 * latencies (Gebhart's dissertation, section 2.5; Gebhart et al., MICRO 2012, section 2.1). */
#include "sm/sched.h"

/* A warp leaves the active set when it waits on something long and its short-latency writes are
 * done; free places go round robin to pending warps whose long-latency results are back. */
static uint64_t activate(const struct sched_view *v)
{
	uint64_t active = v->active & v->resident & ~(v->waiting & v->drained);
	uint64_t pending = v->resident & ~v->waiting & ~active;
	unsigned place = v->last_active;

	while (pending && count_bits(active) < v->max_active) {
		place = sched_next(pending, place);
		active |= UINT64_C(1) << place;
		pending &= ~(UINT64_C(1) << place);
	}
	return active;
}

/* Greedy: the last warp while it can; else the oldest ready one. Another order is sm.pick's. */
static unsigned pick(const struct sched_view *v)
{
	uint64_t able = v->active & v->ready;

	if (able >> v->last & 1)
		return v->last;
	return sched_oldest(able, v->age);
}

static const struct sched_ops ops = {.activate = activate, .pick = pick};

const struct plugin sched_two_level = {
	.kind = "warp scheduler",
	.name = "two_level",
	.text = "A small active set issues greedily; warps that wait on memory step aside.",
	.ops = &ops,
};
