/* Atomics that wait for each other. */
#include "cli/advice/advice.h"

#include "core/base.h"

#include <math.h>

/* The share of the atomic unit's time in which lanes wait for a word. */
static double serial(const struct facts *f)
{
	double waits = facts_metric(f, "lts__atomic_conflict_cycles.sum");
	double lanes = facts_metric(f, "lts__atomic_lanes.sum");

	return waits / fmax(1, waits + lanes);
}

/* How far the unit of the slice with most atomics is busy, where other slices have fewer. */
static double crowded(const struct facts *f)
{
	double busy = f->atomic_rate > 0 ? f->atomic_lanes / f->atomic_rate / f->cycles : 0;

	return (1 - 1 / fmax(1, f->atomic_spread)) * fmin(1, busy) * fmin(1, busy);
}

/* Of the time in shared memory, that of passes for lanes whose word another lane has. */
static double same_word(const struct traffic_item *l)
{
	const uint64_t *n = l->stalls.event;

	return (double)n[STALL_SAME_WORD] /
	       fmax(1, (double)(n[STALL_EXECUTED] + n[STALL_CONFLICTS]));
}

/* On global memory: what they caused, as far as lanes wait or the busiest slice has more of them;
 * on shared memory, what their passes for the same word hold. */
static double caused_by(const struct facts *f, const struct traffic_item *l)
{
	if (l->counts.n[PROFILE_ATOMIC])
		return fmax(fmax(serial(f), crowded(f)), (1 - 1 / f->slices) * facts_queued(f)) *
		       (double)traffic_caused(&l->stalls);
	return same_word(l) * (facts_caused(l, REASON_MIO_THROTTLE) +
				      facts_caused(l, REASON_SHORT_SCOREBOARD) / 2);
}

static void look(const struct facts *f, struct advice *a)
{
	const struct traffic_view *v = &f->traffic->view[VIEW_LINES];
	double most = 0, n = 0, held = f->atomic_lanes * f->atomic_cycles * serial(f);
	double same = 0;

	for (unsigned i = 0; i < v->n; i++)
		if (facts_is_atomic(&v->item[i])) {
			n += (double)v->item[i].stalls.event[STALL_THREADS];
			same += (double)v->item[i].stalls.event[STALL_SAME_WORD];
			advice_add(a, &v->item[i], caused_by(f, &v->item[i]), &most);
		}
	/* what comes behind them on the path waits as they do */
	most = INFINITY;
	for (unsigned i = 0; i < v->n && n > 0; i++)
		if (!facts_is_atomic(&v->item[i]))
			advice_add(a, NULL,
				fmin(1, held / f->cycles) *
					(facts_caused(&v->item[i], REASON_DRAIN) +
						facts_caused(&v->item[i], REASON_LG_THROTTLE)),
				&most);
	a->left[UNIT_OF_SHARED] = f->busy[UNIT_OF_SHARED] - same / f->traffic->sum.sms;
	text_add(&a->measured,
		"%.0f atomics of lanes; those of global memory wait %.0f%% of their time for others "
		"on the same word",
		n, 100 * serial(f));
}

const struct rule advice_atomics = {
	.name = "atomics",
	.limit = "atomics",
	.change =
		"each CTA adds up, and adds that to the word; or each thread or warp has a word of its own",
	.basis = "the cycles that atomics caused, as far as they waited for each other",
	.relieves = 1u << UNIT_OF_NETWORK | 1u << UNIT_OF_SHARED | 1u << UNIT_OF_TAGS,
	.look = look,
};
