/* Figure 7.3: cache and threads: mummer; the largest effect of any storage. */
#include "papers/dissertation/ch7.h"

static const unsigned thread_counts[] = {256, 512, 768, CH7_FULL};

static double mummer_speed(struct book *b, unsigned w, unsigned threads)
{
	return ch7_relative(b, w, store_unbounded(CH7_FULL, CH7_REGISTERS, CH7_CACHE_KB),
		store_unbounded(threads, CH7_REGISTERS, CH7_CACHE_KB));
}

/* The largest effect of one storage over its range, with all other storage unbounded. */
static double largest_effect(struct book *b, unsigned *of)
{
	struct design full = store_unbounded(CH7_FULL, CH7_REGISTERS, 512);
	double most = NAN;

	for (unsigned i = 0; i < CH7_WORKLOADS; i++) {
		int at = ch7_at(b, i);
		unsigned w = (unsigned)at;
		double v;

		if (at < 0)
			continue;
		v = fmax(ch7_relative(b, w, store_unbounded(CH7_FULL, CH7_REGISTERS, 0), full),
			fmax(ch7_relative(b, w, store_unbounded(CH7_FULL, 18, 512), full),
				ch7_relative(
					b, w, store_unbounded(256, CH7_REGISTERS, 512), full)));
		if (isnan(most) || v > most) {
			most = v;
			*of = i;
		}
	}
	return most;
}

static void fig73(struct book *b)
{
	int w = book_find(b, "mummer");
	double best = NAN, where = NAN, most;
	unsigned of = 0;
	struct book_row row;

	for (unsigned i = 0; i < ARRAY_LEN(thread_counts); i++) {
		double v;

		if (w < 0)
			continue;
		v = mummer_speed(b, (unsigned)w, thread_counts[i]);
		book_plot(b, &(struct book_dot){"mummer, 64 KB of cache", "mummer", "threads",
				     "performance", thread_counts[i], v});
		book_tell(b, "of 1024 threads'", v, "mummer, 64 KB of cache: %u threads",
			thread_counts[i]);
		if (!isnan(v) && (isnan(best) || v > best)) {
			best = v;
			where = thread_counts[i];
		}
	}
	row = book_band("DIS-117", "threads", band_exact(768), where,
		w < 0 ? NULL
		      : book_words(b, "%.3f of 1024 threads', with 768 %.3f", best,
				mummer_speed(b, (unsigned)w, 768)));
	book_sayf(b, &row, "mummer, 64 KB of cache: fastest");
	most = largest_effect(b, &of);
	row = book_band("DIS-120", "times as fast", band_percent(3, 20),
		ch7_has_all(b) ? most : NAN, ch7_has_all(b) ? ch7_workloads[of] : NULL);
	book_sayf(b, &row, "large by small structures: most");
}

const struct target ch7_fig73 = {
	.order = 30,
	.name = "fig7.3",
	.text = "Cache and threads: mummer; the largest effect of any storage.",
	.paper = &ch7_paper,
	.rows = fig73,
	.columns = CH7_BOTH,
	.takes = ch7_takes,
	.plots = true,
};
