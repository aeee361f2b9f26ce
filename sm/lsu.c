/* The load/store unit: memory instructions wait for the tag stage, one line a cycle; misses wait in
 * MSHRs; stores write through without allocating (Gebhart et al., MICRO 2012, 2.1 and 4.1). */
#include "sm/state.h"

uint32_t lsu_op(struct sm *sm, unsigned w, const struct instr *in, unsigned lines, bool has_result)
{
	uint32_t index = sm->op_free;
	struct op *op = &sm->ops[index];
	uint32_t line = sm->slot[w].warp.program->lines[in->line].ptx_line;

	sm->op_free = op->next_free;
	sm->ops_used++;
	*op = (struct op){.instr = in,
		.remaining = (uint16_t)lines,
		.warp = (uint8_t)w,
		.has_result = has_result,
		.ptx_line = (uint16_t)min_u64(line, UINT16_MAX)};
	sm->slot[w].pending++;
	return index;
}

struct lsu_entry *lsu_behind(struct sm *sm)
{
	return &sm->queue[(sm->queue_head + sm->queue_n) % (uint32_t)sm->p.lsu_queue];
}

/* Queues an executed memory instruction; lsu_full returned false. */
const struct lsu_entry *lsu_enter(
	struct sm *sm, unsigned w, const struct instr *in, const struct access *a)
{
	bool has_result = a->action == ACT_LOAD || a->action == ACT_ATOM;
	struct lsu_entry *e = lsu_behind(sm);
	struct slot *slot = &sm->slot[w];

	sm->queue_n++;
	e->n = (uint16_t)coalesce(a, e->lines);
	if (sm->ideal.lines && (a->action == ACT_LOAD || a->action == ACT_STORE))
		e->n = (uint16_t)ideal_lines(sm, w, in, a, e->lines, e->n);
	e->at = 0;
	e->action = a->action;
	e->words = a->vec > 1 || a->bytes > 8 ? a->bytes / 4 : 1;
	for (unsigned i = 0; i < e->n && a->action != ACT_LOAD && a->action != ACT_STORE; i++)
		e->meets[i] = contention_of_line(a, e->lines[i].lanes);
	e->copied = false;
	if (sm->ideal.p.atomics && (a->action == ACT_ATOM || a->action == ACT_RED))
		ideal_atomic(sm, w, in, a, e);
	e->way = l1_way(&sm->l1, a->space == SPACE_LOCAL, a->cache_op, a->bytes);
	e->op = lsu_op(sm, w, in, e->n, has_result);
	e->origin = (struct origin){.instr = (uint32_t)(in - slot->warp.program->code),
		.launch = slot->warp.cta->grid->launch,
		.buffer = image_account(sm->c.image, e->lines[0].line),
		.sm = (uint16_t)sm->c.index};
	sm->l1.s.l1tex__t_requests++;
	profile_entered(sm, e, a->space == SPACE_LOCAL && a->bytes > 4 ? 4 : a->bytes);
	return e;
}

void lsu_line_done(struct sm *sm, uint32_t index, uint64_t ready, uint64_t cycle)
{
	struct op *op = &sm->ops[index];
	struct slot *slot = &sm->slot[op->warp];

	op->ready = max_u64(op->ready, ready);
	if (--op->remaining)
		return;
	slot->pending--;
	if (op->has_result) {
		profile_completed(sm, op, cycle);
		warp_arrived(sm, op->warp, op->instr, op->ready + op->late);
	}
	if (op->copies)
		copies_arrive(sm, op, cycle);
	op->next_free = sm->op_free;
	sm->op_free = index;
	sm->ops_used--;
	if (slot->reason == REASON_LONG_SCOREBOARD || slot->reason == REASON_DRAIN)
		warp_refresh(sm, op->warp, cycle);
}

