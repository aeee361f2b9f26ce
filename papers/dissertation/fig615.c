/* Figure 6.15: where the energy of the best design goes. */
#include "papers/dissertation/dis.h"

static void breakdown(struct book *d)
{
	static const char *const keys[][2] = {{"energy.mrf_bank", "MRF, banks"},
		{"energy.mrf_wire", "MRF, wires"}, {"energy.orf_bank", "ORF, banks"},
		{"energy.orf_wire", "ORF, wires"}, {"energy.lrf_bank", "LRF, banks"},
		{"energy.lrf_wire", "LRF, wires"}};
	struct design design = dis_best_design("");
	double mrf = 100 * (dis_mean_ratio(d, &design, "energy.mrf_bank", "energy.total") +
				   dis_mean_ratio(d, &design, "energy.mrf_wire", "energy.total"));

	for (unsigned k = 0; k < ARRAY_LEN(keys); k++)
		book_tell(d, "% of a single level's",
			100 * dis_mean_ratio(d, &design, keys[k][0], "energy.single_level"), "%s",
			keys[k][1]);
	/* "About two thirds": 66 %, 6 either way. */
	book_say_text(d, "MRF, banks and wires",
		book_band("DIS-050", "% of what remains", band_between(66.7, 60, 72), mrf, NULL));
	book_say_text(d, "LRF, wires",
		book_band("DIS-051", "% of a single level's", band_at_most(1),
			100 * dis_mean_ratio(d, &design, "energy.lrf_wire", "energy.single_level"),
			NULL));
}

const struct target dis_fig615 = {
	.order = 110,
	.name = "fig6.15",
	.text = "The energy of the best design by part.",
	.paper = &dis_paper,
	.rows = breakdown,
	.columns = DIS_VIEWS,
};
