/* An L2 slice: a pipeline of requests with the tag lookup at its end, fetches, write-backs,
 * replies.
 *
 * Unloaded latency of a request visible on "request" in cycle t, with h = hit_cycles (0 without a
 * cache):
 *	hit                    the reply leaves in t + h
 *	miss                   the fetch leaves in t + h; when it returns in u, the reply leaves
 *	                       in u
 *	pass-through           the read leaves in t; when it returns in u, the reply leaves in u
 *	acknowledged write     the ack leaves in t + h, passed through: when the write leaves
 *	atomic of n lanes, at  the reply leaves 1 + max(ceil(n / atomics_per_cycle) - 1,
 *	most d on one word     (d - 1) * atomic_address_cycles) + atomic_cycles later than a read's
 * One request enters and one is looked up per cycle; the lookup is in order. Packets to DRAM and
 * fetches from it are limited by their links alone, replies occupy their port by flits. With
 * bank_cycles, the next request to be looked up and the oldest returned fetch wait until their
 * line's bank is free; the fetch has priority. */
#include "mem/slice_state.h"

#include <inttypes.h>
#include <string.h>

TABLES(slice, SLICE_PARAMS, SLICE_STATS);

/* Replies of completed atomics. */
static void finish_atomics(struct slice *s, uint64_t cycle)
{
	struct fifo_slot *slot;

	while ((slot = fifo_front(&s->atomics)) && slot->at <= cycle) {
		fifo_push(&s->ready, &slot->packet, cycle);
		fifo_pop(&s->atomics);
	}
}

static void count_to_dram(struct slice *s, const struct packet *p)
{
	unsigned bytes = packet_granule_bytes[p->granules];

	traffic_count(&s->flows.to_dram, p);
	if (p->kind == PACKET_READ) {
		s->s.dram_reads++;
		s->s.dram_read_bytes += bytes;
	} else {
		s->evicting--;
		s->s.dram_writes++;
		s->s.dram_write_bytes += bytes;
	}
}

/* Only a write that passes through is still to be
 * acknowledged. */
void slice_drain_dram(struct slice *s, uint64_t cycle)
{
	struct fifo_slot *slot;

	while ((slot = fifo_front(&s->dram)) && link_can_send(s->dram_out)) {
		const struct packet *p = &slot->packet;

		*(struct packet *)link_slot(s->dram_out) = *p;
		link_send(s->dram_out, 0);
		count_to_dram(s, p);
		if (p->kind == PACKET_WRITE && p->wants_ack)
			slice_reply(s, p, PACKET_WRITE_ACK, cycle);
		fifo_pop(&s->dram);
	}
}

static void drain_replies(struct slice *s)
{
	struct fifo_slot *slot;

	while ((slot = fifo_front(&s->ready)) && link_can_send(s->reply)) {
		*(struct packet *)link_slot(s->reply) = slot->packet;
		link_send(s->reply, s->free_port ? 0 : packet_port_flits(&slot->packet, &s->port));
		traffic_count(&s->flows.replied, &slot->packet);
		fifo_pop(&s->ready);
		s->promised--;
		s->s.replies_sent++;
	}
}

/* Fills whose bank is free, in order. */
static void write_fills(struct slice *s, uint64_t cycle)
{
	struct fifo_slot *slot;

	while ((slot = fifo_front(&s->fills)) && slice_bank_free(s, slot->packet.line) <= cycle) {
		s->s.fill_wait_cycles += cycle - slot->at;
		slice_take_fetch(s, &slot->packet, cycle);
		fifo_pop(&s->fills);
	}
}

bool slice_take_back(struct slice *s, const struct packet *p, uint64_t cycle)
{
	if (!s->bank_free) {
		slice_take_fetch(s, p, cycle);
		return true;
	}
	if (fifo_count(&s->fills) == s->p.fill_queue)
		return false;
	fifo_push(&s->fills, p, cycle);
	write_fills(s, cycle);
	return true;
}

