/* Figure 11: needle by its blocking factor and the capacity of shared memory. */
#include "papers/m12/m12.h"

#include <stdio.h>
#include <string.h>

#define FACTORS 3
#define CACHE_KB 64
#define THREADS 1024

/* A CTA of as many threads as its block has rows keeps scores and similarities of the block. */
static const unsigned factors[FACTORS] = {16, 32, 64};
#define MOST_CAPACITIES 9
static const unsigned capacities_kb[FACTORS][MOST_CAPACITIES] = {{16, 32, 48, 64, 96, 137},
	{16, 32, 48, 64, 96, 128, 192, 265}, {48, 64, 96, 128, 192, 265, 320, 400, 521}};

/* An SM with the slots for 1024 threads in CTAs of the factor: half-filled warps take 64. */
static struct design design(unsigned factor, unsigned shared_kb)
{
	unsigned warp = factor < WARP_LANES ? factor : WARP_LANES;

	return design_of("m12",
		"chip.storage=partitioned storage.partitioned.register_bytes=64M "
		"storage.partitioned.shared_bytes=%uK storage.partitioned.cache_bytes=%uK "
		"sm.warps=%u sm.ctas=%u needle.block=%u",
		shared_kb, CACHE_KB, THREADS / warp, THREADS / factor, factor);
}

static struct store_partition partition(struct book *b, unsigned w, unsigned factor, unsigned kb)
{
	struct design d = design(factor, kb);

	return store_partition_of(store_report(b, w, &d));
}

/* In that of the paper's reference, a factor of 64 and 1024 threads. */
static double performance(struct book *b, unsigned w, unsigned factor, unsigned kb)
{
	struct design d = design(factor, kb), reference = design(64, 521);

	return store_speedup(b, w, &reference, &d);
}

/* The fastest factor with so much shared memory; of those that fit. */
static double best(struct book *b, unsigned w, unsigned kb, unsigned first)
{
	double most = NAN, where = NAN;

	for (unsigned i = 0; i < FACTORS; i++) {
		double v = factors[i] == 64 && kb < 48 ? NAN : performance(b, w, factors[i], kb);

		if (i >= first && !isnan(v) && (isnan(most) || v > most)) {
			most = v;
			where = factors[i];
		}
	}
	return where;
}

static void curves(struct book *b, unsigned w)
{
	static const char *const names[FACTORS] = {"blocks of 16", "blocks of 32", "blocks of 64"};

	for (unsigned i = 0; i < FACTORS; i++)
		for (unsigned k = 0; k < MOST_CAPACITIES && capacities_kb[i][k]; k++) {
			unsigned kb = capacities_kb[i][k];

			book_plot(b, &(struct book_dot){"needle", names[i], "KB of shared memory",
					     "performance", kb, performance(b, w, factors[i], kb)});
			book_tell(b, "of 64's with 1024 threads", performance(b, w, factors[i], kb),
				"%s, %u KB: %.0f threads", names[i], kb,
				partition(b, w, factors[i], kb).threads);
		}
}

static void claims(struct book *b, unsigned w)
{
	struct store_partition full = partition(b, w, 64, 521), some = partition(b, w, 64, 320),
			       other = partition(b, w, 32, 265);

	/* Printed in whole KB. */
	book_say_text(b, "blocks of 64, 1024 threads",
		book_band("M12-074", "KB", band_points(520, 0.5), full.shared_used_kb, NULL));
	book_say_text(b, "best factor with 64 KB",
		book_band("M12-075", "", band_exact(32), best(b, w, 64, 0), NULL));
	book_say_text(b, "blocks of 64 with 320 KB, by blocks of 32 (at least 1)",
		book_band("M12-076", "times as fast", band_between(NAN, 1, 1.5),
			performance(b, w, 64, 320) / performance(b, w, 32, 265), NULL));
	book_say_text(b, "blocks of 64 with 320 KB, than blocks of 32",
		book_band("M12-076", "threads fewer", band_between(NAN, 1, 1023),
			other.threads - some.threads, NULL));
	book_say_text(b, "best factor with 16 KB",
		book_band("M12-077", "", band_exact(16), best(b, w, 16, 0), NULL));
	for (unsigned i = 0; i < FACTORS; i++) {
		static const double bytes[FACTORS] = {2180, 8452, 33284};
		struct store_partition p = partition(b, w, factors[i], 64);
		struct book_row r = book_band("M12-078", "bytes a CTA", band_exact(bytes[i]),
			1024 * p.shared_used_kb * factors[i] / p.threads, NULL);

		book_sayf(b, &r, "blocks of %u", factors[i]);
	}
}

static void rows(struct book *b)
{
	int w = book_find(b, "needle");

	if (w < 0)
		return;
	curves(b, (unsigned)w);
	claims(b, (unsigned)w);
}

static bool is_needle(const char *workload)
{
	return !strcmp(workload, "needle");
}

const struct target m12_fig11 = {
	.order = 140,
	.name = "fig11",
	.text = "needle by blocking factor and capacity of shared memory.",
	.paper = &m12_paper,
	.rows = rows,
	.takes = is_needle,
	.columns = STORE_BOTH,
	.plots = true,
};
