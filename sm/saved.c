/* The state of an SM, for checkpoints. */
#include "core/state.h"
#include "sm/state.h"

static const struct state_field sm_kept[] = {
	STATE_KEPT(sm, base),
	STATE_KEPT(sm, p),
	STATE_KEPT(sm, l1),
	STATE_KEPT(sm, tex),
	STATE_KEPT(sm, tlb),
	STATE_KEPT(sm, arbiter),
	STATE_KEPT(sm, outbox),
	STATE_KEPT(sm, constants),
	STATE_KEPT(sm, icache),
	STATE_KEPT(sm, c),
	STATE_KEPT(sm, cta_in),
	STATE_KEPT(sm, done_out),
	STATE_KEPT(sm, request_out),
	STATE_KEPT(sm, reply_in),
	STATE_KEPT(sm, slot),
	STATE_KEPT(sm, warp_memory),
	STATE_KEPT(sm, sched),
	STATE_KEPT(sm, policy),
	STATE_KEPT(sm, choose),
	STATE_KEPT(sm, after_issue),
	STATE_KEPT(sm, watched), /* sm_profile_state */
	STATE_KEPT(sm, pipes),
	STATE_KEPT(sm, ideal),
	STATE_KEPT(sm, shared_banks),
	STATE_KEPT(sm, texture),
	STATE_KEPT(sm, shared),
	STATE_KEPT(sm, shared_space),
	STATE_KEPT(sm, cta),
	STATE_KEPT(sm, queue),
	STATE_KEPT(sm, ops),
	STATE_KEPT(sm, log),
	STATE_KEPT(sm, memory),
	STATE_KEPT(sm, text),
	STATE_KEPT(sm, fault), /* none: it would have stopped the run */
	STATE_KEPT(sm, by_launch),
	STATE_KEPT(sm, profile),
};

/* ---- caches */
static const struct state_field l1_kept[] = {
	STATE_KEPT(sm_l1, p),
	STATE_KEPT(sm_l1, replacement),
	STATE_KEPT(sm_l1, set_hash),
	STATE_KEPT(sm_l1, cache),
	STATE_KEPT(sm_l1, fillers),
	STATE_KEPT(sm_l1, mshr),
	STATE_KEPT(sm_l1, ways),
	STATE_KEPT(sm_l1, texel_way),
};

static void caches_state(struct state *s, struct sm *sm)
{
	struct sm_l1 *l = &sm->l1;

	STATE_STRUCT(s, l, l1_kept);
	state_policy(s, &l->replacement);
	state_policy(s, &l->set_hash);
	cache_state(s, l->cache);
	mshr_state(s, l->mshr);
	state_bytes(s, l->fillers, sm->c.max_cache_bytes / LINE_BYTES + 1);
	STATE(s, sm->tex.s);
	state_policy(s, &sm->tex.replacement);
	if (sm->tex.cache)
		cache_state(s, sm->tex.cache);
	if (sm->tex.mshr)
		mshr_state(s, sm->tex.mshr);
}

static void fetch_cache_state(struct state *s, struct fetch_cache *c)
{
	state_policy(s, &c->lru);
	if (c->cache)
		cache_state(s, c->cache);
}

static void fetcher_state(struct state *s, struct fetcher *f)
{
	for (unsigned i = 0; i < f->nears; i++)
		fetch_cache_state(s, &f->near[i]);
	fetch_cache_state(s, &f->far);
	STATE(s, f->out);
	STATE(s, f->asked);
	STATE(s, f->arrived);
}

static void constants_state(struct state *s, struct sm *sm)
{
	struct sm_constants *c = &sm->constants;

	STATE(s, c->s);
	STATE(s, c->free);
	fetcher_state(s, &c->fetch);
	for (unsigned w = 0; c->load && w < sm->p.warps; w++) {
		static const struct state_field kept[] = {STATE_KEPT(const_load, in)};

		STATE_STRUCT(s, &c->load[w], kept);
		STATE_STALE(s, c->load[w].in);
	}
}

static const struct state_field icache_kept[] = {
	STATE_KEPT(sm_icache, p),
	STATE_KEPT(sm_icache, fetch),
};