static inline void make_packet(struct sm *sm, const struct lsu_entry *e, enum packet_kind kind,
	uint8_t granules, struct packet *p)
{
	const struct line_access *l = &e->lines[e->at];
	unsigned lanes = count_bits(l->lanes);
	bool atomic = kind == PACKET_ATOMIC;
	const struct op *op = &sm->ops[e->op];
	uint64_t line = l->line + (atomic && e->copied ? ideal_copy(sm, op->warp) : 0);

	*p = (struct packet){.line = line,
		.origin = e->origin,
		.tag = p->tag,
		.sm = (uint16_t)sm->c.index,
		.kind = (uint8_t)kind,
		.granules = granules,
		.lanes = (uint8_t)(atomic ? lanes * e->words : lanes),
		.warp = op->warp,
		.ptx_line = op->ptx_line,
		.translate = sm->tlb.lacks,
		.deepest = atomic ? e->meets[e->at].deepest : 0,
		.words = atomic ? e->meets[e->at].words : 0};
	sm_route(&sm->c, p);
	profile_sent(sm, p, sim_now(&sm->base) / sm->base.period_ps);
	traffic_count(&sm->flows.sent, p);
	sm->l1.s.l1tex__m_l1tex2xbar_req_packets++;
}

/* The port is not free: the packet waits behind others, if there is a queue. */
static __attribute__((noinline)) enum tag_owner send_later(struct sm *sm, const struct lsu_entry *e,
	enum packet_kind kind, uint8_t granules, uint32_t tag)
{
	struct packet *p = outbox_behind(sm);

	if (!p)
		return TAG_NETWORK;
	p->tag = tag;
	make_packet(sm, e, kind, granules, p);
	outbox_wait(sm);
	return TAG_BUSY;
}

enum tag_owner lsu_send(struct sm *sm, const struct lsu_entry *e, enum packet_kind kind,
	uint8_t granules, uint32_t tag)
{
	struct packet *p;

	if (!link_can_send(sm->request_out))
		return sm->l1.p.miss_queue ? send_later(sm, e, kind, granules, tag) : TAG_NETWORK;
	p = link_slot(sm->request_out);
	p->tag = tag;
	make_packet(sm, e, kind, granules, p);
	link_send(sm->request_out, packet_port_flits(p, &sm->c.request_port));
	return TAG_BUSY;
}

struct cache_access lsu_access(
	const struct sm *sm, const struct lsu_entry *e, uint64_t line, uint64_t cycle)
{
	const struct op *op = &sm->ops[e->op];

	return (struct cache_access){.line = line,
		.cycle = cycle,
		.sm = e->origin.sm,
		.launch = e->origin.launch,
		.ptx_line = op->ptx_line,
		.warp = op->warp,
		.kind = PACKET_READ};
}

struct cache_access lsu_fill_access(const struct packet *p, uint64_t line, uint64_t cycle)
{
	return (struct cache_access){.line = line,
		.cycle = cycle,
		.sm = p->sm,
		.launch = p->origin.launch,
		.ptx_line = p->ptx_line,
		.warp = p->warp,
		.kind = PACKET_READ,
		.fill = true};
}

/* The result of a load's lookup, for the schedulers' policy. */
static inline void tell_policy(struct sm *sm, enum sched_l1 what, const struct cache_access *a)
{
	if (sm->choose->l1)
		sm->choose->l1(sm->policy.self, what, a->warp, a->line, a->cycle);
}

/* A load that missed: joins or opens an MSHR, or adds sectors to one. */
static enum tag_owner miss(struct sm *sm, const struct lsu_entry *e, uint64_t cycle)
{
	const struct line_access *l = &e->lines[e->at];
	int entry = mshr_find(sm->l1.mshr, l->line);

	if (entry >= 0 && !(l->granules & ~mshr_granules(sm->l1.mshr, entry))) {
		if (!mshr_wait_for(sm->l1.mshr, entry, e->op, l->granules))
			return TAG_MSHR;
		sm->l1.s.l1tex__t_lines_load_lookup_merged++;
		profile_missed(sm, e, entry, true);
		sm->flows.merged += packet_granule_bytes[l->granules];
		return TAG_BUSY;
	}
	if (entry >= 0 || !sm->l1.p.whole_line || sm->l1.p.reserve)
		return lsu_miss_sectors(sm, e, entry, cycle);
	if (!mshr_has_space(sm->l1.mshr))
		return TAG_MSHR;
	if (!outbox_open(sm))
		return TAG_NETWORK;
	entry = mshr_open(sm->l1.mshr, l->line, 0xff);
	mshr_wait(sm->l1.mshr, entry, e->op);
	profile_missed(sm, e, entry, false);
	sm->flows.missed += packet_granule_bytes[l->granules];
	sm->flows.filled += LINE_BYTES - packet_granule_bytes[l->granules];
	return lsu_send(sm, e, PACKET_READ, 0xff, (uint32_t)entry);
}

