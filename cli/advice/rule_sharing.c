/* Lines of the L1 that the same SM's stores and atomics drop. */
#include "cli/advice/advice.h"

#include "core/base.h"

#include <math.h>

/* Misses of loads, of which as many would hit as lines were dropped. */
static void look(const struct facts *f, struct advice *a)
{
	const struct traffic_view *v = &f->traffic->view[VIEW_LINES];
	double most = 0;
	double dropped = 0, missed = 0, late = 0;

	for (unsigned i = 0; i < v->n; i++) {
		const struct traffic_item *l = &v->item[i];

		dropped += (double)l->stalls.event[STALL_DROPPED];
		if (l->counts.n[PROFILE_LOADED])
			late += facts_caused(l, REASON_LONG_SCOREBOARD);
	}
	missed = facts_metric(f, "l1tex__t_lines_load.sum") -
		 facts_metric(f, "l1tex__t_lines_load_lookup_hit.sum");
	for (unsigned i = 0; i < v->n && missed > 0; i++) {
		const struct traffic_item *l = &v->item[i];

		advice_add(a, l,
			late * fmin(1, dropped / missed) * (double)l->stalls.event[STALL_DROPPED] /
				fmax(1, dropped),
			&most);
	}
	text_add(&a->measured,
		"%.0f lines dropped from the L1 by stores and atomics; %.0f lines missed", dropped,
		missed);
}

const struct rule advice_sharing = {
	.name = "sharing",
	.limit = "sharing",
	.change = "what is updated is in other lines than what is read",
	.basis = "the cycles stalled for misses, as far as lines were dropped",
	.relieves = 1u << UNIT_OF_NETWORK | 1u << UNIT_OF_DRAM,
	.look = look,
};
