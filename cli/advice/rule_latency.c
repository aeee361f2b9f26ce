/* Loads that each warp waits for, while no unit is busy. */
#include "cli/advice/advice.h"

#include "core/base.h"

#include <math.h>

/* Of a load's time, what a hit does not take; less as far as units are busy, and as the L1 had the
 * line before (rule_reuse.c). */
static void look(const struct facts *f, struct advice *a)
{
	const struct traffic_view *v = &f->traffic->view[VIEW_LINES];
	double most = 0;
	double late = 0, loads = 0;
	double first = f->missed > 0 ? fmax(0, 1 - f->again / f->missed) : 1;

	for (unsigned i = 0; i < v->n; i++) {
		const struct traffic_item *l = &v->item[i];
		const uint64_t *n = l->counts.n;
		double missed = (double)(n[PROFILE_L1_MISSED] + n[PROFILE_L1_MERGED]);
		double all = missed + (double)n[PROFILE_L1_HIT];

		if (all <= 0 || l->spill || facts_is_atomic(l))
			continue;
		late += facts_caused(l, REASON_LONG_SCOREBOARD);
		loads += (double)l->stalls.event[STALL_EXECUTED];
		advice_add(a, l,
			first * missed / all * (1 - facts_queued(f)) *
				facts_caused(l, REASON_LONG_SCOREBOARD),
			&most);
	}
	if (loads > 0)
		text_add(&a->measured,
			"%.0f cycles of a scheduler stalled for each load; the busiest unit of the path "
			"to memory is busy %.0f%% of the time",
			late / loads, 100 * facts_busiest(f));
}

const struct rule advice_latency = {
	.name = "latency",
	.limit = "load_latency",
	.change = "data that is loaded is in the L1, or loads do not wait for each other",
	.basis = "the cycles stalled for misses, as far as no unit was busy",
	.relieves = 0,
	.look = look,
};
