/* Loads that each warp waits for, while no unit is busy. */
#include "cli/advice/advice.h"

#include "core/base.h"

#include <math.h>

#define FEW 1.25

/* Cycles that a walk would save: it waits for each load by itself, for the last of its lines, and
 * its lines are in no queue once they hit. Each takes a cycle of the tags, and the last one a hit's
 * latency, while other warps go on. */
static double saved_by_walk(const struct facts *f, const struct traffic_item *l)
{
	double warps = facts_warps(f);
	double hits = (double)l->stalls.event[STALL_LINES] +
		      f->l1_cycles * (double)l->stalls.event[STALL_EXECUTED];

	return fmax(0, facts_caused(l, REASON_LONG_SCOREBOARD) +
			       facts_caused(l, REASON_LG_THROTTLE) - hits / fmax(1, warps));
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
		return (1 - facts_all_hit(l, 1 - missed / all)) * saved_by_walk(f, l);
	apart = fmin(1, 2 * facts_queued(f)) * facts_excess(f, l);
	if (facts_is_narrow(l, &bytes))
		apart = fmax(apart, 1 - bytes / 4);
	return fmax(0, 1 - 2 * facts_all_hit(l, again)) * missed / all * (1 - facts_queued(f)) *
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

/* What units have to do without the lines of walks. */
static void relieve(const struct facts *f, struct advice *a)
{
	const struct traffic_view *v = &f->traffic->view[VIEW_LINES];
	double dram = facts_metric(f, "dram__bytes.sum"), fetched = 0, missed = 0, all = 0;

	for (unsigned i = 0; i < v->n; i++) {
		const uint64_t *n = v->item[i].counts.n;

		all += (double)(n[PROFILE_SENT_READ] + n[PROFILE_SENT_WRITE]);
		if (!facts_is_chained(f, &v->item[i]))
			continue;
		missed += (double)n[PROFILE_SENT_READ];
		fetched += (double)n[PROFILE_DRAM_READ];
	}
	a->left[UNIT_OF_DRAM] = f->busy[UNIT_OF_DRAM] * (1 - fmin(1, fetched / fmax(1, dram)));
	a->left[UNIT_OF_NETWORK] = f->busy[UNIT_OF_NETWORK] * (1 - missed / fmax(1, all));
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
	a->cycles = fmax(a->cycles, part * walked(f) * f->resident);
	relieve(f, a);
	if (loads > 0)
		text_add(&a->measured,
			"%.0f cycles of a scheduler stalled for each load; the busiest unit of the path "
			"to memory is busy %.0f%% of the time",
			late / loads, 100 * facts_busiest(f));
}

const struct rule advice_latency = {
	.name = "latency",
	.limit = "load_latency",
	.change = "data that is loaded is in the L1, or loads do not wait for each other",
	.basis = "the cycles stalled for misses, as far as no unit was busy; all of those of "
		 "loads whose address is their own result of before",
	.relieves = 1u << UNIT_OF_NETWORK | 1u << UNIT_OF_DRAM,
	.look = look,
};
