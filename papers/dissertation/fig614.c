/* Figures 6.14 to 6.18 of the best design (three levels, split LRF, 3 ORF entries): what each
 * optimisation adds, where the energy goes, workload by workload, restricted encodings. */
#include "papers/dissertation/dis.h"

#include <stdio.h>
#include <string.h>

#define ENTRIES 3

static struct design best(const char *more)
{
	return dis_soft(ENTRIES, LEVELS_SLOTS, more);
}

static double energy(struct book *d, const char *more)
{
	struct design design = best(more);

	return 100 - dis_mean(d, &design, dis_saved);
}

static double cut(double before, double after)
{
	return 100 * (1 - after / before);
}

static void additive(struct book *d)
{
	double none = energy(d, "rf.forward_branches=false rf.read_operands=false "
				"rf.partial_ranges=false"),
	       forward = energy(d, "rf.read_operands=false rf.partial_ranges=false"),
	       reads = energy(d, "rf.partial_ranges=false"), all = energy(d, "");

	book_tell(d, "% saved", 100 - none, "none of the three");
	book_tell(d, "% saved", 100 - forward, "forward branches");
	book_tell(d, "% saved", 100 - reads, "and read operands");
	book_tell(d, "% saved", 100 - all, "and partial ranges");
	book_say(d, &(struct book_row){"DIS-047", "% less energy", "forward branches", 2, 1, 3,
			    cut(none, forward), BOOK_BAND, DIS_CAUSE_BRANCHES});
	book_say(d, &(struct book_row){"DIS-048", "% less energy", "read operands", 3, 2, 4,
			    cut(forward, reads), BOOK_BAND, DIS_CAUSE_ADDITIVE});
	book_say(d, &(struct book_row){"DIS-049", "% less energy", "partial ranges", 2, 1, 2,
			    cut(reads, all), BOOK_BAND, DIS_CAUSE_ADDITIVE});
	book_say(d, &(struct book_row){"DIS-046", "% less energy", "all three", 6.6, 5, 8,
			    cut(none, all), BOOK_BAND, DIS_CAUSE_ADDITIVE});
}

static void breakdown(struct book *d)
{
	static const char *const keys[][2] = {{"energy.mrf_bank", "MRF, banks"},
		{"energy.mrf_wire", "MRF, wires"}, {"energy.orf_bank", "ORF, banks"},
		{"energy.orf_wire", "ORF, wires"}, {"energy.lrf_bank", "LRF, banks"},
		{"energy.lrf_wire", "LRF, wires"}};
	struct design design = best("");
	double mrf = 100 * (dis_mean_ratio(d, &design, "energy.mrf_bank", "energy.total") +
				   dis_mean_ratio(d, &design, "energy.mrf_wire", "energy.total"));

	for (unsigned k = 0; k < ARRAY_LEN(keys); k++)
		book_tell(d, "% of a single level's",
			100 * dis_mean_ratio(d, &design, keys[k][0], "energy.single_level"), "%s",
			keys[k][1]);
	book_say(d, &(struct book_row){"DIS-050", "% of what remains", "MRF, banks and wires", 66.7,
			    60, 72, mrf, BOOK_BAND, DIS_CAUSE_STRANDS});
	book_say(d,
		&(struct book_row){"DIS-051", "% of a single level's", "LRF, wires", 1, 0, 1,
			100 * dis_mean_ratio(d, &design, "energy.lrf_wire", "energy.single_level"),
			BOOK_BAND, NULL});
}

static void one(struct book *d, unsigned w, const char *claim, struct band band, unsigned entries)
{
	struct design design = dis_soft(entries, LEVELS_SLOTS, "");
	struct book_row row = {.claim = claim,
		.unit = "% saved",
		.paper = band.paper,
		.low = band.low,
		.high = band.high,
		.ours = dis_of(d, w, &design, dis_saved),
		.judge = isnan(band.paper) ? BOOK_TOLD : BOOK_BAND,
		.cause = strcmp(book_workload(d, w), "dgemm") ? DIS_CAUSE_TIGHT : DIS_CAUSE_DGEMM};

	if (row.judge == BOOK_TOLD)
		row.cause = NULL;

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
		one(d, w, "", band_exact(NAN), ENTRIES);
	for (unsigned k = 0; k < ARRAY_LEN(known); k++)
		for (unsigned w = 0; w < book_workloads(d); w++)
			if (!strcmp(book_workload(d, w), known[k].name))
				one(d, w, known[k].claim, band_points(known[k].paper, 3),
					known[k].entries);
}

static void encoding(struct book *d)
{
	struct register_energy e;
	double all = energy(d, "");

	register_energy_default(&e);
	book_say(d, &(struct book_row){"DIS-055", "% more energy", "each result to one level only",
			    7, 5, 9, -cut(all, energy(d, "rf.one_level_writes=true")), BOOK_BAND,
			    DIS_CAUSE_ENCODING});
	book_tell(d, "% more energy",
		-cut(all, energy(d, "rf.one_level_writes=true rf.read_operands=false")),
		"and no value read from the MRF is kept in the ORF");
	book_say(d, &(struct book_row){"DIS-056", "% more energy",
			    "results to two levels only from the LRF", 2, 1, 3,
			    -cut(all, energy(d, "rf.lrf_dual_only=true")), BOOK_BAND,
			    DIS_CAUSE_DUAL_ONLY});
	book_say(d, &(struct book_row){"DIS-057", "% of the chip's energy",
			    "a bit more in each instruction (at most)", 0.3, 0, 0.3,
			    100 * register_energy_saving(&e, 1).encoding, BOOK_TOLD,
			    "an input of the model"});
}

const struct target dis_fig614 = {
	.order = 100,
	.name = "fig6.14",
	.text = "What each optimisation adds, at 3 ORF entries with a split LRF.",
	.paper = &dis_paper,
	.rows = additive,
	.columns = DIS_VIEWS,
};

const struct target dis_fig615 = {
	.order = 110,
	.name = "fig6.15",
	.text = "Where the energy of the best design goes.",
	.paper = &dis_paper,
	.rows = breakdown,
	.columns = DIS_VIEWS,
};

const struct target dis_fig616 = {
	.order = 120,
	.name = "fig6.16",
	.text = "Energy saved by the best design, workload by workload.",
	.paper = &dis_paper,
	.rows = workloads,
	.columns = 1u << VIEW_KEPT | 1u << VIEW_DATA,
};

const struct target dis_fig618 = {
	.order = 130,
	.name = "fig6.18",
	.text = "Restricted encodings of where a result goes.",
	.paper = &dis_paper,
	.rows = encoding,
	.columns = DIS_VIEWS,
};
