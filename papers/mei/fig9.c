/* Figures 8 and 9: Fermi's L1 is not LRU. In cyclic passes over N bytes, line by line, at most half
 * of the lines miss for N of 16 to 24 KB, and all do under LRU where each set has too many. The
 * description's order of evicted ways was chosen by these sentences. */
#include "papers/mei/mei.h"

#include "core/base.h"

#define KB 1024.0
#define FIRST 17
#define LAST 24

/* What the paper does not decide between: other policies on the same machine. */
static const struct {
	const char *name, *set, *series;
	double paper;
} policies[] = {{"Fermi", "", BOOK_PAPER ": at most, Fermi", 50},
	{"LRU", "l1.replacement=lru", "", NAN},
	{"ways by chance, 1/6, 1/2, 1/6, 1/6",
		"l1.replacement=weighted l1.weighted.weights=1,3,1,1", "", NAN}};

static double missed(struct book *b, unsigned policy, unsigned kb)
{
	struct design d = mei_design(MEI_FERMI, &mei_passes, policies[policy].set);
	double ours = mei_missed(b, &d, "L1", kb * KB);

	book_plot(b, &(struct book_dot){"L1 of Fermi in cyclic passes", policies[policy].name,
			     "footprint, KB", "lines missed, %", kb, ours});
	if (!isnan(policies[policy].paper))
		book_plot(b,
			&(struct book_dot){"L1 of Fermi in cyclic passes", policies[policy].series,
				"footprint, KB", "lines missed, %", kb, policies[policy].paper});
	return ours;
}

static void rates(struct book *b)
{
	double most = 0;
	struct book_row row;

	for (unsigned kb = FIRST; kb <= LAST; kb++) {
		double ours = missed(b, 0, kb);

		most = isnan(ours) || ours > most ? ours : most;
		row = mei_calibration("MEI-019", "% of lines", band_at_most(50), ours, NULL);
		book_sayf(b, &row, "Fermi, %u KB", kb);
	}
	for (unsigned kb = FIRST; kb <= LAST; kb++) {
		double ours = missed(b, 1, kb);

		row = book_band("MEI-019", "% of lines", band_exact(100), ours, NULL);
		if (kb == 20)
			book_say_text(b, "LRU, 20 KB: each set has one line too many", row);
	}
	for (unsigned kb = FIRST; kb <= LAST; kb++)
		book_tell(b, "% of lines", missed(b, 2, kb), "%s, %u KB", policies[2].name, kb);
}

static void victims(struct book *b)
{
	static const double paper[] = {1 / 6.0, 1 / 2.0, 1 / 6.0, 1 / 6.0};
	struct design d = mei_design(MEI_FERMI, &mei_passes, "");
	char item[] = "victims in way 0";

	for (unsigned way = 0; way < ARRAY_LEN(paper); way++) {
		struct book_row row;

		item[sizeof(item) - 2] = (char)('1' + way);
		row = mei_calibration("MEI-018", "of victims", band_points(paper[way], 0.02),
			mei_found(b, &d, "L1", item), NULL);
		book_sayf(b, &row, "Fermi, evicted from way %u", way + 1);
	}
	book_say_text(b, "Fermi: misses for each that evicts from way 2",
		mei_calibration("MEI-021", "misses", band_between(2, 1 / 0.52, 1 / 0.48),
			1 / mei_found(b, &d, "L1", "victims in way 2"), NULL));
}

/* Whether passes miss as often as the ones before them, for all footprints or for none. */
static void periods(struct book *b)
{
	static const struct {
		const char *text, *level;
		const struct point_way *way;
		double paper;
	} all[] = {{"Fermi, L1: footprints with equal passes", "L1", &mei_passes, 0},
		{"Fermi, L2 TLB: footprints with equal passes", "L2 TLB", &mei_pages, 8},
		{"Fermi, texture cache: footprints with equal passes", "texture cache", &mei_pages,
			8}};

	for (unsigned i = 0; i < ARRAY_LEN(all); i++) {
		struct design d = mei_design(MEI_FERMI, all[i].way, "");

		book_say_text(b, all[i].text,
			book_band("MEI-020", "of 8", band_exact(all[i].paper),
				mei_found(b, &d, all[i].level, "footprints with equal passes"),
				NULL));
	}
}

static void rows(struct book *b)
{
	victims(b);
	rates(b);
	periods(b);
}

const struct target mei_fig9 = {
	.order = 60,
	.name = "mei-fig9",
	.text = "Fermi's L1: evicted ways, and misses by footprint; they chose its order.",
	.paper = &mei_paper,
	.rows = rows,
	.plots = true,
};
