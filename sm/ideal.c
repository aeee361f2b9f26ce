/* Experiments without a limit of the program: packed lanes, shared work, loads that hit. */
#include "sm/ideal.h"

#include "sm/state.h"

/* Code between two branches takes time as a whole or not at all, as often as makes up for those of
 * `all` (lanes, or warps of a CTA) that are not among `some` when it does. */
static bool rides(struct sm *sm, unsigned w, const struct instr *in, uint64_t some, uint64_t all)
{
	struct sm_ideal *ideal = &sm->ideal;

	ideal->rides = ideal->riding[w] && some < all && in->unit != UNIT_BARRIER &&
		       in->unit != UNIT_FENCE && in->unit != UNIT_TEXTURE;
	ideal->lanes[w] += ideal->rides ? (int64_t)some : (int64_t)some - (int64_t)all;
	if (in->unit == UNIT_CONTROL)
		ideal->riding[w] = ideal->lanes[w] < 0;
	return ideal->rides;
}

/* The CTA's warps that have not exited and do not wait at a barrier. */
static uint64_t working(const struct cta_slot *s)
{
	uint64_t running = s->barriers.running, waiting = count_bits(s->barriers.waiting);

	return running > waiting ? running - waiting : 1;
}

/* Instructions that take no time take slots, of the schedulers of the warps that would execute
 * them: from the first of those on that take time before them. */
static bool shares(struct sm *sm, unsigned w, const struct instr *in, uint64_t cycle)
{
	const struct cta_slot *s = &sm->cta[sm->slot[w].cta];
	struct sm_ideal *ideal = &sm->ideal;
	bool rode = ideal->rode[w];

	ideal->rode[w] = rides(sm, w, in, working(s), grid_cta_warps(s->cta.grid));
	if (!ideal->rides && (rode || in->unit == UNIT_BARRIER))
		ideal->from[w] = cycle * sm->p.schedulers;
	ideal->slots = max_u64(ideal->slots, ideal->from[w]) + 1;
	return ideal->rides;
}

uint64_t ideal_slot(const struct sm *sm)
{
	return sm->ideal.p.warps ? sm->ideal.slots / sm->p.schedulers : 0;
}

/* Loads and stores of single bytes or halves take no time for those that as many words replace: at
 * what the warp accessed last, other instructions of the loop are counted. */
static bool is_part(struct sm *sm, unsigned w, const struct instr *in, const struct access *a)
{
	if (in->unit == UNIT_MEMORY && (a->space == SPACE_GLOBAL || a->space == SPACE_LOCAL))
		sm->ideal.width[w] = ideal_is_narrow(a) ? a->bytes : IDEAL_WORD;
	return rides(sm, w, in, sm->ideal.width[w] ? sm->ideal.width[w] : IDEAL_WORD, IDEAL_WORD);
}

static bool is_atomic(const struct instr *in)
{
	return in->action == ACT_ATOM || in->action == ACT_RED;
}

/* Of neighbours, and of those that an SM has one after the other, as many. */
bool ideal_is_shared(const struct sm *sm, unsigned w)
{
	const struct cta_slot *s = &sm->cta[sm->slot[w].cta];
	uint64_t n = s->index + s->index / sm->c.sms;
	uint64_t some = grid_cta_threads(s->cta.grid);
	uint64_t all = (uint64_t)grid_cta_warps(s->cta.grid) * WARP_LANES;

	return sm->ideal.p.blocks && (n + 1) * some / all == n * some / all;
}

bool ideal_rides(struct sm *sm, unsigned w, const struct instr *in, const struct access *a,
	uint64_t lanes, uint64_t cycle)
{
	if (sm->ideal.p.warps)
		return shares(sm, w, in, cycle);
	if (sm->ideal.p.narrow)
		return is_part(sm, w, in, a);
	if (sm->ideal.p.divergence) /* of atomics each lane has its own */
		return rides(sm, w, in, is_atomic(in) ? WARP_LANES : lanes, WARP_LANES);
	sm->ideal.rides = in->unit == UNIT_BARRIER
				  ? sm->ideal.p.barriers && (in->barrier == BARRIER_SYNC ||
								    in->barrier == BARRIER_ARRIVE)
				  : ideal_is_shared(sm, w) && in->unit != UNIT_FENCE &&
					    in->unit != UNIT_TEXTURE;
	return sm->ideal.rides;
}

enum tag_owner ideal_held(struct sm *sm, const struct lsu_entry *e, uint64_t cycle)
{
	uint64_t ready = cycle + (e->action == ACT_LOAD ? sm->p.shared_cycles - 1 : 0);

	if (e->action == ACT_ATOM) /* its value is known behind the window */
		ready = sm_next_edge(sm, cycle) + 1;
	lsu_line_done(sm, e->op, ready, cycle);
	return TAG_BUSY;
}

enum tag_owner ideal_load(struct sm *sm, const struct lsu_entry *e, uint64_t cycle)
{
	const struct line_access *l = &e->lines[e->at];

	sm->l1.s.l1tex__t_lines_load++;
	sm->l1.s.l1tex__t_lines_load_lookup_hit++;
	sm->l1.s.l1tex__t_lines_local_load += e->way->local;
	sm->l1.s.l1tex__t_lines_local_load_lookup_hit += e->way->local;
	sm->flows.loaded += packet_granule_bytes[l->granules];
	sm->flows.hit += packet_granule_bytes[l->granules];
	profile_hit(sm, e, -1);
	lsu_line_done(sm, e->op, cycle + e->way->hit_cycles - 1, cycle);
	return TAG_BUSY;
}
