/* Instructions that wait for the result of the one before. */
#include "cli/advice/advice.h"

#include "core/base.h"

#include <math.h>

/* Of a result's latency, what four chains have instead of one. */
static double quarter(const struct facts *f)
{
	return fmax(1, floor(f->alu_cycles / 4));
}

/* The share of the cycles in which all warps wait for results that goes with that: other warps hide
 * a cycle each. */
static double hidden(const struct facts *f)
{
	double waits = f->alu_cycles - facts_warps(f), left = quarter(f) - facts_warps(f);

	return waits > 0 ? 1 - fmax(0, left) / waits : 1;
}

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
	return f->resident * fmin(1, instructions * (f->alu_cycles - quarter(f)) / fmax(1, time));
}

/* The cycles in which all warps waited for arithmetic, as far as other chains hide it; less as far
 * as units on the path to memory were busy. */
static void look(const struct facts *f, struct advice *a)
{
	const struct traffic_view *v = &f->traffic->view[VIEW_LINES];
	double waited = (double)f->traffic->sum.stalls.caused[REASON_WAIT];
	double issued = (double)f->traffic->sum.stalls.stalled[REASON_SELECTED];
	double part = fmin(hidden(f), most_of(f) / fmax(1, waited)) * facts_kept(f) *
		      (1 - f->uneven) * (1 - facts_queued(f)),
	       most = 0;

	for (unsigned i = 0; i < v->n; i++)
		if (!facts_is_control(&v->item[i]))
			advice_add(a, &v->item[i], part * facts_caused(&v->item[i], REASON_WAIT),
				&most);
	text_add(&a->measured,
		"%.2f cycles stalled for results of arithmetic for each instruction issued; %.1f warps "
		"of a scheduler in the mean",
		waited / fmax(1, issued), facts_warps(f));
}

const struct rule advice_dependency = {
	.name = "dependency",
	.limit = "dependence",
	.change =
		"independent instructions are between one and the use of its result, as with four sums "
		"instead of one, or more warps are resident",
	.basis =
		"the cycles stalled for results of fixed latency, except comparisons' and branches', as "
		"far as no unit was busy, but not more than three quarters of the latency of a warp's "
		"own instructions",
	.relieves = 0,
	.look = look,
};
