/* Figure 6.1: how often values are read, and the distance to the reader. */
#include "papers/dissertation/dis.h"

static double share(struct book *d, const char *count, const char *by)
{
	struct design single = dis_single();

	return 100 * dis_mean_ratio(d, &single, count, by);
}

static void rows(struct book *d)
{
	double once = share(d, "values.read_1", "values.written");
	double twice = share(d, "values.read_2", "values.written");
	double more = share(d, "values.read_more", "values.written");
	double next = share(d, "values.life_1", "values.written");

	book_tell(d, "% of values", share(d, "values.read_0", "values.written"), "never read");
	book_tell(d, "% of values", once, "read once");
	book_tell(d, "% of values", twice, "read twice");
	book_tell(d, "% of values", more, "read more often");
	book_tell(d, "% of values", next, "read once, by the next instruction");
	book_tell(d, "% of values", share(d, "values.life_2", "values.written"),
		"read once, two instructions later");
	book_tell(d, "% of values", share(d, "values.life_3", "values.written"),
		"read once, three instructions later");
	book_tell(d, "% of values", share(d, "values.life_more", "values.written"),
		"read once, still later");
	book_say_text(d, "read more than once",
		book_band("DIS-071", "% of values", band_at_most(20),
			share(d, "values.again", "values.written"), NULL));
	book_say_text(d, "read once, by the next instruction",
		book_band("DIS-072", "% of values", band_points(40, 5), next, NULL));
	book_say_text(d, "read by the shared datapath",
		book_band("DIS-074", "% of values", band_points(7, 2),
			share(d, "values.shared", "values.written"), NULL));
	book_say_text(d, "and made by ALUs",
		book_band("DIS-075", "% of those", band_points(70, 10),
			share(d, "values.shared_from_alu", "values.shared"), NULL));
}

const struct target dis_fig61 = {
	.order = 50,
	.name = "fig6.1",
	.text = "Use of values: reads and lifetimes.",
	.paper = &dis_paper,
	.rows = rows,
	.columns = 1u << VIEW_STRANDS | 1u << VIEW_DATA,
};
