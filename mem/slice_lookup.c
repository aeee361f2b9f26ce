/* What an L2 slice does with a request at the end of its pipeline, and with a fetch that came back.
 *
 * Write-back, write-allocate without fetch: written granules become valid and dirty by themselves.
 * A granule of 16 bytes that is written in part counts as wholly valid. A dirty victim goes to DRAM
 * in the name of its last writer. Atomics need their granules valid, then make them dirty. Without
 * a cache reads and writes pass through; atomics read at DRAM, execute here and write, all that
 * wait for one line in one go: one write of what they touched, in the name of the last. */
#include "mem/slice_state.h"

void slice_reply(
	struct slice *s, const struct packet *request, enum packet_kind kind, uint64_t cycle)
{
	struct packet reply = *request;

	reply.kind = (uint8_t)kind;
	fifo_push(&s->ready, &reply, cycle);
}

static bool dram_has_room(const struct slice *s)
{
	return fifo_count(&s->dram) < s->p.dram_queue;
}

static bool may_promise(const struct slice *s)
{
	return s->promised < s->p.replies;
}

static void write_back(struct slice *s, const struct victim *v)
{
	struct packet p = {
		.line = v->line,
		.origin = v->owner,
		.sm = SLICE_ITSELF,
		.kind = PACKET_WRITE,
		.granules = v->dirty,
	};

	if (s->profile)
		p.tag = slice_profile_leaves(s, v);
	fifo_push(&s->dram, &p, 0);
}

static void fetch(struct slice *s, const struct packet *request, int entry, uint8_t granules)
{
	struct packet p = *request;

	p.kind = PACKET_READ;
	p.granules = granules;
	p.sm = SLICE_ITSELF;
	p.tag = (uint32_t)entry;
	p.wants_ack = false;
	fifo_push(&s->dram, &p, 0);
	s->fetches_of[entry]++;
	s->fetches++;
}

/* The reply leaves when the lanes have had their turns in the atomic unit. */
static void execute_atomic(struct slice *s, const struct packet *p, uint64_t cycle)
{
	uint64_t start = max_u64(cycle, s->atomics_free), lanes = p->lanes ? p->lanes : 1;
	struct packet reply = *p;
	struct victim victim;

	s->atomics_free = start + div_up(lanes, s->p.atomics_per_cycle);
	reply.kind = PACKET_ATOMIC_REPLY;
	fifo_push(&s->atomics, &reply, s->atomics_free);
	if (s->profile)
		slice_profile_executed(s, p, s->atomics_free);
	if (!s->pass) {
		bool evicted = cache_write(s->cache, p->line, p->granules, &p->origin, &victim);

		BUG_ON(evicted);
		if (s->profile)
			slice_profile_written(s, p);
	}
}

/* What is asked for is there. */
static void answer(struct slice *s, const struct packet *p, uint64_t cycle)
{
	s->promised++;
	if (s->profile)
		slice_profile_answered(s, p, cycle);
	if (p->kind == PACKET_ATOMIC)
		execute_atomic(s, p, cycle);
	else
		slice_reply(s, p, PACKET_READ_REPLY, cycle);
}

/* Which granules of the line are valid. */
static uint8_t valid_granules(const struct slice *s, uint64_t line)
{
	unsigned valid = 0;

	if (cache_probe(s->cache, line, 0) < 0)
		return 0;
	for (unsigned g = 0; g < 8; g++) {
		if (cache_probe(s->cache, line, (uint8_t)(1u << g)) >= 0)
			valid |= 1u << g;
	}
	return (uint8_t)valid;
}

