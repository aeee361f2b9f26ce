/* The reason for a cycle in which a scheduler issued nothing. */
#include "sm/state.h"

/* The cache that one of the warps waits for, or SELECTED: none. */
static enum sm_reason why_fetch(const struct sm *sm, uint64_t warps)
{
	if (sm->by_reason[REASON_IMC_MISS] & warps)
		return REASON_IMC_MISS;
	return sm->by_reason[REASON_NO_INSTRUCTION] & warps ? REASON_NO_INSTRUCTION
							    : REASON_SELECTED;
}

enum sm_reason reason_stalled(const struct sm *sm, const struct scheduler *s)
{
	static const enum sm_reason order[] = {REASON_SHORT_SCOREBOARD, REASON_WAIT,
		REASON_LG_THROTTLE, REASON_LONG_SCOREBOARD, REASON_MEMBAR, REASON_BARRIER,
		REASON_DRAIN};
	uint64_t active = s->view.active & s->mine;

	if (!(sm->resident & s->mine))
		return REASON_IDLE;
	if (sm->fetches && why_fetch(sm, active))
		return why_fetch(sm, active);
	for (unsigned i = 0; active && i < ARRAY_LEN(order); i++)
		if (sm->by_reason[order[i]] & active)
			return order[i];
	if (sm->by_reason[REASON_SELECTED] & s->mine)
		return REASON_NOT_SELECTED;
	for (unsigned i = 0; i < ARRAY_LEN(order); i++)
		if (sm->by_reason[order[i]] & s->mine)
			return order[i];
	if (sm->fetches && why_fetch(sm, s->mine))
		return why_fetch(sm, s->mine);
	return REASON_IDLE;
}
