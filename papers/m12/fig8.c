/* Figure 8: how the unified design of 384 KB is partitioned, beside what section 4.5's rule makes
 * of the paper's Table 1. */
#include "papers/m12/m12.h"

#include <stdio.h>
#include <string.h>

static struct store_partition partition(struct book *b, unsigned w, const struct design *d)
{
	return store_partition_of(store_report(b, w, d));
}

static void say(struct book *b, const char *format, const char *name, struct book_row row)
	__attribute__((format(printf, 2, 0)));
static void say(struct book *b, const char *format, const char *name, struct book_row row)
{
	book_sayf(b, &row, format, name);
}

static void one(struct book *b, const struct m12_gain *g, unsigned w)
{
	struct design before = store_partitioned(""), after = store_unified(M12_LARGEST_KB, "");
	struct store_partition p = partition(b, w, &after), was = partition(b, w, &before);
	const char *registers = book_words(
		b, "%.0f registers a thread, the paper's %.0f", p.registers, g->registers);
	const char *shared = book_words(b, "%.1f bytes a thread, the paper's %.1f",
		1024 * p.shared_used_kb / p.threads, 1024 * g->shared_kb / g->threads);

	/* Bands are those of Table 1, from which the paper's numbers follow. */
	say(b, "%s: registers", g->name,
		book_band("M12-046", "KB", band_percent(g->register_kb, 20), p.register_kb,
			registers));
	say(b, "%s: shared memory", g->name,
		book_band("M12-046", "KB", band_percent(g->shared_kb, 10), p.shared_kb, shared));
	say(b, "%s: cache", g->name,
		book_band("M12-046", "KB", band_percent(g->cache_kb, 20), p.cache_kb, NULL));
	say(b, "%s: threads that fit, unified", g->name,
		book_band("M12-084", "threads", band_exact(g->threads), p.threads, NULL));
	say(b, "%s: threads that fit, partitioned", g->name,
		book_band("M12-084", "threads", band_points(g->partitioned_threads, WARP_LANES),
			was.threads, NULL));
}

static bool uses_some_shared(const struct m12_gain *g)
{
	return g->shared_kb > 0 && strcmp(g->workload, "needle") != 0;
}

static void ends(struct book *b)
{
	struct design after = store_unified(M12_LARGEST_KB, "");
	double least = NAN, most = NAN, needle = NAN, shared = NAN;
	const char *at_least = NULL, *at_most = NULL;

	for (unsigned i = 0; i < M12_GAINS; i++) {
		int w = m12_at(b, i);
		struct store_partition p;

		if (w < 0)
			continue;
		p = partition(b, (unsigned)w, &after);
		if (isnan(least) || p.register_kb < least) {
			least = p.register_kb;
			at_least = m12_gains[i].name;
		}
		if (isnan(most) || p.register_kb > most) {
			most = p.register_kb;
			at_most = m12_gains[i].name;
		}
		if (!strcmp(m12_gains[i].workload, "needle"))
			needle = p.shared_kb;
		if (uses_some_shared(&m12_gains[i]))
			shared = isnan(shared) ? p.shared_kb : fmax(shared, p.shared_kb);
	}
	book_say_text(b, "registers: least (the paper: bfs)",
		book_band("M12-043", "KB", band_percent(36, 20), least, at_least));
	book_say_text(b, "registers: most (the paper: dgemm)",
		book_band("M12-043", "KB", band_percent(228, 20), most, at_most));
	book_say_text(b, "needle: shared memory",
		book_band("M12-044", "KB", band_points(264, 1), needle, NULL));
	book_say_text(b, "lu, dgemm, pcr, srad: most shared memory (below 100)",
		book_band("M12-045", "KB", band_below(100), shared, NULL));
}

static void rows(struct book *b)
{
	for (unsigned i = 0; i < M12_GAINS; i++) {
		int w = m12_at(b, i);

		if (w >= 0)
			one(b, &m12_gains[i], (unsigned)w);
	}
	ends(b);
}

const struct target m12_fig8 = {
	.order = 80,
	.name = "fig8",
	.text = "Unified, 384 KB: how the eight that gain partition it.",
	.paper = &m12_paper,
	.rows = rows,
	.takes = m12_gains_from,
	.columns = STORE_BOTH,
};
