/* Figure 6.16: energy saved by the best design, workload by workload. */
#include "papers/dissertation/dis.h"

#include <string.h>

static void one(struct book *d, unsigned w, const char *claim, struct band band, unsigned entries)
{
	struct design design = dis_split(entries);
	bool known = !isnan(band.paper);
	double saved = dis_of(d, w, &design, dis_saved);
	struct book_row row = known ? book_band(claim, "% saved", band, saved, NULL)
				    : book_told(claim, "% saved", NAN, saved, NULL);

	book_sayf(d, &row, "%s, %u entries", book_workload(d, w), entries);
}

static void workloads(struct book *d)
{
	static const struct {
		const char *name, *claim;
		double paper; /* and 3 points around it */
		unsigned entries;
	} known[] = {{"reduction", "DIS-052", 25, 3}, {"scalarprod", "DIS-052", 30, 3},
		{"dgemm", "DIS-053", 56, 3}, {"dgemm", "DIS-054", 60, 7}};

	for (unsigned w = 0; w < book_workloads(d); w++)
		one(d, w, "", band_exact(NAN), DIS_ENTRIES);
	for (unsigned k = 0; k < ARRAY_LEN(known); k++)
		for (unsigned w = 0; w < book_workloads(d); w++)
			if (!strcmp(book_workload(d, w), known[k].name))
				one(d, w, known[k].claim, band_points(known[k].paper, 3),
					known[k].entries);
}

const struct target dis_fig616 = {
	.order = 120,
	.name = "fig6.16",
	.text = "Energy saved by the best design, workload by workload.",
	.paper = &dis_paper,
	.rows = workloads,
	.columns = 1u << VIEW_KEPT | 1u << VIEW_DATA,
};
