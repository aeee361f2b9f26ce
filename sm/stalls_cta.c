/* CTAs whose warps wait for one that has more to do: by phases, from a barrier that all warps pass
 * to the next, or to the end. */
#include "sm/state.h"

void stalls_note_begin(struct sm *sm, unsigned cta, uint64_t cycle)
{
	const struct cta_slot *c = &sm->cta[cta];
	struct sm_profile *f = sm->profile;

	for (unsigned i = 0; i < c->running; i++)
		f->warp[c->warp_slot[i]].first = f->tables->map->first_site[c->cta.grid->launch];
	f->phase[cta] = (struct cta_phase){.began = cycle};
	f->whole[cta] = (struct cta_phase){.began = cycle};
}

static void note_warp(struct cta_phase *p, uint64_t instructions)
{
	p->sum += instructions;
	p->most = max_u64(p->most, instructions);
}

/* The warp comes to a phase's end. */
static void note_reached(struct sm *sm, unsigned w)
{
	const struct slot *slot = &sm->slot[w];

	note_warp(&sm->profile->phase[slot->cta],
		slot->warp.instructions - sm->profile->phase_from[w]);
	sm->profile->phase_from[w] = slot->warp.instructions;
}

/* So few instructions more are no work that warps could share: what lasts is the latency of one. */
#define INDIVISIBLE 8u

/* The cycles of a phase, up to this one, that even work would save. */
static uint64_t uneven(const struct sm *sm, unsigned cta, const struct cta_phase *p, uint64_t cycle)
{
	uint64_t warps = grid_cta_warps(sm->cta[cta].cta.grid);
	uint64_t all = p->most * warps, least = p->sum + INDIVISIBLE * warps;

	return all > least ? (cycle - p->began) * (all - least) / all : 0;
}

/* All have, or have exited. */
static void note_phase(struct sm *sm, unsigned cta, uint64_t cycle)
{
	struct cta_phase *p = &sm->profile->phase[cta];

	sm->profile->stalls->cta_cycles += cycle - p->began;
	sm->profile->stalls->uneven_cycles += uneven(sm, cta, p, cycle);
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
	struct stall_table *t = sm->profile->stalls;
	unsigned c = sm->slot[w].cta;

	note_reached(sm, w);
	sm->profile->phase_from[w] = 0;
	note_warp(&sm->profile->whole[c], sm->slot[w].warp.instructions);
	if (sm->cta[c].running != 1)
		return;
	note_phase(sm, c, cycle);
	t->lasting_cycles += uneven(sm, c, &sm->profile->whole[c], cycle);
	t->most_instructions = max_u64(t->most_instructions, sm->profile->whole[c].sum);
}
