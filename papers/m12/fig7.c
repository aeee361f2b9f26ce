/* Figure 7: the unified design of 384 KB on the 18 workloads that do not gain from it. */
#include "papers/m12/spread.h"

#include "papers/m12/table1_rows.h"

static void one_other(struct book *b, unsigned w)
{
	struct design before = store_partitioned(""), after = store_unified(M12_LARGEST_KB, "");
	struct book_row speed = book_band("M12-007", "times as fast", band_points(1, 0.01),
		store_speedup(b, w, &before, &after), NULL);

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

struct others {
	struct spread speed, energy, banks;
};

static struct others spread_of(struct book *b, const unsigned list[], unsigned n)
{
	struct design before = store_partitioned(""), after = store_unified(M12_LARGEST_KB, "");
	struct others all = {.speed = {.n = 0}};

	for (unsigned i = 0; i < n; i++) {
		unsigned w = list[i];

		spread_add(&all.speed, store_speedup(b, w, &before, &after), w);
		spread_add(&all.energy, store_energy_ratio(b, w, &before, &after, NULL), w);
		spread_add(&all.banks, banks_share(b, w), w);
	}
	return all;
}

/* The means of those that no table chose. */
static void without_fitted(struct book *b, const unsigned list[], unsigned n)
{
	unsigned rest[TABLE1_ROWS], left = m12_not_fitted(b, list, n, rest);
	struct others all = spread_of(b, rest, left);

	if (left == n)
		return;
	book_tell(b, "times as fast", spread_mean(&all.speed),
		"speed: arithmetic mean without fitted");
	book_tell(b, "of the energy", spread_mean(&all.energy),
		"energy: arithmetic mean without fitted");
	book_tell(b, "of the energy", spread_mean(&all.banks),
		"banks' share of the energy without fitted");
}

static void fig7(struct book *b)
{
	unsigned list[TABLE1_ROWS], n = m12_others(b, list);
	struct book_row most, average, share;
	struct others all;

	for (unsigned i = 0; i < n; i++)
		one_other(b, list[i]);
	all = spread_of(b, list, n);
	/* From no change to the largest increase, nn's; the mean from 1 % less. */
	most = book_band("M12-008", "of the energy", band_between(1.009, 1, 1.009),
		spread_or_nan(&all.energy, all.energy.most),
		n ? book_workload(b, all.energy.at_most) : NULL);
	average = book_band("M12-009", "of the energy", band_between(0.9994, 0.99, 1.009),
		spread_mean(&all.energy), NULL);
	share = book_band(
		"M12-081", "of the energy", band_below(0.02), spread_mean(&all.banks), NULL);
	book_tell(b, "times as fast", spread_mean(&all.speed), "speed: arithmetic mean");
	spread_say(b, &most, "%s", "energy: most (the paper: nn)", (unsigned[]){n, M12_OTHERS});
	spread_say(b, &average, "%s", "energy: arithmetic mean", (unsigned[]){n, M12_OTHERS});
	spread_say(b, &share, "%s", "banks' share of the energy, unified (small)",
		(unsigned[]){n, M12_OTHERS});
	without_fitted(b, list, n);
}

const struct target m12_fig7 = {
	.order = 70,
	.name = "fig7",
	.text = "Unified, 384 KB: the 18 workloads without a benefit.",
	.paper = &m12_paper,
	.rows = fig7,
	.takes = m12_is_other,
	.columns = STORE_BOTH,
};
