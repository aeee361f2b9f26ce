/* Misses of sectors of a line, others of which may be valid or in flight; and misses that reserve a
 * way of the cache. */
#include "sm/state.h"

/* Takes a way for a line that is requested; false: all of its set are taken. */
static bool reserve(struct sm *sm, const struct lsu_entry *e, uint64_t cycle)
{
	struct cache_access a = lsu_access(sm, e, e->lines[e->at].line, cycle);
	struct victim v;
	int way = cache_reserve(sm->l1.cache, &a, &v);

	if (way >= 0)
		l1_tell_evicted(sm, way, &v, cycle);
	return way >= 0;
}

/* Of the granules of a line that a load lacks some join a request in flight, the others are
 * requested. */
struct miss {
	uint8_t valid, joined, asked, sent; /* granules; sent: of whole sectors or the whole line */
};

static struct miss miss_of(const struct sm *sm, const struct line_access *l, int entry)
{
	const struct sm_l1 *l1 = &sm->l1;
	uint8_t flying = entry < 0 ? 0 : mshr_granules(l1->mshr, entry);
	struct miss m = {0};

	if (l1->p.whole_line)
		return (struct miss){.asked = l->granules, .sent = 0xff};
	m.valid = sm->tlb.lacks ? 0 : l->granules & cache_valid(l1->cache, l->line);
	m.joined = l->granules & (uint8_t)~m.valid & flying;
	m.asked = l->granules & (uint8_t) ~(m.valid | m.joined);
	m.sent = l1_sectors(l1, m.asked) & (uint8_t)~flying;
	return m;
}

static void count_miss(struct sm *sm, const struct miss *m)
{
	struct sm_flows *f = &sm->flows;

	f->hit += packet_granule_bytes[m->valid];
	f->merged += packet_granule_bytes[m->joined];
	f->missed += packet_granule_bytes[m->asked];
	f->filled += packet_granule_bytes[m->sent] - packet_granule_bytes[m->asked];
	sm->l1.s.l1tex__t_lines_load_lookup_partial += (m->valid | m->joined) != 0;
}

/* What the load lacks is all in flight; the rest is valid. */
static enum tag_owner join(
	struct sm *sm, const struct lsu_entry *e, int entry, const struct miss *m)
{
	if (!mshr_wait_for(sm->l1.mshr, entry, e->op, m->joined))
		return TAG_MSHR;
	profile_missed(sm, e, entry, true);
	count_miss(sm, m);
	return TAG_BUSY;
}

enum tag_owner lsu_miss_sectors(struct sm *sm, const struct lsu_entry *e, int entry, uint64_t cycle)
{
	const struct line_access *l = &e->lines[e->at];
	struct miss m = miss_of(sm, l, entry);
	bool opens = entry < 0;

	if (!m.asked)
		return join(sm, e, entry, &m);
	if (opens && !mshr_has_space(sm->l1.mshr))
		return TAG_MSHR;
	if (!outbox_open(sm))
		return TAG_NETWORK;
	if (opens && sm->l1.p.reserve && !reserve(sm, e, cycle))
		return TAG_WAY;
	if (opens)
		entry = mshr_open(sm->l1.mshr, l->line, m.sent);
	if (!mshr_wait_for(sm->l1.mshr, entry, e->op, m.joined | m.asked))
		return TAG_MSHR;
	if (!opens)
		mshr_add_granules(sm->l1.mshr, entry, m.sent);
	profile_missed(sm, e, entry, !opens);
	count_miss(sm, &m);
	return lsu_send(sm, e, PACKET_READ, m.sent, (uint32_t)entry);
}
