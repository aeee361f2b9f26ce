/* The positions of an SM's warps, for a run that was stopped. */
#include "ptx/exec/positions.h"
#include "sm/state.h"

static const char *const why[REASON_COUNT] = {
	[REASON_SELECTED] = "ready",
	[REASON_IDLE] = "idle",
	[REASON_WAIT] = "waiting for results of fixed latency",
	[REASON_SHORT_SCOREBOARD] = "waiting for results of shared memory or the SFU",
	[REASON_LONG_SCOREBOARD] = "waiting for results from cache or memory",
	[REASON_BARRIER] = "waiting at a barrier",
	[REASON_MEMBAR] = "waiting for a fence",
	[REASON_LG_THROTTLE] = "waiting for the path to global and local memory",
	[REASON_MIO_THROTTLE] = "waiting for shared memory",
	[REASON_MATH_PIPE_THROTTLE] = "waiting for the SFU",
	[REASON_TEX_THROTTLE] = "waiting for the texture pipe",
	[REASON_NOT_SELECTED] = "ready",
	[REASON_DRAIN] = "exited, with memory operations in flight",
};

/* The barrier instruction at which the warp waits: its PC is already after it. */
static uint32_t waits_at(const struct cta_slot *s, const struct warp *w)
{
	return (uint32_t)(s->barriers.wait[w->first_tid / WARP_LANES].instr - w->program->code);
}

void sm_positions(const struct component *c, uint32_t launch, const struct lanes *lanes,
	const struct exec_memory *memory, struct spin_space *room, struct positions *positions)
{
	const struct sm *sm = CONTAINER_OF(c, const struct sm, base);

	for (uint64_t set = sm->resident; set; set &= set - 1) {
		const struct slot *slot = &sm->slot[low_bit(set)];
		const struct warp *w = &slot->warp;
		struct spin spin = {0};
		uint32_t pc;

		if (sm->cta[slot->cta].launch != launch || !w->depth)
			continue;
		pc = w->stack[w->depth - 1].pc;
		if (slot->waiting_barrier)
			pc = waits_at(&sm->cta[slot->cta], w);
		else
			spin = spin_look(room, w, lanes, memory, SPIN_STEPS);
		positions_add(positions, w->program, pc, why[slot->reason], &spin);
	}
}
