/* Addresses that meet few slices and channels. */
#include "cli/advice/advice.h"

#include "core/base.h"

#include <math.h>

/* Of a unit of which the busiest has `most` times the mean's, the share of the time that is beyond
 * the mean's and queues there: the square of its use. */
static double uneven(const struct facts *f, double busy, double most)
{
	double use = fmin(1, busy * most / f->cycles);

	return most > 1 ? (1 - 1 / most) * use * use : 0;
}

/* What waits for the busiest slice's port or channel beyond the mean; or what all slices in turn
 * make wait. Where a slice binds the run, warps whose loads arrive one by one wait for their own
 * arithmetic, too. */
static void look(const struct facts *f, struct advice *a)
{
	const struct traffic_view *v = &f->traffic->view[VIEW_LINES];
	double most = 0;
	double beyond = fmax(uneven(f, f->busy[UNIT_OF_NETWORK], f->camped),
		uneven(f, f->busy[UNIT_OF_DRAM], facts_metric(f, "dram__bytes.imbalance")));

	for (unsigned i = 0; i < v->n; i++) {
		const struct traffic_item *l = &v->item[i];

		if (l->stalls.event[STALL_LINES] && !facts_is_atomic(l))
			advice_add(a, l,
				fmax(beyond, facts_crowded(f, l)) *
					(facts_caused(l, REASON_LONG_SCOREBOARD) +
						facts_caused(l, REASON_LG_THROTTLE) +
						facts_caused(l, REASON_DRAIN)),
				&most);
	}
	if (a->line)
		a->cycles = fmax(a->cycles,
			beyond * (f->resident - facts_metric(f, "sched__cycles_selected.sum")));
	text_add(&a->measured, "the busiest slice of the L2 has %.1f times the mean's requests",
		f->camped);
	if (f->crowded > 0)
		text_add(&a->measured, "; most requests that wait want the same slices at a time");
}

const struct rule advice_camping = {
	.name = "camping",
	.limit = "camping",
	.change =
		"addresses that are accessed together are in different slices, as with rows of another length",
	.basis =
		"the cycles stalled, as far as the busiest slice or channel was busier than the mean, or "
		"those stalled for memory, as far as requests waited in the network for few slices at a "
		"time",
	.relieves = 0,
	.look = look,
};
