/* Lines that DRAM reads again after the L2 has evicted them. */
#include "cli/advice/advice.h"

#include "core/base.h"

#include <math.h>

/* Their share of the cycles stalled in DRAM and of full queues, as far as DRAM was busy; queues are
 * full behind the busiest unit, which may be another one. */
static void look(const struct facts *f, struct advice *a)
{
	const struct traffic_view *v = &f->traffic->view[VIEW_LINES];
	double most = 0, again = f->fetched > 0 ? f->refetched / f->fetched : 0;
	double dram = fmin(1, f->busy[UNIT_OF_DRAM] / f->cycles);
	double bytes = facts_metric(f, "dram__bytes.sum");
	double fills = dram / fmax(1e-9, facts_busiest(f));

	for (unsigned i = 0; i < v->n; i++) {
		const struct traffic_item *l = &v->item[i];

		if (l->counts.n[PROFILE_DRAM_READ])
			advice_add(a, l,
				again * dram *
					((double)l->counts.n[PROFILE_STALL_DRAM] +
						fills * facts_caused(l, REASON_LG_THROTTLE)),
				&most);
	}
	if (bytes > 0)
		a->left[UNIT_OF_DRAM] = f->busy[UNIT_OF_DRAM] * fmax(0, 1 - f->refetched / bytes);
	text_add(&a->measured,
		"DRAM read %.0f bytes, %.0f of them at least a second time; it is busy %.0f%% of the "
		"time",
		f->fetched, f->refetched, 100 * dram);
}

const struct rule advice_refetch = {
	.name = "refetch",
	.limit = "l2_capacity",
	.change =
		"what is used again is used soon, before the L2 evicts it, as in blocks that fit in it",
	.basis =
		"the share of the bytes read again in cycles stalled for DRAM and for full queues, as far "
		"as DRAM was busy",
	.relieves = 1u << UNIT_OF_DRAM,
	.look = look,
};
