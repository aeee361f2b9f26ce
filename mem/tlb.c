/* A translation lookaside buffer: entries of all sets in one array, each with the time of its last
 * use. */
#include "mem/tlb.h"

#include "core/state.h"

struct entry {
	uint64_t page, used;
};

struct set {
	uint32_t first, n;
};

struct tlb {
	struct entry *entries;
	struct set *set;
	uint32_t *set_of_rest; /* with TLB_WRAP: of the entries beyond the smallest set's size */
	unsigned sets;
	uint32_t n, even; /* entries; of them those that fill all sets to the smallest one's size */
	enum tlb_map map;
	uint32_t recent; /* the entry used last */
	uint64_t now;    /* uses and fills so far */
};

/* Which sets have entries beyond the smallest one's size, in order. */
static void find_rest(struct tlb *t, struct arena *arena)
{
	uint32_t smallest = t->set[0].n, at = 0;

	for (unsigned s = 1; s < t->sets; s++)
		smallest = smallest < t->set[s].n ? smallest : t->set[s].n;
	t->even = smallest * t->sets;
	t->set_of_rest = arena_alloc(arena, t->n - t->even + 1, sizeof(*t->set_of_rest));
	for (unsigned s = 0; s < t->sets; s++)
		for (uint32_t i = smallest; i < t->set[s].n; i++)
			t->set_of_rest[at++] = s;
}

struct tlb *tlb_new(const struct tlb_config *config, struct arena *arena)
{
	struct tlb *t = arena_alloc(arena, 1, sizeof(*t));

	BUG_ON(!config->sets);
	t->sets = config->sets;
	t->map = config->map;
	t->set = arena_alloc(arena, t->sets, sizeof(*t->set));
	for (unsigned s = 0; s < t->sets; s++) {
		BUG_ON(!config->ways[s]);
		t->set[s] = (struct set){t->n, config->ways[s]};
		t->n += config->ways[s];
	}
	t->entries = arena_alloc(arena, t->n, sizeof(*t->entries));
	find_rest(t, arena);
	tlb_empty(t);
	return t;
}

unsigned tlb_set(const struct tlb *t, uint64_t page)
{
	uint32_t at;

	if (t->map == TLB_MODULO)
		return (unsigned)(page % t->sets);
	at = (uint32_t)(page % t->n);
	return at < t->even ? at % t->sets : t->set_of_rest[at - t->even];
}

/* The page's entry, or t->n. */
static uint32_t find(const struct tlb *t, uint64_t page)
{
	struct set set;

	if (t->entries[t->recent].page == page)
		return t->recent;
	set = t->set[tlb_set(t, page)];
	for (uint32_t i = set.first; i < set.first + set.n; i++)
		if (t->entries[i].page == page)
			return i;
	return t->n;
}

bool tlb_holds(const struct tlb *t, uint64_t page)
{
	return find(t, page) < t->n;
}

static void touch(struct tlb *t, uint32_t entry)
{
	t->entries[entry].used = ++t->now;
	t->recent = entry;
}

bool tlb_use(struct tlb *t, uint64_t page)
{
	uint32_t entry = find(t, page);

	if (entry == t->n)
		return false;
	touch(t, entry);
	return true;
}

/* Unused entries have no time. */
uint64_t tlb_fill(struct tlb *t, uint64_t page)
{
	struct set set = t->set[tlb_set(t, page)];
	uint32_t oldest = set.first;
	uint64_t evicted;

	if (tlb_use(t, page))
		return TLB_NO_PAGE;
	for (uint32_t i = set.first; i < set.first + set.n; i++)
		if (t->entries[i].used < t->entries[oldest].used)
			oldest = i;
	evicted = t->entries[oldest].page;
	t->entries[oldest].page = page;
	touch(t, oldest);
	return evicted;
}

void tlb_empty(struct tlb *t)
{
	for (uint32_t i = 0; i < t->n; i++)
		t->entries[i] = (struct entry){TLB_NO_PAGE, 0};
}

void tlb_state(struct state *s, struct tlb *t)
{
	STATE(s, t->recent);
	STATE(s, t->now);
	state_bytes(s, t->entries, t->n * sizeof(*t->entries));
	state_most(s, t->recent, t->n);
}
