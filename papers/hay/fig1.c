/* Figure 1: time over the number of registers, spills in local memory, GTX 680. */
#include "papers/hay/hay.h"

#define COUNTS 5
static const unsigned counts[COUNTS] = {32, 40, 48, 56, 63};

static double cycles(struct book *b, unsigned w, unsigned registers, const char *more)
{
	struct design d = design_of(HAY_KEPLER, "gpu.max_regs=%u %s", registers, more);

	return point_metric(book_report(b, w, &d), "gpc__cycles_elapsed.max");
}

/* The fewest registers with the fewest cycles. */
static double fastest(struct book *b, unsigned w, const char *more)
{
	double least = NAN, at = NAN;

	for (unsigned i = 0; i < COUNTS; i++) {
		double c = cycles(b, w, counts[i], more);

		if (isnan(least) || c < least) {
			least = c;
			at = counts[i];
		}
		if (!*more)
			book_plot(b, &(struct book_dot){"time over registers", book_workload(b, w),
					     "registers, at most", "cycles", counts[i], c});
	}
	return at;
}

static void fig1(struct book *b)
{
	int particles = book_find(b, "particles"), fdtd = book_find(b, "fdtd3d"),
	    dxtc = book_find(b, "dxtc");

	if (particles >= 0)
		book_say_text(b, "particles: fastest registers, neither fewest nor most",
			book_band("HAY-002", "registers", band_between(NAN, 33, 62),
				fastest(b, (unsigned)particles, ""), NULL));
	if (fdtd >= 0)
		book_say_text(b, "fdtd3d: fastest registers",
			book_told(
				"HAY-002", "registers", NAN, fastest(b, (unsigned)fdtd, ""), NULL));
	if (dxtc < 0)
		return;
	book_say_text(b, "dxtc: fastest registers",
		book_told("HAY-002", "registers", 40, fastest(b, (unsigned)dxtc, ""), NULL));
	book_say_text(b, "dxtc: fastest registers, 32 CTA slots",
		book_told("HAY-002", "registers", 40, fastest(b, (unsigned)dxtc, "sm.ctas=32"),
			NULL));
}

const struct target hay_fig1 = {
	.order = 10,
	.name = "hay-fig1",
	.text = "Time over the number of registers.",
	.paper = &hay_paper,
	.rows = fig1,
	.takes = hay_takes,
	.columns = HAY_CHIP_COLUMN,
	.plots = true,
};
