/* CTA residency: starting CTAs, barriers, and messages to the dispatcher when CTAs have
 * finished. */
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

/* The lowest offset in the pool at which `bytes` are free, or UINT64_MAX. */
static uint64_t free_place(const struct sm *sm, uint64_t bytes)
{
	uint64_t at = 0;
	bool moved = true;

	while (moved) {
		moved = false;
		for (uint64_t set = sm->cta_used; set; set &= set - 1) {
			const struct cta_slot *s = &sm->cta[low_bit(set)];

			if (s->shared_at < at + bytes && at < s->shared_at + s->shared_space) {
				at = s->shared_at + s->shared_space;
				moved = true;
			}
		}
	}
	return at + bytes <= sm->shared_space ? at : UINT64_MAX;
}

/* Compacts the pool: the offsets of CTAs' pieces in the host's memory have no meaning in the
 * model. */
static void pack_shared(struct sm *sm)
{
	uint64_t at = 0;

	for (uint64_t left = sm->cta_used; left;) {
		unsigned next = low_bit(left);
		struct cta_slot *s;

		for (uint64_t set = left; set; set &= set - 1)
			if (sm->cta[low_bit(set)].shared_at < sm->cta[next].shared_at)
				next = low_bit(set);
		s = &sm->cta[next];
		memmove(sm->shared + at, s->cta.shared, s->cta.slots_end);
		s->cta.shared = sm->shared + at;
		s->shared_at = at;
		at += s->shared_space;
		left &= ~(UINT64_C(1) << next);
	}
}

/* Shared memory for a CTA. The dispatcher has counted the bytes: they are free, though possibly not
 * contiguous. */
static uint64_t take_shared(struct sm *sm, uint64_t room)
{
	uint64_t at = free_place(sm, room);

	if (at == UINT64_MAX) {
		pack_shared(sm);
		at = free_place(sm, room);
	}
	BUG_ON(at == UINT64_MAX);
	return at;
}

/* A launch that is newer than all before it finds an invalid L1 and texture cache; an empty SM may
 * be split otherwise. */
static void prepare_cache(struct sm *sm, const struct cta_start *msg, uint64_t cycle)
{
	bool emptied = msg->cache_bytes != sm->l1.bytes;
	uint64_t launch = sm->c.grids->grids[msg->launch]->gridid + 1;

	if (emptied) {
		BUG_ON(sm->resident);
		cache_resize(sm->l1.cache, msg->cache_bytes);
		sm_tlb_empty(sm);
		l1_resized(sm, msg->cache_bytes);
	}
	if (launch > sm->newest_launch && sm->p.invalidate_l1) {
		cache_invalidate_all(sm->l1.cache);
		cache_invalidate_all(sm->tex.cache);
		sm_tlb_empty(sm);
		emptied = true;
	}
	if (emptied && sm->choose->l1)
		sm->choose->l1(sm->policy.self, SCHED_L1_EMPTIED, 0, 0, cycle);
	sm->newest_launch = max_u64(sm->newest_launch, launch);
}

void sm_warm_begin(struct component *c, const struct cta_start *msg, uint64_t cycle)
{
	struct sm *sm = CONTAINER_OF(c, struct sm, base);

	if (!sm->resident || msg->cache_bytes == sm->l1.bytes)
		prepare_cache(sm, msg, cycle);
}

/* A free slot for warp i of the CTA in slot c. */
static unsigned choose_slot(const struct sm *sm, unsigned c, unsigned i)
{
	unsigned n = (unsigned)sm->p.schedulers;
	uint64_t own = 0;

	for (unsigned w = (c + i) % n; sm->p.placement == PLACE_ROTATED && w < sm->p.warps; w += n)
		own |= UINT64_C(1) << w;
	return low_bit(own & ~sm->resident ? own & ~sm->resident : ~sm->resident);
}

