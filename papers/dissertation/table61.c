/* Table 6.1: how much bandwidth the MRF still needs. */
#include "papers/dissertation/dis.h"

static double mrf_reads(struct book *d, unsigned n)
{
	struct design design = n ? dis_split(n) : dis_single();

	return dis_mean(d, &design, dis_mrf_reads);
}

static void sizes(struct book *d)
{
	static const double paper[] = {0.57, 0.48, 0.41, 0.37, 0.36, 0.35, 0.38, 0.38};

	for (unsigned n = 1; n <= LEVELS_MAX_ORF; n++) {
		struct book_row row = {.unit = "MRF reads an instruction",
			.paper = paper[n - 1],
			.low = paper[n - 1] - 0.03,
			.high = paper[n - 1] + 0.03,
			.ours = mrf_reads(d, n),
			.judge = BOOK_BAND,
			.cause = DIS_CAUSE_READS};
		static const char *const claims[] = {"DIS-022", "DIS-023", "DIS-024", "DIS-025",
			"DIS-026", "DIS-027", "DIS-028", "DIS-029"};

		row.claim = claims[n - 1];
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

	book_say(d, &(struct book_row){"DIS-021", "MRF reads an instruction", "single level", 1.23,
			    1.18, 1.28, base, BOOK_BAND, DIS_CAUSE_ADDRESSES});
	sizes(d);
	book_say(d, &(struct book_row){"DIS-030", "times fewer", "MRF reads, 3 ORF entries", 3, 2.7,
			    3.3, base / mrf_reads(d, 3), BOOK_BAND, DIS_CAUSE_THREE});
	book_say(d, &(struct book_row){"DIS-033", "entries", "fewest MRF reads", 6, 6, 6,
			    dis_best(d, dis_split, LEVELS_MAX_ORF, fewer_reads), BOOK_BAND,
			    book_words(d, "%.3f with 6 entries, %.3f with 7: flat", mrf_reads(d, 6),
				    mrf_reads(d, 7))});
	book_say(d, &(struct book_row){"DIS-031", "values an instruction",
			    "live into strands: no fewer MRF reads", 0.27, 0.24, 0.30,
			    dis_mean_ratio(d, &single, "strands.live_in", "work.instructions"),
			    BOOK_BAND, DIS_CAUSE_STRANDS});
	book_say(d, &(struct book_row){"DIS-032", "values an instruction",
			    "live out of strands: no fewer MRF writes", 0.17, 0.14, 0.20,
			    dis_mean_ratio(d, &single, "strands.live_out", "work.instructions"),
			    BOOK_BAND, DIS_CAUSE_STRANDS});
	book_say(d, &(struct book_row){"DIS-037", "operands an instruction",
			    "reads, as another section says", 1.6, NAN, NAN, base, BOOK_TOLD,
			    "contradicts 1.23"});
	book_say(d, &(struct book_row){"DIS-037", "operands an instruction", "writes", 0.8, NAN,
			    NAN, dis_mean_ratio(d, &single, "work.written", "work.instructions"),
			    BOOK_TOLD, NULL});
}

const struct target dis_table61 = {
	.order = 150,
	.name = "table6.1",
	.text = "MRF reads by entries, three levels with a split LRF.",
	.paper = &dis_paper,
	.rows = bandwidth,
	.columns = DIS_VIEWS,
};
