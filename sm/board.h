/* The scoreboard and the wheel, inline: the SM uses them with each instruction that it issues.
 * Private to sm/, after state.h. */
#ifndef SM_BOARD_H
#define SM_BOARD_H

#include "sm/state.h"

static inline void set_reason(struct sm *sm, unsigned w, enum sm_reason reason)
{
	struct slot *slot = &sm->slot[w];
	uint64_t bit = UINT64_C(1) << w;

	if (slot->reason == reason)
		return;
	if (SM_LONG_REASONS >> slot->reason & 1 || SM_LONG_REASONS >> reason & 1)
		sm->moved |= bit;
	sm->by_reason[slot->reason] &= ~bit;
	sm->by_reason[reason] |= bit;
	slot->reason = (uint8_t)reason;
}

/* The warp could issue now. An instruction that is retried because memory could not accept it was
 * ready before. */
static inline void set_selected(struct sm *sm, unsigned w, uint64_t cycle)
{
	struct slot *slot = &sm->slot[w];

	if (slot->reason != REASON_SELECTED && slot->hold != REASON_LG_THROTTLE)
		progress_ready(sm, w, cycle);
	slot->hold = 0;
	set_reason(sm, w, REASON_SELECTED);
}

/* The warp is checked again in that cycle (or earlier: after one turn of the wheel at most). */
static inline void wheel_put(struct sm *sm, unsigned w, uint64_t cycle, uint64_t due)
{
	uint64_t at = min_u64(due, cycle + SM_WHEEL - 1);

	sm->wheel[at % SM_WHEEL] |= UINT64_C(1) << w;
	sm->wheel_used |= UINT64_C(1) << at % SM_WHEEL;
	sm->wheel_due = min_u64(sm->wheel_due, at);
}

/* The latest of what the instruction reads and overwrites: a READY_CODE or READY_LONG. */
static inline uint64_t operands_ready(const struct slot *slot, const struct instr *in)
{
	const uint64_t *ready = slot->ready;
	uint64_t latest = 0;

	for (const int16_t *of = in->entries, *end = of + in->nentries; of < end; of++)
		latest = max_u64(latest, ready[*of]);
	return latest;
}

/* Puts `code` on the scoreboard for all results of the instruction. */
static inline void set_ready(struct slot *slot, const struct instr *in, uint64_t code)
{
	const int16_t *e = in->entries, *end = e + in->nresults;
	uint64_t *ready = slot->ready;

	if (slot->long_regs)
		for (unsigned k = 0; k < in->nresults; k++)
			slot->long_regs -= ready[e[k]] == READY_LONG;
	for (; e < end; e++)
		ready[*e] = code;
	if (code == READY_LONG)
		slot->long_regs += in->nresults;
}

static inline void undrain(struct sm *sm, uint64_t bit)
{
	if (!(sm->drained & bit))
		return;
	sm->moved |= bit;
	sm->drained &= ~bit;
}

static inline void wait_until(struct sm *sm, unsigned w, uint64_t cycle, enum sm_reason reason)
{
	set_reason(sm, w, reason);
	wheel_put(sm, w, cycle, sm->slot[w].ready_at);
}

/* Before an instruction that begins a strand and consumes a long-latency result, the warp waits for
 * all long-latency results, and is descheduled however soon they come (Gebhart's dissertation,
 * section 6.3): the rest of the strand finds them available. */
static inline bool waits_for_all(const struct slot *slot)
{
	const struct warp *w = &slot->warp;
	const struct program_levels *levels = w->program->levels;

	return levels && levels->notes[w->stack[w->depth - 1].pc].strand == STRAND_WAITS;
}

static inline uint64_t all_ready(const struct slot *slot, uint64_t code)
{
	if (slot->long_regs)
		return READY_LONG;
	return max_u64(code, READY_CODE(slot->latest_late, READY_LATE));
}

/* The instruction is the warp's next one. */
static inline void set_next(struct sm *sm, struct slot *slot, const struct instr *in, uint64_t bit)
{
	uint8_t gate = sm->pipes.of[in->op_class].gate;

	slot->next = in;
	if (slot->gate == gate && sm->gate_next[gate] & bit)
		return;
	sm->gate_next[slot->gate] &= ~bit;
	sm->gate_next[gate] |= bit;
	slot->gate = gate;
}

/* The instruction's results will be available at `code` (a READY_CODE, or READY_LONG for
 * unknown). */
static inline void board_results(struct slot *slot, const struct instr *in, uint64_t code)
{
	set_ready(slot, in, code);
	if (code != READY_LONG)
		slot->latest = max_u64(slot->latest, READY_CYCLE(code));
}

/* What the warp waits for before `in`, its next instruction. */
static inline void board_next(struct sm *sm, unsigned w, const struct instr *in, uint64_t cycle)
{
	struct slot *slot = &sm->slot[w];
	bool aside = false;
	uint64_t code = 0;

	if (slot->long_regs || slot->latest_late > cycle) {
		code = operands_ready(slot, in);
		aside = waits_for_all(slot);
		if (aside)
			code = all_ready(slot, code);
		if (code == READY_LONG) {
			slot->ready_at = READY_LONG;
			warp_wait(sm, w, cycle, REASON_LONG_SCOREBOARD);
			return;
		}
	} else if (slot->latest > cycle) {
		code = operands_ready(slot, in);
	}
	slot->ready_at = max_u64(slot->issue_at, READY_CYCLE(code));
	if (slot->ready_at <= cycle) {
		set_selected(sm, w, cycle);
	} else if (slot->hold) {
		wait_until(sm, w, cycle, slot->hold);
	} else if (aside) {
		wait_until(sm, w, cycle, REASON_LONG_SCOREBOARD);
		warp_wait(sm, w, cycle, REASON_LONG_SCOREBOARD);
	} else {
		wait_until(sm, w, cycle,
			READY_KIND(code) == READY_SHORT ? REASON_SHORT_SCOREBOARD : REASON_WAIT);
	}
}

#endif
