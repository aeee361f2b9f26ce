/* Replacement: dynamic re-reference interval prediction (Jaleel et al., ISCA 2010, sections 3 and
 * 4).
 *
 * A line's RRPV predicts the distance of its next use; a use sets it to 0, and the victim is a line
 * with the maximum, 2^bits - 1; when no line has it, all lines of the set age. SRRIP inserts lines
 * at one less than the maximum, BRRIP inserts nearly all of them at the maximum, so that a part of
 * a working set that is too large stays in the cache. A few leader sets always use SRRIP, as many
 * BRRIP, and their misses decide which of them all other sets use: set dueling, hit priority. */
#include "mem/replace.h"

#include "core/base.h"
#include "core/state.h"

#include <string.h>

#define PARAMS(P, T) \
	P(T, UINT, bits, 2, 1, 7, "bits", "Width of a line's predicted re-reference interval.") \
	P(T, UINT, bimodal, 32, 1, 65536, "fills", \
		"BRRIP inserts one of this many lines as SRRIP does, chosen at random.") \
	P(T, UINT, leaders, 32, 1, 65536, "sets", \
		"Sets that always use SRRIP, and as many that use BRRIP; in a small cache one of " \
		"32 each, at least one.") \
	P(T, UINT, selector_bits, 10, 2, 31, "bits", \
		"Width of the counter of the leader sets' misses.")

#define STATS(S, T) \
	S(T, COUNT, fills_srrip, "lines", "Lines inserted by SRRIP.") \
	S(T, COUNT, fills_brrip, "lines", "Lines inserted by BRRIP.")

struct drrip {
	struct {
		PARAMS(PARAM_FIELD, drrip)
	} p;
	struct {
		STATS(STAT_FIELD, drrip)
	} s;
	uint8_t *rrpv; /* by set * ways + way */
	uint64_t most_sets, sets;
	unsigned ways;
	uint64_t apart;    /* sets from one leader of a kind to the next */
	uint32_t selector; /* misses of SRRIP's leaders increment, of BRRIP's decrement */
};

TABLES(drrip, PARAMS, STATS);

enum kind { FOLLOWS, LEADS_SRRIP, LEADS_BRRIP };

static uint8_t distant(const struct drrip *d)
{
	return (uint8_t)((1u << d->p.bits) - 1);
}

static void duel(struct drrip *d, uint64_t sets)
{
	uint64_t leaders = max_u64(min_u64(d->p.leaders, sets / 32), 1);

	d->sets = sets;
	d->apart = max_u64(sets / leaders, 1);
}

static void init(void *self, uint64_t sets, unsigned ways, struct arena *arena)
{
	struct drrip *d = self;

	d->rrpv = arena_alloc(arena, sets * ways, sizeof(*d->rrpv));
	d->most_sets = sets;
	d->ways = ways;
	d->selector = 1u << (d->p.selector_bits - 1);
	duel(d, sets);
}

static void emptied(void *self, uint64_t sets)
{
	struct drrip *d = self;

	memset(d->rrpv, 0, d->most_sets * d->ways * sizeof(*d->rrpv));
	duel(d, sets);
}

static enum kind kind_of(const struct drrip *d, uint64_t set)
{
	uint64_t at = set % d->apart;

	if (d->apart < 2)
		return FOLLOWS;
	return at == 0 ? LEADS_SRRIP : at == d->apart / 2 ? LEADS_BRRIP : FOLLOWS;
}

static unsigned victim(
	const void *self, uint64_t set, const struct cache_access *access, struct rng *rng)
{
	const struct drrip *d = self;
	const uint8_t *rrpv = d->rrpv + set * d->ways;
	unsigned farthest = 0;

	(void)access;
	(void)rng;
	for (unsigned i = 1; i < d->ways; i++)
		if (rrpv[i] > rrpv[farthest])
			farthest = i;
	return farthest;
}

/* All lines age until the victim's RRPV is the maximum. */
static void evicted(void *self, uint64_t set, unsigned way, uint64_t line)
{
	struct drrip *d = self;
	uint8_t *rrpv = d->rrpv + set * d->ways, older = (uint8_t)(distant(d) - rrpv[way]);

	(void)line;
	for (unsigned i = 0; i < d->ways; i++)
		rrpv[i] = (uint8_t)(rrpv[i] + older);
}

/* A miss in a leader set votes against its policy. */
static bool uses_brrip(struct drrip *d, uint64_t set)
{
	uint32_t most = (1u << d->p.selector_bits) - 1;

	switch (kind_of(d, set)) {
	case LEADS_SRRIP:
		d->selector += d->selector < most;
		return false;
	case LEADS_BRRIP:
		d->selector -= d->selector > 0;
		return true;
	default:
		return d->selector > most / 2 + 1;
	}
}

static void filled(
	void *self, uint64_t set, unsigned way, const struct cache_access *access, struct rng *rng)
{
	struct drrip *d = self;
	bool brrip = uses_brrip(d, set);
	bool far = brrip && rng_below(rng, (uint32_t)d->p.bimodal);

	(void)access;
	d->s.fills_srrip += !brrip;
	d->s.fills_brrip += brrip;
	d->rrpv[set * d->ways + way] = (uint8_t)(distant(d) - !far);
}

/* A fill for a partly valid line is not a use of it. */
static void used(void *self, uint64_t set, unsigned way, const struct cache_access *access)
{
	struct drrip *d = self;

	if (!access->fill)
		d->rrpv[set * d->ways + way] = 0;
}

static void state(void *self, struct state *s)
{
	struct drrip *d = self;

	STATE(s, d->s);
	STATE(s, d->sets);
	STATE(s, d->apart);
	STATE(s, d->selector);
	state_bytes(s, d->rrpv, d->most_sets * d->ways * sizeof(*d->rrpv));
}

static const struct replace_ops ops = {.init = init,
	.victim = victim,
	.filled = filled,
	.used = used,
	.evicted = evicted,
	.emptied = emptied};

const struct plugin replace_drrip = {
	.kind = "replacement",
	.name = "drrip",
	.text = "Dynamic re-reference interval prediction: resists scans and thrashing.",
	.size = sizeof(struct drrip),
	.params = drrip_params,
	.nparams = ARRAY_LEN(drrip_params),
	.stats = drrip_stats,
	.nstats = ARRAY_LEN(drrip_stats),
	.ops = &ops,
	.state = state,
};
