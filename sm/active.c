/* Active sets: the policy's choice, asked for when something that it depends on has changed. */
#include "sm/state.h"

/* The bit of `set` that comes last going up from `after` and around; set != 0. */
static unsigned last_in_turn(uint64_t set, unsigned after)
{
	uint64_t upto = after >= 63 ? set : set & ((UINT64_C(2) << after) - 1);

	return 63 - (unsigned)__builtin_clzll(upto ? upto : set);
}

/* Warps whose wait has no known end. */
static uint64_t waiting_warps(const struct sm *sm)
{
	uint64_t set = 0;

	for (unsigned left = SM_LONG_REASONS; left; left &= left - 1)
		set |= sm->by_reason[low_bit(left)];
	return set;
}

uint64_t active_ask(struct sm *sm, struct scheduler *s, uint64_t cycle)
{
	struct sched_view *v = &s->view;

	sm->moved &= ~s->mine;
	v->resident = sm->resident & s->mine;
	v->waiting = waiting_warps(sm) & s->mine;
	v->drained = (sm->drained | sm->by_reason[REASON_MEMBAR]) & v->waiting;
	v->cycle = cycle;
	s->chosen = sm->choose->activate(sm->policy.self, v);
	return s->chosen;
}

void active_replace(struct sm *sm, struct scheduler *s, uint64_t before)
{
	uint64_t leave = before & ~s->view.active & sm->resident, come = s->view.active & ~before;

	if (leave)
		registers_step_aside(sm, leave);
	if (come)
		s->view.last_active = last_in_turn(come, s->view.last_active);
}

bool active_changes(struct sm *sm, uint64_t cycle)
{
	for (unsigned i = 0; i < sm->p.schedulers; i++) {
		struct scheduler *s = &sm->sched[i];
		uint64_t active;

		active = active_choose(sm, s, cycle + 1);
		if (progress_turn(sm, cycle + 1))
			active = progress_active(sm, s, active, cycle + 1);
		if (active != s->view.active)
			return true;
	}
	return false;
}
