/* The lookup of a request at the end of an L2 slice's pipeline, and the fill after a fetch.
 *
 * A write allocates without fetch: written granules become valid individually, and dirty when the
 * policy is write-back. A granule of 16 bytes that is written in part counts as wholly valid. A
 * dirty victim goes to DRAM with the origin of its last writer. Atomics need their granules valid,
 * then write them. Granules are a line's knowledge of its sectors, as the byte masks of hardware
 * are: traffic to and from DRAM is in whole sectors.
 *
 * Without a cache reads and writes pass through; atomics read from DRAM, execute here and write;
 * all atomics that wait for one line do so together: one write of all their granules, with the
 * origin of the last. So do atomics that waited for one line of a write-through cache. */
#include "mem/slice_state.h"

#include <string.h>

/* A line is whole even for a request without granules. */
static void set_blocks(uint8_t blocks[256], uint64_t bytes)
{
	if (bytes == LINE_BYTES)
		memset(blocks, 0xff, 256);
	else
		packet_blocks(blocks, (unsigned)bytes / GRANULE_BYTES);
}

void slice_set_whole(struct slice *s)
{
	uint64_t fetch = s->p.fill_line ? LINE_BYTES : s->p.fetch_bytes;

	set_blocks(s->whole, s->pass ? GRANULE_BYTES : s->p.sector_bytes);
	set_blocks(s->fetched, s->pass ? GRANULE_BYTES : fetch);
}

void slice_reply(
	struct slice *s, const struct packet *request, enum packet_kind kind, uint64_t cycle)
{
	struct packet reply = *request;

	reply.kind = (uint8_t)kind;
	fifo_push(&s->ready, &reply, cycle);
}

static bool dram_has_space(const struct slice *s)
{
	return fifo_count(&s->dram) < s->p.dram_queue;
}

static bool may_promise(const struct slice *s)
{
	return s->promised < s->p.replies;
}

/* True when one more write can be sent to DRAM, or a request can wait for a line whose victim must
 * be written. */
static bool may_evict(const struct slice *s)
{
	return s->evicting + s->fetches < s->p.evict_queue;
}

static bool may_write(const struct slice *s)
{
	return dram_has_space(s) && may_evict(s);
}

/* The oldest request stalls: until `dram` has space, or fetches return. */
static bool refuse(const struct slice *s)
{
	link_await(s->dram_in);
	return false;
}

static void push_write(struct slice *s, const struct packet *p)
{
	s->evicting++;
	fifo_push(&s->dram, p, 0);
}

static void write_back(struct slice *s, const struct victim *v)
{
	struct packet p = {
		.line = v->line,
		.origin = v->owner,
		.sm = SLICE_ITSELF,
		.kind = PACKET_WRITE,
		.granules = s->whole[v->dirty],
	};

	if (s->profile)
		p.tag = slice_profile_leaves(s, v);
	s->flows.padding += packet_granule_bytes[p.granules] - packet_granule_bytes[v->dirty];
	push_write(s, &p);
}

/* A write that goes to DRAM at once, acknowledged or not. */
static void write_through(struct slice *s, const struct packet *request)
{
	struct packet p = *request;

	p.granules = s->whole[p.granules];
	p.wants_ack = false;
	slice_profile_passed(s, request, p.granules);
	s->flows.through += packet_granule_bytes[request->granules];
	s->flows.padding +=
		packet_granule_bytes[p.granules] - packet_granule_bytes[request->granules];
	push_write(s, &p);
}

static void fetch(struct slice *s, const struct packet *request, int entry, uint8_t granules)
{
	struct packet p = *request;

	p.kind = PACKET_READ;
	p.granules = granules;
	p.sm = SLICE_ITSELF;
	p.tag = (uint32_t)entry;
	p.wants_ack = false;
	p.copy = slice_is_away(request);
	if (p.copy)
		slice_ask(s, &p);
	else
		fifo_push(&s->dram, &p, 0);
	s->fetches_of[entry]++;
	s->fetches++;
}

/* Occupies the line's bank for these granules, from its next free cycle on. */
static void occupy(struct slice *s, uint64_t line, unsigned granules, uint64_t cycle)
{
	uint64_t *bank = &s->bank_free[cache_set(s->cache, line) % s->p.banks];

	*bank = max_u64(*bank, cycle) + slice_sectors(granules) * s->p.bank_cycles;
}

