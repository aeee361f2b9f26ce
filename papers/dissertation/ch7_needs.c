/* Figures 7.1 to 7.4: what the six workloads need of registers, shared memory and cache, and what a
 * split that does not fit them costs. */
#include "papers/dissertation/ch7.h"

#include <stdio.h>
#include <string.h>

#define REGISTERS 64
#define CACHE_KB 64
#define FULL 1024
#define KB 1024.0

/* Machines on which one storage is small or large and all others without bound; those of the
 * MICRO paper's figures 2 to 4. */
static double relative(struct book *b, unsigned w, struct design small, struct design large)
{
	return store_try_cycles(b, w, &small) / store_try_cycles(b, w, &large);
}

/* ---- figure 7.1 */
/* KB of registers that 1024 threads of the workload need so that nothing is spilled. */
static double register_kb(struct book *b, unsigned w)
{
	struct design d = store_unbounded(FULL, REGISTERS, CACHE_KB);

	return 4 * store_partition_of(store_try(b, w, &d)).registers * FULL / KB;
}

static void fig71(struct book *b)
{
	double least = NAN, most = NAN;
	struct book_row row;

	for (unsigned i = 0; i < CH7_WORKLOADS; i++) {
		int w = ch7_at(b, i);
		double kb, few;

		if (w < 0)
			continue;
		kb = register_kb(b, (unsigned)w);
		few = relative(b, (unsigned)w, store_unbounded(FULL, 18, CACHE_KB),
			store_unbounded(FULL, REGISTERS, CACHE_KB));
		least = fmin(least, kb);
		most = fmax(most, kb);
		book_tell(b, "KB of registers", kb, "%s: 1024 threads", ch7_workloads[i]);
		book_tell(b, "times as fast", few, "%s: 64 registers by 18", ch7_workloads[i]);
	}
	row = book_band("DIS-130", "KB of registers", band_percent(72, 20),
		ch7_has_all(b) ? least : NAN,
		"our kernels' registers differ from the paper's: see table1");
	book_sayf(b, &row, "least");
	row = book_band("DIS-130", "KB of registers", band_percent(256, 20),
		ch7_has_all(b) ? most : NAN,
		"our kernels' registers differ from the paper's: see table1");
	book_sayf(b, &row, "most");
}

/* ---- figure 7.2 */
/* needle with blocks of so many, with so much shared memory. */
static struct design needle(unsigned block, unsigned shared_kb)
{
	return design_of("m12",
		"chip.storage=partitioned storage.partitioned.register_bytes=64M "
		"storage.partitioned.shared_bytes=%uK storage.partitioned.cache_bytes=%uK "
		"sm.warps=%u sm.ctas=%u needle.block=%u",
		shared_kb, CACHE_KB, block < WARP_LANES ? 64 : 32, FULL / block, block);
}

static void needle_curves(struct book *b, unsigned w)
{
	static const unsigned capacities[] = {16, 32, 64, 128, 192, 256, 400};
	static const unsigned blocks[] = {16, 32, 64};
	static const char *const names[] = {"blocks of 16", "blocks of 32", "blocks of 64"};
	struct design base = needle(16, 400);

	for (unsigned k = 0; k < ARRAY_LEN(blocks); k++)
		for (unsigned i = 0; i < ARRAY_LEN(capacities); i++) {
			struct design d = needle(blocks[k], capacities[i]);
			double v = store_try_cycles(b, w, &base) / store_try_cycles(b, w, &d);

			book_plot(b, &(struct book_dot){"needle", names[k], "KB of shared memory",
					     "performance", capacities[i], v});
			book_tell(b, "of blocks of 16 with 400 KB", v, "%s, %u KB", names[k],
				capacities[i]);
		}
}

static void fig72(struct book *b)
{
	int w = book_find(b, "needle"), dgemm = book_find(b, "dgemm");
	struct design full = store_unbounded(FULL, REGISTERS, CACHE_KB);
	struct design few = needle(16, 400), many = needle(64, 400);
	struct book_row row;
	double ratio = NAN, kb = NAN;
	const char *words = NULL;

	if (w >= 0) {
		needle_curves(b, (unsigned)w);
		ratio = relative(b, (unsigned)w, few, many);
		words = store_time_words(b, (unsigned)w, &many);
	}
	if (dgemm >= 0) {
		struct store_partition p = store_partition_of(store_try(b, (unsigned)dgemm, &full));

		kb = p.shared_used_kb * FULL / p.threads;
	}
	row = book_band("DIS-118", "times as fast", band_between(2, 2, 4), ratio,
		words ? book_words(b,
				"diagonals meet in banks whatever the block. Blocks of 64: %s",
				words)
		      : NULL);
	book_sayf(b, &row, "needle, 400 KB: blocks of 64 by blocks of 16 (above 2)");
	row = book_band("DIS-119", "KB of shared memory", band_percent(66.5, 10), kb, "not found");
	book_sayf(b, &row, "dgemm: 1024 threads");
}

/* ---- figure 7.3 */
static const unsigned thread_counts[] = {256, 512, 768, FULL};

static double mummer_speed(struct book *b, unsigned w, unsigned threads)
{
	return relative(b, w, store_unbounded(FULL, REGISTERS, CACHE_KB),
		store_unbounded(threads, REGISTERS, CACHE_KB));
}

