/* Replacement. Candidates predict which accesses of sequences hit; one that predicts all is
 * reported. What the candidates need is read off cyclic passes over ways + 1 units of a set: one
 * unit is missing at any time, and the next that misses is the one that was evicted. */
#include "runs/probe/policy.h"

#include <string.h>

#define SEQUENCES 8
#define STEPS 90
#define STEPS_LEAST 8u
#define VICTIMS VICTIMS_MOST

/* ---- a set of a candidate: units are numbered 0 .. ways */
struct model {
	struct candidate c; /* a copy: by a pointer gcc 12 at -O1 loses what it points to */
	uint32_t ways, used, clock, next;
	uint32_t at[CACHE_MOST + 1];    /* by way: its unit + 1; 0: none */
	uint32_t since[CACHE_MOST + 1]; /* by way: the clock of its use, or fill */
	uint64_t tree; /* by node, from 1 on: the next victim is in its upper half */
};

#define TREE_MOST 32u /* ways */

static uint32_t tree_way(const struct model *m)
{
	uint32_t node = 1;

	while (node < m->ways)
		node = 2 * node + (m->tree >> node & 1);
	return node - m->ways;
}

/* All nodes above the way point to where it is not. */
static void tree_use(struct model *m, uint32_t way)
{
	for (uint32_t node = way + m->ways; node > 1; node /= 2) {
		uint64_t bit = UINT64_C(1) << node / 2;

		m->tree = node & 1 ? m->tree & ~bit : m->tree | bit;
	}
}

static uint32_t victim_of(const struct model *m)
{
	uint32_t way = 0;

	if (m->c.kind == KIND_LISTED)
		return m->c.order[m->next % m->c.period];
	if (m->c.kind == KIND_TREE)
		return tree_way(m);
	for (uint32_t i = 1; i < m->ways; i++)
		if (m->since[i] < m->since[way])
			way = i;
	return way;
}

static bool model_access(struct model *m, uint32_t unit)
{
	uint32_t way = 0;

	while (way < m->used && m->at[way] != unit + 1)
		way++;
	m->clock++;
	if (way < m->used) {
		if (m->c.kind == KIND_LRU)
			m->since[way] = m->clock;
		if (m->c.kind == KIND_TREE)
			tree_use(m, way);
		return true;
	}
	if (m->used < m->ways) {
		m->used++;
	} else {
		way = victim_of(m);
		m->next++;
	}
	m->at[way] = unit + 1;
	m->since[way] = m->clock;
	if (m->c.kind == KIND_TREE)
		tree_use(m, way);
	return false;
}

static uint32_t missing(const struct model *m)
{
	for (uint32_t unit = 0; unit <= m->ways; unit++) {
		uint32_t way = 0;

		while (way < m->used && m->at[way] != unit + 1)
			way++;
		if (way == m->used)
			return unit;
	}
	return 0;
}

/* The address of filler i is as far from the one before as that from its own. */
static bool goes_on(const struct level *l, uint32_t i)
{
	return level_address(l, l->filler[i]) - level_address(l, l->filler[i - 1]) ==
	       level_address(l, l->filler[i - 1]) - level_address(l, l->filler[i - 2]);
}

/* With fillers a step takes more of a script's segments. */
static uint32_t steps_of(const struct level *l)
{
	uint32_t each = 1, most;

	for (uint32_t i = 0, run = 0; i < l->fillers; i++, run++)
		if (!run || (run > 1 && !goes_on(l, i))) {
			run = 0;
			each++;
		}
	most = l->ways < VERBS_SEGMENTS ? (VERBS_SEGMENTS - l->ways) / each : 0;
	return most > STEPS ? STEPS : most;
}