/* The cache keeps the written granules. */
static inline void keep(struct slice *s, const struct packet *p, unsigned acts, uint64_t cycle)
{
	struct cache_access a = slice_access(p, cycle, false);
	struct victim victim;
	bool evicted = acts & WRITE_DIRTY
			       ? cache_write(s->cache, p->granules, &a, &p->origin, &victim)
			       : cache_update(s->cache, p->granules, &a, &victim);

	if (s->bank_free)
		occupy(s, p->line, p->granules, cycle);
	if (s->bank_free && evicted)
		occupy(s, p->line, victim.dirty, cycle);
	slice_profile_written(s, p, victim.way, acts & WRITE_DIRTY);
	if (evicted)
		write_back(s, &victim);
}

/* The reply leaves when the atomic unit has processed the lanes. */
static void execute_atomic(struct slice *s, const struct packet *p, uint64_t cycle)
{
	uint64_t done = slice_atomic(s, p, cycle);
	struct packet reply = *p;

	reply.kind = PACKET_ATOMIC_REPLY;
	fifo_push(&s->atomics, &reply, done);
	slice_profile_executed(s, p, done);
	if (!s->pass)
		keep(s, p, s->acts[1], cycle);
}

/* The requested data is available. */
static void serve(struct slice *s, const struct packet *p, uint64_t cycle)
{
	if (p->walk) {
		slice_walked(s, p, true);
		return;
	}
	if (p->sm == SLICE_ITSELF) {
		slice_profile_served(s, p, cycle);
		slice_lend(s, p);
		return;
	}
	s->promised++;
	slice_profile_served(s, p, cycle);
	if (p->kind == PACKET_ATOMIC)
		execute_atomic(s, p, cycle);
	else
		slice_reply(s, p, PACKET_READ_REPLY, cycle);
}

/* Of `granules` some are valid, some in flight, and all that is `missing` is requested. */
static void count_miss(
	struct slice *s, unsigned granules, unsigned valid, unsigned here, unsigned missing)
{
	unsigned missed = packet_granule_bytes[granules & ~here];

	s->flows.hit += packet_granule_bytes[granules & valid];
	s->flows.merged += packet_granule_bytes[granules & here & ~valid];
	s->flows.missed += missed;
	s->flows.extra += packet_granule_bytes[missing] - missed;
}

/* True when the request can wait for its line, and what is missing can be fetched. */
static bool may_wait(struct slice *s, const struct packet *p, int entry, bool missing)
{
	if (slice_is_away(p))
		return slice_may_ask(s, entry, missing);
	if ((missing && (!may_write(s) || s->fetches == s->p.mshrs)) || !s->nfree ||
		(entry < 0 && !mshr_has_space(s->mshr)))
		return refuse(s);
	return true;
}

/* Makes the request wait for its line, fetching what is neither valid nor in flight. */
static bool wait_for_line(struct slice *s, const struct packet *p, uint8_t valid, uint64_t cycle)
{
	int entry = mshr_find(s->mshr, p->line);
	unsigned all = s->fetched[p->granules];
	unsigned here = valid | (entry < 0 ? 0u : mshr_granules(s->mshr, entry));
	unsigned missing = p->granules & ~here ? s->whole[all & ~here] : 0;
	uint32_t waiter;
	bool waits;

	if (!may_wait(s, p, entry, missing != 0))
		return false;
	count_miss(s, p->granules, valid, here, missing);
	if (!p->walk && p->sm != SLICE_ITSELF)
		slice_profile_looked_up(s, p, valid, cycle);
	s->s.t_requests_merged += entry >= 0;
	if (entry < 0)
		entry = mshr_open(s->mshr, p->line, 0);
	waiter = s->free_waiters[--s->nfree];
	s->waiters[waiter] = *p;
	waits = mshr_wait(s->mshr, entry, waiter);
	BUG_ON(!waits);
	if (missing) {
		mshr_add_granules(s->mshr, entry, (uint8_t)missing);
		fetch(s, p, entry, (uint8_t)missing);
	}
	return true;
}

