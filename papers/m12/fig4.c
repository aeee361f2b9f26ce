/* Figure 4: performance by cache and threads. */
#include "papers/m12/curves.h"

#define MOST_KB 512
static const unsigned caches_kb[] = {0, 64, 128, 256, MOST_KB};

static double by_cache(struct book *b, int w, unsigned t, unsigned kb)
{
	struct design point = store_unbounded(t, CURVE_REGISTERS, kb),
		      base = store_unbounded(CURVE_MOST_THREADS, CURVE_REGISTERS, MOST_KB);

	return curve_against(b, (unsigned)w, &point, &base);
}

static void curve4(struct book *b, int w)
{
	for (unsigned i = 0; i < CURVE_THREADS; i++)
		for (unsigned k = 0; k < ARRAY_LEN(caches_kb); k++)
			book_plot(b, &(struct book_dot){book_workload(b, (unsigned)w),
					     curve_series(b, "%u threads", curve_threads[i]),
					     "KB of cache", "performance", caches_kb[k],
					     by_cache(b, w, curve_threads[i], caches_kb[k])});
}

static void fig4(struct book *b)
{
	const struct {
		const char *workload, *claim, *text;
		unsigned from_kb, to_kb;
		struct band band;
	} gains[] = {{"bfs", "M12-063", "bfs: 512 KB by 64 (gains)", 64, 512, curve_gain(3)},
		{"pcr", "M12-063", "pcr: 512 KB by 64 (gains)", 64, 512, curve_gain(3)},
		{"pcr", "M12-063", "pcr: 512 KB by 256 (gains again)", 256, 512, curve_gain(3)},
		{"mummer", "M12-064", "mummer: 256 KB by none (gains early)", 0, 256,
			curve_gain(20)},
		{"mummer", "M12-064", "mummer: 512 KB by 256 (saturates)", 256, 512,
			band_between(NAN, 0.98, 1.05)},
		{"needle", "M12-064", "needle: 512 KB by 64 (hardly reacts)", 64, 512,
			curve_same(0.05)}};
	const char *before = "";

	for (unsigned i = 0; i < ARRAY_LEN(gains); i++) {
		int w = book_find(b, gains[i].workload);

		if (w < 0)
			continue;
		if (gains[i].workload != before)
			curve4(b, w);
		before = gains[i].workload;
		curve_claim(b, gains[i].claim, gains[i].text, gains[i].band,
			by_cache(b, w, CURVE_MOST_THREADS, gains[i].to_kb) /
				by_cache(b, w, CURVE_MOST_THREADS, gains[i].from_kb));
	}
}

static bool in_fig4(const char *workload)
{
	return curve_has(workload, (const char *const[4]){"bfs", "pcr", "mummer", "needle"});
}

const struct target m12_fig4 = {
	.order = 40,
	.name = "fig4",
	.text = "Performance by cache and threads (bfs, pcr, mummer, needle).",
	.paper = &m12_paper,
	.rows = fig4,
	.takes = in_fig4,
	.columns = STORE_BOTH,
	.plots = true,
};
