/* Section 2.1: accesses to the main registers, and time, with the register hierarchy and without.
 */
#include "papers/m12/m12.h"

#include "papers/m12/table1_rows.h"

#define WITHOUT "rf.hierarchy=none sm.two_level.active_warps=32"

static double main_accesses(struct book *b, unsigned w, const struct design *d)
{
	return store_metric(b, w, d, "rf__mrf_reads.sum") +
	       store_metric(b, w, d, "rf__mrf_writes.sum");
}

static void section2(struct book *b)
{
	struct design with = store_partitioned(""), without = store_partitioned(WITHOUT);
	double accesses = 0, cycles = 0;
	unsigned n = book_workloads(b);

	for (unsigned w = 0; w < n; w++) {
		accesses += main_accesses(b, w, &with) / main_accesses(b, w, &without) / n;
		cycles += store_speedup(b, w, &without, &with) / n;
	}
	m12_say_text(b, "accesses to the main registers",
		book_band("M12-018", "of those without hierarchy", band_points(0.4, 0.05), accesses,
			NULL),
		n, TABLE1_ROWS);
	m12_say_text(b, "with hierarchy and 8 active warps, by without and 32",
		book_band("M12-019", "times as fast", band_points(1, 0.02), cycles, NULL), n,
		TABLE1_ROWS);
}

const struct target m12_section2 = {
	.order = 50,
	.name = "section2.1",
	.text = "What the register hierarchy and eight active warps change.",
	.paper = &m12_paper,
	.rows = section2,
	.columns = STORE_BOTH,
};
