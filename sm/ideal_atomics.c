/* The experiment without atomics that wait for each other: what lanes of a warp do to one word they
 * do together; where nothing needs the result, a CTA adds up, and sends each line when it ends. */
#include "core/state.h"
#include "sm/state.h"

#define BEYOND_BUFFERS (UINT64_C(3) << 33)
#define LINES_OF_CTA \
	64u /* that it adds up; others with an entry that is taken it sends at once \
	     */

/* What the CTA of a slot has added up of a line; without granules a free entry. */
struct ideal_sum {
	struct line_access line;
	struct contention meets;
	uint64_t warps; /* by slot: those that have added something */
};

/* Halvings of the lanes of a warp, a shuffle and an operation each. */
#define HALVINGS 5u

/* A warp's copy of what it operates on. */
uint64_t ideal_copy(const struct sm *sm, unsigned w)
{
	return BEYOND_BUFFERS + (sm->c.index * SM_WARPS + w) * sm->c.interleave_bytes;
}

/* NULL: the entry has another line. */
static struct ideal_sum *sum_of(struct sm *sm, unsigned w, const struct line_access *l)
{
	struct ideal_sum *s = &sm->ideal.sums[sm->slot[w].cta * LINES_OF_CTA +
					      l->line / LINE_BYTES % LINES_OF_CTA];

	if (s->line.granules && s->line.line != l->line)
		return NULL;
	if (!s->line.granules)
		*s = (struct ideal_sum){.line = {.line = l->line}};
	return s;
}

static unsigned lanes_for(unsigned words)
{
	return words < WARP_LANES ? (1u << words) - 1 : UINT32_MAX;
}

/* One lane a word. */
static void combine(struct line_access *l, struct contention *c, unsigned bytes)
{
	unsigned words = count_bits(c->words) / (bytes > 4 ? bytes / 4 : 1);

	l->lanes = lanes_for(words ? words : 1);
	c->deepest = 1;
}

/* Cycles until a warp has added up its lanes' values by shuffles; and, for the CTA, until one lane
 * of it has stored the sum, and behind a barrier one of its warps has added up all of them from
 * shared memory. */
static uint64_t sum_cycles(const struct sm *sm, unsigned w)
{
	unsigned warps = grid_cta_warps(sm->slot[w].warp.cta->grid), n = 0;
	uint64_t shuffle = READY_CYCLE(sm->pipes.of[CLASS_SHUFFLE].result);
	uint64_t cycles = HALVINGS * (shuffle + sm->p.alu_cycles);

	while (!sm->ideal.p.warp_sums && 1u << n < warps)
		n++;
	if (n)
		cycles += 2 * sm->p.branch_cycles + sm->p.shared_cycles + sm->p.barrier_cycles +
			  n * (sm->p.shared_cycles + sm->p.alu_cycles);
	return cycles;
}

/* A warp adds up what its lanes have for one word, once: issue slots and latency. */
static void add_up(struct sm *sm, unsigned w, struct ideal_sum *s, uint64_t cycle)
{
	struct scheduler *own = &sm->sched[sm->sched_of[w]];

	if (s->warps >> w & 1)
		return;
	own->issue_free = max_u64(own->issue_free, cycle + 1) + 2 * HALVINGS;
	sm->slot[w].issue_at = cycle + sum_cycles(sm, w);
}

/* Several words are in shared memory, whose atomics on one are made one after the other. */
static void share(struct sm *sm, unsigned w, const struct lsu_entry *e)
{
	struct scheduler *own = &sm->sched[sm->sched_of[w]];
	uint64_t cycle = sim_now(&sm->base) / sm->base.period_ps;
	uint64_t first = sm->p.shared_atomic_first_cycles, each = sm->p.shared_atomic_cycles, n = 1;

	for (unsigned i = 0; i < e->n; i++)
		n = max_u64(n, e->meets[i].deepest);
	n = first ? first + (n - 1) * each : n * each;
	own->issue_free = max_u64(own->issue_free, cycle + n * sm->p.schedulers);
}

/* The line waits for the CTA's end. */
static void keep(struct ideal_sum *s, struct line_access *l, const struct contention *c)
{
	s->line.granules |= l->granules;
	s->meets.words |= c->words;
	s->meets.deepest = 1;
	s->line.lanes |= l->lanes;
	l->granules = l->bytes = 0;
}

static bool is_one_word(const struct lsu_entry *e)
{
	return e->n == 1 && e->meets[0].deepest == count_bits(e->lines[0].lanes);
}

static void add(struct sm *sm, unsigned w, const struct instr *in, struct lsu_entry *e, bool one)
{
	uint64_t cycle = sim_now(&sm->base) / sm->base.period_ps;

	for (unsigned i = 0; i < e->n; i++) {
		struct ideal_sum *s = sum_of(sm, w, &e->lines[i]);

		if (!s)
			continue;
		if (one)
			add_up(sm, w, s, cycle);
		s->warps |= UINT64_C(1) << w;
		keep(s, &e->lines[i], &e->meets[i]);
	}
	sm->ideal.stores[sm->slot[w].cta] = in;
}

/* Where no word is that of two lanes, each warp has a copy of its own. */
void ideal_atomic(struct sm *sm, unsigned w, const struct instr *in, const struct access *a,
	struct lsu_entry *e)
{
	bool one = is_one_word(e), unread = in->action == ACT_RED || in->unread;

	e->copied = true;
	for (unsigned i = 0; i < e->n; i++)
		e->copied &= e->meets[i].deepest < 2;
	if (e->copied)
		return;
	if (unread && !one)
		share(sm, w, e);
	for (unsigned i = 0; i < e->n; i++)
		combine(&e->lines[i], &e->meets[i], a->bytes);
	if (unread)
		add(sm, w, in, e, one);
}

/* A line of atomics, one lane for each word: the CTA's, or one of its warps'. */
static void send(struct sm *sm, struct ideal_sum *s, struct lsu_entry *e, unsigned n)
{
	e->meets[n] = s->meets;
	e->lines[n] = s->line;
	e->lines[n].lanes = lanes_for(count_bits(s->meets.words));
	e->lines[n].bytes = packet_granule_bytes[s->line.granules];
	s->warps &= sm->ideal.p.warp_sums ? s->warps - 1 : 0;
	if (!s->warps)
		s->line.granules = 0;
}

unsigned ideal_sums(struct sm *sm, unsigned cta, struct lsu_entry *e)
{
	unsigned n = 0;

	for (unsigned i = 0; sm->ideal.sums && i < LINES_OF_CTA; i++) {
		struct ideal_sum *s = &sm->ideal.sums[cta * LINES_OF_CTA + i];

		while (s->line.granules && n < WARP_LANES)
			send(sm, s, e, n++);
	}
	return n;
}

void ideal_atomics_init(struct sm *sm, struct arena *arena)
{
	if (sm->ideal.p.atomics)
		sm->ideal.sums =
			arena_alloc(arena, SM_WARPS * LINES_OF_CTA, sizeof(*sm->ideal.sums));
}

void ideal_atomics_state(struct state *s, struct sm_ideal *i)
{
	if (i->sums)
		state_bytes(s, i->sums, SM_WARPS * LINES_OF_CTA * sizeof(*i->sums));
}
