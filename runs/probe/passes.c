/* Cyclic passes over more contiguous units than stay (Mei et al., NPC 2014, sections 4.2 and 4.3,
 * figures 9 and 11): how many miss in each, whether passes miss alike, and which ways of a set are
 * evicted how often. */
#include "runs/probe/policy.h"

#define FOOTPRINTS 8u
#define BEFORE 8u /* passes until the steady state */
#define PASSES 100u
#define WAYS_TOLD 16u

/* Misses of PASSES passes in all; *alike: of each as many. */
static uint32_t pass(struct prober *p, const struct level *l, uint32_t n, bool *alike)
{
	uint32_t sum = 0;

	p->overflow = false;
	plan_start(p);
	for (uint32_t k = 0; k < BEFORE + PASSES; k++)
		for (uint32_t i = 0; i < n; i++)
			plan_add(p, level_address(l, i), l->path,
				k < BEFORE ? VERBS_TOUCH : VERBS_COUNT);
	plan_run(p, l->limit);
	*alike = true;
	for (uint32_t k = 0; k < p->nresults; k++) {
		sum += p->results[k];
		*alike &= p->results[k] == p->results[0];
	}
	return sum;
}

/* Units of the first pass may come from farther away: an unmeasured script brings them near. */
static void bring(struct prober *p, const struct level *l, uint32_t n)
{
	plan_start(p);
	for (uint32_t i = 0; i < n; i++)
		plan_add(p, level_address(l, i), l->path, VERBS_TOUCH);
	plan_run(p, l->limit);
}

static void add_dot(struct prober *p, const struct level *l, uint32_t n, double missed)
{
	if (p->bad || p->r->ndots == PROBE_DOTS)
		return;
	p->r->dots[p->r->ndots++] = (struct probe_dot){words(p, "%s" PROBE_IN_PASSES, l->name),
		l->unit, (double)l->unit * n, 100 * missed / n};
}

static void say_victims(struct prober *p, struct level *l)
{
	static const char *const items[WAYS_TOLD] = {"victims in way 1", "victims in way 2",
		"victims in way 3", "victims in way 4", "victims in way 5", "victims in way 6",
		"victims in way 7", "victims in way 8", "victims in way 9", "victims in way 10",
		"victims in way 11", "victims in way 12", "victims in way 13", "victims in way 14",
		"victims in way 15", "victims in way 16"};
	struct victims *v = arena_alloc(p->arena, 1, sizeof(*v));

	if (l->ways > WAYS_TOLD || l->ways == 1 || !policy_victims(p, l, v) || !v->n)
		return;
	for (uint32_t way = 0; way < l->ways; way++) {
		double share = 0;

		for (uint32_t i = 0; i < v->n; i++)
			share += (v->way[i] == way) / (double)v->n;
		say(p, l->name, items[way], share, words(p, "%.3f of them", share),
			words(p,
				"of %u, in cyclic passes over %u lines of a set; ways are numbered "
				"in the order in which they are filled",
				v->n, l->ways + 1));
	}
}

void probe_passes(struct prober *p, struct level *l)
{
	uint32_t sets = l->sets ? l->sets : l->capacity / l->ways, equal = 0;
	uint32_t step = sets > 4 ? sets / 4 : 1;

	if (l->apart || l->shared || !l->capacity)
		return;
	for (uint32_t k = 1; k <= FOOTPRINTS && !p->bad; k++) {
		uint32_t n = l->capacity + k * step, missed;
		bool alike;

		bring(p, l, n);
		missed = pass(p, l, n, &alike);
		equal += alike;
		add_dot(p, l, n, missed / (double)PASSES);
	}
	say(p, l->name, "footprints with equal passes", equal,
		words(p, "%u of %u", equal, FOOTPRINTS),
		words(p, "%u passes over %u to %u units miss alike", PASSES, l->capacity + step,
			l->capacity + FOOTPRINTS * step));
	say_victims(p, l);
}
