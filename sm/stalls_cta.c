/* CTAs whose warps wait for one that has more to do: by phases, from a barrier that all warps pass
 * to the next, or to the end. */
#include "sm/state.h"

void stalls_note_begin(struct sm *sm, unsigned cta, uint64_t cycle)
{
	sm->profile->phase[cta] = (struct cta_phase){.began = cycle};
}

/* The warp comes to a phase's end. */
static void note_reached(struct sm *sm, unsigned w)
{
	const struct slot *slot = &sm->slot[w];
	struct cta_phase *p = &sm->profile->phase[slot->cta];
	uint64_t n = slot->warp.instructions - sm->profile->phase_from[w];

	p->sum += n;
	p->most = max_u64(p->most, n);
	sm->profile->phase_from[w] = slot->warp.instructions;
}

/* So few instructions more are no work that warps could share: what lasts is the latency of one. */
#define INDIVISIBLE 8u

/* All have, or have exited. */
static void note_phase(struct sm *sm, unsigned cta, uint64_t cycle)
{
	struct cta_phase *p = &sm->profile->phase[cta];
	uint64_t warps = grid_cta_warps(sm->cta[cta].cta.grid), n = cycle - p->began;
	uint64_t all = p->most * warps, least = p->sum + INDIVISIBLE * warps;

	sm->profile->stalls->cta_cycles += n;
	if (all > least)
		sm->profile->stalls->uneven_cycles += n * (all - least) / all;
	*p = (struct cta_phase){.began = cycle};
}

void stalls_note_barrier(struct sm *sm, unsigned w, uint64_t released, uint64_t cycle)
{
	unsigned c = sm->slot[w].cta;

	sm->profile->barred[w] = cycle;
	note_reached(sm, w);
	if (released && count_bits(released) == sm->cta[c].barriers.running)
		note_phase(sm, c, cycle);
}

void stalls_note_done(struct sm *sm, unsigned w, uint64_t cycle)
{
	unsigned c = sm->slot[w].cta;

	note_reached(sm, w);
	sm->profile->phase_from[w] = 0;
	if (sm->cta[c].running == 1)
		note_phase(sm, c, cycle);
}
