/* Sets by parities of address bits: the distances of units that share a set are then a linear
 * subspace over GF(2), and random units of a set span it. */
#include "runs/probe/inside.h"

#define BITS_MOST 20u
#define LEAST_BITS 11u /* contiguous units may overflow a set before others are in use */
#define SURE 14u       /* distances in a row that are no news */
#define TRIES 400u

struct space {
	uint32_t row[32]; /* row[i] has bit i as its highest, or is 0 */
	unsigned rank;
};

/* Whether it was none of the space. */
static bool space_add(struct space *s, uint32_t v)
{
	for (unsigned i = 32; i-- && v;) {
		if (!(v >> i & 1))
			continue;
		if (!s->row[i]) {
			s->row[i] = v;
			s->rank++;
			return true;
		}
		v ^= s->row[i];
	}
	return false;
}

/* Masks whose parity is 0 on the whole space: each is a bit without a row, and what it decides. */
static void complement(struct space *s, struct guess *g)
{
	for (unsigned i = 0; i < g->bits; i++)
		for (unsigned k = i + 1; k < g->bits; k++)
			if (s->row[i] && s->row[k] >> i & 1)
				s->row[k] ^= s->row[i];
	for (unsigned i = 0; i < g->bits; i++) {
		if (s->row[i])
			continue;
		g->mask[g->masks] = 1u << i;
		for (unsigned k = i + 1; k < g->bits; k++)
			if (s->row[k] >> i & 1)
				g->mask[g->masks] |= 1u << k;
		g->masks++;
	}
}

/* The base but its last, then n units of a progression: how many until they do not stay; 0: all
 * stay. */
static uint32_t until_one(struct prober *p, const struct level *l, uint32_t *list, uint32_t n)
{
	uint32_t stay = 0, leave = 1;

	while (leave < n && level_stays(p, l, list, l->ways + leave)) {
		stay = leave;
		leave *= 2;
	}
	if (leave >= n)
		return 0;
	while (leave - stay > 1) {
		uint32_t middle = stay + (leave - stay) / 2;

		if (level_stays(p, l, list, l->ways + middle))
			stay = middle;
		else
			leave = middle;
	}
	return leave;
}

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

/* A random unit of the base's set: the first in a random progression; 0: none was found. */
static uint32_t random_member(
	struct prober *p, const struct level *l, uint32_t bits, uint32_t *list, uint32_t n)
{
	uint32_t all = 1u << bits, at = rng_below(&p->rng, all);
	uint32_t step = 1 + rng_below(&p->rng, all / 32), found;

	for (uint32_t i = 0; i < l->ways; i++)
		list[i] = l->base[i];
	for (uint32_t i = 0; i < n; i++)
		list[l->ways + i] = (at + i * step) % all;
	found = until_one(p, l, list, n);
	if (!found || p->overflow || !sets_member(p, l, list[l->ways + found - 1]) ||
		is_entry(p, l, list[l->ways + found - 1]))
		return 0;
	return list[l->ways + found - 1];
}

bool linear_guess(struct prober *p, struct level *l, struct guess *g)
{
	struct space space = {{0}, 0};
	uint32_t known = 0, *list, most = 2 * l->capacity + 16;

	*g = (struct guess){.bits = LEAST_BITS};
	while (1u << g->bits < 4 * l->capacity || 1u << g->bits <= l->base[l->ways])
		g->bits++;
	if (g->bits > BITS_MOST || 1u << g->bits > PROBE_BUFFER / l->unit)
		return false;
	list = arena_alloc(p->arena, most + CACHE_MOST, sizeof(*list));
	for (uint32_t i = 1; i <= l->ways; i++)
		space_add(&space, l->base[i] ^ l->base[0]);
	for (unsigned i = 0; i < TRIES && known < SURE && !p->bad; i++) {
		uint32_t unit = random_member(p, l, g->bits, list, most);

		if (unit)
			known = space_add(&space, unit ^ l->base[0]) ? 0 : known + 1;
		if (space.rank == g->bits)
			return false;
	}
	if (known < SURE)
		return false;
	complement(&space, g);
	g->sets = 1u << g->masks;
	return true;
}

const char *linear_words(struct prober *p, const struct level *l, const struct guess *g)
{
	struct text t = {0};
	const char *kept;
	unsigned low = low_bit(l->unit);

	for (unsigned i = 0; i < g->masks; i++) {
		text_add(&t, i ? "," : "address bits ");
		for (unsigned b = 0, any = 0; b < 32; b++)
			if (g->mask[i] >> b & 1)
				text_add(&t, any++ ? "^%u" : "%u", b + low);
	}
	text_add(&t, " of the bits below %u", g->bits + low);
	kept = arena_strdup(p->arena, text_str(&t));
	text_clear(&t);
	return kept;
}
