/* Values that the compiler keeps in memory. */
#include "cli/advice/advice.h"

#include "core/base.h"

#include <math.h>

/* All cycles of loads and stores of spilled values. */
static void look(const struct facts *f, struct advice *a)
{
	const struct traffic_view *v = &f->traffic->view[VIEW_LINES];
	double most = 0;
	double n = 0;

	for (unsigned i = 0; i < v->n; i++) {
		const struct traffic_item *l = &v->item[i];

		if (!l->spill)
			continue;
		n += (double)l->stalls.event[STALL_EXECUTED];
		advice_add(a, l,
			facts_stalled(l, REASON_SELECTED) + (double)traffic_caused(&l->stalls),
			&most);
	}
	text_add(&a->measured,
		"%.0f warp instructions load and store spilled values; %u registers a thread", n,
		f->launch.regs);
}

const struct rule advice_spills = {
	.name = "spills",
	.limit = "spills",
	.change =
		"fewer values are live at once, or a thread has more registers (--regs, .maxnreg)",
	.basis = "the cycles that loads and stores of spilled values took and caused",
	.relieves = 1u << UNIT_OF_ISSUE | 1u << UNIT_OF_TAGS | 1u << UNIT_OF_NETWORK |
		    1u << UNIT_OF_DRAM,
	.look = look,
};
