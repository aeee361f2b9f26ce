/* Instructions that wait for the result of the one before. */
#include "cli/advice/advice.h"

#include "core/base.h"

#include <math.h>

/* A warp's time gets shorter by the latency of its own instructions at most: where its other waits
 * are long, it waits for these as soon as the first are gone. */
static double most_of(const struct facts *f)
{
	const struct traffic_view *v = &f->traffic->view[VIEW_LINES];
	double instructions = facts_metric(f, "smsp__inst_executed.sum");
	double time = facts_metric(f, "sm__warps_active.sum");

	for (unsigned i = 0; i < v->n; i++)
		time -= (double)v->item[i].stalls.event[STALL_BARRED];

	/* at a barrier a warp waits for others */
	return f->resident * fmin(1, instructions * (f->alu_cycles - 1) / fmax(1, time));
}

/* The cycles in which all warps waited for arithmetic or branches; less as far as units on the path
 * to memory were busy. */
static void look(const struct facts *f, struct advice *a)
{
	const struct traffic_view *v = &f->traffic->view[VIEW_LINES];
	double waited = (double)f->traffic->sum.stalls.caused[REASON_WAIT];
	double issued = (double)f->traffic->sum.stalls.stalled[REASON_SELECTED];
	double part = fmin(1, most_of(f) / fmax(1, waited)), most = 0;

	for (unsigned i = 0; i < v->n; i++)
		advice_add(a, &v->item[i],
			part * (1 - f->uneven) * (1 - facts_queued(f)) *
				facts_caused(&v->item[i], REASON_WAIT),
			&most);
	text_add(&a->measured,
		"%.2f cycles stalled for results of arithmetic for each instruction issued; %.1f warps "
		"of a scheduler in the mean",
		waited / fmax(1, issued),
		facts_metric(f, "sm__warps_active.sum") /
			fmax(1, facts_metric(f, "sm__cycles_active.sum")) / f->schedulers);
}

const struct rule advice_dependency = {
	.name = "dependency",
	.limit = "alu_latency",
	.change =
		"independent instructions are between one and the use of its result, or more warps are "
		"resident",
	.basis =
		"the cycles stalled for results of fixed latency, as far as no unit was busy, but not "
		"more than that latency of a warp's own instructions",
	.relieves = 0,
	.look = look,
};
