/* Figure 7.1: registers that the six workloads need, and the cost of few. */
#include "papers/dissertation/ch7.h"

/* KB of registers that 1024 threads of the workload need so that nothing is spilled. */
static double register_kb(struct book *b, unsigned w)
{
	struct design d = store_unbounded(CH7_FULL, CH7_REGISTERS, CH7_CACHE_KB);

	return 4 * store_partition_of(store_try(b, w, &d)).registers * CH7_FULL / 1024.0;
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
		few = ch7_relative(b, (unsigned)w, store_unbounded(CH7_FULL, 18, CH7_CACHE_KB),
			store_unbounded(CH7_FULL, CH7_REGISTERS, CH7_CACHE_KB));
		least = fmin(least, kb);
		most = fmax(most, kb);
		book_tell(b, "KB of registers", kb, "%s: 1024 threads", ch7_workloads[i]);
		book_tell(b, "times as fast", few, "%s: 64 registers by 18", ch7_workloads[i]);
	}
	row = book_band("DIS-130", "KB of registers", band_percent(72, 20),
		ch7_has_all(b) ? least : NAN, NULL);
	book_sayf(b, &row, "least");
	row = book_band("DIS-130", "KB of registers", band_percent(256, 20),
		ch7_has_all(b) ? most : NAN, NULL);
	book_sayf(b, &row, "most");
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
