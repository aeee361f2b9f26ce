/* Figure 7: the unified design of 384 KB on the 18 workloads that do not gain from it. */
#include "papers/m12/spread.h"

#include "papers/m12/table1_rows.h"

static void one_other(struct book *b, unsigned w)
{
	struct design before = store_partitioned(""), after = store_unified(M12_LARGEST_KB, "");
	double cycles = store_cycles(b, w, &after) - store_cycles(b, w, &before);
	struct book_row speed = book_band("M12-007", "times as fast", band_points(1, 0.01),
		store_speedup(b, w, &before, &after), NULL);
	const char *known = store_cause(book_workload(b, w), book_column(b), "speedup");

	speed.cause = book_words(b,
		"%s: %+.0f cycles; conflicts of memory %+.0f, of arbitration "
		"%.0f; DRAM %+.1f %%; threads %.0f and %.0f",
		known ? known : "not found", cycles,
		store_metric(b, w, &after, "l1tex__data_bank_conflicts_pipe_lsu.sum") -
			store_metric(b, w, &before, "l1tex__data_bank_conflicts_pipe_lsu.sum"),
		store_metric(b, w, &after, "bank__conflicts_arbitration.sum"),
		100 * (store_dram_ratio(b, w, &before, &after) - 1),
		store_partition_of(store_report(b, w, &before)).threads,
		store_partition_of(store_report(b, w, &after)).threads);
	spread_say_one(b, &speed, "%s: speed", book_workload(b, w));
	book_tell(b, "of the energy", store_energy_ratio(b, w, &before, &after, NULL), "%s: energy",
		book_workload(b, w));
}

/* Of all energy, what banks take. */
static double banks_share(struct book *b, unsigned w)
{
	struct design after = store_unified(M12_LARGEST_KB, "");

	return (store_metric(b, w, &after, "energy__registers.sum") +
		       store_metric(b, w, &after, "energy__upper_registers.sum") +
		       store_metric(b, w, &after, "energy__shared.sum") +
		       store_metric(b, w, &after, "energy__cache.sum")) /
	       store_metric(b, w, &after, "energy__total.sum");
}

static void fig7(struct book *b)
{
	struct design before = store_partitioned(""), after = store_unified(M12_LARGEST_KB, "");
	struct spread speed = {0}, energy = {0}, banks = {0};
	unsigned list[TABLE1_ROWS], n = m12_others(b, list);
	struct book_row most, average, share;

	for (unsigned i = 0; i < n; i++) {
		unsigned w = list[i];

		one_other(b, w);
		spread_add(&speed, store_speedup(b, w, &before, &after), w);
		spread_add(&energy, store_energy_ratio(b, w, &before, &after, NULL), w);
		spread_add(&banks, banks_share(b, w), w);
	}
	/* From no change to the largest increase, nn's; the mean from 1 % less. */
	most = book_band("M12-008", "of the energy", band_between(1.009, 1, 1.009),
		spread_or_nan(&energy, energy.most), n ? book_workload(b, energy.at_most) : NULL);
	average = book_band("M12-009", "of the energy", band_between(0.9994, 0.99, 1.009),
		spread_mean(&energy), CAUSE_ROWS);
	share = book_band(
		"M12-081", "of the energy", band_below(0.02), spread_mean(&banks), CAUSE_BANKS);
	book_tell(b, "times as fast", spread_mean(&speed), "speed: arithmetic mean");
	spread_say(b, &most, "%s", "energy: most (the paper: nn)", (unsigned[]){n, M12_OTHERS});
	spread_say(b, &average, "%s", "energy: arithmetic mean", (unsigned[]){n, M12_OTHERS});
	spread_say(b, &share, "%s", "banks' share of the energy, unified (small)",
		(unsigned[]){n, M12_OTHERS});
}

const struct target m12_fig7 = {
	.order = 70,
	.name = "fig7",
	.text = "Unified, 384 KB: the 18 workloads without a benefit.",
	.paper = &m12_paper,
	.rows = fig7,
	.takes = m12_is_other,
	.columns = STORE_ALL,
};
