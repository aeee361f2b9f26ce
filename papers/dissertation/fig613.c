/* Figure 6.13: energy of the registers against a single level, by entries, for five designs. */
#include "papers/dissertation/dis.h"

#include <stdio.h>

static struct design hard2(unsigned n)
{
	return dis_hard(n, 0, "");
}

static struct design hard3(unsigned n)
{
	return dis_hard(n, 1, "");
}

static struct design soft2(unsigned n)
{
	return dis_soft(n, 0, "");
}

static struct design soft3(unsigned n)
{
	return dis_soft(n, 1, "");
}

#define HARDWARE BOOK_PAPER ": hardware"
#define SOFTWARE BOOK_PAPER ": software"

/* With what the text says that it saves, at which number of entries. */
static const struct {
	const char *name, *curve;
	dis_sweep *sweep;
	const char *papers;
	unsigned entries, saved;
} designs[] = {{"hardware, RFC", "RFC", hard2, HARDWARE, 3, 34},
	{"software, ORF", "ORF", soft2, SOFTWARE, 3, 45},
	{"hardware, LRF and RFC", "LRF and RFC", hard3, HARDWARE, 6, 41},
	{"software, LRF and ORF", "LRF and ORF", soft3, NULL, 0, 0},
	{"software, split LRF and ORF", "split LRF, ORF", dis_split, SOFTWARE, 3, 54}};

static double saved(struct book *d, dis_sweep *sweep, unsigned n)
{
	struct design design = sweep(n);

	return dis_mean(d, &design, dis_saved);
}

static double energy(struct book *d, dis_sweep *sweep, unsigned n)
{
	return 1 - saved(d, sweep, n) / 100;
}

static void judge(
	struct book *d, const char *claim, const char *text, struct band band, double ours)
{
	book_say_text(d, text, book_band(claim, "% saved", band, ours, NULL));
}

#define FLAT 0.5 /* points */
#define MOST_WORKLOADS 64

static double gain(struct book *d, unsigned w, dis_sweep *sweep, unsigned more, unsigned few)
{
	struct design a = sweep(more), b = sweep(few);

	return dis_of(d, w, &a, dis_saved) - dis_of(d, w, &b, dis_saved);
}

/* The workloads that gain most points by more entries, until what the others gain is flat. */
static const char *who_gains(struct book *d, dis_sweep *sweep, unsigned more, unsigned few)
{
	struct book_ranked list[MOST_WORKLOADS];
	unsigned n = book_workloads(d);

	BUG_ON(n > MOST_WORKLOADS);
	for (unsigned w = 0; w < n; w++)
		list[w] = (struct book_ranked){w, gain(d, w, sweep, more, few)};
	return book_rank(d, list, n, &(struct book_ranking){n, FLAT, false, 2});
}

/* The number of entries that saves most; the paper's. */
static void judge_size(
	struct book *d, const char *claim, const char *text, unsigned paper, dis_sweep *sweep)
{
	double ours = dis_best(d, sweep, LEVELS_MAX_ORF, dis_saved);
	struct book_row row = book_band(claim, "entries", band_exact(paper), ours, NULL);

	if (!isnan(ours) && ours != paper) {
		double less = saved(d, sweep, (unsigned)ours) - saved(d, sweep, paper);
		const char *who = less < FLAT ? NULL : who_gains(d, sweep, (unsigned)ours, paper);

		row.note = book_words(d, "%u entries save %.2f points less than %.0f%s%s", paper,
			less, ours, who ? ": " : "", who ? who : "");
	}
	book_sayf(d, &row, "%s", text);
}

static void headlines(struct book *d)
{
	judge(d, "DIS-001", "software, split LRF and 3 ORF entries", band_points(54, 2),
		saved(d, dis_split, 3));
	judge(d, "DIS-002", "software, 3 ORF entries", band_points(45, 2), saved(d, soft2, 3));
	judge(d, "DIS-003", "hardware, LRF and 6 RFC entries", band_points(41, 2),
		saved(d, hard3, 6));
	judge(d, "DIS-005", "hardware, 3 RFC entries", band_points(34, 2), saved(d, hard2, 3));
	judge_size(d, "DIS-006", "best ORF, two levels", 3, soft2);
	judge_size(d, "DIS-006", "best ORF, three levels, split LRF", 3, dis_split);
	judge_size(d, "DIS-007", "best RFC, two levels", 3, hard2);
	judge_size(d, "DIS-009", "best RFC, three levels", 6, hard3);
}

static void consequences(struct book *d)
{
	struct register_energy e;
	struct register_saving s;

	register_energy_default(&e);
	s = register_energy_saving(&e, energy(d, dis_split, 3));
	book_say_text(d, "RFC of 3 against ORF of 3",
		book_told("DIS-010", "energy ratio", 1.2, energy(d, hard2, 3) / energy(d, soft2, 3),
			NULL));
	book_say_text(d, "RFC of 3 against the best",
		book_told("DIS-011", "energy ratio", 1.44,
			energy(d, hard2, 3) / energy(d, dis_split, 3), NULL));
	book_say_text(d, "LRF and RFC of 6 against the best",
		book_told("DIS-012", "energy ratio", 1.27,
			energy(d, hard3, 6) / energy(d, dis_split, 3), NULL));
	book_say_text(d, "what the best saves",
		book_band(
			"DIS-013", "% of an SM's power", band_points(8.3, 0.5), 100 * s.sm, NULL));
	book_say_text(d, "what the best saves",
		book_band("DIS-013", "% of the chip's power", band_points(5.8, 0.4), 100 * s.chip,
			NULL));
	book_tell(d, "% of the chip's power", 100 * (s.chip - s.encoding),
		"less what a longer instruction costs (a bit)");
}

/* Means over the workloads with long strands, and over the others. */
static void by_strands(struct book *d)
{
	struct design best = dis_split(3);
	double sum[2] = {0, 0};
	unsigned n[2] = {0, 0};

	for (unsigned w = 0; w < book_workloads(d); w++) {
		double v = dis_of(d, w, &best, dis_saved);
		unsigned k = dis_long_strands(d, w);

		sum[k] += isnan(v) ? 0 : v;
		n[k] += isnan(v) ? 0 : 1;
	}
	book_tell(d, "% saved", n[1] ? sum[1] / n[1] : NAN,
		"the best, %u workloads: strands of 8 instructions and more", n[1]);
	book_tell(d, "% saved", n[0] ? sum[0] / n[0] : NAN,
		"the best, %u workloads: shorter strands", n[0]);
}

static void plot(struct book *d, const char *series, unsigned entries, double v)
{
	book_plot(
		d, &(struct book_dot){"register energy", series, "entries", "% saved", entries, v});
}

static void curve(struct book *d, unsigned k)
{
	for (unsigned n = 1; n <= LEVELS_MAX_ORF; n++) {
		double v = saved(d, designs[k].sweep, n);

		book_tell(
			d, "% saved", v, "%s, %u entr%s", designs[k].name, n, n > 1 ? "ies" : "y");
		plot(d, designs[k].curve, n, v);
	}
	if (designs[k].papers)
		plot(d, designs[k].papers, designs[k].entries, designs[k].saved);
}

static void rows(struct book *d)
{
	for (unsigned k = 0; k < ARRAY_LEN(designs); k++)
		curve(d, k);
	headlines(d);
	consequences(d);
	by_strands(d);
}

const struct target dis_fig613 = {
	.order = 90,
	.name = "fig6.13",
	.text = "Register energy against a single level, by design and entries.",
	.paper = &dis_paper,
	.rows = rows,
	.columns = DIS_VIEWS,
	.plots = true,
};