/* The cycle after which a hit's words, looked up in this one, have left the L1. */
static uint64_t moved(struct sm *sm, const struct line_access *l, uint64_t cycle)
{
	unsigned beats = conflicts_beats(sm, conflicts_words(sm, l));

	if (beats == 1 && sm->l1.port_free <= cycle)
		return cycle;
	sm->l1.port_free = max_u64(sm->l1.port_free, cycle) + beats;
	return sm->l1.port_free - 1;
}

/* Lines are written through the banks' only port. */
static bool writes_wait(const struct sm *sm)
{
	return sm->arbiter.one_store && sm->c.banks.one_port;
}

/* A line that is not looked up: each access requests it. */
static enum tag_owner pass_line(struct sm *sm, const struct lsu_entry *e)
{
	const struct line_access *l = &e->lines[e->at];
	uint8_t sent = l1_sectors(&sm->l1, l->granules);

	if (lsu_send(sm, e, PACKET_READ, sent, TAG_OP | e->op) != TAG_BUSY)
		return TAG_NETWORK;
	if (e->way->route == L1_DROPPED)
		cache_invalidate(sm->l1.cache, l->line);
	sm->l1.s.l1tex__t_lines_load_lookup_bypassed += sm->l1.bytes != 0;
	sm->flows.missed += packet_granule_bytes[l->granules];
	sm->flows.filled += packet_granule_bytes[sent] - packet_granule_bytes[l->granules];
	profile_passed(sm);
	return TAG_BUSY;
}

/* The hit's result comes with the banks. */
static void arbiter_hit(struct sm *sm, int way, const struct lsu_entry *e, uint64_t cycle)
{
	sm->ops[e->op].hit_cycles = e->way->hit_cycles;
	arbiter_line(sm, way, e->op, cycle);
}

static enum tag_owner load_line(struct sm *sm, const struct lsu_entry *e, uint64_t cycle)
{
	const struct line_access *l = &e->lines[e->at];
	struct cache_access a = lsu_access(sm, e, l->line, cycle);
	enum tag_owner done = TAG_BUSY;
	int way;

	if (e->way->route != L1_LOOKED_UP) {
		done = pass_line(sm, e);
	} else if (sm->arbiter.one_store && arbiter_full(sm)) {
		done = TAG_BANKS;
	} else if (!sm->tlb.lacks && (way = cache_lookup(sm->l1.cache, l->granules, &a)) >= 0) {
		tell_policy(sm, SCHED_L1_HIT, &a);
		sm->l1.s.l1tex__t_lines_load_lookup_hit++;
		sm->l1.s.l1tex__t_lines_local_load_lookup_hit += e->way->local;
		sm->flows.hit += packet_granule_bytes[l->granules];
		sm->banks.s.bank__words_cache_read += conflicts_words(sm, l);
		profile_hit(sm, e, way);
		if (sm->arbiter.one_store)
			arbiter_hit(sm, way, e, cycle);
		else
			lsu_line_done(
				sm, e->op, moved(sm, l, cycle) + e->way->hit_cycles - 1, cycle);
	} else {
		done = miss(sm, e, cycle);
		if (done == TAG_BUSY)
			tell_policy(sm, SCHED_L1_MISSED, &a);
	}
	if (done != TAG_BUSY)
		return done;
	sm->l1.s.l1tex__t_lines_load++;
	sm->l1.s.l1tex__t_lines_local_load += e->way->local;
	sm->flows.loaded += packet_granule_bytes[l->granules];
	return TAG_BUSY;
}

static void drop_line(struct sm *sm, const struct lsu_entry *e)
{
	if (cache_invalidate(sm->l1.cache, e->lines[e->at].line))
		profile_dropped(sm, e);
}

