/* Forward progress: a warp that is ready but not chosen for sm.progress_cycles gets a turn of that
 * many cycles, whatever the policies choose. It is then an active warp of its scheduler, issues
 * before all others, and finds its unit free. One warp of the SM has a turn at a time, the one that
 * has been ready longest; so every ready warp makes progress. CUDA promises parallel forward
 * progress: a thread that has executed a step will execute another ([intro.progress] of C++). */
#include "sm/state.h"

/* Gives the turn to the warp that has been passed over longest; otherwise sets when to check
 * again. */
static void give_turn(struct sm *sm, uint64_t cycle)
{
	struct turns *t = &sm->turn;
	uint64_t first = cycle;

	for (uint64_t set = sm->by_reason[REASON_SELECTED]; set; set &= set - 1)
		if (t->since[low_bit(set)] < first) {
			first = t->since[low_bit(set)];
			t->warp = (uint8_t)low_bit(set);
		}
	t->look_at = first + sm->p.progress_cycles;
	if (t->look_at > cycle)
		return;
	t->age = sm->age[t->warp];
	t->until = t->look_at = cycle + sm->p.progress_cycles;
}

void progress_step(struct sm *sm, uint64_t cycle)
{
	struct turns *t = &sm->turn;

	if (cycle < t->until && !(sm->resident >> t->warp & 1 && sm->age[t->warp] == t->age))
		t->until = t->look_at = cycle;
	if (cycle >= t->look_at)
		give_turn(sm, cycle);
}

uint64_t progress_wake(const struct sm *sm)
{
	return sm->by_reason[REASON_SELECTED] ? sm->turn.look_at : UINT64_MAX;
}

/* The warp's next instruction needs no value of the upper levels of its registers. */
static bool begins_strand(const struct slot *slot)
{
	const struct warp *w = &slot->warp;
	const struct program_levels *levels = w->program->levels;

	return !levels || levels->options.kind == LEVELS_HARDWARE ||
	       levels->notes[w->stack[w->depth - 1].pc].strand != STRAND_INSIDE;
}

/* The warp with the turn is ready but not active. */
static bool wants_place(
	const struct sm *sm, const struct scheduler *s, uint64_t active, uint64_t cycle)
{
	uint64_t bit = UINT64_C(1) << sm->turn.warp;

	return progress_turn(sm, cycle) && (s->mine & ~active & bit) &&
	       (sm->by_reason[REASON_SELECTED] & bit);
}

/* The active warp to be descheduled for it: the first at an instruction where that is allowed. It
 * does not issue until its short-latency writes are done. 0: none yet. */
static uint64_t gives_way(const struct sm *sm, uint64_t active)
{
	uint64_t set = active & sm->by_reason[REASON_SELECTED];

	for (; set; set &= set - 1) {
		const struct slot *slot = &sm->slot[low_bit(set)];

		if (!slot->warp.done && begins_strand(slot))
			return set & -set;
	}
	return 0;
}

/* A policy that leaves out a ready warp has no active slot left for it. */
uint64_t progress_active(
	const struct sm *sm, const struct scheduler *s, uint64_t active, uint64_t cycle)
{
	uint64_t leaves;

	if (!wants_place(sm, s, active, cycle))
		return active;
	leaves = gives_way(sm, active);
	if (!leaves || sm->slot[low_bit(leaves)].latest > cycle)
		return active;
	return (active & ~leaves) | UINT64_C(1) << sm->turn.warp;
}

uint64_t progress_held(const struct sm *sm, const struct scheduler *s, uint64_t cycle)
{
	return wants_place(sm, s, s->view.active, cycle) ? gives_way(sm, s->view.active) : 0;
}

uint64_t progress_reserved(const struct sm *sm, uint64_t cycle)
{
	unsigned w = sm->turn.warp;
	uint64_t bit = UINT64_C(1) << w, memory;

	if (!progress_turn(sm, cycle) || !(sm->by_reason[REASON_SELECTED] & bit) ||
		!(sm->sched[sm->sched_of[w]].view.active & bit))
		return 0;
	if (sm->gate_next[GATE_FREE] & bit)
		return 0;
	memory = sm->gate_next[GATE_MEMORY] | sm->gate_next[GATE_TEXTURE];
	if (memory & bit)
		return (memory | pipes_rivals(sm, GATE_MEMORY)) & ~bit;
	return pipes_rivals(sm, sm->slot[w].gate) & ~bit;
}
