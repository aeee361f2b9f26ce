/* Section 7.3.1: tags of the unified design. */
#include "papers/dissertation/ch7.h"

static void tags(struct book *b)
{
	int w = book_find(b, "bfs");
	double kb = NAN;
	struct book_row row;

	if (w >= 0) {
		struct design d = ch7_threads(b, (unsigned)w, 0);

		kb = point_metric(store_try(b, (unsigned)w, &d), "l1tex__tag_bytes.max") / 1024.0;
	}
	row = book_band("DIS-122", "KB", band_exact(4.75), kb, NULL);
	book_sayf(b, &row, "tags of a unified design whose cache has at most 256 KB");
}

const struct target ch7_tags = {
	.order = 50,
	.name = "section7.3",
	.text = "Tags.",
	.paper = &ch7_paper,
	.rows = tags,
	.columns = CH7_BOTH,
	.takes = ch7_takes,
};
