/* The schedulers' active sets, and the turn that a warp can have. Private to sm/, at the end of
 * state.h. */
#ifndef SM_ACTIVE_H
#define SM_ACTIVE_H

/* active.c: the set that the policy chooses now. */
uint64_t active_ask(struct sm *, struct scheduler *, uint64_t cycle);
/* The active set is no longer what it was before. */
void active_replace(struct sm *, struct scheduler *, uint64_t before);
/* True when a scheduler without ready active warps could change its active set: what happened in
 * this step (an exit, a barrier) may have freed slots for warps that were ready before. */
bool active_changes(struct sm *, uint64_t cycle);

/* active_ask, unless nothing that the choice depends on has changed: so it is in most cycles. */
static inline uint64_t active_choose(struct sm *sm, struct scheduler *s, uint64_t cycle)
{
	s->view.cycle = cycle;
	if (sm->choose->steady && s->chosen == s->view.active && !(sm->moved & s->mine))
		return s->chosen;
	return active_ask(sm, s, cycle);
}

/* progress.c: one rule around all policies, so that every warp makes progress. */
static inline bool progress_turn(const struct sm *sm, uint64_t cycle) /* a warp has the turn */
{
	return cycle < sm->turn.until;
}

static inline void progress_ready(struct sm *sm, unsigned w, uint64_t cycle) /* from now on */
{
	sm->turn.since[w] = cycle;
}
void progress_step(struct sm *, uint64_t cycle); /* before the schedulers' steps: may end or give
						    the turn */
uint64_t progress_wake(const struct sm *);       /* the cycle in which its decision may change */
/* The active set, with the warp that has the turn. */
uint64_t progress_active(
	const struct sm *, const struct scheduler *, uint64_t active, uint64_t cycle);
/* Warps that do not issue now: the one to be descheduled; those that need the turn's unit. */
uint64_t progress_held(const struct sm *, const struct scheduler *, uint64_t cycle);
uint64_t progress_reserved(const struct sm *, uint64_t cycle);

#endif
