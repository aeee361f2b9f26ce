/* CTA residency: taking CTAs in, barriers, and telling the dispatcher when they are done. */
#include "sm/state.h"

#include <string.h>

/* Sums resident warps over the cycles before `cycle`. */
void sm_count_occupancy(struct sm *sm, uint64_t cycle)
{
	uint64_t n = cycle - sm->counted_to;

	if (sm->resident)
		sm->s.sm__cycles_active += n;
	sm->s.sm__warps_active += n * count_bits(sm->resident);
	sm->counted_to = cycle;
}

/* The lowest place in shared memory where `bytes` lie free, or UINT64_MAX. */
static uint64_t find_shared(const struct sm *sm, uint64_t bytes)
{
	uint64_t at = 0;
	bool moved = true;

	while (moved) {
		moved = false;
		for (uint64_t set = sm->cta_used; set; set &= set - 1) {
			const struct cta_slot *s = &sm->cta[low_bit(set)];
			uint64_t end = s->shared_at + s->cta.shared_bytes;

			if (s->shared_at < at + bytes && at < end) {
				at = div_up(end, LINE_BYTES) * LINE_BYTES;
				moved = true;
			}
		}
	}
	return at + bytes <= sm->c.max_shared_bytes ? at : UINT64_MAX;
}

/* A launch that is newer than all before it finds an invalid L1; an empty SM may get another size.
 */
static void prepare_cache(struct sm *sm, const struct cta_start *msg)
{
	if (msg->cache_bytes != sm->l1.bytes) {
		BUG_ON(sm->resident);
		cache_resize(sm->l1.cache, msg->cache_bytes);
		sm->l1.bytes = msg->cache_bytes;
	}
	if (msg->launch + 1 > sm->newest_launch && sm->p.invalidate_l1)
		cache_invalidate_all(sm->l1.cache);
	sm->newest_launch = (uint32_t)max_u64(sm->newest_launch, msg->launch + 1);
}

static void start_warp(struct sm *sm, unsigned c, unsigned i, uint64_t cycle)
{
	struct cta_slot *s = &sm->cta[c];
	const struct grid *g = s->cta.grid;
	unsigned w = low_bit(~sm->resident);
	struct slot *slot = &sm->slot[w];
	uint64_t place = (uint64_t)sm->c.index * sm->p.warps + w;

	BUG_ON(w >= sm->p.warps);
	sm->resident |= UINT64_C(1) << w;
	s->warps |= UINT64_C(1) << w;
	s->warp_slot[i] = (uint8_t)w;
	s->warp[i] = &slot->warp;
	slot->warp.local = g->local ? g->local + place * g->local_stride : NULL;
	slot->warp.local_base = g->local_base + place * g->local_stride;
	exec_start(&slot->warp, &s->cta, i);
	memset(slot->ready, 0, sizeof(*slot->ready) * g->program->regs);
	memset(slot->ready + SM_REGS, 0, sizeof(*slot->ready) * g->program->preds);
	slot->cta = (uint8_t)c;
	slot->issue_at = cycle + 1;
	slot->latest = slot->ready_at = 0;
	slot->pending = slot->long_regs = 0;
	slot->hold = 0;
	slot->waiting_barrier = false;
	slot->next = NULL;
	sm->age[w] = ++sm->arrivals;
	warp_refresh(sm, w, cycle);
}

static void start_cta(
	struct sm *sm, const struct cta_start *msg, uint64_t shared_at, uint64_t cycle)
{
	const struct grid *g = sm->c.grids->grids[msg->launch];
	unsigned c = low_bit(~sm->cta_used);
	struct cta_slot *s = &sm->cta[c];
	uint64_t plane = (uint64_t)g->grid[0] * g->grid[1];

	BUG_ON(c >= sm->p.ctas);
	sm_count_occupancy(sm, cycle);
	sm->cta_used |= UINT64_C(1) << c;
	s->cta = (struct cta){.grid = g,
		.id = {(uint32_t)(msg->cta % g->grid[0]), (uint32_t)(msg->cta % plane / g->grid[0]),
			(uint32_t)(msg->cta / plane)},
		.shared = sm->shared + shared_at,
		.shared_bytes = grid_shared_bytes(g),
		.warps_running = grid_cta_warps(g)};
	s->launch = msg->launch;
	s->index = msg->cta;
	s->shared_at = shared_at;
	s->running = grid_cta_warps(g);
	s->warps = 0;
	barriers_start(&s->barriers, grid_cta_warps(g));
	for (unsigned i = 0; i < grid_cta_warps(g); i++)
		start_warp(sm, c, i, cycle);
	sm->s.sm__ctas_launched++;
	sm->s.sm__ctas_resident = max_u64(sm->s.sm__ctas_resident, count_bits(sm->cta_used));
}