/* ---- sequences that candidates differ in: what one of them misses next, or any unit */
static uint32_t make_sequence(struct prober *p, const struct level *l, uint32_t *list)
{
	struct model a = {.c = {.kind = KIND_LRU}, .ways = l->ways};
	struct model b = {.c = {.kind = KIND_FIFO}, .ways = l->ways};
	uint32_t n = l->ways + steps_of(l);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t pick = rng_below(&p->rng, 4);

		list[i] = i < l->ways ? i
			  : pick == 0 ? missing(&a)
			  : pick == 1 ? missing(&b)
				      : rng_below(&p->rng, l->ways + 1);
		model_access(&a, list[i]);
		model_access(&b, list[i]);
	}
	return n;
}

struct sequence {
	uint32_t unit[CACHE_MOST + STEPS];
	bool hit[CACHE_MOST + STEPS];
	uint32_t n;
};

static void observe(struct prober *p, const struct level *l, struct sequence *s)
{
	uint32_t units[CACHE_MOST + STEPS];

	s->n = make_sequence(p, l, s->unit);
	for (uint32_t i = 0; i < s->n; i++)
		units[i] = l->base[s->unit[i]];
	level_sequence(p, l, units, s->n, s->hit);
}

static bool explains_from(
	const struct candidate *c, uint32_t ways, const struct sequence *s, uint32_t start)
{
	struct model m = {.c = *c, .ways = ways, .next = start};

	for (uint32_t i = 0; i < s->n; i++)
		if (model_access(&m, s->unit[i]) != s->hit[i])
			return false;
	return true;
}

/* A list may begin anywhere. */
static bool explains(const struct candidate *c, uint32_t ways, const struct sequence *s)
{
	for (uint32_t start = 0; start < (c->kind == KIND_LISTED ? c->period : 1); start++)
		if (explains_from(c, ways, s, start))
			return true;
	return false;
}

static bool explains_all(const struct candidate *c, uint32_t ways, const struct sequence *s)
{
	for (unsigned i = 0; i < SEQUENCES; i++)
		if (!explains(c, ways, &s[i]))
			return false;
	return true;
}

/* ---- victims of cyclic passes */
static uint32_t passes_of(const struct level *l)
{
	uint32_t n = l->ways + 1, segments = 1;

	for (uint32_t i = 2; i < n; i++)
		segments += l->base[i] - l->base[i - 1] != l->base[1] - l->base[0];
	return (uint32_t)min_u64(VERBS_SEGMENTS / (segments + 1), VERBS_RESULTS / n);
}

/* Reads them off one script's hits; adds to `victim`. False: what missed was not kept. */
static bool read_victims(
	const struct level *l, const bool *hit, uint32_t accesses, struct victims *v)
{
	uint32_t way_of[CACHE_MOST + 1], n = l->ways + 1, filled = l->ways;

	for (uint32_t i = 0; i < n; i++)
		way_of[i] = i;
	for (uint32_t i = n; i < accesses && v->n < VICTIMS; i++) {
		uint32_t unit = i % n;

		if (hit[i])
			continue;
		if (unit == filled)
			return false;
		way_of[filled] = way_of[unit];
		v->way[v->n++] = (uint16_t)way_of[unit];
		filled = unit;
	}
	return true;
}

static bool cycle(struct prober *p, const struct level *l, struct victims *v)
{
	uint32_t n = (l->ways + 1) * passes_of(l);
	uint32_t *units = arena_alloc(p->arena, n + 1, sizeof(*units));
	bool *hit = arena_alloc(p->arena, n + 1, sizeof(*hit));

	for (uint32_t i = 0; i < n; i++)
		units[i] = l->base[i % (l->ways + 1)];
	level_sequence(p, l, units, n, hit);
	return !p->overflow && !p->bad && read_victims(l, hit, n, v);
}

/* The least period of all of them; 0: none below 65 that is seen three times. */
static uint32_t period_of(const struct victims *v)
{
	for (uint32_t period = 1; period <= 64 && period * 3 <= v->n; period++) {
		uint32_t i = period;

		while (i < v->n && v->way[i] == v->way[i - period])
			i++;
		if (i == v->n)
			return period;
	}
	return 0;
}

