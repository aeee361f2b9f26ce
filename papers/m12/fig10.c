/* Figure 10: a Fermi-like design, the better of two splits, beside the unified one of 384 KB. */
#include "papers/m12/spread.h"

#include <string.h>

/* The split with which the workload is faster. */
static struct design best_split(struct book *b, unsigned w)
{
	struct design first = store_fermi(1, ""), second = store_fermi(2, "");

	return store_cycles(b, w, &first) <= store_cycles(b, w, &second) ? first : second;
}

/* Which split it is. */
static const char *split_words(struct book *b, unsigned w)
{
	struct design best = best_split(b, w);
	struct store_partition p = store_partition_of(store_report(b, w, &best));

	return book_words(b, "%.0f KB shared, %.0f KB cache", p.shared_kb, p.cache_kb);
}

static void one_fermi(struct book *b, const struct m12_gain *g, unsigned w)
{
	struct design before = store_partitioned(""), fermi = best_split(b, w),
		      after = store_unified(M12_LARGEST_KB, "");
	bool is_better = strcmp(g->workload, "mummer") != 0;
	struct book_row gain = book_band("M12-071", "times as fast", band_between(NAN, 1.01, 1.2),
		store_speedup(b, w, &before, &fermi), split_words(b, w));
	struct book_row other = book_band("M12-072", "times as fast",
		is_better ? band_above_one() : band_below_one(),
		store_speedup(b, w, &fermi, &after), NULL);

	spread_say_one(b, &gain, "%s: Fermi-like, by partitioned", g->name);
	spread_say_one(b, &other,
		is_better ? "%s: unified, by Fermi-like (above 1)"
			  : "%s: unified, by Fermi-like (below 1)",
		g->name);
}

static void fig10(struct book *b)
{
	struct design after = store_unified(M12_LARGEST_KB, ""), before = store_partitioned("");
	struct spread energy = {0}, dram = {0};
	struct book_row row;

	for (unsigned i = 0; i < M12_GAINS; i++) {
		int at = m12_at(b, i);
		unsigned w = (unsigned)at;
		struct design fermi;

		if (at < 0)
			continue;
		fermi = best_split(b, w);
		one_fermi(b, &m12_gains[i], w);
		spread_add(&energy,
			store_energy_ratio(b, w, &before, &after, NULL) /
				store_energy_ratio(b, w, &before, &fermi, NULL),
			w);
		spread_add(&dram, store_dram_ratio(b, w, &fermi, &after), w);
	}
	row = book_band("M12-073", "of the energy", band_below_one(), spread_mean(&energy), NULL);
	spread_say(b, &row, "%s", "energy of unified by Fermi-like: mean (below 1)",
		(unsigned[]){energy.n, M12_GAINS});
	row = book_band("M12-073", "of the DRAM bytes", band_below_one(), spread_mean(&dram), NULL);
	spread_say(b, &row, "%s", "DRAM traffic of unified by Fermi-like: mean (below 1)",
		(unsigned[]){dram.n, M12_GAINS});
}

const struct target m12_fig10 = {
	.order = 120,
	.name = "fig10",
	.text = "A Fermi-like design (the better of two splits) beside the unified one.",
	.paper = &m12_paper,
	.rows = fig10,
	.takes = m12_gains_from,
	.columns = STORE_BOTH,
};
