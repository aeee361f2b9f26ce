/* CTAs whose warps wait for one that has more to do: by phases, from a barrier that all warps pass
 * to the next, or to the end. */
#include "sm/state.h"

/* The SM has no CTA any more. At the rate of the cycles in which it had most of them, all that was
 * issued since it had none would take `full` cycles: less only as far as CTAs had more to do than
 * the mean. Of the rest remains what the mean's last warps take. */
static void note_empty(struct stall_table *t, const struct cta_crowd *c, uint64_t cycle)
{
	uint64_t took = cycle - c->began, most = c->most_instructions * c->ended;
	uint64_t full = c->full_issued ? c->full_cycles * c->issued / c->full_issued : took;
	uint64_t even = most ? took * c->instructions / most : took;

	full = min_u64(took, max_u64(full, even));
	t->full_cycles += full;
	t->drain_cycles += most ? (took - full) * c->instructions / most : 0;
}

/* It has another number of them from now on. What was full before there were more was not. */
static void note_crowd(struct sm *sm, unsigned ctas, uint64_t cycle)
{
	struct cta_crowd *c = &sm->profile->crowd;
	uint64_t issued = sm->s.smsp__inst_issued - c->issued_before;

	if (!c->ctas)
		*c = (struct cta_crowd){.began = cycle};
	else if (c->ctas == c->most) {
		c->full_cycles += cycle - c->from;
		c->full_issued += issued;
	}
	if (ctas > c->most) {
		c->full_cycles = c->full_issued = 0;
		c->most = ctas;
	}
	c->issued += c->ctas ? issued : 0;
	c->ctas = ctas;
	c->from = cycle;
	c->issued_before = sm->s.smsp__inst_issued;
}

static void note_cta_done(struct sm *sm, unsigned cta, uint64_t cycle)
{
	struct cta_crowd *c = &sm->profile->crowd;
	uint64_t instructions = sm->profile->whole[cta].sum;

	c->instructions += instructions;
	c->most_instructions = max_u64(c->most_instructions, instructions);
	c->ended++;
	note_crowd(sm, c->ctas - 1, cycle);
	if (!c->ctas)
		note_empty(sm->profile->stalls, c, cycle);
}

void stalls_note_begin(struct sm *sm, unsigned cta, uint64_t cycle)
{
	const struct cta_slot *c = &sm->cta[cta];
	struct sm_profile *f = sm->profile;

	for (unsigned i = 0; i < c->running; i++)
		f->warp[c->warp_slot[i]].first = f->tables->map->first_site[c->cta.grid->launch];
	note_crowd(sm, f->crowd.ctas + 1, cycle);
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
	note_cta_done(sm, c, cycle);
	t->lasting_cycles += uneven(sm, c, &sm->profile->whole[c], cycle);
}
