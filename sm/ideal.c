/* Experiments without a limit of the program: packed lanes, shared work, loads that hit. */
#include "sm/ideal.h"

#include "sm/state.h"

#include <string.h>

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

void ideal_cta_begins(struct sm *sm, unsigned cta)
{
	struct ideal_alone *alone = sm->ideal.alone;
	const struct cta_slot *s = &sm->cta[cta];

	alone->leads[cta] = false;
	for (unsigned i = 0; i < s->running; i++) {
		unsigned w = s->warp_slot[i];

		memset(alone->lane[w], 0, sizeof(alone->lane[w]));
		alone->longest[w] = alone->paid[w] = 0;
	}
}

/* Cycles that the warp waits for the result, except memory's, which it waits for in any case. */
static uint32_t latency(const struct sm *sm, const struct instr *in, const struct access *a)
{
	if (in->unit == UNIT_CONTROL)
		return (uint32_t)sm->p.branch_cycles;
	if (in->unit == UNIT_MEMORY)
		return a->space == SPACE_SHARED ? (uint32_t)sm->p.shared_cycles : 1;
	return 1 + sm->pipes.of[in->op_class].result / READY_CODE(1, 0);
}

static void note_alone(struct ideal_alone *alone, unsigned w, uint32_t mask, uint32_t cycles)
{
	for (unsigned l = 0; l < WARP_LANES; l++) {
		alone->lane[w][l] += mask >> l & 1 ? cycles : 0;
		alone->longest[w] = (uint32_t)max_u64(alone->longest[w], alone->lane[w][l]);
	}
}

/* The first warp of a CTA some of whose instructions take no time leads. */
static bool leads(struct ideal_alone *alone, unsigned cta, unsigned w, bool riding)
{
	if (riding && !alone->leads[cta]) {
		alone->leads[cta] = true;
		alone->leader[cta] = (uint8_t)w;
		alone->led[cta] = alone->paid[w];
	}
	return alone->leads[cta] && alone->leader[cta] == w;
}

/* What a leader issues beyond its packed lanes others of the CTA do not. */
static void take_from_others(struct sm *sm, unsigned w, int64_t lanes)
{
	const struct cta_slot *s = &sm->cta[sm->slot[w].cta];
	struct ideal_alone *alone = sm->ideal.alone;
	unsigned n = grid_cta_warps(s->cta.grid);

	alone->turn++;
	if (s->warp_slot[alone->turn % n] == w)
		alone->turn++;
	sm->ideal.lanes[w] -= lanes;
	sm->ideal.lanes[s->warp_slot[alone->turn % n]] += lanes;
}

/* However lanes are packed, a CTA lasts as long as its longest one: of its leader's that one's
 * instructions take their latency. */
static bool packs(
	struct sm *sm, unsigned w, const struct instr *in, const struct access *a, uint64_t lanes)
{
	struct sm_ideal *ideal = &sm->ideal;
	struct ideal_alone *alone = ideal->alone;
	unsigned c = sm->slot[w].cta;
	uint32_t cycles = latency(sm, in, a);
	bool riding = ideal->riding[w], leader = leads(alone, c, w, riding);

	note_alone(alone, w, ideal->mask, cycles);
	if (leader && alone->longest[w] > alone->led[c])
		ideal->riding[w] = false;
	rides(sm, w, in, lanes, WARP_LANES);
	if (!ideal->rides) {
		alone->paid[w] += cycles;
		alone->led[c] += leader ? cycles : 0;
		if (riding && leader)
			take_from_others(sm, w, (int64_t)lanes - WARP_LANES);
	}
	if (in->unit != UNIT_CONTROL)
		ideal->riding[w] = riding;
	return ideal->rides;
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
		return packs(sm, w, in, a, is_atomic(in) ? WARP_LANES : lanes);
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
