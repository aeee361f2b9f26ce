/* Lanes that access different rows of one bank of shared memory. */
#include "cli/advice/advice.h"

#include "core/base.h"

#include <math.h>

/* Passes beyond the first hold shared memory, and results come as much later. */
static void look(const struct facts *f, struct advice *a)
{
	const struct traffic_view *v = &f->traffic->view[VIEW_LINES];
	double most = 0;
	double passes = 0, accesses = 0;

	for (unsigned i = 0; i < v->n; i++) {
		const struct traffic_item *l = &v->item[i];
		double n = (double)l->stalls.event[STALL_EXECUTED];
		double more = (double)l->stalls.event[STALL_CONFLICTS];

		if (more <= 0 || n <= 0 || facts_is_atomic(l))
			continue;
		passes += more;
		accesses += n;
		advice_add(a, l,
			facts_caused(l, REASON_MIO_THROTTLE) * more / (more + n) +
				facts_caused(l, REASON_SHORT_SCOREBOARD) * more / (more + 20 * n),
			&most);
	}
	a->left[UNIT_OF_SHARED] = f->busy[UNIT_OF_SHARED] - passes / f->traffic->sum.sms;
	if (accesses > 0)
		text_add(&a->measured, "%.1f passes over the banks an access",
			1 + passes / accesses);
}

const struct rule advice_conflicts = {
	.name = "bank_conflicts",
	.limit = "conflicts",
	.change = "a warp's lanes access different banks, as with a row that is a word longer",
	.basis =
		"the cycles for which passes beyond the first held shared memory, and their results",
	.relieves = 1u << UNIT_OF_SHARED,
	.look = look,
};
