/* Outstanding lines of the L1: further misses wait until one returns. */
#include "cli/advice/advice.h"

#include "core/base.h"

#include <math.h>

/* The share of the tag stage's stalls that is for an MSHR. */
static double share_of_stalls(const struct facts *f)
{
	double mshr = facts_metric(f, "l1tex__cycles_tag_stalled_mshr.sum");
	double others = facts_metric(f, "l1tex__cycles_tag_stalled_network.sum") +
			facts_metric(f, "l1tex__cycles_tag_stalled_way.sum") +
			facts_metric(f, "l1tex__cycles_tag_busy.sum");

	return mshr / fmax(1, mshr + others);
}

/* The MSHRs in use, of those of SMs that have work, if no line were queued on its way (Little's
 * law): beyond them it is queues that hold the MSHRs, and more lines outstanding would make these
 * longer only. */
static double of_latency(const struct facts *f)
{
	double lines = facts_metric(f, "l1tex__t_lines_load.sum") -
		       facts_metric(f, "l1tex__t_lines_load_lookup_hit.sum") -
		       facts_metric(f, "l1tex__t_lines_load_lookup_merged.sum");
	double hits = facts_metric(f, "lts__t_sector_op_read_hit_rate.pct") / 100;
	double each = hits * f->l2_cycles + (1 - hits) * f->read_cycles;
	double all = f->mshrs * facts_metric(f, "sm__cycles_active.sum");

	return all > 0 ? fmin(1, fmax(0, lines) * each / all) : 0;
}

/* The share of the run's time that more MSHRs save at most. Where fewer than there are keep the
 * busiest unit busy with unqueued lines, they do not limit it; else the run is as much faster as
 * more of them are needed. */
static double most_of(const struct facts *f)
{
	double n = of_latency(f) / fmax(1e-9, facts_busiest(f));

	return n > 1 ? 1 - 1 / n : 0;
}

static void look(const struct facts *f, struct advice *a)
{
	const struct traffic_view *v = &f->traffic->view[VIEW_LINES];
	double most = 0, part = share_of_stalls(f) * of_latency(f);

	for (unsigned i = 0; i < v->n; i++)
		if (v->item[i].counts.n[PROFILE_LOADED])
			advice_add(a, &v->item[i],
				part * facts_caused(&v->item[i], REASON_LG_THROTTLE), &most);
	a->cycles = fmin(a->cycles, most_of(f) * f->resident);
	text_add(&a->measured,
		"of the tag stage's time with lines, %.0f%% passes until one of the %.0f MSHRs of the L1 "
		"is free; unloaded latency occupies %.0f%% of them",
		100 * share_of_stalls(f), f->mshrs, 100 * of_latency(f));
}

const struct rule advice_mshrs = {
	.name = "mshrs",
	.limit = "mshrs",
	.change =
		"fewer lines are outstanding at once for the same bytes: whole lines are used, or kept",
	.basis =
		"the cycles for which the queue was full because of MSHRs, as far as latency and not "
		"queueing occupies them, and down to those that the busiest unit needs",
	.relieves = 0,
	.look = look,
};
