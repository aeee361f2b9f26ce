/* Figure 7.11: how the unified 384 KB are split. */
#include "papers/dissertation/ch7.h"

static void fig711(struct book *b)
{
	for (unsigned i = 0; i < CH7_WORKLOADS; i++) {
		int w = ch7_at(b, i);
		const char *name = ch7_workloads[i];
		struct store_partition p;
		struct design d;

		if (w < 0)
			continue;
		d = ch7_best(b, (unsigned)w, CH7_U384);
		p = store_partition_of(store_try(b, (unsigned)w, &d));
		book_tell(b, "KB", p.register_kb, "%s: registers", name);
		book_tell(b, "KB", p.shared_kb, "%s: shared memory", name);
		book_tell(b, "KB", p.cache_kb, "%s: cache", name);
		book_tell(b, "KB", 384 - p.register_kb - p.shared_kb - p.cache_kb, "%s: unused",
			name);
	}
}

const struct target ch7_fig711 = {
	.order = 120,
	.name = "fig7.11",
	.text = "How the unified 384 KB are split.",
	.paper = &ch7_paper,
	.rows = fig711,
	.columns = CH7_BOTH,
	.takes = ch7_takes,
};
