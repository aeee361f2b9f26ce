/* The L1 TLB of an SM, around the tag stage. */
#include "sm/tlb.h"

#include "sm/state.h"

const struct stat_def sm_tlb_stats[3] = {SM_TLB_STATS(STAT_ROW, sm_tlb)};

void sm_tlb_init(struct sm *sm, struct arena *arena)
{
	struct sm_tlb *t = &sm->tlb;
	uint32_t ways;

	if (!sm->c.mmu || !mmu_translates(sm->c.mmu))
		return;
	t->settings = sm->c.mmu;
	ways = (uint32_t)t->settings->p.l1_entries;
	t->pages = tlb_new(&(struct tlb_config){&ways, 1, TLB_MODULO}, arena);
	t->missed = arena_alloc(arena, COALESCE_MAX, sizeof(*t->missed));
}

void sm_tlb_empty(struct sm *sm)
{
	if (sm->tlb.pages)
		tlb_empty(sm->tlb.pages);
}

static uint64_t page_of(const struct sm_tlb *t, uint64_t line)
{
	return mmu_offset(line) >> low_bit(t->settings->p.page_bytes);
}

void sm_tlb_before(struct sm *sm, const struct lsu_entry *e)
{
	struct sm_tlb *t = &sm->tlb;

	t->page = page_of(t, e->lines[e->at].line);
	t->lacks = !tlb_holds(t->pages, t->page);
	t->sent = sm->l1.s.l1tex__m_l1tex2xbar_req_packets;
}

/* Several lines of an access that lack one page lack it once. */
static void count_miss(struct sm_tlb *t)
{
	unsigned i = 0;

	while (i < t->nmissed && t->missed[i] != t->page)
		i++;
	if (i < t->nmissed)
		return;
	t->missed[t->nmissed++] = t->page;
	t->s.mmu__l1_misses++;
}

void sm_tlb_after(struct sm *sm, const struct lsu_entry *e, bool done)
{
	struct sm_tlb *t = &sm->tlb;
	uint64_t sent = t->lacks ? sm->l1.s.l1tex__m_l1tex2xbar_req_packets - t->sent : 0;
	bool replied = e->action != ACT_STORE;

	t->s.mmu__l1_requests += sent;
	t->asked += replied ? sent : 0;
	if (done) {
		t->s.mmu__l1_lookups++;
		if (t->lacks)
			count_miss(t);
		if (!t->lacks || !replied)
			tlb_fill(t->pages, t->page);
		if (e->at + 1u == e->n)
			t->nmissed = 0;
	}
	t->lacks = false;
}

void sm_tlb_replied(struct sm *sm, const struct packet *p)
{
	sm->tlb.answered++;
	tlb_fill(sm->tlb.pages, page_of(&sm->tlb, p->line));
}
