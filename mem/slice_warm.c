/* Accesses without time pass an L2 slice's tags, so that a launch that is timed later finds what it
 * would have found. Neither packets nor statistics are counted; what would have moved to and from
 * DRAM is the caller's count. */
#include "mem/slice_state.h"

static uint64_t moved(const struct slice *s, const struct slice_warmth *to, unsigned granules)
{
	return packet_granule_bytes[to->blocks[s->whole[granules]]];
}

/* A victim is written back. */
static void evict(struct slice *s, const struct victim *v, struct slice_warmth *to)
{
	s->flows.warm_evicted += packet_granule_bytes[v->dirty];
	to->write_bytes += moved(s, to, v->dirty);
}

static void keep(struct slice *s, const struct packet *p, unsigned acts, uint64_t cycle,
	struct slice_warmth *to)
{
	struct cache_access a = slice_access(p, cycle, false);
	struct victim victim;

	if (acts & WRITE_DIRTY) {
		s->flows.warm_written += packet_granule_bytes[p->granules];
		if (cache_write(s->cache, p->granules, &a, &p->origin, &victim))
			evict(s, &victim, to);
	} else if (acts & WRITE_CLEAN && cache_update(s->cache, p->granules, &a, &victim)) {
		evict(s, &victim, to);
	}
	if (acts & WRITE_MEMORY)
		to->write_bytes += moved(s, to, p->granules);
}

/* Whether one of the last fetches has brought it: in time the request is merged with it, whether
 * the set still has the line or not. */
static bool is_merged(
	const struct slice *s, uint64_t line, unsigned granules, const struct slice_warmth *to)
{
	unsigned n = (unsigned)min_u64(to->in_flight, s->p.mshrs);

	for (unsigned i = 0; i < n; i++)
		if (s->warm[i].line == line && !(granules & ~(unsigned)s->warm[i].granules))
			return true;
	return false;
}

static void note_fetch(
	struct slice *s, uint64_t line, unsigned granules, const struct slice_warmth *to)
{
	unsigned n = (unsigned)min_u64(to->in_flight, s->p.mshrs);

	if (n)
		s->warm[s->warmed++ % n] = (struct warm_fetch){line, (uint8_t)granules};
}

static void need(struct slice *, const struct packet *, uint64_t cycle, struct slice_warmth *);

/* The line's own slice is asked for what a copy lacks. The lookup is not counted again. */
static void lend(struct slice *s, const struct packet *p, unsigned granules, uint64_t cycle,
	struct slice_warmth *to)
{
	struct packet read = *p;
	uint64_t sectors = to->sectors, hits = to->hits;

	read.granules = (uint8_t)granules;
	read.copy = false;
	need(s, &read, cycle, to);
	to->sectors = sectors;
	to->hits = hits;
}

/* What is not valid is fetched. */
static void need(struct slice *s, const struct packet *p, uint64_t cycle, struct slice_warmth *to)
{
	struct cache_access a = slice_access(p, cycle, false);
	uint8_t valid = s->pass ? 0 : cache_find(s->cache, p->granules, &a);
	unsigned sectors = count_bits((p->granules | p->granules >> 1) & 0x55);
	unsigned lacks = p->granules & ~(unsigned)valid, asked;
	struct victim victim;

	if (p->kind == PACKET_READ) {
		to->sectors += sectors;
		to->hits += sectors - count_bits((lacks | lacks >> 1) & 0x55);
	}
	if (!lacks || is_merged(s, p->line, lacks, to))
		return;
	asked = s->whole[s->fetched[p->granules] & ~(unsigned)valid];
	if (p->copy)
		lend(s->peer, p, asked, cycle, to);
	else
		to->read_bytes += packet_granule_bytes[to->blocks[asked]];
	note_fetch(s, p->line, asked, to);
	a.fill = true;
	if (!s->pass && cache_fill(s->cache, (uint8_t)asked, &a, &victim))
		evict(s, &victim, to);
}

void slice_warm(
	struct component *c, const struct packet *p, uint64_t cycle, struct slice_warmth *to)
{
	struct slice *s = CONTAINER_OF(c, struct slice, base);
	bool present =
		s->pass || s->acts[0] == s->acts[1] || cache_probe(s->cache, p->line, 0) >= 0;

	if (p->kind != PACKET_WRITE)
		need(s, p, cycle, to);
	if (p->kind == PACKET_READ)
		return;
	if (s->peer)
		cache_invalidate(s->peer->cache, p->line);
	if (s->pass)
		to->write_bytes += moved(s, to, p->granules);
	else
		keep(s, p, s->acts[present || p->kind == PACKET_ATOMIC], cycle, to);
}
