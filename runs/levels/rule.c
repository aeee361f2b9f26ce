/* The level of concurrency of Hayes and Zhang (ICS 2014, figure 5). Figure and text differ: the way
 * down ends at the original level or at the largest without local spills, whichever is higher, and
 * on the way up a level that fails does not end the search. */
#include "runs/levels/levels.h"

static bool is_high(const struct levels_ask *a, unsigned k)
{
	return a->level[k].intensity > a->threshold;
}

static unsigned first_level(const struct levels_ask *a, double threads)
{
	unsigned k = 0;

	while (k + 1 < a->n && a->level[k].threads < threads)
		k++;
	return k;
}

static unsigned without_spills(const struct levels_ask *a)
{
	unsigned fits = 0;

	for (unsigned k = 0; k < a->n; k++)
		fits = a->level[k].local ? fits : k;
	return fits;
}

unsigned levels_choose(const struct levels_ask *a)
{
	unsigned begin = first_level(a, a->level[0].interval * a->cores), best = begin;
	unsigned fits = without_spills(a);

	if (a->level[0].interval <= LEVELS_BUSY)
		return 0;
	if (is_high(a, begin)) {
		for (unsigned k = begin; k < a->n; k++)
			best = is_high(a, k) ? k : best;
		return best;
	}
	if (begin < fits)
		return 0;
	for (unsigned k = begin; k > fits; k--)
		if (is_high(a, k - 1))
			return k - 1;
	return 0;
}
