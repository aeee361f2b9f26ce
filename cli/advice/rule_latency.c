/* Loads that each warp waits for, while no unit is busy. */
#include "cli/advice/advice.h"

#include "core/base.h"

#include <math.h>

#define FEW 1.25

/* With four chains instead of one a warp waits for a quarter of its loads (ideal.chains). */
#define CHAINS 4.0
#define OVERLAPPED (1 - 1 / CHAINS)

/* What four chains instead of one save of the waits: of the time without queues three quarters; of
 * queues nothing, which are as long whatever warps wait, nor of the time that the busiest unit
 * needs (bounds of closed networks). */
static double overlapped(const struct facts *f)
{
	double active = facts_metric(f, "sm__cycles_active.sum") / f->traffic->sum.sms;
	double n = facts_in_flight(f), queues = 1 - fmin(1, n);
	double busy = fmin(1, facts_busiest(f) * f->cycles / fmax(1, active));

	return fmax(0, 1 - fmax(queues, busy) - n / CHAINS);
}

/* Of a load's time, what a hit does not take; less as far as units are busy, above all with lines
 * in excess (rule_coalescing.c), and as the L1 had the line before, or misses it again: what is
 * loaded twice should be kept (rule_reuse.c). Arrays of local memory are rule_local.c's. */
static double saved(const struct facts *f, const struct traffic_item *l, double again)
{
	const uint64_t *n = l->counts.n;
	double missed = (double)(n[PROFILE_L1_MISSED] + n[PROFILE_L1_MERGED]);
	double all = missed + (double)n[PROFILE_L1_HIT], apart, bytes;

	if (all <= 0 || l->spill || facts_is_atomic(l) || facts_is_array(l))
		return 0;
	if (facts_is_chained(f, l))
		return OVERLAPPED * (1 - facts_all_hit(l, 1 - missed / all)) *
		       facts_caused(l, REASON_LONG_SCOREBOARD);
	apart = fmin(1, 2 * facts_queued(f)) * facts_excess(f, l);
	if (facts_is_narrow(l, &bytes))
		apart = fmax(apart, 1 - bytes / 4);
	return overlapped(f) * fmax(0, 1 - 2 * facts_all_hit(l, again)) * missed / all *
	       (1 - apart) * (1 - facts_crowded(f, l)) * facts_caused(l, REASON_LONG_SCOREBOARD);
}

/* The share of a warp's time that walks miss: what it does between two loads takes as long, but
 * warps that are in step with memory stall for it one after the other. */
static double walked(const struct facts *f)
{
	const struct traffic_view *v = &f->traffic->view[VIEW_LINES];
	double missing = 0;

	for (unsigned i = 0; i < v->n; i++) {
		const struct traffic_item *l = &v->item[i];
		double all = facts_missing(f, l);

		if (facts_is_chained(f, l))
			missing += fmax(
				0, all - f->l1_cycles * (double)l->stalls.event[STALL_EXECUTED]);
	}
	return fmin(1, missing / fmax(1, facts_metric(f, "sm__warps_active.sum")));
}

/* Units keep the lines, which come when warps send them: of n in flight, one by one, a unit has
 * none for 1 / (n + 1) of the time (a closed queue of two stations). */
static void keep_lines(const struct facts *f, struct advice *a)
{
	const struct traffic_view *v = &f->traffic->view[VIEW_LINES];
	double lines = 0, loads = 0, n;

	for (unsigned i = 0; i < v->n; i++) {
		if (!v->item[i].counts.n[PROFILE_LOADED] || facts_is_atomic(&v->item[i]))
			continue;
		lines += (double)v->item[i].stalls.event[STALL_LINES];
		loads += (double)v->item[i].stalls.event[STALL_EXECUTED];
	}
	n = CHAINS * fmax(1, facts_warps(f)) * lines / fmax(1, loads);
	a->left[UNIT_OF_DRAM] = f->busy[UNIT_OF_DRAM] * (n + 1) / fmax(1, n);
	a->left[UNIT_OF_NETWORK] = f->busy[UNIT_OF_NETWORK] * (n + 1) / fmax(1, n);
}

/* As many more warps as an SM would hold without limits to them would hide the rest; where it holds
 * few, that comes first. */
static double hidden(const struct facts *f)
{
	double then = facts_ctas(f, FACTS_REGISTERS | FACTS_SHARED | FACTS_SLOTS);

	double now = facts_ctas(f, 0);

	return then >= FEW * now ? 0 : then > 0 ? now / then : 1;
}

static void look(const struct facts *f, struct advice *a)
{
	const struct traffic_view *v = &f->traffic->view[VIEW_LINES];
	double most = 0, late = 0, loads = 0, part = hidden(f);
	double again = f->missed > 0 ? fmin(1, f->again / f->missed) : 0;

	for (unsigned i = 0; i < v->n; i++) {
		const struct traffic_item *l = &v->item[i];

		if (l->counts.n[PROFILE_LOADED] && !l->spill && !facts_is_atomic(l)) {
			late += facts_caused(l, REASON_LONG_SCOREBOARD);
			loads += (double)l->stalls.event[STALL_EXECUTED];
		}
		advice_add(a, l, part * saved(f, l, again), &most);
	}
	a->cycles = fmax(a->cycles, part * OVERLAPPED * walked(f) * f->resident);
	keep_lines(f, a);
	if (loads > 0)
		text_add(&a->measured,
			"%.0f cycles of a scheduler stalled for each load; the busiest unit of the path "
			"to memory is busy %.0f%% of the time",
			late / loads, 100 * facts_busiest(f));
}

const struct rule advice_latency = {
	.name = "latency",
	.limit = "load_waits",
	.change = "loads do not wait for each other: four chains of them a warp, or as many more "
		  "warps",
	.basis =
		"three quarters of the cycles stalled for misses, without those of queues and those that "
		"the busiest unit needs",
	.relieves = 1u << UNIT_OF_NETWORK | 1u << UNIT_OF_DRAM,
	.look = look,
};
