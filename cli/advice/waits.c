/* Of a warp's time, what it waits for memory whatever else it does. */
#include "cli/advice/inside.h"

#include <math.h>

#define PIPE_CYCLES 4 /* that an instruction takes at least before the next of its warp */
#define MOST_LOADS 4

double facts_warps(const struct facts *f)
{
	return facts_metric(f, "sm__warps_active.sum") /
	       fmax(1, facts_metric(f, "sm__cycles_active.sum")) / f->schedulers;
}

/* Unloaded cycles of a load's misses. */
static double miss_cycles(const struct facts *f, const uint64_t *n)
{
	double sent = (double)n[PROFILE_SENT_READ];
	double far = sent > 0 ? fmin(1, (double)n[PROFILE_DRAM_READ] / sent) : 0;

	return f->l2_cycles + far * fmax(0, f->read_cycles - f->l2_cycles);
}

double facts_missing(const struct facts *f, const struct traffic_item *l)
{
	const uint64_t *n = l->counts.n;
	double missed = (double)(n[PROFILE_L1_MISSED] + n[PROFILE_L1_MERGED]);
	double all = missed + (double)n[PROFILE_L1_HIT];

	if (all <= 0)
		return 0;
	return (double)l->stalls.event[STALL_EXECUTED] * miss_cycles(f, n) *
	       (1 - facts_all_hit(l, 1 - missed / all));
}

/* The share of a warp's time that it waits for memory at least. */
static double in_memory(const struct facts *f)
{
	const struct traffic_view *v = &f->traffic->view[VIEW_LINES];
	double waited = 0;

	for (unsigned i = 0; i < v->n; i++)
		waited += facts_missing(f, &v->item[i]);
	return fmin(1, waited / fmax(1, facts_metric(f, "sm__warps_active.sum")));
}

double facts_kept(const struct facts *f)
{
	return 1 - in_memory(f) * (1 - 1 / fmax(1, facts_warps(f)));
}

/* Cycles of warps that the line's hits take. */
static double hitting(const struct facts *f, const struct traffic_item *l)
{
	const uint64_t *n = l->counts.n;
	double hits = (double)n[PROFILE_L1_HIT];
	double all = hits + (double)(n[PROFILE_L1_MISSED] + n[PROFILE_L1_MERGED]);

	return all > 0 ? (double)l->stalls.event[STALL_EXECUTED] * f->l1_cycles *
				 facts_all_hit(l, hits / all)
		       : 0;
}

double facts_in_flight(const struct facts *f)
{
	const struct traffic_view *v = &f->traffic->view[VIEW_LINES];
	double missing = 0, waits = facts_metric(f, "sm__warps_active.sum");

	waits -= PIPE_CYCLES * facts_metric(f, "smsp__inst_executed.sum");
	for (unsigned i = 0; i < v->n; i++) {
		waits -= (double)v->item[i].stalls.event[STALL_BARRED];
		missing += facts_missing(f, &v->item[i]) + hitting(f, &v->item[i]);
	}
	return waits > 0 ? missing / waits : MOST_LOADS;
}
