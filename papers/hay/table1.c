/* Table 1: registers, growth of the code at auto, misses of spills. */
#include "papers/hay/hay.h"

static const char *const gpu[2] = {"Fermi", "Kepler"};

static void rows_of(struct book *b, const struct hay_workload *h, unsigned w, unsigned m)
{
	struct design d = hay_design(hay_machines[m], "");
	struct hay_result r = hay_measure(b, w, &d);
	struct book_row row = book_band("HAY-014", "registers", band_percent(h->registers[m], 10),
		r.registers, "the kernel with most registers");

	book_sayf(b, &row, "%s, %s: registers", h->name, gpu[m]);
	row = book_band("HAY-015", "of the instructions", band_points(h->growth[m], 0.10), r.growth,
		r.note);
	row = h->judged ? row : book_unjudged(row);
	book_sayf(b, &row, "%s, %s: instructions at auto", h->name, gpu[m]);
	/* not more than without slots; the paper does not define what its rate is of */
	row = book_band("HAY-016", "points", band_between(NAN, -100, 0.01),
		r.missed - r.missed_local, NULL);
	book_sayf(b, &row, "%s, %s: missed with slots less without", h->name, gpu[m]);
	row = book_told("HAY-016", "% of lines of local loads", h->missed[m], r.missed, NULL);
	book_sayf(b, &row, "%s, %s: missed at auto", h->name, gpu[m]);
	row = book_told(
		"HAY-016", "% of lines of local loads", h->missed_local[m], r.missed_local, NULL);
	book_sayf(b, &row, "%s, %s: missed at auto without slots", h->name, gpu[m]);
}

static void table1(struct book *b)
{
	for (unsigned i = 0; i < HAY_SEVEN; i++) {
		int w = hay_at(b, i);

		for (unsigned m = 0; w >= 0 && m < 2; m++)
			rows_of(b, &hay_seven[i], (unsigned)w, m);
	}
}

const struct target hay_table1 = {
	.order = 30,
	.name = "hay-table1",
	.text = "Registers, growth of the code, misses of spills.",
	.paper = &hay_paper,
	.rows = table1,
	.takes = hay_takes,
	.columns = HAY_CHIP_COLUMN,
};