static void start_warp(struct sm *sm, unsigned c, unsigned i, uint64_t cycle)
{
	struct cta_slot *s = &sm->cta[c];
	const struct grid *g = s->cta.grid;
	unsigned w = choose_slot(sm, c, i);
	struct slot *slot = &sm->slot[w];
	uint64_t place = (uint64_t)sm->c.index * sm->p.warps + w;

	BUG_ON(w >= sm->p.warps);
	s->warps |= UINT64_C(1) << w;
	s->warp_slot[i] = (uint8_t)w;
	s->warp[i] = &slot->warp;
	slot->warp.local = g->local ? g->local + place * g->local_stride : NULL;
	slot->warp.local_base = g->local_base + place * g->local_stride;
	slot->warp.traffic = &sm->rf.traffic;
	warp_memory_take(sm, w, g->program);
	sm->resident |= UINT64_C(1) << w;
	sm->moved |= UINT64_C(1) << w;
	exec_start(&slot->warp, &s->cta, i);
	memset(slot->ready - g->program->preds, 0,
		sizeof(*slot->ready) * (g->program->preds + g->program->planes));
	slot->cta = (uint8_t)c;
	slot->issue_at = cycle + 1;
	slot->latest = slot->latest_late = slot->ready_at = 0;
	slot->copies = (struct copies){.group = 0};
	slot->pending = slot->long_regs = 0;
	slot->hold = 0;
	slot->waiting_barrier = false;
	slot->next = NULL;
	sm->age[w] = ++sm->arrivals;
	sm->issued_at[w] = 0;
	sm->mark[w] = (struct sm_mark){0};
	if (sm->choose->started)
		sm->choose->started(sm->policy.self, w, cycle);
	if (sm->icache.p.mode != FETCH_OFF) {
		icache_start(sm, w);
		icache_next(sm, w, cycle);
	}
	warp_refresh(sm, w, cycle);
}

/* The slot's CTA is that one of the grid, of which nothing has been executed. */
static void set_cta(struct cta_slot *s, const struct grid *g, uint64_t cta, unsigned char *shared)
{
	uint64_t plane = (uint64_t)g->grid[0] * g->grid[1];

	s->cta = (struct cta){.grid = g,
		.id = {(uint32_t)(cta % g->grid[0]), (uint32_t)(cta % plane / g->grid[0]),
			(uint32_t)(cta / plane)},
		.shared = shared,
		.warps_running = grid_cta_warps(g)};
	exec_shared(&s->cta);
	s->index = cta;
	s->running = grid_cta_warps(g);
	barriers_start(&s->barriers, grid_cta_warps(g));
}

static void start_cta(struct sm *sm, const struct cta_start *msg, uint64_t cycle)
{
	const struct grid *g = sm->c.grids->grids[msg->launch];
	unsigned c = low_bit(~sm->cta_used);
	struct cta_slot *s = &sm->cta[c];
	uint64_t room = div_up(grid_shared_bytes(g), LINE_BYTES) * LINE_BYTES;
	uint64_t shared_at = take_shared(sm, room);

	BUG_ON(c >= sm->p.ctas);
	sm_count_occupancy(sm, cycle);
	sm->pace.behind = sm->cta_used ? sm->pace.behind : 0;
	sm->cta_used |= UINT64_C(1) << c;
	set_cta(s, g, msg->cta, sm->shared + shared_at);
	s->launch = msg->launch;
	s->shared_at = shared_at;
	s->shared_space = room;
	s->warps = 0;
	for (unsigned i = 0; i < grid_cta_warps(g); i++)
		start_warp(sm, c, i, cycle);
	if (sm->ideal.alone)
		ideal_cta_begins(sm, c);
	if (sm->profile)
		stalls_note_begin(sm, c, cycle);
	probe_event(&sm->base, SM_CTA_BEGINS, SM_EVENT_A(c, msg->launch), msg->cta);
	sm->s.sm__ctas_launched++;
	sm->s.sm__ctas_resident = max_u64(sm->s.sm__ctas_resident, count_bits(sm->cta_used));
}

