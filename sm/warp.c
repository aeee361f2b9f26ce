/* What a warp waits for: the scoreboard, and the wheel that brings warps back when results are due.
 */
#include "sm/state.h"

static inline void set_reason(struct sm *sm, unsigned w, enum sm_reason reason)
{
	struct slot *slot = &sm->slot[w];
	uint64_t bit = UINT64_C(1) << w;

	if (slot->reason == reason)
		return;
	sm->moved |= (SM_LONG_REASONS >> slot->reason | SM_LONG_REASONS >> reason) & 1 ? bit : 0;
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

static bool on_scoreboard(const struct operand *o)
{
	return o->kind == OPND_REG || o->kind == OPND_PRED;
}

/* The scoreboard entry of an operand. */
static uint64_t *entry_of(const struct slot *slot, const struct operand *o)
{
	ptrdiff_t index = o->index;

	return slot->ready + (o->kind == OPND_PRED ? -1 - index : index);
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

static bool find_due(
	const struct slot *slot, const struct operand *o, unsigned n, uint64_t cycle, ptrdiff_t *at)
{
	for (; n; n--, o++) {
		const uint64_t *ready = entry_of(slot, o);

		for (unsigned k = 0; on_scoreboard(o) && k < (o->words ? o->words : 1u); k++)
			if (READY_CYCLE(ready[k]) == cycle) {
				*at = ready + k - slot->ready;
				return true;
			}
	}
	return false;
}

/* Of several that are due, the first operand. */
static ptrdiff_t first_due(const struct slot *slot, const struct instr *in)
{
	uint64_t due = slot->ready_at;
	ptrdiff_t at;

	if (find_due(slot, in->src, in->nsrc, due, &at) ||
		find_due(slot, in->dst, in->ndst, due, &at))
		return at;
	at = -1 - (ptrdiff_t)in->guard;
	return in->guard != NO_GUARD && READY_CYCLE(slot->ready[at]) == due ? at : WAITS_FOR_NONE;
}

ptrdiff_t warp_waits_for(const struct slot *slot)
{
	const struct instr *in = slot->next;
	ptrdiff_t at = WAITS_FOR_NONE;

	for (const int16_t *e = in->entries, *end = e + in->nentries; e < end; e++) {
		if (READY_CYCLE(slot->ready[*e]) != slot->ready_at)
			continue;
		if (at != WAITS_FOR_NONE)
			return first_due(slot, in);
		at = *e;
	}
	return at;
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

/* The instruction's results will be available at `code` (a READY_CODE, or READY_LONG for
 * unknown). */
void warp_results(struct sm *sm, unsigned w, const struct instr *in, uint64_t code)
{
	struct slot *slot = &sm->slot[w];

	set_ready(slot, in, code);
	if (code != READY_LONG)
		slot->latest = max_u64(slot->latest, READY_CYCLE(code));
}

/* Results whose time was unknown will be available in cycle `ready`. The warp's leaving the active
 * set does not wait for them. */
void warp_arrived(struct sm *sm, unsigned w, const struct instr *in, uint64_t ready)
{
	struct slot *slot = &sm->slot[w];

	set_ready(slot, in, READY_CODE(ready, READY_LATE));
	slot->latest_late = max_u64(slot->latest_late, ready);
}

/* A warp that waits may leave the active set once its other results are written; not between the
 * parts of an access to several spaces, whose operands it would lose. */
static void drain(struct sm *sm, unsigned w, uint64_t cycle)
{
	struct slot *slot = &sm->slot[w];

	if (slot->latest > cycle)
		wheel_put(sm, w, cycle, slot->latest);
	else if (!slot->warp.done || !slot->next) {
		sm->drained |= UINT64_C(1) << w;
		sm->moved |= UINT64_C(1) << w;
	}
}

static inline void undrain(struct sm *sm, uint64_t bit)
{
	if (!(sm->drained & bit))
		return;
	sm->moved |= bit;
	sm->drained &= ~bit;
}

/* Waits without a known end. */
static void wait_long(struct sm *sm, unsigned w, uint64_t cycle, enum sm_reason reason)
{
	set_reason(sm, w, reason);
	drain(sm, w, cycle);
}

static void wait_until(struct sm *sm, unsigned w, uint64_t cycle, enum sm_reason reason)
{
	set_reason(sm, w, reason);
	wheel_put(sm, w, cycle, sm->slot[w].ready_at);
}

/* Before an instruction that begins a strand and consumes a long-latency result, the warp waits for
 * all long-latency results, and is descheduled however soon they come (Gebhart's dissertation,
 * section 6.3): the rest of the strand finds them available. */
static bool waits_for_all(const struct slot *slot)
{
	const struct warp *w = &slot->warp;
	const struct program_levels *levels = w->program->levels;

	return levels && levels->notes[w->stack[w->depth - 1].pc].strand == STRAND_WAITS;
}

static uint64_t all_ready(const struct slot *slot, uint64_t code)
{
	if (slot->long_regs)
		return READY_LONG;
	return max_u64(code, READY_CODE(slot->latest_late, READY_LATE));
}

/* No thread is left; `first`: the warp has just exited. */
static void no_threads(struct sm *sm, unsigned w, uint64_t cycle, bool first)
{
	if (first)
		cta_warp_exited(sm, w, cycle);
	if (sm->slot[w].pending)
		wait_long(sm, w, cycle, REASON_DRAIN);
	else
		cta_warp_done(sm, w, cycle);
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

/* Updates what the warp executes next and what it waits for. */
void warp_refresh(struct sm *sm, unsigned w, uint64_t cycle)
{
	struct slot *slot = &sm->slot[w];
	uint64_t bit = UINT64_C(1) << w, code = 0;
	const struct instr *in, *before = slot->next;
	bool aside;

	undrain(sm, bit);
	in = exec_peek(&slot->warp);
	if (!in) {
		slot->next = NULL;
		sm->gate_next[slot->gate] &= ~bit;
		no_threads(sm, w, cycle, before != NULL);
		return;
	}
	set_next(sm, slot, in, bit);
	if (slot->waiting_barrier) {
		wait_long(sm, w, cycle, REASON_BARRIER);
		return;
	}
	if (slot->long_regs || slot->latest > cycle || slot->latest_late > cycle)
		code = operands_ready(slot, in);
	aside = (slot->long_regs || slot->latest_late > cycle) && waits_for_all(slot);
	if (aside)
		code = all_ready(slot, code);
	if (code == READY_LONG) {
		slot->ready_at = READY_LONG;
		wait_long(sm, w, cycle, REASON_LONG_SCOREBOARD);
		return;
	}
	slot->ready_at = max_u64(slot->issue_at, READY_CYCLE(code));
	if (slot->ready_at <= cycle) {
		set_selected(sm, w, cycle);
	} else if (slot->hold) {
		wait_until(sm, w, cycle, slot->hold);
	} else if (aside) {
		wait_until(sm, w, cycle, REASON_LONG_SCOREBOARD);
		wait_long(sm, w, cycle, REASON_LONG_SCOREBOARD);
	} else {
		wait_until(sm, w, cycle,
			READY_KIND(code) == READY_SHORT ? REASON_SHORT_SCOREBOARD : REASON_WAIT);
	}
}

void warp_moved(struct sm *sm, unsigned w)
{
	struct slot *slot = &sm->slot[w];

	set_next(sm, slot, exec_peek(&slot->warp), UINT64_C(1) << w);
}

bool warp_independent(const struct slot *slot, uint64_t cycle)
{
	bool late = slot->long_regs || slot->latest_late > cycle;

	if (late && waits_for_all(slot))
		return false;
	return (!late && slot->latest <= cycle) ||
	       READY_CYCLE(operands_ready(slot, slot->next)) <= cycle;
}

static void warm_operand(const struct slot *slot, const struct operand *o)
{
	const uint32_t *plane = slot->warp.regs + (size_t)o->index * WARP_LANES;

	if (o->kind != OPND_REG)
		return;
	__builtin_prefetch(plane);
	__builtin_prefetch(plane + WARP_LANES / 2);
}

void warp_warm(const struct slot *slot)
{
	const struct instr *in = slot->next;

	__builtin_prefetch(&slot->warp.stack[slot->warp.depth - 1]);
	__builtin_prefetch(slot->ready);
	for (unsigned i = 0; i < in->nsrc; i++)
		warm_operand(slot, &in->src[i]);
	warm_operand(slot, &in->dst[0]);
}

static bool loads_lines(const struct instr *in)
{
	return in && (in->action == ACT_LOAD || in->action == ACT_ATOM || in->action == ACT_RED) &&
	       (in->space == SPACE_GENERIC || in->space == SPACE_GLOBAL ||
		       in->space == SPACE_LOCAL);
}

struct sched_warp sched_look(const struct sched_view *v, unsigned warp)
{
	const struct slot *slot = &v->sm->slot[warp];

	return (struct sched_warp){.resident = v->sm->resident >> warp & 1,
		.waits_for = (enum sm_reason)slot->reason,
		.cta = slot->cta,
		.issued_at = v->sm->issued_at[warp],
		.in_memory = slot->pending,
		.loads = loads_lines(slot->next)};
}

/* Takes one warp off the wheel at `cycle`. */
static void take_off(struct sm *sm, unsigned w, uint64_t cycle)
{
	struct slot *slot = &sm->slot[w];
	bool known = slot->reason == REASON_LONG_SCOREBOARD && slot->ready_at != READY_LONG;
	bool timed = slot->reason == REASON_WAIT || slot->reason == REASON_SHORT_SCOREBOARD ||
		     slot->reason == REASON_MEMBAR || slot->reason == REASON_LG_THROTTLE ||
		     slot->reason == REASON_IMC_MISS || slot->reason == REASON_NO_INSTRUCTION ||
		     (slot->reason == REASON_BARRIER && !slot->waiting_barrier) || known;

	if (known && slot->latest <= cycle)
		drain(sm, w, cycle);
	if (timed && slot->ready_at <= cycle) {
		set_selected(sm, w, cycle);
	} else if (timed) {
		wheel_put(sm, w, cycle, slot->ready_at);
	} else if (slot->reason != REASON_SELECTED) {
		drain(sm, w, cycle);
	}
}

/* The first cycle after `cycle` with a warp in the wheel. */
static uint64_t next_due(const struct sm *sm, uint64_t cycle)
{
	unsigned first = (cycle + 1) % SM_WHEEL;
	uint64_t ahead = sm->wheel_used >> first | sm->wheel_used << (-first % SM_WHEEL);

	return ahead ? cycle + 1 + low_bit(ahead) : UINT64_MAX;
}

/* Wakes all warps that are due up to and including `cycle`. */
void wheel_advance(struct sm *sm, uint64_t cycle)
{
	while (sm->wheel_due <= cycle) {
		uint64_t at = sm->wheel_due, due = sm->wheel[at % SM_WHEEL] & sm->resident;

		sm->wheel[at % SM_WHEEL] = 0;
		sm->wheel_used &= ~(UINT64_C(1) << at % SM_WHEEL);
		sm->wheel_due = next_due(sm, at);
		for (; due; due &= due - 1)
			take_off(sm, low_bit(due), cycle);
	}
}