/* The reply to a read that passed through waits only for earlier replies, hence for the reply link
 * alone: not for queue entries promised to requests that may wait for DRAM. */
static bool pass_back(struct slice *s, const struct packet *p, uint64_t cycle)
{
	if (p->walk)
		return slice_walk_back(s, p);
	drain_replies(s);
	if (fifo_count(&s->ready))
		return false;
	s->promised++;
	slice_profile_filled(s, p, -1);
	slice_profile_served(s, p, cycle);
	slice_reply(s, p, PACKET_READ_REPLY, cycle);
	return true;
}

/* Without bank limits, fetched data is always taken. */
static void take_from_dram(struct slice *s, uint64_t cycle)
{
	const struct packet *p;

	if (s->bank_free)
		write_fills(s, cycle);
	while ((p = link_peek(s->dram_in))) {
		if (p->sm != SLICE_ITSELF) {
			if (!pass_back(s, p, cycle))
				return;
		} else if (!slice_take_back(s, p, cycle)) {
			return;
		}
		traffic_count(&s->flows.from_dram, p);
		link_pop(s->dram_in);
	}
}

/* True when the bank is free for the request that is to be looked up. */
static bool bank_lets_pass(struct slice *s, uint64_t line, uint64_t cycle)
{
	if (slice_bank_free(s, line) > cycle) {
		s->conflict_since = min_u64(s->conflict_since, cycle);
		return false;
	}
	if (s->conflict_since != UINT64_MAX)
		s->s.bank_conflict_cycles += cycle - s->conflict_since;
	s->conflict_since = UINT64_MAX;
	return true;
}

/* True when the oldest request leaves the pipeline. */
static bool pipe_look_up(struct slice *s, uint64_t cycle)
{
	struct fifo_slot *slot = fifo_front(&s->pipe);

	if (!slot || slot->at > cycle)
		return false;
	if (s->bank_free && !bank_lets_pass(s, slot->packet.line, cycle))
		return false;
	if (!slice_look_up(s, &slot->packet, cycle)) {
		s->stalled_since = min_u64(s->stalled_since, cycle);
		return false;
	}
	if (s->stalled_since != UINT64_MAX)
		s->s.stall_cycles += cycle - s->stalled_since;
	s->stalled_since = UINT64_MAX;
	fifo_pop(&s->pipe);
	return true;
}

/* At most one request a cycle, the peer's in turns with the others. */
static void look_up(struct slice *s, uint64_t cycle)
{
	bool peer =
		s->asked && !s->peer_last && s->looked != cycle + 1 && slice_peer_look_up(s, cycle);

	if (s->looked == cycle + 1)
		return;
	if (!peer && !pipe_look_up(s, cycle)) {
		peer = s->asked && s->peer_last && slice_peer_look_up(s, cycle);
		if (!peer)
			return;
	}
	s->peer_last = peer;
	s->looked = cycle + 1;
}

/* At most one request enters it. A request with hit_cycles + 1 others ahead waits in the network.
 */
static void take_request(struct slice *s, uint64_t cycle)
{
	const struct packet *p = link_peek(s->request);

	if (!p || s->took == cycle + 1 || fifo_count(&s->pipe) > s->pipe_cycles)
		return;
	s->s.t_requests_op_read += p->kind == PACKET_READ;
	s->s.t_requests_op_write += p->kind == PACKET_WRITE;
	s->s.t_requests_op_atom += p->kind == PACKET_ATOMIC;
	s->flows.acks += p->wants_ack;
	traffic_count(&s->flows.taken, p);
	slice_profile_taken(s, p, cycle);
	fifo_push(&s->pipe, p, cycle + s->pipe_cycles);
	link_pop(s->request);
	s->took = cycle + 1;
}

