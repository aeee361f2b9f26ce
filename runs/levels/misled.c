/* Which of the rule's two counts must be another for it to choose a given level: the rule itself is
 * asked again with each of them replaced. */
#include "runs/levels/levels.h"

#include <math.h>
#include <string.h>

#define SOME_INTERVAL 2.0

/* Levels up to the wanted one pass, those above it do not. */
static bool by_memory(const struct levels_ask *a, unsigned wanted)
{
	struct thread_level l[LEVELS_MOST];

	memcpy(l, a->level, a->n * sizeof(*l));
	for (unsigned k = 0; k < a->n; k++)
		l[k].intensity = k <= wanted ? INFINITY : 0;
	return levels_choose(&(struct levels_ask){l, a->n, a->cores, a->threshold}) == wanted;
}

/* An interval with which the search begins at another level. */
static bool by_interval(const struct levels_ask *a, unsigned wanted)
{
	struct thread_level l[LEVELS_MOST];

	memcpy(l, a->level, a->n * sizeof(*l));
	l[0].interval = SOME_INTERVAL;
	for (unsigned begin = 0; begin < a->n; begin++) {
		double cores = l[begin].threads / SOME_INTERVAL;

		if (levels_choose(&(struct levels_ask){l, a->n, cores, a->threshold}) == wanted)
			return true;
	}
	return false;
}

enum levels_count levels_misled(const struct levels_ask *a, unsigned wanted)
{
	bool memory, interval;

	if (levels_choose(a) == wanted)
		return COUNT_NONE;
	memory = by_memory(a, wanted);
	interval = by_interval(a, wanted);
	if (memory && interval)
		return COUNT_EITHER;
	if (memory)
		return COUNT_MEMORY;
	return interval ? COUNT_INTERVAL : COUNT_BOTH;
}

void levels_misled_words(const struct levels_ask *a, unsigned wanted, struct text *out)
{
	static const char *const names[] = {
		"", "accesses", "interval", "accesses or interval", "accesses and interval"};
	enum levels_count count = levels_misled(a, wanted);
	/* what kept it below the wanted level, or let it pass above it */
	unsigned chosen = levels_choose(a), k = chosen > wanted ? chosen : wanted;
	const struct thread_level *l = &a->level[k];

	if (!count)
		return;
	text_add(out, "misled by its count of %s:", names[count]);
	if (count != COUNT_INTERVAL)
		text_add(out, " %u of %u instructions at %u threads, intensity %.1f by %.1f%s",
			l->counted, l->instrs, l->threads, l->intensity, a->threshold,
			count == COUNT_MEMORY ? "" : ";");
	if (count != COUNT_MEMORY)
		text_add(out, " interval %.2f, %.0f lanes: begins at %.0f threads",
			a->level[0].interval, a->cores, a->level[0].interval * a->cores);
}