/* The most that one storage changes over its range, other storage being without bound. */
static double largest_effect(struct book *b, unsigned *of)
{
	struct design full = store_unbounded(FULL, REGISTERS, 512);
	double most = NAN;

	for (unsigned i = 0; i < CH7_WORKLOADS; i++) {
		int at = ch7_at(b, i);
		unsigned w = (unsigned)at;
		double v;

		if (at < 0)
			continue;
		v = fmax(relative(b, w, store_unbounded(FULL, REGISTERS, 0), full),
			fmax(relative(b, w, store_unbounded(FULL, 18, 512), full),
				relative(b, w, store_unbounded(256, REGISTERS, 512), full)));
		if (isnan(most) || v > most) {
			most = v;
			*of = i;
		}
	}
	return most;
}

static void fig73(struct book *b)
{
	int w = book_find(b, "mummer");
	double best = NAN, where = NAN, most;
	unsigned of = 0;
	struct book_row row;

	for (unsigned i = 0; i < ARRAY_LEN(thread_counts); i++) {
		double v;

		if (w < 0)
			continue;
		v = mummer_speed(b, (unsigned)w, thread_counts[i]);
		book_plot(b, &(struct book_dot){"mummer, 64 KB of cache", "mummer", "threads",
				     "performance", thread_counts[i], v});
		book_tell(b, "of 1024 threads'", v, "mummer, 64 KB of cache: %u threads",
			thread_counts[i]);
		if (!isnan(v) && (isnan(best) || v > best)) {
			best = v;
			where = thread_counts[i];
		}
	}
	row = book_band("DIS-117", "threads", band_exact(768), where,
		w < 0 ? NULL
		      : book_words(b, "flat at its top: %.3f of 1024 threads', with 768 %.3f", best,
				mummer_speed(b, (unsigned)w, 768)));
	book_sayf(b, &row, "mummer, 64 KB of cache: fastest");
	most = largest_effect(b, &of);
	row = book_band("DIS-120", "times as fast", band_percent(3, 20),
		ch7_has_all(b) ? most : NAN, book_words(b, "%s", ch7_workloads[of]));
	book_sayf(b, &row, "large by small structures: most");
}

/* ---- figure 7.4 */
static void fig74(struct book *b)
{
	int dgemm = book_find(b, "dgemm");
	struct design more_shared = ch7_limited(1), more_cache = ch7_limited(2);
	unsigned depend = 0, n = 0;
	double runs = NAN;
	struct book_row row;

	for (unsigned i = 0; i < CH7_WORKLOADS; i++) {
		int w = ch7_at(b, i);
		double v;

		if (w < 0)
			continue;
		v = relative(b, (unsigned)w, more_cache, more_shared);
		book_tell(b, "times as fast", v, "%s: 48 KB shared by 16 KB", ch7_workloads[i]);
		n += isnan(v) ? 0 : 1;
		depend += !isnan(v) && fabs(v - 1) > 0.02;
	}
	book_tell(b, "workloads", n ? (double)depend : NAN,
		"the split changes the speed by 2 %% and more");
	if (dgemm >= 0)
		runs = store_try(b, (unsigned)dgemm, &more_cache) ? 1 : 0;
	row = book_band("DIS-121", "1: yes", band_exact(0), runs, "not found");
	book_sayf(b, &row, "dgemm runs with 16 KB of shared memory");
}

/* ---- section 7.3.1 */
static void tags(struct book *b)
{
	int w = book_find(b, "bfs");
	double kb = NAN;
	struct book_row row;

	if (w >= 0) {
		struct design d = ch7_threads(b, (unsigned)w, 0);

		kb = point_metric(store_try(b, (unsigned)w, &d), "l1tex__tag_bytes.max") / KB;
	}
	row = book_band("DIS-122", "KB", band_exact(4.75), kb, "not found");
	book_sayf(b, &row, "tags of a unified design whose cache has at most 256 KB");
}

const struct target ch7_fig71 = {
	.order = 10,
	.name = "fig7.1",
	.text = "Registers: what 1024 threads need, and what few registers cost.",
	.paper = &ch7_paper,
	.rows = fig71,
	.columns = CH7_BOTH,
	.takes = ch7_takes,
};

const struct target ch7_fig72 = {
	.order = 20,
	.name = "fig7.2",
	.text = "Shared memory: needle by blocking factor and capacity; dgemm's need.",
	.paper = &ch7_paper,
	.rows = fig72,
	.columns = CH7_BOTH,
	.takes = ch7_takes,
	.plots = true,
};

const struct target ch7_fig73 = {
	.order = 30,
	.name = "fig7.3",
	.text = "Cache and threads: mummer; the largest effect of any storage.",
	.paper = &ch7_paper,
	.rows = fig73,
	.columns = CH7_BOTH,
	.takes = ch7_takes,
	.plots = true,
};

const struct target ch7_fig74 = {
	.order = 40,
	.name = "fig7.4",
	.text = "A limited design's two splits.",
	.paper = &ch7_paper,
	.rows = fig74,
	.columns = CH7_BOTH,
	.takes = ch7_takes,
};

const struct target ch7_tags = {
	.order = 50,
	.name = "section7.3",
	.text = "Tags.",
	.paper = &ch7_paper,
	.rows = tags,
	.columns = CH7_BOTH,
	.takes = ch7_takes,
};
