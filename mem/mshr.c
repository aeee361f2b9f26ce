/* Miss status holding registers (Kroft, ISCA 1981): a hash of lines, and waiters in lists from one
 * pool. */
#include "mem/mshr.h"

#include "core/state.h"
#include "msg/packet.h"

#define NONE UINT32_MAX

struct entry {
	uint64_t line;
	uint32_t next;        /* in its hash slot, or in the list of unused entries */
	uint32_t first, last; /* waiters */
	uint8_t granules, arrived;
	bool open;
};

struct waiter {
	uint64_t who;
	uint32_t next;
	uint8_t granules; /* that it needs */
};

struct mshr {
	struct entry *entries;
	struct waiter *waiters;
	uint32_t *slots;
	uint32_t free_entry, free_waiter;
	uint32_t used;
	unsigned slot_shift;
	uint32_t lines, merges;
};

struct mshr *mshr_new(unsigned lines, unsigned merges, struct arena *arena)
{
	struct mshr *m = arena_alloc(arena, 1, sizeof(*m));
	unsigned bits = 2;

	BUG_ON(lines == 0 || merges == 0 || lines > UINT32_MAX / 4);
	while ((1u << bits) < 2 * lines)
		bits++;
	m->slot_shift = 64 - bits;
	m->lines = lines;
	m->merges = merges;
	m->entries = arena_alloc(arena, lines, sizeof(*m->entries));
	m->waiters = arena_alloc(arena, merges, sizeof(*m->waiters));
	m->slots = arena_alloc(arena, (size_t)1 << bits, sizeof(*m->slots));
	for (uint32_t i = 0; i < 1u << bits; i++)
		m->slots[i] = NONE;
	for (uint32_t i = 0; i < lines; i++)
		m->entries[i].next = i + 1 < lines ? i + 1 : NONE;
	for (uint32_t i = 0; i < merges; i++)
		m->waiters[i].next = i + 1 < merges ? i + 1 : NONE;
	return m;
}

static uint32_t *slot_of(const struct mshr *m, uint64_t line)
{
	return &m->slots[(line / LINE_BYTES * UINT64_C(0x9e3779b97f4a7c15)) >> m->slot_shift];
}

static struct entry *open_entry(const struct mshr *m, int entry)
{
	BUG_ON(entry < 0 || !m->entries[entry].open);
	return &m->entries[entry];
}

int mshr_find(const struct mshr *m, uint64_t line)
{
	for (uint32_t i = *slot_of(m, line); i != NONE; i = m->entries[i].next)
		if (m->entries[i].line == line)
			return (int)i;
	return -1;
}

uint8_t mshr_granules(const struct mshr *m, int entry)
{
	return open_entry(m, entry)->granules;
}

void mshr_add_granules(struct mshr *m, int entry, uint8_t granules)
{
	open_entry(m, entry)->granules |= granules;
}

int mshr_open(struct mshr *m, uint64_t line, uint8_t granules)
{
	uint32_t *slot = slot_of(m, line), i = m->free_entry;
	struct entry *e;

	if (i == NONE)
		return -1;
	BUG_ON(mshr_find(m, line) >= 0);
	e = &m->entries[i];
	m->free_entry = e->next;
	*e = (struct entry){.line = line,
		.next = *slot,
		.first = NONE,
		.last = NONE,
		.granules = granules,
		.open = true};
	*slot = i;
	m->used++;
	return (int)i;
}

bool mshr_wait(struct mshr *m, int entry, uint64_t waiter)
{
	return mshr_wait_for(m, entry, waiter, UINT8_MAX);
}

bool mshr_wait_for(struct mshr *m, int entry, uint64_t waiter, uint8_t granules)
{
	struct entry *e = open_entry(m, entry);
	uint32_t i = m->free_waiter;

	if (i == NONE)
		return false;
	m->free_waiter = m->waiters[i].next;
	m->waiters[i] = (struct waiter){.who = waiter, .next = NONE, .granules = granules};
	if (e->first == NONE)
		e->first = i;
	else
		m->waiters[e->last].next = i;
	e->last = i;
	return true;
}

bool mshr_has_space(const struct mshr *m)
{
	return m->free_entry != NONE && m->free_waiter != NONE;
}

/* The entry and each waiter are released before `wake` is called for the waiter, so that it may use
 * them. */
static inline void close_entry(
	struct mshr *m, struct entry *e, int entry, mshr_wake_fn *wake, void *ctx)
{
	uint32_t *link = slot_of(m, e->line), i = e->first;

	while (*link != (uint32_t)entry)
		link = &m->entries[*link].next;
	*link = e->next;
	e->open = false;
	e->next = m->free_entry;
	m->free_entry = (uint32_t)entry;
	m->used--;
	while (i != NONE) {
		struct waiter w = m->waiters[i];

		m->waiters[i].next = m->free_waiter;
		m->free_waiter = i;
		i = w.next;
		wake(ctx, w.who);
	}
}

void mshr_close(struct mshr *m, int entry, mshr_wake_fn *wake, void *ctx)
{
	close_entry(m, open_entry(m, entry), entry, wake, ctx);
}

/* The waiters that need granules which have not arrived stay, in order. */
static void wake_some(struct mshr *m, struct entry *e, mshr_wake_fn *wake, void *ctx)
{
	uint32_t i = e->first;

	e->first = e->last = NONE;
	while (i != NONE) {
		struct waiter *w = &m->waiters[i];
		uint32_t at = i;

		i = w->next;
		if (w->granules & ~e->arrived) {
			w->next = NONE;
			if (e->first == NONE)
				e->first = at;
			else
				m->waiters[e->last].next = at;
			e->last = at;
			continue;
		}
		w->next = m->free_waiter;
		m->free_waiter = at;
		wake(ctx, w->who);
	}
}

void mshr_arrived(struct mshr *m, int entry, uint8_t granules, mshr_wake_fn *wake, void *ctx)
{
	struct entry *e = open_entry(m, entry);

	e->arrived |= granules;
	if (e->arrived == e->granules)
		close_entry(m, e, entry, wake, ctx);
	else
		wake_some(m, e, wake, ctx);
}

uint64_t mshr_line(const struct mshr *m, int entry)
{
	return open_entry(m, entry)->line;
}

unsigned mshr_used(const struct mshr *m)
{
	return m->used;
}

const uint32_t *mshr_used_at(const struct mshr *m)
{
	return &m->used;
}

static const struct state_field mshr_kept[] = {
	STATE_KEPT(mshr, entries),
	STATE_KEPT(mshr, waiters),
	STATE_KEPT(mshr, slots),
	STATE_KEPT(mshr, slot_shift),
	STATE_KEPT(mshr, lines),
	STATE_KEPT(mshr, merges),
};

void mshr_state(struct state *s, struct mshr *m)
{
	STATE_STRUCT(s, m, mshr_kept);
	state_bytes(s, m->entries, m->lines * sizeof(*m->entries));
	state_bytes(s, m->waiters, m->merges * sizeof(*m->waiters));
	state_bytes(s, m->slots, (UINT64_C(1) << (64 - m->slot_shift)) * sizeof(*m->slots));
}
