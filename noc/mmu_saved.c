/* The state of the translation unit, for checkpoints. */
#include "core/state.h"
#include "noc/mmu_state.h"

static const struct state_field mmu_kept[] = {
	STATE_KEPT(mmu, base),
	STATE_KEPT(mmu, c),
	STATE_KEPT(mmu, settings),
	STATE_KEPT(mmu, tlb),
	STATE_KEPT(mmu, in),
	STATE_KEPT(mmu, out),
	STATE_KEPT(mmu, walk_out),
	STATE_KEPT(mmu, entry_in),
	STATE_KEPT(mmu, leaving),
	STATE_KEPT(mmu, pool),
	STATE_KEPT(mmu, walks),
	STATE_KEPT(mmu, profile),
};

void mmu_state(struct component *c, struct state *s)
{
	struct mmu *m = CONTAINER_OF(c, struct mmu, base);

	STATE_STRUCT(s, m, mmu_kept);
	tlb_state(s, m->tlb);
	state_bytes(s, m->leaving, m->c.sms * sizeof(*m->leaving));
	state_bytes(s, m->pool, m->settings->p.requests * sizeof(*m->pool));
	state_bytes(s, m->walks, m->settings->p.walks * sizeof(*m->walks));
}
