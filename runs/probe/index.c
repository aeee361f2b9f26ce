/* How lines are mapped to sets. Two hypotheses, modulo and XORs of address bits, predict which
 * lines share a set; one whose predictions all come true is accepted. Else every set is found. */
#include "runs/probe/inside.h"

#define TRIALS 24
#define SCANNED 4096u /* lines, at most, whose membership is tested one by one */
#define PARTITIONED 640u
#define LEAST_POOL 2048u /* units: contiguous ones may overflow a set before others are in use */

static void say_sets(struct prober *p, struct level *l, const char *how, const char *evidence)
{
	uint64_t bytes = (uint64_t)l->sets * l->ways * l->unit;

	say(p, l->name, "capacity", (double)bytes, bytes_words(p, bytes),
		words(p, "sets x ways; of contiguous units of %s %u stay, %u do not",
			bytes_words(p, l->unit), l->capacity, l->capacity + 1));
	say(p, l->name, "sets", l->sets, words(p, "%u", l->sets), evidence);
	say(p, l->name, "ways", l->ways, words(p, "%u", l->ways),
		words(p, "%u units of a set stay, %u do not, and each of those is needed for that",
			l->ways, l->ways + 1));
	say(p, l->name, "index", 0, how, evidence);
}

/* ---- a hypothesis: unit number i of set s */
struct guess {
	uint32_t sets;
	uint32_t bits;     /* of unit numbers that the masks look at */
	uint32_t mask[32]; /* 0 of them: modulo; else parities */
	unsigned masks;
};

static uint32_t set_of(const struct guess *g, uint32_t unit)
{
	uint32_t set = 0;

	if (!g->masks)
		return unit % g->sets;
	for (unsigned i = 0; i < g->masks; i++)
		set |= (count_bits(unit & g->mask[i]) & 1) << i;
	return set;
}

/* A random unit of that set among `pool`, none of the n in the list. */
static uint32_t unit_of(struct prober *p, const struct guess *g, uint32_t set, uint32_t pool,
	const uint32_t *list, uint32_t n)
{
	for (;;) {
		uint32_t unit = rng_below(&p->rng, pool), i = 0;

		if (!g->masks)
			unit = unit / g->sets * g->sets + set;
		if (unit >= pool || set_of(g, unit) != set)
			continue;
		while (i < n && list[i] != unit)
			i++;
		if (i == n)
			return unit;
	}
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

/* `ways` units of a random set, and one more: of that set, or of another one. */
static bool predicts(struct prober *p, const struct level *l, const struct guess *g, uint32_t pool)
{
	uint32_t list[CACHE_MOST + 1] = {0}, n = 0, set = rng_below(&p->rng, g->sets);
	bool same = g->sets == 1 || rng_below(&p->rng, 2);
	uint32_t other = same ? set : (set + 1 + rng_below(&p->rng, g->sets - 1)) % g->sets;

	while (n < l->ways) {
		list[n] = unit_of(p, g, set, pool, list, n);
		n++;
	}
	list[n] = unit_of(p, g, other, pool, list, n);
	sort(list, n + 1);
	return level_stays(p, l, list, n + 1) != same && !p->overflow;
}

/* The number of contiguous units at which a set overflows. */
static bool predicts_capacity(const struct prober *p, const struct level *l, const struct guess *g)
{
	uint32_t *held = arena_alloc(p->arena, g->sets, sizeof(*held)), unit = 0;

	while (++held[set_of(g, unit)] <= l->ways)
		unit++;
	return unit == l->capacity;
}

static bool predicts_all(struct prober *p, const struct level *l, const struct guess *g)
{
	uint64_t most = PROBE_BUFFER / l->unit,
		 twice = max_u64(LEAST_POOL, 4ull * l->capacity + 4ull * g->sets);
	uint32_t pool = (uint32_t)min_u64(most, twice);

	if (g->masks)
		pool = 1u << g->bits;
	if (pool < (l->ways + 1) * g->sets || !predicts_capacity(p, l, g))
		return false;
	for (unsigned i = 0; i < TRIALS; i++)
		if (!predicts(p, l, g, pool))
			return false;
	return true;
}

static bool is_modulo(struct prober *p, struct level *l)
{
	struct guess g = {.sets = l->capacity / l->ways};

	if (l->capacity % l->ways || !predicts_all(p, l, &g))
		return false;
	l->sets = g.sets;
	say_sets(p, l,
		l->sets == 1 ? "fully associative" : words(p, "unit number modulo %u", l->sets),
		words(p,
			"capacity / (unit x ways), and %u of %u predictions of which units share a "
			"set came true",
			TRIALS, TRIALS));
	return true;
}

/* ---- XORs: the distances of a set's members are a linear subspace over GF(2) */
struct space {
	uint32_t row[32]; /* row[i] has bit i as its highest, or is 0 */
	unsigned rank;
};

static void space_add(struct space *s, uint32_t v)
{
	for (unsigned i = 32; i-- && v;) {
		if (!(v >> i & 1))
			continue;
		if (!s->row[i]) {
			s->row[i] = v;
			s->rank++;
			return;
		}
		v ^= s->row[i];
	}
}

/* Masks whose parity is 0 on the whole space: each is a bit without a row, and what it decides. */
static void complement(struct space *s, uint32_t bits, struct guess *g)
{
	for (unsigned i = 0; i < bits; i++)
		for (unsigned k = i + 1; k < bits; k++)
			if (s->row[i] && s->row[k] >> i & 1)
				s->row[k] ^= s->row[i];
	for (unsigned i = 0; i < bits; i++) {
		if (s->row[i])
			continue;
		g->mask[g->masks] = 1u << i;
		for (unsigned k = i + 1; k < bits; k++)
			if (s->row[k] >> i & 1)
				g->mask[g->masks] |= 1u << k;
		g->masks++;
	}
}

static const char *bits_words(struct prober *p, const struct level *l, const struct guess *g)
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
	kept = arena_strdup(p->arena, text_str(&t));
	text_clear(&t);
	return kept;
}

static bool is_linear(struct prober *p, struct level *l)
{
	struct guess g = {0};
	struct space space = {{0}, 0};
	uint32_t members = 0;

	while (1u << g.bits < 2 * l->capacity || 1u << g.bits < LEAST_POOL)
		g.bits++;
	if (1u << g.bits > SCANNED || (l->units && UINT64_C(1) << g.bits > PROBE_BUFFER / l->unit))
		return false;
	for (uint32_t d = 0; d < 1u << g.bits && !p->bad; d++)
		if (!d || sets_member(p, l, l->base[0] ^ d)) {
			space_add(&space, d);
			members++;
		}
	if (members != 1u << space.rank)
		return false;
	complement(&space, g.bits, &g);
	g.sets = 1u << g.masks;
	if (!predicts_all(p, l, &g))
		return false;
	l->sets = g.sets;
	say_sets(p, l, bits_words(p, l, &g),
		words(p,
			"of %u distances from a line those of its set are closed under XOR, and %u of "
			"%u predictions came true",
			1u << g.bits, TRIALS, TRIALS));
	return true;
}

void probe_index(struct prober *p, struct level *l)
{
	if (is_modulo(p, l) || is_linear(p, l) || p->bad)
		return;
	if (l->capacity <= PARTITIONED) {
		probe_partition(p, l);
		return;
	}
	say_not(p, l->name, "sets",
		words(p,
			"%u contiguous units stay and a set has %u ways, but neither modulo nor XORs "
			"of address bits predict which lines share a set",
			l->capacity, l->ways));
}
