/* Figure 7.8: energy of fixed, limited and unified designs. */
#include "papers/dissertation/six.h"

static double energy_saved(struct book *b, unsigned w, enum ch7_design id)
{
	return 2 - ch7_energy(b, w, id);
}

static double mean_energy(struct book *b, enum ch7_design id)
{
	double sum = 0;

	for (unsigned i = 0; i < CH7_WORKLOADS; i++)
		sum += ch7_at(b, i) < 0 ? NAN : ch7_energy(b, (unsigned)ch7_at(b, i), id);
	return sum / CH7_WORKLOADS;
}

/* Per cent of all energy that banks take. */
static double bank_share(struct book *b, unsigned w, bool registers)
{
	struct design d = ch7_best(b, w, CH7_U384);
	const json_t *r = store_try(b, w, &d);
	double part = registers ? point_metric(r, "energy__registers.sum")
				: point_metric(r, "energy__shared.sum") +
					  point_metric(r, "energy__cache.sum");

	return 100 * part / point_metric(r, "energy__total.sum");
}

static void bank_claims(
	struct book *b, const char *claim, const char *text, bool registers, const double paper[2])
{
	double least = NAN, most = NAN;
	struct book_row row;

	for (unsigned i = 0; i < CH7_WORKLOADS; i++) {
		double v =
			ch7_at(b, i) < 0 ? NAN : bank_share(b, (unsigned)ch7_at(b, i), registers);

		book_tell(b, "% of the energy", v, "%s: %s", ch7_workloads[i], text);
		least = fmin(least, v);
		most = fmax(most, v);
	}
	row = book_band(claim, "% of the energy", band_factor(paper[0], 2),
		ch7_has_all(b) ? least : NAN, NULL);
	book_sayf(b, &row, "%s: least", text);
	row = book_band(claim, "% of the energy", band_factor(paper[1], 2),
		ch7_has_all(b) ? most : NAN, NULL);
	book_sayf(b, &row, "%s: most", text);
}

static void fig78(struct book *b)
{
	struct six s = six_of(b, energy_saved, CH7_U384);
	struct book_row row;

	six_tell(b, ch7_energy, "of the energy");
	row = book_band(
		"DIS-106", "% less energy", band_points(0, 2), six_least(&s), six_name(&s, 0));
	book_sayf(b, &row, "unified 384: least");
	row = book_band("DIS-106", "% less energy", band_percent(20, 20), six_most(&s),
		six_name(&s, CH7_WORKLOADS - 1));
	book_sayf(b, &row, "unified 384: most");
	/* "Well above" is 5 % and more; three times would be a fault of ours. */
	row = book_band("DIS-107", "of the energy", band_between(NAN, 1.05, 3),
		mean_energy(b, CH7_F256), NULL);
	book_sayf(b, &row, "256/256/256: mean (well above 1)");
	row.ours = mean_energy(b, CH7_F512);
	book_sayf(b, &row, "512/512/512: mean (well above 1)");
	bank_claims(b, "DIS-108", "banks of registers", true, (double[]){0.12, 1.16});
	bank_claims(
		b, "DIS-109", "banks of shared memory and cache", false, (double[]){0.004, 0.072});
}

const struct target ch7_fig78 = {
	.order = 80,
	.name = "fig7.8",
	.text = "Energy of fixed, limited and unified designs, by capacity.",
	.paper = &ch7_paper,
	.rows = fig78,
	.columns = CH7_BOTH,
	.takes = ch7_takes,
	.plots = true,
};
