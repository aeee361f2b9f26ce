/* Constants that lanes of a warp index differently: a pass for each word. */
#include "cli/advice/advice.h"

#include "core/base.h"

#include <math.h>

/* What remains of each load, the latency of one pass, in cycles of schedulers. */
static double left(const struct facts *f, double requests)
{
	double warps = facts_metric(f, "sm__warps_active.sum") / f->resident;

	return requests * f->constant_cycles / fmax(1, warps);
}

static void look(const struct facts *f, struct advice *a)
{
	const struct traffic_view *v = &f->traffic->view[VIEW_LINES];
	double requests = facts_metric(f, "const__requests.sum"), most = 0;
	double passes = facts_metric(f, "const__passes.sum"), waited = 0, part;

	for (unsigned i = 0; i < v->n; i++)
		if (facts_is_constant(&v->item[i]))
			waited += facts_caused(&v->item[i], REASON_SHORT_SCOREBOARD);
	part = fmax(0, 1 - fmax(requests / fmax(1, passes), left(f, requests) / fmax(1, waited)));
	for (unsigned i = 0; i < v->n && passes > requests; i++)
		if (facts_is_constant(&v->item[i]))
			advice_add(a, &v->item[i],
				part * facts_caused(&v->item[i], REASON_SHORT_SCOREBOARD) +
					(1 - requests / passes) *
						facts_caused(&v->item[i], REASON_IMC_MISS),
				&most);
	text_add(&a->measured, "%.1f passes for each load of constants or parameters",
		passes / fmax(1, requests));
}

const struct rule advice_constants = {
	.name = "constants",
	.limit = "constants",
	.change = "lanes of a warp read the same constant, or the table is in shared memory",
	.basis =
		"the cycles stalled for constants, less what one pass takes, and for misses of all but "
		"one of the words",
	.relieves = 0,
	.look = look,
};