/* What a store leaves in the L1 that does not only update it: the way that was written, or -1. */
static int keep_stored(struct sm *sm, const struct lsu_entry *e, uint64_t cycle)
{
	const struct line_access *l = &e->lines[e->at];
	struct cache_access a;
	struct victim v;

	if (sm->l1.p.write == L1_WRITES_EVICT && !e->way->local && !sm->ideal.p.kept) {
		drop_line(sm, e);
		return -1;
	}
	if (sm->l1.p.write == L1_WRITES_ALLOCATE && e->way->route == L1_LOOKED_UP &&
		l->bytes == packet_granule_bytes[l->granules]) {
		a = lsu_access(sm, e, l->line, cycle);
		a.kind = PACKET_WRITE;
		cache_update(sm->l1.cache, l->granules, &a, &v);
		if (v.line != CACHE_NO_LINE)
			l1_tell_evicted(sm, cache_probe(sm->l1.cache, l->line, 0), &v, cycle);
	}
	return cache_probe(sm->l1.cache, l->line, l->granules);
}

/* Written through; what stays in the cache is as l1.write says. */
static enum tag_owner store_line(struct sm *sm, const struct lsu_entry *e, uint64_t cycle)
{
	const struct line_access *l = &e->lines[e->at];
	int way;

	if (writes_wait(sm) && arbiter_full(sm))
		return TAG_BANKS;
	if (lsu_send(sm, e, PACKET_WRITE, l->granules, 0) != TAG_BUSY)
		return TAG_NETWORK;
	way = !sm->l1.bytes ? -1
	      : sm->l1.p.write == L1_WRITES_THROUGH
		      ? cache_probe(sm->l1.cache, l->line, l->granules)
		      : keep_stored(sm, e, cycle);
	if (way >= 0)
		sm->banks.s.bank__words_cache_write += conflicts_words(sm, l);
	if (way >= 0 && writes_wait(sm))
		arbiter_line(sm, way, ARBITER_NO_OP, cycle);
	sm->l1.s.l1tex__t_lines_store++;
	sm->flows.stored += packet_granule_bytes[l->granules];
	lsu_line_done(sm, e->op, cycle, cycle);
	return TAG_BUSY;
}

/* Atomics are executed beyond the L1, which must not keep the old line. */
static enum tag_owner atomic_line(struct sm *sm, const struct lsu_entry *e)
{
	const struct line_access *l = &e->lines[e->at];

	if (lsu_send(sm, e, PACKET_ATOMIC, l->granules, TAG_OP | e->op) != TAG_BUSY)
		return TAG_NETWORK;
	if (!sm->ideal.p.kept)
		drop_line(sm, e);
	sm->l1.s.l1tex__t_lines_atomic++;
	sm->flows.changed += packet_granule_bytes[l->granules];
	return TAG_BUSY;
}

static enum tag_owner tag_stage(struct sm *sm, struct lsu_entry *e, uint64_t cycle)
{
	unsigned bytes = e->lines[e->at].bytes;
	enum tag_owner done;

	profile_at(sm, e);
	if (e->way->texels && sm->tex.p.bytes)
		done = texture_cache_line(sm, e, cycle);
	else if (!e->lines[e->at].granules)
		done = ideal_held(sm, e, cycle);
	else if (e->action == ACT_LOAD)
		done = sm->ideal.p.loads ? ideal_load(sm, e, cycle) : load_line(sm, e, cycle);
	else if (e->action == ACT_STORE)
		done = store_line(sm, e, cycle);
	else
		done = atomic_line(sm, e);
	if (done == TAG_BUSY)
		sm->l1.s.l1tex__t_bytes_requested += bytes;
	if (done == TAG_BUSY)
		profile_line(sm, e);
	return done;
}

/* One line through the tag stage, which has one. While it is blocked, a credit or a reply wakes the
 * SM. */
bool lsu_step(struct sm *sm, uint64_t cycle)
{
	struct lsu_entry *e = &sm->queue[sm->queue_head];
	enum tag_owner owner;

	if (sm->tlb.pages)
		sm_tlb_before(sm, e);
	owner = tag_stage(sm, e, cycle);
	if (sm->tlb.pages)
		sm_tlb_after(sm, e, owner == TAG_BUSY);

	stall_set(&sm->l1.tag, cycle, owner);
	if (owner != TAG_BUSY)
		return false;
	if (++e->at == e->n) {
		sm->queue_head = (sm->queue_head + 1) % (uint32_t)sm->p.lsu_queue;
		sm->queue_n--;
		if (sm->texture.half_waits)
			texture_second_half(sm, cycle);
	}
	if (!sm->queue_n)
		stall_set(&sm->l1.tag, cycle + 1, TAG_IDLE);
	return sm->queue_n > 0;
}

