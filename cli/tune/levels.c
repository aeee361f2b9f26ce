/* The level of concurrency of Hayes and Zhang (ICS 2014, figure 5). Figure and text differ: the way
 * down ends at the original level or at the largest without local spills, whichever is higher, and
 * on the way up a level that fails does not end the search. */
#include "cli/tune/levels.h"

static bool is_high(const struct thread_level *l)
{
	return l->intensity > LEVELS_INTENSITY;
}

static unsigned first_level(const struct thread_level *l, unsigned n, double threads)
{
	unsigned k = 0;

	while (k + 1 < n && l[k].threads < threads)
		k++;
	return k;
}

static unsigned without_spills(const struct thread_level *l, unsigned n)
{
	unsigned fits = 0;

	for (unsigned k = 0; k < n; k++)
		fits = l[k].local ? fits : k;
	return fits;
}

unsigned levels_choose(const struct thread_level *l, unsigned n, double cores)
{
	unsigned begin = first_level(l, n, l[0].interval * cores), best = begin;
	unsigned fits = without_spills(l, n);

	if (l[0].interval <= LEVELS_BUSY)
		return 0;
	if (is_high(&l[begin])) {
		for (unsigned k = begin; k < n; k++)
			best = is_high(&l[k]) ? k : best;
		return best;
	}
	if (begin < fits)
		return 0;
	for (unsigned k = begin; k > fits; k--)
		if (is_high(&l[k - 1]))
			return k - 1;
	return 0;
}
