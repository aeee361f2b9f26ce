/* Sets by parities of address bits: the distances of units that share a set are then a linear
 * subspace over GF(2), and random units of a set span it. That holds, too, where sets are a product
 * of parities and of the remainder of an address by an odd number, which those units have alike:
 * a slice by a hash, and in it a set by a number of sets that is no power of two. */
#include "runs/probe/inside.h"

#define BITS_MOST 23u
#define LEAST_BITS 11u /* contiguous units may overflow a set before others are in use */
#define SURE 14u       /* distances in a row that are no news */
#define TRIES 4000u
#define UNITS 64u         /* of the set, that are kept */
#define MODULUS_MOST 255u /* odd */
#define REPEATS 4u        /* of a modulus, at least, in what is looked at */

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

/* The remainder that all units have in common, by the largest odd number and shift: with the space
 * it is what they share. */
static void remainder_of(const uint32_t *unit, unsigned n, struct guess *g)
{
	uint32_t range = 1u << g->bits;

	g->modulus = 1;
	for (uint32_t shift = 0; range >> shift >= REPEATS; shift++)
		for (uint32_t m = MODULUS_MOST; m >= g->modulus && m > 1; m -= 2) {
			unsigned same = 1;

			if (range >> shift < REPEATS * m)
				continue;
			while (same < n && (unit[same] >> shift) % m == (unit[0] >> shift) % m)
				same++;
			if (same < n)
				continue;
			g->modulus = m;
			g->shift = shift;
			break;
		}
}

/* Their number: until SURE distances in a row are none that the space lacks; 0: there were none.
 */
static unsigned take_units(
	struct prober *p, const struct level *l, unsigned bits, struct space *space, uint32_t *unit)
{
	uint32_t *list = arena_alloc(p->arena, MEMBERS_CHUNK + CACHE_MOST, sizeof(*list));
	unsigned n = 0, known = 0;

	unit[n++] = l->base[0];
	for (uint32_t i = 1; i <= l->ways; i++)
		space_add(space, l->base[i] ^ l->base[0]);
	for (unsigned i = 0; i < TRIES && known < SURE && !p->bad; i++)
		if (member_random(p, l, 1u << bits, list, &unit[n])) {
			known = space_add(space, unit[n] ^ unit[0]) ? 0 : known + 1;
			n += n + 1 < UNITS;
		}
	return known < SURE ? 0 : n;
}

bool linear_guess(struct prober *p, struct level *l, struct guess *g)
{
	struct space space = {{0}, 0};
	uint32_t unit[UNITS];
	unsigned n;

	*g = (struct guess){.bits = LEAST_BITS};
	while (1u << g->bits < 4 * l->capacity || 1u << g->bits <= l->base[l->ways])
		g->bits++;
	if (g->bits > BITS_MOST || 1u << g->bits > PROBE_BUFFER / l->unit)
		return false;
	n = take_units(p, l, g->bits, &space, unit);
	if (!n)
		return false;
	complement(&space, g);
	remainder_of(unit, n, g);
	g->sets = g->modulus << g->masks;
	return g->sets > 1;
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
	if (g->masks)
		text_add(&t, " of the bits below %u", g->bits + low);
	if (g->modulus > 1)
		text_add(&t, "%saddress / %llu modulo %u", g->masks ? ", and " : "",
			(unsigned long long)l->unit << g->shift, g->modulus);
	kept = arena_strdup(p->arena, text_str(&t));
	text_clear(&t);
	return kept;
}
