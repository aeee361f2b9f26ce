/* How units are mapped to sets. Hypotheses, modulo, XORs of address bits and the product of both,
 * predict which units share a set; one whose predictions all come true is accepted. Else every set
 * is found. */
#include "runs/probe/inside.h"

#define PARTITIONED 640u
#define GROUP_MOST 64u       /* consecutive units of one set */
#define PERIOD_MOST 1048576u /* units */

static const char *evidence_of(struct prober *p, const struct guess *g, const char *how)
{
	if (g->occupied)
		return words(p,
			"%s, and %u of %u predictions of which units share a set came true, except in "
			"%u sets of which others (code, parameters, page table) have ways",
			how, PREDICTIONS, PREDICTIONS, g->occupied);
	return words(p, "%s, and %u of %u predictions of which units share a set came true", how,
		PREDICTIONS, PREDICTIONS);
}

static void say_sets(struct prober *p, struct level *l, const struct guess *g, const char *index,
	const char *how)
{
	uint64_t bytes = (uint64_t)g->sets * l->ways * l->unit;
	const char *evidence = evidence_of(p, g, how);

	l->sets = g->sets;
	say(p, l->name, "capacity", (double)bytes, bytes_words(p, bytes),
		words(p, "sets x ways; of contiguous units of %s %u stay, %u do not",
			bytes_words(p, l->unit), l->capacity, l->leaves));
	say(p, l->name, "sets", l->sets, words(p, "%u", l->sets), evidence);
	say(p, l->name, "ways", l->ways, words(p, "%u", l->ways),
		words(p, "%u units of a set stay, %u do not, and each of those is needed for that",
			l->ways, l->ways + 1));
	say(p, l->name, "index", 0, index, evidence);
	guess_map(p, l, g);
}

/* Consecutive units that share the set of the base's first: their number, a power of two. */
static uint32_t group_of(struct prober *p, const struct level *l, uint32_t *first)
{
	uint32_t n = 1, at = l->base[0];

	while (n <= GROUP_MOST && sets_member(p, l, at + n))
		n++;
	while (n <= GROUP_MOST && at && sets_member(p, l, at - 1)) {
		at--;
		n++;
	}
	*first = at;
	return n <= GROUP_MOST && !(n & (n - 1)) && !(at % n) ? n : 0;
}

static const char *modulo_words(struct prober *p, const struct level *l, const struct guess *g)
{
	if (g->sets == 1)
		return "fully associative";
	if (!g->shift)
		return words(p, "unit number modulo %u", g->sets);
	return words(p, "address / %u modulo %u", l->unit << g->shift, g->sets);
}

/* Where others have lines, the ways of most sets count, not those of the base's. */
static bool accept(struct prober *p, struct level *l, struct guess *g)
{
	uint32_t before = l->ways;

	if (l->shared && g->sets > 1)
		l->ways = guess_ways(p, l, g);
	if (l->ways && guess_predicts(p, l, g))
		return true;
	l->ways = before;
	return false;
}

/* The distance to the next unit of the set gives their number. */
static bool modulo_guess(struct prober *p, const struct level *l, struct guess *g)
{
	uint32_t first, group = group_of(p, l, &first);
	uint32_t next = group ? sets_next(p, l, first + group - l->base[0], PERIOD_MOST) : 0;

	*g = (struct guess){0};
	if (!next || (next + l->base[0] - first) % group)
		return false;
	g->shift = low_bit(group);
	g->modulus = g->sets = (next + l->base[0] - first) / group;
	return g->sets > 1;
}

/* Where others had ways of the base's set, what was found is a multiple. */
static void divide(struct prober *p, struct level *l, struct guess *g)
{
	static const uint32_t primes[] = {2, 3, 5, 7, 11, 13};

	for (unsigned i = 0; l->shared && i < ARRAY_LEN(primes);) {
		struct guess less = *g;

		less.sets /= primes[i];
		less.modulus /= primes[i];
		if (g->modulus % primes[i] == 0 && less.sets > 1 && guess_predicts(p, l, &less))
			*g = less;
		else
			i++;
	}
}

static bool accept_modulo(struct prober *p, struct level *l, struct guess *g)
{
	if (!modulo_guess(p, l, g) || !accept(p, l, g))
		return false;
	divide(p, l, g);
	return true;
}

/* One parity less: those of i, j and k are odd together or not at all; i = j, j = k: fewer. */
static struct guess one_less(const struct guess *g, unsigned i, unsigned j, unsigned k)
{
	struct guess less = *g;

	less.mask[j] ^= j != i ? g->mask[i] : 0;
	less.mask[k] ^= k != j ? g->mask[i] : 0;
	less.sets /= 2;
	less.mask[i] = less.mask[--less.masks];
	return less;
}

/* Whether a guess with one parity less predicts as much: all units seen of the set may have had it
 * by chance. */
static bool lessen(struct prober *p, struct level *l, struct guess *g)
{
	for (unsigned i = 0; i < g->masks && g->sets > 2 && !p->bad; i++)
		for (unsigned j = i; j < g->masks; j++)
			for (unsigned k = j; k < g->masks; k++) {
				struct guess less = one_less(g, i, j, k);

				if ((k == j || j > i) && guess_predicts(p, l, &less)) {
					*g = less;
					return true;
				}
			}
	return false;
}

static bool accept_linear(struct prober *p, struct level *l, struct guess *g)
{
	if (!linear_guess(p, l, g) || !accept(p, l, g))
		return false;
	while ((l->shared || g->modulus > 1) && lessen(p, l, g))
		;
	divide(p, l, g);
	return true;
}

void probe_index(struct prober *p, struct level *l)
{
	struct guess *g = arena_alloc(p->arena, 1, sizeof(*g));

	*g = (struct guess){.sets = 1, .modulus = 1};
	l->guess = g;
	if ((l->capacity == l->ways && accept(p, l, g)) || accept_modulo(p, l, g)) {
		say_sets(p, l, g, modulo_words(p, l, g), "the distance to the next unit of a set");
		return;
	}
	if (accept_linear(p, l, g)) {
		say_sets(p, l, g, linear_words(p, l, g),
			g->modulus > 1 ? "the distances of units that share a set are of a space "
					 "under XOR, and those units leave the same remainder"
				       : "the distances of units that share a set are closed under "
					 "XOR");
		return;
	}
	l->guess = NULL;
	if (!l->shared && l->capacity <= PARTITIONED && !p->bad)
		probe_partition(p, l);
	else
		say_none(p, l,
			words(p,
				"%u contiguous units stay and a set has %u ways, but neither modulo, "
				"nor XORs of address bits, nor both together predict which units "
				"share a set",
				l->capacity, l->ways));
}