/* Counts every cycle before `cycle` under its reason. */
void lsu_close(struct sm *sm, uint64_t cycle)
{
	stall_close(&sm->l1.tag, cycle);
	sm->l1.s.l1tex__cycles_tag_busy =
		sm->l1.tag.cycles[TAG_BUSY] + sm->l1.tag.cycles[TAG_BANKS];
	sm->l1.s.l1tex__cycles_tag_stalled_mshr = sm->l1.tag.cycles[TAG_MSHR];
	sm->l1.s.l1tex__cycles_tag_stalled_network = sm->l1.tag.cycles[TAG_NETWORK];
	sm->l1.s.l1tex__cycles_tag_stalled_way = sm->l1.tag.cycles[TAG_WAY];
}

struct wake {
	struct sm *sm;
	uint64_t ready, cycle;
};

static void wake_op(void *ctx, uint64_t op)
{
	const struct wake *k = ctx;

	lsu_line_done(k->sm, (uint32_t)op, k->ready, k->cycle);
}

/* Notifies the schedulers' policy which warp filled the line, and whose line was evicted for it. */
static void tell_filled(struct sm *sm, const struct cache_access *a, const struct victim *v)
{
	int way = cache_probe(sm->l1.cache, a->line, 0);

	if (way < 0)
		return;
	l1_tell_evicted(sm, way, v, a->cycle);
	sm->l1.fillers[way] = a->warp;
	tell_policy(sm, SCHED_L1_FILLED, a);
}

/* The line that came for an MSHR enters the cache. */
static void fill_line(struct sm *sm, const struct packet *p, uint64_t cycle)
{
	struct cache_access a = lsu_fill_access(p, p->line, cycle);
	struct victim v;
	int way;

	cache_fill(sm->l1.cache, p->granules, &a, &v);
	if (sm->choose->l1)
		tell_filled(sm, &a, &v);
	profile_filled(sm, p, v.way);
	sm->banks.s.bank__words_cache_write += conflicts_words_filled(sm, p->granules);
	if (!writes_wait(sm))
		return;
	way = cache_probe(sm->l1.cache, p->line, p->granules);
	if (way >= 0)
		arbiter_line(sm, way, ARBITER_NO_OP, cycle);
}

/* Cycles from the arrival of a packet's first flit to that of its last: flits follow in cycles of
 * the network. */
static unsigned cycles_behind(const struct sm *sm, const struct packet *p)
{
	unsigned flits = packet_port_flits(p, &sm->c.reply_port) - 1;

	if (sm->c.whole_replies)
		return 0;
	if (sm->c.flit_ps == sm->base.period_ps)
		return flits;
	return (unsigned)div_up((uint64_t)flits * sm->c.flit_ps, sm->base.period_ps);
}

/* Takes all replies that have arrived: the data are complete with the packet's last flit. */
void lsu_replies(struct sm *sm, uint64_t cycle)
{
	const struct packet *p;

	while ((p = link_peek(sm->reply_in))) {
		struct wake k = {.sm = sm, .ready = cycle + cycles_behind(sm, p), .cycle = cycle};

		if (writes_wait(sm) && arbiter_full(sm))
			break;
		profile_reply(sm, p, cycle);
		if (p->kind == PACKET_READ_REPLY)
			sm->l1.s.l1tex__m_xbar2l1tex_read_bytes +=
				packet_granule_bytes[p->granules];
		traffic_count(&sm->flows.got, p);
		if (p->translate)
			sm_tlb_replied(sm, p);
		if (p->tag & TAG_OP) {
			lsu_line_done(sm, p->tag & ~TAG_OP, k.ready, cycle);
		} else if (p->tag & TAG_TEXELS) {
			k.ready += sm->tex.p.pass_cycles;
			texture_cache_reply(sm, p, cycle, wake_op, &k);
		} else if (p->tag & TAG_FETCH) {
			fetch_arrived(sm, p, k.ready, cycle);
		} else {
			k.ready += sm->l1.p.pass_cycles;
			fill_line(sm, p, cycle);
			mshr_arrived(sm->l1.mshr, (int)p->tag, p->granules, wake_op, &k);
			if (sm->l1.p.reserve && mshr_find(sm->l1.mshr, p->line) < 0)
				cache_release(sm->l1.cache, p->line);
		}
		profile_replied(sm);
		link_pop(sm->reply_in);
	}
}
