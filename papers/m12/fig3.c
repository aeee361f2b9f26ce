/* Figure 3: performance by shared memory and threads. */
#include "papers/m12/curves.h"

static double by_threads(struct book *b, int w, unsigned t)
{
	return curve_by_registers(b, w, t, CURVE_REGISTERS);
}

/* KB of shared memory that t threads use. */
static double shared_kb(struct book *b, int w, unsigned t)
{
	struct design d = store_unbounded(t, CURVE_REGISTERS, CURVE_CACHE_KB);

	return store_partition_of(store_report(b, (unsigned)w, &d)).shared_used_kb;
}

static void curve3(struct book *b, int w)
{
	for (unsigned i = 0; i < CURVE_THREADS; i++)
		book_plot(b, &(struct book_dot){"256 to 1024 threads",
				     book_workload(b, (unsigned)w), "KB of shared memory",
				     "performance", shared_kb(b, w, curve_threads[i]),
				     by_threads(b, w, curve_threads[i])});
}

struct need {
	const char *workload, *claim, *text;
	struct band band; /* KB of shared memory */
	const char *speed_text;
	struct band speed; /* of 256 threads */
};

static void fig3(struct book *b)
{
	const struct need needs[] = {
		{"needle", "M12-059", "needle: shared memory, 1024 threads (above 200)",
			band_between(NAN, 200, 400), NULL, band_below(0)},
		{"pcr", "M12-060", "pcr: shared memory, 1024 threads", band_percent(20, 10),
			"pcr: 256 threads (gains strongly: below 0.8)", band_below(0.8)},
		{"lu", "M12-061", "lu: shared memory, 1024 threads", band_percent(96, 10),
			"lu: 256 threads (rewards threads: below 0.95)", band_below(0.95)},
		{"sto", "M12-062", "sto: shared memory, 1024 threads (Table 1)",
			band_percent(127, 10), "sto: 256 threads (near its peak)",
			curve_same(0.1)}};

	for (unsigned i = 0; i < ARRAY_LEN(needs); i++) {
		const struct need *n = &needs[i];
		int w = book_find(b, n->workload);

		if (w < 0)
			continue;
		curve3(b, w);
		book_say_text(b, n->text,
			book_band(n->claim, "KB", n->band, shared_kb(b, w, CURVE_MOST_THREADS),
				NULL));
		if (n->speed_text)
			curve_claim(b, n->claim, n->speed_text, n->speed, by_threads(b, w, 256));
	}
}

static bool in_fig3(const char *workload)
{
	return curve_has(workload, (const char *const[4]){"needle", "pcr", "lu", "sto"});
}

const struct target m12_fig3 = {
	.order = 30,
	.name = "fig3",
	.text = "Performance by shared memory and threads (needle, pcr, lu, sto).",
	.paper = &m12_paper,
	.rows = fig3,
	.takes = in_fig3,
	.columns = STORE_BOTH,
	.plots = true,
};
