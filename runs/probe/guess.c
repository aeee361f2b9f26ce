/* A hypothesis of how units are mapped to sets, and its predictions: as many units as a set has
 * ways, and one more, do not stay if that one is of the set, and stay if it is of another. */
#include "runs/probe/inside.h"

#define LEAST_POOL 2048u /* units: contiguous ones may overflow a set before others are in use */

static uint32_t set_of(const struct guess *g, uint32_t unit)
{
	uint32_t set = (unit >> g->shift) % g->modulus << g->masks;

	for (unsigned i = 0; i < g->masks; i++)
		set |= (count_bits(unit & g->mask[i]) & 1) << i;
	return set;
}

#define DRAWS 64u /* times the number of sets: then a set has no other unit */

/* Adds a random unit of that set among `pool`, none of the n in the list. False: there is none. */
static bool unit_of(struct prober *p, const struct guess *g, uint32_t set, uint32_t pool,
	uint32_t *list, uint32_t n)
{
	for (uint64_t draws = 0; draws < DRAWS * (g->sets + DRAWS); draws++) {
		uint32_t unit = rng_below(&p->rng, pool), i = 0;

		if (!g->masks)
			unit = (((unit >> g->shift) / g->sets * g->sets + set) << g->shift) |
			       (unit & ((1u << g->shift) - 1));
		if (unit >= pool || set_of(g, unit) != set)
			continue;
		while (i < n && list[i] != unit)
			i++;
		if (i == n) {
			list[n] = unit;
			return true;
		}
	}
	return false;
}

static void sort(uint32_t *list, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		for (uint32_t j = i; j && list[j] < list[j - 1]; j--) {
			uint32_t kept = list[j];

			list[j] = list[j - 1];
			list[j - 1] = kept;
		}
}

/* Where a level is shared a prediction that units stay is void in a set of which others have ways:
 * there not even as many units as it has ways stay. */
static bool is_occupied(
	struct prober *p, const struct level *l, struct guess *g, uint32_t *list, uint32_t n)
{
	sort(list, n);
	if (!l->shared || level_stays_once(p, l, list, n, 4))
		return false;
	g->occupied++;
	return true;
}

static bool predicts(struct prober *p, const struct level *l, struct guess *g, uint32_t pool)
{
	uint32_t list[CACHE_MOST + 1] = {0}, all[CACHE_MOST + 1];
	uint32_t n = 0, set = rng_below(&p->rng, g->sets);
	bool same = g->sets == 1 || rng_below(&p->rng, 2);
	uint32_t other = same ? set : (set + 1 + rng_below(&p->rng, g->sets - 1)) % g->sets;

	while (n < l->ways && unit_of(p, g, set, pool, list, n))
		n++;
	if (n < l->ways || !unit_of(p, g, other, pool, list, n))
		return false;
	for (uint32_t i = 0; i <= n; i++)
		all[i] = list[i];
	sort(all, n + 1);
	if (p->overflow)
		return false;
	return level_stays_once(p, l, all, n + 1,
		       !l->shared ? 1
		       : same     ? 2
				  : 6) != same ||
	       (!same && is_occupied(p, l, g, list, n));
}

/* The number of contiguous units at which a set overflows; others' lines make it less. */
static bool predicts_capacity(struct prober *p, const struct level *l, const struct guess *g)
{
	uint32_t *held = arena_alloc(p->arena, g->sets, sizeof(*held)), unit = 0;

	while (++held[set_of(g, unit)] <= l->ways)
		unit++;
	return unit == l->capacity || (l->shared && unit > l->capacity && unit / 4 < l->capacity);
}

/* More units than that would be needed to separate one set's ways from the capacity. */
static uint32_t pool_of(const struct level *l, const struct guess *g)
{
	uint64_t most = (PROBE_BUFFER - l->origin) / l->unit,
		 some = max_u64(LEAST_POOL, 4ull * l->capacity + (4ull * g->sets << g->shift));

	return g->masks ? 1u << g->bits : (uint32_t)min_u64(most, some);
}

#define MAPPED_LEAST 256u /* units, so that the pattern is seen */

void guess_map(struct prober *p, const struct level *l, const struct guess *g)
{
	uint32_t n = (uint32_t)max_u64(l->leaves, MAPPED_LEAST);
	uint32_t *set = arena_alloc(p->arena, n, sizeof(*set));
	uint32_t *ways = arena_alloc(p->arena, g->sets, sizeof(*ways));

	for (uint32_t i = 0; i < n; i++)
		set[i] = set_of(g, i);
	for (uint32_t i = 0; i < g->sets; i++)
		ways[i] = l->ways;
	say_map(p, l, (struct probe_map){.n = n, .set_of = set, .sets = g->sets, .ways = ways});
}

bool guess_units(
	struct prober *p, const struct level *l, const struct guess *g, uint32_t n, uint32_t *list)
{
	uint32_t set = rng_below(&p->rng, g->sets), pool = pool_of(l, g);

	for (uint32_t i = 0; i < n; i++)
		if (!unit_of(p, g, set, pool, list, i))
			return false;
	sort(list, n);
	return true;
}

#define SAMPLED 15u

uint32_t guess_ways(struct prober *p, const struct level *l, const struct guess *g)
{
	uint32_t ways[SAMPLED], most = 0, same = 0, list[CACHE_MOST];
	uint32_t n = (uint32_t)min_u64(2 * l->ways + 32, pool_of(l, g) / g->sets);

	n = n > CACHE_MOST ? CACHE_MOST : n;
	for (unsigned i = 0; i < SAMPLED; i++) {
		if (!guess_units(p, l, g, n, list))
			return 0;
		for (ways[i] = 1; ways[i] < n && level_stays(p, l, list, ways[i] + 1);)
			ways[i]++;
		most = ways[i] > most && ways[i] < n ? ways[i] : most;
	}
	for (unsigned i = 0; i < SAMPLED; i++)
		same += ways[i] == most;
	return same > SAMPLED / 2 ? most : 0;
}

bool guess_predicts(struct prober *p, const struct level *l, struct guess *g)
{
	uint32_t pool = pool_of(l, g);

	g->occupied = 0;
	if (pool < (uint64_t)(l->ways + 1) * g->sets || !predicts_capacity(p, l, g))
		return false;
	for (unsigned i = 0; i < PREDICTIONS && !p->bad; i++)
		if (!predicts(p, l, g, pool))
			return false;
	return g->occupied <= PREDICTIONS / 4;
}
