/* Instructions that wait for the result of the one before. */
#include "cli/advice/advice.h"

#include "core/base.h"

#include <math.h>

/* Warps of a scheduler. */
static double warps_of(const struct facts *f)
{
	return facts_metric(f, "sm__warps_active.sum") /
	       fmax(1, facts_metric(f, "sm__cycles_active.sum")) / f->schedulers;
}

/* Of a result's latency, what four chains have instead of one. */
static double quarter(const struct facts *f)
{
	return fmax(1, floor(f->alu_cycles / 4));
}

/* The share of the cycles in which all warps wait for results that goes with that: other warps hide
 * a cycle each. */
static double hidden(const struct facts *f)
{
	double waits = f->alu_cycles - warps_of(f), left = quarter(f) - warps_of(f);

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

/* Unloaded cycles of a load's misses. */
static double miss_cycles(const struct facts *f, const uint64_t *n)
{
	double sent = (double)n[PROFILE_SENT_READ];
	double far = sent > 0 ? fmin(1, (double)n[PROFILE_DRAM_READ] / sent) : 0;

	return f->l2_cycles + far * fmax(0, f->read_cycles - f->l2_cycles);
}

/* The share of a warp's time that it waits for memory at least. */
static double in_memory(const struct facts *f)
{
	const struct traffic_view *v = &f->traffic->view[VIEW_LINES];
	double waited = 0;

	for (unsigned i = 0; i < v->n; i++) {
		const struct traffic_item *l = &v->item[i];
		const uint64_t *n = l->counts.n;
		double missed = (double)(n[PROFILE_L1_MISSED] + n[PROFILE_L1_MERGED]);
		double all = missed + (double)n[PROFILE_L1_HIT];

		if (all > 0)
			waited += (double)l->stalls.event[STALL_EXECUTED] * miss_cycles(f, n) *
				  (1 - facts_all_hit(l, 1 - missed / all));
	}
	return fmin(1, waited / fmax(1, facts_metric(f, "sm__warps_active.sum")));
}

/* Where other warps are in memory while one waits for arithmetic, it would be there, too, without
 * that: all of them wait then. */
static double kept(const struct facts *f)
{
	return 1 - in_memory(f) * (1 - 1 / fmax(1, warps_of(f)));
}

/* The cycles in which all warps waited for arithmetic, as far as other chains hide it; less as far
 * as units on the path to memory were busy. */
static void look(const struct facts *f, struct advice *a)
{
	const struct traffic_view *v = &f->traffic->view[VIEW_LINES];
	double waited = (double)f->traffic->sum.stalls.caused[REASON_WAIT];
	double issued = (double)f->traffic->sum.stalls.stalled[REASON_SELECTED];
	double part = fmin(hidden(f), most_of(f) / fmax(1, waited)) * kept(f) * (1 - f->uneven) *
		      (1 - facts_queued(f)),
	       most = 0;

	for (unsigned i = 0; i < v->n; i++)
		if (!facts_is_control(&v->item[i]))
			advice_add(a, &v->item[i], part * facts_caused(&v->item[i], REASON_WAIT),
				&most);
	text_add(&a->measured,
		"%.2f cycles stalled for results of arithmetic for each instruction issued; %.1f warps "
		"of a scheduler in the mean",
		waited / fmax(1, issued), warps_of(f));
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
