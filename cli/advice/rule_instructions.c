/* Loops that are larger than the caches of instructions. */
#include "cli/advice/advice.h"

#include "core/base.h"

#include <math.h>

static void look(const struct facts *f, struct advice *a)
{
	const struct traffic_view *v = &f->traffic->view[VIEW_LINES];
	double most = 0, lines = facts_metric(f, "icache__lines.sum");

	for (unsigned i = 0; i < v->n; i++)
		advice_add(a, &v->item[i], facts_caused(&v->item[i], REASON_NO_INSTRUCTION), &most);
	text_add(&a->measured,
		"%.0f%% of the lines of instructions were not in the cache next to the scheduler",
		lines > 0 ? 100 * (1 - facts_metric(f, "icache__lines_lookup_hit.sum") / lines)
			  : 0);
}

const struct rule advice_instructions = {
	.name = "instructions",
	.limit = "instructions",
	.change = "loops are shorter: less unrolling, fewer inlined calls, warps that share code",
	.basis = "the cycles stalled for instructions",
	.relieves = 0,
	.look = look,
};
