/* Figure 7.4: the two splits of the limited design. */
#include "papers/dissertation/ch7.h"

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
		v = ch7_relative(b, (unsigned)w, more_cache, more_shared);
		book_tell(b, "times as fast", v, "%s: 48 KB shared by 16 KB", ch7_workloads[i]);
		n += isnan(v) ? 0 : 1;
		depend += !isnan(v) && fabs(v - 1) > 0.02;
	}
	book_tell(b, "workloads", n ? (double)depend : NAN,
		"the split changes the speed by 2 %% and more");
	if (dgemm >= 0)
		runs = store_try(b, (unsigned)dgemm, &more_cache) ? 1 : 0;
	row = book_band("DIS-121", "1: yes", band_exact(0), runs, NULL);
	book_sayf(b, &row, "dgemm runs with 16 KB of shared memory");
}

const struct target ch7_fig74 = {
	.order = 40,
	.name = "fig7.4",
	.text = "A limited design's two splits.",
	.paper = &ch7_paper,
	.rows = fig74,
	.columns = CH7_BOTH,
	.takes = ch7_takes,
};
