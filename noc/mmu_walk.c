/* Walks of the page table: a read of the page's entry in the slice that has it. */
#include "noc/mmu_state.h"

struct mmu_walk *mmu_walk_find(const struct mmu *m, uint64_t page)
{
	for (uint32_t i = 0; i < m->most_walks; i++)
		if (m->walks[i].used && m->walks[i].page == page)
			return &m->walks[i];
	return NULL;
}

static struct mmu_walk *unused_walk(struct mmu *m)
{
	uint32_t i = 0;

	while (m->walks[i].used)
		i++;
	BUG_ON(i == m->settings->p.walks);
	if (i == m->most_walks)
		m->most_walks++;
	return &m->walks[i];
}

/* The cycles by which another window than the active one delays the walk. */
static uint64_t take_window(struct mmu *m, uint64_t line)
{
	uint64_t bytes = m->settings->p.window_bytes, before = m->window;

	if (!bytes)
		return 0;
	m->window = mmu_offset(line) / bytes;
	if (before == MMU_NEVER || before == m->window)
		return 0;
	m->s.switches++;
	return m->switch_cycles;
}

/* The read of the 32 bytes that hold the page's entry. */
static struct packet read_of(const struct mmu *m, const struct mmu_walk *w, const struct packet *p)
{
	uint64_t entry = MMU_TABLE + w->page * m->settings->p.entry_bytes;
	uint64_t line = entry / LINE_BYTES * LINE_BYTES;
	struct packet read = {.line = line,
		.origin = p->origin,
		.tag = (uint32_t)(w - m->walks),
		.sm = p->sm,
		.kind = PACKET_READ,
		.granules = (uint8_t)(3u << (entry - line) / FLIT_BYTES * 2),
		.walk = true,
		.warp = p->warp,
		.ptx_line = p->ptx_line};

	read.slice = m->c.own_slice ? p->slice : (uint16_t)m->c.slice_of(m->c.ctx, line);
	read.origin.buffer = read.origin.trip = 0;
	return read;
}

struct mmu_walk *mmu_walk_begin(struct mmu *m, const struct packet *p, uint64_t cycle)
{
	struct mmu_walk *w = unused_walk(m);

	*w = (struct mmu_walk){.page = mmu_page(m, p->line),
		.at = cycle + m->l2_cycles,
		.waiting = {MMU_NONE, MMU_NONE},
		.used = true};
	w->extra = take_window(m, p->line);
	w->read = read_of(m, w, p);
	m->s.walks++;
	m->nwalks++;
	m->s.walks_in_flight = max_u64(m->s.walks_in_flight, m->nwalks);
	return w;
}

uint64_t mmu_walk_free(struct mmu *m, const struct packet *p)
{
	m->s.walks++;
	m->ended++;
	tlb_fill(m->tlb, mmu_page(m, p->line));
	return take_window(m, p->line);
}

void mmu_walks_send(struct mmu *m, uint64_t cycle)
{
	for (uint32_t i = 0; m->nwalks && i < m->most_walks; i++) {
		struct mmu_walk *w = &m->walks[i];
		struct link *to = m->walk_out[w->read.slice];

		if (!w->used || w->sent || w->at > cycle || !link_can_send(to))
			continue;
		*(struct packet *)link_slot(to) = w->read;
		link_send(to, 0);
		w->sent = true;
		w->at = MMU_NEVER;
	}
}

static void take_entries(struct mmu *m, struct link *from, uint64_t cycle)
{
	const struct packet *p;

	while ((p = link_peek(from))) {
		struct mmu_walk *w = &m->walks[p->tag];

		BUG_ON(!w->used || !w->sent || w->at != MMU_NEVER);
		w->at = cycle + m->rest_cycles + w->extra + (p->from_dram ? m->upper_cycles : 0);
		m->s.walk_dram += p->from_dram;
		link_pop(from);
	}
}

/* The page is in the TLB, and what waited for it may leave, though not before its own lookup. */
static void end_walk(struct mmu *m, struct mmu_walk *w, uint64_t cycle)
{
	tlb_fill(m->tlb, w->page);
	for (uint32_t i = w->waiting.first, next; i != MMU_NONE; i = next) {
		next = m->pool[i].next;
		mmu_leave_at(m, i, max_u64(cycle, m->pool[i].came + m->l2_cycles));
	}
	w->used = false;
	m->nwalks--;
	m->ended++;
}

void mmu_walks_advance(struct mmu *m, uint64_t cycle)
{
	for (unsigned i = 0; m->nwalks && i < m->c.slices; i++)
		take_entries(m, m->entry_in[i], cycle);
	for (uint32_t i = 0; m->nwalks && i < m->most_walks; i++)
		if (m->walks[i].used && m->walks[i].sent && m->walks[i].at <= cycle)
			end_walk(m, &m->walks[i], cycle);
}

uint64_t mmu_walks_wake(const struct mmu *m, uint64_t cycle)
{
	uint64_t wake = MMU_NEVER;

	for (uint32_t i = 0; m->nwalks && i < m->most_walks; i++)
		if (m->walks[i].used && m->walks[i].at > cycle)
			wake = min_u64(wake, m->walks[i].at);
	return wake;
}
