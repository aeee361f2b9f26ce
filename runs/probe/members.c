/* Random units of the set of a level's base. */
#include "runs/probe/inside.h"

#define NEAR_BYTES 4096u /* of one page */
#define NEIGHBOURS 3u

/* Table entries are in lines of a shared level: a page whose entry is in the set makes all of its
 * units seem to be of it. */
static bool is_entry(struct prober *p, const struct level *l, uint32_t unit)
{
	uint32_t near = l->unit < NEAR_BYTES ? NEAR_BYTES / l->unit : 1;

	if (!l->shared || near < 2)
		return false;
	for (unsigned i = 0; i < NEIGHBOURS; i++)
		if (!sets_member(p, l, unit ^ (1 + rng_below(&p->rng, near - 1))))
			return false;
	return true;
}

/* A number of units, of which one is of the set now and then, while other sets hardly get more than
 * they have ways. */
static uint32_t chunk_of(const struct level *l, uint32_t all)
{
	uint32_t sets = l->capacity / l->ways;
	uint32_t n = sets / (l->ways >= 8 ? 2 : l->ways >= 4 ? 4 : 16);

	n = n < MEMBERS_CHUNK ? n : MEMBERS_CHUNK;
	n = n < all / 4 ? n : all / 4;
	return n ? n : 1;
}

/* The base but its last, then n units of a progression. */
static bool stays_before(struct prober *p, const struct level *l, uint32_t *list, uint32_t first,
	uint32_t step, uint32_t n)
{
	for (uint32_t i = 0; i < l->ways; i++)
		list[i] = l->base[i];
	for (uint32_t i = 0; i < n; i++)
		list[l->ways + i] = first + i * step;
	return level_stays(p, l, list, l->ways + n);
}

bool member_random(
	struct prober *p, const struct level *l, uint32_t all, uint32_t *list, uint32_t *unit)
{
	uint32_t n = chunk_of(l, all), step = 1 + rng_below(&p->rng, all / (2 * n));
	uint32_t first = rng_below(&p->rng, all - n * step);

	if (stays_before(p, l, list, first, step, n))
		return false;
	while (n > 1 && !p->overflow) {
		uint32_t half = n / 2;

		if (stays_before(p, l, list, first, step, half)) {
			first += half * step;
			n -= half;
		} else {
			n = half;
		}
	}
	*unit = first;
	return !p->overflow && sets_member(p, l, first) && !is_entry(p, l, first);
}
