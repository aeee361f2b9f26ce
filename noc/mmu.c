/* The translation unit: the L2 TLB, and the packets that wait for their translations.
 *
 * A packet to translate that is visible on "in" in cycle t, with l = l2_cycles, w = walk_cycles:
 *	its page is in the L2 TLB            it leaves in t + l
 *	its entry is in the L2 cache         in t + l + w, of which the links to the slice and back
 *	                                     take two windows
 *	its entry comes from DRAM            upper_cycles, and what DRAM adds to a read, later
 *	its window is not the active one     switch_cycles later
 *	its page is being walked             with that walk's end, in t + l at the earliest
 *	w = 0: walks read nothing            in t + l
 * Others leave in t. What leaves is visible to the network a cycle later. */
#include "noc/mmu_state.h"

#include <inttypes.h>

static const struct stat_def mmu_stats[] = {
#define MMU_STAT(T, kind_, field, unit_, text_) STAT_ROW(mmu, kind_, field, unit_, text_)
	MMU_STATS(MMU_STAT, mmu)};

void mmu_list_add(struct mmu *m, struct mmu_list *l, uint32_t i)
{
	m->pool[i].next = MMU_NONE;
	if (l->first == MMU_NONE)
		l->first = i;
	else
		m->pool[l->last].next = i;
	l->last = i;
}

static uint32_t take_first(struct mmu *m, struct mmu_list *l)
{
	uint32_t i = l->first;

	l->first = m->pool[i].next;
	return i;
}

/* Behind the port's packets that may leave no later. */
void mmu_leave_at(struct mmu *m, uint32_t i, uint64_t at)
{
	struct mmu_list *l = &m->leaving[m->pool[i].port];
	uint32_t *link = &l->first;

	m->pool[i].at = at;
	if (l->first == MMU_NONE || m->pool[l->last].at <= at) {
		mmu_list_add(m, l, i);
		return;
	}
	while (m->pool[*link].at <= at)
		link = &m->pool[*link].next;
	m->pool[i].next = *link;
	*link = i;
}

/* The SMs' cycles in a number of its own. */
static uint64_t sm_cycles(const struct mmu *m, uint64_t cycles)
{
	return cycles * m->base.period_ps / m->c.sm_ps;
}

static void note_wait(struct mmu *m, const struct packet *p, uint64_t cycles)
{
	m->s.wait_cycles += cycles;
	if (m->profile && p->origin.trip)
		m->profile->trips[p->origin.sm][p->origin.trip].translated = sm_cycles(m, cycles);
}

/* Packets of the port whose time has come. True if any left. */
static bool let_leave(struct mmu *m, unsigned port, uint64_t cycle)
{
	struct mmu_list *l = &m->leaving[port];
	bool left = false;

	while (l->first != MMU_NONE && m->pool[l->first].at <= cycle &&
		link_can_send(m->out[port])) {
		uint32_t i = take_first(m, l);

		*(struct packet *)link_slot(m->out[port]) = m->pool[i].packet;
		link_send(m->out[port], 0);
		note_wait(m, &m->pool[i].packet, cycle - m->pool[i].came);
		mmu_list_add(m, &m->unused, i);
		m->nwaiting--;
		m->left++;
		left = true;
	}
	return left;
}

/* A launch that is newer than all before it finds an empty TLB, as it does in the SMs. */
static void note_launch(struct mmu *m, const struct packet *p)
{
	uint64_t launch = (*m->c.numbers)[p->origin.launch] + 1;

	if (launch <= m->newest_launch || !m->c.invalidates)
		return;
	m->newest_launch = launch;
	tlb_empty(m->tlb);
	m->window = MMU_NEVER;
}

static bool is_full(const struct mmu *m, const struct packet *p)
{
	uint64_t page = mmu_page(m, p->line);

	if (m->nwaiting == m->settings->p.requests)
		return true;
	return m->nwalks == m->settings->p.walks && !tlb_holds(m->tlb, page) &&
	       !mmu_walk_find(m, page);
}

/* Looks the packet's page up; it waits from now on. */
static void take(struct mmu *m, unsigned port, const struct packet *p, uint64_t cycle)
{
	uint64_t page = mmu_page(m, p->line);
	uint32_t i = take_first(m, &m->unused);
	struct mmu_walk *w;

	m->pool[i].packet = *p;
	m->pool[i].came = cycle;
	m->pool[i].port = port;
	m->nwaiting++;
	m->s.requests_waiting = max_u64(m->s.requests_waiting, m->nwaiting);
	m->s.l2_lookups++;
	if (tlb_use(m->tlb, page)) {
		mmu_leave_at(m, i, cycle + m->l2_cycles);
		return;
	}
	m->s.l2_misses++;
	if (!m->settings->p.walk_cycles) {
		mmu_leave_at(m, i, cycle + m->l2_cycles + mmu_walk_free(m, p));
		return;
	}
	w = mmu_walk_find(m, page);
	m->s.l2_merged += w != NULL;
	if (!w)
		w = mmu_walk_begin(m, p, cycle);
	mmu_list_add(m, &w->waiting, i);
}