/* Lets the request wait for its line, fetching what is neither here nor on its way. */
static bool wait_for_line(struct slice *s, const struct packet *p, uint8_t valid, uint64_t cycle)
{
	int entry = mshr_find(s->mshr, p->line);
	unsigned all = s->p.fill_line && !s->pass ? 0xff : p->granules;
	unsigned here = valid | (entry < 0 ? 0u : mshr_granules(s->mshr, entry));
	unsigned missing = p->granules & ~here ? all & ~here : 0;
	uint32_t waiter;
	bool waits;

	if ((missing && (!dram_has_room(s) || s->fetches == s->p.mshrs)) || !s->nfree ||
		(entry < 0 && !mshr_has_room(s->mshr))) {
		link_await(s->dram_in);
		return false;
	}
	if (s->profile)
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

/* Sectors of 32 bytes that have any of these granules. */
static unsigned sectors(unsigned granules)
{
	return count_bits((granules | granules >> 1) & 0x55);
}

static void count_lookup(struct slice *s, const struct packet *p, uint8_t valid)
{
	struct launch_lookups *of = s->by_launch ? &s->by_launch[p->origin.launch] : &s->nobody;
	unsigned asked, hits;

	if (p->kind != PACKET_READ)
		return;
	asked = sectors(p->granules);
	hits = asked - sectors(p->granules & ~(unsigned)valid);
	s->s.t_sectors_op_read += asked;
	s->s.t_sectors_op_read_lookup_hit += hits;
	of->sectors += asked;
	of->hits += hits;
}

static bool cached_access(struct slice *s, const struct packet *p, uint64_t cycle)
{
	uint8_t valid;

	if (!may_promise(s))
		return false;
	if (cache_lookup(s->cache, p->line, p->granules) >= 0) {
		count_lookup(s, p, p->granules);
		if (s->profile)
			slice_profile_looked_up(s, p, 0xff, cycle);
		answer(s, p, cycle);
		return true;
	}
	valid = valid_granules(s, p->line);
	if (!wait_for_line(s, p, valid, cycle))
		return false;
	count_lookup(s, p, valid);
	return true;
}

static bool cached_write(struct slice *s, const struct packet *p, uint64_t cycle)
{
	struct victim victim;
	bool evicted;

	if (!dram_has_room(s) || (p->wants_ack && !may_promise(s)))
		return false;
	evicted = cache_write(s->cache, p->line, p->granules, &p->origin, &victim);
	if (s->profile)
		slice_profile_written(s, p);
	if (evicted)
		write_back(s, &victim);
	if (p->wants_ack) {
		s->promised++;
		slice_reply(s, p, PACKET_WRITE_ACK, cycle);
	}
	return true;
}

static bool passed_read(struct slice *s, const struct packet *p, uint64_t cycle)
{
	if (!dram_has_room(s))
		return false;
	count_lookup(s, p, 0);
	if (s->profile)
		slice_profile_looked_up(s, p, 0, cycle);
	fifo_push(&s->dram, p, 0);
	return true;
}

/* The acknowledgement, when one is asked for, is sent when DRAM has taken the write. */
static bool passed_write(struct slice *s, const struct packet *p, uint64_t cycle)
{
	(void)cycle;
	if (!dram_has_room(s) || (p->wants_ack && !may_promise(s)))
		return false;
	s->promised += p->wants_ack;
	if (s->profile)
		slice_profile_passed(s, p);
	fifo_push(&s->dram, p, 0);
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

/* Those who waited for a line, in order of arrival. */
struct woken {
	struct slice *slice;
	uint64_t cycle;
	const struct packet *last;
};

static void wake_waiter(void *ctx, uint64_t waiter)
{
	struct woken *woken = ctx;
	struct slice *s = woken->slice;

	woken->last = &s->waiters[waiter];
	answer(s, woken->last, woken->cycle);
	s->free_waiters[s->nfree++] = (uint32_t)waiter;
}

void slice_take_fetch(struct slice *s, const struct packet *p, uint64_t cycle)
{
	int entry = (int)p->tag;
	uint8_t granules = mshr_granules(s->mshr, entry);
	struct woken woken = {.slice = s, .cycle = cycle};
	struct victim victim;
	bool evicted = !s->pass && cache_fill(s->cache, p->line, p->granules, &victim);

	if (s->profile)
		slice_profile_filled(s, p);
	if (evicted)
		write_back(s, &victim);
	s->fetches--;
	if (--s->fetches_of[entry])
		return;
	mshr_close(s->mshr, entry, wake_waiter, &woken);
	if (s->pass) {
		victim = (struct victim){p->line, granules, woken.last->origin};
		write_back(s, &victim);
	}
}