static const struct state_field tlb_kept[] = {
	STATE_KEPT(sm_tlb, settings),
	STATE_KEPT(sm_tlb, pages),
	STATE_KEPT(sm_tlb, missed),
};

static void others_state(struct state *s, struct sm *sm)
{
	constants_state(s, sm);
	STATE_STRUCT(s, &sm->icache, icache_kept);
	fetcher_state(s, &sm->icache.fetch);
	STATE_STRUCT(s, &sm->tlb, tlb_kept);
	if (sm->tlb.pages) {
		tlb_state(s, sm->tlb.pages);
		state_bytes(s, sm->tlb.missed, COALESCE_MAX * sizeof(*sm->tlb.missed));
	}
}

/* ---- warps and CTAs */
static const struct state_field slot_kept[] = {
	STATE_KEPT(slot, warp.program),
	STATE_KEPT(slot, warp.cta),
	STATE_KEPT(slot, warp.regs),
	STATE_KEPT(slot, warp.preds),
	STATE_KEPT(slot, warp.stack),
	STATE_KEPT(slot, warp.local),
	STATE_KEPT(slot, warp.traffic),
	STATE_KEPT(slot, next),
	STATE_KEPT(slot, ready),
};

static void slot_state(struct state *s, struct sm *sm, struct slot *slot)
{
	STATE_STRUCT(s, slot, slot_kept);
	STATE_STALE(s, slot->warp.program);
	STATE_WITHIN(s, slot->warp.cta, sm, sizeof(*sm));
	STATE_POINTER(s, slot->warp.regs);
	STATE_POINTER(s, slot->warp.preds);
	STATE_POINTER(s, slot->warp.stack);
	STATE_POINTER(s, slot->ready);
	STATE_STALE(s, slot->warp.local);
	STATE_WITHIN(s, slot->warp.traffic, sm, sizeof(*sm));
	STATE_STALE(s, slot->next);
}

static const struct state_field wait_kept[] = {STATE_KEPT(barrier_wait, instr)};

static const struct state_field cta_kept[] = {
	STATE_KEPT(cta_slot, cta.grid),
	STATE_KEPT(cta_slot, cta.shared),
	STATE_KEPT(cta_slot, barriers.wait),
	STATE_KEPT(cta_slot, warp),
};

static void cta_state(struct state *s, struct sm *sm, struct cta_slot *cta)
{
	STATE_STRUCT(s, cta, cta_kept);
	STATE_STALE(s, cta->cta.grid);
	STATE_WITHIN(s, cta->cta.shared, sm->shared, sm->shared_space + 1);
	for (unsigned i = 0; i < ARRAY_LEN(cta->barriers.wait); i++) {
		STATE_STRUCT(s, &cta->barriers.wait[i], wait_kept);
		STATE_STALE(s, cta->barriers.wait[i].instr);
	}
	for (unsigned i = 0; i < ARRAY_LEN(cta->warp); i++)
		STATE_WITHIN(s, cta->warp[i], sm, sizeof(*sm));
}

static const struct state_field sched_kept[] = {
	STATE_KEPT(scheduler, mine),
	STATE_KEPT(scheduler, view.age),
	STATE_KEPT(scheduler, view.sm),
};

static void warps_state(struct state *s, struct sm *sm)
{
	warp_memory_state(s, sm);
	for (unsigned i = 0; i < sm->p.warps; i++)
		slot_state(s, sm, &sm->slot[i]);
	state_sparse(s, sm->shared, sm->shared_space);
	for (unsigned i = 0; i < sm->p.ctas; i++)
		cta_state(s, sm, &sm->cta[i]);
	for (unsigned i = 0; i < sm->p.schedulers; i++)
		STATE_STRUCT(s, &sm->sched[i], sched_kept);
	state_policy(s, &sm->policy);
}

/* ---- pipes and memory instructions */
static void arbiter_state(struct state *s, struct sm *sm)
{
	static const struct state_field kept[] = {STATE_KEPT(arbiter, jobs)};
	static const struct state_field job_kept[] = {STATE_KEPT(bank_job, in)};
	struct arbiter *a = &sm->arbiter;

	STATE_STRUCT(s, a, kept);
	for (unsigned i = 0; a->jobs && i < sm->p.bank_queue; i++) {
		STATE_STRUCT(s, &a->jobs[i], job_kept);
		STATE_STALE(s, a->jobs[i].in);
	}
}