/* A warp that has exited starts again, as one of the slot's new CTA. */
static void restart_warp(struct sm *sm, unsigned c, unsigned i, uint64_t cycle)
{
	struct cta_slot *s = &sm->cta[c];
	unsigned w = s->warp_slot[i];

	if (sm->choose->ended)
		sm->choose->ended(sm->policy.self, w, cycle);
	exec_start(&sm->slot[w].warp, &s->cta, i);
	sm->age[w] = ++sm->arrivals;
	sm->issued_at[w] = 0;
	sm->mark[w].credit = 0;
	sm->mark[w].seen = 0;
	sm->mark[w].progress = 0;
	if (sm->choose->started)
		sm->choose->started(sm->policy.self, w, cycle);
}

/* Warps that have nothing in flight have left their slots. */
void cta_replace(struct sm *sm, unsigned slot, uint64_t cta, uint64_t cycle)
{
	struct cta_slot *s = &sm->cta[slot];
	uint64_t held = s->warps;

	sm_count_occupancy(sm, cycle);
	set_cta(s, s->cta.grid, cta, s->cta.shared);
	for (unsigned i = 0; i < grid_cta_warps(s->cta.grid); i++)
		if (held >> s->warp_slot[i] & 1)
			restart_warp(sm, slot, i, cycle);
		else
			start_warp(sm, slot, i, cycle);
}

/* Starts the CTAs that have arrived. */
void cta_accept(struct sm *sm, uint64_t cycle)
{
	const struct cta_start *msg;

	while ((msg = link_peek(sm->cta_in))) {
		prepare_cache(sm, msg, cycle);
		start_cta(sm, msg, cycle);
		link_pop(sm->cta_in);
	}
}

/* The warp continues at `opens`, after this cycle, or later if it waits for its instruction. */
static void leaves_barrier(struct sm *sm, unsigned w, uint64_t cycle, uint64_t opens)
{
	struct slot *slot = &sm->slot[w];
	uint64_t *from = sm->waits.what[w] ? &sm->waits.from[w] : &slot->issue_at;

	slot->waiting_barrier = false;
	if (*from >= opens)
		return;
	*from = opens;
	if (!sm->waits.what[w] && opens > cycle + 1)
		slot->hold = REASON_BARRIER;
}

/* A barrier is complete: these warps of the CTA continue barrier_cycles later. */
static void release(
	struct sm *sm, struct cta_slot *s, uint64_t warps, uint64_t cycle, uint64_t late)
{
	for (; warps; warps &= warps - 1) {
		unsigned w = s->warp_slot[low_bit(warps)];

		if (sm->profile)
			stalls_note_passed(sm->profile, w, cycle);
		leaves_barrier(sm, w, cycle, late + sm->p.barrier_cycles);
		warp_refresh(sm, w, cycle);
	}
}

/* Arrivals are accepted one after another. Returns when this one is. */
static uint64_t accepted(struct sm *sm, uint64_t cycle)
{
	uint64_t at;

	if (!sm->p.barrier_warp_cycles)
		return cycle;
	at = max_u64(cycle, sm->barrier_free);
	sm->barrier_free = at + sm->p.barrier_warp_cycles;
	return at;
}

/* A barrier that can never complete is a fault. */
static void check_hopeless(struct sm *sm, const struct cta_slot *s, uint64_t cycle)
{
	struct fault f;

	if (barriers_stuck(&s->barriers, s->warp, grid_cta_warps(s->cta.grid), &f))
		sm_stop(sm, &f, s->launch, cycle);
}

void cta_tell_barriers(struct sm *sm, unsigned c, bool waited)
{
	bool waits = sm->cta[c].barriers.waiting;

	if (waits != waited)
		probe_event(&sm->base, waits ? SM_BARRIER_BEGINS : SM_BARRIER_ENDS,
			SM_EVENT_A(c, 0), 0);
}