/* The same, of requests and fills that wait for a bank, or for the peer's turn after that. */
static uint64_t next_bank(const struct slice *s, uint64_t cycle)
{
	const struct fifo_slot *fill = fifo_front(&s->fills), *slot = fifo_front(&s->pipe);
	uint64_t wake = fill ? slice_bank_free(s, fill->packet.line) : UINT64_MAX;

	if (s->conflict_since == UINT64_MAX)
		return wake;
	return min_u64(wake, max_u64(slice_bank_free(s, slot->packet.line), cycle + 1));
}

/* The next cycle in which time alone enables progress. Everything else waits for a credit or a
 * message. */
static uint64_t next_cycle(const struct slice *s, uint64_t cycle)
{
	const struct fifo_slot *slot = fifo_front(&s->atomics);
	uint64_t wake = slot ? slot->at : UINT64_MAX;

	slot = fifo_front(&s->pipe);
	if (slot && (slot->at > cycle || s->looked == cycle + 1))
		wake = min_u64(wake, max_u64(slot->at, cycle + 1));
	if (s->bank_free)
		wake = min_u64(wake, next_bank(s, cycle));
	if (s->asked)
		wake = min_u64(wake, slice_peer_next(s, cycle));
	if (s->took == cycle + 1 && link_peek(s->request))
		wake = cycle + 1;
	return wake;
}

/* Outputs free queue entries before the lookup, so that a lookup that stalls would stall again; the
 * second lookup is for a pipeline of no cycles. */
static enum step slice_step(struct component *c, uint64_t cycle)
{
	struct slice *s = CONTAINER_OF(c, struct slice, base);
	uint64_t wake;

	finish_atomics(s, cycle);
	take_from_dram(s, cycle);
	if (s->ask)
		slice_take_loans(s, cycle);
	slice_drain_dram(s, cycle);
	drain_replies(s);
	if (s->walk_in)
		slice_walks(s, cycle);
	if (s->ask)
		slice_send_loans(s);
	look_up(s, cycle);
	take_request(s, cycle);
	look_up(s, cycle);
	slice_drain_dram(s, cycle);
	drain_replies(s);
	if (s->ask)
		slice_send_loans(s);
	wake = next_cycle(s, cycle);
	if (wake != UINT64_MAX)
		wake_at(c, wake);
	return STEP_SLEEP;
}

static bool slice_busy(const struct component *c)
{
	const struct slice *s = CONTAINER_OF(c, const struct slice, base);

	return fifo_count(&s->pipe) || fifo_count(&s->dram) || mshr_used(s->mshr) || s->promised ||
	       link_peek(s->request) || slice_walks_busy(s) || slice_peer_busy(s);
}

static void slice_stuck(const struct component *c, struct text *text)
{
	const struct slice *s = CONTAINER_OF(c, const struct slice, base);

	text_add(text, "  requests in the pipeline: %u", fifo_count(&s->pipe));
	if (s->stalled_since != UINT64_MAX)
		text_add(text, ", stalled since cycle %" PRIu64, s->stalled_since);
	text_add(text, "\n  outstanding lines: %u, waiting requests: %u, fetches in flight: %u\n",
		mshr_used(s->mshr), (unsigned)s->p.merges - s->nfree, s->fetches);
	text_add(text, "  queued for DRAM: %u (writes: %u), for the reply network: %u\n",
		fifo_count(&s->dram), s->evicting, fifo_count(&s->ready));
	if (s->walk_in)
		text_add(text, "  walks' reads that wait: %u, entries to return: %u\n",
			link_held(s->walk_in), fifo_count(&s->entries));
	if (s->ask)
		slice_peer_stuck(s, text);
	if (fifo_count(&s->fills))
		text_add(text, "  returned fetches that wait for their bank: %u\n",
			fifo_count(&s->fills));
}

const struct plugin mem_slice = {
	.kind = "component",
	.name = "l2_slice",
	.text = "An L2 slice, or none: requests pass through to DRAM.",
	.path = "l2",
	.size = sizeof(struct slice),
	.params = slice_params,
	.nparams = ARRAY_LEN(slice_params),
	.stats = slice_stats,
	.nstats = ARRAY_LEN(slice_stats),
};

