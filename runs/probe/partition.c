/* Every set of a small cache or TLB, one after the other: a base is found, what is in its set is
 * taken out of the pool, until the rest stays. */
#include "runs/probe/inside.h"

#include <string.h>

static uint32_t rest_of(const struct partition *t, uint32_t *list)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->pool; i++)
		if (!t->set_of[i])
			list[n++] = i;
	return n;
}

#define CHUNK 16u

/* The units without a set in [from, from + n), after the base's but one: none of them is in its set
 * if all stay. Else halves are tried. */
static void take_members_of(
	struct prober *p, const struct level *l, struct partition *t, uint32_t from, uint32_t n)
{
	uint32_t list[CACHE_MOST + CHUNK], count = 0;

	for (uint32_t i = 0; i < l->ways; i++)
		list[count++] = l->base[i];
	for (uint32_t i = from; i < from + n; i++)
		if (!t->set_of[i])
			list[count++] = i;
	if (count == l->ways || level_stays(p, l, list, count))
		return;
	if (n == 1) {
		t->set_of[from] = t->sets;
		return;
	}
	take_members_of(p, l, t, from, n / 2);
	take_members_of(p, l, t, from + n / 2, n - n / 2);
}

static void take_members(struct prober *p, const struct level *l, struct partition *t)
{
	for (uint32_t i = 0; i <= l->ways; i++)
		t->set_of[l->base[i]] = t->sets;
	for (uint32_t i = 0; i < t->pool; i += CHUNK)
		take_members_of(p, l, t, i, (uint32_t)min_u64(CHUNK, t->pool - i));
}

/* 1: a set more; 0: the rest stays; -1: no least set was found. */
static int take_set(
	struct prober *p, struct level *l, struct partition *t, uint32_t *list, uint32_t *spare)
{
	uint32_t n = rest_of(t, list), base;

	if (!n || level_stays(p, l, list, n))
		return 0;
	base = sets_least(p, l, list, n, spare);
	if (base < 2 || base > CACHE_MOST || t->sets == SETS_MOST)
		return -1;
	l->base = list;
	l->ways = base - 1;
	t->sets++;
	take_members(p, l, t);
	t->ways[t->sets - 1] = base - 1;
	return p->bad || p->overflow ? -1 : 1;
}

/* How many contiguous units the sets say would stay. */
static uint32_t contiguous(const struct partition *t)
{
	uint32_t held[SETS_MOST + 1] = {0}, unit = 0;

	for (; unit < t->pool; unit++) {
		uint32_t set = t->set_of[unit];

		if (set && ++held[set] > t->ways[set - 1])
			break;
	}
	return unit;
}

static void sort_down(uint32_t *list, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		for (uint32_t j = i; j && list[j] > list[j - 1]; j--) {
			uint32_t kept = list[j];

			list[j] = list[j - 1];
			list[j - 1] = kept;
		}
}

static const char *ways_words(struct prober *p, const struct partition *t)
{
	struct text out = {0};
	const char *kept;
	uint32_t ways[SETS_MOST];

	memcpy(ways, t->ways, sizeof(ways));
	sort_down(ways, t->sets);
	for (uint32_t i = 0, n; i < t->sets; i += n) {
		for (n = 1; i + n < t->sets && ways[i + n] == ways[i];)
			n++;
		text_add(&out, "%s%u", i ? ", " : "", ways[i]);
		if (n > 1)
			text_add(&out, " (%u sets)", n);
	}
	kept = arena_strdup(p->arena, text_str(&out));
	text_clear(&out);
	return kept;
}

/* 0: they differ. */
static uint32_t equal_ways(const struct partition *t)
{
	for (uint32_t i = 1; i < t->sets; i++)
		if (t->ways[i] != t->ways[0])
			return 0;
	return t->ways[0];
}

static const char *map_words(struct prober *p, const struct partition *t)
{
	struct text out = {0};
	const char *kept;

	text_add(&out, "by table:");
	for (uint32_t i = 0; i < t->pool; i++)
		text_add(&out, " %u", t->set_of[i]);
	kept = arena_strdup(p->arena, text_str(&out));
	text_clear(&out);
	return kept;
}

