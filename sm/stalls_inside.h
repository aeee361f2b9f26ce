/* Rows of instructions, and who fills the path to memory: shared by sm/stalls*.c. */
#ifndef SM_STALLS_INSIDE_H
#define SM_STALLS_INSIDE_H

#include "sm/state.h"

static inline struct stall_row *row_of(const struct sm *sm, uint32_t site)
{
	return &sm->profile->stalls->row[site];
}

static inline uint32_t site_of(const struct sm *sm, uint32_t launch, uint32_t instr)
{
	return sm->profile->tables->map->first_site[launch] + instr;
}

static inline uint32_t site_in(const struct sm *sm, unsigned w, const struct instr *in)
{
	return sm->profile->warp[w].first + (uint32_t)(in - sm->slot[w].warp.program->code);
}

/* Of one scheduler, cycles in which it issues mean something only where a span ends with them. */
static inline void stalls_watch(struct sm *sm)
{
	bool some = sm->p.schedulers > 1 || sm->profile->span[0].reason != REASON_IDLE;

	sm->watched = some ? WATCHED_ALL : WATCHED_STALLED;
}

/* n cycles from `from` on, of the lines that wait for the tag stage; there is one. */
void stalls_charge_lines(struct sm *, enum sm_reason, uint64_t from, uint64_t n);
/* n cycles in which warp w waits for the path with the instruction at site `waits`. */
void stalls_charge_path(struct sm *, unsigned w, uint32_t waits, uint64_t from, uint64_t n);

#endif
