/* The two-level warp scheduler: a small active set issues greedily, pending warps wait for long
 * latencies (Gebhart's dissertation, section 2.5; Gebhart et al., MICRO 2012, section 2.1). */
#include "sm/sched.h"

#include "core/state.h"

enum order { GREEDY, ROUND_ROBIN };

#define PARAMS(P, T) \
	P(T, UINT, active_warps, 8, 1, 64, "warps", "Active warps per scheduler.") \
	P(T, CHOICE, pick, GREEDY, 0, 0, "greedy|round_robin", \
		"Which active warp issues: the last one while it can, then the oldest; or all in " \
		"turn.")

struct two_level {
	struct {
		PARAMS(PARAM_FIELD, two_level)
	} p;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, two_level)};

/* A warp leaves the active set when it waits on something long and its short-latency writes are
 * done; free slots go round robin to pending warps whose long-latency results are available. */
static uint64_t activate(const void *self, const struct sched_view *v)
{
	const struct two_level *s = self;
	uint64_t active = v->active & v->resident & ~(v->waiting & v->drained);
	uint64_t pending = v->resident & ~v->waiting & ~active;
	unsigned place = v->last_active;

	while (pending && count_bits(active) < s->p.active_warps) {
		place = sched_next(pending, place);
		active |= UINT64_C(1) << place;
		pending &= ~(UINT64_C(1) << place);
	}
	return active;
}

static unsigned pick(const void *self, const struct sched_view *v)
{
	const struct two_level *s = self;
	uint64_t able = v->active & v->ready;

	if (s->p.pick == ROUND_ROBIN)
		return sched_next(able, v->last);
	if (able >> v->last & 1)
		return v->last;
	return sched_oldest(able, v->age);
}

static const struct sched_ops ops = {.activate = activate, .steady = true, .pick = pick};

const struct plugin sched_two_level = {
	.kind = "warp scheduler",
	.name = "two_level",
	.text = "A small active set issues greedily; warps that wait on memory are descheduled.",
	.size = sizeof(struct two_level),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
	.state = state_none,
};
