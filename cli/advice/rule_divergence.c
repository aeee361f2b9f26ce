/* Instructions that part of a warp executes. */
#include "cli/advice/advice.h"

#include "core/base.h"

#include <math.h>

/* The empty lanes' share of issue slots and of fixed latencies, as far as no unit was busy and
 * warps do not wait for memory, too. */
static void look(const struct facts *f, struct advice *a)
{
	const struct traffic_view *v = &f->traffic->view[VIEW_LINES];
	double most = 0;
	double slots = 0, lanes = 0, part = facts_kept(f) * (1 - facts_queued(f));

	for (unsigned i = 0; i < v->n; i++) {
		const struct traffic_item *l = &v->item[i];
		double n = (double)l->stalls.event[STALL_EXECUTED] * f->lanes;
		double active = (double)l->stalls.event[STALL_THREADS];

		if (n <= 0 || active >= n || facts_is_atomic(l))
			continue;
		slots += n;
		lanes += active;
		advice_add(a, l,
			part * (1 - active / n) *
				(facts_stalled(l, REASON_SELECTED) + facts_caused(l, REASON_WAIT) +
					facts_caused(l, REASON_SHORT_SCOREBOARD) +
					facts_caused(l, REASON_MATH_PIPE_THROTTLE)),
			&most);
	}
	if (slots > 0)
		text_add(&a->measured, "%.1f of %.0f lanes take part where not all do",
			lanes / slots * f->lanes, f->lanes);
}

const struct rule advice_divergence = {
	.name = "divergence",
	.limit = "divergence",
	.change = "all lanes of a warp take the same side of a branch",
	.basis =
		"the empty lanes' share of issue slots and of the latency of arithmetic, as far as no "
		"unit on the path to memory was busy",
	.relieves = 1u << UNIT_OF_ISSUE | 1u << UNIT_OF_SHARED,
	.look = look,
};
