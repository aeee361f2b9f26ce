/* Figure 7.10: instructions with bank conflicts. */
#include "papers/dissertation/ch7.h"

#define NO_HIERARCHY "rf.hierarchy=none"

/* Per cent of instructions with more than one access to a bank. */
static double conflicts(struct book *b, unsigned w, const struct design *d)
{
	const json_t *r = store_try(b, w, d);
	double one = point_metric(r, "bank__inst_most_1.sum");
	double more = point_metric(r, "bank__inst_most_2.sum") +
		      point_metric(r, "bank__inst_most_3.sum") +
		      point_metric(r, "bank__inst_most_4.sum") +
		      point_metric(r, "bank__inst_most_more.sum");

	return 100 * more / (one + more);
}

static double mean_conflicts(struct book *b, const struct design *d)
{
	double sum = 0;

	for (unsigned i = 0; i < CH7_WORKLOADS; i++)
		sum += ch7_at(b, i) < 0 ? NAN : conflicts(b, (unsigned)ch7_at(b, i), d);
	return sum / CH7_WORKLOADS;
}

static void fig710(struct book *b)
{
	struct design base = store_partitioned(NO_HIERARCHY),
		      unified = store_unified(384, NO_HIERARCHY), both = store_unified(384, "");
	double plain = mean_conflicts(b, &base), more = mean_conflicts(b, &unified),
	       less = mean_conflicts(b, &both);
	bool all = ch7_has_all(b);
	struct book_row row;

	for (unsigned i = 0; i < CH7_WORKLOADS; i++) {
		int at = ch7_at(b, i);
		unsigned w = (unsigned)at;
		const char *name = ch7_workloads[i], *unit = "% of instructions";

		if (at < 0)
			continue;
		book_tell(b, unit, conflicts(b, w, &base), "%s: 256/64/64, no hierarchy", name);
		book_tell(b, unit, conflicts(b, w, &unified), "%s: unified, no hierarchy", name);
		book_tell(b, unit, conflicts(b, w, &both), "%s: unified, hierarchy", name);
	}
	row = book_band("DIS-113", "points", band_points(5, 2), more - plain,
		all ? book_words(b, "%.1f and %.1f %%", plain, more) : NULL);
	book_sayf(b, &row, "without hierarchy, unified has more conflicts");
	row = book_band("DIS-114", "points", band_between(NAN, 0, 100), plain - less,
		all ? book_words(b, "%.1f %% with hierarchy, %.1f without", less, plain) : NULL);
	book_sayf(b, &row, "unified with hierarchy has fewer than 256/64/64 without (above 0)");
	row = book_band("DIS-114", "points", band_between(NAN, 0, 100), more - plain,
		all ? book_words(b, "%.1f and %.1f %%", plain, more) : NULL);
	book_sayf(b, &row, "and that fewer than unified without (above 0)");
}

const struct target ch7_fig710 = {
	.order = 100,
	.name = "fig7.10",
	.text = "Instructions with bank conflicts.",
	.paper = &ch7_paper,
	.rows = fig710,
	.columns = CH7_BOTH,
	.takes = ch7_takes,
};
