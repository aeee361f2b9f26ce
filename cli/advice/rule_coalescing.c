/* Lines of loads and stores whose lanes are apart. */
#include "cli/advice/advice.h"

#include "core/base.h"

#include <math.h>

/* Of the cycles for which queues were full, those of lines in excess. One that hits leaves after a
 * cycle of the tags, and delays others as far as the tags, not what is behind them, were busy. */
static double queued(
	const struct facts *f, const struct traffic_item *l, double excess, double missed)
{
	const uint64_t *n = l->counts.n;
	double hits = n[PROFILE_LOADED] ? (double)n[PROFILE_L1_HIT] / (double)n[PROFILE_LOADED] : 0;
	double all = facts_caused(l, REASON_LG_THROTTLE) + facts_caused(l, REASON_DRAIN);
	double tags = (double)l->stalls.event[STALL_LINES] * f->schedulers *
		      fmin(1, f->busy[UNIT_OF_TAGS] / f->cycles);

	return missed * (1 - hits) * all + excess * hits * fmin(all, tags);
}

/* The share of an SM's time that its tags spend on a line, also where its network takes none. */
static double held(const struct facts *f)
{
	double cycles = facts_metric(f, "l1tex__cycles_tag_busy.sum") +
			facts_metric(f, "l1tex__cycles_tag_stalled_network.sum");
	double lines = facts_metric(f, "l1tex__t_lines_load.sum") +
		       facts_metric(f, "l1tex__t_lines_store.sum");

	return cycles / fmax(1, lines) / f->traffic->sum.sms / f->cycles;
}

/* Where a walk goes is data, and no neighbour's. Queues are full because of the lines; results are
 * late as far as units, or the tags that other loads wait for, are busy with them. */
static void look(const struct facts *f, struct advice *a)
{
	const struct traffic_view *v = &f->traffic->view[VIEW_LINES];
	double most = 0;
	double lines = 0, least = 0, each = held(f);
	double late = (double)f->traffic->sum.stalls.stalled[REASON_LONG_SCOREBOARD];

	for (unsigned i = 0; i < v->n; i++) {
		const struct traffic_item *l = &v->item[i];
		double all = (double)l->stalls.event[STALL_LINES], excess, missed;

		if (l->spill || all <= 0 || facts_is_atomic(l) || facts_is_chained(f, l))
			continue;
		excess = 1 - facts_needed(l) / all;
		missed = facts_excess(f, l);
		if (excess > 0) {
			lines += all;
			least += facts_needed(l);
		}
		advice_add(a, l,
			queued(f, l, excess, missed) +
				fmax(missed * facts_queued(f) *
						facts_caused(l, REASON_LONG_SCOREBOARD),
					fmin(1, excess * all * each) * late),
			&most);
	}
	text_add(&a->measured, "%.0f lines of 128 bytes for accesses whose bytes fill %.0f", lines,
		least);
}

const struct rule advice_coalescing = {
	.name = "coalescing",
	.limit = "coalescing",
	.change = "neighbouring lanes access neighbouring words",
	.basis =
		"the cycles for which queues were full of the lines in excess, and those of late results as "
		"far as units were busy, or tags and their network with these lines; of lines that hit, the "
		"cycles of the tags",
	.relieves = 1u << UNIT_OF_TAGS | 1u << UNIT_OF_NETWORK | 1u << UNIT_OF_DRAM,
	.look = look,
};
