/* The unified design with the number of threads that serves each workload best: the paper's own
 * remedy where threads take what a cache needs (section 4.5), of which it gives no figures. */
#include "papers/m12/m12.h"

#include <stdio.h>

#define MOST_THREADS 1024
#define COUNTS 6
static const unsigned counts[COUNTS] = {256, 384, 512, 640, 768, 896};

static struct design with_threads(unsigned threads)
{
	char more[48];

	snprintf(more, sizeof(more), "storage.unified.threads=%u", threads);
	return store_unified(M12_LARGEST_KB, more);
}

/* As fast as the partitioned design; NAN: a CTA has more threads. */
static double speed(struct book *b, unsigned w, const struct design *d)
{
	struct design before = store_partitioned("");

	return store_cycles(b, w, &before) / store_try_cycles(b, w, d);
}

static void plot(struct book *b, unsigned w, unsigned threads, double y)
{
	book_plot(b, &(struct book_dot){"unified 384", book_workload(b, w), "threads, at most",
			     "speed, of partitioned", threads, y});
}

/* The speed with the best number of threads; of equals the most. */
static double tuned(struct book *b, const struct m12_gain *g, unsigned w)
{
	struct design most = store_unified(M12_LARGEST_KB, "");
	double all = speed(b, w, &most), best = all;
	unsigned threads = MOST_THREADS;
	struct book_row row = {
		.claim = "", .unit = "times as fast", .paper = g->speedup[M12_CAPACITIES - 1]};

	for (unsigned i = COUNTS; i--;) {
		struct design d = with_threads(counts[i]);
		double s = speed(b, w, &d);

		plot(b, w, counts[i], s);
		threads = s > best ? counts[i] : threads;
		best = s > best ? s : best;
	}
	plot(b, w, MOST_THREADS, all);
	row.ours = best;
	row.note = book_words(b, "at most %u threads; with as many as fit %.3f", threads, all);
	snprintf(row.text, sizeof(row.text), "%s: speed, best number of threads", g->name);
	m12_ratio(b, &row);
	return best;
}

static void rows(struct book *b)
{
	double sum = 0;
	unsigned n = 0;

	for (unsigned i = 0; i < M12_GAINS; i++) {
		int w = m12_at(b, i);

		if (w < 0)
			continue;
		sum += tuned(b, &m12_gains[i], (unsigned)w);
		n++;
	}
	m12_say_text(b, "speed: arithmetic mean",
		book_band("", "times as fast", m12_mean_speed(), n ? sum / n : NAN, NULL), n,
		M12_GAINS);
}

const struct target m12_tuned = {
	.order = 110,
	.name = "tuned",
	.text = "Unified, 384 KB, with the best number of threads (autotuned), of the eight.",
	.paper = &m12_paper,
	.rows = rows,
	.takes = m12_gains_from,
	.columns = STORE_BOTH,
	.plots = true,
};