/* A warp executed a barrier instruction with these lanes. */
void cta_barrier(struct sm *sm, unsigned w, const struct instr *in, uint32_t mask, uint64_t cycle)
{
	struct slot *slot = &sm->slot[w];
	struct cta_slot *s = &sm->cta[slot->cta];
	uint32_t index = slot->warp.first_tid / WARP_LANES;
	bool waited = s->barriers.waiting;
	uint64_t released, late, own = UINT64_C(1) << index;

	warp_results(sm, w, in, READY_CODE(cycle + sm->p.alu_cycles, READY_FIXED));
	if (!mask || in->barrier == BARRIER_WARP || (mask & slot->warp.parked))
		return;
	if (sm->ideal.p.barriers &&
		(in->barrier == BARRIER_SYNC || in->barrier == BARRIER_ARRIVE)) {
		barrier_pass(&slot->warp, in, mask);
		return;
	}
	late = accepted(sm, cycle);
	released = barrier_arrive(&s->barriers, s->warp, index, in, mask);
	slot->waiting_barrier = s->barriers.waiting >> index & 1;
	if (sm->profile)
		stalls_note_barrier(sm, w, released, cycle);
	cta_tell_barriers(sm, slot->cta, waited);
	if ((released & own) && late + sm->p.barrier_cycles > cycle + 1)
		leaves_barrier(sm, w, cycle, late + sm->p.barrier_cycles);
	release(sm, s, released & ~own, cycle, late);
	check_hopeless(sm, s, cycle);
}

/* The warp's last thread has exited: barriers no longer wait for it, from `cycle` on. */
void cta_warp_exited(struct sm *sm, unsigned w, uint64_t cycle)
{
	struct slot *slot = &sm->slot[w];
	struct cta_slot *s = &sm->cta[slot->cta];
	bool waited = s->barriers.waiting;
	uint64_t released = barrier_exit(&s->barriers, s->warp);

	if ((sm->ideal.held || sm->ideal.sums) && !s->barriers.running)
		ideal_cta_exited(sm, w);
	cta_tell_barriers(sm, slot->cta, waited);
	release(sm, s, released, cycle - 1, cycle - 1);
	check_hopeless(sm, s, cycle);
}

/* All threads of the warp have exited and its memory operations are done. */
void cta_warp_done(struct sm *sm, unsigned w, uint64_t cycle)
{
	struct slot *slot = &sm->slot[w];
	struct cta_slot *s = &sm->cta[slot->cta];
	uint64_t bit = UINT64_C(1) << w;

	if (sm->profile)
		stalls_note_done(sm, w, cycle);
	sm_count_occupancy(sm, cycle);
	sm->by_reason[slot->reason] &= ~bit;
	sm->resident &= ~bit;
	sm->moved |= bit;
	s->warps &= ~bit;
	if (sm->choose->ended)
		sm->choose->ended(sm->policy.self, w, cycle);
	if (!--s->running)
		sm->cta_finished |= UINT64_C(1) << slot->cta;
}

/* Reports finished CTAs to the dispatcher; their slots are free from now on. */
void cta_tell(struct sm *sm)
{
	while (sm->cta_finished && link_can_send(sm->done_out)) {
		unsigned c = low_bit(sm->cta_finished);
		struct cta_done *msg = link_slot(sm->done_out);

		*msg = (struct cta_done){
			.cta = sm->cta[c].index, .launch = sm->cta[c].launch, .sm = sm->c.index};
		link_send(sm->done_out, 1);
		probe_event(&sm->base, SM_CTA_ENDS, SM_EVENT_A(c, 0), 0);
		sm->cta_finished &= ~(UINT64_C(1) << c);
		sm->cta_used &= ~(UINT64_C(1) << c);
	}
}