/* The port's packets, up to one to translate that was taken (true), that does not fit, or that the
 * network refuses. */
static bool serve_port(struct mmu *m, unsigned port, uint64_t cycle, bool *stalls)
{
	const struct packet *p;

	while ((p = link_peek(m->in[port]))) {
		if (p->translate) {
			note_launch(m, p);
			if (is_full(m, p)) {
				component_hold(&m->base);
				*stalls = true;
				return false;
			}
			take(m, port, p, cycle);
			link_pop(m->in[port]);
			return true;
		}
		if (!link_can_send(m->out[port]))
			return false;
		*(struct packet *)link_slot(m->out[port]) = *p;
		link_send(m->out[port], 0);
		link_pop(m->in[port]);
	}
	return false;
}

/* All ports once, the one behind the last that was served first. True if any packet was taken. */
static bool serve_ports(struct mmu *m, uint64_t cycle, bool *stalls)
{
	unsigned first = m->turn;
	bool any = false;

	*stalls = false;
	for (unsigned k = 0; k < m->c.sms; k++) {
		unsigned port = first + k < m->c.sms ? first + k : first + k - m->c.sms;

		if (!serve_port(m, port, cycle, stalls))
			continue;
		m->turn = port + 1 < m->c.sms ? port + 1 : 0;
		any = true;
	}
	return any;
}

static void count_stall(struct mmu *m, bool stalls, uint64_t cycle)
{
	if (m->stalled_since != MMU_NEVER && !stalls) {
		m->s.stall_cycles += cycle - m->stalled_since;
		m->stalled_since = MMU_NEVER;
	} else if (stalls) {
		m->stalled_since = min_u64(m->stalled_since, cycle);
	}
}

/* The next cycle in which time alone enables progress. */
static uint64_t next_cycle(const struct mmu *m, uint64_t cycle)
{
	uint64_t wake = mmu_walks_wake(m, cycle);

	for (unsigned i = 0; m->nwaiting && i < m->c.sms; i++) {
		uint32_t first = m->leaving[i].first;

		if (first != MMU_NONE && m->pool[first].at > cycle)
			wake = min_u64(wake, m->pool[first].at);
	}
	return wake;
}

/* What leaves makes space for what comes, until nothing comes any more. */
static enum step mmu_step(struct component *c, uint64_t cycle)
{
	struct mmu *m = CONTAINER_OF(c, struct mmu, base);
	bool moved = true, stalls = false;
	uint64_t wake;

	mmu_walks_advance(m, cycle);
	while (moved) {
		moved = false;
		for (unsigned i = 0; m->nwaiting && i < m->c.sms; i++)
			moved |= let_leave(m, i, cycle);
		moved |= serve_ports(m, cycle, &stalls);
	}
	mmu_walks_send(m, cycle);
	count_stall(m, stalls, cycle);
	wake = next_cycle(m, cycle);
	if (wake != MMU_NEVER)
		wake_at(c, wake);
	return STEP_SLEEP;
}

static bool mmu_busy(const struct component *c)
{
	const struct mmu *m = CONTAINER_OF(c, const struct mmu, base);

	for (unsigned i = 0; i < m->c.sms; i++)
		if (link_peek(m->in[i]))
			return true;
	return m->nwaiting || m->nwalks;
}

static void mmu_stuck(const struct component *c, struct text *text)
{
	const struct mmu *m = CONTAINER_OF(c, const struct mmu, base);

	text_add(text, "  packets that wait for translations: %u of %" PRIu64, m->nwaiting,
		m->settings->p.requests);
	if (m->stalled_since != MMU_NEVER)
		text_add(text, "; ports stalled since cycle %" PRIu64, m->stalled_since);
	text_add(text, "\n  walks in flight: %u of %" PRIu64 "\n", m->nwalks, m->settings->p.walks);
	for (uint32_t i = 0; i < m->most_walks; i++) {
		const struct mmu_walk *w = &m->walks[i];

		if (w->used)
			text_add(text, "  page %" PRIu64 ": %s l2 slice %u\n", w->page,
				!w->sent             ? "its read is to go to"
				: w->at == MMU_NEVER ? "waits for its entry from"
						     : "has its entry from",
				w->read.slice);
	}
}

/* Not in the list of parts to choose from. */
static const struct plugin mmu_tables = {.kind = "component",
	.name = "mmu",
	.text = "Address translation outside the SMs.",
	.path = "mmu",
	.size = sizeof(struct mmu),
	.stats = mmu_stats,
	.nstats = ARRAY_LEN(mmu_stats)};