/* What a slice is made from. */
struct slice_building {
	struct config *config;
	struct arena *arena;
	struct err *err;
};

static void check_sizes(const struct slice *s, struct err *err)
{
	uint64_t sets = s->p.bytes / (s->p.ways * LINE_BYTES);

	if (s->p.bytes % (s->p.ways * LINE_BYTES))
		err_add(err, ERR_INPUT,
			"l2.bytes = %" PRIu64 ": must be a multiple of %" PRIu64
			" ways of %u bytes",
			s->p.bytes, s->p.ways, LINE_BYTES);
	if (s->p.bank_cycles && sets % s->p.banks)
		err_add(err, ERR_INPUT,
			"l2.banks = %" PRIu64 ": must divide the %" PRIu64 " sets of a slice",
			s->p.banks, sets);
	if (s->p.sector_bytes & (s->p.sector_bytes - 1))
		err_add(err, ERR_INPUT,
			"l2.sector_bytes = %" PRIu64
			": must be a power of two that divides a line of %u bytes",
			s->p.sector_bytes, LINE_BYTES);
	if (s->p.fetch_bytes & (s->p.fetch_bytes - 1))
		err_add(err, ERR_INPUT,
			"l2.fetch_bytes = %" PRIu64 ": must be a power of two, at most %u bytes",
			s->p.fetch_bytes, LINE_BYTES);
}

/* False, and a message, when there is no such policy. */
static bool choose(struct slice *s, struct policy *policy, const struct policy_scope *scope,
	const char *name, struct slice_building *b)
{
	if (policy_choose(policy, scope, name, b->config, b->arena, b->err))
		return false;
	component_policy(&s->base, policy);
	return true;
}

static void make_cache(struct slice *s, const struct slice_config *slice, struct slice_building *b)
{
	static const struct policy_scope replacement = {"replacement", "l2", "replacement", "lts"};
	static const struct policy_scope hash = {"hash", "l2", "set_hash", "lts"};
	struct cache_config cache = {
		.bytes = s->p.bytes,
		.ways = (unsigned)s->p.ways,
		.replacement = &s->replacement,
		.seed = slice->index,
		.interleave = slice->interleave,
		.block = slice->block,
		.hash = &s->hash,
	};

	check_sizes(s, b->err);
	choose(s, &s->hash, &hash, s->p.set_hash, b);
	if (!replace_choose(&s->replacement, &replacement, s->p.replacement,
		    &(struct replace_cache){cache.ways, b->config, b->arena}, b->err)) {
		component_policy(&s->base, &s->replacement);
		s->cache = cache_new(&cache, b->arena);
	}
	s->conflict_since = UINT64_MAX;
	if (s->p.bank_cycles && !s->pass)
		s->bank_free = arena_alloc(b->arena, s->p.banks, sizeof(*s->bank_free));
}

/* The effects of writes. */
static void make_writes(struct slice *s, struct slice_building *b)
{
	static const struct policy_scope scope = {"write policy", "l2", "write_policy", "lts"};
	const struct write_ops *ops;

	if (!choose(s, &s->write, &scope, s->p.write_policy, b))
		return;
	ops = s->write.ops;
	for (unsigned present = 0; present < 2; present++) {
		s->acts[present] =
			(uint8_t)ops->choose(s->write.self, present, s->p.write_allocate);
		BUG_ON(!s->acts[present]);
		BUG_ON(s->acts[present] & WRITE_DIRTY && s->acts[present] != WRITE_DIRTY);
	}
	BUG_ON((s->acts[0] | s->acts[1]) & WRITE_DIRTY && (s->acts[0] | s->acts[1]) & WRITE_CLEAN);
}

static void declare_ports(struct slice *s)
{
	struct component *c = &s->base;

	port_declare(c, PORT_IN, "request", 0, &packet_type, &s->request, false);
	port_declare(c, PORT_OUT, "reply", 0, &packet_type, &s->reply, false);
	port_declare(c, PORT_OUT, "dram_out", 0, &packet_type, &s->dram_out, false);
	port_declare(c, PORT_IN, "dram_in", 0, &packet_type, &s->dram_in, false);
}

