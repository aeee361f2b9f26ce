/* Replacement: signature-based hit prediction (Wu et al., MICRO 2011), by the PTX line of the
 * requester.
 *
 * Lines have an RRPV as in SRRIP (Jaleel et al., ISCA 2010). A table of counters, one for each
 * signature, learns whether lines that an instruction fills are used again before their eviction: a
 * use increments the counter, an eviction without a use decrements it. Lines filled for a signature
 * whose counter is 0 are the first to be evicted. Repeated launches of a kernel share what was
 * learned. */
#include "mem/replace.h"

#include "core/base.h"
#include "core/state.h"

#include <string.h>

#define PARAMS(P, T) \
	P(T, UINT, bits, 2, 1, 7, "bits", "Width of a line's predicted re-reference interval.") \
	P(T, UINT, entries, 16384, 1, 65536, "counters", \
		"Counters in the table; a PTX line uses that of its number modulo this.") \
	P(T, UINT, counter_bits, 3, 1, 8, "bits", "Width of a counter.")

#define STATS(S, T) \
	S(T, COUNT, fills_distant, "lines", "Lines inserted as the first to be evicted.") \
	S(T, COUNT, evicted_unused, "lines", "Lines evicted without having been used again.")

struct way_state {
	uint16_t signature;
	uint8_t rrpv;
	bool used; /* since it was filled */
};

struct ship {
	struct {
		PARAMS(PARAM_FIELD, ship)
	} p;
	struct {
		STATS(STAT_FIELD, ship)
	} s;
	struct way_state *way; /* by set * ways + way */
	uint8_t *counter;      /* by signature */
	uint64_t most_sets;
	unsigned ways;
};

TABLES(ship, PARAMS, STATS);

static uint8_t distant(const struct ship *s)
{
	return (uint8_t)((1u << s->p.bits) - 1);
}

/* All signatures begin as if used once. */
static void init(void *self, uint64_t sets, unsigned ways, struct arena *arena)
{
	struct ship *s = self;

	s->way = arena_alloc(arena, sets * ways, sizeof(*s->way));
	s->counter = arena_alloc(arena, s->p.entries, sizeof(*s->counter));
	memset(s->counter, 1, s->p.entries * sizeof(*s->counter));
	s->most_sets = sets;
	s->ways = ways;
}

/* The learned counters are kept. */
static void emptied(void *self, uint64_t sets)
{
	struct ship *s = self;

	(void)sets;
	memset(s->way, 0, s->most_sets * s->ways * sizeof(*s->way));
}

static unsigned victim(
	const void *self, uint64_t set, const struct cache_access *access, struct rng *rng)
{
	const struct ship *s = self;
	const struct way_state *way = s->way + set * s->ways;
	unsigned farthest = 0;

	(void)access;
	(void)rng;
	for (unsigned i = 1; i < s->ways; i++)
		if (way[i].rrpv > way[farthest].rrpv)
			farthest = i;
	return farthest;
}

/* All lines age until the victim's RRPV is the maximum. */
static void evicted(void *self, uint64_t set, unsigned victim, uint64_t line)
{
	struct ship *s = self;
	struct way_state *way = s->way + set * s->ways, *v = &way[victim];
	uint8_t older = (uint8_t)(distant(s) - v->rrpv), *counter = &s->counter[v->signature];

	(void)line;
	for (unsigned i = 0; i < s->ways; i++)
		way[i].rrpv = (uint8_t)(way[i].rrpv + older);
	if (v->used)
		return;
	s->s.evicted_unused++;
	*counter = (uint8_t)(*counter - (*counter > 0));
}

static void filled(
	void *self, uint64_t set, unsigned way, const struct cache_access *access, struct rng *rng)
{
	struct ship *s = self;
	uint16_t signature = (uint16_t)(access->ptx_line % s->p.entries);
	bool far = !s->counter[signature];

	(void)rng;
	s->s.fills_distant += far;
	s->way[set * s->ways + way] =
		(struct way_state){.signature = signature, .rrpv = (uint8_t)(distant(s) - !far)};
}

/* A fill for a partly valid line is not a use of it. */
static void used(void *self, uint64_t set, unsigned way, const struct cache_access *access)
{
	struct ship *s = self;
	struct way_state *w = &s->way[set * s->ways + way];
	uint8_t *counter = &s->counter[w->signature];

	if (access->fill)
		return;
	w->rrpv = 0;
	w->used = true;
	*counter = (uint8_t)(*counter + (*counter + 1u < 1u << s->p.counter_bits));
}

static void state(void *self, struct state *s)
{
	struct ship *h = self;

	STATE(s, h->s);
	state_bytes(s, h->way, h->most_sets * h->ways * sizeof(*h->way));
	state_bytes(s, h->counter, h->p.entries * sizeof(*h->counter));
}

static const struct replace_ops ops = {.init = init,
	.victim = victim,
	.filled = filled,
	.used = used,
	.evicted = evicted,
	.emptied = emptied};

const struct plugin replace_ship = {
	.kind = "replacement",
	.name = "ship",
	.text = "Signature-based hit prediction: learns by PTX line whether lines are used again.",
	.size = sizeof(struct ship),
	.params = ship_params,
	.nparams = ARRAY_LEN(ship_params),
	.stats = ship_stats,
	.nstats = ARRAY_LEN(ship_stats),
	.ops = &ops,
	.state = state,
};