/* A random unit of the set, or with `other` of another one, that the list has not. */
static uint32_t draw(struct prober *p, const struct partition *t, uint32_t set, bool other,
	const uint32_t *list, uint32_t n)
{
	for (;;) {
		uint32_t unit = rng_below(&p->rng, t->pool), i = 0;

		while (i < n && list[i] != unit)
			i++;
		if (i == n && (other ? t->set_of[unit] && t->set_of[unit] != set
				     : t->set_of[unit] == set))
			return unit;
	}
}

static uint32_t members_of(const struct partition *t, uint32_t set)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->pool; i++)
		n += t->set_of[i] == set;
	return n;
}

/* Random units of a set, as many as it has ways, and one more: of it, or of another. */
static bool predicts(struct prober *p, const struct level *l, const struct partition *t)
{
	uint32_t list[CACHE_MOST + 1] = {0}, set = 1 + rng_below(&p->rng, t->sets), n = 0;
	bool other = t->sets > 1 && rng_below(&p->rng, 2);

	if (members_of(t, set) <= t->ways[set - 1] || t->ways[set - 1] >= CACHE_MOST)
		return true;
	while (n < t->ways[set - 1]) {
		list[n] = draw(p, t, set, false, list, n);
		n++;
	}
	list[n] = draw(p, t, set, other, list, n);
	return level_stays(p, l, list, n + 1) == other;
}

static bool predicts_all(struct prober *p, const struct level *l, const struct partition *t)
{
	for (unsigned i = 0; i < 64; i++)
		if ((!l->fillers || t->sets > 1) && !predicts(p, l, t))
			return false;
	return true;
}

static void map_of(struct prober *p, const struct level *l, const struct partition *t)
{
	uint32_t *set = arena_alloc(p->arena, t->pool, sizeof(*set));
	uint32_t *ways = arena_alloc(p->arena, t->sets, sizeof(*ways));

	for (uint32_t i = 0; i < t->pool; i++)
		set[i] = t->set_of[i] ? t->set_of[i] - 1 : PROBE_NO_SET;
	memcpy(ways, t->ways, t->sets * sizeof(*ways));
	say_map(p, l,
		(struct probe_map){.n = t->pool, .set_of = set, .sets = t->sets, .ways = ways});
}

void partition_say(struct prober *p, struct level *l, const struct partition *t)
{
	const char *evidence = words(p, "sets of a pool of %u units, found one by one", t->pool);
	uint32_t sum = 0;
	uint64_t bytes;

	for (uint32_t i = 0; i < t->sets; i++)
		sum += t->ways[i];
	if (contiguous(t) != l->capacity) {
		say_none(p, l,
			words(p,
				"%u contiguous units stay, but by the %u ways of the sets that were "
				"found %u would",
				l->capacity, sum, contiguous(t)));
		return;
	}
	bytes = (uint64_t)sum * l->unit;
	l->sets = t->sets;
	say(p, l->name, "capacity", (double)bytes, bytes_words(p, bytes),
		words(p,
			"the sets' ways; of contiguous units of %s %u stay, %u do not, as they predict",
			bytes_words(p, l->unit), l->capacity, l->capacity + 1));
	say(p, l->name, "sets", t->sets, words(p, "%u", t->sets), evidence);
	say(p, l->name, "ways", equal_ways(t), ways_words(p, t), evidence);
	say(p, l->name, "index", 0, t->sets == 1 ? "fully associative" : map_words(p, t), evidence);
	map_of(p, l, t);
}

bool partition_find(struct prober *p, struct level *l, struct partition *t)
{
	uint32_t *spare = arena_alloc(p->arena, t->pool + 1, sizeof(*spare));
	int more;

	do {
		uint32_t *list = arena_alloc(p->arena, t->pool + 1, sizeof(*list));

		more = take_set(p, l, t, list, spare);
	} while (more > 0);
	return !more;
}

void probe_partition(struct prober *p, struct level *l)
{
	struct partition t = {.pool = (uint32_t)max_u64(1024, 2 * l->capacity + 64)};

	if (l->units && t.pool > PROBE_BUFFER / l->unit)
		t.pool = PROBE_BUFFER / l->unit;

	t.set_of = arena_alloc(p->arena, t.pool, sizeof(*t.set_of));
	if (!partition_find(p, l, &t))
		say_none(p, l,
			words(p,
				"%u contiguous units stay; after %u sets no least set was found in the "
				"rest of %u units",
				l->capacity, t.sets, t.pool));
	else if (!predicts_all(p, l, &t))
		say_none(p, l,
			"of the sets that were found, one by one, not all predictions come true");
	else
		partition_say(p, l, &t);
}