static void outbox_state(struct state *s, struct outbox *o)
{
	STATE(s, o->head);
	STATE(s, o->n);
	STATE(s, o->misses);
	state_bytes(s, o->ring, (o->size + (size_t)1) * sizeof(*o->ring));
}

static void pipes_state(struct state *s, struct sm_pipes *p)
{
	STATE(s, p->s);
	for (unsigned i = 0; i < ARRAY_LEN(p->of); i++) {
		STATE(s, p->of[i].executed);
		STATE(s, p->of[i].steps);
	}
	STATE(s, p->free);
}

static void lsu_state(struct state *s, struct sm *sm)
{
	static const struct state_field entry_kept[] = {STATE_KEPT(lsu_entry, way)};
	static const struct state_field op_kept[] = {STATE_KEPT(op, instr)};

	for (unsigned i = 0; i < sm->p.lsu_queue; i++) {
		STATE_STRUCT(s, &sm->queue[i], entry_kept);
		STATE_WITHIN(s, sm->queue[i].way, &sm->l1, sizeof(sm->l1));
	}
	for (unsigned i = 0; i < sm->p.lsu_ops; i++) {
		STATE_STRUCT(s, &sm->ops[i], op_kept);
		STATE_STALE(s, sm->ops[i].instr);
	}
}

static const struct state_field texture_kept[] = {STATE_KEPT(sm_texture, due)};

static void ideal_state(struct state *s, struct sm_ideal *i)
{
	static const struct state_field kept[] = {STATE_KEPT(sm_ideal, p),
		STATE_KEPT(sm_ideal, has_rows), STATE_KEPT(sm_ideal, held),
		STATE_KEPT(sm_ideal, sums), STATE_KEPT(sm_ideal, alone),
		STATE_KEPT(sm_ideal, stores)};

	STATE_STRUCT(s, i, kept);
	if (i->held)
		state_bytes(s, i->held, IDEAL_HELD * sizeof(*i->held));
	if (i->alone)
		state_bytes(s, i->alone, sizeof(*i->alone));
	ideal_atomics_state(s, i);
	for (unsigned c = 0; c < ARRAY_LEN(i->stores); c++)
		STATE_STALE(s, i->stores[c]);
	STATE_STALE(s, i->has_rows);
}

void sm_notes_state(struct state *s, struct exec_notes *notes)
{
	static const struct state_field kept[] = {STATE_KEPT(exec_note, program)};

	STATE(s, notes->n);
	if (!state_most(s, notes->n, EXEC_NOTES))
		return;
	for (unsigned i = 0; i < notes->n; i++) {
		STATE_STRUCT(s, &notes->at[i], kept);
		STATE_POINTER(s, notes->at[i].program);
	}
}

/* Printed text has been taken at a window's edge. */
static void memory_state(struct state *s, struct sm *sm)
{
	log_state(s, sm->log);
	BUG_ON(sm->text.used);
	state_scratch(s, sm->text.bytes, SM_TEXT_BYTES);
	sm_notes_state(s, sm->memory.notes);
}

void sm_state(struct component *c, struct state *s)
{
	struct sm *sm = CONTAINER_OF(c, struct sm, base);
	uint32_t spaces = s->nspaces;

	STATE_STRUCT(s, sm, sm_kept);
	caches_state(s, sm);
	others_state(s, sm);
	warps_state(s, sm);
	arbiter_state(s, sm);
	outbox_state(s, &sm->outbox);
	pipes_state(s, &sm->pipes);
	ideal_state(s, &sm->ideal);
	STATE_STRUCT(s, &sm->texture, texture_kept);
	state_bytes(s, sm->texture.due, sm->p.lsu_ops * sizeof(*sm->texture.due));
	lsu_state(s, sm);
	memory_state(s, sm);
	sm_profile_state(s, sm);
	s->nspaces = spaces;
}
