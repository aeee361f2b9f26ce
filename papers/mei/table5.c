/* Table 5: latencies of the texture cache, which set parameters. A texel's index needs no addition.
 */
#include "papers/mei/mei.h"

static double ours(struct book *b, const char *machine, const char *item)
{
	struct design d = mei_design(machine, &mei_geometry, "");

	return mei_found(b, &d, "tex", item);
}

static void machine_rows(struct book *b, const char *claim, const char *machine, const char *name,
	double hit, double miss)
{
	struct book_row row = mei_calibration(claim, "cycles", band_exact(hit),
		ours(b, machine, "latency, touched before"), NULL);

	book_sayf(b, &row, "%s: hit", name);
	row = mei_calibration(claim, "cycles", band_exact(miss),
		ours(b, machine, "latency, touched in a launch before"), NULL);
	book_sayf(b, &row, "%s: miss that hits in the L2", name);
}

static void rows(struct book *b)
{
	machine_rows(b, "MEI-027", MEI_FERMI, "Fermi", 240, 470);
	machine_rows(b, "MEI-028", MEI_KEPLER, "Kepler", 110, 220);
}

const struct target mei_table5 = {
	.order = 30,
	.name = "mei-table5",
	.text = "Latencies of the texture cache: they set parameters.",
	.paper = &mei_paper,
	.rows = rows,
};
