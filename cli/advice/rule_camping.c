/* Addresses that meet few slices and channels. */
#include "cli/advice/advice.h"

#include "core/base.h"

#include <math.h>

/* The busiest slice's requests beyond the mean's, as far as they queue; or what all slices in turn
 * make wait. Where a slice binds the run, warps whose loads arrive one by one wait for their own
 * arithmetic, too. */
static void look(const struct facts *f, struct advice *a)
{
	const struct traffic_view *v = &f->traffic->view[VIEW_LINES];
	double most = 0;
	double beyond = (1 - 1 / f->camped) * facts_queued(f);

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
		"the cycles stalled, as far as the busiest slice was busier than the mean, or those stalled "
		"for memory, as far as requests waited in the network for few slices at a time",
	.relieves = 1u << UNIT_OF_NETWORK | 1u << UNIT_OF_DRAM,
	.look = look,
};
