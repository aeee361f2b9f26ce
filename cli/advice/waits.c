/* Of a warp's time, what it waits for memory whatever else it does. */
#include "cli/advice/inside.h"

#include <math.h>

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
