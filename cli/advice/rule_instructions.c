/* Loops that are larger than the caches of instructions. */
#include "cli/advice/advice.h"

#include "core/base.h"

#include <math.h>

/* Of the lines that were not in the cache next to a scheduler, those beyond what each scheduler
 * fetches of the code that is executed, once. */
static double again(const struct facts *f)
{
	const struct traffic_view *v = &f->traffic->view[VIEW_LINES];
	double late = facts_metric(f, "icache__lines.sum") -
		      facts_metric(f, "icache__lines_lookup_hit.sum");
	double code = 0;

	for (unsigned i = 0; i < v->n; i++)
		code += v->item[i].stalls.event[STALL_EXECUTED] > 0;
	code = code * f->instruction_bytes / fmax(1, f->instruction_line) * f->schedulers *
	       f->traffic->sum.sms *
	       fmax(1, facts_metric(f, "sm__warps_active.sum") / fmax(1, f->resident));
	return late > 0 ? fmax(0, 1 - code / late) : 0;
}

static void look(const struct facts *f, struct advice *a)
{
	const struct traffic_view *v = &f->traffic->view[VIEW_LINES];
	double most = 0, lines = facts_metric(f, "icache__lines.sum"), part = again(f);

	for (unsigned i = 0; i < v->n; i++)
		advice_add(a, &v->item[i], part * facts_caused(&v->item[i], REASON_NO_INSTRUCTION),
			&most);
	text_add(&a->measured,
		"%.0f%% of the lines of instructions were not in the cache next to the scheduler, %.0f%% "
		"of these not for the first time",
		lines > 0 ? 100 * (1 - facts_metric(f, "icache__lines_lookup_hit.sum") / lines) : 0,
		100 * part);
}

const struct rule advice_instructions = {
	.name = "instructions",
	.limit = "instructions",
	.change = "loops are shorter: less unrolling, fewer inlined calls, warps that share code",
	.basis = "the cycles stalled for instructions, as far as they were fetched before",
	.relieves = 0,
	.look = look,
};