/* Queue capacities as in slice_state.h. */
static void make_queues(struct slice *s, struct arena *arena)
{
	unsigned mshrs = (unsigned)s->p.mshrs, merges = (unsigned)s->p.merges;
	unsigned replies = merges + (unsigned)s->p.replies;

	fifo_init(&s->pipe, s->pipe_cycles + 1, arena);
	fifo_init(&s->dram, (unsigned)s->p.dram_queue + mshrs, arena);
	fifo_init(&s->fills, (unsigned)s->p.fill_queue, arena);
	fifo_init(&s->atomics, replies, arena);
	fifo_init(&s->ready, replies + 1, arena);
	s->mshr = mshr_new(mshrs, merges, arena);
	s->warm = arena_alloc(arena, mshrs, sizeof(*s->warm));
	s->fetches_of = arena_alloc(arena, mshrs, sizeof(*s->fetches_of));
	s->waiters = arena_alloc(arena, merges, sizeof(*s->waiters));
	s->free_waiters = arena_alloc(arena, merges, sizeof(*s->free_waiters));
	for (; s->nfree < merges; s->nfree++)
		s->free_waiters[s->nfree] = merges - 1 - s->nfree;
}

struct component *slice_new(struct partition *part, const struct slice_config *slice,
	struct config *config, struct arena *arena, struct err *err)
{
	static const struct component_ops ops = {.step = slice_step,
		.busy = slice_busy,
		.stuck = slice_stuck,
		.state = slice_state,
		.probe = &slice_probe};
	struct slice *s = arena_alloc(arena, 1, sizeof(*s));
	struct slice_building b = {config, arena, err};

	config_load(config, "l2", slice_params, ARRAY_LEN(slice_params), s, err);
	component_init(&s->base, part, &ops, &mem_slice, slice->name, slice->period_ps);
	s->pass = s->p.bytes == 0;
	s->free_port = slice->free_port;
	s->port = slice->port.bytes ? slice->port : packet_port_plain();
	s->pipe_cycles = s->pass ? 0 : (unsigned)s->p.hit_cycles;
	s->stalled_since = UINT64_MAX;
	make_cache(s, slice, &b);
	make_writes(s, &b);
	slice_set_whole(s);
	make_queues(s, arena);
	declare_ports(s);
	slice_walks_init(s, slice->walks, arena);
	slice_peer_init(s, slice->copies, arena, err);
	return &s->base;
}

bool slice_caches(struct config *config)
{
	struct slice s = {0};

	return config_peek(config, "l2", slice_params, ARRAY_LEN(slice_params), &s, NULL) == 0 &&
	       s.p.bytes;
}

unsigned slice_latency_cycles(const struct component *c)
{
	return CONTAINER_OF(c, const struct slice, base)->pipe_cycles;
}

uint64_t slice_bytes(const struct component *c)
{
	return CONTAINER_OF(c, const struct slice, base)->p.bytes;
}

void slice_counts(const struct component *c, struct slice_counts *counts)
{
	const struct slice *s = CONTAINER_OF(c, const struct slice, base);

	*counts = (struct slice_counts){
		.reads = s->s.t_requests_op_read,
		.writes = s->s.t_requests_op_write,
		.atomics = s->s.t_requests_op_atom,
		.sectors_read = s->s.t_sectors_op_read,
		.sectors_hit = s->s.t_sectors_op_read_lookup_hit,
		.fills = s->s.dram_reads,
		.writebacks = s->s.dram_writes,
		.fill_bytes = s->s.dram_read_bytes,
		.writeback_bytes = s->s.dram_write_bytes,
		.flushed_bytes = s->s.flushed_bytes,
	};
}

void slice_count_into(struct component *c, struct launch_lookups *by_launch)
{
	CONTAINER_OF(c, struct slice, base)->by_launch = by_launch;
}