static void count_lookup(struct slice *s, const struct packet *p, uint8_t valid)
{
	struct launch_lookups *of =
		s->by_launch ? &s->by_launch[p->origin.launch] : &s->unattributed;
	unsigned asked, hits;

	if (p->kind != PACKET_READ)
		return;
	asked = slice_sectors(p->granules);
	hits = asked - slice_sectors(p->granules & ~(unsigned)valid);
	s->s.t_sectors_op_read += asked;
	s->s.t_sectors_op_read_lookup_hit += hits;
	of->sectors += asked;
	of->hits += hits;
}

/* Atomics on a line write their result to DRAM, with the origin of the last one. */
static void write_atomics(struct slice *s, const struct packet *last, unsigned granules)
{
	struct victim written = {
		.line = last->line, .dirty = (uint8_t)granules, .owner = last->origin};

	s->flows.through += packet_granule_bytes[granules];
	write_back(s, &written);
}

static bool cached_access(struct slice *s, const struct packet *p, uint64_t cycle)
{
	struct cache_access a = slice_access(p, cycle, false);
	bool drops = s->ask && p->kind == PACKET_ATOMIC;
	uint8_t valid;

	if (!may_promise(s) || (drops && !slice_peer_has_space(s)))
		return false;
	if (p->kind == PACKET_ATOMIC && s->acts[1] & WRITE_MEMORY && !may_write(s))
		return refuse(s);
	valid = cache_find(s->cache, p->granules, &a);
	if (!(p->granules & ~(unsigned)valid)) {
		count_lookup(s, p, p->granules);
		s->flows.hit += packet_granule_bytes[p->granules];
		if (s->bank_free)
			occupy(s, p->line, p->granules, cycle);
		slice_profile_looked_up(s, p, 0xff, cycle);
		serve(s, p, cycle);
		if (p->kind == PACKET_ATOMIC && s->acts[1] & WRITE_MEMORY)
			write_atomics(s, p, p->granules);
	} else if (wait_for_line(s, p, valid, cycle)) {
		count_lookup(s, p, valid);
	} else {
		return false;
	}
	if (drops)
		slice_drop_copy(s, p);
	return true;
}

static bool cached_write(struct slice *s, const struct packet *p, uint64_t cycle)
{
	unsigned acts = s->acts[1];

	if (s->acts[0] != acts && cache_probe(s->cache, p->line, 0) < 0)
		acts = s->acts[0];
	if (!may_write(s))
		return refuse(s);
	if ((p->wants_ack && !may_promise(s)) || (s->ask && !slice_peer_has_space(s)))
		return false;
	if (s->ask)
		slice_drop_copy(s, p);
	if (acts & (WRITE_DIRTY | WRITE_CLEAN))
		keep(s, p, acts, cycle);
	if (acts & WRITE_MEMORY)
		write_through(s, p);
	if (p->wants_ack) {
		s->promised++;
		slice_reply(s, p, PACKET_WRITE_ACK, cycle);
	}
	return true;
}

static bool passed_read(struct slice *s, const struct packet *p, uint64_t cycle)
{
	if (!dram_has_space(s))
		return false;
	count_lookup(s, p, 0);
	s->flows.missed += packet_granule_bytes[p->granules];
	slice_profile_looked_up(s, p, 0, cycle);
	fifo_push(&s->dram, p, 0);
	return true;
}

/* The acknowledgement, when required, is sent when DRAM has accepted the write. */
static bool passed_write(struct slice *s, const struct packet *p, uint64_t cycle)
{
	(void)cycle;
	if (!may_write(s))
		return refuse(s);
	if (p->wants_ack && !may_promise(s))
		return false;
	s->promised += p->wants_ack;
	s->flows.through += packet_granule_bytes[p->granules];
	slice_profile_passed(s, p, p->granules);
	push_write(s, p);
	return true;
}

static bool passed_atomic(struct slice *s, const struct packet *p, uint64_t cycle)
{
	return may_promise(s) && wait_for_line(s, p, 0, cycle);
}

