/* Figure 2.7: what the two-level scheduler loses with few active warps. */
#include "papers/dissertation/dis.h"

#define ALL_WARPS 32

static double against_all(struct book *d, unsigned w, unsigned warps)
{
	struct design few = dis_active(warps), all = dis_active(ALL_WARPS);
	double a = dis_of(d, w, &few, dis_ipc), b = dis_of(d, w, &all, dis_ipc);

	return b > 0 ? a / b : NAN;
}

static double mean(struct book *d, unsigned warps)
{
	double sum = 0;

	for (unsigned w = 0; w < book_workloads(d); w++)
		sum += against_all(d, w, warps);
	return sum / book_workloads(d);
}

static void claims(struct book *d)
{
	book_say_text(d, "8 active warps lose nothing",
		book_band("DIS-016", "of 32 active warps' IPC", band_points(1, 0.01), mean(d, 8),
			NULL));
	book_say_text(d, "6 active warps lose little",
		book_band("DIS-017", "IPC lost", band_points(0.01, 0.01), 1 - mean(d, 6), NULL));
}

static void plot(struct book *d, const char *series, unsigned warps, double ipc)
{
	book_plot(d, &(struct book_dot){
			     "IPC", series, "active warps", "of 32 active warps' IPC", warps, ipc});
}

static void rows(struct book *d)
{
	static const unsigned warps[] = {1, 2, 4, 6, 8, 12, 16};
	unsigned better = 0;

	for (unsigned i = 0; i < ARRAY_LEN(warps); i++) {
		book_tell(d, "of 32 active warps' IPC", mean(d, warps[i]), "%u active warp%s",
			warps[i], warps[i] > 1 ? "s" : "");
		plot(d, "ours", warps[i], mean(d, warps[i]));
	}
	plot(d, "ours", ALL_WARPS, 1);
	plot(d, BOOK_PAPER, 6, 0.99);
	plot(d, BOOK_PAPER, 8, 1);
	plot(d, BOOK_PAPER, ALL_WARPS, 1);
	claims(d);
	for (unsigned w = 0; w < book_workloads(d); w++)
		better += against_all(d, w, 8) > 1;
	book_say_text(d, "workloads that 8 active warps serve better than 32 (some)",
		book_unjudged(book_band(
			"DIS-019", "workloads", (struct band){NAN, 1, NAN}, better, NULL)));
	for (unsigned w = 0; w < book_workloads(d); w++)
		book_tell(d, "of 32 active warps' IPC", against_all(d, w, 8), "8 active warps: %s",
			book_workload(d, w));
}

const struct target dis_fig27 = {
	.order = 10,
	.name = "fig2.7",
	.text = "IPC by the number of active warps, of 32.",
	.paper = &dis_paper,
	.rows = rows,
	.plots = true,
};
