/* Table 6.1: how much bandwidth the MRF still needs. */
#include "papers/dissertation/dis.h"

static double mrf_reads(struct book *d, unsigned n)
{
	struct design design = n ? dis_split(n) : dis_single();

	return dis_mean(d, &design, dis_mrf_reads);
}

static void plot(struct book *d, const char *series, unsigned entries, double reads)
{
	book_plot(d, &(struct book_dot){"MRF reads", series, "entries of the ORF",
			     "reads, for an instruction", entries, reads});
}

static void sizes(struct book *d)
{
	static const double paper[] = {0.57, 0.48, 0.41, 0.37, 0.36, 0.35, 0.38, 0.38};

	for (unsigned n = 1; n <= LEVELS_MAX_ORF; n++) {
		static const char *const claims[] = {"DIS-022", "DIS-023", "DIS-024", "DIS-025",
			"DIS-026", "DIS-027", "DIS-028", "DIS-029"};
		double ours = mrf_reads(d, n);
		struct book_row row;

		plot(d, "ours", n, ours);
		plot(d, BOOK_PAPER, n, paper[n - 1]);
		row = book_band(claims[n - 1], "MRF reads an instruction",
			band_points(paper[n - 1], 0.03), ours, NULL);
		book_sayf(d, &row, "%u ORF entr%s", n, n > 1 ? "ies" : "y");
	}
}

static double fewer_reads(const json_t *report)
{
	return -dis_mrf_reads(report);
}

static void bandwidth(struct book *d)
{
	struct design single = dis_single();
	double base = mrf_reads(d, 0);

	book_say_text(d, "single level",
		book_band("DIS-021", "MRF reads an instruction", band_points(1.23, 0.05), base,
			NULL));
	sizes(d);
	book_say_text(d, "MRF reads, 3 ORF entries",
		book_band("DIS-030", "times fewer", band_percent(3, 10), base / mrf_reads(d, 3),
			NULL));
	book_say_text(d, "fewest MRF reads",
		book_band("DIS-033", "entries", band_exact(6),
			dis_best(d, dis_split, LEVELS_MAX_ORF, fewer_reads),
			book_words(d, "%.3f with 6 entries, %.3f with 7", mrf_reads(d, 6),
				mrf_reads(d, 7))));
	book_say_text(d, "live into strands: no fewer MRF reads",
		book_band("DIS-031", "values an instruction", band_points(0.27, 0.03),
			dis_mean_ratio(d, &single, "strands.live_in", "work.instructions"), NULL));
	book_say_text(d, "live out of strands: no fewer MRF writes",
		book_band("DIS-032", "values an instruction", band_points(0.17, 0.03),
			dis_mean_ratio(d, &single, "strands.live_out", "work.instructions"), NULL));
	book_say_text(d, "reads, as another section says",
		book_told("DIS-037", "operands an instruction", 1.6, base, NULL));
	book_say_text(d, "writes",
		book_told("DIS-037", "operands an instruction", 0.8,
			dis_mean_ratio(d, &single, "work.written", "work.instructions"), NULL));
}

const struct target dis_table61 = {
	.order = 150,
	.name = "table6.1",
	.text = "MRF reads by entries, three levels with a split LRF.",
	.paper = &dis_paper,
	.rows = bandwidth,
	.columns = DIS_VIEWS,
	.plots = true,
};
