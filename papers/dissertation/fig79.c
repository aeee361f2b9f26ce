/* Figure 7.9: performance by energy of fixed, limited and unified designs. */
#include "papers/dissertation/six.h"

/* The paper's own numbers are speed by energy, 1.756 / 0.8; a run's performance by its power is
 * work by energy alone. */
static double by_energy(struct book *b, unsigned w, enum ch7_design id)
{
	return ch7_speed(b, w, id) / ch7_energy(b, w, id);
}

static void fig79(struct book *b)
{
	static const double sorted[] = {0.2, 4, 10, 17, 20, 115};
	struct six s = six_of(b, by_energy, CH7_U384);
	struct book_row row;

	six_tell(b, by_energy, "speed by energy");
	six_say_sorted(b, "DIS-100", sorted, 2, &s);
	row = book_band("DIS-101", "% more", band_percent(120, 20), six_most(&s),
		six_name(&s, CH7_WORKLOADS - 1));
	book_sayf(b, &row, "unified 384: most (115 elsewhere)");
	row = book_band("DIS-101", "% more", band_points(0, 1), six_at(&s, CH7_HOTSPOT), NULL);
	book_sayf(b, &row, "unified 384: hotspot, none");
	six_say_count(b, "DIS-123", "unified 384: 10 % and more", 4, (double[]){10, 1e9}, &s);
	for (unsigned i = 0; i < CH7_WORKLOADS; i++)
		if (ch7_at(b, i) >= 0)
			book_tell(b, "% more work by energy",
				six_gain(1 / ch7_energy(b, (unsigned)ch7_at(b, i), CH7_U384)),
				"unified 384: %s, performance by power", ch7_workloads[i]);
}

const struct target ch7_fig79 = {
	.order = 90,
	.name = "fig7.9",
	.text = "Performance per watt as the dissertation computes it: speed by energy.",
	.paper = &ch7_paper,
	.rows = fig79,
	.columns = CH7_BOTH,
	.takes = ch7_takes,
	.plots = true,
};