/* The nearest number of its own cycles. */
static uint64_t own_cycles(const struct mmu *m, uint64_t cycles)
{
	return (cycles * m->c.sm_ps + m->base.period_ps / 2) / m->base.period_ps;
}

/* What of a walk the links to the slice and back leave. */
static void set_walk(struct mmu *m, struct err *err)
{
	uint64_t links = 2 * div_up((uint64_t)m->c.window_cycles * m->c.sm_ps, m->base.period_ps);
	uint64_t walk = own_cycles(m, m->settings->p.walk_cycles);
	uint64_t least = links * m->base.period_ps / m->c.sm_ps;

	least += own_cycles(m, least) < links;

	if (walk && walk < links && m->c.walk_given)
		err_add(err, ERR_INPUT,
			"mmu.walk_cycles = %" PRIu64 ": must be at least %" PRIu64
			", two windows, which its links to a slice and back take, or 0: walks "
			"take no time",
			m->settings->p.walk_cycles, least);
	m->rest_cycles = walk > links ? walk - links : 0;
	m->l2_cycles = own_cycles(m, m->settings->p.l2_cycles);
	m->upper_cycles = own_cycles(m, m->settings->p.upper_cycles);
	m->switch_cycles = own_cycles(m, m->settings->p.switch_cycles);
}

static void make_ports(struct mmu *m, struct arena *arena)
{
	m->in = arena_alloc(arena, m->c.sms, sizeof(struct link *));
	m->out = arena_alloc(arena, m->c.sms, sizeof(struct link *));
	m->walk_out = arena_alloc(arena, m->c.slices, sizeof(struct link *));
	m->entry_in = arena_alloc(arena, m->c.slices, sizeof(struct link *));
	for (unsigned i = 0; i < m->c.sms; i++) {
		port_declare(&m->base, PORT_IN, "in", i, &packet_type, &m->in[i], false);
		port_declare(&m->base, PORT_OUT, "out", i, &packet_type, &m->out[i], false);
	}
	for (unsigned i = 0; i < m->c.slices; i++) {
		port_declare(&m->base, PORT_OUT, "walk", i, &packet_type, &m->walk_out[i], false);
		port_declare(&m->base, PORT_IN, "entry", i, &packet_type, &m->entry_in[i], false);
	}
}

static void make_lists(struct mmu *m, struct arena *arena)
{
	const struct mmu_list empty = {MMU_NONE, MMU_NONE};
	uint64_t requests = m->settings->p.requests;

	m->leaving = arena_alloc(arena, m->c.sms, sizeof(*m->leaving));
	m->pool = arena_alloc(arena, requests, sizeof(*m->pool));
	m->walks = arena_alloc(arena, m->settings->p.walks, sizeof(*m->walks));
	m->unused = empty;
	for (unsigned i = 0; i < m->c.sms; i++)
		m->leaving[i] = empty;
	for (uint32_t i = 0; i < requests; i++)
		mmu_list_add(m, &m->unused, i);
}

struct component *mmu_new(struct partition *part, const struct mmu_config *config,
	struct arena *arena, struct err *err)
{
	static const struct component_ops ops = {
		.step = mmu_step, .busy = mmu_busy, .stuck = mmu_stuck, .state = mmu_state};
	struct mmu *m = arena_alloc(arena, 1, sizeof(*m));
	const struct tlb_config tlb = {config->settings->ways, config->settings->sets,
		(enum tlb_map)config->settings->p.l2_map};

	m->c = *config;
	m->settings = config->settings;
	component_init(&m->base, part, &ops, &mmu_tables, "mmu", config->period_ps);
	m->window = m->stalled_since = MMU_NEVER;
	m->tlb = tlb_new(&tlb, arena);
	set_walk(m, err);
	make_ports(m, arena);
	make_lists(m, arena);
	return &m->base;
}

struct mmu_counts mmu_counts(const struct component *c)
{
	const struct mmu *m = CONTAINER_OF(c, const struct mmu, base);

	return (struct mmu_counts){
		.taken = m->s.l2_lookups, .asked = m->s.walks, .walked = m->ended};
}

void mmu_audit(const struct component *c, struct audit *a)
{
	const struct mmu *m = CONTAINER_OF(c, const struct mmu, base);

	audit_flow(a, c->name, "packets to translate", m->s.l2_lookups, "translated", m->left);
	audit_flow(a, c->name, "walks begun", m->s.walks, "ended", m->ended);
	audit_equal(a, c->name, "misses in the L2 TLB", m->s.l2_misses, "walked and merged",
		m->s.walks + m->s.l2_merged);
}

void mmu_profile_start(struct component *c, const struct profile_map *map)
{
	CONTAINER_OF(c, struct mmu, base)->profile = map;
}
