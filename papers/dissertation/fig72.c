/* Figure 7.2: shared memory: needle by blocking factor and capacity; what dgemm needs. */
#include "papers/dissertation/ch7.h"

/* needle with a blocking factor and a capacity of shared memory. */
static struct design needle(unsigned block, unsigned shared_kb)
{
	return design_of("m12",
		"chip.storage=partitioned storage.partitioned.register_bytes=64M "
		"storage.partitioned.shared_bytes=%uK storage.partitioned.cache_bytes=%uK "
		"sm.warps=%u sm.ctas=%u needle.block=%u",
		shared_kb, CH7_CACHE_KB, block < WARP_LANES ? 64 : 32, CH7_FULL / block, block);
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
	struct design full = store_unbounded(CH7_FULL, CH7_REGISTERS, CH7_CACHE_KB);
	struct design few = needle(16, 400), many = needle(64, 400);
	struct book_row row;
	double ratio = NAN, kb = NAN;

	if (w >= 0) {
		needle_curves(b, (unsigned)w);
		ratio = ch7_relative(b, (unsigned)w, few, many);
	}
	if (dgemm >= 0) {
		struct store_partition p = store_partition_of(store_try(b, (unsigned)dgemm, &full));

		kb = p.shared_used_kb * CH7_FULL / p.threads;
	}
	row = book_band("DIS-118", "times as fast", band_at_least(2), ratio, NULL);
	book_sayf(b, &row, "needle, 400 KB: blocks of 64 by blocks of 16 (above 2)");
	row = book_band("DIS-119", "KB of shared memory", band_percent(66.5, 10), kb, NULL);
	book_sayf(b, &row, "dgemm: 1024 threads");
}

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