static bool is_listed(
	struct prober *p, const struct level *l, const struct sequence *s, struct candidate *c)
{
	struct victims *v = arena_alloc(p->arena, 1, sizeof(*v));

	if (!cycle(p, l, v))
		return false;
	*c = (struct candidate){.kind = KIND_LISTED, .period = period_of(v)};
	for (uint32_t i = 0; i < c->period; i++)
		c->order[i] = v->way[i];
	return c->period && explains_all(c, l->ways, s);
}

static const char *order_words(struct prober *p, const struct candidate *c)
{
	struct text t = {0};
	const char *kept;

	text_add(&t, "ways in the order");
	for (uint32_t i = 0; i < c->period; i++)
		text_add(&t, "%s%u", i ? "," : " ", c->order[i]);
	kept = arena_strdup(p->arena, text_str(&t));
	text_clear(&t);
	return kept;
}

static const struct {
	enum candidate_kind kind;
	const char *name;
} orders[] = {{KIND_LRU, "LRU"}, {KIND_FIFO, "FIFO"}, {KIND_TREE, "pseudo-LRU tree"}};

/* Of the set of the base. */
static struct verdict verdict_of(struct prober *p, const struct level *l)
{
	struct candidate listed;
	const char *found = NULL;
	struct sequence *s = arena_alloc(p->arena, SEQUENCES, sizeof(*s));
	const char *told = words(p, "all hits and misses of %u sequences of %u accesses to a set",
		SEQUENCES, l->ways + steps_of(l));

	for (unsigned i = 0; i < SEQUENCES; i++)
		observe(p, l, &s[i]);
	if (p->overflow || steps_of(l) < STEPS_LEAST)
		return (struct verdict){NULL, "a sequence is longer than a script"};
	for (unsigned i = 0; i < ARRAY_LEN(orders); i++) {
		struct candidate c = {.kind = orders[i].kind};

		if (c.kind == KIND_TREE &&
			(l->ways < 4 || l->ways > TREE_MOST || l->ways & (l->ways - 1)))
			continue;
		if (!explains_all(&c, l->ways, s))
			continue;
		if (found)
			return (struct verdict){NULL,
				words(p, "both %s and %s predict %s", found, orders[i].name, told)};
		found = orders[i].name;
	}
	if (found)
		return (struct verdict){found, told};
	if (is_listed(p, l, s, &listed))
		return (struct verdict){order_words(p, &listed), told};
	return random_verdict(p, l);
}

#define SETS_TRIED 6u

/* Where others' lines may come into a set during a sequence, a set that some policy explains
 * counts. */
void probe_policy(struct prober *p, struct level *l)
{
	struct verdict v = {NULL, "no set was tried"};

	if (l->ways == 1) {
		say(p, l->name, "replacement", 0, "none: one way", "a set has one way");
		return;
	}
	for (unsigned i = 0; i < (l->shared && l->guess ? SETS_TRIED : 1); i++) {
		if (l->shared && l->guess) {
			l->base = arena_alloc(p->arena, l->ways + 1, sizeof(*l->base));
			if (!guess_units(p, l, l->guess, l->ways + 1, l->base) ||
				!level_stays(p, l, l->base, l->ways)) {
				v = (struct verdict){NULL, "others have ways of the sets tried"};
				continue;
			}
		}
		v = verdict_of(p, l);
		if (v.value)
			break;
	}
	if (v.value)
		say(p, l->name, "replacement", 0, v.value, v.text);
	else
		say_not(p, l->name, "replacement", v.text);
}

bool policy_victims(struct prober *p, const struct level *l, struct victims *v)
{
	for (unsigned i = 0; i < 400 && v->n < VICTIMS; i++)
		if (!cycle(p, l, v))
			return false;
	return true;
}
