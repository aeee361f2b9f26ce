/* Warps that wait at barriers. */
#include "cli/advice/advice.h"

#include "core/base.h"

#include <math.h>

/* If they did not wait, more warps would share the other stalls, as with more warps resident: less
 * as far as units on the path to memory were busy. */
/* Of n waits of a warp one remains: for those that end last. */
static double evened(const struct facts *f)
{
	const struct traffic_view *v = &f->traffic->view[VIEW_LINES];
	const uint32_t *block = f->launch.block;
	double warps = facts_metric(f, "sm__ctas_launched.sum") *
		       ceil((double)block[0] * block[1] * block[2] / 32);
	double passed = 0;

	for (unsigned i = 0; i < v->n; i++)
		if (v->item[i].stalls.event[STALL_BARRED] > 0)
			passed += (double)v->item[i].stalls.event[STALL_EXECUTED];
	return passed > warps ? 1 - warps / passed : 0;
}

/* Slots of the barrier, and of schedulers that waited for it. */
static double own(const struct traffic_item *l)
{
	return facts_stalled(l, REASON_SELECTED) + facts_caused(l, REASON_BARRIER);
}

static void look(const struct facts *f, struct advice *a)
{
	const struct traffic_view *v = &f->traffic->view[VIEW_LINES];
	const uint64_t *stalled = f->traffic->sum.stalls.stalled;
	double most = 0, barred = 0, passed = 0,
	       part = (1 - f->lasting) * (1 - facts_queued(f)) * evened(f),
	       warps = facts_metric(f, "sm__warps_active.sum");
	double waits = (double)(stalled[REASON_LONG_SCOREBOARD] + stalled[REASON_WAIT] +
				stalled[REASON_SHORT_SCOREBOARD] + stalled[REASON_BARRIER]);

	for (unsigned i = 0; i < v->n; i++) {
		const struct traffic_item *l = &v->item[i];
		double here = (double)l->stalls.event[STALL_BARRED];

		barred += here;
		if (here > 0)
			passed += (double)l->stalls.event[STALL_EXECUTED];
		if (here > 0)
			advice_add(a, l, part * fmax(waits * here / fmax(1, warps), own(l)), &most);
	}
	if (passed > 0)
		text_add(&a->measured,
			"a warp waits %.0f cycles at a barrier, and %.0f%% of its time in all",
			barred / passed, 100 * barred / fmax(1, warps));
}

const struct rule advice_barriers = {
	.name = "barriers",
	.limit = "barriers",
	.change =
		"fewer warps wait for each other: smaller CTAs, more work between barriers, or alike work",
	.basis =
		"the cycles stalled for results and at barriers, divided among the warps that waited "
		"as well, as far as no unit was busy, except one wait of each",
	.relieves = 0,
	.look = look,
};
