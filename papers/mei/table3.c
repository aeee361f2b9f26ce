/* Table 3: latencies of global memory by what holds the data and the translation. All of them set
 * parameters. The paper's chase has the index's way to an address in each step, two additions. */
#include "papers/mei/mei.h"

#include "core/base.h"

#define CHASE_ADDITIONS 2

enum card { FERMI_ON, FERMI_OFF, KEPLER, MACHINES };

static const struct {
	const char *name, *machine, *set, *claim;
	double others; /* cycles by which patterns after the first may differ */
} machines[MACHINES] = {
	[FERMI_ON] = {"Fermi, L1 on", MEI_FERMI, "", "MEI-011", 2},
	[FERMI_OFF] = {"Fermi, L1 off", MEI_FERMI, MEI_L1_OFF, "MEI-012", 0},
	[KEPLER] = {"Kepler", MEI_KEPLER, "", "MEI-010", 0},
};

static const struct {
	const char *text, *item;
	double paper[MACHINES];
} patterns[] = {
	{"data near, L1 TLB hit", "hit, hit", {116, 371, 230}},
	{"data near, L1 TLB miss, L2 TLB hit", "hit, miss, hit", {404, 398, 236}},
	{"data near, both TLBs miss", "hit, miss, miss", {488, 482, 289}},
	{"data in DRAM, L1 TLB hit", "miss, hit", {655, 639, 371}},
	{"data and table in DRAM", "miss, miss, miss", {1259, 1245, 734}},
	{"the same, another window", "another window", {NAN, NAN, 1000}},
};

static double ours(struct book *b, enum card m, const char *item)
{
	struct design d = mei_design(machines[m].machine, &mei_patterns, machines[m].set);

	return mei_found(b, &d, "patterns", item) +
	       CHASE_ADDITIONS * mei_found(b, &d, "addition", "latency");
}

static const char *why(struct book *b, enum card m, const char *item)
{
	struct design d = mei_design(machines[m].machine, &mei_patterns, machines[m].set);

	return mei_words(b, &d, "patterns", item);
}

static void machine_rows(struct book *b, enum card m)
{
	for (unsigned i = 0; i < ARRAY_LEN(patterns); i++) {
		double paper = patterns[i].paper[m], now = ours(b, m, patterns[i].item);
		struct book_row row = mei_calibration(machines[m].claim, "cycles",
			band_points(paper, i ? machines[m].others : 0), now,
			isnan(now) ? why(b, m, patterns[i].item) : NULL);

		if (!isnan(paper))
			book_sayf(b, &row, "%s, %u: %s", machines[m].name, i + 1, patterns[i].text);
	}
}

static double apart(struct book *b, enum card m, const char *more, enum card k, const char *less)
{
	return ours(b, m, more) - ours(b, k, less);
}

static void penalties(struct book *b)
{
	static const double paper[] = {6, 6, 16, 14};

	book_say_text(b, "Fermi: an L1 TLB miss, data in the L1",
		mei_calibration("MEI-013", "cycles", band_points(288, 2),
			apart(b, FERMI_ON, patterns[1].item, FERMI_ON, patterns[0].item), NULL));
	book_say_text(b, "Fermi: an L1 TLB miss, data in the L2",
		mei_calibration("MEI-013", "cycles", band_exact(27),
			apart(b, FERMI_OFF, patterns[1].item, FERMI_OFF, patterns[0].item), NULL));
	for (unsigned i = 1; i <= ARRAY_LEN(paper); i++) {
		struct book_row row = mei_calibration("MEI-014", "cycles",
			band_points(paper[i - 1], 2),
			apart(b, FERMI_ON, patterns[i].item, FERMI_OFF, patterns[i].item), NULL);

		book_sayf(b, &row, "Fermi: an L1 that misses, pattern %u", i + 1);
	}
}

static void ratios(struct book *b)
{
	for (unsigned i = 0; i < 5; i++) {
		double paper = patterns[i].paper[FERMI_OFF] / patterns[i].paper[KEPLER];
		struct book_row row = mei_calibration("MEI-015", "times",
			band_between(paper, 1.5, 2),
			ours(b, FERMI_OFF, patterns[i].item) / ours(b, KEPLER, patterns[i].item),
			NULL);

		book_sayf(b, &row, "Fermi by Kepler, pattern %u", i + 1);
	}
}

/* The case that the table lacks. */
static void predictions(struct book *b)
{
	for (unsigned m = 0; m < MACHINES; m++)
		book_tell(b, "cycles", ours(b, m, "miss, miss, hit"),
			"%s: data in DRAM, L1 TLB miss, L2 TLB hit", machines[m].name);
}

static void rows(struct book *b)
{
	struct design d = mei_design(MEI_KEPLER, &mei_geometry, "");

	for (unsigned m = 0; m < MACHINES; m++)
		machine_rows(b, m);
	penalties(b);
	ratios(b);
	predictions(b);
	book_say_text(b, "Kepler: the page table's active window",
		book_band("MEI-016", "MB", band_exact(512),
			mei_found(b, &d, "page table", "window") / (1 << 20), NULL));
}

const struct target mei_table3 = {
	.order = 10,
	.name = "mei-table3",
	.text = "Latencies by what holds data and translation: they set parameters.",
	.paper = &mei_paper,
	.rows = rows,
};