bool slice_look_up(struct slice *s, const struct packet *p, uint64_t cycle)
{
	typedef bool act_fn(struct slice *, const struct packet *, uint64_t);
	static act_fn *const acts[2][3] = {
		{
			[PACKET_READ] = cached_access,
			[PACKET_WRITE] = cached_write,
			[PACKET_ATOMIC] = cached_access,
		},
		{
			[PACKET_READ] = passed_read,
			[PACKET_WRITE] = passed_write,
			[PACKET_ATOMIC] = passed_atomic,
		},
	};

	BUG_ON(p->kind > PACKET_ATOMIC || !p->granules);
	return acts[s->pass][p->kind](s, p, cycle);
}

bool slice_look_walk_up(struct slice *s, const struct packet *p, uint64_t cycle)
{
	struct cache_access a = slice_access(p, cycle, false);
	uint8_t valid = 0;

	if (s->pass) {
		if (!dram_has_space(s))
			return false;
		s->flows.missed += packet_granule_bytes[p->granules];
		fifo_push(&s->dram, p, 0);
		return true;
	}
	valid = cache_find(s->cache, p->granules, &a);
	if (p->granules & ~(unsigned)valid)
		return wait_for_line(s, p, valid, cycle);
	s->flows.hit += packet_granule_bytes[p->granules];
	slice_walked(s, p, false);
	return true;
}

bool slice_look_asked_up(struct slice *s, const struct packet *p, uint64_t cycle)
{
	struct cache_access a = slice_access(p, cycle, false);
	uint8_t valid = cache_find(s->cache, p->granules, &a);
	unsigned lacks = p->granules & ~(unsigned)valid, sectors = slice_sectors(p->granules);

	if (lacks && !wait_for_line(s, p, valid, cycle))
		return false;
	s->s.t_sectors_srcunit_ltcfabric += sectors;
	s->s.t_sectors_srcunit_ltcfabric_lookup_hit += sectors - slice_sectors(lacks);
	if (lacks)
		return true;
	s->flows.hit += packet_granule_bytes[p->granules];
	if (s->bank_free)
		occupy(s, p->line, p->granules, cycle);
	serve(s, p, cycle);
	return true;
}

/* The requests that waited for a line, in order of arrival: the last atomic, and what all of them
 * wrote. */
struct woken {
	struct slice *slice;
	uint64_t cycle;
	const struct packet *atomic;
	unsigned written, bytes; /* granules; bytes, summed over the atomics */
};

static void wake_waiter(void *ctx, uint64_t waiter)
{
	struct woken *woken = ctx;
	struct slice *s = woken->slice;
	const struct packet *p = &s->waiters[waiter];

	serve(s, p, woken->cycle);
	if (p->kind == PACKET_ATOMIC) {
		woken->atomic = p;
		woken->written |= p->granules;
		woken->bytes += packet_granule_bytes[p->granules];
	}
	s->free_waiters[s->nfree++] = (uint32_t)waiter;
}

static void fill(struct slice *s, const struct packet *p, uint64_t cycle)
{
	struct cache_access a = slice_access(p, cycle, true);
	struct victim victim;
	bool evicted = cache_fill(s->cache, p->granules, &a, &victim);

	if (s->bank_free)
		occupy(s, p->line, p->granules, cycle);
	if (s->bank_free && evicted)
		occupy(s, p->line, victim.dirty, cycle);
	slice_profile_filled(s, p, victim.way);
	if (evicted)
		write_back(s, &victim);
}

void slice_take_fetch(struct slice *s, const struct packet *p, uint64_t cycle)
{
	int entry = (int)p->tag;
	struct woken woken = {.slice = s, .cycle = cycle};

	if (!s->pass)
		fill(s, p, cycle);
	else
		slice_profile_filled(s, p, -1);
	s->fetches--;
	if (--s->fetches_of[entry])
		return;
	mshr_close(s->mshr, entry, wake_waiter, &woken);
	if (!woken.atomic || !(s->pass || s->acts[1] & WRITE_MEMORY))
		return;
	s->flows.joined += woken.bytes - packet_granule_bytes[woken.written];
	write_atomics(s, woken.atomic, woken.written);
}

void slice_each_owner(struct component *c, cache_owner_fn *visit, void *ctx)
{
	cache_each_owner(CONTAINER_OF(c, struct slice, base)->cache, visit, ctx);
}
