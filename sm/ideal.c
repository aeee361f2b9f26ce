/* Experiments without a limit of the program: packed lines, packed lanes, loads that hit. */
#include "sm/ideal.h"

#include "sm/state.h"

/* Bytes in one piece from the first lane's on. */
static unsigned piece_of(const struct access *a, unsigned lane)
{
	unsigned bytes = a->bytes;

	for (; ++lane < WARP_LANES && a->mask >> lane & 1; bytes += a->bytes)
		if (a->addr[lane] != a->addr[lane - 1] + a->bytes || !(a->addr[lane] % LINE_BYTES))
			break;
	return bytes;
}

/* Lines from an access of consecutive elements to its neighbour's. */
static uint64_t lines_apart(const struct access *a)
{
	unsigned first = low_bit(a->mask), last = first;
	uint64_t from = a->addr[first], to;

	for (unsigned i = first; i < WARP_LANES; i++)
		last = a->mask >> i & 1 ? i : last;
	to = a->addr[last];
	if (first == last)
		return 1;
	return (from < to ? to - from : from - to) * WARP_LANES / (last - first) / LINE_BYTES;
}

/* Where a structure of m words is read word by word, or rows column by column, accesses of the same
 * lines differ in their offset: each takes other lines, and all of them together take each whole.
 * Neighbours that are further apart begin with different ones: where only every m-th element is
 * accessed, always the first line would be in few channels. */
unsigned ideal_lines(const struct access *a, struct line_access *l, unsigned n)
{
	unsigned bytes = 0, need, first, lane = a->mask ? low_bit(a->mask) : 0;
	uint64_t apart;
	uint32_t lanes = 0;
	struct line_access *at;

	for (unsigned i = 0; i < n; i++) {
		bytes += l[i].bytes;
		lanes |= l[i].lanes;
	}
	need = (bytes + LINE_BYTES - 1) / LINE_BYTES;
	if (need >= n)
		return n;
	first = (unsigned)(a->addr[lane] % LINE_BYTES) / piece_of(a, lane);
	apart = lines_apart(a);
	if (apart > need)
		first += (unsigned)(a->addr[lane] / LINE_BYTES / apart);
	first = first % (n / need) * need;
	at = &l[first];
	for (unsigned i = 0; i < need; i++, bytes -= LINE_BYTES) {
		unsigned some = bytes < LINE_BYTES ? bytes : LINE_BYTES;

		l[i].line = at[i].line;
		l[i].bytes = (uint8_t)some;
		l[i].granules = (uint8_t)((1u << (some + GRANULE_BYTES - 1) / GRANULE_BYTES) - 1);
		l[i].lanes = i ? 0 : lanes;
	}
	return need;
}

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

bool ideal_rides(struct sm *sm, unsigned w, const struct instr *in, uint64_t lanes, uint64_t cycle)
{
	const struct warp *warp = &sm->slot[w].warp;

	if (sm->ideal.p.warps)
		return shares(sm, w, in, cycle);
	return rides(sm, w, in, lanes,
		min_u64(WARP_LANES, grid_cta_threads(warp->cta->grid) - warp->first_tid));
}

uint64_t ideal_copy(const struct sm *sm, unsigned w)
{
	return sm->ideal.p.atomics ? (sm->c.index * SM_WARPS + w) * sm->c.interleave_bytes : 0;
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