/* Takes in the CTAs that have arrived and find room. */
void cta_accept(struct sm *sm, uint64_t cycle)
{
	const struct cta_start *msg;

	while ((msg = link_peek(sm->cta_in))) {
		const struct grid *g = sm->c.grids->grids[msg->launch];
		uint64_t shared_at = find_shared(sm, grid_shared_bytes(g));

		if (shared_at == UINT64_MAX)
			return;
		prepare_cache(sm, msg);
		start_cta(sm, msg, shared_at, cycle);
		link_pop(sm->cta_in);
	}
}

/* A barrier is complete: these warps of the CTA go on at `cycle`, which comes after this one. */
static void release(struct sm *sm, struct cta_slot *s, uint64_t warps, uint64_t cycle)
{
	for (; warps; warps &= warps - 1) {
		unsigned w = s->warp_slot[low_bit(warps)];
		struct slot *slot = &sm->slot[w];

		slot->waiting_barrier = false;
		slot->issue_at = cycle;
		warp_refresh(sm, w, cycle - 1);
	}
}

/* Tells of a barrier that can never complete, at the first warp that waits there. */
static void hopeless(struct sm *sm, const struct cta_slot *s)
{
	unsigned i = low_bit(s->barriers.waiting);
	const struct warp *warp = s->warp[i];
	uint32_t x = s->cta.grid->block[0], y = s->cta.grid->block[1], tid = warp->first_tid;
	struct fault *f = &sm->fault.fault;

	*f = (struct fault){.kind = FAULT_DIVERGED_BARRIER,
		.instr = (uint32_t)(s->barriers.wait[i].instr - warp->program->code),
		.tid = {tid % x, tid / x % y, tid / x / y},
		.ctaid = {s->cta.id[0], s->cta.id[1], s->cta.id[2]}};
	sm->fault.launch = s->launch;
	sim_stop(sm->base.sim);
}

/* When every warp that still runs waits at a barrier, none of them is ever released. */
static void check_hopeless(struct sm *sm, const struct cta_slot *s)
{
	if (s->barriers.waiting && count_bits(s->barriers.waiting) == s->barriers.running)
		hopeless(sm, s);
}

/* A warp executed a barrier instruction with these lanes. */
void cta_barrier(struct sm *sm, unsigned w, const struct instr *in, uint32_t mask, uint64_t cycle)
{
	struct slot *slot = &sm->slot[w];
	struct cta_slot *s = &sm->cta[slot->cta];
	uint32_t index = slot->warp.first_tid / WARP_LANES;
	uint64_t released;

	warp_results(sm, w, in, READY_CODE(cycle + sm->p.alu_cycles, 0));
	if (!mask || in->barrier == BARRIER_WARP)
		return;
	released = barrier_arrive(&s->barriers, s->warp, index, in, mask);
	slot->waiting_barrier = s->barriers.waiting >> index & 1;
	release(sm, s, released & ~(UINT64_C(1) << index), cycle + 1);
	check_hopeless(sm, s);
}

/* The warp's last thread has exited: barriers no longer wait for it, from `cycle` on. */
void cta_warp_exited(struct sm *sm, unsigned w, uint64_t cycle)
{
	struct slot *slot = &sm->slot[w];
	struct cta_slot *s = &sm->cta[slot->cta];
	uint64_t released = barrier_exit(&s->barriers, s->warp);

	release(sm, s, released, cycle);
	check_hopeless(sm, s);
}

/* All threads of the warp have exited and its memory operations are done. */
void cta_warp_done(struct sm *sm, unsigned w, uint64_t cycle)
{
	struct slot *slot = &sm->slot[w];
	struct cta_slot *s = &sm->cta[slot->cta];
	uint64_t bit = UINT64_C(1) << w;

	sm_count_occupancy(sm, cycle);
	sm->by_reason[slot->reason] &= ~bit;
	sm->resident &= ~bit;
	s->warps &= ~bit;
	if (!--s->running)
		sm->cta_finished |= UINT64_C(1) << slot->cta;
}

/* Tells the dispatcher of finished CTAs; their places are free from here on. */
void cta_tell(struct sm *sm)
{
	while (sm->cta_finished && link_can_send(sm->done_out)) {
		unsigned c = low_bit(sm->cta_finished);
		struct cta_done *msg = link_slot(sm->done_out);

		*msg = (struct cta_done){
			.cta = sm->cta[c].index, .launch = sm->cta[c].launch, .sm = sm->c.index};
		link_send(sm->done_out, 1);
		sm->cta_finished &= ~(UINT64_C(1) << c);
		sm->cta_used &= ~(UINT64_C(1) << c);
	}
}
