/* Figure 6.19: operands that instructions read from the MRF. */
#include "papers/dissertation/dis.h"

static double share(struct book *d, const struct design *design, const char *key)
{
	return 100 * dis_mean_ratio(d, design, key, "work.instructions");
}

static double from_two(struct book *d, const struct design *design)
{
	return share(d, design, "operands.mrf_2") + share(d, design, "operands.mrf_3") +
	       share(d, design, "operands.mrf_more");
}

static void tell_histogram(struct book *d, const char *name, const struct design *design)
{
	static const char *const keys[][2] = {{"operands.mrf_0", "none"}, {"operands.mrf_1", "one"},
		{"operands.mrf_2", "two"}, {"operands.mrf_3", "three"},
		{"operands.mrf_more", "more"}};

	for (unsigned k = 0; k < ARRAY_LEN(keys); k++)
		book_tell(d, "% of instructions", share(d, design, keys[k][0]),
			"%s: operands from the MRF: %s", name, keys[k][1]);
}

static void histogram(struct book *d)
{
	struct design single = dis_single(), best = dis_best_design("");

	tell_histogram(d, "single level", &single);
	tell_histogram(d, "3 ORF entries", &best);
	book_say_text(d, "single level: two or more",
		book_band("DIS-034", "% of instructions", band_points(40, 5), from_two(d, &single),
			NULL));
	book_say_text(d, "single level: one",
		book_band("DIS-035", "% of instructions", band_points(30, 5),
			share(d, &single, "operands.mrf_1"), NULL));
	book_say_text(d, "3 ORF entries: two",
		book_band("DIS-036", "% of instructions", band_at_most(10),
			share(d, &best, "operands.mrf_2"), NULL));
}

const struct target dis_fig619 = {
	.order = 140,
	.name = "fig6.19",
	.text = "Operands that instructions read from the MRF.",
	.paper = &dis_paper,
	.rows = histogram,
	.columns = DIS_VIEWS,
};
