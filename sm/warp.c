/* What a warp waits for: the scoreboard, and the wheel that brings warps back when results are due.
 */
#include "sm/board.h"

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

void warp_results(struct sm *sm, unsigned w, const struct instr *in, uint64_t code)
{
	board_results(&sm->slot[w], in, code);
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

void warp_wait(struct sm *sm, unsigned w, uint64_t cycle, enum sm_reason reason)
{
	set_reason(sm, w, reason);
	drain(sm, w, cycle);
}

/* No thread is left; `first`: the warp has just exited. */
static void no_threads(struct sm *sm, unsigned w, uint64_t cycle, bool first)
{
	if (first)
		cta_warp_exited(sm, w, cycle);
	if (sm->slot[w].pending)
		warp_wait(sm, w, cycle, REASON_DRAIN);
	else
		cta_warp_done(sm, w, cycle);
}

/* Updates what the warp executes next and what it waits for. */
void warp_refresh(struct sm *sm, unsigned w, uint64_t cycle)
{
	struct slot *slot = &sm->slot[w];
	uint64_t bit = UINT64_C(1) << w;
	const struct instr *in, *before = slot->next;

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
		warp_wait(sm, w, cycle, REASON_BARRIER);
		return;
	}
	board_next(sm, w, in, cycle);
}

void warp_retry(struct sm *sm, unsigned w, uint64_t cycle)
{
	sm->slot[w].issue_at = sm_next_edge(sm, cycle);
	sm->slot[w].hold = REASON_LG_THROTTLE;
	edge_request(&sm->base);
	warp_refresh(sm, w, cycle + 1);
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
